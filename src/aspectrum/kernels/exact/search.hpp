// The search, rank by rank: see exact.hpp.
#pragma once

#include "descent.hpp"
#include "expansion.hpp"
#include "layer_bounds.hpp"

#include <functional>
#include <limits>

namespace aspectrum {

struct Certificate {
    double best = 0.0;          // of the best list found
    double upper = 0.0;         // no list has more
    double greedy = 0.0;        // of the list that takes the largest gain at each rank
    bool proved = false;        // best and upper agree to tuning::kExact
    double work = 0.0;          // in units of tuning::kOperationsPerUnit
    std::vector<int32_t> list;  // sets of the best list
    int64_t depth = 0;          // ranks that were searched
};

// What items gain by themselves that fit together, the last of them in part: the most per token come first.
inline double fitting_gains(const Sets& sets, const double* left, Effort& effort) {
    std::vector<std::pair<double, double>> items;  // gain per token, tokens
    for (int32_t s = 0; s < sets.size(); ++s) {
        const auto length = static_cast<double>(sets[s].length);
        items.insert(items.end(), sets[s].copies, {sets.gain(s, left) / length, length});
    }
    std::sort(items.begin(), items.end(), std::greater<std::pair<double, double>>());
    effort.add(20.0 * static_cast<double>(items.size()));
    double sum = 0.0, room = static_cast<double>(sets.tokens_left(nullptr, 0));
    for (auto [gain, length] : items) {
        sum += gain * std::min(room, length);
        room -= std::min(room, length);
    }
    return sum;
}

// Two limits of what the first j items can gain together: the j largest gains of single items, and every aspect shown j
// times, as strongly as it ever is.
template <class Terms>
double simple_bound(const Instance<Terms>& instance, const Sets& sets, Effort& effort) {
    const int32_t n_aspects = instance.n_aspects;
    const std::vector<double> left = instance.left(instance.unseen.data());
    std::vector<double> gains, strongest(n_aspects, 0.0), misses(n_aspects, 1.0);
    for (int32_t s = 0; s < sets.size(); ++s) {
        gains.insert(gains.end(), sets[s].copies, sets.gain(s, left.data()));
        for (const Entry& entry : sets[s].entries) strongest[entry.aspect] = std::max(strongest[entry.aspect], entry.strength);
    }
    std::sort(gains.begin(), gains.end(), std::greater<double>());
    const Cost cost{double(n_aspects), double(instance.n_ranks), Terms::kFull};
    effort.add(cost.simple_bound(static_cast<double>(gains.size())));
    const double fitting = sets.limited() ? fitting_gains(sets, left.data(), effort) : std::numeric_limits<double>::infinity();
    double bound = 0.0, items = 0.0, aspects = 0.0;
    for (int32_t j = 0; j < instance.n_ranks; ++j) {
        if (j < static_cast<int32_t>(gains.size())) items += gains[j];
        for (int32_t i = 0; i < n_aspects; ++i) {
            if (j >= sets.available()[i]) continue;
            aspects += left[i] * misses[i] * strongest[i];
            misses[i] *= 1.0 - instance.alpha * strongest[i];
        }
        bound += instance.steps[j] * std::min({items, aspects, fitting});
    }
    return bound;
}

// One search through layers of at most `width` states, under the root's prices.
template <class Terms>
class Sweep {
    using Shown = typename Terms::Shown;

    const Instance<Terms>& instance_;
    Sets& sets_;
    Relaxation<Terms>& relaxation_;
    Effort& effort_;
    Incumbent& incumbent_;
    const int64_t width_;
    const Cost cost_;
    LayerBounds<Terms> bounds_;
    Expansion<Terms> expansion_;

  public:
    Sweep(const Instance<Terms>& instance, Sets& sets, Relaxation<Terms>& relaxation, Effort& effort, Incumbent& incumbent, int64_t width)
        : instance_(instance), sets_(sets), relaxation_(relaxation), effort_(effort), incumbent_(incumbent), width_(width),
          cost_{double(instance.n_aspects), double(instance.n_ranks), Terms::kFull}, bounds_(instance, sets, relaxation, effort),
          expansion_(instance, sets, relaxation, bounds_, effort, incumbent) {}

