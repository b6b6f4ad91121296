// Reads a table of text whose structure was scanned before: ids to codes, numbers to doubles, in one pass.
#pragma once

#include "ids.hpp"
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

namespace aspectrum {

// A cell as it is meant: without its quotes, a doubled quote as one.
struct Cell {
    const char* begin;
    const char* end;
};

// Goes through the records of a text.
class TableCursor {
    const char* at_;
    const char* end_;
    const char separator_;
    const bool quoted_;
    bool more_ = false;  // whether the record goes on
    int64_t cells_ = 0;  // cells of the record so far
    std::string unescaped_;

  public:
    TableCursor(const char* begin, const char* end, char separator, bool quoted)
        : at_(begin), end_(end), separator_(separator), quoted_(quoted) {}

    // The beginning of the next record, past blank lines; false at the end.
    bool next_record() {
        while (at_ < end_) {
            const char* c = at_;
            if (separator_ == 0)
                while (c < end_ && *c != '\n' && is_blank(*c)) ++c;
            else
                while (c < end_ && *c == ' ') ++c;
            if (c < end_ && *c == '\r' && (c + 1 == end_ || c[1] == '\n')) ++c;
            if (c < end_ && *c != '\n') {
                if (separator_ == 0) at_ = c;
                more_ = true;
                cells_ = 0;
                return true;
            }
            at_ = c < end_ ? c + 1 : end_;
        }
        return false;
    }
    // The next cell of the record, an empty one where there is none; what it points to holds until the next call.
    Cell next_cell() {
        if (!more_) return {at_, at_};
        ++cells_;
        if (quoted_ && at_ < end_ && *at_ == '"') return quoted_cell();
        const char* begin = at_;
        if (separator_ == 0) {
            while (at_ < end_ && !is_blank(*at_)) ++at_;
            const char* end = at_;
            while (at_ < end_ && *at_ != '\n' && is_blank(*at_)) ++at_;
            more_ = at_ < end_ && *at_ != '\n';
            return {begin, end};
        }
        while (at_ < end_ && *at_ != separator_ && *at_ != '\n') ++at_;
        const char* end = at_;
        end_cell();
        if (!more_ && end > begin && end[-1] == '\r') --end;
        return {begin, end};
    }
    // Past the rest of the record; how many cells it had.
    int64_t end_record() {
        if (quoted_ || separator_ == 0) {
            while (more_) next_cell();
        } else if (more_) {
            const char* newline = static_cast<const char*>(at_ < end_ ? std::memchr(at_, '\n', end_ - at_) : nullptr);
            const char* eol = newline ? newline : end_;
            cells_ += 1 + std::count(at_, eol, separator_);
            at_ = eol;
        }
        if (at_ < end_) ++at_;
        return cells_;
    }

