// The best coverage: the largest weight of aspects that items show which fit together, with a proof.
//
// A depth-first search over items, those first that add most per token. What a branch can still become is bounded by a
// Lagrangian relaxation: aspects are covered at a price, items are paid for what they cover less a price per token. Everything
// is decided by counted work, see exact/effort.hpp.
#pragma once

#include "exact/effort.hpp"
#include "exact/search.hpp"
#include "problem.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace aspectrum {

class CoverageSearch {
    struct Item {
        int32_t original;  // its set in the problem
        int64_t length;
        std::vector<int32_t> aspects;
    };
    struct Prices {
        std::vector<double> aspects;
        double token = 0.0;
    };

    std::vector<double> weights_;
    std::vector<Item> items_;
    int64_t room_;
    Effort effort_;
    double best_ = 0.0, open_ = 0.0;  // the best found; the largest bound of what was given up
    std::vector<int32_t> best_items_, chosen_;
    std::vector<double> left_;  // of aspects: their weight, 0 once they are covered

  public:
    CoverageSearch(const Problem& problem, double budget, const Stop* stop) : effort_(budget, stop) {
        const bool limited = problem.capacity > 0;
        room_ = limited ? problem.capacity : problem.n_fitting;
        const std::vector<std::vector<std::pair<double, int32_t>>> levels = levels_of(problem);
        for (int32_t s = 0; s < problem.n_sets(); ++s) {
            Item item{s, limited ? problem.length(s) : 1, {}};
            for (int64_t e = problem.offsets[s]; e < problem.offsets[s + 1]; ++e)
                for (auto [strength, level] : levels[problem.aspects[e]])
                    if (problem.strength(e) >= strength) item.aspects.push_back(level);
            std::sort(item.aspects.begin(), item.aspects.end());
            items_.push_back(std::move(item));
        }
        left_ = weights_;
    }

    Certificate solve() {
        std::vector<int32_t> all(items_.size());
        std::iota(all.begin(), all.end(), 0);
        Prices prices;
        for (double weight : weights_) prices.aspects.push_back(0.5 * weight);
        if (room_ > 0 && !items_.empty()) search(undominated(all), 0.0, room_, prices, kRootSteps);
        Certificate found;
        found.best = value_of(best_items_);
        found.greedy = found.best;
        found.proved = open_ <= reach();
        found.upper = found.proved ? found.best : std::max(open_, found.best);
        found.work = effort_.units();
        for (int32_t item : best_items_) found.list.push_back(items_[item].original);
        found.depth = static_cast<int64_t>(best_items_.size());
        return found;
    }

  private:
    static constexpr int kRootSteps = 300, kSteps = 12;
    static constexpr double kPace = 1.0, kSlowDown = 0.6, kTokenScale = 0.3;
    static constexpr int kPatience = 6;

    double reach() const { return best_ * (1.0 + tuning::kExact); }

    // An aspect counts with the strongest judgment seen: each of its strengths is an aspect that all who reach it cover, and weighs
    // what it adds to the strength below.
    std::vector<std::vector<std::pair<double, int32_t>>> levels_of(const Problem& problem) {
        std::vector<std::vector<double>> strengths(problem.n_aspects());
        for (size_t e = 0; e < problem.aspects.size(); ++e)
            strengths[problem.aspects[e]].push_back(problem.strength(static_cast<int64_t>(e)));
        std::vector<std::vector<std::pair<double, int32_t>>> levels(problem.n_aspects());
        for (size_t i = 0; i < strengths.size(); ++i) {
            std::sort(strengths[i].begin(), strengths[i].end());
            double below = 0.0;
            for (double strength : strengths[i]) {
                if (strength <= below) continue;
                levels[i].emplace_back(strength, static_cast<int32_t>(weights_.size()));
                weights_.push_back(problem.weights[i] * (strength - below));
                below = strength;
            }
        }
        return levels;
    }

