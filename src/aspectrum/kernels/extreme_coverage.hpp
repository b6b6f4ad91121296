// Least and greatest weight of the aspects that a top covers, over all orders of items with equal scores.
#pragma once

#include "aspects.hpp"
#include "cover.hpp"
#include "expected_coverage.hpp"
#include "extremes.hpp"
#include "hash_index.hpp"
#include "interrupts.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

namespace aspectrum {

// The group of equal scores that a cutoff cuts: what so many of its items can add to what stands above, at least and at most.
//
// An aspect with a strength is a step; an item that shows it so strongly goes up this step and those below. Sets of items that go up the
// same steps are worth the same, so searches go over unions of items, those of one item first, then of two ...
class TiedCover {
    struct Kind {  // items that add the same
        int64_t begin, end;
        int64_t copies = 1;
        double value = 0.0;   // what one of them adds
        double share = 0.0;   // the same if each answer counted for itself, which is not less
        bool inside = false;  // another kind goes up all of its steps
    };
    struct Aspect {
        int32_t code;
        double seen;
        std::vector<double> strengths;  // above that, ascending
        int64_t first_step = 0;
        double shown = 0.0;  // in the union that is looked at
    };
    struct Question {
        double weight, seen;
        double others;  // the weakest answer of those that the group cannot improve
        std::vector<int32_t> answers;
    };
    struct Entry {
        int32_t aspect;
        double strength;
        bool operator==(const Entry& other) const { return aspect == other.aspect && strength == other.strength; }
        bool operator<(const Entry& other) const { return aspect != other.aspect ? aspect < other.aspect : strength < other.strength; }
    };

    std::vector<Entry> entries_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> number_of_;  // of aspects, and of questions by their first answer; -1
    std::vector<int32_t> question_of_;
    std::vector<Aspect> aspects_;
    std::vector<Question> questions_;
    std::vector<uint64_t> steps_, states_, union_;  // bits, words_ each: of kinds, and of unions
    std::vector<double> values_;
    std::vector<int64_t> frontier_, next_;
    std::vector<int32_t> touched_;  // questions
    std::vector<size_t> by_steps_, outside_;
    double all_ = 0.0;         // what the whole group adds
    bool searchable_ = false;  // otherwise there are too many steps for as many kinds
    size_t words_ = 0;
    int64_t nothing_ = 0;
    HashIndex index_;
    Terms terms_;

  public:
    explicit TiedCover(const Cover& cover) : number_of_(cover.most_aspects(), -1), question_of_(cover.most_aspects(), -1), terms_(cover) {}

