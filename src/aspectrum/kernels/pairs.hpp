// What needs every pair of items of a list: the least and the greatest distance, and means in which items weigh differently.
#pragma once

#include "vectors.hpp"

namespace aspectrum {

// Least or greatest distance between two items of each list, at each stop; 0 where there are not two.
template <class Vectors>
OutMatrix<double> pair_extremes(const Vectors& vectors, bool greatest, Array<int64_t> offsets, Array<int32_t> places,
                                Matrix<int32_t> stops_) {
    const int64_t users = check_rows(vectors, offsets, places);
    const Stops stops = check_stops(stops_, offsets);
    std::vector<double> out(users * stops.cutoffs, 0.0);
    {
        nb::gil_scoped_release release;
        parallel_for(users, 16, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const int32_t* rows = places.data() + offsets.data()[u];
                double extreme = 0.0;
                bool found = false;
                int32_t j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    for (; j < stops.of(u)[c]; ++j) {
                        tick(j);
                        for (int32_t i = 0; rows[j] >= 0 && i < j; ++i) {
                            if (rows[i] < 0) continue;
                            const double distance = vectors.distance(rows[i], rows[j]);
                            if (!found || (greatest ? distance > extreme : distance < extreme)) extreme = distance;
                            found = true;
                        }
                    }
                    out[u * stops.cutoffs + c] = extreme;
                }
            }
        });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

// Weighted distances of one list so far: of each item to all others, an item before it with its own weight and one that comes m
// places after it with its weight times steps[m - 1].
class WeightedPairs {
    std::vector<double> sums_, weights_;

  public:
    template <class Vectors>
    void add(const Vectors& vectors, const int32_t* rows, int32_t j, const double* inner, const double* steps) {
        sums_.resize(j + 1), weights_.resize(j + 1);
        sums_[j] = weights_[j] = 0.0;
        tick(j);
        for (int32_t i = 0; rows[j] >= 0 && i < j; ++i) {
            if (rows[i] < 0 || (inner[i] == 0.0 && inner[j] == 0.0)) continue;
            const double distance = vectors.distance(rows[i], rows[j]), after = inner[j] * steps[j - i - 1];
            sums_[j] += inner[i] * distance;
            weights_[j] += inner[i];
            sums_[i] += after * distance;
            weights_[i] += after;
        }
    }
    // The weighted mean distance of each of the first n items, summed with other weights.
    double total(const double* outer, int32_t n) const {
        double sum = 0.0;
        for (int32_t i = 0; i < n; ++i)
            if (weights_[i] > 0.0) sum += outer[i] * (sums_[i] / weights_[i]);
        return sum;
    }
};

template <class Vectors>
OutMatrix<double> weighted_pairs(const Vectors& vectors, Array<int64_t> offsets, Array<int32_t> places, Matrix<int32_t> stops_,
                                 Array<double> outer, Array<double> inner, Array<double> steps) {
    const int64_t users = check_rows(vectors, offsets, places);
    const Stops stops = check_stops(stops_, offsets);
    require(outer.shape(0) == places.shape(0) && inner.shape(0) == places.shape(0), "two weights per place");
    for (int64_t u = 0; u < users; ++u) require(stops.last(u) <= static_cast<int64_t>(steps.shape(0)) + 1, "not enough steps");
    std::vector<double> out(users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 16, [] { return WeightedPairs(); },
            [&](WeightedPairs& pairs, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const int64_t start = offsets.data()[u];
                    int32_t j = 0;
                    for (int64_t c = 0; c < stops.cutoffs; ++c) {
                        for (; j < stops.of(u)[c]; ++j) pairs.add(vectors, places.data() + start, j, inner.data() + start, steps.data());
                        out[u * stops.cutoffs + c] = pairs.total(outer.data() + start, j);
                    }
                }
            });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

}  // namespace aspectrum
