// What is left of an aspect's value after it was shown: two kinds of judgments.
#pragma once

#include "../problem.hpp"
#include "tuning.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace aspectrum {

// Every judgment counts in full: what is left depends on how often the aspect was shown.
struct Counted {
    using Shown = uint32_t;  // times
    static constexpr bool kFull = true;

    const std::vector<double>& weights;
    double beta;
    std::vector<double> powers;

    Counted(const Problem& problem, double alpha, int64_t depth) : weights(problem.weights), beta(1.0 - alpha), powers(depth + 1, 1.0) {
        for (int64_t c = 1; c <= depth; ++c) powers[c] = powers[c - 1] < tuning::kNothing ? 0.0 : powers[c - 1] * beta;
    }
    Shown unseen(int32_t) const { return 0; }
    double left(int32_t aspect, Shown shown) const { return weights[aspect] * powers[shown]; }
    Shown after(Shown shown, double) const { return shown + 1; }
    static double amount(double, double) { return 1.0; }

    // The most that an aspect can add at one rank beyond its price, `most` more items having it; and how many do then.
    double choose(double step, double left, double price, int64_t most, double& chosen) const {
        double sum = 0.0;
        double gain = step * left;
        int32_t taken = 0;
        for (; taken < most && gain > price; ++taken) {
            sum += gain - price;
            gain *= beta;
        }
        chosen = taken;
        return sum;
    }
};

// Judgments have strengths: what is left is w exp(-y), where every item adds -log(1 - alpha s) to y.
struct Faded {
    using Shown = double;  // the value that is left
    static constexpr bool kFull = false;

    const std::vector<double>& weights;
    double alpha;

    Faded(const Problem& problem, double alpha_, int64_t) : weights(problem.weights), alpha(alpha_) {}
    Shown unseen(int32_t aspect) const { return weights[aspect]; }
    double left(int32_t, Shown shown) const { return shown; }
    Shown after(Shown shown, double strength) const { return shown * (1.0 - alpha * strength); }
    static double amount(double alpha, double strength) {
        return std::min(tuning::kFadedAway, static_cast<double>(-std::log1p(-static_cast<long double>(alpha) * strength)));
    }

    double choose(double step, double left, double price, int64_t most, double& chosen) const {
        const double whole = step * left / alpha;
        if (price >= whole || most <= 0) {
            chosen = 0.0;
            return 0.0;
        }
        if (price <= 0.0) {
            chosen = tuning::kFadedAway;
            return whole;
        }
        // whole - price - price log(whole / price), without the difference of large numbers. In long double, rounded once:
        // the same bits on every CPU, which plain log1p does not promise.
        const long double above = (static_cast<long double>(whole) - price) / price, times = std::log1p(above);
        chosen = static_cast<double>(times);
        return static_cast<double>(price * (above - times));
    }
};

// One problem at one cutoff: how lists are valued.
template <class Terms>
struct Instance {
    using Shown = typename Terms::Shown;

    const Problem& problem;
    Terms terms;
    double alpha;
    int32_t n_aspects, n_ranks;
    std::vector<double> discounts, steps;  // of ranks; what a rank counts more than the next
    std::vector<Shown> unseen;

    Instance(const Problem& problem_, double alpha_, int64_t depth, const double* discounts_)
        : problem(problem_), terms(problem_, alpha_, depth), alpha(alpha_), n_aspects(static_cast<int32_t>(problem_.n_aspects())),
          n_ranks(static_cast<int32_t>(depth)), discounts(discounts_, discounts_ + depth) {
        discounts.push_back(0.0);
        for (int32_t j = 0; j < n_ranks; ++j) steps.push_back(discounts[j] - discounts[j + 1]);
        for (int32_t i = 0; i < n_aspects; ++i) unseen.push_back(terms.unseen(i));
    }

    // Where aspects and ranks meet in a table.
    size_t at(int32_t aspect, int32_t rank) const { return static_cast<size_t>(aspect) * n_ranks + rank; }

    std::vector<double> left(const Shown* shown) const {
        std::vector<double> values(n_aspects);
        for (int32_t i = 0; i < n_aspects; ++i) values[i] = terms.left(i, shown[i]);
        return values;
    }

    // The value of a list of the problem's sets, added up in an order that the names of aspects cannot change.
    double value_of(const std::vector<int32_t>& list) const {
        std::vector<Shown> shown(unseen);
        std::vector<double> gains;
        double value = 0.0;
        for (size_t j = 0; j < list.size(); ++j) {
            gains.clear();
            for (int64_t e = problem.offsets[list[j]]; e < problem.offsets[list[j] + 1]; ++e) {
                Shown& of = shown[problem.aspects[e]];
                gains.push_back(terms.left(problem.aspects[e], of) * problem.strength(e));
                of = terms.after(of, problem.strength(e));
            }
            std::sort(gains.begin(), gains.end());
            value += discounts[j] * std::accumulate(gains.begin(), gains.end(), 0.0);
        }
        return value;
    }
};

}  // namespace aspectrum
