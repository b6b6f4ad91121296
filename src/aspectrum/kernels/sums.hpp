// Sums without rounding: every double is an integer multiple of 2^-1074, and integers add in any order.
#pragma once

#include "arrays.hpp"

#include <cstring>

namespace aspectrum {

constexpr int64_t kLimbs = 67;  // of 32 bits: 2^-1074 up to 2^1024

// Column sums as limbs (value = sum of limb[i] * 2^(32 i - 1074)); NaNs are left out and counted.
inline std::pair<OutMatrix<int64_t>, Out<int64_t>> exact_sums(Matrix<double> values) {
    const int64_t rows = static_cast<int64_t>(values.shape(0)), columns = static_cast<int64_t>(values.shape(1));
    require(rows < (int64_t{1} << 30), "too many values for one call");
    std::vector<int64_t> limbs(columns * kLimbs, 0), undefined(columns, 0);
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            uint64_t bits;
            std::memcpy(&bits, values.data() + r * columns + c, sizeof bits);
            const uint64_t exponent = (bits >> 52) & 0x7FF;
            const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
            if (exponent == 0x7FF) {
                require(fraction != 0, "an infinite value cannot be summed");
                ++undefined[c];
                continue;
            }
            const uint64_t mantissa = exponent ? fraction | (uint64_t{1} << 52) : fraction;
            const uint64_t shift = exponent ? exponent - 1 : 0;
            const uint64_t within = shift & 31;
            const int64_t sign = 1 - 2 * static_cast<int64_t>(bits >> 63);
            int64_t* at = limbs.data() + c * kLimbs + (shift >> 5);
            const uint64_t low = mantissa << within;
            at[0] += sign * static_cast<int64_t>(low & 0xFFFFFFFF);
            at[1] += sign * static_cast<int64_t>(low >> 32);
            at[2] += sign * static_cast<int64_t>((mantissa >> 1) >> (63 - within));
        }
    return {to_matrix(std::move(limbs), columns, kLimbs), to_array(std::move(undefined))};
}

}  // namespace aspectrum
