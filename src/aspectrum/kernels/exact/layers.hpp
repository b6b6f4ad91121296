// The states of the search, layer by layer.
#pragma once

#include "../hash_index.hpp"
#include "sets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace aspectrum {

// States with the same number of items taken.
template <class Shown>
struct Layer {
    int32_t n_aspects = 0, depth = 0;
    std::vector<double> values, bounds;
    std::vector<Shown> shown;      // of aspects
    std::vector<int32_t> picks;    // sets, `depth` of each
    std::vector<int32_t> parents;  // in the layer before
    std::vector<uint64_t> keys;    // sums of the keys of what was taken

    void begin(int32_t aspects, int32_t taken) {
        n_aspects = aspects, depth = taken;
        values.clear(), bounds.clear(), shown.clear(), picks.clear(), parents.clear(), keys.clear();
    }
    int64_t size() const { return static_cast<int64_t>(values.size()); }
    const Shown* shown_of(int64_t x) const { return shown.data() + x * n_aspects; }
    const int32_t* picks_of(int64_t x) const { return picks.data() + x * depth; }
    uint32_t hash_of(int64_t x) const { return static_cast<uint32_t>(keys[x] >> 32); }

    // Whether a state is to be kept rather than another.
    bool before(int64_t a, int64_t b) const {
        if (bounds[a] != bounds[b]) return bounds[a] > bounds[b];
        return values[a] != values[b] ? values[a] > values[b] : a < b;
    }

    void add(double value, double bound, const Shown* of, const int32_t* earlier, int32_t pick, int32_t parent, uint64_t key) {
        values.push_back(value), bounds.push_back(bound), parents.push_back(parent), keys.push_back(key);
        shown.insert(shown.end(), of, of + n_aspects);
        picks.insert(picks.end(), earlier, earlier + depth - 1);
        picks.push_back(pick);
    }
    void replace(int64_t x, double value, double bound, const Shown* of, const int32_t* earlier, int32_t pick, int32_t parent) {
        values[x] = value, bounds[x] = bound, parents[x] = parent;
        std::copy(of, of + n_aspects, shown.begin() + x * n_aspects);
        std::copy(earlier, earlier + depth - 1, picks.begin() + x * depth);
        picks[x * depth + depth - 1] = pick;
    }
    // Only the chosen states, in that order.
    void keep(const std::vector<int32_t>& chosen) {
        Layer other;
        other.begin(n_aspects, depth);
        for (int32_t x : chosen) {
            other.values.push_back(values[x]), other.bounds.push_back(bounds[x]);
            other.parents.push_back(parents[x]), other.keys.push_back(keys[x]);
            other.shown.insert(other.shown.end(), shown_of(x), shown_of(x) + n_aspects);
            other.picks.insert(other.picks.end(), picks_of(x), picks_of(x) + depth);
        }
        std::swap(*this, other);
    }
};

// Where the states of a growing layer are. All ways to a state meet in one: two lists are at the same state if they have shown
// every aspect equally often and taken the same copies of every scarce set; with strengths, if they hold the same sets, since
// rounding may tell values apart. States are compared in full: a proof must not hang on a hash.
template <class Terms>
class StateIndex {
    using Shown = typename Terms::Shown;

    const Sets& sets_;
    HashIndex numbers_;
    std::vector<uint64_t> set_keys_;
    std::vector<uint8_t> tells_apart_;  // whether a set leaves more trace than what it shows
    std::vector<int32_t> from_;         // such sets of the list that one more item follows ...
    std::vector<int32_t> taken_;        // ... and how often it has each

  public:
    StateIndex(const Sets& sets, int32_t n_ranks) : sets_(sets), taken_(sets.size(), 0) {
        for (int32_t s = 0; s < sets.size(); ++s) {
            tells_apart_.push_back(!Terms::kFull || sets.limited() || sets[s].copies < n_ranks);
            set_keys_.push_back(key_of(s));
        }
    }

    uint64_t key(int32_t set) const { return set_keys_[set]; }

    void rebuild(const Layer<Shown>& layer) {
        numbers_.clear(layer.keys.size());
        for (int64_t x = 0; x < layer.size(); ++x) numbers_.add(layer.hash_of(x));
    }

    // Looks from now on for states that one more item after these leads to.
    void look_from(const int32_t* picks, int32_t n) {
        for (int32_t set : from_) taken_[set] = 0;
        from_.clear();
        for (int32_t j = 0; j < n; ++j) {
            if (!tells_apart_[picks[j]]) continue;
            ++taken_[picks[j]];
            from_.push_back(picks[j]);
        }
    }

    // The state in `layer` that the item leads to, which has shown `shown`. If there is none, it has the next number.
    std::pair<int32_t, bool> find_or_add(const Layer<Shown>& layer, uint64_t key, int32_t set, const Shown* shown) {
        return numbers_.find_or_add(static_cast<uint32_t>(key >> 32), [&](int32_t x) {
            if constexpr (Terms::kFull)
                if (!std::equal(shown, shown + layer.n_aspects, layer.shown_of(x))) return false;
            return same_sets(layer.picks_of(x), layer.depth, set);
        });
    }

  private:
    uint64_t key_of(int32_t set) const {
        if constexpr (!Terms::kFull) return mixed(static_cast<uint64_t>(set));
        uint64_t key = tells_apart_[set] ? mixed(2 * static_cast<uint64_t>(set) + 1) : 0;
        for (const Entry& entry : sets_[set].entries) key += mixed(2 * static_cast<uint64_t>(entry.aspect));
        return key;
    }

    // Whether a list holds the sets that were looked from and one more, as far as they tell states apart.
    bool same_sets(const int32_t* picks, int32_t n, int32_t set) {
        ++taken_[set];
        auto left = static_cast<int32_t>(from_.size()) + tells_apart_[set];
        bool same = true;
        int32_t j = 0;
        for (; j < n && same; ++j) {
            const int32_t counts = tells_apart_[picks[j]];
            taken_[picks[j]] -= counts;
            left -= counts;
            same = taken_[picks[j]] >= 0;
        }
        while (j-- > 0) taken_[picks[j]] += tells_apart_[picks[j]];
        --taken_[set];
        return same && left == 0;
    }
};

}  // namespace aspectrum
