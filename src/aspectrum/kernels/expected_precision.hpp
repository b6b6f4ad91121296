// Average precision of aspects on average over all orders of items with equal scores; see orders.hpp.
#pragma once

#include "aspects.hpp"
#include "extremes.hpp"
#include "orders.hpp"

#include <algorithm>
#include <vector>

namespace aspectrum {

// Sum over aspects of weight * average precision of one user's list, on average over orders.
class ExpectedPrecisionTally {
    std::vector<double> available_, sums_;
    std::vector<int64_t> above_, here_;
    std::vector<int32_t> shown_, present_;

  public:
    explicit ExpectedPrecisionTally(size_t n_aspects) : available_(n_aspects), sums_(n_aspects), above_(n_aspects), here_(n_aspects) {}

    template <class View>
    void score(const View& view, int64_t user, const AspectTotals& totals, const int32_t* rows, const uint8_t* tied, int64_t n,
               const int32_t* stops, int64_t n_stops, double* out) {
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] += 1.0; });
        int64_t begin = 0, end = 0;  // of the group
        int32_t j = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            for (; j < stops[c]; ++j) {
                if (j == end) {
                    leave();
                    begin = end;
                    end = end_of_group(tied, begin, n);
                    enter(view, rows + begin, end - begin);
                }
                for (int32_t i : present_)
                    sums_[i] += expected_precision(j - begin + 1, end - begin, static_cast<double>(here_[i]),
                                                   static_cast<double>(above_[i]), begin);
            }
            std::sort(shown_.begin(), shown_.end());
            view.terms.clear();
            for (int32_t i : shown_) {
                const double available = totals.totals ? totals.totals->data()[i] : available_[i];
                if (available > 0.0) view.terms.add(view.left[i] * (sums_[i] / available));
            }
            out[c] = view.terms.sum();
        }
        leave();
        for (int32_t i : shown_) {
            above_[i] = 0;
            sums_[i] = 0.0;
        }
        shown_.clear();
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] = 0.0; });
    }

  private:
    template <class View>
    void enter(const View& view, const int32_t* rows, int64_t n) {
        for (int64_t d = 0; d < n; ++d) {
            if (rows[d] < 0) continue;
            view.each(rows[d], [&](int32_t i, double) {
                if (here_[i]++ == 0) present_.push_back(i);
            });
        }
        for (int32_t i : present_)
            if (above_[i] == 0) shown_.push_back(i);
    }
    void leave() {
        for (int32_t i : present_) {
            above_[i] += here_[i];
            here_[i] = 0;
        }
        present_.clear();
    }
};

inline OutMatrix<double> expected_average_precisions(const Cover& cover, Matrix<int32_t> stops_, Ties tied,
                                                     std::optional<Array<int64_t>> pool_offsets, std::optional<Array<int32_t>> pool_rows,
                                                     std::optional<Array<double>> totals) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    const AspectTotals available{pool_offsets, pool_rows, totals};
    available.check(cover);
    const int64_t* offsets = cover.offsets.data();
    return tallied<ExpectedPrecisionTally>(cover, stops, [&](ExpectedPrecisionTally& tally, const auto& view, int64_t u, double* out) {
        tally.score(view, u, available, cover.rows.data() + offsets[u], tied.data() + offsets[u], offsets[u + 1] - offsets[u], stops.of(u),
                    stops.cutoffs, out);
    });
}

}  // namespace aspectrum
