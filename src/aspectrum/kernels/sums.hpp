// Sums without rounding: every double is an integer multiple of 2^-1074, and integers add in any order.
#pragma once

#include "arrays.hpp"

#include <cmath>
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
            const double value = values.data()[r * columns + c];
            if (std::isnan(value)) {
                ++undefined[c];
                continue;
            }
            require(!std::isinf(value), "an infinite value cannot be summed");
            uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            const int64_t sign = bits >> 63 ? -1 : 1;
            const int64_t exponent = (bits >> 52) & 0x7FF;
            const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
            const uint64_t mantissa = exponent ? fraction | (uint64_t{1} << 52) : fraction;
            const int64_t shift = exponent ? exponent - 1 : 0;
            int64_t* at = limbs.data() + c * kLimbs + shift / 32;
            const unsigned within = shift % 32;
            const uint64_t low = mantissa << within;
            const uint64_t high = within ? mantissa >> (64 - within) : 0;
            at[0] += sign * static_cast<int64_t>(low & 0xFFFFFFFF);
            at[1] += sign * static_cast<int64_t>(low >> 32);
            if (high) at[2] += sign * static_cast<int64_t>(high);
        }
    return {to_matrix(std::move(limbs), columns, kLimbs), to_array(std::move(undefined))};
}

}  // namespace aspectrum
