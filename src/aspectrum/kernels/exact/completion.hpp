// Lists that are whole: the best one known, and the greedy end of a list that was begun.
#pragma once

#include "../greedy.hpp"
#include "effort.hpp"
#include "sets.hpp"
#include "terms.hpp"

#include <algorithm>
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
        if (sets_.limited()) return complete_within(state, at_rank);
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
    // Tokens limit the list. Two lists are offered: by the largest gain, of which `at_rank` hears, and by the largest gain per token,
    // then brought into the order of their gains.
    template <class AtRank>
    void complete_within(const State<Shown>& state, AtRank at_rank) const {
        const std::vector<int32_t> dense = filled(state, sets_.used(), true, [](int32_t, double, const double*) {});
        if (!dense.empty()) {
            std::vector<int32_t> chosen(dense);
            std::sort(chosen.begin(), chosen.end());
            chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
            filled(state, chosen, false, [](int32_t, double, const double*) {});
        }
        filled(state, sets_.used(), false, at_rank);
    }
    template <class AtRank>
    std::vector<int32_t> filled(const State<Shown>& state, const std::vector<int32_t>& sets, bool per_token, AtRank at_rank) const {
        View view{std::vector<Shown>(state.shown, state.shown + instance_.n_aspects), instance_.left(state.shown)};
        const Rule rule{instance_.terms, sets_};
        std::vector<int32_t> copies, list(state.picks, state.picks + state.depth), added;
        sets_.remaining(state.picks, state.depth, copies);
        int64_t left = sets_.tokens_left(state.picks, state.depth);
        double value = state.value;
        int32_t rank = state.depth;
        for (; rank < instance_.n_ranks; ++rank) {
            effort_.add(Cost::greedy_rank(sets_.n_entries(), sets_.n_used()));
            int32_t best = -1;
            double best_gain = 0.0, most = 0.0;
            for (int32_t s : sets) {
                if (copies[s] <= 0 || sets_[s].length > left) continue;
                const double gain = rule.gain(view, s), worth = per_token ? gain / static_cast<double>(sets_[s].length) : gain;
                if (worth > most) best = s, best_gain = gain, most = worth;
            }
            if (best < 0) break;
            --copies[best];
            left -= sets_[best].length;
            rule.take(view, best);
            value += instance_.discounts[rank] * best_gain;
            list.push_back(best);
            added.push_back(best);
            at_rank(rank, best_gain, view.left.data());
        }
        for (; rank < instance_.n_ranks; ++rank) at_rank(rank, 0.0, view.left.data());
        incumbent_.offer(value, list.data(), static_cast<int64_t>(list.size()), sets_);
        return added;
    }

    // Of equal gains the first set is taken.
    int32_t head_of(int32_t set) const { return sets_.size() - 1 - set; }
};

}  // namespace aspectrum
