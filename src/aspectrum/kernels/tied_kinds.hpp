// The items of a group of equal scores, by kinds, and what some of them leave to the others.
#pragma once

#include "cover.hpp"
#include "hash_index.hpp"
#include "interrupts.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace aspectrum {

// Items that gain something, with the kinds of those that cannot be told apart. A rule says what items gain, and what they leave.
template <class Rule>
class TiedKinds {
  protected:
    struct Entry {
        int32_t aspect;
        int32_t factor;  // of those of its aspect
        double strength;
        bool operator==(const Entry& other) const { return aspect == other.aspect && strength == other.strength; }
        bool operator<(const Entry& other) const { return aspect != other.aspect ? aspect < other.aspect : strength < other.strength; }
    };
    using Bits = unsigned __int128;
    static constexpr int kBits = 128;

    struct Kind {
        int64_t begin, end;  // of its entries
        int64_t copies = 1;
        double gain;        // if nothing of the group stands before it
        double last = 0.0;  // if everything else does; for bounds only
        Bits below = 0;     // kinds that have at most what it has
        Bits above = 0;
        int shift = 0;  // of its number in the key of a state
    };
    // What is left of an aspect after some of the items that have it, all with one strength.
    struct Factor {
        double kept;
        int64_t items = 0;
        int64_t powers = 0;  // where its powers begin
    };
    struct Aspect {
        int32_t code;
        double left;
        std::vector<Factor> factors;
    };
    Rule rule_;
    std::vector<Entry> entries_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> rows_, codes_;
    std::vector<double> gains_;       // of items, if nothing of the group stands before them
    std::vector<int32_t> number_of_;  // of aspects among those of the group; -1
    std::vector<Aspect> aspects_;
    size_t n_aspects_ = 0;
    std::vector<double> powers_, left_;
    std::vector<int64_t> first_factor_, counts_, placed_;
    HashIndex index_;
    Terms terms_;
    int key_bits_ = 0;

    TiedKinds(const Cover& cover, Rule rule) : rule_(std::move(rule)), number_of_(cover.most_aspects(), -1), terms_(cover) {}

    template <class View>
    bool counts(const View& view, int32_t aspect, double strength) const {
        return rule_.worth(view, aspect) * Rule::strength(strength) != 0.0;
    }

    int64_t items() const { return static_cast<int64_t>(rows_.size()); }

    // Whether an aspect counts for two of the items that gain.
    template <class View>
    bool share_aspects(const View& view) {
        if (items() < 2) return false;
        bool shared = false;
        if constexpr (std::is_same_v<View, MaskView>) {
            uint64_t before = 0;
            for (int32_t row : rows_) {
                shared |= (before & view.key(row)) != 0;
                before |= view.key(row);
            }
        } else {
            for (int32_t row : rows_) {
                view.each(row, [&](int32_t i, double s) {
                    if (!counts(view, i, s)) return;
                    shared |= number_of_[i] == 0;
                    number_of_[i] = 0;
                });
            }
            for (int32_t row : rows_) view.each(row, [&](int32_t i, double) { number_of_[i] = -1; });
        }
        return shared;
    }

    template <class View>
    void put_left(View& view, const int32_t* codes, const double* left, size_t n) {
        for (size_t a = 0; a < n; ++a) {
            view.left[codes[a]] = left[a];
            if (left[a] > 0.0) view.smallest = std::min(view.smallest, left[a]);
        }
        for (int32_t row : rows_) view.touched(row);
    }

