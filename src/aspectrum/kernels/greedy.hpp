// The greedy ideal list: at each rank the item with the largest gain, exact ties to the largest head
// (the item's place in the order of ids).
#pragma once

#include "cover.hpp"
#include "gains.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

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
// falling terms, in one order, fall), so a gain computed earlier is an upper bound.
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
    Best find(const std::vector<Candidate>& candidates, const Linear& rule, const MaskView& view) {
        double top = lane_loops().subtract_lost(about.data(), keys.data(), padded(n), aspects, lost, n_lost);
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

inline RunningGains search_for(const Linear&, const MaskView&) { return {}; }
template <class Rule, class View>
Bounds search_for(const Rule&, const View&) {
    return {};
}

// Takes up to `depth` items. `next(group)` takes one item of a group and returns the head of the next one
// like it, or -1; `picked(rank, gain)` hears of each choice.
template <class Search, class Rule, class View, class Next, class Picked>
void greedy(Search& search, std::vector<Candidate>& candidates, int64_t depth, Rule rule, View& view, Next next, Picked picked) {
    search.begin(candidates, rule, view);
    for (int64_t rank = 0; rank < depth && !candidates.empty(); ++rank) {
        const Best best = search.find(candidates, rule, view);
        if (best.gain <= 0.0) return;
        Candidate& chosen = candidates[best.at];
        picked(rank, best.gain);
        search.take(rule, view, chosen.row);
        chosen.head = next(chosen.group);
        if (chosen.head < 0) {
            search.remove(best.at);
            chosen = candidates.back();
            candidates.pop_back();
        }
    }
}

// Discounted sums at several depths (-1: as deep as the pool goes), filled while the list grows.
struct Sums {
    const int64_t* depths;
    int64_t n_depths;
    const double* discounts;
    double* out;
    double sum = 0.0;
    int64_t at = 0;

    int64_t deepest() const {
        const int64_t last = n_depths ? depths[n_depths - 1] : 0;
        return last < 0 ? std::numeric_limits<int64_t>::max() : last;
    }
    void add(int64_t rank, double gain) {
        while (at < n_depths && depths[at] >= 0 && depths[at] <= rank) out[at++] = sum;
        sum += gain * discounts[rank];
    }
    void finish() {
        while (at < n_depths) out[at++] = sum;
    }
};

inline void check_depths(const Array<int64_t>& depths, int64_t largest_pool, const Array<double>& discounts) {
    int64_t deepest = 0;
    for (size_t c = 0; c < depths.shape(0); ++c) {
        const int64_t depth = depths.data()[c];
        const bool last = c + 1 == depths.shape(0);
        require(depth >= 0 || (depth == -1 && last), "depths must ascend, with -1 last");
        require(c == 0 || depth < 0 || depth >= depths.data()[c - 1], "depths must ascend, with -1 last");
        deepest = depth < 0 ? largest_pool : std::max(deepest, std::min(depth, largest_pool));
    }
    require(deepest <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");
}

// Each user's own pool of rows.
struct Pools {
    Array<int64_t> offsets;
    Array<int32_t> rows;
    Array<int32_t> heads;  // of each row of the table of sets

    int64_t check(const Cover& cover) const {
        require(segments(offsets, static_cast<int64_t>(rows.shape(0))) == cover.users, "one pool per user");
        const int64_t n_sets = static_cast<int64_t>(cover.set_offsets.shape(0)) - 1;
        require(static_cast<int64_t>(heads.shape(0)) == n_sets, "one head per set");
        int64_t largest = 0;
        for (int64_t u = 0; u < cover.users; ++u)
            largest = std::max(largest, offsets.data()[u + 1] - offsets.data()[u]);
        check_codes(rows.data(), offsets.data()[cover.users], -1, n_sets, "pool row");
        return largest;
    }

    template <class Search, class Rule, class View, class Picked>
    void best(int64_t user, int64_t depth, Search& search, Rule rule, View& view, std::vector<Candidate>& candidates, Picked picked) const {
        candidates.clear();
        for (int64_t p = offsets.data()[user]; p < offsets.data()[user + 1]; ++p) {
            const int32_t row = rows.data()[p];
            if (row < 0) continue;
            if (view.key(row)) candidates.push_back({heads.data()[row], row, 0});
        }
        greedy(search, candidates, depth, rule, view, [](int32_t) { return -1; }, picked);
    }
};

inline OutMatrix<double> greedy_pools(const Cover& cover, Array<int64_t> offsets, Array<int32_t> rows, Array<int32_t> heads,
                                      Array<int64_t> depths, Array<double> discounts, double alpha,
                                      std::optional<double> gamma) {
    const Pools pools{offsets, rows, heads};
    check_depths(depths, pools.check(cover), discounts);
    const int64_t n_depths = static_cast<int64_t>(depths.shape(0));
    std::vector<double> out(cover.users * n_depths);
    {
        nb::gil_scoped_release release;
        with_rule_and_view(cover, alpha, gamma, [&](auto rule, auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), std::vector<Candidate>()); };
            parallel_for(cover.users, kBlock, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, candidates] = scratch;
                auto search = search_for(rule, view);
                for (int64_t u = begin; u < end; ++u) {
                    view.begin(u);
                    Sums sums{depths.data(), n_depths, discounts.data(), out.data() + u * n_depths};
                    pools.best(u, sums.deepest(), search, rule, view, candidates,
                               [&](int64_t rank, double gain) { sums.add(rank, gain); });
                    sums.finish();
                    view.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, n_depths);
}

// A pool shared by all users: distinct sets, each with the heads of the items that have it, largest first.
struct Catalogue {
    Array<int32_t> sets;             // row of each distinct set
    Array<int64_t> member_offsets;   // items of each distinct set ...
    Array<int32_t> member_heads;     // ... by falling head

    int64_t check(const Cover& cover) const {
        const int64_t n_sets = static_cast<int64_t>(cover.set_offsets.shape(0)) - 1;
        check_codes(sets.data(), static_cast<int64_t>(sets.shape(0)), 0, n_sets, "catalogue row");
        require(segments(member_offsets, static_cast<int64_t>(member_heads.shape(0))) == static_cast<int64_t>(sets.shape(0)),
                "one segment of members per distinct set");
        return static_cast<int64_t>(member_heads.shape(0));
    }
};

// One thread's workspace: groups of distinct sets that are worth the same to one user.
struct Groups {
    struct Slot {
        uint64_t key;
        int64_t stamp;
        int32_t group;
    };
    struct Group {
        int32_t row;         // of any of its sets
        int32_t first;       // set, then next[set] ...
        bool opened;         // its sets are in `heap`
        std::vector<std::pair<int32_t, int32_t>> heap;  // (head, set)
    };
    std::vector<Slot> slots;
    std::vector<Group> groups;
    std::vector<int32_t> next;
    std::vector<int64_t> cursors;
    std::vector<Candidate> candidates;
    std::vector<uint8_t> excluded;  // by head
    size_t n_groups = 0;
    int64_t stamp = 0;

    Groups(const Catalogue& catalogue, int64_t n_heads) {
        const size_t n = catalogue.sets.shape(0);
        size_t capacity = 16;
        while (capacity < 2 * n) capacity *= 2;
        slots.assign(capacity, Slot{0, 0, 0});
        next.resize(n);
        cursors.resize(n);
        excluded.assign(n_heads, 0);
    }

    int32_t head_of(const Catalogue& catalogue, int32_t set) {
        int64_t& at = cursors[set];
        const int64_t end = catalogue.member_offsets.data()[set + 1];
        while (at < end && excluded[catalogue.member_heads.data()[at]]) ++at;
        return at < end ? catalogue.member_heads.data()[at] : -1;
    }

    template <class View>
    void build(const Catalogue& catalogue, const View& view) {
        ++stamp;
        n_groups = 0;
        candidates.clear();
        const size_t wrap = slots.size() - 1;
        for (int32_t set = 0; set < static_cast<int32_t>(catalogue.sets.shape(0)); ++set) {
            const int32_t row = catalogue.sets.data()[set];
            const uint64_t key = view.key(row);
            if (key == 0) continue;
            cursors[set] = catalogue.member_offsets.data()[set];
            const int32_t head = head_of(catalogue, set);
            if (head < 0) continue;
            size_t at = (key * 0x9E3779B97F4A7C15ull >> 20) & wrap;
            while (slots[at].stamp == stamp &&
                   !(slots[at].key == key && view.same(groups[slots[at].group].row, row)))
                at = (at + 1) & wrap;
            if (slots[at].stamp == stamp) {
                const int32_t group = slots[at].group;
                next[set] = groups[group].first;
                groups[group].first = set;
                candidates[group].head = std::max(candidates[group].head, head);
                continue;
            }
            if (n_groups == groups.size()) groups.emplace_back();
            Group& group = groups[n_groups];
            group.row = row;
            group.first = set;
            group.opened = false;
            next[set] = -1;
            slots[at] = Slot{key, stamp, static_cast<int32_t>(n_groups)};
            candidates.push_back({head, row, static_cast<int32_t>(n_groups)});
            ++n_groups;
        }
    }

    // Takes the group's item of the largest head; returns the next largest, or -1.
    int32_t pop(const Catalogue& catalogue, int32_t index) {
        Group& group = groups[index];
        if (!group.opened) {
            group.opened = true;
            group.heap.clear();
            for (int32_t set = group.first; set >= 0; set = next[set]) group.heap.emplace_back(head_of(catalogue, set), set);
            std::make_heap(group.heap.begin(), group.heap.end());
        }
        std::pop_heap(group.heap.begin(), group.heap.end());
        const int32_t set = group.heap.back().second;
        ++cursors[set];
        const int32_t head = head_of(catalogue, set);
        if (head < 0) {
            group.heap.pop_back();
        } else {
            group.heap.back().first = head;
            std::push_heap(group.heap.begin(), group.heap.end());
        }
        return group.heap.empty() ? -1 : group.heap.front().first;
    }

    template <class Search, class Rule, class View, class Picked>
    void best(const Catalogue& catalogue, int64_t depth, Search& search, Rule rule, View& view, Picked picked) {
        build(catalogue, view);
        greedy(search, candidates, depth, rule, view, [&](int32_t group) { return pop(catalogue, group); }, picked);
    }
};

// Heads a user must not be given, if any (the unseen part of the catalogue).
struct Excluded {
    std::optional<Array<int64_t>> offsets;
    std::optional<Array<int32_t>> heads;

    void check(int64_t users, int64_t n_heads) const {
        if (!offsets) return;
        require(heads.has_value(), "excluded heads need offsets and heads");
        require(segments(*offsets, static_cast<int64_t>(heads->shape(0))) == users, "one segment of excluded heads per user");
        check_codes(heads->data(), static_cast<int64_t>(heads->shape(0)), 0, n_heads, "excluded head");
    }
    void mark(int64_t user, std::vector<uint8_t>& flags, uint8_t flag) const {
        if (!offsets) return;
        for (int64_t p = offsets->data()[user]; p < offsets->data()[user + 1]; ++p) flags[heads->data()[p]] = flag;
    }
};

inline OutMatrix<double> greedy_catalogue(const Cover& cover, Array<int32_t> sets, Array<int64_t> member_offsets,
                                          Array<int32_t> member_heads, int64_t n_heads,
                                          std::optional<Array<int64_t>> excluded_offsets,
                                          std::optional<Array<int32_t>> excluded_heads, Array<int64_t> depths,
                                          Array<double> discounts, double alpha, std::optional<double> gamma) {
    const Catalogue catalogue{sets, member_offsets, member_heads};
    check_depths(depths, catalogue.check(cover), discounts);
    check_codes(member_heads.data(), static_cast<int64_t>(member_heads.shape(0)), 0, n_heads, "head");
    const Excluded excluded{excluded_offsets, excluded_heads};
    excluded.check(cover.users, n_heads);
    const int64_t n_depths = static_cast<int64_t>(depths.shape(0));
    std::vector<double> out(cover.users * n_depths);
    {
        nb::gil_scoped_release release;
        with_rule_and_view(cover, alpha, gamma, [&](auto rule, auto make_view) {
            auto make_scratch = [&] { return std::make_pair(make_view(), Groups(catalogue, n_heads)); };
            parallel_for(cover.users, 8, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, groups] = scratch;
                auto search = search_for(rule, view);
                for (int64_t u = begin; u < end; ++u) {
                    view.begin(u);
                    excluded.mark(u, groups.excluded, 1);
                    Sums sums{depths.data(), n_depths, discounts.data(), out.data() + u * n_depths};
                    groups.best(catalogue, sums.deepest(), search, rule, view,
                                [&](int64_t rank, double gain) { sums.add(rank, gain); });
                    sums.finish();
                    excluded.mark(u, groups.excluded, 0);
                    view.end(u);
                }
            });
        });
    }
    return to_matrix(std::move(out), cover.users, n_depths);
}

