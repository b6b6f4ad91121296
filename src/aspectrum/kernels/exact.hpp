// The exact ideal list: the largest sum of discounted gains that k items can have, with a proof.
//
// With F(first j items) what the items gain together, the sum is that of (d_j - d_j+1) F(first j items) over j: a list
// is a growing set. The search goes rank by rank. All ways to the same state (how often each aspect was shown, which
// scarce sets were used) meet in one, the best of them. A state is given up when no list through it can beat the best
// list known, by a bound; a layer that is still too wide is cut, and the search repeated with more width, until nothing
// was cut. What was cut last is the proven limit of what may have been missed.
//
// The bound is a Lagrangian relaxation: at every rank the counts of aspects are chosen apart from the items, at a price
// per aspect and rank, and an item may be taken more often than there are copies, at a price per set. Any prices give a
// bound; subgradient steps look for good ones, at the root and again in every layer, for the state that needs them most.
//
// Everything is decided by counted work, never by a clock: the same problem gives the same certificate everywhere.
#pragma once

#include "problem.hpp"

#include <atomic>
#include <cmath>
#include <limits>

namespace aspectrum {

struct Certificate {
    double best = 0.0;           // of the best list found
    double upper = 0.0;          // no list has more
    double greedy = 0.0;         // of the list that takes the largest gain at each rank
    bool proved = false;         // best and upper agree to kExact
    double work = 0.0;           // in units of kUnit operations
    std::vector<int32_t> list;   // sets of the best list
    int64_t depth = 0;           // ranks that were searched
};

// Raised from another thread when the answer is not wanted any more.
struct Stop {
    std::atomic<bool> raised{false};
};

constexpr double kExact = 1e-12;  // what rounding may leave between two ways of adding up the same list
constexpr double kNothing = 1e-100;  // a share of a value of which nothing can be seen; arithmetic with the smallest numbers is slow
constexpr double kUnit = 1e9;     // operations in a unit of work, about a second
constexpr int64_t kMemory = 1 << 28;  // bytes for states
constexpr double kRoom = 4e6;     // of tables by rank: larger ones are not made, and the bound is what it is without

// Every judgment counts in full: what is left of an aspect's value depends on how often it was shown.
struct Counted {
    using Shown = uint32_t;  // times
    static constexpr bool kFull = true;

    const std::vector<double>& weights;
    double beta;
    std::vector<double> powers;

    Counted(const Problem& problem, double alpha, int64_t depth) : weights(problem.weights), beta(1.0 - alpha), powers(depth + 1, 1.0) {
        for (int64_t c = 1; c <= depth; ++c) powers[c] = powers[c - 1] < kNothing ? 0.0 : powers[c - 1] * beta;
    }
    Shown unseen(int32_t) const { return 0; }
    double left(int32_t aspect, Shown shown) const { return weights[aspect] * powers[shown]; }
    Shown after(Shown shown, double) const { return static_cast<Shown>(shown + 1); }
    static double amount(double, double) { return 1.0; }

    // The most that an aspect can add at one rank beyond its price, `most` more items having it; and how many do then.
    double choose(double step, double left, double price, int64_t most, double& chosen) const {
        double sum = 0.0;
        int64_t taken = 0;
        for (double gain = step * left; taken < most && gain > price; gain *= beta, ++taken) sum += gain - price;
        chosen = static_cast<double>(taken);
        return sum;
    }
};

// Judgments have strengths: what is left is w exp(-y), where every item adds -log(1 - alpha s) to y.
struct Faded {
    using Shown = double;  // the value that is left
    static constexpr bool kFull = false;

    const std::vector<double>& weights;
    double alpha;

    Faded(const Problem& problem, double alpha_, int64_t) : weights(problem.weights), alpha(alpha_) {}
    Shown unseen(int32_t aspect) const { return weights[aspect]; }
    double left(int32_t, Shown shown) const { return shown; }
    Shown after(Shown shown, double strength) const { return shown * (1.0 - alpha * strength); }
    static double amount(double alpha, double strength) {
        return std::min(40.0, static_cast<double>(-std::log1p(-static_cast<long double>(alpha) * strength)));  // exp(-40) is nothing
    }

    double choose(double step, double left, double price, int64_t most, double& chosen) const {
        const double whole = step * left / alpha;
        if (price >= whole || most <= 0) {
            chosen = 0.0;
            return 0.0;
        }
        if (price <= 0.0) {
            chosen = 40.0;
            return whole;
        }
        // whole - price - price log(whole / price), without the difference of large numbers. In long double, rounded once:
        // the same bits on every CPU, which plain log1p does not promise.
        const long double above = (static_cast<long double>(whole) - price) / price, times = std::log1p(above);
        chosen = static_cast<double>(times);
        return static_cast<double>(price * (above - times));
    }
};

template <class Terms>
class ExactSearch {
    using Shown = typename Terms::Shown;

  public:
    ExactSearch(const Problem& problem, double alpha, int64_t depth, const double* discounts, double budget, const Stop* stop)
        : problem_(problem), terms_(problem, alpha, depth), alpha_(alpha), m_(static_cast<int32_t>(problem.n_aspects())),
          k_(static_cast<int32_t>(depth)), budget_(budget * kUnit), stop_(stop), discounts_(discounts, discounts + depth) {
        discounts_.push_back(0.0);
        for (int32_t j = 0; j < k_; ++j) steps_.push_back(discounts_[j] - discounts_[j + 1]);
        choose_sets();
        unseen_.resize(m_);
        for (int32_t i = 0; i < m_; ++i) unseen_[i] = terms_.unseen(i);
        fit_to_sets();
    }

