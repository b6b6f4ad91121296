// Sums of users' values under random sign flips and resamples. Values are integers, so that no order of adding can show; random words
// come from Philox4x64-10 by counter, so that a word depends on its place alone.
#pragma once

#include "arrays.hpp"
#include "parallel.hpp"

#include <array>

namespace aspectrum {

__extension__ using uint128 = unsigned __int128;

using PhiloxBlock = std::array<uint64_t, 4>;

inline PhiloxBlock philox(PhiloxBlock counter, uint64_t key, uint64_t second_key) {
    for (int round = 0; round < 10; ++round) {
        const uint128 first = uint128{0xD2E7470EE14C6C93U} * counter[0];
        const uint128 second = uint128{0xCA5A826395121157U} * counter[2];
        counter = {static_cast<uint64_t>(second >> 64) ^ counter[1] ^ key, static_cast<uint64_t>(second),
                   static_cast<uint64_t>(first >> 64) ^ counter[3] ^ second_key, static_cast<uint64_t>(first)};
        key += 0x9E3779B97F4A7C15U;
        second_key += 0xBB67AE8584CAA73BU;
    }
    return counter;
}

enum Purpose : uint64_t { kFlips = 0, kResamples = 1 };

// Words 4 b to 4 b + 3 of a row.
inline PhiloxBlock random_block(uint64_t seed, uint64_t purpose, uint64_t row, uint64_t b) {
    return philox({1 + b, row, 0, 0}, seed, purpose);
}

inline Out<uint64_t> random_words(uint64_t seed, uint64_t purpose, uint64_t row, int64_t count) {
    require(count >= 0, "a count is not negative");
    std::vector<uint64_t> words(count);
    for (int64_t j = 0; j < count; j += 4) {
        const PhiloxBlock block = random_block(seed, purpose, row, j / 4);
        std::copy_n(block.begin(), std::min<int64_t>(4, count - j), words.begin() + j);
    }
    return to_array(std::move(words));
}

// Columns are summed eight at a time: a table holds the sums of all 256 subsets of eight users, so that a byte of a random word
// picks the sum of those that flip.
class FlipSums {
  public:
    FlipSums(const int64_t* values, int64_t users, int64_t columns, uint64_t seed)
        : values_(values), users_(users), columns_(columns), seed_(seed) {}

    // Sums of rows [first, first + rows), a row per flip, into sums (rows, columns), which are 0.
    void add(int64_t first, int64_t rows, int64_t* sums) {
        bytes_.resize(rows * kUsersPerBlock / 8);
        for (int64_t user = 0; user < users_; user += kUsersPerBlock) {
            for (int64_t r = 0; r < rows; ++r) {
                const PhiloxBlock words = random_block(seed_, kFlips, first + r, user / kUsersPerBlock);
                for (int64_t byte = 0; byte < kUsersPerBlock / 8; ++byte)
                    bytes_[byte * rows + r] = static_cast<uint8_t>(words[byte / 8] >> (8 * (byte % 8)));
            }
            const int64_t here = std::min<int64_t>(kUsersPerBlock, users_ - user);
            for (int64_t column = 0; column < columns_; column += kWidth) add_block(user, here, column, rows, sums);
            interrupts::look();
        }
    }

  private:
    static constexpr int64_t kUsersPerBlock = 256, kWidth = 8;
    using Lane = std::array<int64_t, kWidth>;
    using Table = std::array<Lane, 256>;

    void fill(Table& table, int64_t user, int64_t n, int64_t column) const {
        table[0].fill(0);
        const int64_t width = std::min(kWidth, columns_ - column);
        for (int64_t bit = 0; bit < 8; ++bit) {
            Lane own{};
            if (bit < n) std::copy_n(values_ + (user + bit) * columns_ + column, width, own.begin());
            for (int64_t low = 0; low < (int64_t{1} << bit); ++low)
                for (int64_t c = 0; c < kWidth; ++c) table[(int64_t{1} << bit) + low][c] = table[low][c] + own[c];
        }
    }

