// What lists are worth on average over all orders of items with equal scores, every order of a group being equally likely: here values
// of single places and hits, elsewhere aspects.
//
// A place that is `tied` has the score of the place before it. Expectations of sums over places are sums of expectations, so each place
// gets what it is worth on average. Nothing here depends on the order in which a group stands, not even in the last bit.
#pragma once

#include "extremes.hpp"
#include "gains.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace aspectrum {

// What place p of n is worth on average in average precision, if m of the n count, after `above` that count at `places` places.
inline double expected_precision(int64_t p, int64_t n, double m, double above, int64_t places) {
    const double among = n > 1 ? static_cast<double>(p - 1) * (m - 1.0) / static_cast<double>(n - 1) : 0.0;
    return m / static_cast<double>(n) * (above + 1.0 + among) / static_cast<double>(places + p);
}

// Calls visit(first place, n places, places before in the list) for each group of each list, on several threads.
template <class Visit>
void each_group(const Array<int64_t>& offsets_, const Ties& tied, Visit visit) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(tied.shape(0)));
    const int64_t* offsets = offsets_.data();
    nb::gil_scoped_release release;
    parallel_for(users, kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) {
            const int64_t n = offsets[u + 1] - offsets[u];
            double above = 0.0;
            for (int64_t j = 0, next; j < n; j = next) {
                next = end_of_group(tied.data() + offsets[u], j, n);
                above = visit(offsets[u] + j, next - j, j, above);
            }
        }
    });
}

// Values of places: those of each group from the least, and from the greatest.
inline std::pair<Out<double>, Out<double>> ordered_values(Array<int64_t> offsets, Array<double> values, Ties tied) {
    require(values.shape(0) == tied.shape(0), "one tie flag per value");
    std::vector<double> rising(values.data(), values.data() + values.shape(0)), falling(rising);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t, double) {
        if (n == 1) return 0.0;
        std::sort(rising.begin() + first, rising.begin() + first + n);
        std::reverse_copy(rising.begin() + first, rising.begin() + first + n, falling.begin() + first);
        return 0.0;
    });
    return {to_array(std::move(rising)), to_array(std::move(falling))};
}

// Sum of value * discount over the first places of each list, at each stop, on average over orders. A group counts as a whole: without
// discounts, what all of it is worth is added up without a mean, which would have to be rounded.
inline OutMatrix<double> expected_sums(Array<int64_t> offsets_, Array<double> values, Ties tied, Matrix<int32_t> stops_,
                                       Array<double> discounts) {
    require(values.shape(0) == tied.shape(0), "one tie flag per value");
    const int64_t users = segments(offsets_, static_cast<int64_t>(values.shape(0)));
    const Stops stops = check_stops(stops_, offsets_);
    const int64_t* offsets = offsets_.data();
    for (int64_t u = 0; u < users; ++u) require(stops.last(u) <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");
    std::vector<double> out(users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        auto make_scratch = [] { return std::vector<double>(); };
        parallel_for(users, kBlock, make_scratch, [&](std::vector<double>& rising, int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const double* own = values.data() + offsets[u];
                const uint8_t* flags = tied.data() + offsets[u];
                const int64_t length = offsets[u + 1] - offsets[u];
                int64_t j = 0, added_up = -1;
                double sum = 0.0, whole = 0.0;
                const auto of_group = [&](int64_t next, int64_t stop) {
                    if (next == j + 1) return own[j] * discounts.data()[j];
                    if (added_up != j) {
                        rising.assign(own + j, own + next);
                        std::sort(rising.begin(), rising.end());
                        whole = std::accumulate(rising.begin(), rising.end(), 0.0);
                        added_up = j;
                    }
                    return whole * (std::accumulate(discounts.data() + j, discounts.data() + stop, 0.0) / static_cast<double>(next - j));
                };
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    const int64_t stop = stops.of(u)[c];
                    int64_t next = j;
                    while (j < stop && (next = end_of_group(flags, j, length)) <= stop) {
                        sum += of_group(next, next);
                        j = next;
                    }
                    out[u * stops.cutoffs + c] = j < stop ? sum + of_group(next, stop) : sum;
                }
            }
        });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

// What each place adds to average precision: on average over orders, and with the hits of each group last and first.
inline std::tuple<Out<double>, Out<double>, Out<double>> ordered_precisions(Array<int64_t> offsets, Array<bool> hits, Ties tied) {
    require(hits.shape(0) == tied.shape(0), "one tie flag per place");
    std::vector<double> expected(hits.shape(0), 0.0), least(expected), greatest(expected);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t places, double above) {
        const int64_t m = std::count(hits.data() + first, hits.data() + first + n, true);
        for (int64_t p = 1; m > 0 && p <= n; ++p) {
            const int64_t at = first + p - 1;
            const auto rank = static_cast<double>(places + p);
            expected[at] = expected_precision(p, n, static_cast<double>(m), above, places);
            if (p > n - m) least[at] = (above + static_cast<double>(p - (n - m))) / rank;
            if (p <= m) greatest[at] = (above + static_cast<double>(p)) / rank;
        }
        return above + static_cast<double>(m);
    });
    return {to_array(std::move(expected)), to_array(std::move(least)), to_array(std::move(greatest))};
}

