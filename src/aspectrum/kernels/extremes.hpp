// Least and greatest scores over all orders of items with equal scores.
//
// What stands above a group of equal scores does not depend on orders, so groups are settled one after the other. Searches are
// limited by work, counted in operations; what they leave open has bounds instead, and is marked. How far a search gets never depends
// on the other cutoffs that are asked for.
#pragma once

#include "arrays.hpp"

#include <cstdint>
#include <tuple>
#include <vector>

namespace aspectrum {

// Operations that a search for one group may take, by default: some hundredths of a second.
constexpr int64_t kExtremeWork = int64_t{1} << 22;

// One byte per place: whether it has the score of the place before.
using Ties = Array<uint8_t>;

inline const uint8_t* check_ties(const Ties& tied, const Array<int32_t>& rows) {
    require(tied.shape(0) == rows.shape(0), "one byte of ties per place");
    return tied.data();
}

// Where the group ends that begins at a place of a list.
inline int64_t end_of_group(const uint8_t* tied, int64_t begin, int64_t length) {
    int64_t end = begin + 1;
    while (end < length && tied[end]) ++end;
    return end;
}

// (users, cutoffs), and whether both are proved.
struct Extremes {
    std::vector<double> least, greatest;
    std::vector<uint8_t> proved;
    int64_t users, cutoffs;

    Extremes(int64_t n_users, int64_t n_cutoffs)
        : least(n_users * n_cutoffs), greatest(n_users * n_cutoffs), proved(n_users * n_cutoffs), users(n_users), cutoffs(n_cutoffs) {}

    using Arrays = std::tuple<OutMatrix<double>, OutMatrix<double>, OutMatrix<uint8_t>>;
    Arrays arrays() && {
        return {to_matrix(std::move(least), users, cutoffs), to_matrix(std::move(greatest), users, cutoffs),
                to_matrix(std::move(proved), users, cutoffs)};
    }
};

}  // namespace aspectrum
