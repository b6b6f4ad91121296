// Work shared by all cores. What a thread computes for a user never depends on how users were shared out.
#pragma once

#include "interrupts.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace aspectrum {

// Of the thread that calls a kernel: what one caller allows does not concern the others.
inline thread_local int thread_limit = 0;

inline int threads() {
    return thread_limit > 0 ? thread_limit : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Calls body(scratch, begin, end) over blocks of [0, n); every thread makes its own scratch once. An interrupt, or any other
// failure, ends all threads at their next tick.
template <class MakeScratch, class Body>
void parallel_for(int64_t n, int64_t block, MakeScratch make_scratch, Body body) {
    std::atomic<int64_t> next{0};
    std::atomic<bool> stopping{false};
    std::exception_ptr failure;
    std::mutex state;
    std::condition_variable ended;
    size_t n_ended = 0;
    auto fail = [&] {
        std::lock_guard<std::mutex> lock(state);
        if (!failure) failure = std::current_exception();
        stopping.store(true);
        next.store(n);
    };
    auto work = [&] {
        try {
            auto scratch = make_scratch();
            for (;;) {
                const int64_t begin = next.fetch_add(block);
                if (begin >= n) break;
                body(scratch, begin, std::min(n, begin + block));
                interrupts::look();
            }
        } catch (const Stopped&) {
            // another thread says why
        } catch (...) {
            fail();
        }
    };
    const int64_t useful = std::min<int64_t>(threads(), (n + block - 1) / block);
    std::vector<std::thread> others;
    others.reserve(static_cast<size_t>(std::max<int64_t>(0, useful - 1)));
    try {
        for (int64_t t = 1; t < useful; ++t) {
            others.emplace_back([&] {
                interrupts::thread = {false, &stopping, 0, 0};
                work();
                std::lock_guard<std::mutex> lock(state);
                ++n_ended;
                ended.notify_one();
            });
        }
    } catch (const std::exception&) {
        // the machine gives no more threads: the ones there are do the work
    }
    work();
    for (std::unique_lock<std::mutex> lock(state); n_ended < others.size();) {
        if (ended.wait_for(lock, interrupts::kTimeBetweenQuestions) != std::cv_status::timeout) continue;
        lock.unlock();
        try {
            interrupts::look();
        } catch (...) {
            fail();
        }
        lock.lock();
    }
    for (auto& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

template <class Body>
void parallel_for(int64_t n, int64_t block, Body body) {
    parallel_for(n, block, [] { return 0; }, [&](int, int64_t begin, int64_t end) { body(begin, end); });
}

}  // namespace aspectrum