    Certificate solve() {
        Certificate found;
        complete(0.0, unseen_.data(), nullptr, 0);
        found.greedy = best_;
        double upper = best_;
        if (best_ > 0.0 && alpha_ > 0.0) {  // nothing fades with alpha 0: the largest gains are the best list
            upper = simple_bound();
            double root = upper;
            if (upper > reach() && !spent() && double(k_) * m_ < kRoom) upper = root = std::min(upper, descend_root(true));
            bool wider = double(k_) * (m_ + n_) < kRoom;
            for (int64_t width = 16; wider && upper > reach() && !spent(); width *= 8) {
                wider = width < widest();
                upper = std::min(upper, std::max(best_, sweep(std::min(width, widest()), root)));
                if (wider && upper > reach() && !spent()) root = std::min(root, descend_root(false));
            }
        }
        found.best = value_of(best_list_);
        found.proved = upper <= reach();
        found.upper = found.proved ? found.best : std::max(upper, found.best);
        found.work = work_ / kUnit;
        found.list = best_list_;
        found.depth = k_;
        return found;
    }

  private:
    bool spent() const { return work_ >= budget_ || (stop_ && stop_->raised.load(std::memory_order_relaxed)); }

    // How many states of a layer there is memory for: while it grows it may be four times as wide, beside the two before it.
    int64_t widest() const { return std::max<int64_t>(1024, kMemory / (6 * (64 + int64_t(sizeof(Shown)) * m_ + 4 * int64_t(k_)))); }

    // What a list must exceed to be better than the best.
    double reach() const { return best_ * (1.0 + kExact); }

    // Leaves out a set if sets that hold all it has can fill the whole list. Of the others, knows which hold which.
    void choose_sets() {
        const int64_t n = problem_.n_sets();
        std::vector<int32_t> kept;
        for (int64_t s = 0; s < n; ++s) {  // larger sets come first
            int64_t above = 0;
            for (size_t t = 0; t < kept.size() && above < k_ && !spent(); ++t) {
                if (within(s, kept[t])) above += std::min<int64_t>(problem_.copies[kept[t]], k_);
                work_ += 8.0;
            }
            if (above < k_) kept.push_back(static_cast<int32_t>(s));
        }
        sets_.clear();
        for (int32_t s : kept) {
            Set set;
            set.original = s;
            set.copies = static_cast<int32_t>(std::min<int64_t>(problem_.copies[s], k_));
            for (int64_t e = problem_.offsets[s]; e < problem_.offsets[s + 1]; ++e)
                set.entries.push_back({problem_.aspects[e], problem_.strength(e), Terms::amount(alpha_, problem_.strength(e))});
            for (size_t t = 0; t < sets_.size() && !spent(); ++t) {
                if (within(s, sets_[t].original)) set.larger.push_back(static_cast<int32_t>(t));
                work_ += 8.0;
            }
            sets_.push_back(std::move(set));
        }
    }

    // Whether another, larger set has all aspects of a set, as strongly.
    bool within(int64_t set, int64_t other) const {
        const int64_t *o = problem_.offsets.data();
        if (o[set + 1] - o[set] > o[other + 1] - o[other]) return false;
        int64_t q = o[other];
        for (int64_t p = o[set]; p < o[set + 1]; ++p, ++q) {
            while (q < o[other + 1] && problem_.aspects[q] < problem_.aspects[p]) ++q;
            if (q == o[other + 1] || problem_.aspects[q] != problem_.aspects[p] || problem_.strength(q) < problem_.strength(p)) return false;
        }
        return true;
    }

    struct Entry {
        int32_t aspect;
        double strength;
        double amount;  // what it adds to the aspect's count
    };
    struct Set {
        int32_t original;
        int32_t copies;
        std::vector<Entry> entries;
        std::vector<int32_t> larger;  // sets that have all of its aspects
        double price = 0.0;           // of taking more than there are
    };

    void fit_to_sets() {
        n_ = static_cast<int32_t>(sets_.size());
        available_.assign(m_, 0);
        all_copies_.resize(n_);
        for (int32_t s = 0; s < n_; ++s) {
            all_copies_[s] = sets_[s].copies;
            for (const Entry& entry : sets_[s].entries) available_[entry.aspect] += sets_[s].copies;
        }
        use_all();
    }
    void use_all() {
        std::vector<int32_t> all(n_);
        std::iota(all.begin(), all.end(), 0);
        use(std::move(all));
    }
    void use(std::vector<int32_t>&& sets) {
        used_ = std::move(sets);
        n_entries_ = 0;
        for (int32_t s : used_) n_entries_ += static_cast<int64_t>(sets_[s].entries.size());
    }

    double gain(const Set& set, const double* left) const {
        double sum = 0.0;
        for (const Entry& entry : set.entries) sum += left[entry.aspect] * entry.strength;
        return sum;
    }

