// Distances between the items of a list.
//
// Cosine and squared Euclidean need no pairs: with running sums S of the vectors and Q of their squared lengths, item k
// is at squared distances  (k-1)|x_k|^2 + Q - 2 x_k . S  in all from those before it, and between unit vectors 1 - cos is
// half the squared distance. Where little is left of those terms (near-duplicates), the list is done again with
// y = x - x_1 in place of x: the y are small, and no digits are lost. Sums run in eight fixed lanes.
#pragma once

#include "arrays.hpp"
#include "gains.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

#include <cmath>
#include <string>

namespace aspectrum {

// Length of each row: infinite or NaN where a value is.
template <class T>
Out<double> dense_lengths(Matrix<T> values) {
    const T* x = values.data();
    const int64_t width = static_cast<int64_t>(values.shape(1));
    std::vector<double> out(values.shape(0));
    {
        nb::gil_scoped_release release;
        parallel_for(static_cast<int64_t>(values.shape(0)), kBlock,
                     [&](int64_t begin, int64_t end) { lane_loops().of(x).lengths(x, width, begin, end, out.data()); });
    }
    return to_array(std::move(out));
}

// The lists, as places of the feature table; a negative place is in no pair.
struct FeatureLists {
    Array<int64_t> offsets_;
    Array<int32_t> places_;
    Stops stops;
    const int64_t* offsets;
    const int32_t* places;

    FeatureLists(Array<int64_t> o, Array<int32_t> p, const Matrix<int32_t>& s, int64_t n_rows)
        : offsets_(o), places_(p), stops(check_stops(s, o)), offsets(o.data()), places(p.data()) {
        const int64_t users = segments(o, static_cast<int64_t>(p.shape(0)));
        check_codes(p.data(), offsets[users], -2, n_rows, "feature row");
    }
};

// Row of each item: -1 if it has none, -2 if it has one that is to be left out.
inline Out<int32_t> feature_places(Array<int32_t> items, std::optional<Array<int32_t>> rows, Array<double> lengths, bool leave_out_zeros) {
    const int64_t n = static_cast<int64_t>(items.shape(0)), n_rows = static_cast<int64_t>(lengths.shape(0));
    std::vector<int32_t> out(n);
    {
        nb::gil_scoped_release release;
        parallel_for(n, 1 << 16, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p) {
                const int32_t item = items.data()[p];
                const int64_t known = rows ? static_cast<int64_t>(rows->shape(0)) : n_rows;
                require(item >= 0, "a negative item code");
                const int32_t row = item >= known ? -1 : rows ? rows->data()[item] : item;
                require(row >= -1 && row < n_rows, "a feature row is out of range");
                out[p] = row >= 0 && leave_out_zeros && lengths.data()[row] == 0.0 ? -2 : row;
            }
        });
    }
    return to_array(std::move(out));
}

// How many places hold a value within each stop, (users, cutoffs).
inline OutMatrix<int32_t> count_places(Array<int64_t> offsets, Array<int32_t> places, Matrix<int32_t> stops_, int32_t value) {
    const int64_t users = segments(offsets, static_cast<int64_t>(places.shape(0)));
    const Stops stops = check_stops(stops_, offsets);
    std::vector<int32_t> out(users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(users, kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                int32_t found = 0, j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    for (; j < stops.of(u)[c]; ++j) found += places.data()[offsets.data()[u] + j] == value;
                    out[u * stops.cutoffs + c] = found;
                }
            }
        });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

// Distances of one list so far, from what each item adds.
struct Growing {
    double distance = 0.0, squares = 0.0, terms = 0.0;
    int64_t n = 0;

    void add(double square, double cross) {
        const double all = static_cast<double>(n) * square + squares;
        distance += std::max(0.0, all - 2.0 * cross);
        terms += all;
        squares += square;
        ++n;
    }
    // Above this, cancellation leaves at least twelve correct digits.
    bool precise() const { return n < 2 || distance >= 1e-3 * terms; }
};

