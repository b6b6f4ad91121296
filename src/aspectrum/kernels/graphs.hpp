// Links between people: how far apart two of them are, and how often two contacts of somebody are linked themselves.
#pragma once

#include "arrays.hpp"
#include "parallel.hpp"

#include <array>

namespace aspectrum {

inline int64_t check_links(const Array<int64_t>& offsets, const Array<int32_t>& targets) {
    const int64_t people = segments(offsets, static_cast<int64_t>(targets.shape(0)));
    check_codes(targets.data(), static_cast<int64_t>(targets.shape(0)), 0, people, "target");
    return people;
}

// Up to 64 searches per word, a bit each.
template <int Words>
using Bits = std::array<uint64_t, Words>;

template <int Words>
inline bool any(const Bits<Words>& bits) {
    uint64_t some = 0;
    for (const uint64_t word : bits) some |= word;
    return some;
}

// Links from each person, or to each.
struct Links {
    const int64_t* offsets;
    const int32_t* others;

    int64_t of(int32_t person) const { return offsets[person + 1] - offsets[person]; }
    template <class People>
    int64_t of_all(const People& several) const {
        int64_t total = 0;
        for (const int32_t person : several) total += of(person);
        return total;
    }
};

// A breadth-first search from many people at once: whoever several of them reach in the same step is looked at once.
template <int Words>
class Search {
    static constexpr int64_t ahead = 16;  // links
    int32_t people_;
    Links away_, back_;
    std::vector<Bits<Words>> seen_, here_, next_;
    std::vector<int32_t> met_, now_, then_;

    void reach(int32_t person, const Bits<Words>& fresh) {
        if (!any<Words>(seen_[person])) met_.push_back(person);
        for (int w = 0; w < Words; ++w) seen_[person][w] |= fresh[w];
        now_.push_back(person);
    }
    // From the few people who are at the ends of the searches.
    void push(const Bits<Words>& going_on) {
        then_.clear();
        for (const int32_t person : now_) {
            Bits<Words> from = here_[person];
            here_[person] = {};
            for (int w = 0; w < Words; ++w) from[w] &= going_on[w];
            if (!any<Words>(from)) continue;
            for (int64_t l = away_.offsets[person]; l < away_.offsets[person + 1]; ++l) {
                const int32_t to = away_.others[l];
                if (!any<Words>(next_[to])) then_.push_back(to);
                for (int w = 0; w < Words; ++w) next_[to][w] |= from[w];
            }
        }
        now_.clear();
        for (const int32_t person : then_) {
            Bits<Words> fresh = next_[person];
            next_[person] = {};
            for (int w = 0; w < Words; ++w) fresh[w] &= ~seen_[person][w];
            if (!any<Words>(fresh)) continue;
            here_[person] = fresh;
            reach(person, fresh);
        }
    }
    // To everybody in turn, which reads memory in its order.
    void pull(const Bits<Words>& going_on) {
        const int64_t n_links = back_.offsets[people_];
        then_.swap(now_);
        now_.clear();
        for (int32_t person = 0; person < people_; ++person) {
            Bits<Words> fresh{};
            for (int64_t l = back_.offsets[person]; l < back_.offsets[person + 1]; ++l) {
                if (l + ahead < n_links) __builtin_prefetch(&here_[back_.others[l + ahead]]);  // often of the person after this one
                for (int w = 0; w < Words; ++w) fresh[w] |= here_[back_.others[l]][w];
            }
            for (int w = 0; w < Words; ++w) fresh[w] &= going_on[w] & ~seen_[person][w];
            if (!any<Words>(fresh)) continue;
            next_[person] = fresh;
            reach(person, fresh);
        }
        for (const int32_t person : then_) here_[person] = {};
        here_.swap(next_);
    }

  public:
    Search(int32_t people, Links away, Links back)
        : people_(people), away_(away), back_(back), seen_(people), here_(people), next_(people) {}

    void start(int32_t person, int64_t lane) {
        Bits<Words> fresh{};
        fresh[lane / 64] = uint64_t{1} << static_cast<uint64_t>(lane % 64);
        if (any<Words>(here_[person]))
            seen_[person][lane / 64] |= fresh[lane / 64];
        else
            reach(person, fresh);
        here_[person][lane / 64] |= fresh[lane / 64];
    }
    const Bits<Words>& reached(int32_t person) const { return here_[person]; }
    bool ended() const { return now_.empty(); }
    // How many links lead on.
    int64_t cost() const { return away_.of_all(now_); }

    // One link further, for the searches that still go on.
    void step(const Bits<Words>& going_on) { 8 * cost() > back_.offsets[people_] ? pull(going_on) : push(going_on); }

    void clear() {
        for (const int32_t person : met_) seen_[person] = here_[person] = {};
        met_.clear();
        now_.clear();
    }
};

// The people whom some searches look for.
template <int Words>
class Sought {
    Links back_;
    std::vector<int32_t> place_, people_;
    std::vector<Bits<Words>> near_;

  public:
    Sought(int64_t people, Links back) : back_(back), place_(people, -1) {}

    void add(int32_t person) {
        if (place_[person] >= 0) return;
        place_[person] = static_cast<int32_t>(people_.size());
        people_.push_back(person);
    }
    void clear() {
        for (const int32_t person : people_) place_[person] = -1;
        people_.clear();
    }
    // How many links lead to them.
    int64_t cost() const { return back_.of_all(people_); }