// The probability that each place is that of the first hit: over all orders, and with the hits of each group last and first.
inline std::tuple<Out<double>, Out<double>, Out<double>> first_hits(Array<int64_t> offsets, Array<bool> hits, Ties tied) {
    require(hits.shape(0) == tied.shape(0), "one tie flag per place");
    std::vector<double> expected(hits.shape(0), 0.0), least(expected), greatest(expected);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t, double above) {
        if (above > 0.0) return above;
        const int64_t m = std::count(hits.data() + first, hits.data() + first + n, true);
        if (m == 0) return above;
        double none = 1.0;  // of the places before in the group
        for (int64_t p = 0; p <= n - m; ++p) {
            const auto rest = static_cast<double>(n - p);
            expected[first + p] = none * (static_cast<double>(m) / rest);
            none *= static_cast<double>(n - p - m) / rest;
        }
        least[first + n - m] = greatest[first] = 1.0;
        return 1.0;
    });
    return {to_array(std::move(expected)), to_array(std::move(least)), to_array(std::move(greatest))};
}

// How many of the first places of each list are in a group of several, and whether the stop cuts a group, (users, cutoffs).
inline std::pair<OutMatrix<int32_t>, OutMatrix<int32_t>> count_tied(Array<int64_t> offsets_, Matrix<int32_t> stops_, Ties tied) {
    const Stops stops = check_stops(stops_, offsets_);
    segments(offsets_, static_cast<int64_t>(tied.shape(0)));
    const int64_t* offsets = offsets_.data();
    std::vector<int32_t> n_tied(stops.users * stops.cutoffs, 0), cuts(stops.users * stops.cutoffs, 0);
    {
        nb::gil_scoped_release release;
        parallel_for(stops.users, kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const uint8_t* flags = tied.data() + offsets[u];
                const int64_t n = offsets[u + 1] - offsets[u];
                int32_t sum = 0;
                int64_t j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    const int64_t stop = stops.of(u)[c];
                    int64_t next = j;
                    while (j < stop && (next = end_of_group(flags, j, n)) <= stop) {
                        if (next > j + 1) sum += static_cast<int32_t>(next - j);
                        j = next;
                    }
                    cuts[u * stops.cutoffs + c] = j < stop;
                    n_tied[u * stops.cutoffs + c] = sum + static_cast<int32_t>(j < stop ? stop - j : 0);
                }
            }
        });
    }
    return {to_matrix(std::move(n_tied), stops.users, stops.cutoffs), to_matrix(std::move(cuts), stops.users, stops.cutoffs)};
}

}  // namespace aspectrum
