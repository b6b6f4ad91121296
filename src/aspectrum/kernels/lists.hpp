// Lists and rows before any metric: grouping, looking up, counting, and finding what must not be there.
#pragma once

#include "arrays.hpp"
#include "hash_index.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace aspectrum {

// Stable counting sort: which rows have each key, in their order.
inline std::pair<Out<int64_t>, Out<int64_t>> group_rows(Array<int32_t> keys, int64_t n_keys) {
    const int64_t n = static_cast<int64_t>(keys.shape(0));
    require(n_keys >= 0, "a negative number of keys");
    std::vector<int64_t> offsets(n_keys + 1, 0), order(n);
    bool grouped = true;  // already, and in this order, as most files are
    for (int64_t p = 0; p < n;) {
        const int32_t key = keys.data()[p];
        require(key >= 0 && key < n_keys, "a key is out of range");
        grouped = grouped && (p == 0 || key > keys.data()[p - 1]);
        const int64_t start = p;
        while (p < n && keys.data()[p] == key) ++p;
        offsets[key + 1] += p - start;
    }
    for (int64_t k = 0; k < n_keys; ++k) offsets[k + 1] += offsets[k];
    if (grouped) {
        std::iota(order.begin(), order.end(), int64_t{0});
    } else {
        std::vector<int64_t> at(offsets.begin(), offsets.end() - 1);
        for (int64_t p = 0; p < n; ++p) order[at[keys.data()[p]]++] = p;
    }
    return {to_array(std::move(offsets)), to_array(std::move(order))};
}

// Where runs of equal values begin: of `n` values, after the one before them if there is one.
template <class T>
void add_runs(const T* v, int64_t n, std::optional<T> before, int64_t at, std::vector<int64_t>& starts) {
    constexpr int64_t kStep = 32;  // values that are compared at once: most runs are longer
    if (n > 0 && (!before || v[0] != *before)) starts.push_back(at);
    for (int64_t p = 1; p < n; p += kStep) {
        const int64_t end = std::min(n, p + kStep);
        T changed = 0;
        for (int64_t i = p; i < end; ++i) changed |= v[i] ^ v[i - 1];
        for (int64_t i = p; changed && i < end; ++i)
            if (v[i] != v[i - 1]) starts.push_back(at + i);
    }
}

// Where runs of equal codes begin, and the end of the last.
inline Out<int64_t> find_runs(Array<int32_t> codes) {
    const auto n = static_cast<int64_t>(codes.shape(0));
    std::vector<int64_t> starts;
    add_runs<int32_t>(codes.data(), n, std::nullopt, 0, starts);
    starts.push_back(n);
    return to_array(std::move(starts));
}

inline bool all_finite(Array<double> values) {
    const auto n = static_cast<int64_t>(values.shape(0));
    nb::gil_scoped_release release;
    uint64_t odd = 0;
    for (int64_t p = 0; p < n; ++p) odd |= std::bit_cast<uint64_t>(values.data()[p] - values.data()[p]);  // 0, or NaN
    return odd == 0;
}

