// Work, counted in operations as they stand in the code, never by a clock: the same problem gives the same certificate
// everywhere.
#pragma once

#include "tuning.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace aspectrum {

// Raised from another thread when the answer is not wanted any more.
struct Stop {
    std::atomic<bool> raised{false};
};

class Effort {
    double done_ = 0.0;
    double budget_;
    const Stop* stop_;

  public:
    Effort(double units, const Stop* stop) : budget_(units * tuning::kOperationsPerUnit), stop_(stop) {}

    void add(double operations) { done_ += operations; }
    double units() const { return done_ / tuning::kOperationsPerUnit; }
    bool spent() const { return done_ >= budget_ || (stop_ && stop_->raised.load(std::memory_order_relaxed)); }
};

// What the steps of the search cost. `full` stands for judgments without strengths, whose values come from tables.
struct Cost {
    double aspects, ranks;
    bool full;

    static constexpr double kContainment = 8.0;  // of one set in another
    static constexpr double kCandidate = 10.0;   // one more item after a state
    static double greedy_rank(double entries, double sets) { return entries + sets; }
    static double set_scales(double entries, double sets) { return entries + 4.0 * sets; }
    static double chosen(double times) { return 2.0 * times; }

    double simple_bound(double items) const { return 20.0 * items + 4.0 * aspects * ranks; }
    double relaxation(double left, double entries, double sets) const { return left * (entries + sets + 6.0 * aspects * (full ? 1 : 8)); }
    double dropping(double entries, double sets) const { return 2.0 * ranks * (entries + sets); }
    double preparation(double left, double entries, double sets, double depth) const {
        return left * (entries + 4.0 * sets + (full ? 8.0 * aspects * (depth + 1) : 0.0));
    }
    double state_bound(double left, double sets) const { return sets + aspects * (full ? 2.0 : 8.0 * left) + 4.0 * ranks; }
    double gains(double entries, double used, double sets) const { return 2.0 * entries + 4.0 * used + sets / 4.0 + aspects; }
    double base_bound(double left) const { return aspects * (full ? 1.0 : 8.0 * left) + 2.0 * left; }
    double last_copy(double left) const { return 4.0 * left; }
    double candidate(double left, double entries) const { return entries * (full ? 4.0 : 16.0 * left) + kCandidate; }
    double state(double depth) const { return 4.0 * (aspects + depth) + 60.0; }
    double narrowing(double depth, double states) const { return (40.0 + 4.0 * (aspects + depth)) * states; }
};

}  // namespace aspectrum