    // The value of a list of original sets, added up in an order that the names of aspects cannot change.
    double value_of(const std::vector<int32_t>& list) const {
        std::vector<Shown> shown(unseen_);
        std::vector<double> gains;
        double value = 0.0;
        for (size_t j = 0; j < list.size(); ++j) {
            gains.clear();
            for (int64_t e = problem_.offsets[list[j]]; e < problem_.offsets[list[j] + 1]; ++e) {
                Shown& of = shown[problem_.aspects[e]];
                gains.push_back(terms_.left(problem_.aspects[e], of) * problem_.strength(e));
                of = terms_.after(of, problem_.strength(e));
            }
            std::sort(gains.begin(), gains.end());
            value += discounts_[j] * std::accumulate(gains.begin(), gains.end(), 0.0);
        }
        return value;
    }

    // A list that is better than the best becomes it. `sets` are those of now.
    void offer(double value, const int32_t* sets, int64_t n) {
        if (value <= best_) return;
        best_ = value;
        best_list_.clear();
        for (int64_t j = 0; j < n; ++j) best_list_.push_back(sets_[sets[j]].original);
    }

    void remaining(const int32_t* picks, int32_t depth, std::vector<int32_t>& left) const {
        left = all_copies_;
        for (int32_t j = 0; j < depth; ++j) --left[picks[j]];
    }

    // Ends a state's list by the largest gain at each rank; `at_rank` hears what was shown after it.
    template <class AtRank>
    void complete(double value, const Shown* from, const int32_t* picks, int32_t depth, AtRank at_rank) {
        std::vector<Shown> shown(from, from + m_);
        std::vector<int32_t> copies, list(picks, picks + depth);
        std::vector<double> left(m_);
        remaining(picks, depth, copies);
        for (int32_t i = 0; i < m_; ++i) left[i] = terms_.left(i, shown[i]);
        double top = 1.0;
        for (int32_t j = depth; j < k_; ++j) {
            int32_t at = -1;
            if (top > 0.0) {
                top = 0.0;
                for (int32_t s : used_) {
                    if (copies[s] <= 0) continue;
                    const double gained = gain(sets_[s], left.data());
                    if (gained > top) top = gained, at = s;
                }
                work_ += double(n_entries_ + used_.size());
            }
            if (at >= 0) {
                value += discounts_[j] * top;
                --copies[at];
                list.push_back(at);
                for (const Entry& entry : sets_[at].entries) {
                    shown[entry.aspect] = terms_.after(shown[entry.aspect], entry.strength);
                    left[entry.aspect] = terms_.left(entry.aspect, shown[entry.aspect]);
                }
            }
            at_rank(j, top, left.data());
        }
        offer(value, list.data(), static_cast<int64_t>(list.size()));
    }
    void complete(double value, const Shown* from, const int32_t* picks, int32_t depth) {
        complete(value, from, picks, depth, [](int32_t, double, const double*) {});
    }

    // Two limits of what the first j items can gain together: the j largest gains of single items, and every aspect shown
    // j times, as strongly as it ever is.
    double simple_bound() {
        std::vector<double> gains, strongest(m_, 0.0), misses(m_, 1.0), left(m_);
        for (int32_t i = 0; i < m_; ++i) left[i] = terms_.left(i, unseen_[i]);
        for (const Set& set : sets_) {
            gains.insert(gains.end(), set.copies, gain(set, left.data()));
            for (const Entry& entry : set.entries) strongest[entry.aspect] = std::max(strongest[entry.aspect], entry.strength);
        }
        std::sort(gains.begin(), gains.end(), std::greater<double>());
        work_ += 20.0 * gains.size() + 4.0 * m_ * k_;
        double bound = 0.0, items = 0.0, aspects = 0.0;
        for (int32_t j = 0; j < k_; ++j) {
            if (j < static_cast<int32_t>(gains.size())) items += gains[j];
            for (int32_t i = 0; i < m_; ++i) {
                if (j >= available_[i]) continue;
                aspects += left[i] * misses[i] * strongest[i];
                misses[i] *= 1.0 - alpha_ * strongest[i];
            }
            bound += steps_[j] * std::min(items, aspects);
        }
        return bound;
    }

    // ---- The relaxation

    // Sums of an aspect's prices over the ranks from each rank on: what an item there saves.
    void add_up_prices(int32_t depth) {
        for (int32_t i = 0; i < m_; ++i) {
            double sum = 0.0;
            for (int32_t j = k_ - 1; j >= depth; --j) sums_[size_t(i) * k_ + j] = sum += prices_[size_t(i) * k_ + j];
        }
    }

    // What a set is worth at each rank from `depth` on, in `worth`.
    void worth_of(const Set& set, int32_t depth, double* worth) const {
        std::fill(worth + depth, worth + k_, -set.price);
        for (const Entry& entry : set.entries) {
            const double* saved = sums_.data() + size_t(entry.aspect) * k_;
            if constexpr (Terms::kFull)
                for (int32_t j = depth; j < k_; ++j) worth[j] += saved[j];
            else
                for (int32_t j = depth; j < k_; ++j) worth[j] += saved[j] * entry.amount;
        }
    }