// The distinct sets among `order` (rows by falling head): representative rows and members in that order.
inline std::tuple<Out<int32_t>, Out<int64_t>, Out<int32_t>> distinct_sets(const Cover& cover, Array<int32_t> order,
                                                                          Array<int32_t> heads) {
    const int64_t n = static_cast<int64_t>(order.shape(0));
    check_codes(order.data(), n, 0, static_cast<int64_t>(cover.set_offsets.shape(0)) - 1, "catalogue row");
    require(heads.shape(0) + 1 == cover.set_offsets.shape(0), "one head per set");
    require(!cover.wanted_offsets && !cover.interests, "distinct sets are those of everybody");
    std::vector<int32_t> rows, group_of(n);
    std::vector<int64_t> offsets;
    std::vector<int32_t> members;
    {
        nb::gil_scoped_release release;
        auto run = [&](auto view) {
            size_t capacity = 1024;
            while (capacity < 2 * static_cast<size_t>(n)) capacity *= 2;
            std::vector<int32_t> slots(capacity, -1);
            std::vector<uint64_t> keys;
            for (int64_t p = 0; p < n; ++p) {
                const int32_t row = order.data()[p];
                const uint64_t key = view.key(row);
                group_of[p] = -1;
                if (key == 0) continue;
                size_t at = (key * 0x9E3779B97F4A7C15ull >> 20) & (capacity - 1);
                while (slots[at] >= 0 && !(keys[slots[at]] == key && view.same(rows[slots[at]], row)))
                    at = (at + 1) & (capacity - 1);
                if (slots[at] < 0) {
                    slots[at] = static_cast<int32_t>(rows.size());
                    rows.push_back(row);
                    keys.push_back(key);
                }
                group_of[p] = slots[at];
            }
        };
        if (cover.masks)
            run(MaskView(cover));
        else
            run(CodeView(cover));
        offsets.assign(rows.size() + 1, 0);
        for (int64_t p = 0; p < n; ++p)
            if (group_of[p] >= 0) ++offsets[group_of[p] + 1];
        for (size_t g = 0; g < rows.size(); ++g) offsets[g + 1] += offsets[g];
        members.resize(offsets.back());
        std::vector<int64_t> at(offsets.begin(), offsets.end() - 1);
        for (int64_t p = 0; p < n; ++p)
            if (group_of[p] >= 0) members[at[group_of[p]]++] = heads.data()[order.data()[p]];
    }
    return {to_array(std::move(rows)), to_array(std::move(offsets)), to_array(std::move(members))};
}

}  // namespace aspectrum
