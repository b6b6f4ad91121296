// The Lagrangian relaxation that bounds what a list can still become: at every rank the counts of aspects are chosen apart
// from the items, at a price per aspect and rank, and an item may be taken more often than there are copies, at a price per
// set. Any prices give a bound.
#pragma once

#include "completion.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace aspectrum {

struct Prices {
    std::vector<double> aspects;  // at each rank
    std::vector<double> sets;     // of taking more copies than there are
    double tokens = 0.0;          // of a token, where they are limited
};

template <class Terms>
class Relaxation {
    const Instance<Terms>& instance_;
    const Sets& sets_;
    std::vector<double> saved_;  // by aspect and rank

  public:
    Prices prices;

    Relaxation(const Instance<Terms>& instance, const Sets& sets) : instance_(instance), sets_(sets) {}

    void begin() {
        prices.aspects.assign(instance_.at(instance_.n_aspects, 0), 0.0);
        prices.sets.assign(sets_.size(), 0.0);
        prices.tokens = 0.0;
        saved_ = prices.aspects;
    }

    // Sums of an aspect's prices over the ranks from each rank on: what an item there saves.
    void add_up_prices(int32_t depth) {
        for (int32_t i = 0; i < instance_.n_aspects; ++i) {
            double sum = 0.0;
            for (int32_t j = instance_.n_ranks - 1; j >= depth; --j) saved_[instance_.at(i, j)] = sum += prices.aspects[instance_.at(i, j)];
        }
    }

    // What a set is worth at each rank from `depth` on, in `worth`.
    void worth_of(int32_t set, int32_t depth, double* worth) const {
        const int32_t n_ranks = instance_.n_ranks;
        const double price = prices.sets[set] + prices.tokens * static_cast<double>(sets_[set].length);
        const auto& entries = sets_[set].entries;
        if (entries.empty()) std::fill(worth + depth, worth + n_ranks, -price);
        for (size_t e = 0; e < entries.size(); ++e) {
            const double* saved = saved_.data() + instance_.at(entries[e].aspect, 0);
            const double amount = Terms::kFull ? 1.0 : entries[e].amount;
            if (e == 0)
                for (int32_t j = depth; j < n_ranks; ++j) worth[j] = saved[j] * amount - price;
            else
                for (int32_t j = depth; j < n_ranks; ++j) worth[j] += saved[j] * amount;
        }
    }

    // What an aspect can add from rank `depth` on beyond its prices, `most` more items having it.
    double rest_of(int32_t depth, int32_t aspect, double left, int64_t most) const {
        double sum = 0.0, chosen;
        for (int32_t j = depth; j < instance_.n_ranks; ++j)
            sum += instance_.terms.choose(instance_.steps[j], left, prices.aspects[instance_.at(aspect, j)],
                                          std::min<int64_t>(most, j - depth + 1), chosen);
        return sum;
    }

    // Sets that no list better than `reach` can hold, given the bound of the empty list: placing one anywhere costs more than
    // the bound has left.
    std::vector<bool> poor_sets(double bound, double reach) {
        add_up_prices(0);
        const int32_t ranks = instance_.n_ranks;
        std::vector<double> tops(ranks, 0.0), worth(ranks);
        for (int32_t s = 0; s < sets_.size(); ++s) {
            worth_of(s, 0, worth.data());
            for (int32_t j = 0; j < ranks; ++j) tops[j] = std::max(tops[j], worth[j]);
        }
        std::vector<bool> poor;
        for (int32_t s = 0; s < sets_.size(); ++s) {
            double least = std::numeric_limits<double>::infinity();
            worth_of(s, 0, worth.data());
            for (int32_t j = 0; j < ranks; ++j) least = std::min(least, tops[j] - worth[j]);
            poor.push_back(bound - least <= reach);
        }
        return poor;
    }

    // Keeps the prices of these sets only, in this order.
    void keep_sets(const std::vector<int32_t>& kept) {
        std::vector<double> left;
        left.reserve(kept.size());
        for (int32_t s : kept) left.push_back(prices.sets[s]);
        prices.sets = std::move(left);
    }
};

}  // namespace aspectrum
