// Good prices for one state, by subgradient steps.
#pragma once

#include "relaxation.hpp"

#include <cmath>

namespace aspectrum {

template <class Terms>
class Descent {
    using Shown = typename Terms::Shown;

    const Instance<Terms>& instance_;
    const Sets& sets_;
    Relaxation<Terms>& relaxation_;
    Prices& prices_;
    Effort& effort_;
    const Incumbent& incumbent_;
    const Cost cost_;
    const State<Shown> state_;

    std::vector<double> left_;     // of aspects
    std::vector<int64_t> most_;    // items left that have each
    std::vector<int32_t> copies_;  // left of sets
    std::vector<double> scales_, set_scales_, direction_, set_direction_;
    std::vector<double> chosen_;   // counts of aspects that the bound stands on, by rank
    std::vector<int32_t> picked_;  // sets that it stands on, by rank
    std::vector<double> tops_, worth_;
    const double tokens_left_;
    double tokens_scale_ = 0.0, tokens_direction_ = 0.0;

  public:
    Descent(const Instance<Terms>& instance, const Sets& sets, Relaxation<Terms>& relaxation, Effort& effort, const Incumbent& incumbent,
            const State<Shown>& state)
        : instance_(instance), sets_(sets), relaxation_(relaxation), prices_(relaxation.prices), effort_(effort), incumbent_(incumbent),
          cost_{double(instance.n_aspects), double(instance.n_ranks), Terms::kFull}, state_(state), left_(instance.left(state.shown)),
          most_(sets.available()), scales_(prices_.aspects.size()), set_scales_(sets.size()), direction_(prices_.aspects.size(), 0.0),
          set_direction_(sets.size(), 0.0), chosen_(prices_.aspects.size()), picked_(instance.n_ranks), tops_(instance.n_ranks),
          worth_(instance.n_ranks), tokens_left_(static_cast<double>(sets.tokens_left(state.picks, state.depth))) {
        sets.remaining(state.picks, state.depth, copies_);
        for (int32_t j = 0; j < state.depth; ++j)
            for (const Entry& entry : sets[state.picks[j]].entries) --most_[entry.aspect];
    }

    // Lowers the state's bound by at most so many steps, and leaves the best prices it met. Fresh prices are guessed first.
    double run(const Completion<Terms>& completion, int32_t max_steps, bool fresh) {
        scale(completion, fresh);
        Prices best_prices(prices_);
        double low = std::numeric_limits<double>::infinity(), pace = fresh ? tuning::kFreshPace : tuning::kPace;
        int stalled = 0;
        for (int32_t step = 0; step < max_steps; ++step) {
            const double bound = relax();
            stalled = bound < low - tuning::kProgress * (low - incumbent_.value()) ? 0 : stalled + 1;
            if (bound < low) {
                low = bound;
                best_prices = prices_;
            }
            if (low <= incumbent_.reach() || effort_.spent()) break;
            if (stalled >= tuning::kPatience) {
                pace *= tuning::kSlowDown;
                stalled = 0;
                prices_ = best_prices;
                if (pace < tuning::kLeastPace) break;
                continue;
            }
            const double norm = turn();
            if (norm <= 0.0) break;
            move(pace * (bound - incumbent_.value()) / norm);
        }
        prices_ = std::move(best_prices);
        return low;
    }

  private:
    // Whether the state may still take an item of the set.
    bool is_left(int32_t set) const { return copies_[set] > 0 && static_cast<double>(sets_[set].length) <= tokens_left_; }

    // A price lies between what an aspect's last and next item gain; the greedy list says about how large that is.
    void scale(const Completion<Terms>& completion, bool fresh) {
        std::vector<double> before(left_), previous(left_), tops(instance_.n_ranks + 1, 0.0);
        completion.complete(state_, [&](int32_t j, double top, const double* after) {
            tops[j] = top;
            for (int32_t i = 0; i < instance_.n_aspects; ++i) {
                const size_t at = instance_.at(i, j);
                if (after[i] < before[i]) previous[i] = before[i];
                const double upper = after[i] < left_[i] ? previous[i] : left_[i];
                scales_[at] = std::sqrt(instance_.steps[j] * upper);
                if (fresh) prices_.aspects[at] = instance_.steps[j] * (after[i] < left_[i] ? 0.5 * (upper + after[i]) : left_[i]);
            }
            std::copy(after, after + instance_.n_aspects, before.begin());
        });
        if (sets_.limited()) {
            double gained = 0.0;
            for (int32_t j = state_.depth; j < instance_.n_ranks; ++j) gained += instance_.discounts[j] * tops[j];
            const double per_token = gained / std::max(1.0, tokens_left_);
            if (fresh) prices_.tokens = tuning::kTokenPrice * per_token;
            tokens_scale_ = std::sqrt(tuning::kTokenScale * per_token / std::max(1.0, tokens_left_));
        }
        // A set has a price from the rank on where it could be the best.
        for (int32_t s : sets_.used()) {
            const double gained = sets_.gain(s, left_.data());
            int32_t rank = state_.depth;
            while (rank + 1 < instance_.n_ranks && tops[rank] > gained) ++rank;
            const double worth = instance_.discounts[rank] * gained;
            set_scales_[s] = std::sqrt(tuning::kSetScale * instance_.discounts[rank] * gained);
            prices_.sets[s] = std::min(prices_.sets[s], worth);  // one from an earlier layer may be far too high
        }
        effort_.add(Cost::set_scales(sets_.n_entries(), sets_.n_used()));
    }