    // Look for the searches that are one link away.
    void look(const Search<Words>& search) {
        near_.assign(people_.size(), {});
        for (size_t i = 0; i < people_.size(); ++i)
            for (int64_t l = back_.offsets[people_[i]]; l < back_.offsets[people_[i] + 1]; ++l)
                for (int w = 0; w < Words; ++w) near_[i][w] |= search.reached(back_.others[l])[w];
    }
    const Bits<Words>& near(int32_t person) const { return near_[place_[person]]; }
};

// Each search goes step by step from a source, and is over with the last item of its list. Where fewer links lead to the items than
// away from where the searches are, the next step is taken from there first: often it is the last.
template <int Words>
void search_lists(int32_t people, Links away, Links back, const int32_t* sources, const int64_t* offsets, const int32_t* items,
                  int64_t users, int32_t* out) {
    constexpr int64_t together = 64 * Words;
    struct Wanted {
        int64_t place;
        int64_t lane;
    };
    struct Scratch {
        Search<Words> search;
        Sought<Words> sought;
        std::vector<Wanted> wanted;
    };
    auto take = [&](std::vector<Wanted>& wanted, int32_t length, auto&& bits_of) {
        std::erase_if(wanted, [&](const Wanted& one) {
            const bool found = bits_of(items[one.place])[one.lane / 64] >> static_cast<uint64_t>(one.lane % 64) & 1;
            if (found) out[one.place] = length;
            return found;
        });
    };
    parallel_for((users + together - 1) / together, 1,
                 [&] { return Scratch{Search<Words>(people, away, back), Sought<Words>(people, back), {}}; },
                 [&](Scratch& own, int64_t begin, int64_t end) {
                     Search<Words>& search = own.search;
                     Sought<Words>& sought = own.sought;
                     std::vector<Wanted>& wanted = own.wanted;
                     for (int64_t first = begin * together; first < std::min(end * together, users); first += together) {
                         wanted.clear();
                         for (int64_t u = first; u < std::min(first + together, users); ++u) {
                             if (sources[u] < 0) continue;
                             search.start(sources[u], u - first);
                             for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p)
                                 if (const int32_t item = items[p]; item == sources[u] || (item >= 0 && item < people && back.of(item)))
                                     wanted.push_back({p, u - first});
                         }
                         take(wanted, 0, [&](int32_t person) -> const Bits<Words>& { return search.reached(person); });
                         for (int32_t length = 1; !wanted.empty() && !search.ended(); ++length) {
                             sought.clear();
                             for (const Wanted& one : wanted) sought.add(items[one.place]);
                             const bool fewer = 4 * sought.cost() < search.cost();
                             if (fewer) {
                                 sought.look(search);
                                 take(wanted, length, [&](int32_t person) -> const Bits<Words>& { return sought.near(person); });
                             }
                             Bits<Words> going_on{};
                             for (const Wanted& one : wanted)
                                 going_on[one.lane / 64] |= uint64_t{1} << static_cast<uint64_t>(one.lane % 64);
                             if (!any<Words>(going_on)) break;
                             search.step(going_on);
                             if (!fewer) take(wanted, length, [&](int32_t person) -> const Bits<Words>& { return search.reached(person); });
                         }
                         sought.clear();
                         search.clear();
                     }
                 });
}

// How many links lead from a source to each item of its list by the shortest path; -1 where none does. A source of -1, and an item beyond
// the people, has no links. The same links the other way round tell who leads to an item.
inline Out<int32_t> path_lengths(Array<int64_t> link_offsets, Array<int32_t> targets, Array<int64_t> back_offsets,
                                 Array<int32_t> back_targets, Array<int32_t> sources, Array<int64_t> offsets_, Array<int32_t> items) {
    const int64_t people = check_links(link_offsets, targets);
    require(check_links(back_offsets, back_targets) == people && targets.shape(0) == back_targets.shape(0), "the same links both ways");
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    const int64_t* offsets = offsets_.data();
    require(static_cast<int64_t>(sources.shape(0)) == users, "one source per list");
    check_codes(sources.data(), users, -1, people, "source");
    std::vector<int32_t> out(offsets[users], -1);
    {
        nb::gil_scoped_release release;
        // Few searches do not fill many words, and many people do not fit into a thread's memory so often.
        const bool wide = users > 64 && people <= 1'000'000;
        auto* search = wide ? &search_lists<4> : &search_lists<1>;
        search(static_cast<int32_t>(people), {link_offsets.data(), targets.data()}, {back_offsets.data(), back_targets.data()},
               sources.data(), offsets, items.data(), users, out.data());
    }
    return to_array(std::move(out));
}

// Paths of two links between different people, and how many of them have a link from the first person to the last.
inline std::pair<int64_t, int64_t> count_triads(Array<int64_t> link_offsets_, Array<int32_t> targets) {
    const int64_t people = check_links(link_offsets_, targets);
    const int64_t* links = link_offsets_.data();
    std::atomic<int64_t> all{0}, closed{0};
    {
        nb::gil_scoped_release release;
        parallel_for(
            people, 64, [&] { return std::vector<int64_t>(people, -1); },
            [&](auto& linked_from, int64_t begin, int64_t end) {
                int64_t n_all = 0, n_closed = 0;
                for (int64_t first = begin; first < end; ++first) {
                    for (int64_t l = links[first]; l < links[first + 1]; ++l) linked_from[targets.data()[l]] = first;
                    for (int64_t l = links[first]; l < links[first + 1]; ++l) {
                        const int32_t middle = targets.data()[l];
                        if (middle == first) continue;
                        for (int64_t m = links[middle]; m < links[middle + 1]; ++m) {
                            const int32_t last = targets.data()[m];
                            if (last == first || last == middle) continue;
                            ++n_all;
                            n_closed += linked_from[last] == first;
                        }
                    }
                }
                all += n_all;
                closed += n_closed;
            });
    }
    return {all.load(), closed.load()};
}

}  // namespace aspectrum
