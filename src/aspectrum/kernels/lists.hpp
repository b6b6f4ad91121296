// Lists and rows before any metric: grouping, looking up, counting, and finding what must not be there.
#pragma once

#include "arrays.hpp"
#include "hash_index.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>
#include <unordered_set>

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

// Rows as records (user, item, numbers), those of users who share a bucket one after the other; and where those of each bucket begin.
inline std::pair<Out<int64_t>, Out<uint8_t>> bucket_rows(Array<int64_t> offsets_, Array<int32_t> blocks_, Array<int32_t> items_,
                                                         const std::vector<Array<double>>& numbers, int32_t n_buckets) {
    const auto n = static_cast<int64_t>(items_.shape(0));
    const int64_t n_blocks = segments(offsets_, n);
    require(static_cast<int64_t>(blocks_.shape(0)) == n_blocks, "one user per block");
    require(n_buckets > 0, "rows need a bucket");
    for (const auto& values : numbers) require(static_cast<int64_t>(values.shape(0)) == n, "one number per row");
    const int64_t* offsets = offsets_.data();
    const int32_t *blocks = blocks_.data(), *items = items_.data();
    const auto size = static_cast<int64_t>(2 * sizeof(int32_t) + numbers.size() * sizeof(double));
    std::vector<int64_t> starts(n_buckets + 1, 0);
    UnfilledVector<uint8_t> records(n * size);
    {
        nb::gil_scoped_release release;
        for (int64_t b = 0; b < n_blocks; ++b) {
            require(blocks[b] >= 0, "a user is out of range");
            starts[blocks[b] % n_buckets + 1] += offsets[b + 1] - offsets[b];
        }
        for (int32_t bucket = 0; bucket < n_buckets; ++bucket) starts[bucket + 1] += starts[bucket];
        std::vector<uint8_t*> next(n_buckets);
        for (int32_t bucket = 0; bucket < n_buckets; ++bucket) next[bucket] = records.data() + starts[bucket] * size;
        for (int64_t b = 0; b < n_blocks; ++b) {
            uint8_t*& at = next[blocks[b] % n_buckets];
            for (int64_t row = offsets[b]; row < offsets[b + 1]; ++row) {
                std::memcpy(at, blocks + b, sizeof(int32_t));
                std::memcpy(at + sizeof(int32_t), items + row, sizeof(int32_t));
                at += 2 * sizeof(int32_t);
                for (const auto& values : numbers) {
                    std::memcpy(at, values.data() + row, sizeof(double));
                    at += sizeof(double);
                }
            }
        }
    }
    return {to_array(std::move(starts)), to_array(std::move(records))};
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

// Tells whether lists name an item twice, and which items they name: each item is marked with the number of the last list that names it.
class ItemMarks {
    static constexpr uint8_t kLists = 255;
    std::vector<uint8_t> marks_, named_;
    bool few_items_;  // all marks are cleared now and then; otherwise those of each list after it
    uint8_t list_ = 0;

    void clear() {
        for (size_t i = 0; i < marks_.size(); ++i) named_[i] |= marks_[i] != 0;
        std::fill(marks_.begin(), marks_.end(), uint8_t{0});
        list_ = 0;
    }

  public:
    ItemMarks(int64_t n_items, int64_t n_lists, int64_t n_places)
        : marks_(n_items, 0), named_(n_items, 0), few_items_(n_items * n_lists <= 8 * kLists * n_places) {}

    bool find_repeat(const int32_t* first, const int32_t* stop) {
        if (list_ == kLists) clear();
        const uint8_t list = ++list_;
        uint8_t* marks = marks_.data();  // a local pointer: bytes may alias the vector itself
        bool again = false;
        for (const int32_t* item = first; item < stop; ++item) {
            again |= marks[*item] == list;
            marks[*item] = list;
        }
        if (few_items_) return again;
        for (const int32_t* item = first; item < stop; ++item) named_[*item] = 1, marks[*item] = 0;
        list_ = 0;
        return again;
    }

    void add_named(std::vector<uint8_t>& all) {
        clear();
        for (size_t i = 0; i < all.size(); ++i) all[i] |= named_[i];
    }
};

// The first user, and the place in the list, whose list names an item twice; (-1, -1) if none does.
inline std::pair<int64_t, int64_t> find_repeat(Array<int64_t> offsets_, Array<int32_t> items_, int64_t n_items) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items_.shape(0)));
    const int64_t* offsets = offsets_.data();
    const int32_t* items = items_.data();
    check_codes(items, offsets[users], 0, n_items, "item");
    std::atomic<int64_t> found{users};
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 1 << 12, [&] { return ItemMarks(n_items, users, offsets[users]); },
            [&](ItemMarks& marks, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    if (!marks.find_repeat(items + offsets[u], items + offsets[u + 1])) continue;
                    int64_t now = found.load();
                    while (u < now && !found.compare_exchange_weak(now, u)) {
                    }
                    return;
                }
            });
    }
    const int64_t user = found.load();
    if (user == users) return {-1, -1};
    std::unordered_set<int32_t> seen;
    int64_t place = offsets[user];
    while (seen.insert(items[place]).second) ++place;
    return {user, place - offsets[user]};
}

