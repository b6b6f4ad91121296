// The probability that documents drawn at random show all answers a question asks for.
#pragma once

#include "hash_index.hpp"
#include "interrupts.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace aspectrum {

// Goes through the documents that show any answer: by the answers shown so far and the number of documents drawn so far, how likely that
// is. Only probabilities are added, so that no digits cancel. Documents that share an answer stand together as far as possible: what has to
// be told apart is which answers were shown that other documents can still show.
class DrawnAnswers {
    struct States {
        std::vector<uint64_t> shown;
        std::vector<double> odds;  // by state and number of documents drawn

        void clear() { shown.clear(), odds.clear(); }
    };
    States now_, next_;
    std::vector<uint64_t> later_;  // by document, what it and those after it show
    HashIndex index_;
    size_t work_ = 0;

    static constexpr size_t kMostOdds = size_t{1} << 21;
    static constexpr size_t kMostWork = size_t{1} << 28;

    int64_t state_of(uint64_t shown, size_t width) {
        const uint64_t mixed = (shown ^ shown >> 31) * 0x9E3779B97F4A7C15ull;
        const auto [state, is_new] =
            index_.find_or_add(static_cast<uint32_t>(mixed >> 32), [&](int32_t s) { return next_.shown[s] == shown; });
        if (is_new) {
            next_.shown.push_back(shown);
            next_.odds.resize(next_.odds.size() + width, 0.0);
        }
        return state;
    }

    // The next document is drawn, or is not; `left` documents have not been asked yet, `later` is what those after it can show.
    void draw(uint64_t document, uint64_t later, uint64_t all, int64_t left, int64_t t, size_t width) {
        next_.clear();
        index_.clear(now_.shown.size());
        const auto all_of = static_cast<double>(left);
        for (size_t s = 0; s < now_.shown.size(); ++s) {
            const uint64_t without = now_.shown[s], with = without | document;
            const double* odds = now_.odds.data() + s * width;
            if ((without | later) == all) {
                const int64_t state = state_of(without, width);
                double* found = next_.odds.data() + state * width;
                for (size_t x = 0; x < width; ++x) found[x] += odds[x] * (static_cast<double>(left - t + static_cast<int64_t>(x)) / all_of);
            }
            if ((with | later) == all) {
                const int64_t state = state_of(with, width);
                double* found = next_.odds.data() + state * width + 1;
                for (size_t x = 0; x + 1 < width; ++x) found[x] += odds[x] * (static_cast<double>(t - static_cast<int64_t>(x)) / all_of);
            }
        }
        std::swap(now_, next_);
    }

  public:
    // What is asked for until the next call of this may take so much work together.
    void begin() { work_ = 0; }
    size_t work() const { return work_; }
    bool spent() const { return work_ > kMostWork; }
    void spend(size_t work) {
        work_ += work;
        tick(static_cast<int64_t>(work / 64 + 1));
    }

    // `documents` are the answers that each document shows, where these are any: the same documents in any order have the same probability,
    // to the bit. Of all n documents t are drawn. NaN where that would take too long.
    double all_shown(std::vector<uint64_t>& documents, uint64_t all, int64_t n, int64_t t) {
        std::sort(documents.begin(), documents.end(), std::greater<>());
        later_.assign(documents.size() + 1, 0);
        for (size_t d = documents.size(); d-- > 0;) later_[d] = later_[d + 1] | documents[d];
        if (later_[0] != all) return 0.0;
        const size_t width = std::min<size_t>(documents.size(), static_cast<size_t>(t)) + 1;
        now_.shown.assign(1, 0);
        now_.odds.assign(width, 0.0);
        now_.odds[0] = 1.0;
        for (size_t d = 0; d < documents.size(); ++d) {
            spend(now_.odds.size());
            if (now_.odds.size() > kMostOdds || spent()) return std::numeric_limits<double>::quiet_NaN();
            draw(documents[d], later_[d + 1], all, n - static_cast<int64_t>(d), t, width);
        }
        double odds = 0.0;
        for (const double one : now_.odds) odds += one;  // of the one state that is left
        return std::min(odds, 1.0);
    }
};

}  // namespace aspectrum
