// Greedy lists of users over their pools: their discounted sums, or the lists themselves.
#pragma once

#include "gains.hpp"
#include "greedy.hpp"
#include "parallel.hpp"
#include "pools.hpp"

#include <limits>

namespace aspectrum {

// Grows the greedy list of every user over their own pool. `listen(user)` makes what hears of it: depth(), picked(rank,
// candidate, gain) and finish().
template <class Listen>
void greedy_over_pools(const Cover& cover, const Pools& pools, double alpha, std::optional<double> gamma, Listen listen) {
    nb::gil_scoped_release release;
    with_rule_and_view(cover, alpha, gamma, [&](auto rule, auto make_view) {
        parallel_for(cover.users, kBlock, make_view, [&](auto& view, int64_t begin, int64_t end) {
            auto search = search_for(rule, view);
            std::vector<Candidate> candidates;
            for (int64_t u = begin; u < end; ++u) {
                view.begin(u);
                candidates.clear();
                for (int64_t p = pools.offsets.data()[u]; p < pools.offsets.data()[u + 1]; ++p) {
                    const int32_t row = pools.rows.data()[p];
                    if (row >= 0 && view.key(row)) candidates.push_back({pools.heads.data()[row], row, 0});
                }
                auto listener = listen(u);
                greedy(
                    search, candidates, listener.depth(), rule, view, [](int32_t) { return -1; },
                    [&](int64_t rank, const Candidate& chosen, double gain) { listener.picked(rank, chosen, gain); });
                listener.finish();
                view.end(u);
            }
        });
    });
}

// The same over a catalogue, less what a user must not be given.
template <class Listen>
void greedy_over_catalogue(const Cover& cover, const Catalogue& catalogue, const Excluded& excluded, double alpha,
                           std::optional<double> gamma, Listen listen) {
    nb::gil_scoped_release release;
    with_rule_and_view(cover, alpha, gamma, [&](auto rule, auto make_view) {
        auto make_scratch = [&] { return std::make_pair(make_view(), Groups(catalogue)); };
        parallel_for(cover.users, 8, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
            auto& view = scratch.first;
            Groups& groups = scratch.second;
            auto search = search_for(rule, view);
            for (int64_t u = begin; u < end; ++u) {
                view.begin(u);
                excluded.mark(u, groups.excluded, 1);
                groups.build(view);
                auto listener = listen(u);
                greedy(
                    search, groups.candidates, listener.depth(), rule, view, [&](int32_t group) { return groups.pop(group); },
                    [&](int64_t rank, const Candidate& chosen, double gain) { listener.picked(rank, chosen, gain); });
                listener.finish();
                excluded.mark(u, groups.excluded, 0);
                view.end(u);
            }
        });
    });
}

// Discounted sums at several depths (-1: as deep as the pool goes), filled while the list grows.
class ListSums {
    const int64_t* depths_;
    int64_t n_depths_;
    const double* discounts_;
    double* out_;
    double sum_ = 0.0;
    int64_t at_ = 0;

  public:
    ListSums(const Array<int64_t>& depths, const Array<double>& discounts, double* out)
        : depths_(depths.data()), n_depths_(static_cast<int64_t>(depths.shape(0))), discounts_(discounts.data()), out_(out) {}

