// What a group of equal scores gains at least and at most.
#pragma once

#include "exact.hpp"
#include "extremes.hpp"
#include "interrupts.hpp"
#include "tied_kinds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace aspectrum {

// One group of equal scores: what its first places can gain at least and at most, after all that stands above.
//
// Items that gain nothing stand last in the best order and first in the worst. The others are kinds, each with a number of copies, and a
// dynamic programme goes over how many copies of each kind are placed, one place after the other. An item that has all that another has, as
// strongly, stands before it in some best order, and after it in some worst: what is gained is a sum, over the ends of places, of
// what the items so far have gained together, which swapping the two does not lower, as discounts do not rise.
template <class Rule>
class TiedGains : TiedKinds<Rule> {
    using Base = TiedKinds<Rule>;
    using Base::counts, Base::items, Base::share_aspects, Base::find_kinds, Base::prepare, Base::find_last_gains, Base::look_at_placed;
    using Base::gain, Base::put_left, Base::take_all, Base::work_of_state, Base::read, Base::hash;
    using Base::n_aspects_, Base::left_, Base::first_factor_, Base::counts_, Base::placed_, Base::index_, Base::key_bits_, Base::kBits;
    using Base::rule_, Base::entries_, Base::kinds_, Base::rows_, Base::codes_, Base::gains_, Base::number_of_, Base::aspects_;
    using typename Base::Bits, typename Base::Entry, typename Base::Kind;

    struct Layer {
        std::vector<Bits> keys;
        std::vector<double> values, bounds;
        void clear() { keys.clear(), values.clear(), bounds.clear(); }
        void begin() { clear(), keys.push_back(0), values.push_back(0.0); }
    };

    std::vector<double> subset_left_;
    std::vector<std::pair<double, int64_t>> rest_;
    Layer layer_, next_;
    int64_t nothing_ = 0;                   // items that gain nothing
    std::vector<double> least_, greatest_;  // of so many of the other items
    int64_t least_proved_ = 0, greatest_proved_ = 0;
    const double* discounts_ = nullptr;
    int64_t work_ = 0;
    std::vector<int64_t> first_ratio_, by_bound_;
    std::vector<double> gain_ratios_, loss_ratios_;
    std::vector<std::pair<double, int64_t>> gains_of_rest_, losses_of_rest_;

  public:
    TiedGains(const Cover& cover, Rule rule) : Base(cover, std::move(rule)) {}

    Rule& rule() { return rule_; }

    // What the first `places` of the group gain at least and at most, and whether that is proved.
    std::pair<double, bool> least(int64_t places) {
        const int64_t n = std::max<int64_t>(0, places - nothing_);
        if (n <= least_proved_) return {least_[n], true};
        if constexpr (Rule::kFall) return sweep(n);
        return {least_[n], false};
    }
    std::pair<double, bool> greatest(int64_t places) {
        const int64_t n = std::min(places, items());
        if (n <= greatest_proved_) return {greatest_[n], true};
        if constexpr (Rule::kFall) return solve(n);
        return {greatest_[n], false};
    }

