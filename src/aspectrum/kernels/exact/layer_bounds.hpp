// Bounds of many states of one layer, from tables that its prices fill once.
#pragma once

#include "layers.hpp"
#include "relaxation.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace aspectrum {

template <class Terms>
class LayerBounds {
    using Shown = typename Terms::Shown;

    const Instance<Terms>& instance_;
    const Sets& sets_;
    Relaxation<Terms>& relaxation_;
    Effort& effort_;
    const Cost cost_;

    int32_t depth_ = 0, ranks_ = 0;  // taken; left
    std::vector<double> rests_;      // of aspects by how often they were shown: what they can add beyond their prices
    std::vector<double> worth_;      // of sets at ranks
    std::vector<int32_t> order_;     // of ranks: sets by falling worth, as many as can be used up, and one
    int32_t n_ordered_ = 0;
    std::vector<double> tops_;  // of ranks: the largest worth of any set, 0 at least
    double spare_ = 0.0;        // prices of all copies
    std::vector<int32_t> copies_;

  public:
    LayerBounds(const Instance<Terms>& instance, const Sets& sets, Relaxation<Terms>& relaxation, Effort& effort)
        : instance_(instance), sets_(sets), relaxation_(relaxation), effort_(effort),
          cost_{double(instance.n_aspects), double(instance.n_ranks), Terms::kFull} {}

    // Makes ready for states that have taken so many items, under the prices of now.
    void prepare(int32_t depth) {
        relaxation_.add_up_prices(depth);
        depth_ = depth;
        ranks_ = instance_.n_ranks - depth;
        if constexpr (Terms::kFull) fill_rests();
        fill_worth();
        order_sets();
        effort_.add(cost_.preparation(ranks_, sets_.n_entries(), sets_.n_used(), depth));
    }

    // What an aspect can still add beyond its prices.
    double rest_of(int32_t aspect, Shown shown) const {
        if constexpr (Terms::kFull)
            return rests_[static_cast<size_t>(aspect) * (depth_ + 1) + shown];
        else
            return relaxation_.rest_of(depth_, aspect, instance_.terms.left(aspect, shown), instance_.n_ranks);
    }

    // The largest worth of what is left and fits, summed over ranks.
    double best_worth(const std::vector<int32_t>& copies, int64_t tokens_left) const {
        double sum = 0.0;
        for (int32_t j = 0; j < ranks_; ++j) {
            const int32_t* order = order_.data() + static_cast<size_t>(j) * n_ordered_;
            for (int32_t p = 0; p < n_ordered_; ++p)
                if (copies[order[p]] > 0 && sets_[order[p]].length <= tokens_left) {
                    sum += std::max(0.0, worth_[static_cast<size_t>(j) * sets_.size() + order[p]]);
                    break;
                }
        }
        return sum;
    }

    // The bound of a state whose remaining copies are worth `worth`.
    double bound_of(double value, const Shown* shown, const int32_t* picks, int32_t n_picks, double worth) const {
        double bound = value + spare_ + worth;
        if (sets_.limited()) bound += relaxation_.prices.tokens * static_cast<double>(sets_.tokens_left(picks, n_picks));
        for (int32_t j = 0; j < n_picks; ++j) bound -= relaxation_.prices.sets[picks[j]];
        for (int32_t i = 0; i < instance_.n_aspects; ++i) bound += rest_of(i, shown[i]);
        return bound;
    }

    // The bound of a state, and what it would be if no set were used up.
    std::pair<double, double> bounds_of(const Layer<Shown>& layer, int64_t x) {
        sets_.remaining(layer.picks_of(x), layer.depth, copies_);
        const double worth = best_worth(copies_, sets_.tokens_left(layer.picks_of(x), layer.depth));
        const double bound = bound_of(layer.values[x], layer.shown_of(x), layer.picks_of(x), layer.depth, worth);
        effort_.add(cost_.state_bound(ranks_, sets_.size()));
        return {bound, bound - worth + std::accumulate(tops_.begin(), tops_.end(), 0.0)};
    }

    // Entries of the table of worths.
    double n_worths() const { return double(ranks_) * sets_.n_used(); }

    // What a list loses at least that holds a set anywhere.
    double least_loss(int32_t set) const {
        double least = std::numeric_limits<double>::infinity();
        for (int32_t j = 0; j < ranks_; ++j) least = std::min(least, tops_[j] - worth_[static_cast<size_t>(j) * sets_.size() + set]);
        return least;
    }

  private:
    void fill_rests() {
        rests_.assign(static_cast<size_t>(instance_.n_aspects) * (depth_ + 1), 0.0);
        for (int32_t i = 0; i < instance_.n_aspects; ++i) {
            const int64_t available = sets_.available()[i];
            for (int32_t c = 0; c <= std::min<int64_t>(depth_, available); ++c)
                rests_[static_cast<size_t>(i) * (depth_ + 1) + c] =
                    relaxation_.rest_of(depth_, i, instance_.terms.left(i, static_cast<Shown>(c)), available - c);
        }
    }

    void fill_worth() {
        std::vector<double> worth(instance_.n_ranks);
        worth_.resize(static_cast<size_t>(sets_.size()) * ranks_);
        tops_.assign(ranks_, 0.0);
        for (int32_t s : sets_.used()) {
            relaxation_.worth_of(s, depth_, worth.data());
            for (int32_t j = 0; j < ranks_; ++j) {
                worth_[static_cast<size_t>(j) * sets_.size() + s] = worth[depth_ + j];
                tops_[j] = std::max(tops_[j], worth[depth_ + j]);
            }
        }
        spare_ = 0.0;
        for (int32_t s = 0; s < sets_.size(); ++s) spare_ += relaxation_.prices.sets[s] * sets_[s].copies;
    }

    void order_sets() {
        n_ordered_ = sets_.limited() ? sets_.n_used() : std::min(sets_.n_used(), depth_ + 1);
        order_.resize(static_cast<size_t>(ranks_) * n_ordered_);
        std::vector<int32_t> all(sets_.used());
        for (int32_t j = 0; j < ranks_; ++j) {
            const double* worth = worth_.data() + static_cast<size_t>(j) * sets_.size();
            std::partial_sort(all.begin(), all.begin() + n_ordered_, all.end(),
                              [&](int32_t a, int32_t b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
            std::copy(all.begin(), all.begin() + n_ordered_, order_.begin() + static_cast<int64_t>(j) * n_ordered_);
        }
    }
};

}  // namespace aspectrum