    // The weight that items cover, added up in an order that their names cannot change.
    double value_of(const std::vector<int32_t>& items) const {
        std::vector<bool> covered(weights_.size(), false);
        for (int32_t item : items)
            for (int32_t i : items_[item].aspects) covered[i] = true;
        std::vector<double> gains;
        for (size_t i = 0; i < weights_.size(); ++i)
            if (covered[i]) gains.push_back(weights_[i]);
        std::sort(gains.begin(), gains.end());
        return std::accumulate(gains.begin(), gains.end(), 0.0);
    }

    // Without items all of which a shorter one covers, too, as far as there is time to look; of equals the first stays.
    std::vector<int32_t> undominated(const std::vector<int32_t>& items) {
        std::vector<int32_t> kept;
        for (int32_t a : items) {
            bool within = false;
            effort_.add(static_cast<double>(items.size()));
            for (int32_t b : items) {
                if (within || effort_.spent()) break;
                if (a == b || items_[b].length > items_[a].length || items_[b].aspects.size() < items_[a].aspects.size()) continue;
                effort_.add(static_cast<double>(items_[b].aspects.size()) + Cost::kContainment);
                if (!std::includes(items_[b].aspects.begin(), items_[b].aspects.end(), items_[a].aspects.begin(), items_[a].aspects.end()))
                    continue;
                const bool equal = items_[a].aspects.size() == items_[b].aspects.size() && items_[a].length == items_[b].length;
                within = within || !equal || b < a;
            }
            if (!within) kept.push_back(a);
        }
        return kept;
    }

    double gain_of(int32_t item) const {
        double sum = 0.0;
        for (int32_t i : items_[item].aspects) sum += left_[i];
        return sum;
    }

