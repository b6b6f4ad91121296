// The loops that run eight numbers at a time, built once for each instruction set and chosen when the module loads.
// Every build runs the same eight lanes in the same order without fused operations, so all give the same bits.
#pragma once

#include <cstdint>

namespace aspectrum {

constexpr int64_t kLanes = 8;

static inline int64_t padded(int64_t n) {
    return (n + kLanes - 1) / kLanes * kLanes;
}

// A dense matrix of features and the rows of one list in it (negative: none), each with a scale.
template <class T>
struct DenseList {
    const T* values;
    int64_t width;
    const int32_t* rows;
    const double* scales;
    int64_t n;
};

template <class T>
struct DenseLoops {
    // Length of each row from begin to end.
    void (*lengths)(const T* values, int64_t width, int64_t begin, int64_t end, double* out);
    // x_k . (sum of the x before k) for each place k, where x is a row times its scale. `next` rows are asked from memory
    // in step. `room` holds 8 n doubles.
    void (*crosses)(const DenseList<T>& list, const int32_t* next, int64_t n_next, double* room, double* out);
    // |y_k|^2 and y_k . (sum of the y before k), where y_k = x_k - x_1. `room` holds 2 padded(width) doubles.
    void (*centred)(const DenseList<T>& list, double* room, double* squares, double* out);
    // |x - y|^2 of two rows, each times its scale.
    double (*square)(const T* x, double x_scale, const T* y, double y_scale, int64_t width);
    // Adds a row times its scale to padded(width) sums.
    void (*add)(const T* x, double scale, int64_t width, double* sums);
    // |x - centre|^2 of a row times its scale; the centre has padded(width) numbers.
    double (*square_from)(const T* x, double scale, int64_t width, const double* centre);
};

struct LaneLoops {
    DenseLoops<float> floats;
    DenseLoops<double> doubles;
    // Subtracts what candidates lost with an item that was taken; returns the largest that remains. n is whole lanes.
    double (*subtract_lost)(double* about, const uint64_t* keys, int64_t n, const int* aspects, const double* lost, int m);
    // What each aspect adds to the Jensen-Shannon divergence of two distributions, in bits. n is whole lanes; p and q are not both 0.
    void (*js_terms)(const double* p, const double* q, int64_t n, double* out);
    // The sum of n numbers, whole lanes; the same bits in any order.
    double (*sum)(const double* x, int64_t n);

    const DenseLoops<float>& of(const float*) const { return floats; }
    const DenseLoops<double>& of(const double*) const { return doubles; }
};

extern const LaneLoops lane_loops_plain;
#ifdef ASPECTRUM_X86
extern const LaneLoops lane_loops_avx2;
extern const LaneLoops lane_loops_avx512;
#endif

}  // namespace aspectrum
