// Coverage: for each place of each list, the aspects that count there.
//
// Places point at rows of a table of aspect sets (-1: nothing counts). A table of at most 64 aspects without
// strengths also exists as bit masks, and then `interests` says which aspects count for a user. Otherwise rows
// are sorted codes with optional strengths, and `wanted` lists the aspects a user wants with their weights.
// What aspects contribute is combined in ascending order of the values, so that no number depends on the order or the names of
// aspects; or, as other tools do, in ascending code.
#pragma once

#include "arrays.hpp"
#include "sort_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace aspectrum {

struct Cover {
    Array<int64_t> offsets;
    Array<int32_t> rows;
    Array<int64_t> set_offsets;
    Array<int32_t> set_codes;
    std::optional<Array<double>> strengths;
    std::optional<Array<uint64_t>> masks;
    std::optional<Array<uint64_t>> interests;
    std::optional<Array<int64_t>> wanted_offsets;
    std::optional<Array<int32_t>> wanted_codes;
    std::optional<Array<double>> wanted_weights;
    int64_t n_aspects;
    bool in_code_order;
    int64_t users;

    Cover(Array<int64_t> offsets_, Array<int32_t> rows_, Array<int64_t> set_offsets_, Array<int32_t> set_codes_, int64_t n_aspects_,
          std::optional<Array<double>> strengths_, std::optional<Array<uint64_t>> masks_, std::optional<Array<uint64_t>> interests_,
          std::optional<Array<int64_t>> wanted_offsets_, std::optional<Array<int32_t>> wanted_codes_,
          std::optional<Array<double>> wanted_weights_, bool in_code_order_)
        : offsets(offsets_), rows(rows_), set_offsets(set_offsets_), set_codes(set_codes_), strengths(strengths_), masks(masks_),
          interests(interests_), wanted_offsets(wanted_offsets_), wanted_codes(wanted_codes_), wanted_weights(wanted_weights_),
          n_aspects(n_aspects_), in_code_order(in_code_order_) {
        require(n_aspects >= 0, "a negative number of aspects");
        users = segments(offsets, static_cast<int64_t>(rows.shape(0)));
        const int64_t n_sets = segments(set_offsets, static_cast<int64_t>(set_codes.shape(0)));
        check_codes(rows.data(), offsets.data()[users], -1, n_sets, "row");
        check_codes(set_codes.data(), static_cast<int64_t>(set_codes.shape(0)), 0, n_aspects, "aspect");
        if (strengths) require(strengths->shape(0) == set_codes.shape(0), "one strength per entry of a set");
        if (masks) {
            require(n_aspects <= 64, "masks hold at most 64 aspects");
            require(static_cast<int64_t>(masks->shape(0)) == n_sets, "one mask per set");
            const uint64_t possible = n_aspects == 64 ? ~uint64_t{0} : (uint64_t{1} << n_aspects) - 1;
            for (int64_t r = 0; r < n_sets; ++r) require((masks->data()[r] & ~possible) == 0, "a mask has an aspect out of range");
        }
        if (interests) require(masks && static_cast<int64_t>(interests->shape(0)) == users, "one interest mask per user");
        if (wanted_offsets) {
            require(!masks && wanted_codes, "wanted aspects come as codes, without masks");
            require(segments(*wanted_offsets, static_cast<int64_t>(wanted_codes->shape(0))) == users,
                    "wanted aspects need one segment per user");
            check_codes(wanted_codes->data(), static_cast<int64_t>(wanted_codes->shape(0)), 0, n_aspects, "wanted aspect");
            if (wanted_weights) require(wanted_weights->shape(0) == wanted_codes->shape(0), "one weight per wanted aspect");
        }
    }

    // Whether every aspect counts 1 to those whom it counts for.
    bool plain() const { return !strengths && !wanted_weights; }

    // Room for any aspect, also for those that only a mask could hold.
    size_t most_aspects() const { return static_cast<size_t>(std::max<int64_t>(n_aspects, 64)); }
};

// Numbers to be added or multiplied, one for each aspect of an item.
class Terms {
    bool in_code_order_;
    std::vector<double> values_ = std::vector<double>(64);
    size_t n_ = 0;

