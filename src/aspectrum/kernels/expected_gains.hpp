// Gains on average over all orders of items with equal scores; see orders.hpp.
#pragma once

#include "extremes.hpp"
#include "gains.hpp"
#include "groups.hpp"
#include "interrupts.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <utility>

namespace aspectrum {

// What a document at each place of a group gains on average, where an aspect that was seen loses a share `alpha` times the strength.
class GroupGains {
    double alpha_;
    GroupStrengths group_;
    std::vector<double> worth_, after_, products_, odds_;
    std::vector<int64_t> same_;  // by number of documents, the last aspect that so many have

    // after_[h]: what a document with the aspect is worth on average after h others of the m that have it.
    void find_after(const std::vector<double>& strengths, int64_t n_after) {
        const auto m = static_cast<int64_t>(strengths.size());
        after_.assign(n_after, 0.0);
        if (strengths.front() == strengths.back()) {
            double worth = strengths.front();
            for (int64_t h = 0; h < n_after; ++h, worth *= 1.0 - alpha_ * strengths.front()) after_[h] = worth;
            return;
        }
        // Means over subsets of h of the first n documents, of the product of what they leave (products_), and of that times the strength
        // of one more of these documents (after_). Each is a convex combination of those for n - 1, whichever role document n has.
        products_.assign(n_after, 0.0);
        products_[0] = 1.0;
        for (int64_t n = 1; n <= m; ++n) {
            tick(1 + std::min(n, n_after) / 64);
            const double s = strengths[n - 1], y = 1.0 - alpha_ * s, inverse = static_cast<double>(n);
            for (int64_t h = std::min(n, n_after - 1); h >= 0; --h) {
                const double taken = h > 0 ? static_cast<double>(h) * y : 0.0;
                const double of_it = taken > 0.0 ? taken * after_[h - 1] : 0.0;
                if (h < n) after_[h] = (static_cast<double>(n - h - 1) * after_[h] + of_it + s * products_[h]) / inverse;
                products_[h] = (static_cast<double>(n - h) * products_[h] + (taken > 0.0 ? taken * products_[h - 1] : 0.0)) / inverse;
            }
        }
    }

    // worth[r]: what place r + 1 of a group of n is worth on average for an aspect that m documents of it have.
    void find_worth(const std::vector<double>& strengths, int64_t n, int64_t n_places, double* worth) {
        const auto m = static_cast<int64_t>(strengths.size());
        if (m == 1) {
            std::fill_n(worth, n_places, strengths.front() / static_cast<double>(n));
            return;
        }
        find_after(strengths, std::min(m, n_places));
        if (m == n) {
            std::copy_n(after_.begin(), n_places, worth);
            return;
        }
        auto most = static_cast<int64_t>(after_.size()) - 1;
        while (most > 0 && after_[most] == 0.0) --most;  // too small for a number, as are those that follow
        odds_.assign(most + 1, 0.0);                     // that h of the r documents before have the aspect
        odds_[0] = 1.0;
        int64_t low = 0, high = 0;  // elsewhere they are 0
        for (int64_t r = 0; r < n_places; ++r) {
            tick(1 + (high - low) / 64);
            const auto rest = static_cast<double>(n - r);
            double sum = 0.0;
            for (int64_t h = high; h >= low; --h) sum += odds_[h] * static_cast<double>(m - h) / rest * after_[h];
            worth[r] = sum;
            high = std::min(high + 1, most);
            for (int64_t h = high; h >= low; --h) {
                const double before = h > 0 ? odds_[h - 1] * static_cast<double>(m - h + 1) / rest : 0.0;
                odds_[h] = odds_[h] * (static_cast<double>(n - r - (m - h)) / rest) + before;
            }
            while (low < high && odds_[low] == 0.0) ++low;
            while (low < high && odds_[high] == 0.0) --high;
        }
    }

  public:
    GroupGains(const Cover& cover, double alpha) : alpha_(alpha), group_(cover.most_aspects()) {}

    // The gains of the first places of a group of n, and what the whole group leaves.
    template <class View>
    void take(View& view, const int32_t* rows, int64_t n, int64_t n_places, double* gains) {
        group_.collect(view, rows, n);
        const std::vector<int32_t>& aspects = group_.aspects();
        worth_.resize(aspects.size() * n_places);
        same_.assign(n + 1, -1);
        for (size_t a = 0; a < aspects.size(); ++a) {
            const std::vector<double>& strengths = group_.of(aspects[a]);
            double* worth = worth_.data() + a * n_places;
            int64_t& same = same_[strengths.size()];
            if (same >= 0 && group_.of(aspects[same]) == strengths)
                std::copy_n(worth_.data() + same * n_places, n_places, worth);
            else
                find_worth(strengths, n, n_places, worth);
            same = static_cast<int64_t>(a);
        }
        for (int64_t r = 0; r < n_places; ++r) {
            view.terms.clear();
            for (size_t a = 0; a < aspects.size(); ++a) view.terms.add(view.left[aspects[a]] * worth_[a * n_places + r]);
            gains[r] = view.terms.sum();
        }
        for (int32_t i : aspects) {
            double left = view.left[i];
            for (double s : group_.of(i)) left *= 1.0 - alpha_ * s;
            view.left[i] = left;
            if (left > 0.0) view.smallest = std::min(view.smallest, left);
        }
        for (int64_t d = 0; d < n; ++d)
            if (rows[d] >= 0) view.touched(rows[d]);
        group_.clear();
    }
};

// Gain of each place of each list on average over orders; places beyond the last stop are 0. In lists without ties, the bits of
// place_gains.
inline Out<double> expected_gains(const Cover& cover, Matrix<int32_t> stops_, Ties tied, double alpha) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(offsets[cover.users], 0.0);
    {
        nb::gil_scoped_release release;
        const Linear rule(cover, alpha);
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), GroupGains(cover, alpha)); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, group] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    view.begin(u);
                    const int32_t* rows = cover.rows.data() + offsets[u];
                    const uint8_t* flags = tied.data() + offsets[u];
                    double* gains = out.data() + offsets[u];
                    const int64_t n = offsets[u + 1] - offsets[u], last = stops.last(u);
                    for (int64_t j = 0, next; j < last; j = next) {
                        next = end_of_group(flags, j, n);
                        if (next > j + 1) {
                            group.take(view, rows + j, next - j, std::min(next, last) - j, gains + j);
                        } else if (rows[j] >= 0) {
                            gains[j] = rule.gain(view, rows[j]);
                            rule.take(view, rows[j]);
                        }
                    }
                    view.end(u);
                }
            });
        });
    }
    return to_array(std::move(out));
}

}  // namespace aspectrum
