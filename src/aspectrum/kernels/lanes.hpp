// Eight numbers at a time. Every instruction set runs the same eight lanes in the same order, so all give the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASPECTRUM_SANITIZE)
#define ASPECTRUM_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define ASPECTRUM_CLONES
#endif
#define ASPECTRUM_INLINE inline __attribute__((always_inline))

namespace aspectrum {

typedef double Lanes __attribute__((vector_size(64)));
typedef uint64_t WordLanes __attribute__((vector_size(64)));
typedef float HalfLanes __attribute__((vector_size(32)));
constexpr int64_t kLanes = 8;

inline int64_t padded(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

}  // namespace aspectrum