    void add_block(int64_t user, int64_t n, int64_t column, int64_t rows, int64_t* sums) {
        const int64_t width = std::min(kWidth, columns_ - column);
        lanes_.assign(rows, Lane{});
        for (int64_t byte = 0; byte * 8 < n; byte += 2) {
            fill(tables_[0], user + byte * 8, n - byte * 8, column);
            fill(tables_[1], user + byte * 8 + 8, n - byte * 8 - 8, column);
            const uint8_t *even = bytes_.data() + byte * rows, *odd = even + rows;
            for (int64_t r = 0; r < rows; ++r) {
                const Lane &a = tables_[0][even[r]], &b = tables_[1][odd[r]];
                for (int64_t c = 0; c < kWidth; ++c) lanes_[r][c] += a[c] + b[c];
            }
        }
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < width; ++c) sums[r * columns_ + column + c] += lanes_[r][c];
    }

    const int64_t* values_;
    int64_t users_, columns_;
    uint64_t seed_;
    std::vector<uint8_t> bytes_;
    std::vector<Lane> lanes_;
    std::array<Table, 2> tables_;
};

// Below this, no sum of up to 2^62 / limit values overflows.
inline void check_summable(const Matrix<int64_t>& values) {
    const auto n = static_cast<int64_t>(values.shape(0));
    const int64_t limit = (int64_t{1} << 61) / std::max<int64_t>(1, n);
    for (int64_t p = 0; p < static_cast<int64_t>(values.size()); ++p)
        require(values.data()[p] <= limit && values.data()[p] >= -limit, "values are too large to be summed");
}

// Sums of the columns with the signs of users flipped at random, (rows, columns): user u flips in row r if bit u mod 64 of word u div 64 is
// set.
inline OutMatrix<int64_t> flipped_sums(Matrix<int64_t> values, uint64_t seed, int64_t first, int64_t rows) {
    require(first >= 0 && rows >= 0, "rows are counted from 0");
    check_summable(values);
    const auto users = static_cast<int64_t>(values.shape(0)), columns = static_cast<int64_t>(values.shape(1));
    std::vector<int64_t> totals(columns, 0), sums(rows * columns, 0);
    {
        nb::gil_scoped_release release;
        for (int64_t u = 0; u < users; ++u)
            for (int64_t c = 0; c < columns; ++c) totals[c] += values.data()[u * columns + c];
        const int64_t block = std::min<int64_t>(2048, std::max<int64_t>(64, (rows + 4 * threads() - 1) / (4 * threads())));
        parallel_for(
            rows, block, [&] { return FlipSums(values.data(), users, columns, seed); },
            [&](FlipSums& flips, int64_t begin, int64_t end) {
                int64_t* own = sums.data() + begin * columns;
                flips.add(first + begin, end - begin, own);
                for (int64_t r = 0; r < end - begin; ++r)
                    for (int64_t c = 0; c < columns; ++c) own[r * columns + c] = totals[c] - 2 * own[r * columns + c];
            });
    }
    return to_matrix(std::move(sums), rows, columns);
}

// Sums of the columns over users drawn with replacement, as many as there are: the j-th is number (word j times n) >> 64.
inline OutMatrix<int64_t> resampled_sums(Matrix<int64_t> values, uint64_t seed, int64_t first, int64_t rows) {
    require(first >= 0 && rows >= 0, "rows are counted from 0");
    check_summable(values);
    const auto users = static_cast<int64_t>(values.shape(0)), columns = static_cast<int64_t>(values.shape(1));
    std::vector<int64_t> sums(rows * columns, 0);
    {
        nb::gil_scoped_release release;
        parallel_for(rows, 8, [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
                int64_t* own = sums.data() + r * columns;
                for (int64_t j = 0; j < users; j += 4) {
                    const PhiloxBlock words = random_block(seed, kResamples, first + r, j / 4);
                    for (int64_t i = 0; i < std::min<int64_t>(4, users - j); ++i) {
                        const auto drawn = static_cast<int64_t>((uint128{words[i]} * static_cast<uint64_t>(users)) >> 64);
                        for (int64_t c = 0; c < columns; ++c) own[c] += values.data()[drawn * columns + c];
                    }
                }
                interrupts::look();
            }
        });
    }
    return to_matrix(std::move(sums), rows, columns);
}

}  // namespace aspectrum