// Squared distances in one list after the other, with the room that takes.
template <class T>
class DenseSquares {
    const T* values_;
    const double* lengths_;
    const int64_t width_;
    const bool unit_;
    const FeatureLists& lists_;
    std::vector<double> scales_, crosses_, squares_, lanes_;
    std::vector<char> precise_;

  public:
    DenseSquares(const T* values, const double* lengths, int64_t width, bool unit, const FeatureLists& lists)
        : values_(values), lengths_(lengths), width_(width), unit_(unit), lists_(lists) {}

    // `n_next` places of the list after it are asked from memory meanwhile.
    void score(int64_t user, int64_t n_next, double* out) {
        const int32_t* rows = lists_.places + lists_.offsets[user];
        const int64_t n = lists_.stops.last(user);
        const auto& loops = lane_loops().of(values_);
        prepare(rows, n);
        precise_.assign(lists_.stops.cutoffs, 0);
        const DenseList<T> list{values_, width_, rows, scales_.data(), n};
        loops.crosses(list, lists_.places + lists_.offsets[user + 1], n_next, lanes_.data(), crosses_.data());
        if (grow(user, rows, out)) return;
        loops.centred(list, lanes_.data(), squares_.data(), crosses_.data());
        grow(user, rows, out);
    }

  private:
    void prepare(const int32_t* rows, int64_t n) {
        if (static_cast<int64_t>(scales_.size()) < n) {
            for (auto* values : {&scales_, &crosses_, &squares_}) values->resize(n);
            lanes_.resize(std::max<int64_t>(n * kLanes, 2 * padded(width_)));
        }
        for (int64_t j = 0; j < n; ++j) {
            const double length = rows[j] < 0 ? 1.0 : lengths_[rows[j]];
            scales_[j] = unit_ ? 1.0 / length : 1.0;
            squares_[j] = unit_ ? 1.0 : length * length;
        }
    }

    // Whether the sums at all cutoffs are precise. A cutoff is judged by its own places, so that asking for another changes
    // nothing.
    bool grow(int64_t user, const int32_t* rows, double* out) {
        Growing growing;
        int32_t j = 0;
        bool all_precise = true;
        for (int64_t c = 0; c < lists_.stops.cutoffs; ++c) {
            for (; j < lists_.stops.of(user)[c]; ++j)
                if (rows[j] >= 0) growing.add(squares_[j], crosses_[j]);
            if (precise_[c]) continue;
            precise_[c] = growing.precise();
            all_precise = all_precise && precise_[c];
            out[c] = unit_ ? 0.5 * growing.distance : growing.distance;
        }
        return all_precise;
    }
};

// Sum over pairs of squared distances between rows, or (`unit`) of 1 - cos, at each stop.
template <class T>
OutMatrix<double> dense_squares(Matrix<T> values, Array<double> lengths, bool unit, Array<int64_t> offsets, Array<int32_t> places,
                                Matrix<int32_t> stops) {
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(values.shape(0)));
    require(lengths.shape(0) == values.shape(0), "one length per row");
    const int64_t n_cutoffs = lists.stops.cutoffs;
    std::vector<double> out(lists.stops.users * n_cutoffs);
    {
        nb::gil_scoped_release release;
        auto make_squares = [&] {
            return DenseSquares<T>(values.data(), lengths.data(), static_cast<int64_t>(values.shape(1)), unit, lists);
        };
        parallel_for(lists.stops.users, 64, make_squares, [&](DenseSquares<T>& squares, int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) squares.score(u, u + 1 < end ? lists.stops.last(u + 1) : 0, out.data() + u * n_cutoffs);
        });
    }
    return to_matrix(std::move(out), lists.stops.users, n_cutoffs);
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
            if (left < right)
                visit(left, values[p++], 0.0);
            else if (right < left)
                visit(right, 0.0, values[q++]);
            else
                visit(left, values[p++], values[q++]);
        }
    }
};