    int64_t depth() const {
        const int64_t last = n_depths_ ? depths_[n_depths_ - 1] : 0;
        return last < 0 ? std::numeric_limits<int64_t>::max() : last;
    }
    void picked(int64_t rank, const Candidate&, double gain) {
        while (at_ < n_depths_ && depths_[at_] >= 0 && depths_[at_] <= rank) out_[at_++] = sum_;
        sum_ += gain * discounts_[rank];
    }
    void finish() {
        while (at_ < n_depths_) out_[at_++] = sum_;
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

inline OutMatrix<double> greedy_pools(const Cover& cover, Array<int64_t> offsets, Array<int32_t> rows, Array<int32_t> heads,
                                      Array<int64_t> depths, Array<double> discounts, double alpha, std::optional<double> gamma) {
    const Pools pools{offsets, rows, heads};
    check_depths(depths, pools.check(cover), discounts);
    const auto n_depths = static_cast<int64_t>(depths.shape(0));
    std::vector<double> out(cover.users * n_depths);
    greedy_over_pools(cover, pools, alpha, gamma, [&](int64_t user) { return ListSums(depths, discounts, out.data() + user * n_depths); });
    return to_matrix(std::move(out), cover.users, n_depths);
}

inline OutMatrix<double> greedy_catalogue(const Cover& cover, Array<int32_t> sets, Array<int64_t> member_offsets,
                                          Array<int32_t> member_heads, int64_t n_heads, std::optional<Array<int64_t>> excluded_offsets,
                                          std::optional<Array<int32_t>> excluded_heads, Array<int64_t> depths, Array<double> discounts,
                                          double alpha, std::optional<double> gamma) {
    const Catalogue catalogue{sets, member_offsets, member_heads, n_heads};
    check_depths(depths, catalogue.check(cover), discounts);
    const Excluded excluded{excluded_offsets, excluded_heads};
    excluded.check(cover.users, n_heads);
    const auto n_depths = static_cast<int64_t>(depths.shape(0));
    std::vector<double> out(cover.users * n_depths);
    greedy_over_catalogue(cover, catalogue, excluded, alpha, gamma,
                          [&](int64_t user) { return ListSums(depths, discounts, out.data() + user * n_depths); });
    return to_matrix(std::move(out), cover.users, n_depths);
}

// The lists of all users, (users, ranks): rows and heads are -1 behind a list's end, gains 0.
struct GreedyLists {
    int64_t users, ranks;
    std::vector<int32_t> rows, heads;
    std::vector<double> gains;

    GreedyLists(int64_t n_users, int64_t depth, int64_t largest_pool)
        : users(n_users), ranks(depth < 0 ? largest_pool : std::min(depth, largest_pool)), rows(users * ranks, -1),
          heads(users * ranks, -1), gains(users * ranks, 0.0) {
        require(depth >= -1, "a depth is at least 0, or -1 for all items");
    }

    struct Listener {
        GreedyLists& lists;
        int64_t start;

        int64_t depth() const { return lists.ranks; }
        void picked(int64_t rank, const Candidate& chosen, double gain) {
            lists.rows[start + rank] = chosen.row;
            lists.heads[start + rank] = chosen.head;
            lists.gains[start + rank] = gain;
        }
        void finish() {}
    };
    Listener of(int64_t user) { return {*this, user * ranks}; }

    std::tuple<OutMatrix<int32_t>, OutMatrix<int32_t>, OutMatrix<double>> to_matrices() && {
        return {to_matrix(std::move(rows), users, ranks), to_matrix(std::move(heads), users, ranks),
                to_matrix(std::move(gains), users, ranks)};
    }
};

inline std::tuple<OutMatrix<int32_t>, OutMatrix<int32_t>, OutMatrix<double>> greedy_pool_lists(const Cover& cover, Array<int64_t> offsets,
                                                                                               Array<int32_t> rows, Array<int32_t> heads,
                                                                                               int64_t depth, double alpha,
                                                                                               std::optional<double> gamma) {
    const Pools pools{offsets, rows, heads};
    GreedyLists lists(cover.users, depth, pools.check(cover));
    greedy_over_pools(cover, pools, alpha, gamma, [&](int64_t user) { return lists.of(user); });
    return std::move(lists).to_matrices();
}

inline std::tuple<OutMatrix<int32_t>, OutMatrix<int32_t>, OutMatrix<double>> greedy_catalogue_lists(
    const Cover& cover, Array<int32_t> sets, Array<int64_t> member_offsets, Array<int32_t> member_heads, int64_t n_heads,
    std::optional<Array<int64_t>> excluded_offsets, std::optional<Array<int32_t>> excluded_heads, int64_t depth, double alpha,
    std::optional<double> gamma) {
    const Catalogue catalogue{sets, member_offsets, member_heads, n_heads};
    GreedyLists lists(cover.users, depth, catalogue.check(cover));
    const Excluded excluded{excluded_offsets, excluded_heads};
    excluded.check(cover.users, n_heads);
    greedy_over_catalogue(cover, catalogue, excluded, alpha, gamma, [&](int64_t user) { return lists.of(user); });
    return std::move(lists).to_matrices();
}

}  // namespace aspectrum
