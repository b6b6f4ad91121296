// Least and greatest discounted sums of gains over all orders of items with equal scores.
#pragma once

#include "cover.hpp"
#include "extremes.hpp"
#include "gains.hpp"
#include "hash_index.hpp"
#include "interrupts.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace aspectrum {

// Gains that fall with what was shown before: eq. 7 of Clarke et al. 2008.
struct FallingGains {
    static constexpr bool kFall = true;
    Linear rule;

    bool constant() const { return rule.alpha == 0.0; }
    bool powers() const { return rule.powers; }

    template <class View>
    double gain(const View& view, int32_t row) const {
        return rule.gain(view, row);
    }
    template <class View>
    void take(View& view, int32_t row) const {
        rule.take(view, row);
    }
    // What an aspect counts for now, and how strongly.
    template <class View>
    double worth(const View& view, int32_t aspect) const {
        return view.left[aspect];
    }
    static double strength(double given) { return given; }
    double kept(double strength) const { return 1.0 - rule.alpha * strength; }
    // What is left after none, one, two ... items.
    template <class View>
    void fill(const View&, int32_t, double left, double kept, int64_t items, std::vector<double>& out) const {
        for (int64_t m = 0; m <= items; ++m, left *= kept) out.push_back(left);
    }
};

// One group of equal scores: what its first places can gain at least and at most, after all that stands above.
//
// Items that gain nothing stand last in the best order and first in the worst. The others are kinds, each with a number of copies, and a
// dynamic programme goes over how many copies of each kind are placed, one place after the other. An item that has all that another has, as
// strongly, stands before it in some best order, and after it in some worst: what is gained is a sum, over the ends of places, of
// what the items so far have gained together, which swapping the two does not lower, as discounts do not rise.
template <class Rule>
class TiedGains {
    struct Entry {
        int32_t aspect;
        int32_t factor;  // of those of its aspect
        double strength;
        bool operator==(const Entry& other) const { return aspect == other.aspect && strength == other.strength; }
    };
    struct Kind {
        int64_t begin, end;  // of its entries
        int64_t copies = 1;
        double gain;         // if nothing of the group stands before it
        double last = 0.0;   // if everything else does; for bounds only
        uint64_t below = 0;  // kinds that have at most what it has
        uint64_t above = 0;
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
    struct Layer {
        std::vector<uint64_t> keys;
        std::vector<double> values;
        void clear() { keys.clear(), values.clear(); }
    };

    Rule rule_;
    std::vector<Entry> entries_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> rows_, codes_;
    std::vector<double> gains_, subset_left_;
    std::vector<int32_t> number_of_;  // of aspects among those of the group; -1
    std::vector<Aspect> aspects_;
    size_t n_aspects_ = 0;
    std::vector<double> powers_, left_;
    std::vector<int64_t> first_factor_, counts_, placed_;
    std::vector<std::pair<double, int64_t>> rest_;
    HashIndex index_;
    Layer layer_, next_;
    Terms terms_;
    int64_t nothing_ = 0;  // items that gain nothing
    int key_bits_ = 0;
    std::vector<double> least_, greatest_;  // of so many of the other items
    int64_t least_proved_ = 0, greatest_proved_ = 0;

  public:
    TiedGains(const Cover& cover, Rule rule) : rule_(std::move(rule)), number_of_(cover.most_aspects(), -1), terms_(cover) {}

    Rule& rule() { return rule_; }

    // What the first `places` of the group gain, and whether that is proved.
    double least(int64_t places) const { return least_[std::max<int64_t>(0, places - nothing_)]; }
    double greatest(int64_t places) const { return greatest_[std::min(places, items())]; }
    bool proved(int64_t places) const { return places - nothing_ <= least_proved_ && std::min(places, items()) <= greatest_proved_; }

