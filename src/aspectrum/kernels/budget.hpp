// Lists that end where a budget of tokens does.
#pragma once

#include "arrays.hpp"

#include <tuple>
#include <utility>
#include <vector>

namespace aspectrum {

// Which documents of each list fit: those before the first that does not, or, where one may be passed over, all that fit what is left; the
// tokens that nothing of the list takes; and the first place that does not fit, -1 if all do.
inline std::tuple<Out<uint8_t>, Out<int64_t>, Out<int64_t>> fit(Array<int64_t> offsets, Array<int64_t> lengths, int64_t budget, bool skip) {
    const auto n = static_cast<int64_t>(lengths.shape(0));
    const int64_t lists = segments(offsets, n);
    require(budget >= 1, "a budget is at least 1");
    for (int64_t p = 0; p < n; ++p) require(lengths.data()[p] >= 1, "a length is at least 1");
    std::vector<uint8_t> kept(n, 0);
    std::vector<int64_t> left(lists, budget), next_at(lists, -1);
    {
        nb::gil_scoped_release release;
        for (int64_t u = 0; u < lists; ++u)
            for (int64_t p = offsets.data()[u]; p < offsets.data()[u + 1]; ++p) {
                if (lengths.data()[p] <= left[u]) {
                    kept[p] = 1;
                    left[u] -= lengths.data()[p];
                    continue;
                }
                if (next_at[u] < 0) next_at[u] = p;
                if (!skip) break;
            }
    }
    return {to_array(std::move(kept)), to_array(std::move(left)), to_array(std::move(next_at))};
}

}  // namespace aspectrum
