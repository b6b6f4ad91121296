// What lists are worth on average over all orders of places with equal scores, every order of a group being equally likely.
//
// A place that is `tied` has the score of the place before it. Expectations of sums over places are sums of expectations, so each place
// gets what it is worth on average. Nothing here depends on the order in which a group stands, not even in the last bit.
#pragma once

#include "aspects.hpp"
#include "cover.hpp"
#include "extremes.hpp"
#include "gains.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace aspectrum {

// Of n documents m are marked: the probability that t of them, drawn at random, have no mark.
inline double none_drawn(int64_t n, int64_t m, int64_t t) {
    if (m + t > n) return 0.0;
    const int64_t most = std::max(m, t), steps = std::min(m, t);
    double odds = 1.0;
    for (int64_t a = 0; a < steps; ++a) odds *= static_cast<double>(n - most - a) / static_cast<double>(n - a);
    return odds;
}

// The strengths that the documents of a group have for each aspect.
class GroupStrengths {
    std::vector<std::vector<double>> of_;
    std::vector<int32_t> aspects_;

  public:
    explicit GroupStrengths(size_t n_aspects) : of_(n_aspects) {}

    template <class View>
    void collect(const View& view, const int32_t* rows, int64_t n) {
        for (int64_t d = 0; d < n; ++d) {
            if (rows[d] < 0) continue;
            view.each(rows[d], [&](int32_t i, double s) {
                if (view.left[i] == 0.0) return;
                if (of_[i].empty()) aspects_.push_back(i);
                of_[i].push_back(s);
            });
        }
        std::sort(aspects_.begin(), aspects_.end());
        if (view.cover.strengths)
            for (int32_t i : aspects_) std::sort(of_[i].begin(), of_[i].end());
    }
    const std::vector<int32_t>& aspects() const { return aspects_; }
    // Ascending.
    const std::vector<double>& of(int32_t aspect) const { return of_[aspect]; }
    void clear() {
        for (int32_t i : aspects_) of_[i].clear();
        aspects_.clear();
    }
};

// What a document at each place of a group gains on average, where an aspect that was seen loses a share `alpha` times the strength.
class GroupGains {
    double alpha_;
    GroupStrengths group_;
    std::vector<double> worth_, after_, products_, odds_;

    // after_[h]: what a document with the aspect is worth on average after h others of the m that have it.
    void find_after(const std::vector<double>& strengths, int64_t n_after) {
        const auto m = static_cast<int64_t>(strengths.size());
        after_.assign(n_after, 0.0);
        if (strengths.front() == strengths.back()) {
            double worth = strengths.front();
            for (int64_t h = 0; h < n_after; ++h, worth *= 1.0 - alpha_ * strengths.front()) after_[h] = worth;
            return;
        }
        // Means over subsets of h of the first n documents, of the product of what they leave (products_), and of that times the strength
        // of one more of these documents (after_). Each is a convex combination of those for n - 1, whichever role document n has.
        products_.assign(n_after, 0.0);
        products_[0] = 1.0;
        for (int64_t n = 1; n <= m; ++n) {
            const double s = strengths[n - 1], y = 1.0 - alpha_ * s, inverse = static_cast<double>(n);
            for (int64_t h = std::min(n, n_after - 1); h >= 0; --h) {
                const double taken = h > 0 ? static_cast<double>(h) * y : 0.0;
                const double of_it = taken > 0.0 ? taken * after_[h - 1] : 0.0;
                if (h < n) after_[h] = (static_cast<double>(n - h - 1) * after_[h] + of_it + s * products_[h]) / inverse;
                products_[h] = (static_cast<double>(n - h) * products_[h] + (taken > 0.0 ? taken * products_[h - 1] : 0.0)) / inverse;
            }
        }
    }

    // worth[r]: what place r + 1 of a group of n is worth on average for an aspect that m documents of it have.
    void find_worth(const std::vector<double>& strengths, int64_t n, int64_t n_places, double* worth) {
        const auto m = static_cast<int64_t>(strengths.size());
        if (m == 1) {
            std::fill_n(worth, n_places, strengths.front() / static_cast<double>(n));
            return;
        }
        find_after(strengths, std::min(m, n_places));
        if (m == n) {
            std::copy_n(after_.begin(), n_places, worth);
            return;
        }
        const auto most = static_cast<int64_t>(after_.size()) - 1;
        odds_.assign(most + 1, 0.0);  // that h of the r documents before have the aspect
        odds_[0] = 1.0;
        for (int64_t r = 0; r < n_places; ++r) {
            const auto rest = static_cast<double>(n - r);
            double sum = 0.0;
            for (int64_t h = std::min(r, most); h >= 0; --h) sum += odds_[h] * static_cast<double>(m - h) / rest * after_[h];
            worth[r] = sum;
            for (int64_t h = std::min(r + 1, most); h >= 0; --h) {
                const double before = h > 0 ? odds_[h - 1] * static_cast<double>(m - h + 1) / rest : 0.0;
                odds_[h] = odds_[h] * (static_cast<double>(n - r - (m - h)) / rest) + before;
            }
        }
    }

