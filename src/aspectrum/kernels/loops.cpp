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

template <class T>
double square(const T* x, double x_scale, const T* y, double y_scale, int64_t width) {
    Lanes sum = {};
    for (int64_t i = 0; i < width; i += kLanes) {
        const Lanes apart = load(x + i, width - i) * x_scale - load(y + i, width - i) * y_scale;
        sum += apart * apart;
    }
    return total(sum);
}

template <class T>
void add(const T* x, double scale, int64_t width, double* sums) {
    for (int64_t i = 0; i < width; i += kLanes) store(sums + i, load(sums + i) + load(x + i, width - i) * scale);
}

template <class T>
double square_from(const T* x, double scale, int64_t width, const double* centre) {
    Lanes sum = {};
    for (int64_t i = 0; i < width; i += kLanes) {
        const Lanes apart = load(x + i, width - i) * scale - load(centre + i);
        sum += apart * apart;
    }
    return total(sum);
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

// Those of binary_logarithm, of normal numbers.
inline Lanes binary_logarithms(const Lanes& x) {
    const WordLanes bits = reinterpret_cast<WordLanes>(x);
    Lanes m = reinterpret_cast<Lanes>((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
    Lanes exponent = reinterpret_cast<Lanes>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1022.0);  // 2^52 + e, as its bits
    const Lanes twice = m * 2.0, less = exponent - 1.0;
    exponent = m < 0.7071067811865476 ? less : exponent;
    m = m < 0.7071067811865476 ? twice : m;
    const Lanes s = (m - 1.0) / (m + 1.0), t = s * s;
    Lanes series = t * 0.0 + 1.0 / 23;
    for (int odd = 21; odd >= 3; odd -= 2) series = series * t + 1.0 / odd;
    const Lanes log_of_m = 2.0 * s + 2.0 * s * t * series;
    return exponent + log_of_m * 1.4426950408889634;
}

void js_terms(const double* p_, const double* q_, int64_t n, double* out) {
    for (int64_t at = 0; at < n; at += kLanes) {
        const Lanes p = load(p_ + at), q = load(q_ + at), sum = p + q, d = (p - q) / sum, dd = d * d;
        const Lanes apart = (p * binary_logarithms(2.0 * p / sum) + q * binary_logarithms(2.0 * q / sum)) / 2.0;
        // (1+d) ln(1+d) + (1-d) ln(1-d), times (p+q)/4. Where p and q are close, the logarithms would cancel: a series.
        const Lanes series = dd * (1.0 + dd * (1.0 / 6 + dd * (1.0 / 15 + dd * (1.0 / 28 + dd * (1.0 / 45)))));
        const Lanes close = sum / 4.0 * series * 1.4426950408889634;
        const Lanes found = dd < 0.0009 ? close : apart;
        store(out + at, dd == 1.0 ? sum / 2.0 : found);
    }
}

// Numbers are cut at two places that the largest decides: what is above the first, and between the two, adds without rounding; what
// is below both is left out, far behind the last digit of the sum (Rump, Ogita and Oishi, 2008).
double sum(const double* x, int64_t n) {
    Lanes largest = {};
    for (int64_t at = 0; at < n; at += kLanes) {
        const Lanes part = load(x + at), size = part < 0.0 ? -part : part;
        largest = size > largest ? size : largest;
    }
    double top = 0.0;
    for (int i = 0; i < kLanes; ++i) top = largest[i] > top ? largest[i] : top;
    if (top > 1e250) return top;
    int of_n, of_top;
    (void)__builtin_frexp(static_cast<double>(n + 2), &of_n);
    (void)__builtin_frexp(top, &of_top);
    const double first = __builtin_ldexp(1.0, of_top + of_n), second = __builtin_ldexp(first, of_n - 53);
    Lanes high = {}, low = {};
    for (int64_t at = 0; at < n; at += kLanes) {
        const Lanes part = load(x + at), above = (first + part) - first;
        high += above;
        low += (second + (part - above)) - second;
    }
    return total(high) + total(low);
}

}  // namespace

#ifndef ASPECTRUM_LANES
#define ASPECTRUM_LANES lane_loops_plain
#endif
extern const LaneLoops ASPECTRUM_LANES = {
    {lengths<float>, crosses<float>, centred<float>, square<float>, add<float>, square_from<float>},
    {lengths<double>, crosses<double>, centred<double>, square<double>, add<double>, square_from<double>},
    subtract_lost,
    js_terms,
    sum,
};

}  // namespace aspectrum
