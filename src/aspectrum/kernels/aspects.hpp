// What lists show of the aspects, without gains: how many are covered, how precisely, and whose they are.
#pragma once

#include "cover.hpp"
#include "gains.hpp"
#include "parallel.hpp"

namespace aspectrum {

// Sum over aspects of weight * strongest support within the first places, at each stop, for one user.
template <class View>
void cover_of_list(const View& view, const int32_t* rows, const int32_t* stops, int64_t n_stops, std::vector<double>& seen, double* out) {
    const bool plain = view.cover.plain();
    double sum = 0.0;
    int32_t j = 0;
    for (int64_t c = 0; c < n_stops; ++c) {
        for (; j < stops[c]; ++j) {
            if (rows[j] < 0) continue;
            view.terms.clear();
            view.each(rows[j], [&](int32_t i, double s) {
                if (s <= seen[i]) return;
                const double more = view.left[i] * (s - seen[i]);
                if (plain)
                    sum += more;  // 1, or 0
                else
                    view.terms.add(more);
                seen[i] = s;
            });
            if (!plain) sum += view.terms.sum();
        }
        out[c] = sum;
    }
    for (int32_t i = 0; i < j; ++i)
        if (rows[i] >= 0) view.each(rows[i], [&](int32_t a, double) { seen[a] = 0.0; });
}

inline OutMatrix<double> covered_aspects(const Cover& cover, Matrix<int32_t> stops_) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), std::vector<double>(cover.most_aspects(), 0.0)); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    cover_of_list(scratch.first, cover.rows.data() + offsets[u], stops.of(u), stops.cutoffs, scratch.second,
                                  out.data() + u * stops.cutoffs);
                    scratch.first.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

// How many items have each aspect: in each user's own pool, or the same for all users.
struct AspectTotals {
    std::optional<Array<int64_t>> pool_offsets;
    std::optional<Array<int32_t>> pool_rows;
    std::optional<Array<double>> totals;

    void check(const Cover& cover) const {
        require(pool_offsets.has_value() == pool_rows.has_value() && pool_offsets.has_value() != totals.has_value(),
                "give pools or totals");
        if (pool_offsets) {
            require(segments(*pool_offsets, static_cast<int64_t>(pool_rows->shape(0))) == cover.users, "one pool per user");
            check_codes(pool_rows->data(), static_cast<int64_t>(pool_rows->shape(0)), -1,
                        static_cast<int64_t>(cover.set_offsets.shape(0)) - 1, "pool row");
        } else {
            require(static_cast<int64_t>(totals->shape(0)) >= cover.n_aspects, "one total per aspect");
        }
    }
    // Calls visit(aspect) for each aspect of each item of a user's pool.
    template <class View, class Visit>
    void each_in_pool(const View& view, int64_t user, Visit visit) const {
        if (!pool_offsets) return;
        for (int64_t p = pool_offsets->data()[user]; p < pool_offsets->data()[user + 1]; ++p)
            if (pool_rows->data()[p] >= 0) view.each(pool_rows->data()[p], [&](int32_t i, double) { visit(i); });
    }
};

// Sum over aspects of weight * average precision of one user's list.
class PrecisionTally {
    std::vector<double> available_, seen_, sums_;
    std::vector<int32_t> shown_;

  public:
    explicit PrecisionTally(size_t n_aspects) : available_(n_aspects), seen_(n_aspects), sums_(n_aspects) {}

    template <class View>
    void score(const View& view, int64_t user, const AspectTotals& totals, const int32_t* rows, const int32_t* stops, int64_t n_stops,
               double* out) {
        shown_.clear();
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] += 1.0; });
        int32_t j = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            for (; j < stops[c]; ++j) {
                if (rows[j] < 0) continue;
                view.each(rows[j], [&](int32_t i, double) {
                    if (seen_[i] == 0.0) shown_.push_back(i);
                    seen_[i] += 1.0;
                    sums_[i] += seen_[i] / (j + 1.0);
                });
            }
            std::sort(shown_.begin(), shown_.end());
            view.terms.clear();
            for (int32_t i : shown_) {
                const double available = totals.totals ? totals.totals->data()[i] : available_[i];
                if (available > 0.0) view.terms.add(view.left[i] * (sums_[i] / available));
            }
            out[c] = view.terms.sum();
        }
        for (int32_t i : shown_) seen_[i] = sums_[i] = 0.0;
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] = 0.0; });
    }
};

// Sum over aspects of weight * average precision. Items with the aspect are counted in each user's own pool,
// or, without pools, given for all users as `totals`.
inline OutMatrix<double> average_precisions(const Cover& cover, Matrix<int32_t> stops_, std::optional<Array<int64_t>> pool_offsets,
                                            std::optional<Array<int32_t>> pool_rows, std::optional<Array<double>> totals) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const AspectTotals available{pool_offsets, pool_rows, totals};
    available.check(cover);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), PrecisionTally(cover.most_aspects())); };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    scratch.second.score(scratch.first, u, available, cover.rows.data() + offsets[u], stops.of(u), stops.cutoffs,
                                         out.data() + u * stops.cutoffs);
                    scratch.first.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

// Union of the masks of each user's rows (-1: none).
inline Out<uint64_t> union_masks(Array<int64_t> offsets_, Array<int32_t> rows, Array<uint64_t> masks) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(rows.shape(0)));
    const int64_t* offsets = offsets_.data();
    check_codes(rows.data(), offsets[users], -1, static_cast<int64_t>(masks.shape(0)), "row");
    std::vector<uint64_t> out(users, 0);
    {
        nb::gil_scoped_release release;
        parallel_for(users, kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u)
                for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p)
                    if (rows.data()[p] >= 0) out[u] |= masks.data()[rows.data()[p]];
        });
    }
    return to_array(std::move(out));
}

