// Distances between the items of a list.
//
// Cosine and squared Euclidean need no pairs. With y = x - c for any fixed c, adding item k to those before it
// adds  (k-1)|y_k|^2 + sum |y_i|^2 - 2 y_k . sum y_i  to the sum of squared distances, and between unit vectors
// 1 - cos is half the squared distance. With c the list's first item, near-duplicates leave y small and lose no
// digits. Sums run in eight fixed lanes, so every instruction set gives the same bits.
#pragma once

#include "arrays.hpp"
#include "gains.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

#include <cstdlib>
#include <cstring>

namespace aspectrum {

// Zeroed, cache-line aligned room for n lanes.
struct Aligned {
    std::unique_ptr<Lanes[], void (*)(void*)> lanes;

    explicit Aligned(int64_t n) : lanes(static_cast<Lanes*>(std::aligned_alloc(64, std::max<int64_t>(n, 1) * sizeof(Lanes))), std::free) {
        if (!lanes) throw std::bad_alloc();
        std::memset(static_cast<void*>(lanes.get()), 0, std::max<int64_t>(n, 1) * sizeof(Lanes));
    }
};

ASPECTRUM_INLINE void load(const double* x, Lanes& to) { std::memcpy(&to, x, sizeof to); }
ASPECTRUM_INLINE void load(const float* x, Lanes& to) {
    HalfLanes half;
    std::memcpy(&half, x, sizeof half);
    to = __builtin_convertvector(half, Lanes);
}
template <class T>
ASPECTRUM_INLINE void load(const T* x, int64_t n, Lanes& to) {
    T rest[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) rest[i] = x[i];
    load(rest, to);
}
ASPECTRUM_INLINE double total(const Lanes& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Feature vectors as rows of a dense matrix. `rows` maps items to rows (-1: no features).
template <class T>
struct Dense {
    const T* values;
    int64_t width;
    const T* row(int32_t r) const { return values + static_cast<int64_t>(r) * width; }
};

template <class T>
ASPECTRUM_INLINE void dense_norms_body(const Dense<T>& x, int64_t begin, int64_t end, double* out) {
    for (int64_t r = begin; r < end; ++r) {
        const T* v = x.row(static_cast<int32_t>(r));
        Lanes sum = {}, part;
        int64_t i = 0;
        for (; i + kLanes <= x.width; i += kLanes) load(v + i, part), sum += part * part;
        if (i < x.width) load(v + i, x.width - i, part), sum += part * part;
        out[r] = std::sqrt(total(sum));
    }
}
ASPECTRUM_CLONES inline void dense_norms_of(const Dense<float>& x, int64_t b, int64_t e, double* out) { dense_norms_body(x, b, e, out); }
ASPECTRUM_CLONES inline void dense_norms_of(const Dense<double>& x, int64_t b, int64_t e, double* out) { dense_norms_body(x, b, e, out); }

// Length of each row: inf or NaN where a value is.
template <class T>
Out<double> dense_norms(Matrix<T> values) {
    const Dense<T> x{values.data(), static_cast<int64_t>(values.shape(1))};
    std::vector<double> out(values.shape(0));
    {
        nb::gil_scoped_release release;
        parallel_for(static_cast<int64_t>(values.shape(0)), kBlock, [&](int64_t b, int64_t e) { dense_norms_of(x, b, e, out.data()); });
    }
    return to_array(std::move(out));
}

// The lists, as places of the feature table; a place of -1 is in no pair.
struct FeatureLists {
    Array<int64_t> offsets_;
    Array<int32_t> places_;
    Stops stops;
    const int64_t* offsets;
    const int32_t* places;

    FeatureLists(Array<int64_t> o, Array<int32_t> p, const Matrix<int32_t>& s, int64_t n_rows)
        : offsets_(o), places_(p), stops(check_stops(s, o)), offsets(o.data()), places(p.data()) {
        const int64_t users = segments(o, static_cast<int64_t>(p.shape(0)));
        check_codes(p.data(), offsets[users], -1, n_rows, "feature row");
    }
};

template <class T>
ASPECTRUM_INLINE void dense_squares_body(const Dense<T>& x, const double* scales, const FeatureLists& lists, int64_t begin,
                                         int64_t end, Lanes* first, Lanes* sums, double* out) {
    const int64_t whole = x.width / kLanes, rest = x.width % kLanes, blocks = whole + (rest ? 1 : 0);
    const int64_t n_cutoffs = lists.stops.cutoffs;
    for (int64_t u = begin; u < end; ++u) {
        const int32_t* places = lists.places + lists.offsets[u];
        const int32_t last = lists.stops.last(u);
        double distance = 0.0, squares = 0.0;
        int64_t n = 0;
        int32_t j = 0;
        for (int64_t c = 0; c < n_cutoffs; ++c) {
            for (; j < lists.stops.of(u)[c]; ++j) {
                if (j + 4 < last && places[j + 4] >= 0) {
                    const char* ahead = reinterpret_cast<const char*>(x.row(places[j + 4]));
                    for (int64_t b = 0; b < x.width * static_cast<int64_t>(sizeof(T)); b += 64) __builtin_prefetch(ahead + b);
                }
                if (places[j] < 0) continue;
                const T* v = x.row(places[j]);
                const double scale = scales ? scales[places[j]] : 1.0;
                Lanes part, square = {}, cross = {};
                if (n == 0) {
                    for (int64_t b = 0; b < blocks; ++b) {
                        if (b < whole) load(v + b * kLanes, part); else load(v + b * kLanes, rest, part);
                        first[b] = part * scale;
                        sums[b] = Lanes{};
                    }
                } else {
                    for (int64_t b = 0; b < whole; ++b) {
                        load(v + b * kLanes, part);
                        const Lanes y = part * scale - first[b];
                        square += y * y;
                        cross += y * sums[b];
                        sums[b] += y;
                    }
                    if (rest) {
                        load(v + whole * kLanes, rest, part);
                        const Lanes y = part * scale - first[whole];
                        square += y * y;
                        cross += y * sums[whole];
                        sums[whole] += y;
                    }
                    const double q = total(square);
                    distance += std::max(0.0, n * q + squares - 2.0 * total(cross));
                    squares += q;
                }
                ++n;
            }
            out[u * n_cutoffs + c] = distance;
        }
    }
}
ASPECTRUM_CLONES inline void dense_squares_of(const Dense<float>& x, const double* s, const FeatureLists& l, int64_t b, int64_t e,
                                              Lanes* first, Lanes* sums, double* out) {
    dense_squares_body(x, s, l, b, e, first, sums, out);
}
ASPECTRUM_CLONES inline void dense_squares_of(const Dense<double>& x, const double* s, const FeatureLists& l, int64_t b, int64_t e,
                                              Lanes* first, Lanes* sums, double* out) {
    dense_squares_body(x, s, l, b, e, first, sums, out);
}

// Sum over pairs of squared distances between rows times their scales, at each stop.
template <class T>
OutMatrix<double> dense_squares(Matrix<T> values, std::optional<Array<double>> scales, Array<int64_t> offsets, Array<int32_t> places,
                                Matrix<int32_t> stops) {
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(values.shape(0)));
    if (scales) require(scales->shape(0) == values.shape(0), "one scale per row");
    const Dense<T> x{values.data(), static_cast<int64_t>(values.shape(1))};
    std::vector<double> out(lists.stops.users * lists.stops.cutoffs);
    {
        nb::gil_scoped_release release;
        auto make_scratch = [&] { return std::make_pair(Aligned(padded(x.width) / kLanes), Aligned(padded(x.width) / kLanes)); };
        parallel_for(lists.stops.users, 64, make_scratch, [&](auto& scratch, int64_t b, int64_t e) {
            dense_squares_of(x, scales ? scales->data() : nullptr, lists, b, e, scratch.first.lanes.get(), scratch.second.lanes.get(), out.data());
        });
    }
    return to_matrix(std::move(out), lists.stops.users, lists.stops.cutoffs);
}

// Feature vectors as sorted (column, value) entries per row.
struct Sparse {
    const int64_t* offsets;
    const int32_t* columns;
    const double* values;
    int64_t width;