  public:
    GroupGains(const Cover& cover, double alpha) : alpha_(alpha), group_(cover.most_aspects()) {}

    // The gains of the first places of a group of n, and what the whole group leaves.
    template <class View>
    void take(View& view, const int32_t* rows, int64_t n, int64_t n_places, double* gains) {
        group_.collect(view, rows, n);
        const std::vector<int32_t>& aspects = group_.aspects();
        worth_.resize(aspects.size() * n_places);
        for (size_t a = 0; a < aspects.size(); ++a) find_worth(group_.of(aspects[a]), n, n_places, worth_.data() + a * n_places);
        for (int64_t r = 0; r < n_places; ++r) {
            view.terms.clear();
            for (size_t a = 0; a < aspects.size(); ++a) view.terms.add(view.left[aspects[a]] * worth_[a * n_places + r]);
            gains[r] = view.terms.sum();
        }
        for (int32_t i : aspects) {
            double left = view.left[i];
            for (double s : group_.of(i)) left *= 1.0 - alpha_ * s;
            view.left[i] = left;
            if (left > 0.0) view.smallest = std::min(view.smallest, left);
        }
        for (int64_t d = 0; d < n; ++d)
            if (rows[d] >= 0) view.touched(rows[d]);
        group_.clear();
    }
};

// Gain of each place of each list on average over orders; places beyond the last stop are 0. In lists without ties, the bits of
// place_gains.
inline Out<double> expected_gains(const Cover& cover, Matrix<int32_t> stops_, Ties tied, double alpha) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(offsets[cover.users], 0.0);
    {
        nb::gil_scoped_release release;
        const Linear rule(cover, alpha);
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), GroupGains(cover, alpha)); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, group] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    view.begin(u);
                    const int32_t* rows = cover.rows.data() + offsets[u];
                    const uint8_t* flags = tied.data() + offsets[u];
                    double* gains = out.data() + offsets[u];
                    const int64_t n = offsets[u + 1] - offsets[u], last = stops.last(u);
                    for (int64_t j = 0, next; j < last; j = next) {
                        next = end_of_group(flags, j, n);
                        if (next > j + 1) {
                            group.take(view, rows + j, next - j, std::min(next, last) - j, gains + j);
                        } else if (rows[j] >= 0) {
                            gains[j] = rule.gain(view, rows[j]);
                            rule.take(view, rows[j]);
                        }
                    }
                    view.end(u);
                }
            });
        });
    }
    return to_array(std::move(out));
}

// What a document of the first places shows of aspects on average: each as strong as the strongest support.
class GroupCoverage {
    GroupStrengths group_;
    std::vector<double> seen_;
    std::vector<int32_t> to_forget_;

    void see(int32_t aspect, double strength) {
        if (seen_[aspect] == 0.0) to_forget_.push_back(aspect);
        seen_[aspect] = std::max(seen_[aspect], strength);
    }
    // What t of n documents show of an aspect beyond what was seen of it before.
    double more_of(const std::vector<double>& strengths, double before, int64_t n, int64_t t) const {
        double more = 0.0;
        const auto m = static_cast<int64_t>(strengths.size());
        for (int64_t at = 0; at < m; ++at) {
            if (strengths[at] <= before) continue;
            more += (strengths[at] - before) * (1.0 - none_drawn(n, m - at, t));  // that any document is drawn that is as strong
            before = strengths[at];
        }
        return more;
    }

  public:
    explicit GroupCoverage(size_t n_aspects) : group_(n_aspects), seen_(n_aspects, 0.0) {}