    // The state's bound under the prices; remembers the choices it stands on.
    double relax() {
        const int32_t depth = state_.depth, n_ranks = instance_.n_ranks;
        double bound = state_.value + prices_.tokens * tokens_left_;
        Effort effort(effort_);  // a copy stays in a register
        for (int32_t i = 0; i < instance_.n_aspects; ++i) {
            const double* prices = prices_.aspects.data() + instance_.at(i, 0);
            double* chosen = chosen_.data() + instance_.at(i, 0);
            for (int32_t j = depth; j < n_ranks; ++j) {
                bound +=
                    instance_.terms.choose(instance_.steps[j], left_[i], prices[j], std::min<int64_t>(most_[i], j - depth + 1), chosen[j]);
                effort.add(Cost::chosen(chosen[j]));
            }
        }
        effort_ = effort;
        relaxation_.add_up_prices(depth);
        std::fill(tops_.begin(), tops_.end(), 0.0);
        std::fill(picked_.begin(), picked_.end(), -1);
        for (int32_t s : sets_.used()) {
            if (!is_left(s)) continue;
            relaxation_.worth_of(s, depth, worth_.data());
            for (int32_t j = depth; j < n_ranks; ++j)
                if (worth_[j] > tops_[j]) tops_[j] = worth_[j], picked_[j] = s;
            bound += prices_.sets[s] * copies_[s];
        }
        for (int32_t j = depth; j < n_ranks; ++j) bound += tops_[j];
        effort_.add(cost_.relaxation(n_ranks - depth, sets_.n_entries(), sets_.n_used()));
        return bound;
    }

    // Turns towards where the choices disagree least, and returns the squared length of the direction.
    double turn() {
        std::vector<double> covered(instance_.n_aspects, 0.0);
        std::vector<int32_t> times(sets_.size(), 0);
        double norm = 0.0, used = 0.0;
        for (int32_t j = state_.depth; j < instance_.n_ranks; ++j) {
            if (picked_[j] >= 0) {
                ++times[picked_[j]];
                used += static_cast<double>(sets_[picked_[j]].length);
                for (const Entry& entry : sets_[picked_[j]].entries) covered[entry.aspect] += entry.amount;
            }
            for (int32_t i = 0; i < instance_.n_aspects; ++i) {
                const size_t at = instance_.at(i, j);
                direction_[at] = (covered[i] - chosen_[at]) * scales_[at] + tuning::kMomentum * direction_[at];
                norm += direction_[at] * direction_[at];
            }
        }
        for (int32_t s : sets_.used()) {
            if (!is_left(s)) continue;
            const double spare = (copies_[s] - times[s]) * set_scales_[s];
            set_direction_[s] = (spare > 0.0 && prices_.sets[s] <= 0.0 ? 0.0 : spare) + tuning::kMomentum * set_direction_[s];
            norm += set_direction_[s] * set_direction_[s];
        }
        if (sets_.limited()) {
            const double spare = (tokens_left_ - used) * tokens_scale_;
            tokens_direction_ = (spare > 0.0 && prices_.tokens <= 0.0 ? 0.0 : spare) + tuning::kMomentum * tokens_direction_;
            norm += tokens_direction_ * tokens_direction_;
        }
        return norm;
    }

    void move(double length) {
        for (int32_t i = 0; i < instance_.n_aspects; ++i)
            for (int32_t j = state_.depth; j < instance_.n_ranks; ++j) {
                const size_t at = instance_.at(i, j);
                prices_.aspects[at] = std::max(0.0, prices_.aspects[at] - length * direction_[at] * scales_[at]);
            }
        for (int32_t s : sets_.used()) prices_.sets[s] = std::max(0.0, prices_.sets[s] - length * set_direction_[s] * set_scales_[s]);
        if (sets_.limited()) prices_.tokens = std::max(0.0, prices_.tokens - length * tokens_direction_ * tokens_scale_);
    }
};

}  // namespace aspectrum
