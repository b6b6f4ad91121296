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

// Values of places: each as the mean of its group, and those of each group from the least and from the greatest.
inline std::tuple<Out<double>, Out<double>, Out<double>> ordered_values(Array<int64_t> offsets, Array<double> values, Ties tied) {
    require(values.shape(0) == tied.shape(0), "one tie flag per value");
    const std::vector<double> given(values.data(), values.data() + values.shape(0));
    std::vector<double> means(given), rising(given), falling(given);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t, double) {
        if (n == 1) return 0.0;
        std::sort(rising.begin() + first, rising.begin() + first + n);
        std::reverse_copy(rising.begin() + first, rising.begin() + first + n, falling.begin() + first);
        const double sum = std::accumulate(rising.begin() + first, rising.begin() + first + n, 0.0);
        std::fill_n(means.begin() + first, n, sum / static_cast<double>(n));
        return 0.0;
    });
    return {to_array(std::move(means)), to_array(std::move(rising)), to_array(std::move(falling))};
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
