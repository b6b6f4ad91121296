// Reads a table of text whose structure was scanned before: ids to codes, numbers to doubles, in one pass.
#pragma once

#include "ids.hpp"
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

namespace aspectrum {

// Digits with or without a point, at most 15 of them: a whole number over a power of ten, both exact in a double, so that
// their quotient is the right one. False for anything else.
inline bool to_short_number(Cell cell, double& value) {
    static constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (cell.end - cell.begin > 16 || cell.begin == cell.end) return false;
    uint64_t digits = 0;
    int n_digits = 0, after_point = -1;
    for (const char* c = cell.begin; c < cell.end; ++c) {
        if (*c == '.' && after_point < 0) {
            after_point = 0;
            continue;
        }
        const auto digit = static_cast<unsigned>(*c - '0');
        if (digit > 9) return false;
        digits = 10 * digits + digit;
        ++n_digits;
        after_point += after_point >= 0;
    }
    if (n_digits == 0 || n_digits > 15) return false;
    value = static_cast<double>(digits) / kPowers[std::max(after_point, 0)];
    return true;
}

// Whether digits alone are a whole number that a double does not hold: beyond 2^53 it skips some, and different scores become equal.
inline bool is_rounded(const char* begin, const char* end, double value) {
    if (end - begin < 16 || std::any_of(begin, end, [](char c) { return (c < '0' || c > '9') && c != '-'; })) return false;
    int64_t whole;
    const auto [stopped, error] = std::from_chars(begin, end, whole);
    return error != std::errc() || std::abs(value) >= 0x1p63 || static_cast<int64_t>(value) != whole;
}

// A finite number, or NaN: what stands around it may be blank, what is not decimal is no number.
inline double to_number(Cell cell) {
    double value;
    if (to_short_number(cell, value)) return value;
    while (cell.begin < cell.end && (*cell.begin == ' ' || *cell.begin == '\t')) ++cell.begin;
    while (cell.begin < cell.end && (cell.end[-1] == ' ' || cell.end[-1] == '\t')) --cell.end;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (cell.begin < cell.end && *cell.begin == '+' && cell.begin + 1 < cell.end && cell.begin[1] != '-') ++cell.begin;
    value = nan;
    const auto [stopped, error] = std::from_chars(cell.begin, cell.end, value);
    if (stopped != cell.end || cell.begin == cell.end) return nan;
    if (error == std::errc::result_out_of_range) {  // too large, or so small that it is 0
        long double wider = nan;
        std::from_chars(cell.begin, cell.end, wider);
        value = static_cast<double>(wider);
    } else if (error != std::errc()) {
        return nan;
    }
    return std::isfinite(value) && !is_rounded(cell.begin, cell.end, value) ? value : nan;
}

// Distinct texts, which Arrow readers take over without copying.
class Texts {
    struct Buffers {
        std::vector<int64_t> offsets{0};
        std::string bytes;
        const void* pointers[3];
    };
    std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();

  public:
    explicit Texts(const IdTable& table) {
        for (int32_t code = 0; code < table.size(); ++code) {
            table.append_text(code, buffers_->bytes);
            buffers_->offsets.push_back(static_cast<int64_t>(buffers_->bytes.size()));
        }
        buffers_->pointers[0] = nullptr;
        buffers_->pointers[1] = buffers_->offsets.data();
        buffers_->pointers[2] = buffers_->bytes.data();
    }
    int64_t size() const { return static_cast<int64_t>(buffers_->offsets.size()) - 1; }

    nb::tuple arrow_array() const {
        auto* schema = new ArrowSchema{"U", "", nullptr, 0, 0, nullptr, nullptr, [](ArrowSchema* s) { s->release = nullptr; }, nullptr};
        auto* array = new ArrowArray{size(),
                                     0,
                                     0,
                                     3,
                                     0,
                                     buffers_->pointers,
                                     nullptr,
                                     nullptr,
                                     [](ArrowArray* a) {
                                         delete static_cast<std::shared_ptr<Buffers>*>(a->private_data);
                                         a->release = nullptr;
                                     },
                                     new std::shared_ptr<Buffers>(buffers_)};
        return nb::make_tuple(capsule(schema, "arrow_schema"), capsule(array, "arrow_array"));
    }

  private:
    template <class Struct>
    static nb::capsule capsule(Struct* value, const char* name) {
        return nb::capsule(value, name, [](void* held) noexcept {
            auto* owned = static_cast<Struct*>(held);
            if (owned->release) owned->release(owned);
            delete owned;
        });
    }
};

struct TableColumns {
    std::vector<std::vector<int32_t>> codes;   // of each column of ids; -1 for an empty cell
    std::vector<Texts> texts;                  // its distinct ids
    std::vector<std::vector<double>> numbers;  // NaN for a cell that holds none
    bool ragged = false;                       // a record has more or fewer cells than the table is wide
};

// A column of ids on its way to codes, a block of rows at a time so that what the table will touch can be fetched ahead.
class IdColumn {
  public:
    static constexpr size_t kBlock = 64;

