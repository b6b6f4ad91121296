// Links between people: how far apart two of them are, and how often two contacts of somebody are linked themselves.
#pragma once

#include "arrays.hpp"
#include "parallel.hpp"

namespace aspectrum {

inline int64_t check_links(const Array<int64_t>& offsets, const Array<int32_t>& targets) {
    const int64_t people = segments(offsets, static_cast<int64_t>(targets.shape(0)));
    check_codes(targets.data(), static_cast<int64_t>(targets.shape(0)), 0, people, "target");
    return people;
}

// A breadth-first search from up to 64 people at once, a bit each: whoever many of them reach in the same step is looked at once.
class Search {
    const int64_t* links_;
    const int32_t* targets_;
    std::vector<uint64_t> seen_, here_, next_;
    std::vector<int32_t> met_, now_, then_;

  public:
    Search(int64_t people, const int64_t* links, const int32_t* targets)
        : links_(links), targets_(targets), seen_(people, 0), here_(people, 0), next_(people, 0) {}

    void start(int32_t person, uint64_t bit) {
        if (!here_[person]) now_.push_back(person);
        if (!seen_[person]) met_.push_back(person);
        here_[person] |= bit;
        seen_[person] |= bit;
    }
    uint64_t reached(int32_t person) const { return here_[person]; }
    bool ended() const { return now_.empty(); }

    // One link further, for the searches that still go on.
    void step(uint64_t going_on) {
        then_.clear();
        for (const int32_t person : now_) {
            const uint64_t from = here_[person] & going_on;
            here_[person] = 0;
            if (!from) continue;
            for (int64_t l = links_[person]; l < links_[person + 1]; ++l) {
                const int32_t to = targets_[l];
                const uint64_t fresh = from & ~seen_[to];
                if (!fresh) continue;
                if (!next_[to]) then_.push_back(to);
                next_[to] |= fresh;
            }
        }
        for (const int32_t person : then_) {
            if (!seen_[person]) met_.push_back(person);
            seen_[person] |= next_[person];
            here_[person] = next_[person];
            next_[person] = 0;
        }
        now_.swap(then_);
    }
    void clear() {
        for (const int32_t person : met_) seen_[person] = here_[person] = 0;
        met_.clear();
        now_.clear();
    }
};

// How many links lead from a source to each item of its list by the shortest path; -1 where none does. A search ends with the last
// item that is found. A source of -1, and an item beyond the people, has no links.
inline Out<int32_t> path_lengths(Array<int64_t> link_offsets_, Array<int32_t> targets, Array<int32_t> sources, Array<int64_t> offsets_,
                                 Array<int32_t> items) {
    constexpr int64_t together = 64;
    const int64_t people = check_links(link_offsets_, targets);
    const int64_t users = segments(offsets_, static_cast<int64_t>(items.shape(0)));
    const int64_t *links = link_offsets_.data(), *offsets = offsets_.data();
    require(static_cast<int64_t>(sources.shape(0)) == users, "one source per list");
    check_codes(sources.data(), users, -1, people, "source");
    std::vector<int32_t> out(offsets[users], -1);
    struct Wanted {
        int64_t place;
        uint64_t bit;
    };
    struct Scratch {
        Search search;
        std::vector<Wanted> wanted;
    };
    {
        nb::gil_scoped_release release;
        parallel_for((users + together - 1) / together, 1, [&] { return Scratch{Search(people, links, targets.data()), {}}; },
                     [&](Scratch& own, int64_t begin, int64_t end) {
                         for (int64_t first = begin * together; first < std::min(end * together, users); first += together) {
                             own.wanted.clear();
                             for (int64_t u = first; u < std::min(first + together, users); ++u) {
                                 if (sources.data()[u] < 0) continue;
                                 const uint64_t bit = uint64_t{1} << static_cast<uint64_t>(u - first);
                                 own.search.start(sources.data()[u], bit);
                                 for (int64_t p = offsets[u]; p < offsets[u + 1]; ++p)
                                     if (items.data()[p] >= 0 && items.data()[p] < people) own.wanted.push_back({p, bit});
                             }
                             for (int32_t length = 0; !own.search.ended(); ++length) {
                                 uint64_t going_on = 0;
                                 std::erase_if(own.wanted, [&](const Wanted& one) {
                                     const bool found = own.search.reached(items.data()[one.place]) & one.bit;
                                     if (found)
                                         out[one.place] = length;
                                     else
                                         going_on |= one.bit;
                                     return found;
                                 });
                                 if (!going_on) break;
                                 own.search.step(going_on);
                             }
                             own.search.clear();
                         }
                     });
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