    // Settles a group whose places have these discounts, of which the first `places` are asked for; if these are all of them, takes the
    // items.
    template <class View>
    void settle(View& view, const int32_t* rows, int64_t n, const double* discounts, int64_t places, int64_t work) {
        rows_.clear(), gains_.clear();
        for (int64_t p = 0; p < n; ++p) {
            if (rows[p] < 0) continue;
            const double gain = rule_.gain(view, rows[p]);
            if (gain == 0.0) continue;
            rows_.push_back(rows[p]);
            gains_.push_back(gain);
        }
        nothing_ = n - items();
        least_.assign(1, 0.0), greatest_.assign(1, 0.0);
        least_proved_ = greatest_proved_ = n;
        if (rule_.constant() || !share_aspects(view)) {  // gains are what they are, in any order
            std::sort(gains_.begin(), gains_.end());
            add_up(gains_.begin(), discounts + nothing_, places - nothing_, least_);
            add_up(gains_.rbegin(), discounts, places, greatest_);
            if (places == n)
                for (int32_t row : rows_) rule_.take(view, row);
            return;
        }
        entries_.clear(), kinds_.clear();
        if constexpr (Rule::kFall)
            if (items() <= kFew && try_subsets(view, discounts, places, work)) return;
        find_kinds(view);
        if (kinds_.size() == 1) {
            for (double& gain : gains_) {
                gain = rule_.gain(view, rows_[0]);
                rule_.take(view, rows_[0]);
            }
            add_up(gains_.begin(), discounts + nothing_, places - nothing_, least_);
            add_up(gains_.begin(), discounts, places, greatest_);
            return;
        }
        prepare(view);
        least_proved_ = search<false>(discounts + nothing_, places - nothing_, work, least_);
        greatest_proved_ = search<true>(discounts, places, work, greatest_);
        if (places == n) take_all(view);
        for (size_t a = 0; a < n_aspects_; ++a) number_of_[aspects_[a].code] = -1;
    }

    // The least and greatest sums of one list, at its stops.
    template <class View>
    void score(View& view, const int32_t* rows, const uint8_t* tied, int64_t length, const int32_t* stops, int64_t n_stops,
               const double* discounts, int64_t work, double* least_sums, double* greatest_sums, uint8_t* sure) {
        const int64_t last = n_stops ? stops[n_stops - 1] : 0;
        double low = 0.0, high = 0.0;
        bool all_proved = true;
        int64_t c = 0;
        for (int64_t p = 0; p < last;) {
            for (; stops[c] <= p; ++c) least_sums[c] = low, greatest_sums[c] = high, sure[c] = all_proved;
            const int64_t next = end_of_group(tied, p, length);
            if (next == p + 1) {
                if (rows[p] >= 0) {
                    const double gain = rule_.gain(view, rows[p]) * discounts[p];
                    rule_.take(view, rows[p]);
                    low += gain, high += gain;
                }
            } else {
                const int64_t places = std::min(next, last) - p;
                settle(view, rows + p, next - p, discounts + p, places, work);
                for (; c < n_stops && stops[c] < next; ++c) {
                    least_sums[c] = low + least(stops[c] - p), greatest_sums[c] = high + greatest(stops[c] - p);
                    sure[c] = all_proved && proved(stops[c] - p);
                }
                low += least(places), high += greatest(places);
                all_proved = all_proved && proved(places);
            }
            p = next;
        }
        for (; c < n_stops; ++c) least_sums[c] = low, greatest_sums[c] = high, sure[c] = all_proved;
    }

  private:
    static constexpr int64_t kFew = 6;

    template <class View>
    bool counts(const View& view, int32_t aspect, double strength) const {
        return rule_.worth(view, aspect) * Rule::strength(strength) != 0.0;
    }

    int64_t items() const { return static_cast<int64_t>(rows_.size()); }

    template <class Gains>
    void add_up(Gains gain, const double* discounts, int64_t places, std::vector<double>& sums) const {
        for (int64_t j = 0; j < std::min(places, items()); ++j, ++gain) sums.push_back(sums.back() + *gain * discounts[j]);
    }

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