    Sparse(const Array<int64_t>& o, const Array<int32_t>& c, const Array<double>& v, int64_t w)
        : offsets(o.data()), columns(c.data()), values(v.data()), width(w) {
        const int64_t n = segments(o, static_cast<int64_t>(c.shape(0)));
        require(c.shape(0) == v.shape(0), "one value per column index");
        check_codes(columns, static_cast<int64_t>(c.shape(0)), 0, w, "feature column");
        for (int64_t r = 0; r < n; ++r)
            for (int64_t p = offsets[r] + 1; p < offsets[r + 1]; ++p)
                require(columns[p - 1] < columns[p], "columns of a sparse row must ascend");
    }

    // visit(column, a's value, b's value) over every column that either row has.
    template <class Visit>
    void merge(int32_t a, int32_t b, Visit visit) const {
        int64_t p = offsets[a], q = offsets[b];
        while (p < offsets[a + 1] || q < offsets[b + 1]) {
            const int32_t left = p < offsets[a + 1] ? columns[p] : INT32_MAX;
            const int32_t right = q < offsets[b + 1] ? columns[q] : INT32_MAX;
            if (left < right) visit(left, values[p++], 0.0);
            else if (right < left) visit(right, 0.0, values[q++]);
            else visit(left, values[p++], values[q++]);
        }
    }
};

inline Out<double> sparse_norms(Array<int64_t> offsets, Array<int32_t> columns, Array<double> values, int64_t width) {
    const Sparse x(offsets, columns, values, width);
    const int64_t n = static_cast<int64_t>(offsets.shape(0)) - 1;
    std::vector<double> out(n);
    for (int64_t r = 0; r < n; ++r) {
        double sum = 0.0;
        for (int64_t p = x.offsets[r]; p < x.offsets[r + 1]; ++p) sum += x.values[p] * x.values[p];
        out[r] = std::sqrt(sum);
    }
    return to_array(std::move(out));
}

inline OutMatrix<double> sparse_squares(Array<int64_t> row_offsets, Array<int32_t> columns, Array<double> values, int64_t width,
                                        std::optional<Array<double>> scales, Array<int64_t> offsets, Array<int32_t> places,
                                        Matrix<int32_t> stops) {
    const Sparse x(row_offsets, columns, values, width);
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(row_offsets.shape(0)) - 1);
    if (scales) require(scales->shape(0) + 1 == row_offsets.shape(0), "one scale per row");
    const int64_t n_cutoffs = lists.stops.cutoffs;
    std::vector<double> out(lists.stops.users * n_cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(lists.stops.users, 16, [&] { return std::vector<double>(width, 0.0); }, [&](auto& sums, int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const int32_t* rows = lists.places + lists.offsets[u];
                double distance = 0.0, squares = 0.0;
                int64_t n = 0;
                int32_t first = -1, j = 0;
                for (int64_t c = 0; c < n_cutoffs; ++c) {
                    for (; j < lists.stops.of(u)[c]; ++j) {
                        if (rows[j] < 0) continue;
                        if (n++ == 0) {
                            first = rows[j];
                            continue;
                        }
                        const double mine = scales ? scales->data()[rows[j]] : 1.0, its = scales ? scales->data()[first] : 1.0;
                        double q = 0.0, cross = 0.0;
                        x.merge(rows[j], first, [&](int32_t column, double a, double b) {
                            const double y = a * mine - b * its;
                            q += y * y;
                            cross += y * sums[column];
                            sums[column] += y;
                        });
                        distance += std::max(0.0, (n - 1) * q + squares - 2.0 * cross);
                        squares += q;
                    }
                    out[u * n_cutoffs + c] = distance;
                }
                for (int32_t i = 0; i < j; ++i)
                    if (rows[i] >= 0) x.merge(rows[i], first, [&](int32_t column, double, double) { sums[column] = 0.0; });
            }
        });
    }
    return to_matrix(std::move(out), lists.stops.users, n_cutoffs);
}

