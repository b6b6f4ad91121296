// What lists show of the aspects, without gains: how many are covered, how precisely, and whose they are.
#pragma once

#include "cover.hpp"
#include "gains.hpp"
#include "parallel.hpp"

#include <functional>
#include <numeric>

namespace aspectrum {

// Sum over aspects of weight * strongest support within the first places, at each stop, for one user.
template <class View>
void cover_of_list(const View& view, const int32_t* rows, const int32_t* stops, int64_t n_stops, std::vector<double>& seen, double* out) {
    const bool plain = view.cover.plain();
    double sum = 0.0;
    int32_t j = 0;
    if constexpr (std::is_same_v<View, MaskView>) {  // which has no weights, and no strengths
        uint64_t shown = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            for (; j < stops[c]; ++j)
                if (rows[j] >= 0) shown |= view.key(rows[j]);
            out[c] = __builtin_popcountll(shown);
        }
        return;
    }
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

// A user's aspects, where some of them are answers to the same question: those are told by the first of them, which has its weight.
inline void check_questions(const Cover& cover, const Array<int64_t>& aspect_offsets, const Array<int32_t>& firsts,
                            const Array<double>& weights) {
    require(segments(aspect_offsets, static_cast<int64_t>(firsts.shape(0))) == cover.users, "one segment of aspects per user");
    require(weights.shape(0) == firsts.shape(0), "one weight per aspect");
    const int64_t* starts = aspect_offsets.data();
    for (int64_t u = 0; u < cover.users; ++u)
        check_codes(firsts.data() + starts[u], starts[u + 1] - starts[u], 0, starts[u + 1] - starts[u], "first answer");
}

// Sum over questions of weight * weakest of the answers, each as strong as the strongest support within the first places, at each stop.
// `firsts` has for each of a user's aspects the first of those that answer the same question, which has its weight; others weigh 0.
inline OutMatrix<double> covered_questions(const Cover& cover, Matrix<int32_t> stops_, Array<int64_t> aspect_offsets, Array<int32_t> firsts,
                                           Array<double> weights) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_questions(cover, aspect_offsets, firsts, weights);
    const int64_t *offsets = cover.offsets.data(), *starts = aspect_offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] {
                return std::make_tuple(make_view(), std::vector<double>(cover.most_aspects()), std::vector<double>(cover.most_aspects()));
            };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, seen, weakest] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t *rows = cover.rows.data() + offsets[u], *first = firsts.data() + starts[u];
                    const int64_t n = starts[u + 1] - starts[u];
                    require(n <= static_cast<int64_t>(seen.size()), "more aspects than there are");
                    std::fill_n(seen.begin(), n, 0.0);
                    view.begin(u);
                    int32_t j = 0;
                    for (int64_t c = 0; c < stops.cutoffs; ++c) {
                        for (; j < stops.of(u)[c]; ++j)
                            if (rows[j] >= 0) view.each(rows[j], [&seen = seen](int32_t i, double s) { seen[i] = std::max(seen[i], s); });
                        std::fill_n(weakest.begin(), n, 1.0);
                        for (int64_t i = 0; i < n; ++i) weakest[first[i]] = std::min(weakest[first[i]], seen[i]);
                        for (int64_t i = 0; i < n; ++i) weakest[i] = first[i] == i ? weights.data()[starts[u] + i] * weakest[i] : 0.0;
                        std::sort(weakest.begin(), weakest.begin() + n, std::greater<>());  // added as what all of them weigh is
                        out[u * stops.cutoffs + c] = std::accumulate(weakest.begin(), weakest.begin() + n, 0.0);
                    }
                    view.end(u);
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

// What score(tally, view, user, out) says of each user's list at each cutoff; every thread has a tally.
template <class Tally, class Score>
OutMatrix<double> tallied(const Cover& cover, const Stops& stops, Score score) {
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), Tally(cover.most_aspects())); };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    score(scratch.second, scratch.first, u, out.data() + u * stops.cutoffs);
                    scratch.first.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