    template <class View>
    void score(const View& view, const int32_t* rows, const uint8_t* tied, int64_t n, const int32_t* stops, int64_t n_stops, double* out) {
        double sum = 0.0;
        int64_t j = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            int64_t next = j;
            while (j < stops[c] && (next = end_of_group(tied, j, n)) <= stops[c]) {
                sum += next == j + 1 ? of_one(view, rows[j]) : of_group(view, rows + j, next - j);
                j = next;
            }
            out[c] = j < stops[c] ? sum + of_some(view, rows + j, next - j, stops[c] - j) : sum;
        }
        for (int32_t i : to_forget_) seen_[i] = 0.0;
        to_forget_.clear();
    }

  private:
    template <class View>
    double of_one(const View& view, int32_t row) {
        if (row < 0) return 0.0;
        view.terms.clear();
        view.each(row, [&](int32_t i, double s) {
            if (s <= seen_[i]) return;
            view.terms.add(view.left[i] * (s - seen_[i]));
            see(i, s);
        });
        return view.terms.sum();
    }
    template <class View>
    double of_group(const View& view, const int32_t* rows, int64_t n) {
        group_.collect(view, rows, n);
        view.terms.clear();
        for (int32_t i : group_.aspects()) {
            const double s = group_.of(i).back();
            if (s <= seen_[i]) continue;
            view.terms.add(view.left[i] * (s - seen_[i]));
            see(i, s);
        }
        group_.clear();
        return view.terms.sum();
    }
    template <class View>
    double of_some(const View& view, const int32_t* rows, int64_t n, int64_t t) {
        group_.collect(view, rows, n);
        view.terms.clear();
        for (int32_t i : group_.aspects()) view.terms.add(view.left[i] * more_of(group_.of(i), seen_[i], n, t));
        group_.clear();
        return view.terms.sum();
    }
};

inline OutMatrix<double> expected_coverage(const Cover& cover, Matrix<int32_t> stops_, Ties tied) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), GroupCoverage(cover.most_aspects())); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    scratch.second.score(scratch.first, cover.rows.data() + offsets[u], tied.data() + offsets[u],
                                         offsets[u + 1] - offsets[u], stops.of(u), stops.cutoffs, out.data() + u * stops.cutoffs);
                    scratch.first.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

constexpr int64_t kMostAnswers = 20;  // of one question: sums over all sets of them

// How strongly a question is answered on average, that asks for several answers and counts with its weakest, by t of n documents.
class GroupAnswers {
    struct Support {
        int64_t document;
        double strength;
    };
    std::vector<std::vector<Support>> of_;
    std::vector<int32_t> aspects_;
    std::vector<double> levels_;
    std::vector<uint32_t> shown_;   // by document, which of the open answers it shows
    std::vector<int64_t> without_;  // by set of answers, how many documents show none but these

    // That t of the n documents show every open answer: inclusion and exclusion over the answers that are missing.
    double all_shown(const int32_t* answers, int n_answers, const double* seen, double level, int64_t n, int64_t t) {
        int n_open = 0;
        shown_.assign(n, 0);
        for (int a = 0; a < n_answers; ++a) {
            if (seen[answers[a]] >= level) continue;
            bool any = false;
            for (const Support& one : of_[answers[a]]) {
                if (one.strength < level) continue;
                shown_[one.document] |= uint32_t{1} << n_open;
                any = true;
            }
            if (!any) return 0.0;
            ++n_open;
        }
        const uint32_t n_sets = uint32_t{1} << n_open;
        without_.assign(n_sets, 0);
        for (uint32_t set : shown_) ++without_[set];
        for (int bit = 0; bit < n_open; ++bit)
            for (uint32_t set = 0; set < n_sets; ++set)
                if (set >> bit & 1) without_[set] += without_[set ^ (uint32_t{1} << bit)];
        double odds = 0.0;
        for (uint32_t missing = 0; missing < n_sets; ++missing) {
            const double none = none_drawn(n, n - without_[(n_sets - 1) ^ missing], t);
            odds += __builtin_popcount(missing) % 2 ? -none : none;
        }
        return std::clamp(odds, 0.0, 1.0);
    }

  public:
    explicit GroupAnswers(size_t n_aspects) : of_(n_aspects) {}