    // The group, after places that show aspects as strongly as `seen`; with questions, `first` has the first answer of each of n aspects.
    template <class View>
    void enter(const View& view, const int32_t* rows, int64_t size, const std::vector<double>& seen, const int32_t* first,
               const double* weights, int64_t n, int64_t work) {
        aspects_.clear(), questions_.clear(), entries_.clear(), kinds_.clear();
        auto improves = [&](int32_t i, double s) { return s > seen[i] && (first ? i < n : view.left[i] > 0.0); };
        for (int64_t p = 0; p < size; ++p) {
            if (rows[p] < 0) continue;
            view.each(rows[p], [&](int32_t i, double s) {
                if (!improves(i, s) || number_of_[i] >= 0) return;
                number_of_[i] = 0;
                aspects_.push_back({i, seen[i], {}});
            });
        }
        std::sort(aspects_.begin(), aspects_.end(), [](const Aspect& one, const Aspect& other) { return one.code < other.code; });
        for (size_t a = 0; a < aspects_.size(); ++a) number_of_[aspects_[a].code] = static_cast<int32_t>(a);
        find_questions(view, seen, first, weights, n);
        nothing_ = 0;
        index_.clear(static_cast<size_t>(size));
        for (int64_t p = 0; p < size; ++p) {
            const size_t begin = entries_.size();
            uint64_t hash = 0;
            if (rows[p] >= 0) {
                view.each(rows[p], [&](int32_t i, double s) {
                    if (!improves(i, s) || question_of_[i] < 0) return;
                    const double most = std::min(s, questions_[question_of_[i]].others);
                    if (most <= seen[i]) return;
                    entries_.push_back({number_of_[i], most});
                    hash = with_entry(hash, i, most);
                });
            }
            if (entries_.size() == begin) {
                ++nothing_;
                continue;
            }
            const auto [kind, is_new] = index_.find_or_add(folded(hash), [&](int32_t k) {
                return std::equal(entries_.begin() + begin, entries_.end(), entries_.begin() + kinds_[k].begin,
                                  entries_.begin() + kinds_[k].end);
            });
            if (is_new) {
                kinds_.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(entries_.size())});
            } else {
                ++kinds_[kind].copies;
                entries_.resize(begin);
            }
        }
        std::sort(kinds_.begin(), kinds_.end(), [&](const Kind& one, const Kind& other) {  // so that the order of items does not matter
            const auto entries = entries_.begin();
            return std::lexicographical_compare(entries + one.begin, entries + one.end, entries + other.begin, entries + other.end);
        });
        find_values();
        for (const Aspect& aspect : aspects_) number_of_[aspect.code] = question_of_[aspect.code] = -1;
        make_steps(work);
    }

    // What the best `places` of the group add, and whether that is proved, not a bound.
    std::pair<double, bool> greatest(int64_t places, int64_t work) {
        if (places == 1) return {largest_kind(), true};
        if (!searchable_) return {std::min(all_, sum_of_largest(places)), false};
        begin_search();
        double best = 0.0;
        const auto n_kinds = static_cast<int64_t>(kinds_.size());
        for (int64_t depth = 0; depth < std::min(places, n_kinds) && best < all_ && !frontier_.empty(); ++depth) {
            const auto cost = static_cast<int64_t>(frontier_.size() * kinds_.size() * (words_ + entries_.size() / kinds_.size() + 1));
            if (cost > work) return {std::min(all_, sum_of_largest(places)), false};
            work -= cost;
            next_.clear();
            for (const int64_t state : frontier_) {
                tick(1 + work_of_union());
                for (size_t k = 0; k < kinds_.size(); ++k)
                    if (!kinds_[k].inside && add(state, k)) {
                        best = std::max(best, values_.back());
                        next_.push_back(static_cast<int64_t>(values_.size()) - 1);
                    }
            }
            std::swap(frontier_, next_);
        }
        return {best, true};
    }

    // The same for the worst.
    std::pair<double, bool> least(int64_t places, int64_t work) {
        places -= nothing_;
        if (places <= 0) return {0.0, true};
        if (places == 1 || !searchable_) return {smallest_of_places(places), places == 1};
        begin_search();
        double best = greedy_least(places, work);
        for (int64_t depth = 0; depth < places && !frontier_.empty(); ++depth) {
            const auto cost = static_cast<int64_t>(frontier_.size() * kinds_.size() * (words_ + entries_.size() / kinds_.size() + 1));
            if (cost > work) return {smallest_of_places(places), false};
            work -= cost;
            next_.clear();
            for (const int64_t state : frontier_) {
                tick(1 + work_of_union());
                for (size_t k = 0; k < kinds_.size(); ++k)
                    if (add(state, k) && values_.back() < best) next_.push_back(static_cast<int64_t>(values_.size()) - 1);
            }
            const auto smaller = [&](int64_t one, int64_t other) { return values_[one] < values_[other]; };
            std::stable_sort(next_.begin(), next_.end(), smaller);
            for (const int64_t state : next_) {  // the first that has enough items inside is the best of them
                work -= static_cast<int64_t>(kinds_.size() * words_);
                if (work < 0) return {smallest_of_places(places), false};
                tick(1 + work_of_union());
                if (!has_inside(states_.data() + state * words_, places)) continue;
                best = values_[state];
                break;
            }
            while (!next_.empty() && values_[next_.back()] >= best) next_.pop_back();
            std::swap(frontier_, next_);
        }
        return {best, true};
    }

  private:
    // Questions that the group can improve; without them, each aspect is one.
    template <class View>
    void find_questions(const View& view, const std::vector<double>& seen, const int32_t* first, const double* weights, int64_t n) {
        for (size_t a = 0; a < aspects_.size(); ++a) {
            const int32_t i = aspects_[a].code;
            if (!first) {
                question_of_[i] = static_cast<int32_t>(questions_.size());
                questions_.push_back({view.left[i], seen[i], std::numeric_limits<double>::infinity(), {static_cast<int32_t>(a)}});
                continue;
            }
            if (question_of_[i] >= 0) continue;
            tick(1 + n / 64);
            Question found{weights[first[i]], 1.0, 1.0, {}};
            for (int64_t other = 0; other < n; ++other) {
                if (first[other] != first[i]) continue;
                found.seen = std::min(found.seen, seen[other]);
                if (number_of_[other] >= 0)
                    found.answers.push_back(number_of_[other]);
                else
                    found.others = std::min(found.others, seen[other]);
            }
            if (found.others <= found.seen || !(found.weight > 0.0)) continue;
            for (const int32_t answer : found.answers) question_of_[aspects_[answer].code] = static_cast<int32_t>(questions_.size());
            questions_.push_back(std::move(found));
        }
    }

    // What kinds add, each for itself, and what all of them add together.
    void find_values() {
        for (const Entry& entry : entries_) aspects_[entry.aspect].strengths.push_back(entry.strength);
        for (Aspect& aspect : aspects_) {
            std::sort(aspect.strengths.begin(), aspect.strengths.end());
            aspect.strengths.erase(std::unique(aspect.strengths.begin(), aspect.strengths.end()), aspect.strengths.end());
            aspect.shown = aspect.seen;
        }
        for (Kind& kind : kinds_) {
            tick(1 + kind.end - kind.begin);
            touched_.clear();
            for (int64_t e = kind.begin; e < kind.end; ++e) {
                aspects_[entries_[e].aspect].shown = entries_[e].strength;
                touched_.push_back(question_of_[aspects_[entries_[e].aspect].code]);
            }
            std::sort(touched_.begin(), touched_.end());
            touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
            terms_.clear();
            for (const int32_t q : touched_) add_weakest(questions_[q]);
            kind.value = terms_.sum();
            terms_.clear();
            for (const int32_t q : touched_) add_share(questions_[q]);
            kind.share = terms_.sum();
            for (int64_t e = kind.begin; e < kind.end; ++e) aspects_[entries_[e].aspect].shown = aspects_[entries_[e].aspect].seen;
        }
        for (Aspect& aspect : aspects_)
            if (!aspect.strengths.empty()) aspect.shown = aspect.strengths.back();
        all_ = value_shown();
    }

    // What searches need beside the values, as far as that much work goes.
    void make_steps(int64_t work) {
        int64_t n_steps = 0;
        for (Aspect& aspect : aspects_) {
            aspect.first_step = n_steps;
            n_steps += static_cast<int64_t>(aspect.strengths.size());
        }
        words_ = static_cast<size_t>(std::max<int64_t>(1, (n_steps + 63) / 64));
        searchable_ = static_cast<int64_t>(kinds_.size() * words_) <= work;
        if (!searchable_) return;
        union_.resize(words_);
        steps_.assign(kinds_.size() * words_, 0);
        for (size_t k = 0; k < kinds_.size(); ++k) {
            for (int64_t e = kinds_[k].begin; e < kinds_[k].end; ++e) {
                const Aspect& aspect = aspects_[entries_[e].aspect];
                const auto after = std::upper_bound(aspect.strengths.begin(), aspect.strengths.end(), entries_[e].strength);
                const int64_t end = aspect.first_step + (after - aspect.strengths.begin());
                for (int64_t step = aspect.first_step; step < end; step = (step / 64 + 1) * 64)
                    steps_[k * words_ + step / 64] |= steps_of_word(step, end);
            }
        }
        find_inside(work);
    }
    // The bits of the steps of one word, from a step on and before another.
    static uint64_t steps_of_word(int64_t step, int64_t end) {
        const uint64_t from = ~uint64_t{0} << (step % 64);
        return end / 64 > step / 64 ? from : from & ~(~uint64_t{0} << (end % 64));
    }
    // Kinds that are inside of others; those that are not found only take longer to search.
    void find_inside(int64_t work) {
        std::vector<int64_t> sizes(kinds_.size(), 0);
        for (size_t bits = 0; bits < steps_.size(); ++bits) sizes[bits / words_] += std::popcount(steps_[bits]);
        by_steps_.resize(kinds_.size()), outside_.clear();
        std::iota(by_steps_.begin(), by_steps_.end(), size_t{0});
        std::stable_sort(by_steps_.begin(), by_steps_.end(), [&](size_t one, size_t other) { return sizes[one] > sizes[other]; });
        for (const size_t k : by_steps_) {
            const auto found =
                std::find_if(outside_.begin(), outside_.end(), [&](size_t other) { return within(of_kind(k), of_kind(other)); });
            const int64_t looked_at = (found - outside_.begin() + 1) * static_cast<int64_t>(words_);
            kinds_[k].inside = found != outside_.end();
            if (!kinds_[k].inside) outside_.push_back(k);
            tick(1 + looked_at / 64);
            work -= looked_at;
            if (work < 0) return;
        }
    }

    const uint64_t* of_kind(size_t k) const { return steps_.data() + k * words_; }
    bool within(const uint64_t* one, const uint64_t* other) const {
        for (size_t w = 0; w < words_; ++w)
            if (one[w] & ~other[w]) return false;
        return true;
    }
    // How long a union of a state with each kind takes, in what tick() counts.
    int64_t work_of_union() const { return static_cast<int64_t>(kinds_.size() * (words_ + aspects_.size()) / 64); }

    // What a union adds.
    double value(const uint64_t* steps) {
        for (Aspect& aspect : aspects_) {
            const int64_t n = static_cast<int64_t>(aspect.strengths.size()), end = aspect.first_step + n;
            aspect.shown = aspect.seen;
            for (int64_t word = (end - 1) / 64; n > 0 && word >= aspect.first_step / 64; --word) {
                const uint64_t own = steps[word] & steps_of_word(std::max(aspect.first_step, word * 64), end);
                if (own == 0) continue;
                aspect.shown = aspect.strengths[word * 64 + std::bit_width(own) - 1 - aspect.first_step];
                break;
            }
        }
        return value_shown();
    }
    double value_shown() {
        terms_.clear();
        for (const Question& question : questions_) add_weakest(question);
        return terms_.sum();
    }
    void add_weakest(const Question& question) {
        double weakest = question.others;
        for (const int32_t answer : question.answers) weakest = std::min(weakest, aspects_[answer].shown);
        if (weakest > question.seen) terms_.add(question.weight * (weakest - question.seen));
    }
    // If each answer counted for itself.
    void add_share(const Question& question) {
        double sum = 0.0;
        for (const int32_t answer : question.answers) sum += aspects_[answer].shown - aspects_[answer].seen;
        terms_.add(question.weight * sum / static_cast<double>(question.answers.size()));
    }

    void begin_search() {
        states_.assign(words_, 0), values_.assign(1, 0.0);
        frontier_.assign(1, 0);
        index_.clear(kinds_.size());
        index_.add(hash(states_.data()));
    }
    uint32_t hash(const uint64_t* steps) const {
        uint64_t mixed = 0;
        for (size_t w = 0; w < words_; ++w) mixed = (mixed ^ (mixed >> 29) ^ steps[w]) * 0xBF58476D1CE4E5B9ull;
        return folded(mixed ^ mixed >> 32);
    }
    // The union of a state and a kind becomes a state, unless it is one.
    bool add(int64_t state, size_t k) {
        bool more = false;
        for (size_t w = 0; w < words_; ++w) {
            const uint64_t before = states_[state * words_ + w];
            union_[w] = before | of_kind(k)[w];
            more |= union_[w] != before;
        }
        if (!more) return false;
        const auto same = [&](int32_t i) { return std::equal(union_.begin(), union_.end(), states_.begin() + i * words_); };
        if (!index_.find_or_add(hash(union_.data()), same).second) return false;
        states_.insert(states_.end(), union_.begin(), union_.end());
        values_.push_back(value(union_.data()));
        return true;
    }
    bool has_inside(const uint64_t* steps, int64_t items) const {
        for (size_t k = 0; k < kinds_.size() && items > 0; ++k)
            if (within(of_kind(k), steps)) items -= kinds_[k].copies;
        return items <= 0;
    }

    // Some good choice, which spares the search what is not better: again and again the kind that adds least. None if that takes too long.
    double greedy_least(int64_t places, int64_t work) {
        std::vector<uint64_t> chosen(words_, 0), best(words_);
        double least = 0.0;
        while (!has_inside(chosen.data(), places)) {
            least = std::numeric_limits<double>::infinity();
            work -= static_cast<int64_t>(kinds_.size() * (2 * words_ + aspects_.size()));
            if (work < 0) break;
            tick(1 + work_of_union());
            for (size_t k = 0; k < kinds_.size(); ++k) {
                if (within(of_kind(k), chosen.data())) continue;
                for (size_t w = 0; w < words_; ++w) union_[w] = chosen[w] | of_kind(k)[w];
                const double found = value(union_.data());
                if (found < least) least = found, best = union_;
            }
            chosen = best;
        }
        return least;
    }

    // Bounds: no more than the largest kinds add, each for itself; no less than the largest of the smallest items adds.
    double sum_of_largest(int64_t places) {
        std::vector<double> shares;
        shares.reserve(kinds_.size());
        terms_.clear();  // what answers count for themselves already
        for (const Question& question : questions_) {
            double sum = 0.0;
            for (const int32_t answer : question.answers) sum += std::min(aspects_[answer].seen, question.others) - question.seen;
            terms_.add(question.weight * sum / static_cast<double>(question.answers.size()));
        }
        for (const Kind& kind : kinds_) shares.push_back(kind.share);
        std::sort(shares.begin(), shares.end(), std::greater<>());
        return std::accumulate(shares.begin(), shares.begin() + std::min<int64_t>(places, static_cast<int64_t>(shares.size())),
                               terms_.sum());
    }
    double largest_kind() const {
        double largest = 0.0;
        for (const Kind& kind : kinds_) largest = std::max(largest, kind.value);
        return largest;
    }
    double smallest_of_places(int64_t places) {
        std::vector<std::pair<double, int64_t>> sizes;
        sizes.reserve(kinds_.size());
        for (const Kind& kind : kinds_) sizes.emplace_back(kind.value, kind.copies);
        std::sort(sizes.begin(), sizes.end());
        for (const auto& [value, copies] : sizes) {
            places -= copies;
            if (places <= 0) return value;
        }
        return sizes.back().first;
    }
};