    // The bound of a state under the prices; remembers the choices it stands on.
    double relax(int32_t depth, double value, const double* left, const int64_t* most, const std::vector<int32_t>& copies) {
        double bound = value;
        for (int32_t i = 0; i < m_; ++i)
            for (int32_t j = depth; j < k_; ++j) {
                double& chosen = chosen_[size_t(i) * k_ + j];
                bound += terms_.choose(steps_[j], left[i], prices_[size_t(i) * k_ + j], std::min<int64_t>(most[i], j - depth + 1), chosen);
                work_ += 2.0 * chosen;
            }
        add_up_prices(depth);
        std::fill(tops_.begin(), tops_.end(), 0.0);
        std::fill(picked_.begin(), picked_.end(), -1);
        for (int32_t s : used_) {
            if (copies[s] <= 0) continue;
            worth_of(sets_[s], depth, worth_.data());
            for (int32_t j = depth; j < k_; ++j)
                if (worth_[j] > tops_[j]) tops_[j] = worth_[j], picked_[j] = s;
            bound += sets_[s].price * copies[s];
        }
        for (int32_t j = depth; j < k_; ++j) bound += tops_[j];
        work_ += double(k_ - depth) * (n_entries_ + used_.size() + 6.0 * m_ * (Terms::kFull ? 1 : 8));
        return bound;
    }

    // Lowers the bound of a state by at most so many subgradient steps, and leaves the best prices it met.
    double descend(int32_t depth, double value, const Shown* shown, const int32_t* picks, int32_t steps, bool fresh) {
        tops_.resize(k_), worth_.resize(k_), picked_.resize(k_);
        std::vector<double> left(m_), set_direction(n_, 0.0), covered(m_), set_scales(n_), best_set_prices(n_);
        std::vector<int64_t> most(m_);
        std::vector<int32_t> copies, times(n_);
        remaining(picks, depth, copies);
        for (int32_t i = 0; i < m_; ++i) {
            left[i] = terms_.left(i, shown[i]);
            most[i] = available_[i];
        }
        for (int32_t j = 0; j < depth; ++j)
            for (const Entry& entry : sets_[picks[j]].entries) --most[entry.aspect];
        // A price lies between what an aspect's last and next item gain; the greedy list says about how large that is.
        std::vector<double> before(left), tops(k_ + 1, 0.0);
        complete(value, shown, picks, depth, [&](int32_t j, double top, const double* after) {
            tops[j] = top;
            for (int32_t i = 0; i < m_; ++i) {
                const size_t at = size_t(i) * k_ + j;
                if (after[i] < before[i]) previous_[i] = before[i];
                const double upper = after[i] < left[i] ? previous_[i] : left[i];
                scales_[at] = std::sqrt(steps_[j] * upper);
                if (fresh) prices_[at] = steps_[j] * (after[i] < left[i] ? 0.5 * (upper + after[i]) : left[i]);
            }
            std::copy(after, after + m_, before.begin());
        });
        // A set has a price from the rank on where it could be the best.
        for (int32_t s : used_) {
            const double gained = gain(sets_[s], left.data());
            int32_t rank = depth;
            while (rank + 1 < k_ && tops[rank] > gained) ++rank;
            set_scales[s] = std::sqrt(0.02 * discounts_[rank] * gained);
            sets_[s].price = std::min(sets_[s].price, discounts_[rank] * gained);  // one from an earlier layer may be far too high
        }
        work_ += n_entries_ + 4.0 * used_.size();
        std::fill(direction_.begin(), direction_.end(), 0.0);
        for (int32_t s = 0; s < n_; ++s) best_set_prices[s] = sets_[s].price;
        std::vector<double> best_prices(prices_);
        double low = std::numeric_limits<double>::infinity(), pace = fresh ? 1.0 : 0.5;
        int since = 0;
        auto go_back = [&] {
            prices_ = best_prices;
            for (int32_t s = 0; s < n_; ++s) sets_[s].price = best_set_prices[s];
        };
        for (int32_t step = 0; step < steps; ++step) {
            const double bound = relax(depth, value, left.data(), most.data(), copies);
            since = bound < low - 1e-3 * (low - best_) ? 0 : since + 1;
            if (bound < low) {
                low = bound;
                best_prices = prices_;
                for (int32_t s = 0; s < n_; ++s) best_set_prices[s] = sets_[s].price;
            }
            if (low <= reach() || spent()) break;
            if (since >= 8) {
                pace *= 0.6;
                since = 0;
                go_back();
                if (pace < 1e-3) break;
                continue;
            }
            std::fill(covered.begin(), covered.end(), 0.0);
            std::fill(times.begin(), times.end(), 0);
            double norm = 0.0;
            for (int32_t j = depth; j < k_; ++j) {
                if (picked_[j] >= 0) {
                    ++times[picked_[j]];
                    for (const Entry& entry : sets_[picked_[j]].entries) covered[entry.aspect] += entry.amount;
                }
                for (int32_t i = 0; i < m_; ++i) {
                    const size_t at = size_t(i) * k_ + j;
                    direction_[at] = (covered[i] - chosen_[at]) * scales_[at] + 0.6 * direction_[at];
                    norm += direction_[at] * direction_[at];
                }
            }
            for (int32_t s : used_) {
                if (copies[s] <= 0) continue;
                const double spare = (copies[s] - times[s]) * set_scales[s];
                set_direction[s] = (spare > 0.0 && sets_[s].price <= 0.0 ? 0.0 : spare) + 0.6 * set_direction[s];
                norm += set_direction[s] * set_direction[s];
            }
            if (norm <= 0.0) break;
            const double length = pace * (bound - best_) / norm;
            for (int32_t i = 0; i < m_; ++i)
                for (int32_t j = depth; j < k_; ++j) {
                    const size_t at = size_t(i) * k_ + j;
                    prices_[at] = std::max(0.0, prices_[at] - length * direction_[at] * scales_[at]);
                }
            for (int32_t s : used_) sets_[s].price = std::max(0.0, sets_[s].price - length * set_direction[s] * set_scales[s]);
        }
        go_back();
        return low;
    }