    template <class View>
    void collect(const View& view, const int32_t* rows, int64_t n) {
        for (int64_t d = 0; d < n; ++d)
            if (rows[d] >= 0)
                view.each(rows[d], [&](int32_t i, double s) {
                    if (of_[i].empty()) aspects_.push_back(i);
                    of_[i].push_back({d, s});
                });
    }
    void clear() {
        for (int32_t i : aspects_) of_[i].clear();
        aspects_.clear();
    }
    double weakest(const int32_t* answers, int n_answers, const double* seen, int64_t n, int64_t t) {
        double before = 1.0, sum;
        levels_.clear();
        for (int a = 0; a < n_answers; ++a) {
            before = std::min(before, seen[answers[a]]);
            levels_.push_back(seen[answers[a]]);
            for (const Support& one : of_[answers[a]]) levels_.push_back(one.strength);
        }
        std::sort(levels_.begin(), levels_.end());
        sum = before;
        for (double level : levels_) {
            if (level <= before) continue;
            const double odds = all_shown(answers, n_answers, seen, level, n, t);
            if (odds == 0.0) break;
            sum += (level - before) * odds;
            before = level;
        }
        return sum;
    }
};

// covered_questions on average over orders.
inline OutMatrix<double> expected_questions(const Cover& cover, Matrix<int32_t> stops_, Ties tied, Array<int64_t> aspect_offsets,
                                            Array<int32_t> firsts, Array<double> weights) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    require(segments(aspect_offsets, static_cast<int64_t>(firsts.shape(0))) == cover.users, "one segment of aspects per user");
    require(weights.shape(0) == firsts.shape(0), "one weight per aspect");
    const int64_t *offsets = cover.offsets.data(), *starts = aspect_offsets.data();
    for (int64_t u = 0; u < cover.users; ++u)
        check_codes(firsts.data() + starts[u], starts[u + 1] - starts[u], 0, starts[u + 1] - starts[u], "first answer");
    std::vector<double> out(cover.users * stops.cutoffs);
    struct Scratch {
        GroupAnswers group;
        std::vector<double> seen, weakest;
        std::vector<int32_t> order;  // aspects, those of a question together
        explicit Scratch(size_t n) : group(n), seen(n), weakest(n), order(n) {}
    };
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), Scratch(cover.most_aspects())); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, mine] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t *rows = cover.rows.data() + offsets[u], *first = firsts.data() + starts[u];
                    const uint8_t* flags = tied.data() + offsets[u];
                    const int64_t n = starts[u + 1] - starts[u], length = offsets[u + 1] - offsets[u];
                    require(n <= static_cast<int64_t>(mine.seen.size()), "more aspects than there are");
                    std::fill_n(mine.seen.begin(), n, 0.0);
                    std::iota(mine.order.begin(), mine.order.begin() + n, 0);
                    std::stable_sort(mine.order.begin(), mine.order.begin() + n, [&](int32_t a, int32_t b) { return first[a] < first[b]; });
                    view.begin(u);
                    int64_t j = 0;
                    for (int64_t c = 0; c < stops.cutoffs; ++c) {
                        const int64_t stop = stops.of(u)[c];
                        int64_t next = j;
                        while (j < stop && (next = end_of_group(flags, j, length)) <= stop)
                            for (; j < next; ++j)
                                if (rows[j] >= 0)
                                    view.each(rows[j], [&](int32_t i, double s) { mine.seen[i] = std::max(mine.seen[i], s); });
                        if (j < stop) mine.group.collect(view, rows + j, next - j);
                        for (int64_t at = 0, after; at < n; at = after) {
                            const int32_t question = first[mine.order[at]];
                            for (after = at; after < n && first[mine.order[after]] == question; ++after)
                                mine.weakest[mine.order[after]] = 0.0;
                            double weakest = 1.0;
                            if (j < stop) {
                                require(after - at <= kMostAnswers, "a question asks for too many answers");
                                weakest = mine.group.weakest(mine.order.data() + at, static_cast<int>(after - at), mine.seen.data(),
                                                             next - j, stop - j);
                            } else {
                                for (int64_t a = at; a < after; ++a) weakest = std::min(weakest, mine.seen[mine.order[a]]);
                            }
                            mine.weakest[question] = weights.data()[starts[u] + question] * weakest;
                        }
                        if (j < stop) mine.group.clear();
                        std::sort(mine.weakest.begin(), mine.weakest.begin() + n, std::greater<>());
                        out[u * stops.cutoffs + c] = std::accumulate(mine.weakest.begin(), mine.weakest.begin() + n, 0.0);
                    }
                    view.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

// What place p of n is worth on average in average precision, if m of the n count, after `above` that count at `places` places.
inline double expected_precision(int64_t p, int64_t n, double m, double above, int64_t places) {
    const double among = n > 1 ? static_cast<double>(p - 1) * (m - 1.0) / static_cast<double>(n - 1) : 0.0;
    return m / static_cast<double>(n) * (above + 1.0 + among) / static_cast<double>(places + p);
}