    // Returns the largest bound among the states that it gave up unproved.
    double run(double root) {
        Layer<Shown> before, layer, next;
        layer.begin(instance_.n_aspects, 0);
        layer.values.push_back(0.0), layer.bounds.push_back(root), layer.parents.push_back(-1), layer.keys.push_back(0);
        layer.shown = instance_.unseen;
        double cut = 0.0;
        for (int32_t depth = 0; depth < instance_.n_ranks && layer.size() > 0; ++depth) {
            next.begin(instance_.n_aspects, depth + 1);
            if (depth + 1 < instance_.n_ranks) bounds_.prepare(depth + 1);
            cut = std::max(cut, expand_all(before, layer, next));
            if (depth + 1 == instance_.n_ranks) break;
            if (!effort_.spent()) tighten(next);
            cut = std::max(cut, narrow(next, width_));
            std::swap(before, layer);
            std::swap(layer, next);
        }
        return cut;
    }

  private:
    double expand_all(const Layer<Shown>& before, const Layer<Shown>& layer, Layer<Shown>& next) {
        expansion_.rebuild(next);
        double cut = 0.0;
        for (int64_t x = 0; x < layer.size(); ++x) {
            if (layer.bounds[x] <= incumbent_.reach()) continue;
            if (effort_.spent()) {
                cut = std::max(cut, layer.bounds[x]);
                continue;
            }
            expansion_.expand(before, layer, x, next);
            if (next.size() > tuning::kOvergrown * width_ + tuning::kOvergrownBy) {
                cut = std::max(cut, narrow(next, tuning::kCutTo * width_));
                expansion_.rebuild(next);
            }
        }
        return cut;
    }

    // Better prices for the state with the largest bound bound the others better, too; a few times over.
    void tighten(Layer<Shown>& layer) {
        const Completion<Terms> completion(instance_, sets_, effort_, incumbent_);
        for (int round = 0; round < tuning::kTightenRounds && !effort_.spent(); ++round) {
            int64_t top = -1, alive = 0;
            for (int64_t x = 0; x < layer.size(); ++x) {
                if (layer.bounds[x] <= incumbent_.reach()) continue;
                ++alive;
                if (top < 0 || layer.before(x, top)) top = x;
            }
            if (top < 0 || (round > 0 && alive < tuning::kFewStates)) return;
            const double was = layer.bounds[top];
            const State<Shown> state{layer.depth, layer.values[top], layer.shown_of(top), layer.picks_of(top)};
            const double low =
                Descent<Terms>(instance_, sets_, relaxation_, effort_, incumbent_, state).run(completion, tuning::kLayerSteps, false);
            layer.bounds[top] = std::min(was, low);
            leave_out(bound_again(layer));
            if (was - low < tuning::kWorthAnotherRound * (was - incumbent_.value())) return;
        }
    }

    // Bounds all states under the prices of now. Returns the largest bound they would have if no set were used up.
    double bound_again(Layer<Shown>& layer) {
        bounds_.prepare(layer.depth);
        double widest = 0.0;
        for (int64_t x = 0; x < layer.size(); ++x) {
            if (layer.bounds[x] <= incumbent_.reach()) continue;
            const auto [bound, unlimited] = bounds_.bounds_of(layer, x);
            layer.bounds[x] = std::min(layer.bounds[x], bound);
            if (layer.bounds[x] > incumbent_.reach()) widest = std::max(widest, unlimited);
        }
        return widest;
    }

    // Goes on without the sets that are too poor for any list through the states of now.
    void leave_out(double bound) {
        std::vector<int32_t> kept;
        for (int32_t s : sets_.used()) {
            if (bound - bounds_.least_loss(s) > incumbent_.reach())
                kept.push_back(s);
            else
                relaxation_.prices.sets[s] = 0.0;
        }
        effort_.add(bounds_.n_worths());
        sets_.use(std::move(kept));
    }

    // Keeps the states with the largest bounds; returns the largest of those that it cut.
    double narrow(Layer<Shown>& layer, int64_t width) {
        std::vector<int32_t> alive;
        for (int64_t x = 0; x < layer.size(); ++x)
            if (layer.bounds[x] > incumbent_.reach()) alive.push_back(static_cast<int32_t>(x));
        std::sort(alive.begin(), alive.end(), [&](int32_t a, int32_t b) { return layer.before(a, b); });
        effort_.add(cost_.narrowing(layer.depth, static_cast<double>(alive.size())));
        double cut = 0.0;
        if (static_cast<int64_t>(alive.size()) > width) {
            cut = layer.bounds[alive[width]];
            alive.resize(width);
        }
        layer.keep(alive);
        return cut;
    }
};

template <class Terms>
class ExactSearch {
    using Shown = typename Terms::Shown;

