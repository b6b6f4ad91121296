// Lists that are whole: the best one known, and the greedy end of a list that was begun.
#pragma once

#include "../greedy.hpp"
#include "effort.hpp"
#include "sets.hpp"
#include "terms.hpp"

#include <limits>
#include <vector>

namespace aspectrum {

// The best list known.
class Incumbent {
    double value_ = 0.0;
    std::vector<int32_t> list_;  // the problem's sets

  public:
    double value() const { return value_; }
    const std::vector<int32_t>& list() const { return list_; }
    // What a list must exceed to be better.
    double reach() const { return value_ * (1.0 + tuning::kExact); }

    void offer(double value, const int32_t* picks, int64_t n, const Sets& sets) {
        if (value <= value_) return;
        value_ = value;
        list_.clear();
        for (int64_t j = 0; j < n; ++j) list_.push_back(sets[picks[j]].original);
    }
};

// A list that was begun.
template <class Shown>
struct State {
    int32_t depth;
    double value;
    const Shown* shown;
    const int32_t* picks;
};

// Ends lists by the largest gain at each rank.
template <class Terms>
class Completion {
    using Shown = typename Terms::Shown;

    const Instance<Terms>& instance_;
    const Sets& sets_;
    Effort& effort_;
    Incumbent& incumbent_;

    struct View {
        std::vector<Shown> shown;
        std::vector<double> left;
    };
    struct Rule {
        const Terms& terms;
        const Sets& sets;

        double gain(const View& view, int32_t set) const { return sets.gain(set, view.left.data()); }
        double bound(const View&, int32_t) const { return std::numeric_limits<double>::infinity(); }
        void take(View& view, int32_t set) const {
            for (const Entry& entry : sets[set].entries) {
                Shown& shown = view.shown[entry.aspect];
                shown = terms.after(shown, entry.strength);
                view.left[entry.aspect] = terms.left(entry.aspect, shown);
            }
        }
    };

  public:
    Completion(const Instance<Terms>& instance, const Sets& sets, Effort& effort, Incumbent& incumbent)
        : instance_(instance), sets_(sets), effort_(effort), incumbent_(incumbent) {}

    // Offers the whole list; `at_rank(rank, gain, left)` hears what each rank gains and leaves of the aspects' values.
    template <class AtRank>
    void complete(const State<Shown>& state, AtRank at_rank) const {
        View view{std::vector<Shown>(state.shown, state.shown + instance_.n_aspects), instance_.left(state.shown)};
        std::vector<int32_t> copies, list(state.picks, state.picks + state.depth);
        sets_.remaining(state.picks, state.depth, copies);
        std::vector<Candidate> candidates;
        for (int32_t s : sets_.used())
            if (copies[s] > 0) candidates.push_back({head_of(s), s, s});
        const int32_t ranks = instance_.n_ranks - state.depth;
        double value = state.value;
        int32_t rank = state.depth;
        auto next = [&](int32_t s) { return --copies[s] > 0 ? head_of(s) : -1; };
        auto picked = [&](int64_t, const Candidate& chosen, double gain) {
            effort_.add(Cost::greedy_rank(sets_.n_entries(), sets_.n_used()));
            value += instance_.discounts[rank] * gain;
            list.push_back(chosen.row);
            at_rank(rank++, gain, view.left.data());
        };
        Bounds search;
        greedy(search, candidates, ranks, Rule{instance_.terms, sets_}, view, next, picked);
        if (rank < instance_.n_ranks) effort_.add(Cost::greedy_rank(sets_.n_entries(), sets_.n_used()));  // it found nothing more
        while (rank < instance_.n_ranks) at_rank(rank++, 0.0, view.left.data());
        incumbent_.offer(value, list.data(), static_cast<int64_t>(list.size()), sets_);
    }
    void complete(const State<Shown>& state) const {
        complete(state, [](int32_t, double, const double*) {});
    }

  private:
    // Of equal gains the first set is taken.
    int32_t head_of(int32_t set) const { return sets_.size() - 1 - set; }
};

}  // namespace aspectrum