// Which aspects each user's rows have (ascending), and how many rows have each.
inline std::tuple<Out<int64_t>, Out<int32_t>, Out<double>> aspect_counts(Array<int64_t> offsets_, Array<int32_t> rows,
                                                                         Array<int64_t> set_offsets, Array<int32_t> set_codes,
                                                                         int64_t n_aspects) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(rows.shape(0)));
    const int64_t* offsets = offsets_.data();
    const int64_t n_sets = segments(set_offsets, static_cast<int64_t>(set_codes.shape(0)));
    check_codes(rows.data(), offsets[users], -1, n_sets, "row");
    check_codes(set_codes.data(), static_cast<int64_t>(set_codes.shape(0)), 0, n_aspects, "aspect");
    std::vector<int64_t> out_offsets{0};
    std::vector<int32_t> out_codes;
    std::vector<double> out_counts;
    {
        nb::gil_scoped_release release;
        std::vector<double> count(n_aspects, 0.0);
        std::vector<int32_t> present;
        for (int64_t u = 0; u < users; ++u) {
            present.clear();
            for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p) {
                const int32_t row = rows.data()[p];
                if (row < 0) continue;
                for (int64_t q = set_offsets.data()[row]; q < set_offsets.data()[row + 1]; ++q) {
                    const int32_t i = set_codes.data()[q];
                    if (count[i] == 0.0) present.push_back(i);
                    count[i] += 1.0;
                }
            }
            std::sort(present.begin(), present.end());
            for (int32_t i : present) {
                out_codes.push_back(i);
                out_counts.push_back(count[i]);
                count[i] = 0.0;
            }
            out_offsets.push_back(static_cast<int64_t>(out_codes.size()));
        }
    }
    return {to_array(std::move(out_offsets)), to_array(std::move(out_codes)), to_array(std::move(out_counts))};
}

// Groups the judgments of each user, sorted by item, into rows: offsets of users over rows, the item of each row, offsets of
// rows over the entries that count, the aspects of those, and offsets of users over them.
inline std::tuple<Out<int64_t>, Out<int32_t>, Out<int64_t>, Out<int32_t>, Out<int64_t>> judged_rows(Array<int64_t> offsets_,
                                                                                                    Array<int32_t> items,
                                                                                                    Array<int32_t> aspects,
                                                                                                    Array<bool> counts) {
    const auto n = static_cast<int64_t>(items.shape(0));
    const int64_t users = segments(offsets_, n);
    require(static_cast<int64_t>(aspects.shape(0)) == n && static_cast<int64_t>(counts.shape(0)) == n,
            "one item, aspect and flag per judgment");
    std::vector<int64_t> row_offsets{0}, set_offsets{0}, entry_offsets{0};
    std::vector<int32_t> row_items, set_aspects;
    for (int64_t u = 0; u < users; ++u) {
        const int64_t begin = offsets_.data()[u], end = offsets_.data()[u + 1];
        for (int64_t p = begin; p < end; ++p) {
            if (p == begin || items.data()[p - 1] != items.data()[p]) {
                if (!row_items.empty()) set_offsets.push_back(static_cast<int64_t>(set_aspects.size()));
                row_items.push_back(items.data()[p]);
            }
            if (counts.data()[p]) set_aspects.push_back(aspects.data()[p]);
        }
        row_offsets.push_back(static_cast<int64_t>(row_items.size()));
        entry_offsets.push_back(static_cast<int64_t>(set_aspects.size()));
    }
    if (!row_items.empty()) set_offsets.push_back(static_cast<int64_t>(set_aspects.size()));
    return {to_array(std::move(row_offsets)), to_array(std::move(row_items)), to_array(std::move(set_offsets)),
            to_array(std::move(set_aspects)), to_array(std::move(entry_offsets))};
}

// Numbers the codes of each segment anew: which it has, ascending, and the number of each entry.
inline std::tuple<Out<int64_t>, Out<int32_t>, Out<int32_t>> number_codes(Array<int64_t> offsets_, Array<int32_t> codes, int64_t n_codes) {
    const int64_t groups = segments(offsets_, static_cast<int64_t>(codes.shape(0)));
    check_codes(codes.data(), static_cast<int64_t>(codes.shape(0)), 0, n_codes, "aspect");
    std::vector<int64_t> own_offsets{0}, seen_in(n_codes, -1);
    std::vector<int32_t> own, numbers(codes.shape(0)), number(n_codes);
    own_offsets.reserve(groups + 1);
    for (int64_t g = 0; g < groups; ++g) {
        const int64_t begin = offsets_.data()[g], end = offsets_.data()[g + 1];
        for (int64_t p = begin; p < end; ++p) {
            const int32_t code = codes.data()[p];
            if (seen_in[code] != g) own.push_back(code);
            seen_in[code] = g;
        }
        std::sort(own.begin() + own_offsets.back(), own.end());
        for (size_t at = own_offsets.back(); at < own.size(); ++at) number[own[at]] = static_cast<int32_t>(at - own_offsets.back());
        for (int64_t p = begin; p < end; ++p) numbers[p] = number[codes.data()[p]];
        own_offsets.push_back(static_cast<int64_t>(own.size()));
    }
    return {to_array(std::move(own_offsets)), to_array(std::move(own)), to_array(std::move(numbers))};
}

}  // namespace aspectrum
