// Coverage on average over all orders of items with equal scores; see orders.hpp.
#pragma once

#include "aspects.hpp"
#include "drawn_answers.hpp"
#include "extremes.hpp"
#include "gains.hpp"
#include "groups.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace aspectrum {

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

constexpr int64_t kMostOpen = 64;  // answers of one question that only the group can show: they are bits

// How strongly a question is answered on average, that asks for several answers and counts with its weakest, by t of n documents.
class GroupAnswers {
    struct Support {
        int64_t document;
        double strength;
    };
    std::vector<std::vector<Support>> of_;
    std::vector<int32_t> aspects_;
    std::vector<double> levels_;
    std::vector<uint64_t> shown_, documents_;  // by document of the group, which of the open answers it shows; of those that show any
    DrawnAnswers drawn_;

    // That t of the n documents show every open answer; NaN where that is too much to compute.
    double all_shown(const int32_t* answers, int64_t n_answers, const double* seen, double level, int64_t n, int64_t t) {
        int64_t n_open = 0, fewest = n;
        shown_.assign(n, 0);
        drawn_.spend(static_cast<size_t>(n));
        if (drawn_.spent()) return std::numeric_limits<double>::quiet_NaN();
        for (int64_t a = 0; a < n_answers; ++a) {
            if (seen[answers[a]] >= level) continue;
            int64_t documents = 0;
            drawn_.spend(of_[answers[a]].size());
            for (const Support& one : of_[answers[a]]) {
                if (one.strength < level) continue;
                if (n_open < kMostOpen) shown_[one.document] |= uint64_t{1} << n_open;
                ++documents;
            }
            if (documents == 0) return 0.0;
            fewest = std::min(fewest, documents);
            ++n_open;
        }
        if (fewest + t > n) return 1.0;
        if (n_open == 1) return 1.0 - none_drawn(n, fewest, t);
        if (n_open > kMostOpen) return std::numeric_limits<double>::quiet_NaN();
        documents_.clear();
        std::copy_if(shown_.begin(), shown_.end(), std::back_inserter(documents_), [](uint64_t set) { return set != 0; });
        return drawn_.all_shown(documents_, ~uint64_t{0} >> (kMostOpen - n_open), n, t);
    }

  public:
    explicit GroupAnswers(size_t n_aspects) : of_(n_aspects) {}

    template <class View>
    void collect(const View& view, const int32_t* rows, int64_t n) {
        drawn_.begin();
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
    // How much all questions about the group took together, and whether that is more than is allowed.
    size_t work() const { return drawn_.work(); }
    bool spent() const { return drawn_.spent(); }
    // NaN where that is too much to compute.
    double weakest(const int32_t* answers, int64_t n_answers, const double* seen, int64_t n, int64_t t) {
        double before = 1.0, sum;
        levels_.clear();
        for (int64_t a = 0; a < n_answers; ++a) {
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

struct QuestionScratch {
    GroupAnswers group;
    std::vector<double> seen, weakest;
    std::vector<int32_t> order;  // aspects, those of a question together
    explicit QuestionScratch(size_t n) : group(n), seen(n), weakest(n), order(n) {}
};

// covered_questions on average over orders; and for each user the first answer of a question that is too much to compute, -1 if none is.
inline std::pair<OutMatrix<double>, Out<int32_t>> expected_questions(const Cover& cover, Matrix<int32_t> stops_, Ties tied,
                                                                     Array<int64_t> aspect_offsets, Array<int32_t> firsts,
                                                                     Array<double> weights) {
    const Stops stops = check_stops(stops_, cover.offsets);
    check_ties(tied, cover.rows);
    check_questions(cover, aspect_offsets, firsts, weights);
    const int64_t *offsets = cover.offsets.data(), *starts = aspect_offsets.data();
    std::vector<double> out(cover.users * stops.cutoffs);
    std::vector<int32_t> too_much(cover.users, -1);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), QuestionScratch(cover.most_aspects())); };
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
                                    view.each(rows[j], [&mine = mine](int32_t i, double s) { mine.seen[i] = std::max(mine.seen[i], s); });
                        if (j < stop) mine.group.collect(view, rows + j, next - j);
                        size_t most = 0;
                        int32_t dearest = 0;  // the question that took most
                        for (int64_t at = 0, after; at < n; at = after) {
                            const int32_t question = first[mine.order[at]];
                            for (after = at; after < n && first[mine.order[after]] == question; ++after)
                                mine.weakest[mine.order[after]] = 0.0;
                            double weakest = 1.0;
                            if (j < stop && too_much[u] < 0) {
                                const size_t before = mine.group.work();
                                weakest = mine.group.weakest(mine.order.data() + at, after - at, mine.seen.data(), next - j, stop - j);
                                if (const size_t work = mine.group.work() - before; work > most) most = work, dearest = question;
                                if (std::isnan(weakest)) too_much[u] = mine.group.spent() ? dearest : question, weakest = 0.0;
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
    return {to_matrix(std::move(out), cover.users, stops.cutoffs), to_array(std::move(too_much))};
}

}  // namespace aspectrum
