// What a list may be made of: each user's own pool of rows, or a catalogue that all users share.
#pragma once

#include "cover.hpp"
#include "greedy.hpp"
#include "hash_index.hpp"

#include <algorithm>

namespace aspectrum {

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
        for (int64_t u = 0; u < cover.users; ++u) largest = std::max(largest, offsets.data()[u + 1] - offsets.data()[u]);
        check_codes(rows.data(), offsets.data()[cover.users], -1, n_sets, "pool row");
        return largest;
    }
};

// A pool shared by all users: distinct sets, each with the heads of the items that have it, largest first.
struct Catalogue {
    Array<int32_t> sets;            // row of each distinct set
    Array<int64_t> member_offsets;  // items of each distinct set ...
    Array<int32_t> member_heads;    // ... by falling head
    int64_t n_heads;

    int64_t check(const Cover& cover) const {
        const int64_t n_sets = static_cast<int64_t>(cover.set_offsets.shape(0)) - 1;
        const auto n_members = static_cast<int64_t>(member_heads.shape(0));
        check_codes(sets.data(), static_cast<int64_t>(sets.shape(0)), 0, n_sets, "catalogue row");
        require(segments(member_offsets, n_members) == static_cast<int64_t>(sets.shape(0)), "one segment of members per distinct set");
        check_codes(member_heads.data(), n_members, 0, n_heads, "head");
        return n_members;
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

// One thread's workspace: groups of distinct sets that are worth the same to one user.
class Groups {
    struct Group {
        int32_t row;                                    // of any of its sets
        int32_t first;                                  // set, then next_[set] ...
        bool opened;                                    // its sets are in `heap`
        std::vector<std::pair<int32_t, int32_t>> heap;  // (head, set)
    };
    const Catalogue& catalogue_;
    HashIndex numbers_;
    std::vector<Group> groups_;
    std::vector<int32_t> next_;
    std::vector<int64_t> cursors_;

  public:
    std::vector<uint8_t> excluded;  // by head
    std::vector<Candidate> candidates;

    explicit Groups(const Catalogue& catalogue)
        : catalogue_(catalogue), numbers_(catalogue.sets.shape(0)), next_(catalogue.sets.shape(0)), cursors_(catalogue.sets.shape(0)),
          excluded(catalogue.n_heads, 0) {}

    // One candidate for each group of sets that are worth something to the user of the view.
    template <class View>
    void build(const View& view) {
        numbers_.clear(next_.size());
        candidates.clear();
        const auto n = static_cast<int32_t>(next_.size());
        for (int32_t set = 0; set < n; ++set) {
            const int32_t row = catalogue_.sets.data()[set];
            const uint64_t key = view.key(row);
            if (key == 0) continue;
            cursors_[set] = catalogue_.member_offsets.data()[set];
            const int32_t head = head_of(set);
            if (head < 0) continue;
            const auto [number, is_new] =
                numbers_.find_or_add(folded(key), [&](int32_t other) { return view.same(candidates[other].row, row); });
            if (is_new)
                begin_group(number, row, set, head);
            else
                join_group(number, set, head);
        }
    }

    // Takes the group's item of the largest head; returns the next largest, or -1.
    int32_t pop(int32_t index) {
        Group& group = groups_[index];
        if (!group.opened) {
            group.opened = true;
            group.heap.clear();
            for (int32_t set = group.first; set >= 0; set = next_[set]) group.heap.emplace_back(head_of(set), set);
            std::make_heap(group.heap.begin(), group.heap.end());
        }
        std::pop_heap(group.heap.begin(), group.heap.end());
        const int32_t set = group.heap.back().second;
        ++cursors_[set];
        const int32_t head = head_of(set);
        if (head < 0) {
            group.heap.pop_back();
        } else {
            group.heap.back().first = head;
            std::push_heap(group.heap.begin(), group.heap.end());
        }
        return group.heap.empty() ? -1 : group.heap.front().first;
    }

  private:
    int32_t head_of(int32_t set) {
        int64_t& at = cursors_[set];
        const int64_t end = catalogue_.member_offsets.data()[set + 1];
        while (at < end && excluded[catalogue_.member_heads.data()[at]]) ++at;
        return at < end ? catalogue_.member_heads.data()[at] : -1;
    }
    void begin_group(int32_t number, int32_t row, int32_t set, int32_t head) {
        if (static_cast<size_t>(number) == groups_.size()) groups_.emplace_back();
        Group& group = groups_[number];
        group.row = row;
        group.first = set;
        group.opened = false;
        next_[set] = -1;
        candidates.push_back({head, row, number});
    }
    void join_group(int32_t number, int32_t set, int32_t head) {
        next_[set] = groups_[number].first;
        groups_[number].first = set;
        candidates[number].head = std::max(candidates[number].head, head);
    }
};

// Numbers the distinct sets among `order`: the first row that has each, and the number of each place (-1: an empty set).
template <class View>
std::pair<std::vector<int32_t>, std::vector<int32_t>> number_sets(const View& view, const int32_t* order, int64_t n) {
    HashIndex numbers(1024);
    std::vector<int32_t> firsts, number_of(n, -1);
    for (int64_t p = 0; p < n; ++p) {
        const uint64_t key = view.key(order[p]);
        if (key == 0) continue;
        const auto [number, is_new] = numbers.find_or_add(folded(key), [&](int32_t other) { return view.same(firsts[other], order[p]); });
        if (is_new) firsts.push_back(order[p]);
        number_of[p] = number;
    }
    return {std::move(firsts), std::move(number_of)};
}

// The distinct sets among `order` (rows by falling head): representative rows and members in that order.
inline std::tuple<Out<int32_t>, Out<int64_t>, Out<int32_t>> distinct_sets(const Cover& cover, Array<int32_t> order, Array<int32_t> heads) {
    const auto n = static_cast<int64_t>(order.shape(0));
    check_codes(order.data(), n, 0, static_cast<int64_t>(cover.set_offsets.shape(0)) - 1, "catalogue row");
    require(heads.shape(0) + 1 == cover.set_offsets.shape(0), "one head per set");
    require(!cover.wanted_offsets && !cover.interests, "distinct sets are those of everybody");
    std::vector<int32_t> rows, members;
    std::vector<int64_t> offsets;
    {
        nb::gil_scoped_release release;
        auto [firsts, number_of] = with_view(cover, [&](auto view) { return number_sets(view, order.data(), n); });
        rows = std::move(firsts);
        offsets.assign(rows.size() + 1, 0);
        for (int64_t p = 0; p < n; ++p)
            if (number_of[p] >= 0) ++offsets[number_of[p] + 1];
        for (size_t g = 0; g < rows.size(); ++g) offsets[g + 1] += offsets[g];
        members.resize(offsets.back());
        std::vector<int64_t> at(offsets.begin(), offsets.end() - 1);
        for (int64_t p = 0; p < n; ++p)
            if (number_of[p] >= 0) members[at[number_of[p]]++] = heads.data()[order.data()[p]];
    }
    return {to_array(std::move(rows)), to_array(std::move(offsets)), to_array(std::move(members))};
}

}  // namespace aspectrum