inline Out<double> sparse_lengths(Array<int64_t> offsets, Array<int32_t> columns, Array<double> values, int64_t width) {
    const Sparse x(offsets, columns, values, width);
    const int64_t n = static_cast<int64_t>(offsets.shape(0)) - 1;
    std::vector<double> out(n);
    for (int64_t r = 0; r < n; ++r)
        lane_loops().doubles.lengths(x.values + x.offsets[r], x.offsets[r + 1] - x.offsets[r], 0, 1, out.data() + r);
    return to_array(std::move(out));
}

inline OutMatrix<double> sparse_squares(Array<int64_t> row_offsets, Array<int32_t> columns, Array<double> values, int64_t width,
                                        Array<double> lengths, bool unit, Array<int64_t> offsets, Array<int32_t> places,
                                        Matrix<int32_t> stops) {
    const Sparse x(row_offsets, columns, values, width);
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(row_offsets.shape(0)) - 1);
    require(lengths.shape(0) + 1 == row_offsets.shape(0), "one length per row");
    const int64_t n_cutoffs = lists.stops.cutoffs;
    std::vector<double> out(lists.stops.users * n_cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(
            lists.stops.users, 16, [&] { return std::vector<double>(width, 0.0); },
            [&](auto& sums, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t* rows = lists.places + lists.offsets[u];
                    Growing growing;
                    int32_t first = -1, j = 0;
                    for (int64_t c = 0; c < n_cutoffs; ++c) {
                        for (; j < lists.stops.of(u)[c]; ++j) {
                            if (rows[j] < 0) continue;
                            if (first < 0) first = rows[j];
                            const double mine = unit ? 1.0 / lengths.data()[rows[j]] : 1.0, its = unit ? 1.0 / lengths.data()[first] : 1.0;
                            double square = 0.0, cross = 0.0;
                            x.merge(rows[j], first, [&](int32_t column, double a, double b) {
                                const double y = a * mine - b * its;
                                square += y * y;
                                cross += y * sums[column];
                                sums[column] += y;
                            });
                            growing.add(square, cross);
                        }
                        out[u * n_cutoffs + c] = unit ? 0.5 * growing.distance : growing.distance;
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
            case Pairwise::euclidean:
                return std::sqrt(squares);
            case Pairwise::jaccard:
                return either ? 1.0 - static_cast<double>(both) / static_cast<double>(either) : 0.0;
            default:
                return width ? static_cast<double>(differ) / static_cast<double>(width) : 0.0;
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
                    for (; j < lists.stops.of(u)[c]; ++j) {
                        tick(j);
                        for (int32_t i = 0; rows[j] >= 0 && i < j; ++i)
                            if (rows[i] >= 0) sum += compare(rows[i], rows[j]).distance(kind, width);
                    }
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
    const T* x = values.data();
    const int64_t width = static_cast<int64_t>(values.shape(1));
    return pair_sums(lists, pairwise(distance), width, [&](int32_t a, int32_t b) {
        Comparison found;
        for (int64_t i = 0; i < width; ++i) found.add(x[a * width + i], x[b * width + i]);
        return found;
    });
}

inline OutMatrix<double> sparse_pairs(Array<int64_t> row_offsets, Array<int32_t> columns, Array<double> values, int64_t width,
                                      const std::string& distance, Array<int64_t> offsets, Array<int32_t> places, Matrix<int32_t> stops) {
    const Sparse x(row_offsets, columns, values, width);
    const FeatureLists lists(offsets, places, stops, static_cast<int64_t>(row_offsets.shape(0)) - 1);
    return pair_sums(lists, pairwise(distance), width, [&](int32_t a, int32_t b) {
        Comparison found;
        x.merge(a, b, [&](int32_t, double left, double right) { found.add(left, right); });
        return found;
    });
}

}  // namespace aspectrum