    // All that may follow what was chosen. The items are those that may still be taken; none that was left out comes back.
    void search(std::vector<int32_t> items, double value, int64_t room, Prices prices, int steps) {
        std::vector<std::pair<double, int32_t>> order;  // gain per token
        double entries = 0.0;
        for (int32_t item : items) {
            entries += static_cast<double>(items_[item].aspects.size()) + 4.0;
            const double gain = items_[item].length <= room ? gain_of(item) : 0.0;
            if (gain > 0.0) order.emplace_back(gain / static_cast<double>(items_[item].length), item);
        }
        effort_.add(2.0 * entries);
        std::sort(order.begin(), order.end(), [](auto a, auto b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
        items.clear();
        for (auto [gain, item] : order) items.push_back(item);
        offer(value);
        if (items.empty()) return;
        complete(items, value, room);
        while (!items.empty()) {
            const double bound = bound_of(items, value, room, prices, steps);
            if (bound <= reach()) return;
            if (effort_.spent()) {
                open_ = std::max(open_, bound);
                return;
            }
            const int32_t item = items.front();  // the best per token: either it is taken, or no list has it
            items.erase(items.begin());
            std::vector<int32_t> covered;
            double gain = 0.0;
            for (int32_t i : items_[item].aspects)
                if (left_[i] > 0.0) covered.push_back(i), gain += left_[i], left_[i] = 0.0;
            chosen_.push_back(item);
            search(items, value + gain, room - items_[item].length, prices, kSteps);
            chosen_.pop_back();
            for (int32_t i : covered) left_[i] = weights_[i];
            steps = kSteps;
        }
    }

    void offer(double value) {
        if (value <= best_) return;
        best_ = value;
        best_items_ = chosen_;
    }

    // Goes on greedily, by gain per token and by gain.
    void complete(const std::vector<int32_t>& items, double value, int64_t room) {
        for (bool per_token : {true, false}) {
            const std::vector<double> left(left_);
            const size_t n_chosen = chosen_.size();
            double reached = value;
            int64_t spare = room;
            while (true) {
                int32_t top = -1;
                double most = 0.0, top_gain = 0.0;
                for (int32_t item : items) {
                    if (items_[item].length > spare) continue;
                    effort_.add(static_cast<double>(items_[item].aspects.size()) + 2.0);
                    const double gain = gain_of(item), worth = per_token ? gain / static_cast<double>(items_[item].length) : gain;
                    if (worth > most) top = item, most = worth, top_gain = gain;
                }
                if (top < 0) break;
                for (int32_t i : items_[top].aspects) left_[i] = 0.0;
                chosen_.push_back(top);
                reached += top_gain;
                spare -= items_[top].length;
            }
            offer(reached);
            chosen_.resize(n_chosen);
            left_ = left;
        }
    }

    // No way to go on with these items is worth more at these prices; how often the items that are worth theirs cover each aspect, and
    // their length.
    double bound_at(const Prices& prices, const std::vector<int32_t>& items, const std::vector<bool>& coverable, double value, int64_t room,
                    std::vector<double>& counts, double& used) const {
        double bound = value + prices.token * static_cast<double>(room);
        used = 0.0;
        std::fill(counts.begin(), counts.end(), 0.0);
        for (size_t i = 0; i < weights_.size(); ++i)
            if (coverable[i]) bound += left_[i] - prices.aspects[i];
        for (int32_t item : items) {
            double worth = -prices.token * static_cast<double>(items_[item].length);
            for (int32_t i : items_[item].aspects) worth += prices.aspects[i];
            if (worth <= 0.0) continue;
            bound += worth;
            used += static_cast<double>(items_[item].length);
            for (int32_t i : items_[item].aspects) counts[i] += 1.0;
        }
        return bound;
    }

    // No way to go on with these items reaches more. Leaves the best prices it met.
    double bound_of(const std::vector<int32_t>& items, double value, int64_t room, Prices& prices, int steps) {
        // All that the items cover together; and what they cover by themselves, filled up with a part of one.
        std::vector<bool> coverable(weights_.size(), false);
        double all = value, filled = value, spare = static_cast<double>(room), entries = 0.0;
        for (int32_t item : items) {
            const double length = static_cast<double>(items_[item].length), taken = std::min(spare, length);
            filled += gain_of(item) * (taken / length);
            spare -= taken;
            for (int32_t i : items_[item].aspects) coverable[i] = true;
            entries += static_cast<double>(items_[item].aspects.size()) + 4.0;
        }
        for (size_t i = 0; i < weights_.size(); ++i) {
            if (coverable[i]) all += left_[i];
            prices.aspects[i] = coverable[i] ? std::min(prices.aspects[i], left_[i]) : 0.0;
        }
        effort_.add(3.0 * entries + 2.0 * static_cast<double>(weights_.size()));
        double low = std::min(all, filled);
        if (low <= reach()) return low;
        if (prices.token <= 0.0) prices.token = 0.5 * (filled - value) / static_cast<double>(room);
        const double token_scale = kTokenScale * (filled - value) / (static_cast<double>(room) * static_cast<double>(room));
        Prices best = prices;
        std::vector<double> counts(weights_.size());
        double pace = kPace;
        double lowest = std::numeric_limits<double>::infinity();
        for (int step = 0, stalled = 0; step < steps && !effort_.spent(); ++step) {
            double used = 0.0;
            const double bound = bound_at(prices, items, coverable, value, room, counts, used);
            effort_.add(2.0 * entries + 6.0 * static_cast<double>(weights_.size()));
            if (bound < lowest) {
                stalled = 0;
                lowest = bound;
                best = prices;
            } else if (++stalled >= kPatience) {
                stalled = 0;
                pace *= kSlowDown;
                prices = best;
            }
            if (lowest <= reach()) break;
            const double surplus = static_cast<double>(room) - used;
            const bool token_moves = surplus < 0.0 || prices.token > 0.0;
            double norm = token_moves ? surplus * surplus * token_scale : 0.0;
            for (size_t i = 0; i < weights_.size(); ++i)
                if (coverable[i]) norm += (counts[i] - 1.0) * (counts[i] - 1.0) * left_[i];
            if (norm <= 0.0) break;
            const double length = pace * (bound - best_) / norm;
            for (size_t i = 0; i < weights_.size(); ++i)
                if (coverable[i]) prices.aspects[i] = std::clamp(prices.aspects[i] - length * (counts[i] - 1.0) * left_[i], 0.0, left_[i]);
            prices.token = std::max(0.0, prices.token - length * surplus * token_scale);
        }
        prices = std::move(best);
        return std::min(low, lowest);
    }
};

}  // namespace aspectrum
