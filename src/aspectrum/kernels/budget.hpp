// Lists that end where a budget of tokens does.
#pragma once

#include "arrays.hpp"
#include "parallel.hpp"

namespace aspectrum {

struct Fitting {
    std::vector<uint8_t> kept;     // places whose document fits
    std::vector<int64_t> left;     // tokens that nothing of the list takes
    std::vector<int64_t> next_at;  // the first place that does not fit; -1 if all do
};

// Which documents of each list fit: those before the first that does not, or, where one may be passed over, all that fit what is left.
inline Fitting fit(const Array<int64_t>& offsets, const Array<int64_t>& lengths, int64_t budget, bool skip) {
    const int64_t n = static_cast<int64_t>(lengths.shape(0)), lists = segments(offsets, n);
    require(budget >= 1, "a budget is at least 1");
    for (int64_t p = 0; p < n; ++p) require(lengths.data()[p] >= 1, "a length is at least 1");
    Fitting found{std::vector<uint8_t>(n, 0), std::vector<int64_t>(lists, budget), std::vector<int64_t>(lists, -1)};
    for (int64_t u = 0; u < lists; ++u)
        for (int64_t p = offsets.data()[u]; p < offsets.data()[u + 1]; ++p) {
            if (lengths.data()[p] <= found.left[u]) {
                found.kept[p] = 1;
                found.left[u] -= lengths.data()[p];
                continue;
            }
            if (found.next_at[u] < 0) found.next_at[u] = p;
            if (!skip) break;
        }
    return found;
}

}  // namespace aspectrum
