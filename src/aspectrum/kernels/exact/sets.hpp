// The sets of aspects that a better list may still hold.
#pragma once

#include "../problem.hpp"
#include "effort.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace aspectrum {

struct Entry {
    int32_t aspect;
    double strength;
    double amount;  // what it adds to the aspect's count
};

struct Set {
    int32_t original;  // its place in the problem
    int32_t copies;
    int64_t length;  // tokens of an item; 0 where they do not matter
    std::vector<Entry> entries;
    std::vector<int32_t> larger;  // sets that have all of its aspects
};

// Whether another, larger set has all aspects of a set, as strongly, and takes no more tokens.
inline bool is_within(const Problem& problem, int64_t set, int64_t other) {
    const int64_t* o = problem.offsets.data();
    if (o[set + 1] - o[set] > o[other + 1] - o[other] || problem.length(set) < problem.length(other)) return false;
    int64_t q = o[other];
    for (int64_t p = o[set]; p < o[set + 1]; ++p, ++q) {
        while (q < o[other + 1] && problem.aspects[q] < problem.aspects[p]) ++q;
        if (q == o[other + 1] || problem.aspects[q] != problem.aspects[p] || problem.strength(q) < problem.strength(p)) return false;
    }
    return true;
}

class Sets {
    std::vector<Set> sets_;
    int32_t n_aspects_;
    std::vector<int32_t> copies_;
    std::vector<int64_t> available_;  // items that have each aspect
    std::vector<int32_t> used_;
    double n_entries_ = 0.0;
    int64_t capacity_;

  public:
    // Leaves out a set if sets that hold all it has can fill the whole list. Of the others, knows which hold which.
    template <class Amount>
    Sets(const Problem& problem, int32_t n_ranks, Amount amount, Effort& effort)
        : n_aspects_(static_cast<int32_t>(problem.n_aspects())), capacity_(problem.capacity) {
        auto within = [&](int64_t set, int64_t other) {
            effort.add(Cost::kContainment);
            return is_within(problem, set, other);
        };
        auto copies_of = [&](int64_t set) { return static_cast<int32_t>(std::min<int64_t>(problem.copies[set], n_ranks)); };
        std::vector<int32_t> kept;
        for (int32_t s = 0; s < problem.n_sets(); ++s) {  // larger sets come first
            int64_t above = 0;
            for (size_t t = 0; t < kept.size() && above < n_ranks && !effort.spent(); ++t)
                if (within(s, kept[t])) above += copies_of(kept[t]);
            if (above < n_ranks) kept.push_back(s);
        }
        for (int32_t s : kept) {
            Set set{s, copies_of(s), problem.length(s), {}, {}};
            for (int64_t e = problem.offsets[s]; e < problem.offsets[s + 1]; ++e)
                set.entries.push_back({problem.aspects[e], problem.strength(e), amount(problem.strength(e))});
            for (size_t t = 0; t < sets_.size() && !effort.spent(); ++t)
                if (within(s, sets_[t].original)) set.larger.push_back(static_cast<int32_t>(t));
            sets_.push_back(std::move(set));
        }
        count();
    }

    int32_t size() const { return static_cast<int32_t>(sets_.size()); }
    const Set& operator[](int32_t set) const { return sets_[set]; }
    const std::vector<int32_t>& copies() const { return copies_; }
    const std::vector<int64_t>& available() const { return available_; }

    // Whether items have to fit into a number of tokens, and how many a list leaves.
    bool limited() const { return capacity_ > 0; }
    int64_t tokens_left(const int32_t* picks, int32_t n) const {
        int64_t left = capacity_;
        for (int32_t j = 0; j < n; ++j) left -= sets_[picks[j]].length;
        return left;
    }

    // The sets that the search looks at now, and the number of their entries.
    const std::vector<int32_t>& used() const { return used_; }
    int32_t n_used() const { return static_cast<int32_t>(used_.size()); }
    double n_entries() const { return n_entries_; }

    void use(std::vector<int32_t>&& sets) {
        used_ = std::move(sets);
        n_entries_ = 0.0;
        for (int32_t s : used_) n_entries_ += static_cast<double>(sets_[s].entries.size());
    }
    void use_all() {
        std::vector<int32_t> all(sets_.size());
        std::iota(all.begin(), all.end(), 0);
        use(std::move(all));
    }

    // Drops sets for good. What a dropped set holds whole would be replaced by it, so it goes, too. Returns those kept, as
    // they were numbered.
    std::vector<int32_t> drop(const std::vector<bool>& poor) {
        std::vector<int32_t> place(sets_.size(), -1), kept;
        std::vector<Set> left;
        for (int32_t s = 0; s < size(); ++s) {
            bool gone = poor[s];
            for (int32_t t : sets_[s].larger) gone = gone || place[t] < 0;
            if (gone) continue;
            place[s] = static_cast<int32_t>(kept.size());
            kept.push_back(s);
            left.push_back(std::move(sets_[s]));
            for (int32_t& t : left.back().larger) t = place[t];
        }
        sets_ = std::move(left);
        count();
        return kept;
    }

    double gain(int32_t set, const double* left) const {
        double sum = 0.0;
        for (const Entry& entry : sets_[set].entries) sum += left[entry.aspect] * entry.strength;
        return sum;
    }

    // Copies that a list leaves.
    void remaining(const int32_t* picks, int32_t n, std::vector<int32_t>& left) const {
        left = copies_;
        for (int32_t j = 0; j < n; ++j) --left[picks[j]];
    }

  private:
    void count() {
        available_.assign(n_aspects_, 0);
        copies_.clear();
        for (const Set& set : sets_) {
            copies_.push_back(set.copies);
            for (const Entry& entry : set.entries) available_[entry.aspect] += set.copies;
        }
        use_all();
    }
};

}  // namespace aspectrum