// Sorts the rows of each segment by a key, then by a second one, and where both are equal leaves them as they stand.
template <class Key>
inline Out<int64_t> sort_segments(Array<int64_t> offsets_, Array<int64_t> rows, Array<Key> keys, bool descending,
                                  std::optional<Array<int32_t>> seconds, bool seconds_descending) {
    struct Entry {
        Key key;
        int32_t second;
        int64_t row;
    };
    const int64_t n = static_cast<int64_t>(rows.shape(0)), n_keys = static_cast<int64_t>(keys.shape(0));
    const int64_t groups = segments(offsets_, n);
    const int64_t* offsets = offsets_.data();
    require(!seconds || static_cast<int64_t>(seconds->shape(0)) == n_keys, "one second key per key");
    for (int64_t p = 0; p < n; ++p) require(rows.data()[p] >= 0 && rows.data()[p] < n_keys, "a row is out of range");
    for (int64_t k = 0; k < n_keys; ++k) require(keys.data()[k] == keys.data()[k], "a key is NaN");
    std::vector<int64_t> out(rows.data(), rows.data() + n);
    auto before = [&](const Entry& a, const Entry& b) {
        if (a.key != b.key) return descending ? a.key > b.key : a.key < b.key;
        return seconds_descending ? a.second > b.second : a.second < b.second;
    };
    {
        nb::gil_scoped_release release;
        parallel_for(
            groups, 64, [] { return std::vector<Entry>(); },
            [&](auto& entries, int64_t begin, int64_t end) {
                auto entry = [&](int64_t row) { return Entry{keys.data()[row], seconds ? seconds->data()[row] : 0, row}; };
                for (int64_t g = begin; g < end; ++g) {
                    int64_t sorted_to = offsets[g] + 1;
                    while (sorted_to < offsets[g + 1] && !before(entry(out[sorted_to]), entry(out[sorted_to - 1]))) ++sorted_to;
                    if (sorted_to >= offsets[g + 1]) continue;
                    entries.clear();
                    for (int64_t p = offsets[g]; p < offsets[g + 1]; ++p) entries.push_back(entry(out[p]));
                    std::stable_sort(entries.begin(), entries.end(), before);
                    for (size_t e = 0; e < entries.size(); ++e) out[offsets[g] + static_cast<int64_t>(e)] = entries[e].row;
                }
            });
    }
    return to_array(std::move(out));
}

// Of values in the order of lists: how many equal the one before, how many are larger than it, and how many smaller.
inline std::tuple<int64_t, int64_t, int64_t> count_steps(Array<int64_t> offsets_, Array<double> values) {
    const int64_t groups = segments(offsets_, static_cast<int64_t>(values.shape(0)));
    const int64_t* offsets = offsets_.data();
    std::atomic<int64_t> equal{0}, larger{0}, smaller{0};
    nb::gil_scoped_release release;
    parallel_for(groups, 1 << 14, [&](int64_t begin, int64_t end) {  // less is done before another thread has begun
        int64_t n_equal = 0, n_larger = 0, n_steps = 0;
        for (int64_t g = begin; g < end; ++g) {
            const double* v = values.data() + offsets[g];
            const int64_t n = offsets[g + 1] - offsets[g];
            int64_t e = 0, l = 0;
            for (int64_t p = 1; p < n; ++p) e += v[p] == v[p - 1], l += v[p] > v[p - 1];
            n_equal += e, n_larger += l, n_steps += std::max<int64_t>(0, n - 1);
        }
        equal += n_equal, larger += n_larger, smaller += n_steps - n_equal - n_larger;
    });
    return {equal.load(), larger.load(), smaller.load()};
}

// Of rows in the order of lists: the places whose value equals that of the place before, and how many are larger or smaller than it.
inline std::tuple<Out<uint8_t>, int64_t, int64_t> compare_neighbours(Array<int64_t> offsets_, Array<int64_t> rows, Array<double> values) {
    const int64_t n = static_cast<int64_t>(rows.shape(0)), n_values = static_cast<int64_t>(values.shape(0));
    const int64_t groups = segments(offsets_, n);
    const int64_t* offsets = offsets_.data();
    for (int64_t p = 0; p < n; ++p) require(rows.data()[p] >= 0 && rows.data()[p] < n_values, "a row is out of range");
    std::vector<uint8_t> equal(n, 0);
    std::atomic<int64_t> larger{0}, smaller{0};
    {
        nb::gil_scoped_release release;
        parallel_for(
            groups, 1024, [] { return 0; },
            [&](int&, int64_t begin, int64_t end) {
                int64_t n_larger = 0, n_smaller = 0;
                for (int64_t g = begin; g < end; ++g)
                    for (int64_t p = offsets[g] + 1; p < offsets[g + 1]; ++p) {
                        const double here = values.data()[rows.data()[p]], before = values.data()[rows.data()[p - 1]];
                        equal[p] = here == before;
                        n_larger += here > before;
                        n_smaller += here < before;
                    }
                larger += n_larger;
                smaller += n_smaller;
            });
    }
    return {to_array(std::move(equal)), larger.load(), smaller.load()};
}

