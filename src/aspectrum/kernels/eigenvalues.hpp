// Eigenvalues of small symmetric matrices, and the Vendi score made of them. Written out here, as the bits of LAPACK depend on the CPU.
#pragma once

#include "vectors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace aspectrum {

class Eigenvalues {
    static constexpr double kNothing = 1e-100;  // beside entries of about 1; its square still has all digits
    int64_t n_ = 0;
    std::vector<double> matrix_, diagonal_, beside_, mirror_, image_;

  public:
    // Room for a symmetric matrix of n rows, which solve() takes apart.
    double* matrix(int64_t n) {
        n_ = n;
        matrix_.assign(n * n, 0.0);
        return matrix_.data();
    }

    // Ascending; the entries are at most about 1.
    const std::vector<double>& solve() {
        for (const double entry : matrix_) require(std::isfinite(entry), "a vector has no direction");
        diagonal_.resize(n_);
        beside_.assign(n_, 0.0);
        make_tridiagonal();
        for (int64_t first = 0; first < n_; ++first) uncouple(first);
        std::sort(diagonal_.begin(), diagonal_.end());
        return diagonal_;
    }

  private:
    double* row(int64_t i) { return matrix_.data() + i * n_; }

    // Householder: each reflection leaves one number beside the diagonal in a column.
    void make_tridiagonal() {
        mirror_.resize(n_);
        image_.resize(n_);
        for (int64_t k = 0; k + 1 < n_; ++k) {
            double below = 0.0;
            for (int64_t i = k + 2; i < n_; ++i) below += row(k)[i] * row(k)[i];
            const double head = row(k)[k + 1];
            beside_[k] = head;
            if (below < kNothing * kNothing) continue;
            const double length = std::sqrt(head * head + below);
            beside_[k] = head > 0.0 ? -length : length;
            std::copy(row(k) + k + 1, row(k) + n_, mirror_.begin() + k + 1);
            mirror_[k + 1] = head - beside_[k];
            reflect(k + 1, 2.0 / (mirror_[k + 1] * mirror_[k + 1] + below));
        }
        for (int64_t i = 0; i < n_; ++i) diagonal_[i] = row(i)[i];
    }

    // A - v w' - w v' in the rows and columns from `first` on, where w = p - (scale/2)(p'v) v and p = scale A v.
    void reflect(int64_t first, double scale) {
        double along = 0.0;
        for (int64_t i = first; i < n_; ++i) {
            double sum = 0.0;
            for (int64_t j = first; j < n_; ++j) sum += row(i)[j] * mirror_[j];
            image_[i] = scale * sum;
            along += image_[i] * mirror_[i];
        }
        for (int64_t i = first; i < n_; ++i) image_[i] -= 0.5 * scale * along * mirror_[i];
        for (int64_t i = first; i < n_; ++i)
            for (int64_t j = first; j < n_; ++j) row(i)[j] -= mirror_[i] * image_[j] + image_[i] * mirror_[j];
        tick((n_ - first) * (n_ - first));
    }

    bool coupled(int64_t i) const {
        const double size = std::abs(beside_[i]);
        return size > 0x1p-60 && size > 0x1p-53 * (std::abs(diagonal_[i]) + std::abs(diagonal_[i + 1]));
    }

    // Implicit QL with Wilkinson's shift until nothing beside an entry of the diagonal is left: it then is an eigenvalue.
    void uncouple(int64_t first) {
        constexpr int most_sweeps = 64;  // two or three are usual
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            int64_t last = first;
            while (last + 1 < n_ && coupled(last)) ++last;
            if (last == first) return;
            tick(last - first);
            chase(first, last);
        }
    }

    // One sweep of rotations over the entries from last to first, each of which moves the bulge that the one before left.
    void chase(int64_t first, int64_t last) {
        const double half = (diagonal_[first + 1] - diagonal_[first]) / (2.0 * beside_[first]);
        const double root = std::sqrt(half * half + 1.0);
        double bulge = diagonal_[last] - diagonal_[first] + beside_[first] / (half + (half < 0.0 ? -root : root));
        double sine = 1.0, cosine = 1.0, moved = 0.0;
        for (int64_t i = last - 1; i >= first; --i) {
            const double across = sine * beside_[i], along = cosine * beside_[i];
            const double length = std::sqrt(across * across + bulge * bulge);
            beside_[i + 1] = length;
            if (length < kNothing) {  // the entries fall apart here
                diagonal_[i + 1] -= moved;
                beside_[last] = 0.0;
                return;
            }
            sine = across / length;
            cosine = bulge / length;
            const double rest = diagonal_[i + 1] - moved;
            const double turned = (diagonal_[i] - rest) * sine + 2.0 * cosine * along;
            moved = sine * turned;
            diagonal_[i + 1] = rest + moved;
            bulge = cosine * turned - along;
        }
        diagonal_[first] -= moved;
        beside_[first] = bulge;
        beside_[last] = 0.0;
    }
};

