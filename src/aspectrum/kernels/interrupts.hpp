// Long loops that can be interrupted. Whoever computes calls tick(); now and then the thread that called the kernel asks Python
// for signals, and the others look whether they are to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>

namespace aspectrum {

// Set by the module: acquires the GIL, and throws if a signal handler raised.
inline void (*ask_python)() = nullptr;

// Thrown in threads whose work is not wanted any more.
struct Stopped : std::exception {};

namespace interrupts {

using Clock = std::chrono::steady_clock;
inline constexpr int64_t kWorkBetweenLooks = 1 << 16;  // units of at most some microseconds
inline constexpr auto kTimeBetweenQuestions = std::chrono::milliseconds(50);

struct Thread {
    bool asks = true;                             // false in threads that a kernel started
    const std::atomic<bool>* stopping = nullptr;  // of the loop that such a thread works for
    int64_t work = 0;
    Clock::rep asked = 0;  // when, in ticks of the clock
};
inline thread_local Thread thread;

inline void look() {
    if (thread.stopping && thread.stopping->load(std::memory_order_relaxed)) throw Stopped{};
    if (!thread.asks || !ask_python) return;
    const auto now = Clock::now().time_since_epoch();
    if (now - Clock::duration(thread.asked) < kTimeBetweenQuestions) return;
    thread.asked = now.count();
    ask_python();
}

}  // namespace interrupts

// `work` units were done.
inline void tick(int64_t work) {
    interrupts::thread.work += work;
    if (interrupts::thread.work < interrupts::kWorkBetweenLooks) return;
    interrupts::thread.work = 0;
    interrupts::look();
}

}  // namespace aspectrum
