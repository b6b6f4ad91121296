// Which build of the loops in loops.hpp runs.
#pragma once

#include "loops.hpp"

#include <atomic>
#include <vector>

namespace aspectrum {

// The builds this CPU can run, widest first.
struct NamedLoops {
    const char* name;
    const LaneLoops* loops;
};
inline std::vector<NamedLoops> runnable_loops() {
    std::vector<NamedLoops> found;
#ifdef ASPECTRUM_X86
    if (__builtin_cpu_supports("avx512f")) found.push_back({"avx512", &lane_loops_avx512});
    if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", &lane_loops_avx2});
#endif
    found.push_back({"plain", &lane_loops_plain});
    return found;
}

inline std::atomic<const LaneLoops*> chosen_loops{nullptr};

inline const LaneLoops& lane_loops() {
    const LaneLoops* loops = chosen_loops.load(std::memory_order_relaxed);
    if (!loops) chosen_loops.store(loops = runnable_loops().front().loops);
    return *loops;
}

}  // namespace aspectrum