// Sum over aspects of weight * average precision of one user's list, on average over orders.
class ExpectedPrecisionTally {
    std::vector<double> available_, sums_;
    std::vector<int64_t> above_, here_;
    std::vector<int32_t> shown_, present_;

  public:
    explicit ExpectedPrecisionTally(size_t n_aspects) : available_(n_aspects), sums_(n_aspects), above_(n_aspects), here_(n_aspects) {}

    template <class View>
    void score(const View& view, int64_t user, const AspectTotals& totals, const int32_t* rows, const uint8_t* tied, int64_t n,
               const int32_t* stops, int64_t n_stops, double* out) {
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] += 1.0; });
        int64_t begin = 0, end = 0;  // of the group
        int32_t j = 0;
        for (int64_t c = 0; c < n_stops; ++c) {
            for (; j < stops[c]; ++j) {
                if (j == end) {
                    leave();
                    begin = end;
                    end = end_of_group(tied, begin, n);
                    enter(view, rows + begin, end - begin);
                }
                for (int32_t i : present_)
                    sums_[i] += expected_precision(j - begin + 1, end - begin, static_cast<double>(here_[i]),
                                                   static_cast<double>(above_[i]), begin);
            }
            std::sort(shown_.begin(), shown_.end());
            view.terms.clear();
            for (int32_t i : shown_) {
                const double available = totals.totals ? totals.totals->data()[i] : available_[i];
                if (available > 0.0) view.terms.add(view.left[i] * (sums_[i] / available));
            }
            out[c] = view.terms.sum();
        }
        leave();
        for (int32_t i : shown_) {
            above_[i] = 0;
            sums_[i] = 0.0;
        }
        shown_.clear();
        totals.each_in_pool(view, user, [&](int32_t i) { available_[i] = 0.0; });
    }

  private:
    template <class View>
    void enter(const View& view, const int32_t* rows, int64_t n) {
        for (int64_t d = 0; d < n; ++d) {
            if (rows[d] < 0) continue;
            view.each(rows[d], [&](int32_t i, double) {
                if (here_[i]++ == 0) present_.push_back(i);
            });
        }
        for (int32_t i : present_)
            if (above_[i] == 0) shown_.push_back(i);
    }
    void leave() {
        for (int32_t i : present_) {
            above_[i] += here_[i];
            here_[i] = 0;
        }
        present_.clear();
    }
};

inline OutMatrix<double> expected_average_precisions(const Cover& cover, Matrix<int32_t> stops_, Ties tied,
                                                     std::optional<Array<int64_t>> pool_offsets, std::optional<Array<int32_t>> pool_rows,
                                                     std::optional<Array<double>> totals) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    const AspectTotals available{pool_offsets, pool_rows, totals};
    available.check(cover);
    const int64_t* offsets = cover.offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), ExpectedPrecisionTally(cover.most_aspects())); };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                for (int64_t u = begin; u < end; ++u) {
                    scratch.first.begin(u);
                    scratch.second.score(scratch.first, u, available, cover.rows.data() + offsets[u], tied.data() + offsets[u],
                                         offsets[u + 1] - offsets[u], stops.of(u), stops.cutoffs, out.data() + u * stops.cutoffs);
                    scratch.first.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, stops.cutoffs);
}

// Calls visit(first place, n places, places before in the list) for each group of each list, on several threads.
template <class Visit>
void each_group(const Array<int64_t>& offsets_, const Ties& tied, Visit visit) {
    const int64_t users = segments(offsets_, static_cast<int64_t>(tied.shape(0)));
    const int64_t* offsets = offsets_.data();
    nb::gil_scoped_release release;
    parallel_for(users, kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) {
            const int64_t n = offsets[u + 1] - offsets[u];
            double above = 0.0;
            for (int64_t j = 0, next; j < n; j = next) {
                next = end_of_group(tied.data() + offsets[u], j, n);
                above = visit(offsets[u] + j, next - j, j, above);
            }
        }
    });
}