    // Settles a group whose places have these discounts, of which the first `places` are asked for; if these are all of them, takes the
    // items.
    template <class View>
    void settle(View& view, const int32_t* rows, int64_t n, const double* discounts, int64_t places, int64_t work) {
        rows_.clear(), gains_.clear();
        discounts_ = discounts, work_ = work;
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
                    const auto [less, less_proved] = least(stops[c] - p);
                    const auto [more, more_proved] = greatest(stops[c] - p);
                    least_sums[c] = low + less, greatest_sums[c] = high + more;
                    sure[c] = all_proved && less_proved && more_proved;
                }
                if (next <= last) {
                    const auto [less, less_proved] = least(places);
                    const auto [more, more_proved] = greatest(places);
                    low += less, high += more;
                    all_proved = all_proved && less_proved && more_proved;
                }
            }
            p = next;
        }
        for (; c < n_stops; ++c) least_sums[c] = low, greatest_sums[c] = high, sure[c] = all_proved;
    }

  private:
    static constexpr int64_t kFew = 6;

    template <class Gains>
    void add_up(Gains gain, const double* discounts, int64_t places, std::vector<double>& sums) const {
        for (int64_t j = 0; j < std::min(places, items()); ++j, ++gain) sums.push_back(sums.back() + *gain * discounts[j]);
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

    // All ways to place one item more than the states of a layer have; the best of those to the same state.
    template <bool kGreatest>
    void expand(const Layer& layer, double discount, Layer& next) {
        next.clear();
        index_.clear(layer.keys.size());
        for (size_t state = 0; state < layer.keys.size(); ++state) {
            tick(1);
            const Bits used_up = read(layer.keys[state]);
            look_at_placed();
            for (size_t k = 0; k < kinds_.size(); ++k) {
                const Kind& kind = kinds_[k];
                if (placed_[k] == kind.copies || ((kGreatest ? kind.above : kind.below) & ~used_up)) continue;
                const double value = layer.values[state] + gain(kind) * discount;
                const Bits key = layer.keys[state] + (Bits{1} << kind.shift);
                const auto [at, is_new] = index_.find_or_add(hash(key), [&](int32_t i) { return next.keys[i] == key; });
                if (is_new)
                    next.keys.push_back(key), next.values.push_back(value);
                else
                    next.values[at] = kGreatest ? std::max(next.values[at], value) : std::min(next.values[at], value);
            }
        }
    }

    // Fills in what so many items gain, and returns for how many that is proved; for more there are bounds.
    template <bool kGreatest>
    int64_t search(const double* discounts, int64_t places, int64_t work, std::vector<double>& best) {
        const int64_t n = std::clamp<int64_t>(places, 0, items());
        layer_.begin();
        const int64_t cost = work_of_state();
        for (int64_t j = 0; j < n; ++j) {
            const auto states = static_cast<int64_t>(layer_.keys.size());
            if (key_bits_ > kBits || states > work / cost) {
                bound<kGreatest>(discounts, j, n, work, best);
                return j;
            }
            work -= states * cost;
            expand<kGreatest>(layer_, discounts[j], next_);
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
            layer_.begin();
        }
        constexpr bool kAsFirst = kGreatest == Rule::kFall;
        if (!kAsFirst) find_last_gains(work_);
        const size_t known = best.size();
        const double worst = kGreatest ? 0.0 : std::numeric_limits<double>::infinity();
        best.resize(n + 1, worst);
        for (size_t state = 0; state < layer_.keys.size(); ++state) {
            tick(1 + work_of_state() / 64);
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

    // The greatest is the best list of a problem that begins with what is left; its search gives up states that cannot be the best.
    std::pair<double, bool> solve(int64_t n) {
        Problem problem;
        for (size_t a = 0; a < n_aspects_; ++a) problem.weights.push_back(aspects_[a].left);
        bool strong = true;
        for (const Entry& entry : entries_) strong = strong && entry.strength == 1.0;
        std::vector<Kind> kinds(kinds_);  // those that may hold others first
        std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.end - a.begin > b.end - b.begin; });
        Entries entries;
        for (const Kind& kind : kinds) {
            entries.clear();
            for (int64_t e = kind.begin; e < kind.end; ++e) entries.emplace_back(entries_[e].aspect, entries_[e].strength);
            problem.add_set(entries, kind.copies, 0, 0);
        }
        if (strong) problem.strengths.clear();
        const double budget = static_cast<double>(work_) / tuning::kOperationsPerUnit;
        const Certificate found = solve_exactly(problem, n, discounts_, rule_.rule.alpha, budget, nullptr);
        return {found.proved ? found.best : std::min(found.upper, greatest_[n]), found.proved};
    }

    // The least, through layers of at most so many states, again and again with more of them, until none was left out that could matter.
    std::pair<double, bool> sweep(int64_t n) {
        constexpr double kExact = 1e-13;  // what rounding may leave
        const double* discounts = discounts_ + nothing_;
        constexpr double kNone = std::numeric_limits<double>::infinity();
        double best = kNone, proved = least_[n];
        int64_t work = work_ - work_of_state() * n;
        if (key_bits_ > kBits || work < 0) return {proved, false};
        read(0);
        look_at_placed();
        proved = std::max(proved, least_of_rest(discounts, 0, n));
        for (size_t width = 16;; width *= 4) {
            double left_out = kNone;
            layer_.begin();
            layer_.bounds.push_back(proved);
            for (int64_t j = 0; j < n && !layer_.keys.empty(); ++j) {
                const auto states = static_cast<int64_t>(layer_.keys.size()), kinds = static_cast<int64_t>(kinds_.size());
                work -= states * work_of_state() * (1 + std::min(kinds, n - j) * (n - j - 1));
                if (work < 0) {
                    const double open = *std::min_element(layer_.bounds.begin(), layer_.bounds.end());
                    return {std::max(proved, std::min({open, left_out, best})), false};
                }
                expand<false>(layer_, discounts[j], next_);
                if (j + 1 == n) {
                    best = std::min(best, best_of<false>(next_.values));
                    break;
                }
                by_bound_.clear();
                for (size_t state = 0; state < next_.keys.size(); ++state) {
                    tick(1);
                    read(next_.keys[state]);
                    look_at_placed();
                    next_.bounds.push_back(next_.values[state] + least_of_rest(discounts, j + 1, n));
                    if (next_.bounds.back() < best * (1.0 - kExact)) by_bound_.push_back(static_cast<int64_t>(state));
                }
                if (by_bound_.size() > width) {
                    const auto before = [&](int64_t a, int64_t b) {
                        return next_.bounds[a] != next_.bounds[b] ? next_.bounds[a] < next_.bounds[b] : next_.keys[a] < next_.keys[b];
                    };
                    std::nth_element(by_bound_.begin(), by_bound_.begin() + static_cast<int64_t>(width), by_bound_.end(), before);
                    left_out = std::min(left_out, next_.bounds[by_bound_[width]]);
                    by_bound_.resize(width);
                }
                layer_.clear();
                for (const int64_t state : by_bound_) {
                    layer_.keys.push_back(next_.keys[state]);
                    layer_.values.push_back(next_.values[state]);
                    layer_.bounds.push_back(next_.bounds[state]);
                }
            }
            if (left_out >= best * (1.0 - kExact)) return {best, true};
            proved = std::max(proved, left_out);
        }
    }

    // What the places after the first j of n add at least, after the items that are placed. It is a sum, over the ends of places, of what
    // the items so far have gained, which has two limits: what so many items of the rest gain, and what all of them gain less what the
    // others do. Of an aspect, a number of items gain no less than their share of what as many of the strongest gain; and miss no more than
    // their share of what these miss.
    double least_of_rest(const double* discounts, int64_t j, int64_t n) {
        gain_ratios_.clear(), loss_ratios_.clear(), first_ratio_.assign(1, 0);
        const double alpha = rule_.rule.alpha;
        double all = 0.0;
        for (size_t a = 0; a < n_aspects_; ++a) {
            const auto& factors = aspects_[a].factors;
            const size_t begin = gain_ratios_.size();
            double product = 1.0, sum = 0.0;
            gain_ratios_.push_back(1.0);
            for (size_t f = factors.size(); f-- > 0;) {  // the strongest first
                for (int64_t m = factors[f].items - counts_[first_factor_[a] + static_cast<int64_t>(f)]; m > 0; --m) {
                    product *= factors[f].kept, sum += 1.0 - factors[f].kept;
                    gain_ratios_.push_back(sum > 0.0 ? (1.0 - product) / sum : 1.0);
                }
            }
            all += left_[a] * (1.0 - product);
            loss_ratios_.resize(gain_ratios_.size());
            double others = 1.0;
            size_t e = gain_ratios_.size();
            for (size_t f = 0; f < factors.size(); ++f) {
                for (int64_t m = factors[f].items - counts_[first_factor_[a] + static_cast<int64_t>(f)]; m > 0; --m) {
                    --e;
                    loss_ratios_[e] = gain_ratios_[e] * others;
                    others *= factors[f].kept;
                }
            }
            loss_ratios_[begin] = 0.0;
            first_ratio_.push_back(static_cast<int64_t>(gain_ratios_.size()));
        }
        all /= alpha;
        double bound = 0.0, before = 0.0;
        for (int64_t m = j + 1; m <= n; ++m) {
            const int64_t taken = m - j, others = items() - m;
            gains_of_rest_.clear(), losses_of_rest_.clear();
            for (size_t k = 0; k < kinds_.size(); ++k) {
                const int64_t copies = kinds_[k].copies - placed_[k];
                if (copies == 0) continue;
                double gain = 0.0, loss = 0.0;
                for (int64_t e = kinds_[k].begin; e < kinds_[k].end; ++e) {
                    const int32_t a = entries_[e].aspect;
                    const int64_t first = first_ratio_[a], most = first_ratio_[a + 1] - first - 1;
                    const double worth = left_[a] * entries_[e].strength;
                    gain += worth * gain_ratios_[first + std::min(taken, most)];
                    loss += worth * loss_ratios_[first + std::min(others, most)];
                }
                gains_of_rest_.emplace_back(gain, copies);
                losses_of_rest_.emplace_back(-loss, copies);
            }
            const double so_far = std::max(sum_of_smallest(gains_of_rest_, taken), all + sum_of_smallest(losses_of_rest_, others));
            before = std::max(before, so_far);
            bound += (discounts[m - 1] - (m < n ? discounts[m] : 0.0)) * before;
        }
        return bound;
    }

    static double sum_of_smallest(std::vector<std::pair<double, int64_t>>& values, int64_t n) {
        std::sort(values.begin(), values.end());
        double sum = 0.0;
        for (const auto& [value, copies] : values) {
            sum += value * static_cast<double>(std::min(n, copies));
            n -= copies;
            if (n <= 0) break;
        }
        return sum;
    }
};

}  // namespace aspectrum