  private:
    void end_cell() {
        more_ = at_ < end_ && *at_ == separator_;
        if (more_) ++at_;
    }
    Cell quoted_cell() {
        const char* begin = ++at_;
        bool escaped = false;
        while (at_ < end_ && (*at_ != '"' || (at_ + 1 < end_ && at_[1] == '"'))) {
            const bool doubled = *at_ == '"';
            escaped = escaped || doubled;
            at_ += doubled ? 2 : 1;
        }
        const char* end = at_;
        if (at_ < end_) ++at_;
        if (end_ - at_ >= 2 && at_[0] == '\r' && at_[1] == '\n') ++at_;
        end_cell();
        if (!escaped) return {begin, end};
        unescaped_.clear();
        for (const char* c = begin; c < end; ++c) {
            unescaped_.push_back(*c);
            if (*c == '"') ++c;
        }
        return {unescaped_.data(), unescaped_.data() + unescaped_.size()};
    }
};

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
    return std::isfinite(value) ? value : nan;
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
        auto* array = new ArrowArray{size(), 0, 0, 3, 0, buffers_->pointers, nullptr, nullptr,
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
    std::vector<std::vector<int32_t>> codes;  // of each column of ids; -1 for an empty cell
    std::vector<Texts> texts;                 // its distinct ids
    std::vector<std::vector<double>> numbers;  // NaN for a cell that holds none
    bool ragged = false;                       // a record has more or fewer cells than the table is wide
};

inline TableColumns read_columns(const char* begin, const char* end, char separator, bool quoted, int64_t width, int64_t records,
                                 int64_t skip, const std::vector<int64_t>& id_places, const std::vector<int64_t>& number_places) {
    constexpr size_t kBlock = 64;
    struct IdColumn {
        IdTable table;
        IdKey keys[kBlock], last;
        uint32_t hashes[kBlock];
        std::string long_texts[kBlock];  // an unquoted cell lives only until the next
        bool empty[kBlock];
        int32_t last_code = -1;
    };
    TableColumns out;
    out.codes.resize(id_places.size());
    out.numbers.resize(number_places.size());
    for (auto& column : out.codes) column.reserve(std::max<int64_t>(0, records - skip));
    for (auto& column : out.numbers) column.reserve(std::max<int64_t>(0, records - skip));
    std::vector<std::unique_ptr<IdColumn>> columns;
    std::vector<int> id_at(width, -1), number_at(width, -1);
    int64_t last_place = -1;
    for (size_t c = 0; c < id_places.size(); ++c) {
        require(id_places[c] >= 0 && id_places[c] < width, "a column is out of range");
        id_at[id_places[c]] = static_cast<int>(c);
        last_place = std::max(last_place, id_places[c]);
        columns.push_back(std::make_unique<IdColumn>());
    }
    for (size_t c = 0; c < number_places.size(); ++c) {
        require(number_places[c] >= 0 && number_places[c] < width, "a column is out of range");
        number_at[number_places[c]] = static_cast<int>(c);
        last_place = std::max(last_place, number_places[c]);
    }
    TableCursor cursor(begin, end, separator, quoted);
    for (int64_t row = 0; row < skip && cursor.next_record(); ++row) out.ragged = cursor.end_record() != width;
    size_t filled = 0;
    auto code_block = [&] {
        for (size_t c = 0; c < columns.size(); ++c) {
            IdColumn& column = *columns[c];
            for (size_t i = 0; i < filled; ++i)
                if (!column.empty[i]) column.table.prefetch_key(column.hashes[i]);
            for (size_t i = 0; i < filled; ++i) {
                if (column.empty[i]) {
                    out.codes[c].push_back(-1);
                    continue;
                }
                if (column.last_code < 0 || !(column.keys[i] == column.last)) {  // rows of a user mostly stand together
                    column.last_code = column.table.code(column.keys[i], column.hashes[i]).first;
                    column.last = column.table.key(column.last_code);
                }
                out.codes[c].push_back(column.last_code);
            }
        }
        filled = 0;
    };
    while (cursor.next_record()) {
        for (int64_t place = 0; place <= last_place; ++place) {
            const Cell cell = cursor.next_cell();
            if (const int c = id_at[place]; c >= 0) {
                IdColumn& column = *columns[c];
                require(cell.end - cell.begin <= UINT32_MAX, "a cell is too long");
                const auto length = static_cast<uint32_t>(cell.end - cell.begin);
                column.empty[filled] = length == 0;
                const char* text = cell.begin;
                if (quoted && length > 12) {
                    column.long_texts[filled].assign(cell.begin, cell.end);
                    text = column.long_texts[filled].data();
                }
                column.keys[filled] = text == cell.begin && end - text >= 12 && text >= begin ? IdKey::of_padded(text, length) : IdKey::of(text, length);
                column.hashes[filled] = column.keys[filled].hash();
                column.table.prefetch_slot(column.hashes[filled]);
            }
            if (const int c = number_at[place]; c >= 0) {
                out.numbers[c].push_back(to_number(cell));
            }
        }
        out.ragged = cursor.end_record() != width || out.ragged;
        if (++filled == kBlock) code_block();
    }
    code_block();
    for (const auto& column : columns) out.texts.emplace_back(column->table);
    return out;
}

}  // namespace aspectrum
