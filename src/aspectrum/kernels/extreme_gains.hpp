// Least and greatest discounted sums of gains over all orders of items with equal scores.
#pragma once

#include "cover.hpp"
#include "extremes.hpp"
#include "gains.hpp"
#include "parallel.hpp"
#include "tied_gains.hpp"

namespace aspectrum {

// Gains that fall with what was shown before: eq. 7 of Clarke et al. 2008.
struct FallingGains {
    static constexpr bool kFall = true;
    Linear rule;

    bool constant() const { return rule.alpha == 0.0; }
    bool powers() const { return rule.powers; }

    template <class View>
    double gain(const View& view, int32_t row) const {
        return rule.gain(view, row);
    }
    template <class View>
    void take(View& view, int32_t row) const {
        rule.take(view, row);
    }
    // What an aspect counts for now, and how strongly.
    template <class View>
    double worth(const View& view, int32_t aspect) const {
        return view.left[aspect];
    }
    static double strength(double given) { return given; }
    double kept(double strength) const { return 1.0 - rule.alpha * strength; }
    // What is left after none, one, two ... items.
    template <class View>
    void fill(const View&, int32_t, double left, double kept, int64_t items, std::vector<double>& out) const {
        for (int64_t m = 0; m <= items; ++m, left *= kept) out.push_back(left);
    }
};

// Least and greatest sum of gain * discount over the first places of each list, at each stop; of lists without equal scores, both are
// what discounted_sums() makes of place_gains().
inline Extremes::Arrays extreme_gains(const Cover& cover, Ties tied_, Matrix<int32_t> stops_, double alpha, Array<double> discounts_,
                                      int64_t work) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const uint8_t* tied = check_ties(tied_, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    const double* discounts = discounts_.data();
    require(alpha >= 0.0 && alpha <= 1.0, "alpha must be 0 to 1");
    require(work >= 0, "a negative limit of work");
    int64_t deepest = 0;
    for (int64_t u = 0; u < cover.users; ++u) deepest = std::max<int64_t>(deepest, stops.last(u));
    require(deepest <= static_cast<int64_t>(discounts_.shape(0)), "not enough discounts");
    for (int64_t j = 1; j < deepest; ++j) require(discounts[j] <= discounts[j - 1], "discounts must not rise");
    Extremes out(cover.users, stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] {
                return std::make_pair(make_view(), TiedGains<FallingGains>(cover, FallingGains{Linear(cover, alpha)}));
            };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, group] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    const int64_t at = u * stops.cutoffs;
                    view.begin(u);
                    group.score(view, cover.rows.data() + offsets[u], tied + offsets[u], offsets[u + 1] - offsets[u], stops.of(u),
                                stops.cutoffs, discounts, work, out.least.data() + at, out.greatest.data() + at, out.proved.data() + at);
                    view.end(u);
                }
            });
        });
    }
    return std::move(out).arrays();
}

}  // namespace aspectrum