// Distances that need every pair.
enum class Pairwise { euclidean, jaccard, hamming };

inline Pairwise pairwise(const std::string& name) {
    if (name == "euclidean") return Pairwise::euclidean;
    if (name == "jaccard") return Pairwise::jaccard;
    if (name == "hamming") return Pairwise::hamming;
    throw std::invalid_argument("unknown distance " + name);
}

// What two vectors have in common, column by column.
struct Comparison {
    double squares = 0.0;
    int64_t both = 0, either = 0, differ = 0;

    void add(double a, double b) {
        squares += (a - b) * (a - b);
        both += a != 0.0 && b != 0.0;
        either += a != 0.0 || b != 0.0;
        differ += a != b;
    }
    double distance(Pairwise kind, int64_t width) const {
        switch (kind) {
            case Pairwise::euclidean: return std::sqrt(squares);
            case Pairwise::jaccard: return either ? 1.0 - static_cast<double>(both) / static_cast<double>(either) : 0.0;
            default: return width ? static_cast<double>(differ) / static_cast<double>(width) : 0.0;
        }
    }
};

template <class Compare>
OutMatrix<double> pair_sums(const FeatureLists& lists, Pairwise kind, int64_t width, Compare compare) {
    const int64_t n_cutoffs = lists.stops.cutoffs;
    std::vector<double> out(lists.stops.users * n_cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(lists.stops.users, 16, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const int32_t* rows = lists.places + lists.offsets[u];
                double sum = 0.0;
                int32_t j = 0;
                for (int64_t c = 0; c < n_cutoffs; ++c) {
                    for (; j < lists.stops.of(u)[c]; ++j)
                        for (int32_t i = 0; rows[j] >= 0 && i < j; ++i)
                            if (rows[i] >= 0) sum += compare(rows[i], rows[j]).distance(kind, width);
                    out[u * n_cutoffs + c] = sum;
                }
            }
        });
    }
    return to_matrix(std::move(out), lists.stops.users, n_cutoffs);
}

template <class T>
OutMatrix<double> dense_pairs(Matrix<T> values, const std::string& distance, Array<int64_t> offsets, Array<int32_t> places,
                              Matrix<int32_t> stops) {
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(values.shape(0)));
    const Dense<T> x{values.data(), static_cast<int64_t>(values.shape(1))};
    return pair_sums(lists, pairwise(distance), x.width, [&](int32_t a, int32_t b) {
        Comparison found;
        for (int64_t i = 0; i < x.width; ++i) found.add(x.row(a)[i], x.row(b)[i]);
        return found;
    });
}

inline OutMatrix<double> sparse_pairs(Array<int64_t> row_offsets, Array<int32_t> columns, Array<double> values, int64_t width,
                                      const std::string& distance, Array<int64_t> offsets, Array<int32_t> places,
                                      Matrix<int32_t> stops) {
    const Sparse x(row_offsets, columns, values, width);
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(row_offsets.shape(0)) - 1);
    return pair_sums(lists, pairwise(distance), width, [&](int32_t a, int32_t b) {
        Comparison found;
        x.merge(a, b, [&](int32_t, double left, double right) { found.add(left, right); });
        return found;
    });
}

}  // namespace aspectrum
