// How far apart distributions over aspects are; logarithms, powers and binomial tails whose bits no CPU changes.
#pragma once

#include "gains.hpp"
#include "lanes.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace aspectrum {

// The binary logarithm of a number from 0, within 3 units of the last place: additions, multiplications and divisions only, so that
// it has the same bits on every CPU, which the library's does not promise. With x = 2^e m, m near 1, ln m = 2 atanh((m-1)/(m+1)).
inline double binary_logarithm(double x) {
    if (x == 0.0) return -std::numeric_limits<double>::infinity();
    if (!std::isfinite(x)) return x;
    if (x < std::numeric_limits<double>::min()) return binary_logarithm(x * 0x1p60) - 60.0;
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    int exponent = static_cast<int>(bits >> 52) - 1022;
    bits = (bits & 0x000fffffffffffff) | 0x3fe0000000000000;
    double m;  // in [1/2, 1), with x = 2^exponent m
    std::memcpy(&m, &bits, sizeof m);
    if (m < 0.7071067811865476) {
        m *= 2.0;
        --exponent;
    }
    const double s = (m - 1.0) / (m + 1.0), t = s * s;  // t < 0.0295
    double series = 1.0 / 23;
    for (int odd = 21; odd >= 3; odd -= 2) series = series * t + 1.0 / odd;
    const double log_of_m = 2.0 * s + 2.0 * s * t * series;
    return static_cast<double>(exponent) + log_of_m * 1.4426950408889634;
}

class Logarithm {
    double scale_;

  public:
    explicit Logarithm(double base) : scale_(binary_logarithm(base)) { require(base > 1.0, "the base of the logarithm must be above 1"); }
    double operator()(double value) const { return binary_logarithm(value) / scale_; }
};

inline Out<double> logarithms(Array<double> values, double base) {
    const Logarithm log(base);
    std::vector<double> out(values.shape(0));
    {
        nb::gil_scoped_release release;
        parallel_for(static_cast<int64_t>(out.size()), 8 * kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = log(values.data()[i]);
        });
    }
    return to_array(std::move(out));
}

// base^exponent, by way of long double for the same reason.
inline Out<double> powers(double base, Array<double> exponents) {
    std::vector<double> out(exponents.shape(0));
    {
        nb::gil_scoped_release release;
        parallel_for(static_cast<int64_t>(out.size()), 8 * kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                out[i] = static_cast<double>(std::pow(static_cast<long double>(base), static_cast<long double>(exponents.data()[i])));
        });
    }
    return to_array(std::move(out));
}

// P(X >= k | X > 0) of a binomial X of n draws, each of probability p; at p = 0 its limit. One term follows from the one before, from
// the likelier end on, so that no power is taken; numbers that grow too large are scaled down together.
inline double binomial_tail(double p, int64_t n, int64_t k) {
    if (k <= 1 || p >= 1.0) return 1.0;
    if (p <= 0.0) return 0.0;
    const double q = 1.0 - p;
    const bool rising = p <= 0.5;
    const double odds = rising ? p / q : q / p;
    double term = 1.0, tail = 0.0, rest = 0.0;  // of all i from 1: i >= k, and i < k
    for (int64_t step = 1; step <= n; ++step) {
        const int64_t i = rising ? step : n + 1 - step;
        (i >= k ? tail : rest) += term;
        const double left = static_cast<double>(n - step), next = static_cast<double>(step + 1);
        // C(n, i+1) / C(n, i) going up from i = 1; C(n, i-1) / C(n, i) going down from i = n.
        term *= rising ? left / next * odds : static_cast<double>(i) / static_cast<double>(n - i + 1) * odds;
        if (term > 1e200) {
            term *= 1e-200;
            tail *= 1e-200;
            rest *= 1e-200;
        }
    }
    return tail / (tail + rest);
}

inline Out<double> binomial_tails(Array<double> p, Array<int64_t> n, Array<int64_t> k) {
    require(p.shape(0) == n.shape(0) && p.shape(0) == k.shape(0), "one probability, number of draws and count each");
    for (size_t i = 0; i < p.shape(0); ++i) require(p.data()[i] >= 0.0 && p.data()[i] <= 1.0, "a probability must be 0 to 1");
    std::vector<double> out(p.shape(0));
    {
        nb::gil_scoped_release release;
        parallel_for(static_cast<int64_t>(out.size()), kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = binomial_tail(p.data()[i], n.data()[i], k.data()[i]);
        });
    }
    return to_array(std::move(out));
}

// Sparse distributions, one per cell; codes ascend within a cell.
struct Distributions {
    Array<int64_t> offsets;
    Array<int32_t> codes;
    Array<double> shares;

    int64_t check() const {
        const int64_t cells = segments(offsets, static_cast<int64_t>(codes.shape(0)));
        require(shares.shape(0) == codes.shape(0), "one share per code");
        for (int64_t cell = 0; cell < cells; ++cell)
            for (int64_t at = offsets.data()[cell] + 1; at < offsets.data()[cell + 1]; ++at)
                require(codes.data()[at - 1] < codes.data()[at], "codes of a distribution must ascend");
        return cells;
    }
    int64_t begin(int32_t cell) const { return offsets.data()[cell]; }
    int64_t end(int32_t cell) const { return offsets.data()[cell + 1]; }
};