    // The entries that count, and the items whose entries are the same; in an order that does not depend on that of the items.
    template <class View>
    void find_kinds(const View& view) {
        index_.clear(rows_.size());
        for (size_t m = 0; m < rows_.size(); ++m) {
            const size_t begin = entries_.size();
            uint64_t hash = 0;
            view.each(rows_[m], [&](int32_t i, double s) {
                if (!counts(view, i, s)) return;
                const double strength = Rule::strength(s);
                entries_.push_back({i, 0, strength});
                hash = with_entry(hash, i, strength);
            });
            const auto [kind, is_new] = index_.find_or_add(folded(hash), [&](int32_t k) {
                return std::equal(entries_.begin() + begin, entries_.end(), entries_.begin() + kinds_[k].begin,
                                  entries_.begin() + kinds_[k].end);
            });
            if (is_new) {
                Kind added{};
                added.begin = static_cast<int64_t>(begin), added.end = static_cast<int64_t>(entries_.size()), added.gain = gains_[m];
                kinds_.push_back(added);
            } else {
                ++kinds_[kind].copies;
                entries_.resize(begin);
            }
        }
        std::sort(kinds_.begin(), kinds_.end(), [&](const Kind& one, const Kind& other) {
            const auto entries = entries_.begin();
            return std::lexicographical_compare(entries + one.begin, entries + one.end, entries + other.begin, entries + other.end);
        });
    }

    // Tables of what is left of each aspect, and which kinds have all that others have.
    template <class View>
    void prepare(const View& view) {
        n_aspects_ = 0;
        for (Kind& kind : kinds_) {
            for (int64_t e = kind.begin; e < kind.end; ++e) {
                Entry& entry = entries_[e];
                int32_t& number = number_of_[entry.aspect];
                if (number < 0) {
                    number = static_cast<int32_t>(n_aspects_++);
                    if (aspects_.size() < n_aspects_) aspects_.emplace_back();
                    aspects_[number].code = entry.aspect;
                    aspects_[number].left = rule_.worth(view, entry.aspect);
                    aspects_[number].factors.clear();
                }
                entry.aspect = number;
                const double kept = rule_.kept(entry.strength);
                auto& factors = aspects_[number].factors;
                if (factors.empty() || factors.back().kept != kept) factors.push_back({kept});
                factors.back().items += kind.copies;
            }
        }
        powers_.clear(), first_factor_.assign(1, 0);
        for (size_t a = 0; a < n_aspects_; ++a) {  // factors by their value, so that no product depends on names
            auto& factors = aspects_[a].factors;
            std::sort(factors.begin(), factors.end(), [](const Factor& one, const Factor& other) { return one.kept > other.kept; });
            size_t n = 0;
            for (size_t f = 1; f < factors.size(); ++f) {
                if (factors[f].kept == factors[n].kept)
                    factors[n].items += factors[f].items;
                else
                    factors[++n] = factors[f];
            }
            factors.resize(n + 1);
            double power = aspects_[a].left;
            for (Factor& factor : factors) {
                factor.powers = static_cast<int64_t>(powers_.size());
                rule_.fill(view, aspects_[a].code, power, factor.kept, factor.items, powers_);
                power = 1.0;
            }
            first_factor_.push_back(first_factor_.back() + static_cast<int64_t>(factors.size()));
        }
        for (Entry& entry : entries_) {
            const auto& factors = aspects_[entry.aspect].factors;
            const auto found = std::lower_bound(factors.begin(), factors.end(), rule_.kept(entry.strength),
                                                [](const Factor& one, double kept) { return one.kept > kept; });
            entry.factor = static_cast<int32_t>(first_factor_[entry.aspect] + (found - factors.begin()));
        }
        counts_.resize(first_factor_.back());
        left_.resize(n_aspects_);
        placed_.assign(kinds_.size(), 0);
        key_bits_ = 0;
        for (Kind& kind : kinds_) {
            kind.shift = key_bits_;
            key_bits_ += static_cast<int>(std::bit_width(static_cast<uint64_t>(kind.copies)));
        }
        if (key_bits_ <= kBits) find_nested();
    }

    // What kinds gain if everything else of the group stands before them; at least 0 where that is too much work to say.
    void find_last_gains(int64_t work) {
        for (const Entry& entry : entries_) work -= static_cast<int64_t>(aspects_[entry.aspect].factors.size());
        if (Rule::kFall && work < 0) return;
        for (size_t k = 0; k < kinds_.size(); ++k) placed_[k] = kinds_[k].copies;
        look_at_placed();
        const std::vector<double> left(left_);
        for (Kind& kind : kinds_) {
            tick(kind.end - kind.begin);
            for (int64_t e = kind.begin; e < kind.end; ++e) {
                --counts_[entries_[e].factor];
                left_[entries_[e].aspect] = left_of(entries_[e].aspect);
            }
            kind.last = gain(kind);
            for (int64_t e = kind.begin; e < kind.end; ++e) {
                ++counts_[entries_[e].factor];
                left_[entries_[e].aspect] = left[entries_[e].aspect];
            }
        }
    }

