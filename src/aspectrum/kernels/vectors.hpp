// Items as vectors with a distance between any two, dense or sparse. Squared distances are sums of squared differences, so that
// near-duplicates lose no digits; 1 - cos is half the squared distance of unit vectors.
#pragma once

#include "distances.hpp"

namespace aspectrum {

// What is common to dense and sparse vectors: which distance, and how long each is.
class Distances {
    Array<double> lengths_;
    std::optional<Pairwise> pairwise_;  // none: a multiple of the squared distance
    bool unit_;

  public:
    Distances(Array<double> lengths, const std::string& distance) : lengths_(lengths), unit_(distance == "cosine") {
        if (!unit_ && distance != "squared_euclidean") pairwise_ = pairwise(distance);
    }
    int64_t n_rows() const { return static_cast<int64_t>(lengths_.shape(0)); }
    bool unit() const { return unit_; }
    bool squared() const { return !pairwise_; }
    // What a squared distance of scaled vectors counts.
    double factor() const { return unit_ ? 0.5 : 1.0; }

  protected:
    double scale(int32_t row) const { return unit_ ? 1.0 / lengths_.data()[row] : 1.0; }
    double of(const Comparison& found, int64_t width) const { return found.distance(*pairwise_, width); }
};

template <class T>
class DenseVectors : public Distances {
    Matrix<T> values_;

    const T* row(int32_t r) const { return values_.data() + r * width(); }
    static const DenseLoops<T>& loops() { return lane_loops().of(static_cast<const T*>(nullptr)); }

  public:
    DenseVectors(Matrix<T> values, Array<double> lengths, const std::string& distance) : Distances(lengths, distance), values_(values) {
        require(lengths.shape(0) == values.shape(0), "one length per row");
    }
    int64_t width() const { return static_cast<int64_t>(values_.shape(1)); }

    double distance(int32_t a, int32_t b) const {
        if (squared()) return factor() * loops().square(row(a), scale(a), row(b), scale(b), width());
        Comparison found;
        for (int64_t i = 0; i < width(); ++i) found.add(row(a)[i], row(b)[i]);
        return of(found, width());
    }

    // Whether few enough dimensions to hold the products of any two of them.
    bool narrower_than(int64_t n) const { return width() < n; }
    void scaled(int32_t r, double* out) const {
        for (int64_t i = 0; i < width(); ++i) out[i] = static_cast<double>(row(r)[i]) * scale(r);
    }

    // The mean of some vectors, and squared distances from it.
    class Mean {
        const DenseVectors& vectors_;
        std::vector<double> mean_;

      public:
        explicit Mean(const DenseVectors& vectors) : vectors_(vectors) {}
        void set(const std::vector<int32_t>& rows) {
            mean_.assign(padded(vectors_.width()), 0.0);
            for (const int32_t r : rows) loops().add(vectors_.row(r), vectors_.scale(r), vectors_.width(), mean_.data());
            for (double& x : mean_) x /= static_cast<double>(rows.size());
        }
        double square(int32_t r) { return loops().square_from(vectors_.row(r), vectors_.scale(r), vectors_.width(), mean_.data()); }
    };
};

class SparseVectors : public Distances {
    Array<int64_t> offsets_;
    Array<int32_t> columns_;
    Array<double> values_;
    Sparse x_;
    int64_t n_columns_ = 0;

  public:
    SparseVectors(Array<int64_t> offsets, Array<int32_t> columns, Array<double> values, int64_t width, Array<double> lengths,
                  const std::string& distance)
        : Distances(lengths, distance), offsets_(offsets), columns_(columns), values_(values), x_(offsets, columns, values, width) {
        require(lengths.shape(0) + 1 == offsets.shape(0), "one length per row");
        for (size_t p = 0; p < columns.shape(0); ++p) n_columns_ = std::max<int64_t>(n_columns_, columns.data()[p] + 1);
    }

    double distance(int32_t a, int32_t b) const {
        if (squared()) {
            const double mine = scale(a), its = scale(b);
            double sum = 0.0;
            x_.merge(a, b, [&](int32_t, double left, double right) {
                const double apart = left * mine - right * its;
                sum += apart * apart;
            });
            return factor() * sum;
        }
        Comparison found;
        x_.merge(a, b, [&](int32_t, double left, double right) { found.add(left, right); });
        return of(found, x_.width);
    }

    bool narrower_than(int64_t) const { return false; }
    void scaled(int32_t, double*) const {}
    int64_t width() const { return 0; }

    class Mean {
        const SparseVectors& vectors_;
        const Sparse& x_;
        std::vector<double> mean_;
        std::vector<char> in_mean_, in_row_;
        std::vector<int32_t> columns_;  // that the mean has, in the order in which they came
        double squares_ = 0.0;

      public:
        explicit Mean(const SparseVectors& vectors) : vectors_(vectors), x_(vectors.x_) {}

        void set(const std::vector<int32_t>& rows) {
            const size_t n_columns = static_cast<size_t>(vectors_.n_columns_);
            if (mean_.size() < n_columns) mean_.resize(n_columns), in_mean_.resize(n_columns), in_row_.resize(n_columns);
            for (const int32_t c : columns_) mean_[c] = 0.0, in_mean_[c] = 0;
            columns_.clear();
            for (const int32_t r : rows) {
                const double scale = vectors_.scale(r);
                for (int64_t p = x_.offsets[r]; p < x_.offsets[r + 1]; ++p) {
                    const int32_t c = x_.columns[p];
                    if (!in_mean_[c]) in_mean_[c] = 1, columns_.push_back(c);
                    mean_[c] += x_.values[p] * scale;
                }
            }
            squares_ = 0.0;
            for (const int32_t c : columns_) {
                mean_[c] /= static_cast<double>(rows.size());
                squares_ += mean_[c] * mean_[c];
            }
        }

        // The columns of the row one by one, those of the mean alone as what is left of all; where little is left, one by one, too.
        double square(int32_t r) {
            const double scale = vectors_.scale(r);
            double sum = 0.0, shared = 0.0;
            for (int64_t p = x_.offsets[r]; p < x_.offsets[r + 1]; ++p) {
                const double centre = mean_[x_.columns[p]], apart = x_.values[p] * scale - centre;
                sum += apart * apart;
                shared += centre * centre;
            }
            const double rest = squares_ - shared;
            return sum + (rest >= 1e-3 * squares_ ? rest : squares_without(r));
        }

      private:
        double squares_without(int32_t r) {
            for (int64_t p = x_.offsets[r]; p < x_.offsets[r + 1]; ++p) in_row_[x_.columns[p]] = 1;
            double sum = 0.0;
            for (const int32_t c : columns_)
                if (!in_row_[c]) sum += mean_[c] * mean_[c];
            for (int64_t p = x_.offsets[r]; p < x_.offsets[r + 1]; ++p) in_row_[x_.columns[p]] = 0;
            return sum;
        }
    };
};

// Segments of rows of some vectors; a negative place is none.
template <class Vectors>
int64_t check_rows(const Vectors& vectors, const Array<int64_t>& offsets, const Array<int32_t>& places) {
    check_codes(places.data(), static_cast<int64_t>(places.shape(0)), -2, vectors.n_rows(), "feature row");
    return segments(offsets, static_cast<int64_t>(places.shape(0)));
}

}  // namespace aspectrum