    // Few items: what each subset of them gains, which is quicker than to look for kinds. False if that is more work than allowed.
    template <class View>
    bool try_subsets(View& view, const double* discounts, int64_t places, int64_t work) {
        const auto m = static_cast<size_t>(items());
        // In an order that does not depend on the list, in which products are taken.
        for (size_t a = 1; a < m; ++a)
            for (size_t b = a; b > 0 && (gains_[b] > gains_[b - 1] || (gains_[b] == gains_[b - 1] && rows_[b] < rows_[b - 1])); --b)
                std::swap(gains_[b], gains_[b - 1]), std::swap(rows_[b], rows_[b - 1]);
        size_t ends[kFew + 1] = {0};
        codes_.clear();
        for (size_t a = 0; a < m; ++a) {
            view.each(rows_[a], [&](int32_t i, double s) {
                if (!counts(view, i, s)) return;
                if (number_of_[i] < 0) {
                    number_of_[i] = static_cast<int32_t>(codes_.size());
                    codes_.push_back(i);
                }
                entries_.push_back({number_of_[i], 0, s});
            });
            ends[a + 1] = entries_.size();
        }
        const size_t n_aspects = codes_.size(), n_subsets = size_t{1} << m;
        for (int32_t code : codes_) number_of_[code] = -1;
        if (static_cast<int64_t>(entries_.size() * n_subsets) > work) {
            entries_.clear();
            return false;
        }
        if (subset_left_.size() < n_aspects * n_subsets) subset_left_.resize(n_aspects * n_subsets);
        for (size_t a = 0; a < n_aspects; ++a) subset_left_[a] = view.left[codes_[a]];
        double low[size_t{1} << kFew], high[size_t{1} << kFew];
        std::fill_n(low, n_subsets, std::numeric_limits<double>::infinity());
        std::fill_n(high, n_subsets, 0.0);
        low[0] = 0.0;
        least_.resize(m + 1, std::numeric_limits<double>::infinity());
        greatest_.resize(m + 1, 0.0);
        const auto low_places = static_cast<size_t>(std::max<int64_t>(0, places - nothing_));
        for (size_t subset = 0; subset < n_subsets; ++subset) {
            const auto size = static_cast<size_t>(std::popcount(subset));
            if (size > static_cast<size_t>(places)) continue;
            least_[size] = std::min(least_[size], low[subset]);
            greatest_[size] = std::max(greatest_[size], high[subset]);
            double* left = subset_left_.data() + subset * n_aspects;
            if (subset > 0) {
                const auto last = static_cast<size_t>(std::bit_width(subset)) - 1;
                std::copy_n(subset_left_.data() + (subset ^ size_t{1} << last) * n_aspects, n_aspects, left);
                for (size_t e = ends[last]; e < ends[last + 1]; ++e) left[entries_[e].aspect] *= rule_.kept(entries_[e].strength);
            }
            if (size == static_cast<size_t>(places)) continue;
            for (size_t a = 0; a < m; ++a) {
                if (subset >> a & 1) continue;
                const double more = subset == 0 ? gains_[a] : gain(entries_.data() + ends[a], entries_.data() + ends[a + 1], left);
                const size_t then = subset | size_t{1} << a;
                high[then] = std::max(high[then], high[subset] + more * discounts[size]);
                if (size < low_places) low[then] = std::min(low[then], low[subset] + more * discounts[nothing_ + size]);
            }
        }
        if (places == static_cast<int64_t>(m) + nothing_) {
            const double* left = subset_left_.data() + (n_subsets - 1) * n_aspects;
            put_left(view, codes_.data(), left, n_aspects);
        }
        return true;
    }

    template <class View>
    void put_left(View& view, const int32_t* codes, const double* left, size_t n) {
        for (size_t a = 0; a < n; ++a) {
            view.left[codes[a]] = left[a];
            if (left[a] > 0.0) view.smallest = std::min(view.smallest, left[a]);
        }
        for (int32_t row : rows_) view.touched(row);
    }

