// The greedy list: at each rank the item with the largest gain, exact ties to the largest head (the item's place in the
// order of ids).
#pragma once

#include "cover.hpp"
#include "interrupts.hpp"
#include "lanes.hpp"

#include <cmath>
#include <limits>

namespace aspectrum {

// What may still be taken: the head of its next item, its row, and whatever the caller calls it.
struct Candidate {
    int32_t head;
    int32_t row;
    int32_t group;
};

// The best so far: the largest gain, among equals the largest head.
struct Best {
    double gain = 0.0;
    int32_t head = -1;
    size_t at = 0;

    bool beaten_by(double other, int32_t other_head) const { return other > gain || (other == gain && other_head > head); }
};

// Any rule over any sets. Gains never grow as items are taken (also in floating point: sums and products of
// falling terms fall, in one order or in that of their values), so a gain computed earlier is an upper bound; and so is one
// computed without ordering its terms, with room for rounding.
struct Bounds {
    std::vector<double> bounds;

    template <class Rule, class View>
    void begin(const std::vector<Candidate>& candidates, const Rule&, const View&) {
        bounds.assign(candidates.size(), std::numeric_limits<double>::infinity());
    }
    template <class Rule, class View>
    Best find(const std::vector<Candidate>& candidates, const Rule& rule, const View& view) {
        Best best;
        for (size_t p = 0; p < candidates.size(); ++p) {
            if (!best.beaten_by(bounds[p], candidates[p].head)) continue;
            bounds[p] = std::min(bounds[p], rule.bound(view, candidates[p].row));
            if (!best.beaten_by(bounds[p], candidates[p].head)) continue;
            bounds[p] = rule.gain(view, candidates[p].row);
            if (best.beaten_by(bounds[p], candidates[p].head)) best = {bounds[p], candidates[p].head, p};
        }
        return best;
    }
    template <class Rule, class View>
    void take(const Rule& rule, View& view, int32_t row) {
        rule.take(view, row);
    }
    void remove(size_t p) {
        bounds[p] = bounds.back();
        bounds.pop_back();
    }
};

// The linear rule over bit masks. Running gains, eight at a time, say who can be the best; those within their
// rounding of the top are computed in full, so rounding never decides. While 1 - alpha is a power of two and no value
// left is tiny, sums of such powers have no rounding, and nothing needs computing in full.
struct RunningGains {
    std::vector<double> about;  // padded to whole lanes with candidates that never win
    std::vector<uint64_t> keys;
    size_t n = 0;
    double slack = 0.0;
    bool exact = false;

    void begin(const std::vector<Candidate>& candidates, const Linear& rule, const MaskView& view) {
        int exponent;
        exact = rule.alpha == 1.0 || std::frexp(1.0 - rule.alpha, &exponent) == 0.5;
        n = candidates.size();
        n_lost = 0;
        slack = 0.0;
        largest = 64.0;
        about.assign(padded(n), -1.0);
        keys.assign(padded(n), 0);
        for (size_t p = 0; p < n; ++p) {
            keys[p] = view.key(candidates[p].row);
            about[p] = __builtin_popcountll(keys[p]);  // nothing was taken yet
        }
    }
    // What candidates gain now that an item was taken; the largest of it. Few of them are quicker one by one, with the same bits.
    double subtract_lost() {
        if (padded(n) > kLanes) return lane_loops().subtract_lost(about.data(), keys.data(), padded(n), aspects, lost, n_lost);
        double top = 0.0;
        for (size_t p = 0; p < n; ++p) {
            for (int a = 0; a < n_lost; ++a) about[p] -= keys[p] >> aspects[a] & 1 ? lost[a] : 0.0;
            top = std::max(top, about[p]);
        }
        return top;
    }
    Best find(const std::vector<Candidate>& candidates, const Linear& rule, const MaskView& view) {
        double top = subtract_lost();
        if (!exact) slack += 4.0 * (n_lost + 1) * std::numeric_limits<double>::epsilon() * largest;
        if (slack > 1e-6 * top) {
            top = 0.0;
            for (size_t p = 0; p < n; ++p) top = std::max(top, about[p] = rule.gain(view, candidates[p].row));
            largest = top;
            slack = 0.0;
        }
        Best best;
        const double from = top - 2.0 * slack;
        for (size_t p = 0; p < n; ++p) {
            if (about[p] < from) continue;
            const double gain = exact ? about[p] : rule.gain(view, candidates[p].row);
            if (best.beaten_by(gain, candidates[p].head)) best = {gain, candidates[p].head, p};
        }
        return best;
    }
    void take(const Linear& rule, MaskView& view, int32_t row) {
        n_lost = 0;
        view.each(row, [&](int32_t i, double) {
            aspects[n_lost] = i;
            lost[n_lost++] = view.left[i];
        });
        rule.take(view, row);
        for (int a = 0; a < n_lost; ++a) {
            const double left = view.left[aspects[a]];
            lost[a] -= left;
            exact = exact && (left == 0.0 || left > 0x1p-46);
        }
    }
    void remove(size_t p) {
        --n;
        about[p] = about[n], keys[p] = keys[n];
        about[n] = -1.0, keys[n] = 0;
    }

  private:
    double largest = 64.0;        // no running gain exceeds it
    int aspects[64], n_lost = 0;  // what the item taken last has cost
    double lost[64];
};

inline RunningGains search_for(const Linear&, const MaskView&) {
    return {};
}
template <class Rule, class View>
Bounds search_for(const Rule&, const View&) {
    return {};
}

// Takes up to `depth` items that gain something. `next(group)` takes one item of a group and returns the head of the next one
// like it, or -1; `picked(rank, candidate, gain)` hears of each choice once the view shows what it leaves.
template <class Search, class Rule, class View, class Next, class Picked>
void greedy(Search& search, std::vector<Candidate>& candidates, int64_t depth, const Rule& rule, View& view, Next next, Picked picked) {
    search.begin(candidates, rule, view);
    for (int64_t rank = 0; rank < depth && !candidates.empty(); ++rank) {
        const Best best = search.find(candidates, rule, view);
        if (best.gain <= 0.0) return;
        tick(static_cast<int64_t>(candidates.size()));
        Candidate& chosen = candidates[best.at];
        search.take(rule, view, chosen.row);
        picked(rank, chosen, best.gain);
        chosen.head = next(chosen.group);
        if (chosen.head < 0) {
            search.remove(best.at);
            chosen = candidates.back();
            candidates.pop_back();
        }
    }
}

}  // namespace aspectrum
