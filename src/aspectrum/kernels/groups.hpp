// Groups of items with equal scores, whose order is left to chance.
#pragma once

#include "cover.hpp"

#include <algorithm>
#include <vector>

namespace aspectrum {

// Of n documents m are marked: the probability that t of them, drawn at random, have no mark.
inline double none_drawn(int64_t n, int64_t m, int64_t t) {
    if (m + t > n) return 0.0;
    const int64_t most = std::max(m, t), steps = std::min(m, t);
    double odds = 1.0;
    for (int64_t a = 0; a < steps; ++a) odds *= static_cast<double>(n - most - a) / static_cast<double>(n - a);
    return odds;
}

// The strengths that the documents of a group have for each aspect.
class GroupStrengths {
    std::vector<std::vector<double>> of_;
    std::vector<int32_t> aspects_;

  public:
    explicit GroupStrengths(size_t n_aspects) : of_(n_aspects) {}

    template <class View>
    void collect(const View& view, const int32_t* rows, int64_t n) {
        for (int64_t d = 0; d < n; ++d) {
            if (rows[d] < 0) continue;
            view.each(rows[d], [&](int32_t i, double s) {
                if (view.left[i] == 0.0) return;
                if (of_[i].empty()) aspects_.push_back(i);
                of_[i].push_back(s);
            });
        }
        std::sort(aspects_.begin(), aspects_.end());
        if (view.cover.strengths)
            for (int32_t i : aspects_) std::sort(of_[i].begin(), of_[i].end());
    }
    const std::vector<int32_t>& aspects() const { return aspects_; }
    // Ascending.
    const std::vector<double>& of(int32_t aspect) const { return of_[aspect]; }
    void clear() {
        for (int32_t i : aspects_) of_[i].clear();
        aspects_.clear();
    }
};

}  // namespace aspectrum