    // Good prices for the empty list, and the sets that a better list may still hold.
    double descend_root(bool fresh) {
        if (fresh) {
            prices_.assign(size_t(m_) * k_, 0.0);
            sums_ = chosen_ = scales_ = direction_ = prices_;
        } else {
            use_all();
            take_prices(root_prices_, root_set_prices_);
        }
        const double bound = descend(0, 0.0, unseen_.data(), nullptr, fresh ? 100 : 1000, fresh);
        drop_sets(bound);
        root_prices_ = prices_;
        root_set_prices_.resize(n_);
        for (int32_t s = 0; s < n_; ++s) root_set_prices_[s] = sets_[s].price;
        return bound;
    }

    void take_prices(const std::vector<double>& prices, const std::vector<double>& set_prices) {
        prices_ = prices;
        for (int32_t s = 0; s < n_; ++s) sets_[s].price = set_prices[s];
    }

    // Leaves out sets that no list better than the best can hold: placing one anywhere costs more than the bound has left.
    // What such a set holds whole would be replaced by it, so it goes, too.
    void drop_sets(double bound) {
        add_up_prices(0);
        std::fill(tops_.begin(), tops_.end(), 0.0);
        for (const Set& set : sets_) {
            worth_of(set, 0, worth_.data());
            for (int32_t j = 0; j < k_; ++j) tops_[j] = std::max(tops_[j], worth_[j]);
        }
        work_ += 2.0 * k_ * (n_entries_ + n_);
        std::vector<int32_t> place(n_, -1);
        std::vector<Set> kept;
        for (int32_t s = 0; s < n_; ++s) {
            double least = std::numeric_limits<double>::infinity();
            worth_of(sets_[s], 0, worth_.data());
            for (int32_t j = 0; j < k_; ++j) least = std::min(least, tops_[j] - worth_[j]);
            bool gone = bound - least <= reach();
            for (int32_t t : sets_[s].larger) gone = gone || place[t] < 0;
            if (gone) continue;
            place[s] = static_cast<int32_t>(kept.size());
            kept.push_back(std::move(sets_[s]));
            for (int32_t& t : kept.back().larger) t = place[t];
        }
        sets_ = std::move(kept);
        fit_to_sets();
    }

    // ---- The search, rank by rank

    // States with the same number of items taken.
    struct Layer {
        int32_t m = 0, depth = 0;
        std::vector<double> values, bounds;
        std::vector<Shown> shown;        // m of each
        std::vector<int32_t> picks;      // `depth` of each
        std::vector<int32_t> parents;    // in the layer before
        std::vector<std::pair<uint64_t, uint64_t>> keys;

        void begin(int32_t aspects, int32_t taken) {
            m = aspects, depth = taken;
            values.clear(), bounds.clear(), shown.clear(), picks.clear(), parents.clear(), keys.clear();
        }
        int64_t size() const { return static_cast<int64_t>(values.size()); }
        const Shown* shown_of(int64_t x) const { return shown.data() + x * m; }
        const int32_t* picks_of(int64_t x) const { return picks.data() + x * depth; }

        void add(double value, double bound, const Shown* of, const int32_t* before, int32_t pick, int32_t parent,
                 std::pair<uint64_t, uint64_t> key) {
            values.push_back(value), bounds.push_back(bound), parents.push_back(parent), keys.push_back(key);
            shown.insert(shown.end(), of, of + m);
            picks.insert(picks.end(), before, before + depth - 1);
            picks.push_back(pick);
        }
        void replace(int64_t x, double value, double bound, const Shown* of, const int32_t* before, int32_t pick, int32_t parent) {
            values[x] = value, bounds[x] = bound, parents[x] = parent;
            std::copy(of, of + m, shown.begin() + x * m);
            std::copy(before, before + depth - 1, picks.begin() + x * depth);
            picks[x * depth + depth - 1] = pick;
        }
        // Only the chosen states, in that order.
        void keep(const std::vector<int32_t>& chosen) {
            Layer other;
            other.begin(m, depth);
            for (int32_t x : chosen) {
                other.values.push_back(values[x]), other.bounds.push_back(bounds[x]);
                other.parents.push_back(parents[x]), other.keys.push_back(keys[x]);
                other.shown.insert(other.shown.end(), shown_of(x), shown_of(x) + m);
                other.picks.insert(other.picks.end(), picks_of(x), picks_of(x) + depth);
            }
            std::swap(*this, other);
        }
    };

    // Where the states of a layer are, by key.
    struct Index {
        std::vector<int32_t> slots;

