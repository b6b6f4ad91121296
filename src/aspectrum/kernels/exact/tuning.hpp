// The numbers that shape the exact search. They decide which lists are proved within a budget, so a change of any of them
// changes certificates; none of them changes what a proof says.
#pragma once

#include <cstdint>

namespace aspectrum::tuning {

// What is proved
constexpr double kExact = 1e-12;     // what rounding may leave between two ways of adding up the same list
constexpr double kTailShare = 0.1;   // of kExact: what ranks that are not searched may add together
constexpr double kNothing = 1e-100;  // a share of a value of which nothing can be seen; arithmetic with the smallest numbers is slow
constexpr double kFadedAway = 40.0;  // -log of such a share where strengths fade values: exp(-40) is nothing

// What may be spent
constexpr double kOperationsPerUnit = 1e9;         // a unit of work is about a second
constexpr int64_t kStateBytes = int64_t{1} << 28;  // memory for the states of layers
constexpr double kTableEntries = 4e6;              // tables by rank that are larger are not made, and the bound is what it is without

// How wide the search is
constexpr int64_t kFirstWidth = 16;     // states kept of a layer in the first sweep
constexpr int64_t kWidthGrowth = 8;     // the next sweep is wider by this factor
constexpr int64_t kLeastWidest = 1024;  // width that is always allowed
constexpr int64_t kOvergrown = 4;       // a layer may grow to so many widths ...
constexpr int64_t kOvergrownBy = 4096;  // ... and so many states before it is cut to kCutTo widths
constexpr int64_t kCutTo = 2;
constexpr int64_t kLayersInMemory = 6;  // the one that grows, up to four times as wide, and the two before it
constexpr int64_t kStateOverhead = 64;  // bytes of a state beside what it shows and its list

// How bounds of a layer are tightened
constexpr int kTightenRounds = 8;
constexpr int64_t kFewStates = 30;           // a layer this small is searched rather than tightened again
constexpr double kWorthAnotherRound = 1e-2;  // share of the gap that a round must close

// How prices are found
constexpr int32_t kFirstRootSteps = 100, kRootSteps = 1000, kLayerSteps = 40;
constexpr double kFreshPace = 1.0, kPace = 0.5;  // of steps, as shares of the Polyak step
constexpr double kLeastPace = 1e-3;
constexpr double kSlowDown = 0.6;  // after kPatience steps without progress
constexpr int kPatience = 8;
constexpr double kProgress = 1e-3;                      // share of the gap that counts as progress
constexpr double kMomentum = 0.6;                       // of the last direction
constexpr double kSetScale = 0.02;                      // of prices of sets against those of aspects
constexpr double kTokenPrice = 0.3, kTokenScale = 0.1;  // the first price of a token, and its scale, against what a token gains on average

}  // namespace aspectrum::tuning