    // The entries that count, and the items whose entries are the same.
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
                uint64_t bits;
                std::memcpy(&bits, &strength, sizeof bits);
                hash = (hash ^ (static_cast<uint64_t>(i) + 1)) * 0x9E3779B97F4A7C15ull;
                hash = (hash ^ (hash >> 29) ^ bits) * 0xBF58476D1CE4E5B9ull;
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
                auto factor = std::find_if(factors.begin(), factors.end(), [&](const Factor& one) { return one.kept == kept; });
                if (factor == factors.end()) factor = factors.insert(factors.end(), Factor{kept});
                factor->items += kind.copies;
            }
        }
        powers_.clear(), first_factor_.assign(1, 0);
        for (size_t a = 0; a < n_aspects_; ++a) {  // factors by their value, so that no product depends on names
            auto& factors = aspects_[a].factors;
            std::sort(factors.begin(), factors.end(), [](const Factor& one, const Factor& other) { return one.kept > other.kept; });
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
            int32_t f = 0;
            while (factors[f].kept != rule_.kept(entry.strength)) ++f;
            entry.factor = static_cast<int32_t>(first_factor_[entry.aspect]) + f;
        }
        counts_.resize(first_factor_.back());
        left_.resize(n_aspects_);
        placed_.assign(kinds_.size(), 0);
        key_bits_ = 0;
        for (Kind& kind : kinds_) {
            kind.shift = key_bits_;
            key_bits_ += static_cast<int>(std::bit_width(static_cast<uint64_t>(kind.copies)));
        }
        if (key_bits_ <= 64) find_nested();
    }

    // What kinds gain if everything else of the group stands before them.
    void find_last_gains() {
        for (size_t k = 0; k < kinds_.size(); ++k) placed_[k] = kinds_[k].copies;
        for (size_t k = 0; k < kinds_.size(); ++k) {
            --placed_[k];
            look_at_placed();
            kinds_[k].last = gain(kinds_[k]);
            ++placed_[k];
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
                kinds_[k].below |= uint64_t{1} << other;
                kinds_[other].above |= uint64_t{1} << k;
            }
        }
    }

    // What is left of each aspect after the items that are placed.
    void look_at_placed() {
        std::fill(counts_.begin(), counts_.end(), 0);
        for (size_t k = 0; k < kinds_.size(); ++k)
            if (placed_[k] > 0)
                for (int64_t e = kinds_[k].begin; e < kinds_[k].end; ++e) counts_[entries_[e].factor] += placed_[k];
        for (size_t a = 0; a < n_aspects_; ++a) {
            const auto& factors = aspects_[a].factors;
            const int64_t* count = counts_.data() + first_factor_[a];
            double left = powers_[factors[0].powers + count[0]];
            for (size_t f = 1; f < factors.size(); ++f) left *= powers_[factors[f].powers + count[f]];
            left_[a] = left;
        }
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

    // Kinds of which a state has all copies; and how many it has of each.
    uint64_t read(uint64_t key) {
        uint64_t used_up = 0;
        for (size_t k = 0; k < kinds_.size(); ++k) {
            const Kind& kind = kinds_[k];
            const uint64_t mask = (uint64_t{1} << std::bit_width(static_cast<uint64_t>(kind.copies))) - 1;
            placed_[k] = static_cast<int64_t>(key >> kind.shift & mask);
            used_up |= uint64_t{placed_[k] == kind.copies} << k;
        }
        return used_up;
    }

    // Fills in what so many items gain, and returns for how many that is proved; for more there are bounds.
    template <bool kGreatest>
    int64_t search(const double* discounts, int64_t places, int64_t work, std::vector<double>& best) {
        const int64_t n = std::min(places, items());
        layer_.clear();
        layer_.keys.push_back(0), layer_.values.push_back(0.0);
        const auto cost = static_cast<int64_t>(entries_.size() + kinds_.size());
        for (int64_t j = 0; j < n; ++j) {
            const auto states = static_cast<int64_t>(layer_.keys.size());
            if (key_bits_ > 64 || states > work / cost) {
                bound<kGreatest>(discounts, j, n, work, best);
                return j;
            }
            work -= states * cost;
            next_.clear();
            index_.clear(layer_.keys.size());
            for (int64_t state = 0; state < states; ++state) {
                tick(1);
                const uint64_t used_up = read(layer_.keys[state]);
                look_at_placed();
                for (size_t k = 0; k < kinds_.size(); ++k) {
                    const Kind& kind = kinds_[k];
                    if (used_up >> k & 1 || ((kGreatest ? kind.above : kind.below) & ~used_up)) continue;
                    const double value = layer_.values[state] + gain(kind) * discounts[j];
                    const uint64_t key = layer_.keys[state] + (uint64_t{1} << kind.shift);
                    const auto [at, is_new] = index_.find_or_add(folded(key), [&](int32_t i) { return next_.keys[i] == key; });
                    if (is_new)
                        next_.keys.push_back(key), next_.values.push_back(value);
                    else
                        next_.values[at] = kGreatest ? std::max(next_.values[at], value) : std::min(next_.values[at], value);
                }
            }
            std::swap(layer_, next_);
            best.push_back(best_of<kGreatest>(layer_.values));
        }
        return n;
    }

    template <bool kGreatest>
    static double best_of(const std::vector<double>& values) {
        return kGreatest ? *std::max_element(values.begin(), values.end()) : *std::min_element(values.begin(), values.end());
    }

    // For more than `done` items: each of the others gains as if nothing more of the group stood before it, or as if everything else did.
    template <bool kGreatest>
    void bound(const double* discounts, int64_t done, int64_t n, int64_t work, std::vector<double>& best) {
        if (static_cast<int64_t>(layer_.keys.size()) > work / items()) {  // too many states: from the first one
            done = 0;
            layer_.clear();
            layer_.keys.push_back(0), layer_.values.push_back(0.0);
        }
        constexpr bool kAsFirst = kGreatest == Rule::kFall;
        if (!kAsFirst) find_last_gains();
        const size_t known = best.size();
        const double worst = kGreatest ? 0.0 : std::numeric_limits<double>::infinity();
        best.resize(n + 1, worst);
        for (size_t state = 0; state < layer_.keys.size(); ++state) {
            tick(1);
            if (done == 0)
                std::fill(placed_.begin(), placed_.end(), 0);
            else
                read(layer_.keys[state]);
            look_at_placed();
            rest_.clear();
            for (size_t k = 0; k < kinds_.size(); ++k)
                if (placed_[k] < kinds_[k].copies)
                    rest_.emplace_back(kAsFirst ? gain(kinds_[k]) : kinds_[k].last, kinds_[k].copies - placed_[k]);
            std::sort(rest_.begin(), rest_.end());
            if (kGreatest) std::reverse(rest_.begin(), rest_.end());
            double value = layer_.values[state];
            int64_t j = done;
            for (const auto& [gain, copies] : rest_) {
                for (int64_t m = 0; m < copies && j < n; ++m) {
                    value += gain * discounts[j++];
                    if (j >= static_cast<int64_t>(known)) best[j] = kGreatest ? std::max(best[j], value) : std::min(best[j], value);
                }
            }
        }
    }
};