// Values of places: each as the mean of its group, and those of each group from the least and from the greatest.
inline std::tuple<Out<double>, Out<double>, Out<double>> ordered_values(Array<int64_t> offsets, Array<double> values, Ties tied) {
    require(values.shape(0) == tied.shape(0), "one tie flag per value");
    const std::vector<double> given(values.data(), values.data() + values.shape(0));
    std::vector<double> means(given), rising(given), falling(given);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t, double) {
        if (n == 1) return 0.0;
        std::sort(rising.begin() + first, rising.begin() + first + n);
        std::reverse_copy(rising.begin() + first, rising.begin() + first + n, falling.begin() + first);
        const double sum = std::accumulate(rising.begin() + first, rising.begin() + first + n, 0.0);
        std::fill_n(means.begin() + first, n, sum / static_cast<double>(n));
        return 0.0;
    });
    return {to_array(std::move(means)), to_array(std::move(rising)), to_array(std::move(falling))};
}

// What each place adds to average precision: on average over orders, and with the hits of each group last and first.
inline std::tuple<Out<double>, Out<double>, Out<double>> ordered_precisions(Array<int64_t> offsets, Array<bool> hits, Ties tied) {
    require(hits.shape(0) == tied.shape(0), "one tie flag per place");
    std::vector<double> expected(hits.shape(0), 0.0), least(expected), greatest(expected);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t places, double above) {
        const int64_t m = std::count(hits.data() + first, hits.data() + first + n, true);
        for (int64_t p = 1; m > 0 && p <= n; ++p) {
            const int64_t at = first + p - 1;
            const auto rank = static_cast<double>(places + p);
            expected[at] = expected_precision(p, n, static_cast<double>(m), above, places);
            if (p > n - m) least[at] = (above + static_cast<double>(p - (n - m))) / rank;
            if (p <= m) greatest[at] = (above + static_cast<double>(p)) / rank;
        }
        return above + static_cast<double>(m);
    });
    return {to_array(std::move(expected)), to_array(std::move(least)), to_array(std::move(greatest))};
}

// The probability that each place is that of the first hit: over all orders, and with the hits of each group last and first.
inline std::tuple<Out<double>, Out<double>, Out<double>> first_hits(Array<int64_t> offsets, Array<bool> hits, Ties tied) {
    require(hits.shape(0) == tied.shape(0), "one tie flag per place");
    std::vector<double> expected(hits.shape(0), 0.0), least(expected), greatest(expected);
    each_group(offsets, tied, [&](int64_t first, int64_t n, int64_t, double above) {
        if (above > 0.0) return above;
        const int64_t m = std::count(hits.data() + first, hits.data() + first + n, true);
        if (m == 0) return above;
        double none = 1.0;  // of the places before in the group
        for (int64_t p = 0; p <= n - m; ++p) {
            const auto rest = static_cast<double>(n - p);
            expected[first + p] = none * (static_cast<double>(m) / rest);
            none *= static_cast<double>(n - p - m) / rest;
        }
        least[first + n - m] = greatest[first] = 1.0;
        return 1.0;
    });
    return {to_array(std::move(expected)), to_array(std::move(least)), to_array(std::move(greatest))};
}

// How many of the first places of each list are in a group of several, and whether the stop cuts a group, (users, cutoffs).
inline std::pair<OutMatrix<int32_t>, OutMatrix<int32_t>> count_tied(Array<int64_t> offsets_, Matrix<int32_t> stops_, Ties tied) {
    const Stops stops = check_stops(stops_, offsets_);
    segments(offsets_, static_cast<int64_t>(tied.shape(0)));
    const int64_t* offsets = offsets_.data();
    std::vector<int32_t> n_tied(stops.users * stops.cutoffs, 0), cuts(stops.users * stops.cutoffs, 0);
    {
        nb::gil_scoped_release release;
        parallel_for(stops.users, kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; ++u) {
                const uint8_t* flags = tied.data() + offsets[u];
                const int64_t n = offsets[u + 1] - offsets[u];
                int32_t sum = 0;
                int64_t j = 0;
                for (int64_t c = 0; c < stops.cutoffs; ++c) {
                    const int64_t stop = stops.of(u)[c];
                    int64_t next = j;
                    while (j < stop && (next = end_of_group(flags, j, n)) <= stop) {
                        if (next > j + 1) sum += static_cast<int32_t>(next - j);
                        j = next;
                    }
                    cuts[u * stops.cutoffs + c] = j < stop;
                    n_tied[u * stops.cutoffs + c] = sum + static_cast<int32_t>(j < stop ? stop - j : 0);
                }
            }
        });
    }
    return {to_matrix(std::move(n_tied), stops.users, stops.cutoffs), to_matrix(std::move(cuts), stops.users, stops.cutoffs)};
}

}  // namespace aspectrum
