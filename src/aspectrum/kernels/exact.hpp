// The exact ideal list: the largest sum of discounted gains that k items can have, with a proof.
//
// With F(first j items) what the items gain together, the sum is that of (d_j - d_j+1) F(first j items) over j: a list
// is a growing set. The search goes rank by rank. All ways to the same state (how often each aspect was shown, which
// scarce sets were used) meet in one, the best of them. A state is given up when no list through it can beat the best
// list known, by a bound; a layer that is still too wide is cut, and the search repeated with more width, until nothing
// was cut. What was cut last is the proven limit of what may have been missed.
//
// The bound is a Lagrangian relaxation (relaxation.hpp); subgradient steps look for good prices (descent.hpp), at the root
// and again in every layer, for the state that needs them most.
//
// Everything is decided by counted work (effort.hpp), never by a clock: the same problem gives the same certificate everywhere.
#pragma once

#include "exact/search.hpp"

namespace aspectrum {

// The same where every set has one aspect of its own that weighs what it gains: where nothing fades, what items gain adds up.
inline Problem of_own_aspects(const Problem& problem) {
    Problem found;
    for (int32_t s = 0; s < problem.n_sets(); ++s) {
        std::vector<double> gains;
        for (int64_t e = problem.offsets[s]; e < problem.offsets[s + 1]; ++e)
            gains.push_back(problem.weights[problem.aspects[e]] * problem.strength(e));
        std::sort(gains.begin(), gains.end());
        found.weights.push_back(std::accumulate(gains.begin(), gains.end(), 0.0));
        Entries entries{{s, 1.0}};
        found.add_set(entries, problem.copies[s], problem.rows[s], problem.length(s));
    }
    found.strengths.clear();
    found.capacity = problem.capacity;
    found.n_fitting = problem.n_fitting;
    return found;
}

// The best list of at most `depth` items. Ranks that together cannot matter beyond rounding are not searched.
inline Certificate solve_exactly(const Problem& problem, int64_t depth, const double* discounts, double alpha, double budget,
                                 const Stop* stop) {
    depth = std::min(depth, problem.n_items());
    if (depth <= 0) return Certificate{0.0, 0.0, 0.0, true, 0.0, {}, 0};
    // No later gain exceeds the first rank's best, so a tail of ranks adds at most their discounts against the first's.
    double tail = 0.0;
    while (depth > 1 && tail + discounts[depth - 1] <= tuning::kTailShare * tuning::kExact * discounts[0]) tail += discounts[--depth];
    if (alpha == 0.0 && problem.capacity > 0)
        return ExactSearch<Counted>(of_own_aspects(problem), alpha, depth, discounts, budget, stop).solve();
    if (problem.strengths.empty()) return ExactSearch<Counted>(problem, alpha, depth, discounts, budget, stop).solve();
    return ExactSearch<Faded>(problem, alpha, depth, discounts, budget, stop).solve();
}

}  // namespace aspectrum