class Divergence {
    enum class Kind { kl, js, js_distance, hellinger, tv };

    Kind kind_;
    double alpha_;
    bool both_;
    Logarithm log_;
    double bits_;  // of a digit in the base of the logarithm

    static Kind named(const std::string& kind) {
        if (kind == "kl") return Kind::kl;
        if (kind == "js") return Kind::js;
        if (kind == "js_distance") return Kind::js_distance;
        if (kind == "hellinger") return Kind::hellinger;
        require(kind == "tv", "no such divergence");
        return Kind::tv;
    }

    bool is_js() const { return kind_ == Kind::js || kind_ == Kind::js_distance; }

    double term(double p, double q) const {
        switch (kind_) {
            case Kind::kl:
                return p > 0.0 ? p * log_(p / q) : 0.0;
            case Kind::hellinger: {
                const double apart = std::sqrt(p) - std::sqrt(q);
                return apart * apart;
            }
            default:
                return std::abs(p - q);
        }
    }

    double finished(double sum) const {
        switch (kind_) {
            case Kind::js:
                return std::max(sum / bits_, 0.0);
            case Kind::js_distance:
                return std::sqrt(std::max(sum / bits_, 0.0));
            case Kind::hellinger:
                return std::sqrt(sum / 2);
            case Kind::tv:
                return sum / 2;
            default:
                return std::max(sum, 0.0);
        }
    }

  public:
    Divergence(const std::string& kind, double alpha, bool both, double base)
        : kind_(named(kind)), alpha_(alpha), both_(both), log_(base), bits_(binary_logarithm(base)) {
        require(alpha >= 0.0 && alpha <= 1.0, "alpha must be 0 to 1");
    }

    // What is written over with every pair.
    struct Room {
        std::vector<double> p, q, terms;
    };

    // The sum has the same bits in any order of the terms, so that the numbers of aspects do not show.
    double operator()(const Distributions& first, int32_t left, const Distributions& second, int32_t right, Room& room) const {
        int64_t i = first.begin(left), j = second.begin(right);
        const int64_t i_end = first.end(left), j_end = second.end(right);
        if (i == i_end || j == j_end) return std::numeric_limits<double>::quiet_NaN();
        const auto most = static_cast<size_t>(padded(i_end - i + j_end - j));
        for (auto* numbers : {&room.p, &room.q, &room.terms})
            if (numbers->size() < most) numbers->resize(most);
        double* const terms = room.terms.data();
        int64_t n = 0;
        for (; i < i_end || j < j_end; ++n) {
            const bool here = i < i_end && (j == j_end || first.codes.data()[i] <= second.codes.data()[j]);
            const bool there = j < j_end && (i == i_end || second.codes.data()[j] <= first.codes.data()[i]);
            double p = here ? first.shares.data()[i] : 0.0, q = there ? second.shares.data()[j] : 0.0;
            if (both_ || kind_ == Kind::kl) {
                const double mixed = (1 - alpha_) * q + alpha_ * p;
                if (both_) p = (1 - alpha_) * p + alpha_ * q;
                q = mixed;
            }
            if (is_js()) {
                room.p[n] = p;
                room.q[n] = q;
            } else {
                terms[n] = term(p, q);
            }
            i += here ? 1 : 0;
            j += there ? 1 : 0;
        }
        for (int64_t at = n; at < padded(n); ++at) room.p[at] = room.q[at] = 1.0, terms[at] = 0.0;
        if (is_js()) lane_loops().js_terms(room.p.data(), room.q.data(), padded(n), terms);
        return finished(lane_loops().sum(terms, padded(n)));
    }
};

// Divergences of pairs of cells, (left of the first, right of the second); NaN where either is empty.
inline Out<double> divergences(Array<int64_t> first_offsets, Array<int32_t> first_codes, Array<double> first_shares,
                               Array<int64_t> second_offsets, Array<int32_t> second_codes, Array<double> second_shares, Array<int32_t> left,
                               Array<int32_t> right, const std::string& kind, double alpha, bool both, double base) {
    const Distributions first{first_offsets, first_codes, first_shares}, second{second_offsets, second_codes, second_shares};
    const auto n = static_cast<int64_t>(left.shape(0));
    require(static_cast<int64_t>(right.shape(0)) == n, "one cell of each side per pair");
    check_codes(left.data(), n, 0, first.check(), "cell");
    check_codes(right.data(), n, 0, second.check(), "cell");
    const Divergence divergence(kind, alpha, both, base);
    std::vector<double> out(n);
    {
        nb::gil_scoped_release release;
        parallel_for(
            n, kBlock, [] { return Divergence::Room(); },
            [&](Divergence::Room& room, int64_t begin, int64_t end) {
                for (int64_t at = begin; at < end; ++at) out[at] = divergence(first, left.data()[at], second, right.data()[at], room);
            });
    }
    return to_array(std::move(out));
}

}  // namespace aspectrum