    // In ascending order, with `filler` for what is not there; how many there are with it.
    size_t ordered(double filler) {
        double* v = values_.data();
        if (in_code_order_ || n_ <= 1) return n_;
        const size_t n = n_ <= 2 ? 2 : n_ <= 4 ? 4 : n_ <= 8 ? 8 : n_ <= 16 ? 16 : n_ <= 32 ? 32 : n_;
        std::fill(v + n_, v + n, filler);
        if (n <= 2)
            return n;  // two numbers have the same sum in any order
        else if (n == 4)
            sort_network<4>(v);
        else if (n == 8)
            sort_network<8>(v);
        else if (n == 16)
            sort_network<16>(v);
        else if (n == 32)
            sort_network<32>(v);
        else
            std::sort(v, v + n);
        return n;
    }

  public:
    explicit Terms(const Cover& cover) : in_code_order_(cover.in_code_order) {}

    void clear() { n_ = 0; }
    void add(double value) {
        if (n_ == values_.size()) values_.resize(2 * n_);
        values_[n_++] = value;
    }
    double sum() {
        double sum = 0.0;
        const size_t n = ordered(0.0);
        for (size_t i = n - n_; i < n; ++i) sum += values_[i];  // fillers are the first
        return sum;
    }
    double product() {
        double product = 1.0;
        const size_t n = ordered(1.0);
        for (size_t i = 0; i < n; ++i) product *= values_[i];
        return product;
    }
};

// The hash of a set with one more entry.
inline uint64_t with_entry(uint64_t hash, int32_t aspect, double strength) {
    uint64_t bits;
    std::memcpy(&bits, &strength, sizeof bits);
    hash = (hash ^ (static_cast<uint64_t>(aspect) + 1)) * 0x9E3779B97F4A7C15ull;
    return (hash ^ (hash >> 29) ^ bits) * 0xBF58476D1CE4E5B9ull;
}

// How one thread looks at the sets for one user at a time, with what is left of each aspect's value.
struct MaskView {
    const Cover& cover;
    uint64_t interest = ~uint64_t{0};
    double left[64];
    double smallest = 1.0;  // of what is left of any aspect, but 0
    mutable Terms terms;

    explicit MaskView(const Cover& c) : cover(c), terms(c) {}

    void begin(int64_t user) {
        smallest = 1.0;
        if (cover.interests) interest = cover.interests->data()[user];
        std::fill(left, left + 64, 1.0);
    }
    void end(int64_t) {}
    void touched(int32_t) {}

    template <class Visit>
    void each(int32_t row, Visit visit) const {
        for (uint64_t m = cover.masks->data()[row] & interest; m; m &= m - 1) visit(__builtin_ctzll(m), 1.0);
    }
    // Equal for rows that are worth the same to this user, 0 for those worth nothing; same() tells for sure.
    uint64_t key(int32_t row) const { return cover.masks->data()[row] & interest; }
    bool same(int32_t a, int32_t b) const { return key(a) == key(b); }
};

struct CodeView {
    const Cover& cover;
    std::vector<double> left;
    std::vector<int32_t> to_restore;
    double smallest = 1.0;
    mutable Terms terms;

    explicit CodeView(const Cover& c) : cover(c), left(c.n_aspects, c.wanted_offsets ? 0.0 : 1.0), terms(c) {}

    void begin(int64_t user) {
        smallest = 1.0;
        if (!cover.wanted_offsets) return;
        for (int64_t p = cover.wanted_offsets->data()[user]; p < cover.wanted_offsets->data()[user + 1]; ++p)
            left[cover.wanted_codes->data()[p]] = cover.wanted_weights ? cover.wanted_weights->data()[p] : 1.0;
    }
    void end(int64_t user) {
        if (cover.wanted_offsets) {
            for (int64_t p = cover.wanted_offsets->data()[user]; p < cover.wanted_offsets->data()[user + 1]; ++p)
                left[cover.wanted_codes->data()[p]] = 0.0;
        } else {
            for (int32_t row : to_restore) each(row, [&](int32_t i, double) { left[i] = 1.0; });
            to_restore.clear();
        }
    }
    void touched(int32_t row) {
        if (!cover.wanted_offsets) to_restore.push_back(row);
    }