        void rebuild(const Layer& layer) {
            size_t capacity = 1024;
            while (capacity < 4 * layer.keys.size()) capacity *= 2;
            slots.assign(capacity, -1);
            for (int64_t x = 0; x < layer.size(); ++x) slots[find(layer, layer.keys[x])] = static_cast<int32_t>(x);
        }
        // The slot of a key, or the free one where it belongs.
        size_t find(const Layer& layer, const std::pair<uint64_t, uint64_t>& key) const {
            size_t at = key.first & (slots.size() - 1);
            while (slots[at] >= 0 && layer.keys[slots[at]] != key) at = (at + 1) & (slots.size() - 1);
            return at;
        }
    };

    // The prices of now, made ready to bound many states of one layer.
    struct Prepared {
        int32_t depth = 0;
        std::vector<double> rest;       // by aspect and count: what it may still add beyond its prices
        std::vector<double> worth;      // of sets at ranks
        std::vector<int32_t> order;     // of ranks: sets by falling worth, as many as can be used up, and one
        int32_t few = 0;
        std::vector<double> tops;       // of ranks: the largest worth of any set, 0 at least
        double spare = 0.0;             // prices of all copies
    };

    void prepare(int32_t depth, Prepared& out) {
        add_up_prices(depth);
        out.depth = depth;
        if constexpr (Terms::kFull) {
            out.rest.assign(size_t(m_) * (depth + 1), 0.0);
            for (int32_t i = 0; i < m_; ++i)
                for (int64_t c = 0; c <= std::min<int64_t>(depth, available_[i]); ++c)
                    out.rest[size_t(i) * (depth + 1) + c] = rest_of(depth, i, terms_.left(i, static_cast<Shown>(c)), available_[i] - c);
        }
        const int32_t ranks = k_ - depth;
        out.worth.resize(size_t(n_) * ranks);
        out.tops.assign(ranks, 0.0);
        worth_.resize(k_);
        out.spare = 0.0;
        for (int32_t s : used_) {
            worth_of(sets_[s], depth, worth_.data());
            for (int32_t j = 0; j < ranks; ++j) {
                out.worth[size_t(j) * n_ + s] = worth_[depth + j];
                out.tops[j] = std::max(out.tops[j], worth_[depth + j]);
            }
        }
        for (int32_t s = 0; s < n_; ++s) out.spare += sets_[s].price * sets_[s].copies;
        out.few = std::min<int32_t>(static_cast<int32_t>(used_.size()), depth + 1);
        out.order.resize(size_t(ranks) * out.few);
        std::vector<int32_t> all(used_);
        for (int32_t j = 0; j < ranks; ++j) {
            const double* worth = out.worth.data() + size_t(j) * n_;
            std::partial_sort(all.begin(), all.begin() + out.few, all.end(),
                              [&](int32_t a, int32_t b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
            std::copy(all.begin(), all.begin() + out.few, out.order.begin() + size_t(j) * out.few);
        }
        work_ += double(ranks) * (n_entries_ + 4.0 * used_.size() + (Terms::kFull ? 8.0 * m_ * (depth + 1) : 0.0));
    }

    double rest_of(int32_t depth, int32_t aspect, double left, int64_t most) const {
        double sum = 0.0, chosen;
        for (int32_t j = depth; j < k_; ++j)
            sum += terms_.choose(steps_[j], left, prices_[size_t(aspect) * k_ + j], std::min<int64_t>(most, j - depth + 1), chosen);
        return sum;
    }
    double rest_of(const Prepared& prepared, int32_t aspect, Shown shown) const {
        if constexpr (Terms::kFull)
            return prepared.rest[size_t(aspect) * (prepared.depth + 1) + shown];
        else
            return rest_of(prepared.depth, aspect, terms_.left(aspect, shown), k_);
    }

    // The largest worth of what is left, summed over ranks.
    double best_worth(const Prepared& prepared, const std::vector<int32_t>& copies) const {
        double sum = 0.0;
        for (int32_t j = 0; j < k_ - prepared.depth; ++j) {
            const int32_t* order = prepared.order.data() + size_t(j) * prepared.few;
            for (int32_t p = 0; p < prepared.few; ++p)
                if (copies[order[p]] > 0) {
                    sum += std::max(0.0, prepared.worth[size_t(j) * n_ + order[p]]);
                    break;
                }
        }
        return sum;
    }

    // The bound of a state, and what it would be if no set were used up.
    std::pair<double, double> bounds_of(const Prepared& prepared, const Layer& layer, int64_t x, std::vector<int32_t>& copies) {
        remaining(layer.picks_of(x), layer.depth, copies);
        const double worth = best_worth(prepared, copies);
        double bound = layer.values[x] + prepared.spare + worth;
        for (int32_t j = 0; j < layer.depth; ++j) bound -= sets_[layer.picks_of(x)[j]].price;
        for (int32_t i = 0; i < m_; ++i) bound += rest_of(prepared, i, layer.shown_of(x)[i]);
        work_ += n_ + m_ * (Terms::kFull ? 2.0 : 8.0 * (k_ - layer.depth)) + 4.0 * k_;
        return {bound, bound - worth + std::accumulate(prepared.tops.begin(), prepared.tops.end(), 0.0)};
    }

    // One search with at most `width` states of each depth. Returns the largest bound among those it gave up unproved.
    double sweep(int64_t width, double root) {
        take_prices(root_prices_, root_set_prices_);
        use_all();
        Layer before, layer, next;
        layer.begin(m_, 0);
        layer.values.push_back(0.0), layer.bounds.push_back(root), layer.parents.push_back(-1), layer.keys.emplace_back(0, 0);
        layer.shown = unseen_;
        double cut = 0.0;
        for (int32_t depth = 0; depth < k_ && layer.size() > 0; ++depth) {
            next.begin(m_, depth + 1);
            if (depth + 1 < k_) prepare(depth + 1, prepared_);
            index_.rebuild(next);
            for (int64_t x = 0; x < layer.size(); ++x) {
                if (layer.bounds[x] <= reach()) continue;
                if (spent()) {
                    cut = std::max(cut, layer.bounds[x]);
                    continue;
                }
                expand(before, layer, x, next);
                if (next.size() > 4 * width + 4096) {
                    cut = std::max(cut, narrow(next, 2 * width));
                    index_.rebuild(next);
                }
            }
            if (depth + 1 == k_) break;
            if (!spent()) tighten(next);
            cut = std::max(cut, narrow(next, width));
            std::swap(before, layer);
            std::swap(layer, next);
        }
        return cut;
    }

    // All states that one more item leads to.
    void expand(const Layer& before, const Layer& layer, int64_t x, Layer& next) {
        const int32_t depth = layer.depth;
        const Shown* shown = layer.shown_of(x);
        const int32_t* picks = layer.picks_of(x);
        remaining(picks, depth, copies_);
        left_.resize(m_), gains_.resize(n_), earlier_.resize(n_), child_.resize(m_);
        for (int32_t i = 0; i < m_; ++i) left_[i] = terms_.left(i, shown[i]);
        int32_t top = -1;
        for (int32_t s : used_) {
            gains_[s] = copies_[s] > 0 ? gain(sets_[s], left_.data()) : 0.0;
            if (gains_[s] > 0.0 && (top < 0 || gains_[s] > gains_[top])) top = s;
        }
        work_ += 2.0 * n_entries_ + 4.0 * used_.size() + n_ / 4.0 + m_;
        if (top < 0) return offer(layer.values[x], picks, depth);
        if (depth + 1 == k_) {
            std::vector<int32_t> list(picks, picks + depth);
            list.push_back(top);
            return offer(layer.values[x] + discounts_[depth] * gains_[top], list.data(), k_);
        }
        const int32_t last = depth > 0 ? picks[depth - 1] : -1;
        if (last >= 0) {
            const Shown* then = before.shown_of(layer.parents[x]);
            for (int32_t i = 0; i < m_; ++i) left_[i] = terms_.left(i, then[i]);
            for (int32_t s : used_) earlier_[s] = gain(sets_[s], left_.data());
            earlier_[last] = gain(sets_[last], left_.data());
        }
        const double worth = best_worth(prepared_, copies_);
        double base = layer.values[x] + prepared_.spare + worth;
        for (int32_t j = 0; j < depth; ++j) base -= sets_[picks[j]].price;
        for (int32_t i = 0; i < m_; ++i) base += rest_of(prepared_, i, shown[i]);
        work_ += m_ * (Terms::kFull ? 1.0 : 8.0 * (k_ - depth)) + 2.0 * (k_ - depth);
        for (int32_t s : used_) {
            if (gains_[s] <= 0.0) continue;
            // Taken one rank earlier it would have gained more than what stands there: the other order is better.
            if (last >= 0 && (earlier_[s] - earlier_[last]) * (discounts_[depth - 1] - discounts_[depth]) > kExact * best_) continue;
            // A set that has all of this one is left: it is as good or better here.
            const Set& set = sets_[s];
            if (std::any_of(set.larger.begin(), set.larger.end(), [&](int32_t t) { return copies_[t] > 0; })) continue;
            const double value = layer.values[x] + discounts_[depth] * gains_[s];
            double bound = base + discounts_[depth] * gains_[s] - set.price;
            for (const Entry& entry : set.entries)
                bound += rest_of(prepared_, entry.aspect, terms_.after(shown[entry.aspect], entry.strength)) -
                         rest_of(prepared_, entry.aspect, shown[entry.aspect]);
            if (copies_[s] == 1) {
                copies_[s] = 0;
                bound += best_worth(prepared_, copies_) - worth;
                copies_[s] = 1;
                work_ += 4.0 * (k_ - depth);
            }
            work_ += set.entries.size() * (Terms::kFull ? 4.0 : 16.0 * (k_ - depth)) + 10.0;
            bound = std::min(bound, layer.bounds[x]);
            if (bound <= reach()) continue;
            auto key = layer.keys[x];
            auto stir = [&](uint64_t what) { key.first += mixed(what), key.second += mixed(~what); };
            if constexpr (Terms::kFull) {
                for (const Entry& entry : set.entries) stir(2 * uint64_t(entry.aspect));
                if (set.copies < k_) stir(2 * uint64_t(s) + 1);
            } else {
                stir(uint64_t(s));
            }
            size_t slot = index_.find(next, key);
            const int32_t known = index_.slots[slot];
            if (known >= 0 && next.values[known] >= value) continue;
            std::copy(shown, shown + m_, child_.begin());
            for (const Entry& entry : set.entries) child_[entry.aspect] = terms_.after(child_[entry.aspect], entry.strength);
            work_ += 4.0 * (m_ + depth) + 60.0;
            if (known >= 0) {
                next.replace(known, value, bound, child_.data(), picks, s, static_cast<int32_t>(x));
                continue;
            }
            index_.slots[slot] = static_cast<int32_t>(next.size());
            next.add(value, bound, child_.data(), picks, s, static_cast<int32_t>(x), key);
            if (2 * next.keys.size() > index_.slots.size()) index_.rebuild(next);
        }
    }

    // Better prices for the state with the largest bound bound the others better, too; a few times over.
    void tighten(Layer& layer) {
        for (int round = 0; round < 8 && !spent(); ++round) {
            int64_t top = -1, alive = 0;
            for (int64_t x = 0; x < layer.size(); ++x) {
                if (layer.bounds[x] <= reach()) continue;
                ++alive;
                if (top < 0 || before(layer, x, top)) top = x;
            }
            if (top < 0 || (round > 0 && alive < 30)) return;
            const double was = layer.bounds[top];
            const double low = descend(layer.depth, layer.values[top], layer.shown_of(top), layer.picks_of(top), 40, false);
            layer.bounds[top] = std::min(was, low);
            prepare(layer.depth, prepared_);
            double widest = 0.0;
            for (int64_t x = 0; x < layer.size(); ++x) {
                if (layer.bounds[x] <= reach()) continue;
                const auto [bound, unlimited] = bounds_of(prepared_, layer, x, copies_);
                layer.bounds[x] = std::min(layer.bounds[x], bound);
                if (layer.bounds[x] > reach()) widest = std::max(widest, unlimited);
            }
            leave_out(widest);
            if (was - low < 1e-2 * (was - best_)) return;
        }
    }

    // Goes on without the sets that are too poor for any list through the states of now: see drop_sets.
    void leave_out(double bound) {
        std::vector<int32_t> kept;
        for (int32_t s : used_) {
            double least = std::numeric_limits<double>::infinity();
            for (int32_t j = 0; j < k_ - prepared_.depth; ++j)
                least = std::min(least, prepared_.tops[j] - prepared_.worth[size_t(j) * n_ + s]);
            if (bound - least > reach())
                kept.push_back(s);
            else
                sets_[s].price = 0.0;
        }
        work_ += double(k_ - prepared_.depth) * used_.size();
        use(std::move(kept));
    }

    static bool before(const Layer& layer, int64_t a, int64_t b) {
        if (layer.bounds[a] != layer.bounds[b]) return layer.bounds[a] > layer.bounds[b];
        return layer.values[a] != layer.values[b] ? layer.values[a] > layer.values[b] : a < b;
    }

    // Keeps the states with the largest bounds; returns the largest of those that it cut.
    double narrow(Layer& layer, int64_t width) {
        std::vector<int32_t> alive;
        for (int64_t x = 0; x < layer.size(); ++x)
            if (layer.bounds[x] > reach()) alive.push_back(static_cast<int32_t>(x));
        std::sort(alive.begin(), alive.end(), [&](int32_t a, int32_t b) { return before(layer, a, b); });
        work_ += (40.0 + 4.0 * (m_ + layer.depth)) * alive.size();
        double cut = 0.0;
        if (static_cast<int64_t>(alive.size()) > width) {
            cut = layer.bounds[alive[width]];
            alive.resize(width);
        }
        layer.keep(alive);
        return cut;
    }

    const Problem& problem_;
    const Terms terms_;
    const double alpha_;
    const int32_t m_, k_;  // aspects, ranks
    const double budget_;
    const Stop* const stop_;
    std::vector<double> discounts_, steps_;  // of ranks; what a rank counts more than the next
    std::vector<Set> sets_;
    int32_t n_ = 0;
    int64_t n_entries_ = 0;
    std::vector<int32_t> all_copies_;
    std::vector<int32_t> used_;       // sets that the search still looks at
    std::vector<int64_t> available_;  // items that have each aspect
    std::vector<Shown> unseen_;

    double best_ = 0.0;
    std::vector<int32_t> best_list_;  // original sets
    double work_ = 0.0;

    std::vector<double> prices_, sums_, chosen_, scales_, direction_;  // by aspect and rank
    std::vector<double> root_prices_, root_set_prices_;
    std::vector<double> tops_, worth_, previous_ = std::vector<double>(m_, 0.0);
    std::vector<int32_t> picked_;
    Prepared prepared_;
    Index index_;
    std::vector<int32_t> copies_;
    std::vector<double> left_, gains_, earlier_;
    std::vector<Shown> child_;
};

// The best list of at most `depth` items. Ranks that together cannot matter beyond rounding are not searched.
inline Certificate solve_exactly(const Problem& problem, int64_t depth, const double* discounts, double alpha, double budget,
                                 const Stop* stop) {
    depth = std::min(depth, problem.n_items());
    if (depth <= 0) return Certificate{0.0, 0.0, 0.0, true, 0.0, {}, 0};
    // No later gain exceeds the first rank's best, so a tail of ranks adds at most their discounts against the first's.
    double tail = 0.0;
    while (depth > 1 && tail + discounts[depth - 1] <= 0.1 * kExact * discounts[0]) tail += discounts[--depth];
    if (problem.strengths.empty()) return ExactSearch<Counted>(problem, alpha, depth, discounts, budget, stop).solve();
    return ExactSearch<Faded>(problem, alpha, depth, discounts, budget, stop).solve();
}

}  // namespace aspectrum
