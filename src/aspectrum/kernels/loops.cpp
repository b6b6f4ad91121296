// See loops.hpp. This file is compiled several times with different instruction sets, so it must not instantiate
// anything that other files could link to: everything here is in the anonymous namespace and nothing is from std.
#include "loops.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace aspectrum {
namespace {

typedef double Lanes __attribute__((vector_size(64)));
typedef uint64_t WordLanes __attribute__((vector_size(64)));
typedef float FloatLanes __attribute__((vector_size(32)));

inline Lanes load(const double* x) {
    Lanes lanes;
    __builtin_memcpy(&lanes, x, sizeof lanes);
    return lanes;
}
inline Lanes load(const float* x) {
#ifdef __AVX512F__
    return reinterpret_cast<Lanes>(_mm512_cvtps_pd(_mm256_loadu_ps(x)));
#else
    FloatLanes lanes;
    __builtin_memcpy(&lanes, x, sizeof lanes);
    return __builtin_convertvector(lanes, Lanes);
#endif
}
// The first n numbers, and zeros.
template <class T>
inline Lanes load(const T* x, int64_t n) {
    if (n >= kLanes) return load(x);
    T rest[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) rest[i] = x[i];
    return load(rest);
}
inline void store(double* x, const Lanes& lanes) {
    __builtin_memcpy(x, &lanes, sizeof lanes);
}
inline double total(const Lanes& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Without squaring anything too small or too large to square.
template <class T>
double scaled_length(const T* v, int64_t n) {
    double largest = 0.0, sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double size = v[i] < 0 ? -static_cast<double>(v[i]) : static_cast<double>(v[i]);
        if (size != size) return size;
        if (size > largest) largest = size;
    }
    if (!(largest > 0.0) || largest > __DBL_MAX__) return largest;
    for (int64_t i = 0; i < n; ++i) sum += (v[i] / largest) * (v[i] / largest);
    const double length = largest * __builtin_sqrt(sum);
    return length < __DBL_MIN__ ? 0.0 : length;  // what has no inverse has no direction
}

template <class T>
void lengths(const T* values, int64_t width, int64_t begin, int64_t end, double* out) {
    for (int64_t r = begin; r < end; ++r) {
        const T* v = values + r * width;
        Lanes sum = {};
        for (int64_t i = 0; i < width; i += kLanes) {
            const Lanes part = load(v + i, width - i);
            sum += part * part;
        }
        const double square = total(sum);
        out[r] = square > 1e-280 && square < 1e280 ? __builtin_sqrt(square) : scaled_length(v, width);
    }
}

template <class T>
void crosses(const DenseList<T>& list, const int32_t* next, int64_t n_next, double* room, double* out) {
    constexpr int64_t parts = 8, wide = parts * kLanes;  // columns whose sums stay in registers while all rows pass by
    for (int64_t j = 0; j < list.n * kLanes; ++j) room[j] = 0.0;
    for (int64_t i = 0; i < list.width; i += wide) {
        const int64_t rest = list.width - i;
        Lanes sums[parts] = {};
        for (int64_t j = 0; j < list.n; ++j) {
            if (j < n_next && next[j] >= 0) {
                const char* ahead = reinterpret_cast<const char*>(list.values + next[j] * list.width + i);
                for (uint64_t b = 0; b < wide * sizeof(T); b += 64) __builtin_prefetch(ahead + b, 0, 2);
            }
            if (list.rows[j] < 0) continue;
            const T* v = list.values + list.rows[j] * list.width + i;
            Lanes x[parts], cross[parts];
            if (rest >= wide) {
                for (int64_t p = 0; p < parts; ++p) x[p] = load(v + p * kLanes);
            } else {
                for (int64_t p = 0; p < parts; ++p) x[p] = rest > p * kLanes ? load(v + p * kLanes, rest - p * kLanes) : Lanes{};
            }
            for (int64_t p = 0; p < parts; ++p) {
                x[p] *= list.scales[j];
                cross[p] = x[p] * sums[p];
                sums[p] += x[p];
            }
            for (int64_t step = parts / 2; step > 0; step /= 2)
                for (int64_t p = 0; p < step; ++p) cross[p] += cross[p + step];
            store(room + j * kLanes, load(room + j * kLanes) + cross[0]);
        }
    }
    for (int64_t j = 0; j < list.n; ++j) out[j] = total(load(room + j * kLanes));
}

template <class T>
void centred(const DenseList<T>& list, double* room, double* squares, double* out) {
    double *first = room, *sums = room + padded(list.width);
    bool begun = false;
    for (int64_t j = 0; j < list.n; ++j) {
        if (list.rows[j] < 0) continue;
        const T* v = list.values + list.rows[j] * list.width;
        Lanes square = {}, cross = {};
        for (int64_t i = 0; i < list.width; i += kLanes) {
            const Lanes x = load(v + i, list.width - i) * list.scales[j];
            if (!begun) store(first + i, x), store(sums + i, Lanes{});
            const Lanes y = x - load(first + i), s = load(sums + i);
            square += y * y;
            cross += y * s;
            store(sums + i, s + y);
        }
        begun = true;
        squares[j] = total(square);
        out[j] = total(cross);
    }
}

double subtract_lost(double* about, const uint64_t* keys, int64_t n, const int* aspects, const double* lost, int m) {
    Lanes largest = {};
    for (int64_t p = 0; p < n; p += kLanes) {
        Lanes x = load(about + p);
        WordLanes key;
        __builtin_memcpy(&key, keys + p, sizeof key);
        for (int a = 0; a < m; ++a) {
            uint64_t bits;
            __builtin_memcpy(&bits, lost + a, sizeof bits);
            const WordLanes taken = (0 - ((key >> static_cast<uint64_t>(aspects[a])) & 1)) & bits;
            x -= reinterpret_cast<Lanes>(taken);
        }
        store(about + p, x);
        largest = x > largest ? x : largest;
    }
    double top = 0.0;
    for (int i = 0; i < kLanes; ++i) top = largest[i] > top ? largest[i] : top;
    return top;
}

}  // namespace

#ifndef ASPECTRUM_LANES
#define ASPECTRUM_LANES lane_loops_plain
#endif
extern const LaneLoops ASPECTRUM_LANES = {
    {lengths<float>, crosses<float>, centred<float>},
    {lengths<double>, crosses<double>, centred<double>},
    subtract_lost,
};

}  // namespace aspectrum