// Places in sorted segments whose row repeats the keys of the one before.
inline Out<int64_t> find_repeats(Array<int64_t> offsets_, Array<int64_t> rows, Array<int32_t> keys, std::optional<Array<int32_t>> seconds) {
    const int64_t n = static_cast<int64_t>(rows.shape(0)), n_keys = static_cast<int64_t>(keys.shape(0));
    const int64_t groups = segments(offsets_, n);
    require(!seconds || static_cast<int64_t>(seconds->shape(0)) == n_keys, "one second key per key");
    for (int64_t p = 0; p < n; ++p) require(rows.data()[p] >= 0 && rows.data()[p] < n_keys, "a row is out of range");
    std::vector<int64_t> places;
    for (int64_t g = 0; g < groups; ++g)
        for (int64_t p = offsets_.data()[g] + 1; p < offsets_.data()[g + 1]; ++p) {
            const int64_t before = rows.data()[p - 1], row = rows.data()[p];
            if (keys.data()[before] == keys.data()[row] && (!seconds || seconds->data()[before] == seconds->data()[row]))
                places.push_back(p);
        }
    return to_array(std::move(places));
}

// Where each item of each list stands among that user's sorted keys; -1 where it does not.
inline Out<int32_t> lookup(Array<int64_t> offsets_, Array<int32_t> items, Array<int64_t> key_offsets_, Array<int32_t> keys) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    require(segments(key_offsets_, static_cast<int64_t>(keys.shape(0))) == users, "one segment of keys per user");
    const int64_t *offsets = offsets_.data(), *key_offsets = key_offsets_.data();
    require(key_offsets[users] <= INT32_MAX, "too many keys for 32-bit places");
    std::vector<int32_t> out(offsets[users]);
    {
        nb::gil_scoped_release release;
        auto same_hash = [](int32_t) { return true; };
        parallel_for(
            users, 64, [] { return HashIndex(); },
            [&](HashIndex& places, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t* low = keys.data() + key_offsets[u];
                    const int64_t n = key_offsets[u + 1] - key_offsets[u];
                    // A table pays unless few items ask many keys.
                    if (n >= 8 && offsets[u + 1] - offsets[u] >= n / 4) {
                        places.clear(n);
                        for (int64_t k = 0; k < n; ++k) places.add(spread(low[k]));
                        for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p) {
                            const int32_t place = places.find(spread(items.data()[p]), same_hash);
                            out[p] = place < 0 ? -1 : static_cast<int32_t>(key_offsets[u] + place);
                        }
                        continue;
                    }
                    for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p) {
                        const int32_t item = items.data()[p];
                        const int32_t* at = low;
                        for (int64_t size = n; size > 1; size -= size / 2) at = at[size / 2 - 1] < item ? at + size / 2 : at;
                        out[p] = n > 0 && *at == item ? static_cast<int32_t>(at - keys.data()) : -1;
                    }
                }
            });
    }
    return to_array(std::move(out));
}