// Sum over aspects of weight * average precision. Items with the aspect are counted in each user's own pool,
// or, without pools, given for all users as `totals`.
inline OutMatrix<double> average_precisions(const Cover& cover, Matrix<int32_t> stops_, std::optional<Array<int64_t>> pool_offsets,
                                            std::optional<Array<int32_t>> pool_rows, std::optional<Array<double>> totals) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const AspectTotals available{pool_offsets, pool_rows, totals};
    available.check(cover);
    const int64_t* offsets = cover.offsets.data();
    return tallied<PrecisionTally>(cover, stops, [&](PrecisionTally& tally, const auto& view, int64_t u, double* out) {
        tally.score(view, u, available, cover.rows.data() + offsets[u], stops.of(u), stops.cutoffs, out);
    });
}

// The most that a list could gain of each aspect at each cutoff: out of each user's own pool, or the same for all users.
struct AspectIdeals {
    std::optional<Array<int64_t>> pool_offsets;
    std::optional<Array<int32_t>> pool_rows;
    std::optional<Matrix<double>> ideals;
    Array<int64_t> depths;  // of cutoffs; -1 is the whole pool

    void check(const Cover& cover, const Stops& stops, const Array<double>& discounts) const {
        require(pool_offsets.has_value() == pool_rows.has_value() && pool_offsets.has_value() != ideals.has_value(),
                "give pools or ideals");
        require(static_cast<int64_t>(depths.shape(0)) == stops.cutoffs, "one depth per cutoff");
        const auto n_discounts = static_cast<int64_t>(discounts.shape(0));
        for (int64_t u = 0; u < cover.users; ++u) require(stops.last(u) <= n_discounts, "not enough discounts");
        if (!pool_offsets) {
            require(static_cast<int64_t>(ideals->shape(0)) >= cover.n_aspects && static_cast<int64_t>(ideals->shape(1)) == stops.cutoffs,
                    "one ideal per aspect and cutoff");
            return;
        }
        require(segments(*pool_offsets, static_cast<int64_t>(pool_rows->shape(0))) == cover.users, "one pool per user");
        check_codes(pool_rows->data(), static_cast<int64_t>(pool_rows->shape(0)), -1, static_cast<int64_t>(cover.set_offsets.shape(0)) - 1,
                    "pool row");
        for (int64_t u = 0; u < cover.users; ++u)
            for (int64_t c = 0; c < stops.cutoffs; ++c) require(depth(u, c) <= n_discounts, "not enough discounts");
    }
    // How many items of a user's pool a cutoff admits.
    int64_t depth(int64_t user, int64_t cutoff) const {
        const int64_t size = pool_offsets->data()[user + 1] - pool_offsets->data()[user], depth = depths.data()[cutoff];
        return depth < 0 ? size : std::min(size, depth);
    }
};

// Sum over aspects of weight * discounted gain over that of the aspect's own ideal order, of one user's list.
class IdealTally {
    std::vector<double> sums_;
    std::vector<std::vector<double>> pool_;  // gains of each aspect that the list shows
    std::vector<char> is_shown_;
    std::vector<int32_t> shown_;

  public:
    explicit IdealTally(size_t n_aspects) : sums_(n_aspects), pool_(n_aspects), is_shown_(n_aspects) {}