// Where the group begins that each stop cuts, and where it ends; the stop itself where it cuts none.
struct CutGroups {
    std::vector<int32_t> begins, ends;

    CutGroups(const Cover& cover, const uint8_t* tied, const Stops& stops)
        : begins(cover.users * stops.cutoffs), ends(cover.users * stops.cutoffs) {
        const int64_t* offsets = cover.offsets.data();
        for (int64_t u = 0; u < cover.users; ++u) {
            const uint8_t* tie = tied + offsets[u];
            const int64_t length = offsets[u + 1] - offsets[u];
            for (int64_t c = 0; c < stops.cutoffs; ++c) {
                const int32_t stop = stops.of(u)[c];
                int32_t begin = stop, end = stop;
                if (stop > 0 && stop < length && tie[stop]) {
                    for (begin = stop - 1; begin > 0 && tie[begin]; --begin) {
                    }
                    end = static_cast<int32_t>(end_of_group(tie, stop, length));
                }
                begins[u * stops.cutoffs + c] = begin;
                ends[u * stops.cutoffs + c] = end;
            }
        }
    }
};

// Least and greatest weight of what is covered at each stop. With questions, these are as covered_questions() takes them. A stop that cuts
// no group of equal scores has what covered_aspects() and covered_questions() find.
inline Extremes::Arrays extreme_coverage(const Cover& cover, Ties tied_, Matrix<int32_t> stops_,
                                         const std::optional<Array<int64_t>>& aspect_offsets, const std::optional<Array<int32_t>>& firsts,
                                         const std::optional<Array<double>>& weights, int64_t work) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const uint8_t* tied = check_ties(tied_, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    require(aspect_offsets.has_value() == firsts.has_value() && firsts.has_value() == weights.has_value(), "questions need all three");
    require(work >= 0, "a negative limit of work");
    CutGroups cut(cover, tied, stops);
    const Matrix<int32_t> above(cut.begins.data(), {static_cast<size_t>(cover.users), static_cast<size_t>(stops.cutoffs)});
    const auto base = firsts ? covered_questions(cover, above, *aspect_offsets, *firsts, *weights) : expected_coverage(cover, above, tied_);
    Extremes out(cover.users, stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_tuple(make_view(), TiedCover(cover), std::vector<double>(cover.most_aspects())); };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t first, int64_t last) {
                auto& [view, group, seen] = scratch;
                for (int64_t u = first; u < last; ++u) {
                    const int32_t* rows = cover.rows.data() + offsets[u];
                    int32_t j = 0, entered = -1;
                    view.begin(u);
                    for (int64_t c = 0; c < stops.cutoffs; ++c) {
                        const int64_t at = u * stops.cutoffs + c;
                        const int32_t begin = cut.begins[at], end = cut.ends[at], stop = stops.of(u)[c];
                        out.least[at] = out.greatest[at] = base.data()[at];
                        out.proved[at] = 1;
                        if (begin == end) continue;
                        for (; j < begin; ++j)
                            if (rows[j] >= 0) view.each(rows[j], [&seen = seen](int32_t i, double s) { seen[i] = std::max(seen[i], s); });
                        if (begin != entered) {
                            const int64_t own = firsts ? aspect_offsets->data()[u] : 0;
                            group.enter(view, rows + begin, end - begin, seen, firsts ? firsts->data() + own : nullptr,
                                        firsts ? weights->data() + own : nullptr, firsts ? aspect_offsets->data()[u + 1] - own : 0, work);
                            entered = begin;
                        }
                        const auto [low, low_sure] = group.least(stop - begin, work);
                        const auto [high, high_sure] = group.greatest(stop - begin, work);
                        out.least[at] += low, out.greatest[at] += high;
                        out.proved[at] = low_sure && high_sure;
                    }
                    for (int32_t i = 0; i < j; ++i)
                        if (rows[i] >= 0) view.each(rows[i], [&seen = seen](int32_t a, double) { seen[a] = 0.0; });
                    view.end(u);
                }
            });
        });
    }
    return std::move(out).arrays();
}

}  // namespace aspectrum
