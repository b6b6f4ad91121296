// How far each item of a list is from a set of items: from their mean, or from the nearest of them.
//
// The mean of squared distances needs no pairs: with the mean m of the set and its spread Q, the mean of |h - m|^2, it is
// |x - m|^2 + Q. Both are sums of squares, so that nothing cancels.
#pragma once

#include "vectors.hpp"

#include <cmath>
#include <limits>

namespace aspectrum {

template <class Vectors>
class SetDistances {
    const Vectors& vectors_;
    const bool nearest_;
    typename Vectors::Mean mean_;
    std::vector<int32_t> set_;

  public:
    SetDistances(const Vectors& vectors, bool nearest) : vectors_(vectors), nearest_(nearest), mean_(vectors) {}

    void score(const int32_t* rows, int64_t n, const int32_t* others, int64_t m, double* out) {
        set_.clear();
        for (int64_t h = 0; h < m; ++h)
            if (others[h] >= 0) set_.push_back(others[h]);
        if (set_.empty()) return;
        if (!nearest_ && vectors_.squared()) return from_mean(rows, n, out);
        for (int64_t j = 0; j < n; ++j) {
            tick(static_cast<int64_t>(set_.size()));
            if (rows[j] >= 0) out[j] = nearest_ ? least(rows[j]) : average(rows[j]);
        }
    }

  private:
    void from_mean(const int32_t* rows, int64_t n, double* out) {
        mean_.set(set_);
        double spread = 0.0;
        for (const int32_t h : set_) spread += mean_.square(h);
        spread /= static_cast<double>(set_.size());
        for (int64_t j = 0; j < n; ++j)
            if (rows[j] >= 0) out[j] = vectors_.factor() * (mean_.square(rows[j]) + spread);
    }
    double least(int32_t row) const {
        double found = std::numeric_limits<double>::infinity();
        for (const int32_t h : set_) found = std::min(found, vectors_.distance(row, h));
        return found;
    }
    double average(int32_t row) const {
        double sum = 0.0;
        for (const int32_t h : set_) sum += vectors_.distance(row, h);
        return sum / static_cast<double>(set_.size());
    }
};

// Mean or least distance of each place of each list to that user's set; NaN where nothing can be compared.
template <class Vectors>
Out<double> set_distances(const Vectors& vectors, bool nearest, Array<int64_t> offsets, Array<int32_t> places, Array<int64_t> set_offsets,
                          Array<int32_t> set_places) {
    const int64_t users = check_rows(vectors, offsets, places);
    require(check_rows(vectors, set_offsets, set_places) == users, "one set per list");
    const int64_t *starts = offsets.data(), *set_starts = set_offsets.data();
    std::vector<double> out(starts[users], std::nan(""));
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 16, [&] { return SetDistances<Vectors>(vectors, nearest); },
            [&](SetDistances<Vectors>& distances, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t *rows = places.data() + starts[u], *others = set_places.data() + set_starts[u];
                    const int64_t n = starts[u + 1] - starts[u], m = set_starts[u + 1] - set_starts[u];
                    distances.score(rows, n, others, m, out.data() + starts[u]);
                    tick(n + m);
                }
            });
    }
    return to_array(std::move(out));
}

}  // namespace aspectrum