// Lists whose rows stand in the order of the list already, each item once: the first places of each (all with depth -1), which of these
// have the score of the place before, how many of all have it, and which items all lists name. Nothing if a rank does not rise, a score
// rises, scores are equal though they must not be, or an item comes twice.
inline std::optional<std::tuple<Out<int64_t>, Out<int32_t>, Out<uint8_t>, int64_t, Out<uint8_t>>> ordered_lists(
    Array<int64_t> offsets_, Array<int32_t> items_, int64_t n_items, std::optional<Array<double>> ranks,
    std::optional<Array<double>> scores, bool may_tie, int64_t depth) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items_.shape(0)));
    const int64_t* offsets = offsets_.data();
    const int32_t* items = items_.data();
    check_codes(items, offsets[users], 0, n_items, "item");
    require(depth >= -1, "a negative depth");
    require(!ranks || ranks->shape(0) == items_.shape(0), "one rank per item");
    require(!scores || scores->shape(0) == items_.shape(0), "one score per item");
    UnfilledVector<int64_t> starts(users + 1);
    starts[0] = 0;
    for (int64_t u = 0; u < users; ++u) {
        const int64_t n = offsets[u + 1] - offsets[u];
        starts[u + 1] = starts[u] + (depth < 0 ? n : std::min(depth, n));
    }
    UnfilledVector<int32_t> kept(starts[users]);
    std::vector<uint8_t> tied(starts[users], 0), named(n_items, 0);
    std::atomic<int64_t> n_tied{0};
    std::atomic<bool> holds{true};
    std::mutex naming;
    struct Marking {
        ItemMarks marks;
        std::vector<uint8_t>& named;
        std::mutex& naming;
        ~Marking() {  // once a thread
            const std::lock_guard<std::mutex> lock(naming);
            marks.add_named(named);
        }
    };
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 1 << 9, [&] { return Marking{ItemMarks(n_items, users, offsets[users]), named, naming}; },
            [&](Marking& marking, int64_t begin, int64_t end) {
                int64_t n_equal = 0;
                for (int64_t u = begin; u < end && holds.load(std::memory_order_relaxed); ++u) {
                    const int64_t first = offsets[u], n = offsets[u + 1] - first;
                    bool wrong = marking.marks.find_repeat(items + first, items + first + n);
                    if (ranks) {
                        const double* rank = ranks->data() + first;
                        for (int64_t p = 1; p < n; ++p) wrong |= !(rank[p] > rank[p - 1]);
                    }
                    if (scores) {
                        const double* score = scores->data() + first;
                        int64_t equal = 0, larger = 0;
                        for (int64_t p = 1; p < n; ++p) equal += score[p] == score[p - 1], larger += score[p] > score[p - 1];
                        for (int64_t p = 1; equal && p < starts[u + 1] - starts[u]; ++p) tied[starts[u] + p] = score[p] == score[p - 1];
                        wrong |= larger > 0 || (equal && !may_tie);
                        n_equal += equal;
                    }
                    std::copy_n(items + first, starts[u + 1] - starts[u], kept.data() + starts[u]);
                    if (wrong) holds = false;
                }
                n_tied += n_equal;
            });
    }
    if (!holds) return std::nullopt;
    return std::make_tuple(to_array(std::move(starts)), to_array(std::move(kept)), to_array(std::move(tied)), n_tied.load(),
                           to_array(std::move(named)));
}

// The first places of each list, with `whole_groups` also those tied with the last of them: offsets, items and ties.
inline std::tuple<Out<int64_t>, Out<int32_t>, std::optional<Out<uint8_t>>> cut_lists(Array<int64_t> offsets_, Array<int32_t> items,
                                                                                     std::optional<Array<uint8_t>> tied, int64_t depth,
                                                                                     bool whole_groups) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    const int64_t* offsets = offsets_.data();
    require(depth >= 0, "a negative depth");
    require(!tied || tied->shape(0) == items.shape(0), "one flag per item");
    UnfilledVector<int64_t> starts(users + 1);
    starts[0] = 0;
    for (int64_t u = 0; u < users; ++u) {
        const int64_t n = offsets[u + 1] - offsets[u];
        int64_t end = std::min(depth, n);
        if (whole_groups && tied && end > 0)
            while (end < n && tied->data()[offsets[u] + end]) ++end;
        starts[u + 1] = starts[u] + end;
    }
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