    // Keeps the cell of row `row` of the block. Where `padded`, twelve bytes can be read from its beginning.
    void keep(size_t row, const Cell& cell, bool padded) {
        const char* text = cell.begin;
        size_t size = cell.size();
        if (cell.doubled) {
            meant_[row] = cell.text();
            text = meant_[row].data();
            size = meant_[row].size();
        }
        require(size <= UINT32_MAX, "a cell is too long");
        const auto length = static_cast<uint32_t>(size);
        empty_[row] = length == 0;
        keys_[row] = padded && !cell.doubled ? IdKey::of_padded(text, length) : IdKey::of(text, length);
        hashes_[row] = keys_[row].hash();
        table_.prefetch_slot(hashes_[row]);
    }

    // Codes of the first rows of the block.
    void code(size_t rows, std::vector<int32_t>& codes) {
        for (size_t i = 0; i < rows; ++i)
            if (!empty_[i]) table_.prefetch_key(hashes_[i]);
        for (size_t i = 0; i < rows; ++i) {
            if (empty_[i]) {
                codes.push_back(-1);
                continue;
            }
            if (last_code_ < 0 || !(keys_[i] == last_)) {  // rows of a user mostly stand together
                last_code_ = table_.code(keys_[i], hashes_[i]).first;
                last_ = table_.key(last_code_);
            }
            codes.push_back(last_code_);
        }
    }

    const IdTable& table() const { return table_; }

  private:
    IdTable table_;
    IdKey keys_[kBlock], last_;
    uint32_t hashes_[kBlock];
    std::string meant_[kBlock];  // of cells with doubled quotes
    bool empty_[kBlock];
    int32_t last_code_ = -1;
};

// What is read from a table: `skip` records are passed over, about `records` come in all.
struct ColumnChoice {
    int64_t width, records, skip;
    std::vector<int64_t> ids, numbers;  // places of the columns

    // The column that each place is, -1 for none.
    std::vector<int> columns_at(const std::vector<int64_t>& places) const {
        std::vector<int> columns(static_cast<size_t>(std::max<int64_t>(0, width)), -1);
        for (size_t c = 0; c < places.size(); ++c) {
            require(places[c] >= 0 && places[c] < width, "a column is out of range");
            columns[places[c]] = static_cast<int>(c);
        }
        return columns;
    }
    int64_t last_place() const {
        int64_t last = -1;
        for (const auto* places : {&ids, &numbers})
            for (int64_t place : *places) last = std::max(last, place);
        return last;
    }
};

inline TableColumns read_columns(const char* begin, const char* end, TableFormat format, const ColumnChoice& choice) {
    const std::vector<int> id_at = choice.columns_at(choice.ids), number_at = choice.columns_at(choice.numbers);
    const int64_t last_place = choice.last_place(), expected = std::max<int64_t>(0, choice.records - choice.skip);
    TableColumns out;
    out.codes.resize(choice.ids.size());
    out.numbers.resize(choice.numbers.size());
    for (auto& column : out.codes) column.reserve(expected);
    for (auto& column : out.numbers) column.reserve(expected);
    std::vector<std::unique_ptr<IdColumn>> columns(choice.ids.size());
    for (auto& column : columns) column = std::make_unique<IdColumn>();
    size_t filled = 0;
    auto code_block = [&] {
        for (size_t c = 0; c < columns.size(); ++c) columns[c]->code(filled, out.codes[c]);
        tick(static_cast<int64_t>(filled));
        filled = 0;
    };
    TableScanner<false> scanner(begin, end, format);
    for (int64_t row = 0; row < choice.skip && scanner.next_record(); ++row) out.ragged = scanner.end_record() != choice.width;
    while (scanner.next_record()) {
        for (int64_t place = 0; place <= last_place; ++place) {
            const Cell cell = scanner.next_cell();
            if (const int c = id_at[place]; c >= 0) columns[c]->keep(filled, cell, end - cell.begin >= 12);
            if (const int c = number_at[place]; c >= 0) out.numbers[c].push_back(to_number(cell));
        }
        out.ragged = scanner.end_record() != choice.width || out.ragged;
        if (++filled == IdColumn::kBlock) code_block();
    }
    code_block();
    for (const auto& column : columns) out.texts.emplace_back(column->table());
    return out;
}

}  // namespace aspectrum
