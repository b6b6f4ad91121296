// Checks the headers of a Parquet file before anybody allocates what they ask for; see io/binary.py.
#pragma once

#include "arrays.hpp"
#include "interrupts.hpp"

#include <algorithm>
#include <map>

namespace aspectrum {

// The compact protocol of Apache Thrift, as far as Parquet uses it.
class Thrift {
    const uint8_t* data_;

  public:
    int64_t at, end;

    Thrift(const uint8_t* data, int64_t at_, int64_t end_) : data_(data), at(at_), end(end_) {}

    uint8_t byte() {
        require(at < end, "a header breaks off");
        return data_[at++];
    }
    uint64_t number() {
        uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            require(shift < 64, "a number in a header is too long");
            const uint8_t part = byte();
            value |= static_cast<uint64_t>(part & 127) << shift;
            if (part < 128) return value;
        }
    }
    int64_t signed_number() {
        const uint64_t value = number();
        return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    }
    // Calls visit(kind) for each entry of a list, which must pass over it.
    template <class Visit>
    void each_entry(Visit visit) {
        const uint8_t head = byte();
        const uint64_t n = head >> 4 < 15 ? head >> 4 : number();
        require(n <= static_cast<uint64_t>(end - at), "a list in a header is longer than the header");
        for (uint64_t i = 0; i < n; ++i) visit(head & 15);
    }
    // Calls visit(field, kind) for each field of a struct, which must pass over it; fields that are true or false have no value.
    template <class Visit>
    void each_field(int depth, Visit visit) {
        require(depth < 32, "a header is nested too deeply");
        int64_t field = 0;
        while (const uint8_t head = byte()) {
            field = head >> 4 ? field + (head >> 4) : signed_number();
            require(field >= INT16_MIN && field <= INT16_MAX, "a header numbers its fields as no Parquet file does");
            if ((head & 15) > 2) visit(field, head & 15);
        }
    }
    void pass(int kind, int depth) {
        if (kind >= 4 && kind <= 6) {
            number();
        } else if (kind <= 3) {
            byte();
        } else if (kind == 7 || kind == 8) {
            const uint64_t size = kind == 7 ? 8 : number();
            require(size <= static_cast<uint64_t>(end - at), "a header breaks off");
            at += static_cast<int64_t>(size);
        } else if (kind == 9 || kind == 10) {
            require(depth < 32, "a header is nested too deeply");
            each_entry([&](int inner) { pass(inner, depth + 1); });
        } else {
            require(kind == 12, "a header holds what no Parquet file holds");
            each_field(depth + 1, [&](int64_t, int inner) { pass(inner, depth + 1); });
        }
    }
    // A whole number, if the field holds one.
    std::optional<int64_t> whole(int kind, int depth) {
        if (kind == 3) return byte();
        if (kind >= 4 && kind <= 6) return signed_number();
        pass(kind, depth);
        return std::nullopt;
    }
};

// The whole numbers of a struct, by field.
struct Numbers {
    std::map<int64_t, int64_t> values;

    void keep(int64_t field, std::optional<int64_t> value) {
        if (value)
            values[field] = *value;
        else
            values.erase(field);
    }
    int64_t count(int64_t field) const {
        const auto found = values.find(field);
        require(found != values.end() && found->second >= 0, "a count is missing or negative");
        return found->second;
    }
    int64_t or_zero(int64_t field) const {
        const auto found = values.find(field);
        return found == values.end() ? 0 : found->second;
    }
};

// Which fields are what, by the format's specification.
namespace parquet {
inline constexpr int64_t kRows = 3, kGroups = 4;  // of the file; of a group, its rows as well
inline constexpr int64_t kColumns = 1;            // of a group
inline constexpr int64_t kDescription = 3;        // of a column
inline constexpr int64_t kCodec = 4, kValues = 5, kSize = 7, kDataPage = 9, kDictionaryPage = 11;  // of its description
inline constexpr int64_t kKind = 1, kUnpacked = 2, kPacked = 3;                                    // of a page
inline constexpr int64_t kBrotli = 4, kDictionary = 2;                                             // a codec, and a kind of page
inline constexpr int64_t kPageValues = 1;                                                          // of the header of its kind
}  // namespace parquet