    template <class View>
    void score(const View& view, int64_t user, const AspectIdeals& ideals, const int32_t* rows, const int32_t* stops, int64_t n_stops,
               const double* discounts, double* out) {
        find_shown(view, rows, n_stops > 0 ? stops[n_stops - 1] : 0);
        if (ideals.pool_offsets) fill_pool(view, user, ideals);
        int32_t j = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            for (; j < stops[c]; ++j)
                if (rows[j] >= 0) view.each(rows[j], [&](int32_t i, double s) { sums_[i] += s * discounts[j]; });
            view.terms.clear();
            for (int32_t i : shown_) {
                const double best = ideals.ideals ? ideals.ideals->data()[i * n_stops + c] : best_of(i, ideals.depth(user, c), discounts);
                if (best > 0.0) view.terms.add(view.left[i] * (sums_[i] / best));
            }
            out[c] = view.terms.sum();
        }
        for (int32_t i : shown_) {
            sums_[i] = 0.0;
            is_shown_[i] = 0;
            pool_[i].clear();
        }
    }

  private:
    template <class View>
    void find_shown(const View& view, const int32_t* rows, int32_t stop) {
        shown_.clear();
        for (int32_t j = 0; j < stop; ++j) {
            if (rows[j] < 0) continue;
            view.each(rows[j], [&](int32_t i, double) {
                if (!is_shown_[i]) shown_.push_back(i);
                is_shown_[i] = 1;
            });
        }
        std::sort(shown_.begin(), shown_.end());
    }
    template <class View>
    void fill_pool(const View& view, int64_t user, const AspectIdeals& ideals) {
        for (int64_t p = ideals.pool_offsets->data()[user]; p < ideals.pool_offsets->data()[user + 1]; ++p) {
            const int32_t row = ideals.pool_rows->data()[p];
            if (row < 0) continue;
            view.each(row, [&](int32_t i, double s) {
                if (is_shown_[i]) pool_[i].push_back(s);
            });
        }
        for (int32_t i : shown_) std::sort(pool_[i].begin(), pool_[i].end(), std::greater<double>());
    }
    double best_of(int32_t aspect, int64_t depth, const double* discounts) const {
        const std::vector<double>& gains = pool_[aspect];
        double sum = 0.0;
        const int64_t n = std::min<int64_t>(depth, static_cast<int64_t>(gains.size()));
        for (int64_t j = 0; j < n; ++j) sum += gains[j] * discounts[j];
        return sum;
    }
};

// Sum over aspects of weight * nDCG, where the gain of an item is its strength. An ideal order chooses from each user's own pool, or,
// without pools, is given for all users as `ideals`, (aspects, cutoffs).
inline OutMatrix<double> aspect_ndcgs(const Cover& cover, Matrix<int32_t> stops_, Array<double> discounts, Array<int64_t> depths,
                                      std::optional<Array<int64_t>> pool_offsets, std::optional<Array<int32_t>> pool_rows,
                                      std::optional<Matrix<double>> ideals_) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const AspectIdeals ideals{pool_offsets, pool_rows, ideals_, depths};
    ideals.check(cover, stops, discounts);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), IdealTally(cover.most_aspects())); };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    scratch.second.score(scratch.first, u, ideals, cover.rows.data() + offsets[u], stops.of(u), stops.cutoffs,
                                         discounts.data(), out.data() + u * stops.cutoffs);
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

// Sums over the first places of one list of discount * share, aspect by aspect.
class AspectTally {
    const double* shares_;
    std::vector<double> sums_;
    std::vector<int32_t> present_;
    std::vector<std::pair<int32_t, double>> terms_;

  public:
    AspectTally(const double* shares, int64_t n_aspects) : shares_(shares), sums_(n_aspects, 0.0) {}

    void begin() {
        for (int32_t i : present_) sums_[i] = 0.0;
        present_.clear();
        terms_.clear();
    }
    // Entries [begin, end) of the sets, which count `discount` times: added as they come, or kept to be sorted first.
    void add(const int32_t* codes, int64_t begin, int64_t end, double discount, bool in_order) {
        for (int64_t q = begin; q < end; ++q) {
            const double term = shares_ ? discount * shares_[q] : discount;
            if (!in_order) {
                terms_.emplace_back(codes[q], term);
                continue;
            }
            if (sums_[codes[q]] == 0.0) present_.push_back(codes[q]);
            sums_[codes[q]] += term;
        }
    }
    // Calls emit(aspect, sum) for each aspect so far that has a sum above 0, ascending.
    template <class Emit>
    void each(Emit emit) {
        std::sort(terms_.begin(), terms_.end());
        for (size_t t = 0; t < terms_.size();) {
            const int32_t aspect = terms_[t].first;
            double sum = 0.0;
            for (; t < terms_.size() && terms_[t].first == aspect; ++t) sum += terms_[t].second;
            if (sum > 0.0) emit(aspect, sum);
        }
        std::sort(present_.begin(), present_.end());
        present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
        for (int32_t i : present_)
            if (sums_[i] > 0.0) emit(i, sums_[i]);
    }
};