// The effective number of different items of a list, from the eigenvalues of its cosines over n.
template <class Vectors>
class VendiScore {
    const Vectors& vectors_;
    const double order_;
    Eigenvalues eigenvalues_;
    std::vector<int32_t> rows_;
    std::vector<double> row_;

  public:
    VendiScore(const Vectors& vectors, double order) : vectors_(vectors), order_(order) {}

    double score(const int32_t* rows, int32_t n_places) {
        rows_.clear();
        std::copy_if(rows, rows + n_places, std::back_inserter(rows_), [](int32_t row) { return row >= 0; });
        const int64_t n = static_cast<int64_t>(rows_.size());
        if (n == 0) return std::nan("");
        if (vectors_.narrower_than(n))
            fill_products();
        else
            fill_cosines();
        return std::clamp(effective_number(eigenvalues_.solve(), n), 1.0, static_cast<double>(n));
    }

  private:
    void fill_cosines() {
        const int64_t n = static_cast<int64_t>(rows_.size());
        double* cosines = eigenvalues_.matrix(n);
        const double share = 1.0 / static_cast<double>(n);
        for (int64_t i = 0; i < n; ++i) {
            tick(i);
            cosines[i * n + i] = share;
            for (int64_t j = 0; j < i; ++j) cosines[i * n + j] = cosines[j * n + i] = share * (1.0 - vectors_.distance(rows_[i], rows_[j]));
        }
    }

    // Sums of x x', whose eigenvalues are the same but for zeros, where vectors have fewer dimensions than there are items.
    void fill_products() {
        const int64_t width = vectors_.width();
        double* products = eigenvalues_.matrix(width);
        row_.resize(width);
        for (const int32_t row : rows_) {
            tick(width * width);
            vectors_.scaled(row, row_.data());
            for (int64_t a = 0; a < width; ++a)
                for (int64_t b = 0; b < width; ++b) products[a * width + b] += row_[a] * row_[b];
        }
        for (int64_t p = 0; p < width * width; ++p) products[p] /= static_cast<double>(rows_.size());
    }

    // In long double and rounded once: the same bits on every CPU, which plain log and pow do not promise.
    double effective_number(const std::vector<double>& eigenvalues, int64_t n) const {
        const long double order = order_, largest = eigenvalues.back();
        if (std::isinf(order)) return static_cast<double>(1.0L / largest);
        long double sum = 0.0L;
        for (const double eigenvalue : eigenvalues) {
            if (eigenvalue < 1e-15 * static_cast<double>(n)) continue;  // rounding
            const long double share = eigenvalue;
            sum += order == 1.0L ? -share * std::log(share) : std::pow(share / largest, order);
        }
        if (order == 1.0L) return static_cast<double>(std::exp(sum));
        return static_cast<double>(std::pow(largest, order / (1.0L - order)) * std::pow(sum, 1.0L / (1.0L - order)));
    }
};

// Of each list at each stop; NaN where no item can be compared. The vectors' distance must be cosine.
template <class Vectors>
OutMatrix<double> vendi_scores(const Vectors& vectors, double order, Array<int64_t> offsets, Array<int32_t> places,
                               Matrix<int32_t> stops_) {
    require(vectors.unit(), "a Vendi score is made of cosines");
    require(order >= 0.0, "the order must not be negative");
    const int64_t users = check_rows(vectors, offsets, places);
    const Stops stops = check_stops(stops_, offsets);
    std::vector<double> out(users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        parallel_for(
            users, 16, [&] { return VendiScore<Vectors>(vectors, order); },
            [&](VendiScore<Vectors>& vendi, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t* own = stops.of(u);
                    double* scores = out.data() + u * stops.cutoffs;
                    for (int64_t c = 0; c < stops.cutoffs; ++c)
                        scores[c] = c > 0 && own[c] == own[c - 1] ? scores[c - 1] : vendi.score(places.data() + offsets.data()[u], own[c]);
                }
            });
    }
    return to_matrix(std::move(out), users, stops.cutoffs);
}

}  // namespace aspectrum
