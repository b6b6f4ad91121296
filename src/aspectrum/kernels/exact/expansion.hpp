// One more item: the states that a state leads to.
#pragma once

#include "layer_bounds.hpp"

namespace aspectrum {

template <class Terms>
class Expansion {
    using Shown = typename Terms::Shown;

    const Instance<Terms>& instance_;
    const Sets& sets_;
    const Relaxation<Terms>& relaxation_;
    const LayerBounds<Terms>& bounds_;
    Effort& effort_;
    Incumbent& incumbent_;
    const Cost cost_;
    StateIndex<Terms> index_;

    // Of the state that is expanded
    int32_t ranks_ = 0;        // left
    int64_t tokens_left_ = 0;  // where they are limited
    std::vector<int32_t> copies_;
    std::vector<double> left_, gains_, earlier_;  // of aspects; of sets here, and one rank earlier
    std::vector<Shown> child_;
    double worth_ = 0.0, base_ = 0.0;  // of what is left; the bound before the next item

  public:
    Expansion(const Instance<Terms>& instance, const Sets& sets, const Relaxation<Terms>& relaxation, const LayerBounds<Terms>& bounds,
              Effort& effort, Incumbent& incumbent)
        : instance_(instance), sets_(sets), relaxation_(relaxation), bounds_(bounds), effort_(effort), incumbent_(incumbent),
          cost_{double(instance.n_aspects), double(instance.n_ranks), Terms::kFull}, index_(sets, instance.n_ranks),
          left_(instance.n_aspects), gains_(sets.size()), earlier_(sets.size()), child_(instance.n_aspects) {}

    // The layer whose states are found from now on.
    void rebuild(const Layer<Shown>& next) { index_.rebuild(next); }

    // All states that one more item leads to. Lists that end here are offered.
    void expand(const Layer<Shown>& before, const Layer<Shown>& layer, int64_t x, Layer<Shown>& next) {
        const int32_t depth = layer.depth;
        const int32_t* picks = layer.picks_of(x);
        ranks_ = instance_.n_ranks - depth;
        sets_.remaining(picks, depth, copies_);
        tokens_left_ = sets_.tokens_left(picks, depth);
        const int32_t top = fill_gains(layer.shown_of(x));
        if (top < 0) return incumbent_.offer(layer.values[x], picks, depth, sets_);
        if (ranks_ == 1) return end(layer, x, top);
        const int32_t last = depth > 0 ? picks[depth - 1] : -1;
        if (last >= 0) fill_earlier(before.shown_of(layer.parents[x]), last);
        worth_ = bounds_.best_worth(copies_, tokens_left_);
        base_ = bounds_.bound_of(layer.values[x], layer.shown_of(x), picks, depth, worth_);
        effort_.add(cost_.base_bound(ranks_));
        index_.look_from(picks, depth);
        std::copy(layer.shown_of(x), layer.shown_of(x) + instance_.n_aspects, child_.begin());
        for (int32_t s : sets_.used()) {
            if (gains_[s] <= 0.0 || (last >= 0 && belongs_earlier(s, last, depth)) || has_larger(s)) continue;
            const double bound = std::min(bound_with(s, layer.shown_of(x), depth), layer.bounds[x]);
            if (bound > incumbent_.reach()) take(layer, x, s, bound, next);
        }
    }

  private:
    // Returns the set that gains most, -1 if none gains anything.
    int32_t fill_gains(const Shown* shown) {
        for (int32_t i = 0; i < instance_.n_aspects; ++i) left_[i] = instance_.terms.left(i, shown[i]);
        int32_t top = -1;
        for (int32_t s : sets_.used()) {
            gains_[s] = copies_[s] > 0 && sets_[s].length <= tokens_left_ ? sets_.gain(s, left_.data()) : 0.0;
            if (gains_[s] > 0.0 && (top < 0 || gains_[s] > gains_[top])) top = s;
        }
        effort_.add(cost_.gains(sets_.n_entries(), sets_.n_used(), sets_.size()));
        return top;
    }
    void fill_earlier(const Shown* shown, int32_t last) {
        for (int32_t i = 0; i < instance_.n_aspects; ++i) left_[i] = instance_.terms.left(i, shown[i]);
        for (int32_t s : sets_.used()) earlier_[s] = sets_.gain(s, left_.data());
        earlier_[last] = sets_.gain(last, left_.data());
    }
    void end(const Layer<Shown>& layer, int64_t x, int32_t top) {
        std::vector<int32_t> list(layer.picks_of(x), layer.picks_of(x) + layer.depth);
        list.push_back(top);
        incumbent_.offer(layer.values[x] + instance_.discounts[layer.depth] * gains_[top], list.data(), instance_.n_ranks, sets_);
    }

    // Taken one rank earlier it would have gained more than what stands there: the other order is better.
    bool belongs_earlier(int32_t set, int32_t last, int32_t depth) const {
        const double step = instance_.discounts[depth - 1] - instance_.discounts[depth];
        return (earlier_[set] - earlier_[last]) * step > tuning::kExact * incumbent_.value();
    }
    // A set that has all of this one is left: it is as good or better here.
    bool has_larger(int32_t set) const {
        const auto& larger = sets_[set].larger;
        return std::any_of(larger.begin(), larger.end(), [&](int32_t t) { return copies_[t] > 0; });
    }

    double bound_with(int32_t s, const Shown* shown, int32_t depth) {
        const Set& set = sets_[s];
        double bound = base_ + instance_.discounts[depth] * gains_[s] - relaxation_.prices.sets[s];
        for (const Entry& entry : set.entries)
            bound += bounds_.rest_of(entry.aspect, instance_.terms.after(shown[entry.aspect], entry.strength)) -
                     bounds_.rest_of(entry.aspect, shown[entry.aspect]);
        if (copies_[s] == 1 || sets_.limited()) {
            --copies_[s];
            bound += bounds_.best_worth(copies_, tokens_left_ - set.length) - worth_;
            ++copies_[s];
            effort_.add(cost_.last_copy(ranks_));
        }
        if (sets_.limited()) bound -= relaxation_.prices.tokens * static_cast<double>(set.length);
        effort_.add(cost_.candidate(ranks_, static_cast<double>(set.entries.size())));
        return bound;
    }

    // Adds the state that a set leads to, or a better way to it.
    void take(const Layer<Shown>& layer, int64_t x, int32_t s, double bound, Layer<Shown>& next) {
        const Shown* shown = layer.shown_of(x);
        const double value = layer.values[x] + instance_.discounts[layer.depth] * gains_[s];
        const uint64_t key = layer.keys[x] + index_.key(s);
        for (const Entry& entry : sets_[s].entries) child_[entry.aspect] = instance_.terms.after(shown[entry.aspect], entry.strength);
        const auto [state, is_new] = index_.find_or_add(next, key, s, child_.data());
        if (is_new || next.values[state] < value) {
            const auto parent = static_cast<int32_t>(x);
            effort_.add(cost_.state(layer.depth));
            if (is_new)
                next.add(value, bound, child_.data(), layer.picks_of(x), s, parent, key);
            else
                next.replace(state, value, bound, child_.data(), layer.picks_of(x), s, parent);
        }
        for (const Entry& entry : sets_[s].entries) child_[entry.aspect] = shown[entry.aspect];
    }
};

}  // namespace aspectrum