// Per user and stop, the sum over the first places of discount * share for each aspect that they have (ascending): offsets of
// (user, stop) cells over entries, the aspects and the sums of those. Shares go with the entries of the sets; without any they are 1.
// Terms are added in the order of the places, or (not `in_order`) from the least, for places whose order means nothing.
inline std::tuple<Out<int64_t>, Out<int32_t>, Out<double>> aspect_sums(Array<int64_t> offsets_, Array<int32_t> rows, Matrix<int32_t> stops_,
                                                                       Array<double> discounts, Array<int64_t> set_offsets,
                                                                       Array<int32_t> set_codes, std::optional<Array<double>> shares,
                                                                       int64_t n_aspects, bool in_order) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(rows.shape(0)));
    const int64_t* offsets = offsets_.data();
    const int64_t n_sets = segments(set_offsets, static_cast<int64_t>(set_codes.shape(0)));
    const Stops stops = check_stops(stops_, offsets_);
    require(n_aspects >= 0, "a negative number of aspects");
    check_codes(rows.data(), offsets[users], -1, n_sets, "row");
    check_codes(set_codes.data(), static_cast<int64_t>(set_codes.shape(0)), 0, n_aspects, "aspect");
    require(!shares || shares->shape(0) == set_codes.shape(0), "one share per entry of the sets");
    for (int64_t u = 0; u < users && stops.cutoffs > 0; ++u)
        require(stops.last(u) <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");

    struct Found {
        std::vector<int32_t> codes;
        std::vector<double> sums;
    };
    std::vector<Found> found((users + kBlock - 1) / kBlock);  // by block of users, each of which one thread fills
    std::vector<int64_t> out_offsets(users * stops.cutoffs + 1, 0);
    std::vector<int32_t> out_codes;
    std::vector<double> out_sums;
    {
        nb::gil_scoped_release release;
        auto make_tally = [&] { return AspectTally(shares ? shares->data() : nullptr, n_aspects); };
        parallel_for(users, kBlock, make_tally, [&](AspectTally& tally, int64_t begin, int64_t end) {
            Found& here = found[begin / kBlock];
            for (int64_t u = begin; u < end; ++u) {
                tally.begin();
                int32_t j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    for (; j < stops.of(u)[c]; ++j) {
                        const int32_t row = rows.data()[offsets[u] + j];
                        if (row < 0) continue;
                        tally.add(set_codes.data(), set_offsets.data()[row], set_offsets.data()[row + 1], discounts.data()[j], in_order);
                    }
                    const size_t before = here.codes.size();
                    tally.each([&](int32_t aspect, double sum) {
                        here.codes.push_back(aspect);
                        here.sums.push_back(sum);
                    });
                    out_offsets[u * stops.cutoffs + c + 1] = static_cast<int64_t>(here.codes.size() - before);
                }
            }
        });
        for (size_t cell = 1; cell < out_offsets.size(); ++cell) out_offsets[cell] += out_offsets[cell - 1];
        out_codes.reserve(out_offsets.back());
        out_sums.reserve(out_offsets.back());
        for (const Found& block : found) {
            out_codes.insert(out_codes.end(), block.codes.begin(), block.codes.end());
            out_sums.insert(out_sums.end(), block.sums.begin(), block.sums.end());
        }
    }
    return {to_array(std::move(out_offsets)), to_array(std::move(out_codes)), to_array(std::move(out_sums))};
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