inline void check_pages(const uint8_t* data, int64_t size, const Numbers& column, int64_t n_rows) {
    using namespace parquet;
    const int64_t n_values = column.count(kValues);
    require(n_values >= n_rows, "a column does not have as many values as rows");
    int64_t at = 0;
    for (int64_t start : {column.or_zero(kDataPage), column.or_zero(kDictionaryPage)})
        if (start > 0) at = at > 0 ? std::min(at, start) : start;
    at = std::min(at, size);
    const int64_t end = at + std::min(column.count(kSize), size - at);
    int64_t n_found = 0;
    while (at < end && n_found < n_values) {
        tick(64);
        Thrift reader(data, at, end);
        Numbers page;
        std::map<int64_t, Numbers> headers;
        reader.each_field(0, [&](int64_t field, int kind) {
            if (kind != 12) return page.keep(field, reader.whole(kind, 0));
            Numbers& header = headers[field] = {};
            reader.each_field(1, [&](int64_t inner, int inner_kind) { header.keep(inner, reader.whole(inner_kind, 1)); });
        });
        const int64_t unpacked = page.count(kUnpacked), packed = page.count(kPacked);
        // At best zstd packs 128 KiB into 4 bytes; Brotli knows no such bound.
        require((unpacked >> 16) - 64 <= packed || column.or_zero(kCodec) == kBrotli, "a page does not hold what it says");
        at = packed > size - reader.at ? size : reader.at + packed;
        const int64_t kind = page.count(kKind);
        const auto header = headers.find(kind == 0 ? 5 : kind == 2 ? 7 : kind == 3 ? 8 : -1);
        if (header == headers.end()) continue;  // an index
        const int64_t values = header->second.count(kPageValues);
        if (kind == kDictionary)
            require(values <= 1 || (values - 1) / 8 < unpacked, "a dictionary does not hold what it says");
        else
            n_found += std::min(values, INT64_MAX - n_found);
    }
    require(n_found == n_values, "the pages of a column do not have as many values as the column");
}

// Throws unless pages have the number of values that their columns have, and no list outgrows its header; `begin` is where the footer is.
// Returns how many rows the largest group has.
inline int64_t check_parquet(Array<uint8_t> file, int64_t begin) {
    using namespace parquet;
    struct Group {
        Numbers numbers;
        std::vector<Numbers> columns;
    };
    const auto size = static_cast<int64_t>(file.shape(0));
    require(begin >= 0 && begin <= size - 8, "its last part is longer than the file");
    const uint8_t* data = file.data();
    const nb::gil_scoped_release release;
    Thrift reader(data, begin, size - 8);
    Numbers whole;
    std::vector<Group> groups;
    bool has_groups = false;
    auto column = [&](Group& group) {
        reader.each_field(3, [&](int64_t field, int kind) {
            if (field != kDescription || kind != 12) return reader.pass(kind, 3);  // encrypted columns have no metadata
            Numbers description;
            reader.each_field(4, [&](int64_t inner, int inner_kind) { description.keep(inner, reader.whole(inner_kind, 4)); });
            group.columns.push_back(std::move(description));
        });
    };
    auto row_group = [&](int kind) {
        require(kind == 12, "a count is missing or negative");
        Group& group = groups.emplace_back();
        bool has_columns = false;
        reader.each_field(1, [&](int64_t field, int inner) {
            if (field != kColumns) return group.numbers.keep(field, reader.whole(inner, 1));
            has_columns = inner == 9;
            if (!has_columns) return reader.pass(inner, 1);
            reader.each_entry([&](int entry) { entry == 12 ? column(group) : reader.pass(entry, 2); });
        });
        require(has_columns, "its parts cannot be made out");
    };
    reader.each_field(0, [&](int64_t field, int kind) {
        if (field != kGroups) return whole.keep(field, reader.whole(kind, 0));
        has_groups = kind == 9;
        if (!has_groups) return reader.pass(kind, 0);
        groups.clear();
        reader.each_entry(row_group);
    });
    require(has_groups, "its parts cannot be made out");
    // With too few rows in a group, polars would silently leave out the others.
    int64_t rows = 0, largest = 0;
    for (const Group& group : groups) {
        const int64_t own = group.numbers.count(kRows);
        rows += std::min(own, INT64_MAX - rows);
        largest = std::max(largest, own);
    }
    require(rows == whole.count(kRows), "its numbers of rows do not agree");
    for (const Group& group : groups)
        for (const Numbers& described : group.columns) check_pages(data, size, described, group.numbers.count(kRows));
    return largest;
}

}  // namespace aspectrum