// Least and greatest sum of gain * discount over the first places of each list, at each stop; of lists without equal scores, both are
// what discounted_sums() makes of place_gains().
inline Extremes::Arrays extreme_gains(const Cover& cover, Ties tied_, Matrix<int32_t> stops_, double alpha, Array<double> discounts_,
                                      int64_t work) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const uint8_t* tied = check_ties(tied_, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    const double* discounts = discounts_.data();
    require(alpha >= 0.0 && alpha <= 1.0, "alpha must be 0 to 1");
    require(work >= 0, "a negative limit of work");
    int64_t deepest = 0;
    for (int64_t u = 0; u < cover.users; ++u) deepest = std::max<int64_t>(deepest, stops.last(u));
    require(deepest <= static_cast<int64_t>(discounts_.shape(0)), "not enough discounts");
    for (int64_t j = 1; j < deepest; ++j) require(discounts[j] <= discounts[j - 1], "discounts must not rise");
    Extremes out(cover.users, stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] {
                return std::make_pair(make_view(), TiedGains<FallingGains>(cover, FallingGains{Linear(cover, alpha)}));
            };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, group] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    const int64_t at = u * stops.cutoffs;
                    view.begin(u);
                    group.score(view, cover.rows.data() + offsets[u], tied + offsets[u], offsets[u + 1] - offsets[u], stops.of(u),
                                stops.cutoffs, discounts, work, out.least.data() + at, out.greatest.data() + at, out.proved.data() + at);
                    view.end(u);
                }
            });
        });
    }
    return std::move(out).arrays();
}

}  // namespace aspectrum
