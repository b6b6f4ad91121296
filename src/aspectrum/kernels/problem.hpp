// What one user may be given, less all that cannot matter: distinct sets of aspects, how many items have each, and
// aspects that always come together as one. The order of items and the names of aspects leave no trace, unless sets and
// aspects cannot be told apart by their neighbours; then only the way of the search may depend on them, not what it proves.
#pragma once

#include "cover.hpp"
#include "hash_index.hpp"
#include "pools.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace aspectrum {

inline uint64_t mixed(uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

inline uint64_t bits_of(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Aspects of a set with their strengths, or sets that have an aspect.
using Entries = std::vector<std::pair<int32_t, double>>;

struct Problem {
    std::vector<double> weights;      // of each aspect
    std::vector<int64_t> offsets{0};  // where the entries of each set begin ...
    std::vector<int32_t> aspects;     // ... ascending within a set
    std::vector<double> strengths;    // of each entry; none if all are 1
    std::vector<int64_t> copies;      // items of each set
    std::vector<int32_t> rows;        // of the table of sets, one that has the set
    std::vector<int64_t> lengths;     // tokens of the items of each set; none where only their number is limited
    int64_t capacity = 0;             // tokens that items may have together
    int64_t n_fitting = -1;           // no more items than that fit; -1 where there is no limit

    int64_t length(int64_t set) const { return lengths.empty() ? 0 : lengths[set]; }
    int64_t n_sets() const { return static_cast<int64_t>(copies.size()); }
    int64_t n_aspects() const { return static_cast<int64_t>(weights.size()); }
    int64_t n_items() const { return std::accumulate(copies.begin(), copies.end(), int64_t{0}); }
    double strength(int64_t entry) const { return strengths.empty() ? 1.0 : strengths[entry]; }

    void add_set(Entries& entries, int64_t n_copies, int32_t row, int64_t length) {
        std::sort(entries.begin(), entries.end());
        for (auto [aspect, strength] : entries) {
            aspects.push_back(aspect);
            strengths.push_back(strength);
        }
        offsets.push_back(static_cast<int64_t>(aspects.size()));
        copies.push_back(n_copies);
        rows.push_back(row);
        if (length > 0) lengths.push_back(length);
    }

    // Equal for problems that are the same, whoever they belong to.
    std::string key() const {
        std::string bytes;
        auto add = [&](const auto& values) {
            const int64_t n = static_cast<int64_t>(values.size());
            bytes.append(reinterpret_cast<const char*>(&n), sizeof n);
            if (n) bytes.append(reinterpret_cast<const char*>(values.data()), n * sizeof values[0]);
        };
        add(weights), add(offsets), add(aspects), add(strengths), add(copies);
        if (n_fitting >= 0) add(lengths), add(std::vector<int64_t>{capacity, n_fitting});
        return bytes;
    }
};

// Gathers rows that are worth the same to a user, then writes them down as a problem.
template <class View>
class ProblemBuilder {
  public:
    explicit ProblemBuilder(const View& view) : view_(view) {}

    // Whether a row is worth anything.
    bool counts(int32_t row) const { return view_.key(row) != 0; }

    // Items of different lengths are told apart; 0 is that of none.
    void add(int32_t row, int64_t copies, int64_t length = 0) {
        uint64_t key = view_.key(row);
        if (key == 0 || copies <= 0) return;
        if (length > 0) key = mixed(key ^ mixed(static_cast<uint64_t>(length)));
        const auto [place, is_new] =
            places_.find_or_add(folded(key), [&](int32_t other) { return lengths_[other] == length && view_.same(rows_[other], row); });
        if (is_new) {
            rows_.push_back(row);
            copies_.push_back(0);
            lengths_.push_back(length);
        }
        copies_[place] += copies;
    }

    Problem built() const {
        Sets sets;
        for (int32_t row : rows_) {
            sets.emplace_back();
            view_.each(row, [&](int32_t aspect, double strength) {
                if (view_.left[aspect] > 0.0 && strength > 0.0) sets.back().emplace_back(aspect, strength);
            });
        }
        std::vector<double> weights;
        merge_aspects(sets, weights);
        return in_order(sets, weights);
    }

  private:
    using Sets = std::vector<Entries>;

    // Aspects that the same sets have with the same strengths become one, with the sum of their weights.
    void merge_aspects(Sets& sets, std::vector<double>& weights) const {
        struct Column {
            int32_t aspect;
            Entries sets;
        };
        HashIndex places;
        std::vector<Column> columns;
        for (size_t s = 0; s < sets.size(); ++s)
            for (auto [aspect, strength] : sets[s]) {
                const auto [place, is_new] = places.find_or_add(spread(aspect), [](int32_t) { return true; });
                if (is_new) columns.push_back({aspect, {}});
                columns[place].sets.emplace_back(static_cast<int32_t>(s), strength);
            }
        std::sort(columns.begin(), columns.end(), [&](const Column& a, const Column& b) {
            if (a.sets != b.sets) return a.sets < b.sets;
            return std::make_pair(view_.left[a.aspect], a.aspect) < std::make_pair(view_.left[b.aspect], b.aspect);
        });
        for (auto& set : sets) set.clear();
        for (size_t c = 0; c < columns.size(); ++c) {
            if (c == 0 || columns[c - 1].sets != columns[c].sets) {
                for (auto [set, strength] : columns[c].sets) sets[set].emplace_back(static_cast<int32_t>(weights.size()), strength);
                weights.push_back(0.0);
            }
            weights.back() += view_.left[columns[c].aspect];
        }
    }

    // What aspects and sets are, whatever they are called: each is marked by its neighbours' marks, a few times over.
    struct Marks {
        std::vector<uint64_t> sets, aspects;
    };
    Marks marked(const Sets& sets, const std::vector<double>& weights) const {
        Marks marks;
        for (int64_t copies : copies_) marks.sets.push_back(mixed(static_cast<uint64_t>(copies)));
        for (size_t s = 0; s < lengths_.size(); ++s)
            if (lengths_[s] > 0) marks.sets[s] = mixed(marks.sets[s] ^ mixed(static_cast<uint64_t>(lengths_[s])));
        for (double weight : weights) marks.aspects.push_back(mixed(bits_of(weight)));
        for (int round = 0; round < 3; ++round) {
            std::vector<uint64_t> sums(weights.size(), 0);
            for (size_t s = 0; s < sets.size(); ++s) {
                uint64_t sum = 0;
                for (auto [aspect, strength] : sets[s]) {
                    sum += mixed(marks.aspects[aspect] ^ bits_of(strength));
                    sums[aspect] += mixed(marks.sets[s] ^ ~bits_of(strength));
                }
                marks.sets[s] = mixed(marks.sets[s] + sum);
            }
            for (size_t i = 0; i < weights.size(); ++i) marks.aspects[i] = mixed(marks.aspects[i] + sums[i]);
        }
        return marks;
    }

    // Aspects and sets sorted by what they are, not by what they are called.
    Problem in_order(const Sets& sets, const std::vector<double>& weights) const {
        const Marks marks = marked(sets, weights);
        std::vector<int32_t> aspect_order(weights.size()), place(weights.size()), set_order(sets.size());
        std::iota(aspect_order.begin(), aspect_order.end(), 0);
        std::iota(set_order.begin(), set_order.end(), 0);
        std::stable_sort(aspect_order.begin(), aspect_order.end(), [&](int32_t a, int32_t b) {
            return weights[a] != weights[b] ? weights[a] > weights[b] : marks.aspects[a] < marks.aspects[b];
        });
        for (size_t p = 0; p < aspect_order.size(); ++p) place[aspect_order[p]] = static_cast<int32_t>(p);
        std::stable_sort(set_order.begin(), set_order.end(), [&](int32_t a, int32_t b) {
            if (sets[a].size() != sets[b].size()) return sets[a].size() > sets[b].size();
            return lengths_[a] != lengths_[b] ? lengths_[a] < lengths_[b] : marks.sets[a] < marks.sets[b];
        });
        Problem problem;
        for (int32_t i : aspect_order) problem.weights.push_back(weights[i]);
        for (int32_t s : set_order) {
            Entries entries;
            for (auto [aspect, strength] : sets[s]) entries.emplace_back(place[aspect], strength);
            problem.add_set(entries, copies_[s], rows_[s], lengths_[s]);
        }
        if (std::all_of(problem.strengths.begin(), problem.strengths.end(), [](double strength) { return strength == 1.0; }))
            problem.strengths.clear();
        return problem;
    }

    const View& view_;
    std::vector<int32_t> rows_;
    std::vector<int64_t> copies_, lengths_;
    HashIndex places_;
};

// The problem of a user; `fill(user, builder)` adds the rows they may be given.
template <class Fill>
Problem problem_of(const Cover& cover, int64_t user, Fill fill) {
    require(user >= 0 && user < cover.users, "no such user");
    return with_view(cover, [&](auto view) {
        view.begin(user);
        ProblemBuilder builder(view);
        fill(builder);
        return builder.built();
    });
}

// Problems over each user's own pool.
struct PoolProblems {
    Cover cover;
    Array<int64_t> offsets;
    Array<int32_t> rows;

    PoolProblems(const Cover& cover_, Array<int64_t> offsets_, Array<int32_t> rows_) : cover(cover_), offsets(offsets_), rows(rows_) {
        require(segments(offsets, static_cast<int64_t>(rows.shape(0))) == cover.users, "one pool per user");
        check_codes(rows.data(), static_cast<int64_t>(rows.shape(0)), -1, static_cast<int64_t>(cover.set_offsets.shape(0)) - 1, "pool row");
    }
    Problem of(int64_t user) const {
        return problem_of(cover, user, [&](auto& builder) {
            for (int64_t p = offsets.data()[user]; p < offsets.data()[user + 1]; ++p)
                if (rows.data()[p] >= 0) builder.add(rows.data()[p], 1);
        });
    }
};

// Problems over each user's own pool, or one that all share, of items that have to fit into a number of tokens.
struct ContextProblems {
    Cover cover;
    Array<int64_t> offsets;
    Array<int32_t> rows;
    Array<int64_t> lengths;
    int64_t capacity;
    bool shared;

    ContextProblems(const Cover& cover_, Array<int64_t> offsets_, Array<int32_t> rows_, Array<int64_t> lengths_, int64_t capacity_,
                    bool shared_)
        : cover(cover_), offsets(offsets_), rows(rows_), lengths(lengths_), capacity(capacity_), shared(shared_) {
        const auto n = static_cast<int64_t>(rows.shape(0));
        require(segments(offsets, n) == (shared ? 1 : cover.users), "one pool per user, or one for all");
        check_codes(rows.data(), n, -1, static_cast<int64_t>(cover.set_offsets.shape(0)) - 1, "pool row");
        require(lengths.shape(0) == rows.shape(0), "one length per item");
        require(capacity >= 1, "a budget is at least 1");
        for (size_t p = 0; p < lengths.shape(0); ++p) require(lengths.data()[p] >= 0, "a length is not negative");
    }
    Problem of(int64_t user) const {
        int64_t n_fitting = 0;
        bool sized = false;
        const int64_t* pool = offsets.data() + (shared ? 0 : user);
        Problem problem = problem_of(cover, user, [&](auto& builder) {
            std::vector<std::pair<int64_t, int32_t>> items;  // those that are worth something and fit
            for (int64_t p = pool[0]; p < pool[1]; ++p) {
                const int32_t row = rows.data()[p];
                const int64_t length = lengths.data()[p];
                if (row < 0 || length > capacity || !builder.counts(row)) continue;
                require(length >= 1, "a length is at least 1");
                items.emplace_back(length, row);
            }
            std::vector<int64_t> sorted;
            sorted.reserve(items.size());
            for (auto [length, row] : items) sorted.push_back(length);
            std::sort(sorted.begin(), sorted.end());
            int64_t left = capacity;
            for (int64_t length : sorted) {
                if (length > left) break;
                left -= length;
                ++n_fitting;
            }
            // Where all fit, or all are equally long, only their number counts: the problem is that of ranks.
            sized = n_fitting < static_cast<int64_t>(sorted.size()) && sorted.front() != sorted.back();
            for (auto [length, row] : items) builder.add(row, 1, sized ? length : 0);
        });
        problem.n_fitting = n_fitting;
        problem.capacity = sized ? capacity : 0;
        return problem;
    }
};

// Problems over one pool that all share, less what a user must not be given.
struct CatalogueProblems {
    Cover cover;
    Catalogue catalogue;
    Excluded excluded;

    CatalogueProblems(const Cover& cover_, Array<int32_t> sets, Array<int64_t> member_offsets, Array<int32_t> member_heads, int64_t n_heads,
                      std::optional<Array<int64_t>> excluded_offsets, std::optional<Array<int32_t>> excluded_heads)
        : cover(cover_), catalogue{sets, member_offsets, member_heads, n_heads}, excluded{excluded_offsets, excluded_heads} {
        catalogue.check(cover);
        excluded.check(cover.users, n_heads);
    }
    Problem of(int64_t user) const {
        return problem_of(cover, user, [&](auto& builder) {
            std::vector<int32_t> without;
            if (excluded.offsets) {
                const int32_t* heads = excluded.heads->data();
                without.assign(heads + excluded.offsets->data()[user], heads + excluded.offsets->data()[user + 1]);
                std::sort(without.begin(), without.end());
            }
            for (size_t set = 0; set < catalogue.sets.shape(0); ++set) {
                const int64_t begin = catalogue.member_offsets.data()[set], end = catalogue.member_offsets.data()[set + 1];
                int64_t copies = end - begin;
                if (!without.empty())
                    for (int64_t p = begin; p < end; ++p)
                        copies -= std::binary_search(without.begin(), without.end(), catalogue.member_heads.data()[p]);
                builder.add(catalogue.sets.data()[set], copies);
            }
        });
    }
};

}  // namespace aspectrum
