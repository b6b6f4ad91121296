// Gains of the places of lists, and discounted sums of gains of any origin.
#pragma once

#include "cover.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace aspectrum {

constexpr int64_t kBlock = 512;

// Of the n ranks after a rank. log2 in long double, rounded once: the same bits on every CPU, which plain log2 does not promise.
inline Out<double> log_discounts(int64_t rank, int64_t n, double base) {
    require(base > 1.0, "the base of the logarithm must be above 1");
    require(rank >= 0, "a negative rank");
    const long double scale = std::log2(static_cast<long double>(base));
    std::vector<double> out(std::max<int64_t>(n, 0));
    for (int64_t j = 0; j < n; ++j) out[j] = static_cast<double>(scale / std::log2(static_cast<long double>(rank + j) + 2.0L));
    return to_array(std::move(out));
}

// Gain of each place of each list; places beyond the last stop are 0.
inline Out<double> place_gains(const Cover& cover, Matrix<int32_t> stops_, double alpha, std::optional<double> gamma) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(offsets[cover.users], 0.0);
    {
        nb::gil_scoped_release release;
        with_rule_and_view(cover, alpha, gamma, [&](auto rule, auto make_view) {
            parallel_for(cover.users, kBlock, make_view, [&](auto& view, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    view.begin(u);
                    const int32_t* rows = cover.rows.data() + offsets[u];
                    double* gains = out.data() + offsets[u];
                    for (int32_t j = 0; j < stops.last(u); ++j) {
                        if (rows[j] < 0) continue;
                        gains[j] = rule.gain(view, rows[j]);
                        rule.take(view, rows[j]);
                    }
                    view.end(u);
                }
            });
        });
    }
    return to_array(std::move(out));
}

// sum of gain * discount over the first places of each list, at each stop.
inline OutMatrix<double> discounted_sums(Array<int64_t> offsets_, Array<double> gains, Matrix<int32_t> stops_, Array<double> discounts) {
    const int64_t* offsets = offsets_.data();
    const int64_t users = segments(offsets_, static_cast<int64_t>(gains.shape(0)));
    const Stops stops = check_stops(stops_, offsets_);
    for (int64_t u = 0; u < users; ++u) require(stops.last(u) <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");
    std::vector<double> out(users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(users, kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const double* g = gains.data() + offsets[u];
                double sum = 0.0;
                int32_t j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    for (; j < stops.of(u)[c]; ++j) sum += g[j] * discounts.data()[j];
                    out[u * stops.cutoffs + c] = sum;
                }
            }
        });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

// The same for values sorted descending: the first `windows` values of a segment enter, `depths` of them count.
inline OutMatrix<double> sorted_sums(Array<int64_t> offsets_, Array<double> values, Matrix<int32_t> windows_, Matrix<int32_t> depths_,
                                     Array<double> discounts) {
    const int64_t* offsets = offsets_.data();
    const int64_t users = segments(offsets_, static_cast<int64_t>(values.shape(0)));
    const Stops windows = check_stops(windows_, offsets_);
    const Stops depths = check_stops(depths_, offsets_);
    require(windows.cutoffs == depths.cutoffs, "windows and depths need the same shape");
    for (int64_t u = 0; u < users; ++u) {
        require(depths.last(u) <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");
        for (int64_t c = 0; c < depths.cutoffs; ++c) require(depths.of(u)[c] <= windows.of(u)[c], "a depth exceeds its window");
    }
    std::vector<double> out(users * depths.cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, kBlock, [] { return std::vector<double>(); },
            [&](auto& sorted, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const double* v = values.data() + offsets[u];
                    int32_t entered = -1;
                    for (int64_t c = 0; c < depths.cutoffs; ++c) {
                        if (windows.of(u)[c] != entered) {
                            entered = windows.of(u)[c];
                            sorted.assign(v, v + entered);
                            std::sort(sorted.begin(), sorted.end(), std::greater<double>());
                        }
                        double sum = 0.0;
                        for (int32_t j = 0; j < depths.of(u)[c]; ++j) sum += sorted[j] * discounts.data()[j];
                        out[u * depths.cutoffs + c] = sum;
                    }
                }
            });
    }
    return to_matrix(std::move(out), users, depths.cutoffs);
}

}  // namespace aspectrum