    void find_nested() {
        for (size_t k = 0; k < kinds_.size(); ++k) {
            std::fill(left_.begin(), left_.end(), 0.0);
            for (int64_t e = kinds_[k].begin; e < kinds_[k].end; ++e) left_[entries_[e].aspect] = entries_[e].strength;
            for (size_t other = 0; other < kinds_.size(); ++other) {
                const auto begin = entries_.begin() + kinds_[other].begin, end = entries_.begin() + kinds_[other].end;
                if (other == k || std::any_of(begin, end, [&](const Entry& entry) { return entry.strength > left_[entry.aspect]; }))
                    continue;
                kinds_[k].below |= Bits{1} << other;
                kinds_[other].above |= Bits{1} << k;
            }
        }
    }

    // What is left of each aspect after the items that are placed.
    void look_at_placed() {
        std::fill(counts_.begin(), counts_.end(), 0);
        for (size_t k = 0; k < kinds_.size(); ++k)
            if (placed_[k] > 0)
                for (int64_t e = kinds_[k].begin; e < kinds_[k].end; ++e) counts_[entries_[e].factor] += placed_[k];
        for (size_t a = 0; a < n_aspects_; ++a) left_[a] = left_of(a);
    }
    double left_of(size_t a) const {
        const auto& factors = aspects_[a].factors;
        const int64_t* count = counts_.data() + first_factor_[a];
        double left = powers_[factors[0].powers + count[0]];
        for (size_t f = 1; f < factors.size(); ++f) left *= powers_[factors[f].powers + count[f]];
        return left;
    }

    double gain(const Entry* entry, const Entry* end, const double* left) {
        if (rule_.powers()) {
            double sum = 0.0, smallest = std::numeric_limits<double>::infinity();
            for (const Entry* e = entry; e != end; ++e) {
                const double term = left[e->aspect];
                sum += term;
                if (term > 0.0) smallest = std::min(smallest, term);
            }
            if (sum <= smallest * 0x1p53) return sum;
        }
        terms_.clear();
        for (; entry != end; ++entry) terms_.add(left[entry->aspect] * entry->strength);
        return terms_.sum();
    }
    double gain(const Kind& kind) { return gain(entries_.data() + kind.begin, entries_.data() + kind.end, left_.data()); }

    template <class View>
    void take_all(View& view) {
        if constexpr (!Rule::kFall) {
            for (int32_t row : rows_) rule_.take(view, row);
            return;
        }
        for (size_t k = 0; k < kinds_.size(); ++k) placed_[k] = kinds_[k].copies;
        look_at_placed();
        codes_.clear();
        for (size_t a = 0; a < n_aspects_; ++a) codes_.push_back(aspects_[a].code);
        put_left(view, codes_.data(), left_.data(), n_aspects_);
    }

    int64_t work_of_state() const { return static_cast<int64_t>(entries_.size() + kinds_.size()); }

    // Kinds of which a state has all copies; and how many it has of each.
    Bits read(Bits key) {
        Bits used_up = 0;
        for (size_t k = 0; k < kinds_.size(); ++k) {
            const Kind& kind = kinds_[k];
            const uint64_t mask = (uint64_t{1} << std::bit_width(static_cast<uint64_t>(kind.copies))) - 1;
            placed_[k] = static_cast<int64_t>(static_cast<uint64_t>(key >> kind.shift) & mask);
            used_up |= Bits{placed_[k] == kind.copies} << k;
        }
        return used_up;
    }
    static uint32_t hash(Bits key) {
        const auto high = static_cast<uint64_t>(key >> 64);
        return folded(static_cast<uint64_t>(key) ^ high * 0xBF58476D1CE4E5B9ull);
    }
};

}  // namespace aspectrum