// The first user (and the place in the list) whose list names an item twice, (-1, -1) if none does; and which items lists name.
inline std::tuple<int64_t, int64_t, Out<uint8_t>> find_repeat(Array<int64_t> offsets_, Array<int32_t> items_, int64_t n_items) {
    constexpr int64_t kLists = 255;
    const int64_t users = segments(offsets_, static_cast<int64_t>(items_.shape(0)));
    const int64_t* offsets = offsets_.data();
    const int32_t* items = items_.data();
    check_codes(items, offsets[users], 0, n_items, "item");
    // Lists are numbered, and each item is marked with the last list that names it. With few items, all marks are cleared every 255 lists;
    // otherwise those of each list after it.
    const bool few_items = n_items * users <= 8 * kLists * offsets[users];
    std::vector<uint8_t> named(n_items, 0);
    std::atomic<int64_t> found{INT64_MAX};
    std::mutex naming;
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 1 << 12, [&] { return std::vector<uint8_t>(n_items, 0); },
            [&](std::vector<uint8_t>& lists, int64_t begin, int64_t end) {
                uint8_t* last = lists.data();  // a local pointer: bytes may alias the vector itself
                for (int64_t from = begin, to; from < end; from = to) {
                    to = std::min(end, from + (few_items ? kLists : 1));
                    for (int64_t u = from; u < to; ++u) {
                        const auto list = static_cast<uint8_t>(u - from + 1);
                        const int32_t *first = items + offsets[u], *stop = items + offsets[u + 1], *repeat = first;
                        bool again = false;
                        for (const int32_t* item = first; item < stop; ++item) {
                            again |= last[*item] == list;
                            last[*item] = list;
                        }
                        if (!again) continue;
                        for (const int32_t* item = first; item < stop; ++item) last[*item] = 0;
                        for (; last[*repeat] != list; ++repeat) last[*repeat] = list;
                        for (const int32_t* item = first; item < stop; ++item) last[*item] = list;
                        int64_t now = found.load();
                        while (repeat - items < now && !found.compare_exchange_weak(now, repeat - items)) {
                        }
                    }
                    const std::lock_guard<std::mutex> lock(naming);
                    if (few_items) {
                        for (int64_t i = 0; i < n_items; ++i) named[i] |= last[i] != 0;
                        std::fill_n(last, n_items, uint8_t{0});
                    } else {
                        for (const int32_t* item = items + offsets[from]; item < items + offsets[to]; ++item)
                            named[*item] = 1, last[*item] = 0;
                    }
                }
            });
    }
    const int64_t place = found.load();
    if (place == INT64_MAX) return {-1, -1, to_array(std::move(named))};
    const int64_t user = std::upper_bound(offsets, offsets + users + 1, place) - offsets - 1;
    return {user, place - offsets[user], to_array(std::move(named))};
}

// The first places of each list: offsets, items and ties.
inline std::tuple<Out<int64_t>, Out<int32_t>, std::optional<Out<uint8_t>>> cut_lists(Array<int64_t> offsets_, Array<int32_t> items,
                                                                                     std::optional<Array<uint8_t>> tied, int64_t depth) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    const int64_t* offsets = offsets_.data();
    require(depth >= 0, "a negative depth");
    require(!tied || tied->shape(0) == items.shape(0), "one flag per item");
    UnfilledVector<int64_t> starts(users + 1);
    starts[0] = 0;
    for (int64_t u = 0; u < users; ++u) starts[u + 1] = starts[u] + std::min(depth, offsets[u + 1] - offsets[u]);
    UnfilledVector<int32_t> kept(starts[users]);
    UnfilledVector<uint8_t> flags(tied ? starts[users] : 0);
    for (int64_t u = 0; u < users; ++u) {
        std::copy_n(items.data() + offsets[u], starts[u + 1] - starts[u], kept.data() + starts[u]);
        if (tied) std::copy_n(tied->data() + offsets[u], starts[u + 1] - starts[u], flags.data() + starts[u]);
    }
    std::optional<Out<uint8_t>> out;
    if (tied) out = to_array(std::move(flags));
    return {to_array(std::move(starts)), to_array(std::move(kept)), out};
}

// How often each item stands within the stops, one row per cutoff.
inline OutMatrix<int64_t> count_items(Array<int64_t> offsets_, Array<int32_t> items, Matrix<int32_t> stops_, int64_t n_items) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    const Stops stops = check_stops(stops_, offsets_);
    check_codes(items.data(), offsets_.data()[users], 0, n_items, "item");
    std::vector<int64_t> out(stops.cutoffs * n_items, 0);
    for (int64_t u = 0; u < users; ++u) {
        int32_t j = 0;
        for (int64_t c = 0; c < stops.cutoffs; ++c)
            for (; j < stops.of(u)[c]; ++j) ++out[c * n_items + items.data()[offsets_.data()[u] + j]];
    }
    for (int64_t c = 1; c < stops.cutoffs; ++c)
        for (int64_t i = 0; i < n_items; ++i) out[c * n_items + i] += out[(c - 1) * n_items + i];
    return to_matrix(std::move(out), stops.cutoffs, n_items);
}

}  // namespace aspectrum