    const Instance<Terms> instance_;
    Effort effort_;
    Sets sets_;
    Incumbent incumbent_;
    Relaxation<Terms> relaxation_;
    Prices root_prices_;

  public:
    ExactSearch(const Problem& problem, double alpha, int64_t depth, const double* discounts, double budget, const Stop* stop)
        : instance_(problem, alpha, depth, discounts), effort_(budget, stop),
          sets_(
              problem, instance_.n_ranks, [&](double strength) { return Terms::amount(alpha, strength); }, effort_),
          relaxation_(instance_, sets_) {}

    Certificate solve() {
        Certificate found;
        completion().complete(root());
        found.greedy = incumbent_.value();
        // Nothing fades with alpha 0: the largest gains are the best list.
        const double upper = incumbent_.value() > 0.0 && (instance_.alpha > 0.0 || sets_.limited()) ? search() : incumbent_.value();
        found.best = instance_.value_of(incumbent_.list());
        found.proved = upper <= incumbent_.reach();
        found.upper = found.proved ? found.best : std::max(upper, found.best);
        found.work = effort_.units();
        found.list = incumbent_.list();
        found.depth = instance_.n_ranks;
        return found;
    }

  private:
    Completion<Terms> completion() { return {instance_, sets_, effort_, incumbent_}; }
    State<Shown> root() const { return {0, 0.0, instance_.unseen.data(), nullptr}; }

    bool is_open(double upper) const { return upper > incumbent_.reach() && !effort_.spent(); }
    bool fits(double columns) const { return instance_.n_ranks * columns < tuning::kTableEntries; }

    // How many states of a layer there is memory for.
    int64_t widest() const {
        const int64_t bytes =
            tuning::kStateOverhead + static_cast<int64_t>(sizeof(Shown)) * instance_.n_aspects + 4 * int64_t{instance_.n_ranks};
        return std::max(tuning::kLeastWidest, tuning::kStateBytes / (tuning::kLayersInMemory * bytes));
    }

    // Sweeps wider and wider until nothing is left open. Returns what no list exceeds.
    double search() {
        double upper = simple_bound(instance_, sets_, effort_), root_bound = upper;
        if (is_open(upper) && fits(instance_.n_aspects)) upper = root_bound = std::min(upper, descend_root(true));
        bool wider = fits(double(instance_.n_aspects) + sets_.size());
        for (int64_t width = tuning::kFirstWidth; wider && is_open(upper); width *= tuning::kWidthGrowth) {
            wider = width < widest();
            relaxation_.prices = root_prices_;
            sets_.use_all();
            Sweep<Terms> sweep(instance_, sets_, relaxation_, effort_, incumbent_, std::min(width, widest()));
            upper = std::min(upper, std::max(incumbent_.value(), sweep.run(root_bound)));
            if (wider && is_open(upper)) root_bound = std::min(root_bound, descend_root(false));
        }
        return upper;
    }

    // Good prices for the empty list, and the sets that a better list may still hold.
    double descend_root(bool fresh) {
        if (fresh) {
            relaxation_.begin();
        } else {
            sets_.use_all();
            relaxation_.prices = root_prices_;
        }
        const int32_t steps = fresh ? tuning::kFirstRootSteps : tuning::kRootSteps;
        const double bound = Descent<Terms>(instance_, sets_, relaxation_, effort_, incumbent_, root()).run(completion(), steps, fresh);
        const Cost cost{double(instance_.n_aspects), double(instance_.n_ranks), Terms::kFull};
        const std::vector<bool> poor = relaxation_.poor_sets(bound, incumbent_.reach());
        effort_.add(cost.dropping(sets_.n_entries(), sets_.size()));
        relaxation_.keep_sets(sets_.drop(poor));
        root_prices_ = relaxation_.prices;
        return bound;
    }
};

}  // namespace aspectrum