    template <class Visit>
    void each(int32_t row, Visit visit) const {
        const int32_t* codes = cover.set_codes.data();
        const double* strengths = cover.strengths ? cover.strengths->data() : nullptr;
        for (int64_t p = cover.set_offsets.data()[row]; p < cover.set_offsets.data()[row + 1]; ++p)
            visit(codes[p], strengths ? strengths[p] : 1.0);
    }
    uint64_t key(int32_t row) const {
        uint64_t hash = 0;
        each(row, [&](int32_t i, double s) {
            if (left[i] == 0.0) return;
            hash = with_entry(hash, i, s);
            hash ^= hash >> 32;
            if (hash == 0) hash = 1;  // 0 is kept for "nothing here counts"
        });
        return hash;
    }
    bool same(int32_t a, int32_t b) const {
        const int64_t* o = cover.set_offsets.data();
        const int32_t* codes = cover.set_codes.data();
        const double* strengths = cover.strengths ? cover.strengths->data() : nullptr;
        int64_t p = o[a], q = o[b];
        for (;;) {
            while (p < o[a + 1] && left[codes[p]] == 0.0) ++p;
            while (q < o[b + 1] && left[codes[q]] == 0.0) ++q;
            if (p == o[a + 1] || q == o[b + 1]) return p == o[a + 1] && q == o[b + 1];
            if (codes[p] != codes[q] || (strengths && strengths[p] != strengths[q])) return false;
            ++p, ++q;
        }
    }
};

// Gain of one more item, and what taking it leaves (Clarke et al. 2008, eq. 7 and eq. 6).
struct Linear {
    double alpha;
    bool powers;  // whether all that aspects contribute are powers of two, or 0

    Linear(const Cover& cover, double a) : alpha(a) {
        int exponent;
        powers = cover.plain() && (alpha == 1.0 || std::frexp(1.0 - alpha, &exponent) == 0.5);
    }
    template <class View>
    double gain(const View& view, int32_t row) const {
        if (powers) {  // sums of these have no rounding, and so no order, unless they are very different
            double sum = 0.0;
            view.each(row, [&](int32_t i, double s) { sum += view.left[i] * s; });
            if (sum <= view.smallest * 0x1p53) return sum;
        }
        view.terms.clear();
        view.each(row, [&](int32_t i, double s) { view.terms.add(view.left[i] * s); });
        return view.terms.sum();
    }
    // At least the gain, where that is quicker to know.
    template <class View>
    double bound(const View& view, int32_t row) const {
        if (powers) return std::numeric_limits<double>::infinity();
        double sum = 0.0, n = 0.0;
        view.each(row, [&](int32_t i, double s) { sum += view.left[i] * s, ++n; });
        return sum + sum * (n * 2.0 * std::numeric_limits<double>::epsilon());
    }
    template <class View>
    void take(View& view, int32_t row) const {
        double smallest = view.smallest;
        view.each(row, [&](int32_t i, double s) {
            const double left = view.left[i] * (1.0 - alpha * s);
            view.left[i] = left;
            smallest = std::min(smallest, left > 0.0 ? left : 1.0);
        });
        view.smallest = smallest;
        view.touched(row);
    }
};

struct Probabilistic {
    double alpha;
    double gamma;
    template <class View>
    double gain(const View& view, int32_t row) const {
        view.terms.clear();
        view.each(row, [&](int32_t i, double s) { view.terms.add(1.0 - gamma * alpha * s * view.left[i]); });
        return 1.0 - view.terms.product();
    }
    template <class View>
    double bound(const View& view, int32_t row) const {
        double miss = 1.0, n = 0.0;
        view.each(row, [&](int32_t i, double s) { miss *= 1.0 - gamma * alpha * s * view.left[i], ++n; });
        return 1.0 - miss + n * 4.0 * std::numeric_limits<double>::epsilon();
    }
    template <class View>
    void take(View& view, int32_t row) const {
        Linear(view.cover, alpha).take(view, row);
    }
};

// The key of a view as a hash for a HashIndex.
inline uint32_t folded(uint64_t key) {
    return static_cast<uint32_t>(key * 0x9E3779B97F4A7C15ull >> 32);
}

// Calls run(make_view) with the right kind of view.
template <class Run>
void with_views(const Cover& cover, Run run) {
    if (cover.masks)
        run([&] { return MaskView(cover); });
    else
        run([&] { return CodeView(cover); });
}

// Returns run(view) with a view of the right kind.
template <class Run>
auto with_view(const Cover& cover, Run run) {
    return cover.masks ? run(MaskView(cover)) : run(CodeView(cover));
}

// Calls run(rule, make_view) with the right kinds of both.
template <class Run>
void with_rule_and_view(const Cover& cover, double alpha, std::optional<double> gamma, Run run) {
    with_views(cover, [&](auto make_view) {
        if (gamma)
            run(Probabilistic{alpha, *gamma}, make_view);
        else
            run(Linear(cover, alpha), make_view);
    });
}

}  // namespace aspectrum
