// Codes of ids that come as an Arrow stream of text or whole numbers, in order of first appearance.
#pragma once

#include "arrays.hpp"
#include "hash_index.hpp"
#include "interrupts.hpp"
#include "lists.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

namespace aspectrum {

// The C data interface of Apache Arrow, as its specification lays it out.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

template <class Struct>
struct Released {
    Struct value{};
    ~Released() {
        if (value.release) value.release(&value);
    }
    Released() = default;
    Released(Released&& other) noexcept : value(other.value) { other.value.release = nullptr; }
    Released(const Released&) = delete;
};

// What tells ids apart: text of up to 12 bytes is its length and bytes; longer text is its length, its hash and where it
// stands; a number is itself.
struct IdKey {
    uint64_t low = 0, high = 0;
    const char* text = nullptr;

    static uint64_t mix(uint64_t a, uint64_t b) {
        const auto product = static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD6E8FEB86659FD93u);
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    static IdKey of(const char* text, uint32_t length) {
        IdKey key;
        char bytes[16] = {};
        std::memcpy(bytes, &length, 4);
        if (length <= 12) {
            std::memcpy(bytes + 4, text, length);
            std::memcpy(&key.low, bytes, 8);
            std::memcpy(&key.high, bytes + 8, 8);
            return key;
        }
        uint64_t hash = length, word;
        for (uint32_t at = 0; at + 8 <= length; at += 8) {
            std::memcpy(&word, text + at, 8);
            hash = mix(hash, word);
        }
        std::memcpy(&word, text + length - 8, 8);
        key.high = mix(hash, word);
        key.low = length;
        key.text = text;
        return key;
    }
    // The same where twelve bytes can be read, whatever the length.
    static IdKey of_padded(const char* text, uint32_t length) {
        if (length > 12) return of(text, length);
        uint32_t first;
        uint64_t rest;
        std::memcpy(&first, text, 4);
        std::memcpy(&rest, text + 4, 8);
        if (length < 4) first &= (uint32_t{1} << (8 * length)) - 1;
        rest = length <= 4 ? 0 : length == 12 ? rest : rest & ((uint64_t{1} << (8 * (length - 4))) - 1);
        IdKey key;
        key.low = length | uint64_t{first} << 32;
        key.high = rest;
        return key;
    }
    uint32_t hash() const { return static_cast<uint32_t>(mix(low, high) >> 32); }
    bool operator==(const IdKey& other) const {
        return low == other.low && high == other.high && (!text || (other.text && std::memcmp(text, other.text, low) == 0));
    }
};

class IdTable {
    HashIndex codes_{1 << 11};
    std::vector<IdKey> keys_;
    std::deque<std::string> texts_;  // long ids, which must outlive the stream they came in

  public:
    void prefetch_slot(uint32_t hash) const { codes_.prefetch(hash); }
    void prefetch_key(uint32_t hash) const {
        if (const int32_t code = codes_.first_met(hash); code >= 0) __builtin_prefetch(&keys_[code]);
    }

    // The code of a key, and whether it is new.
    std::pair<int32_t, bool> code(const IdKey& key, uint32_t hash) {
        const auto found = codes_.find_or_add(hash, [&](int32_t code) { return keys_[code] == key; });
        if (!found.second) return found;
        keys_.push_back(key);
        if (key.text) keys_.back().text = texts_.emplace_back(key.text, key.low).data();
        return found;
    }

    int32_t size() const { return static_cast<int32_t>(keys_.size()); }
    const IdKey& key(int32_t code) const { return keys_[code]; }

    void append_text(int32_t code, std::string& bytes) const {
        const IdKey& key = keys_[code];
        if (key.text) {
            bytes.append(key.text, key.low);
            return;
        }
        char view[16];
        std::memcpy(view, &key.low, 8);
        std::memcpy(view + 8, &key.high, 8);
        uint32_t length;
        std::memcpy(&length, view, 4);
        bytes.append(view + 4, length);
    }
};

// The same for whole numbers. Small ones are looked up by themselves: the larger a table is, the larger these may be.
class NumberTable {
    static constexpr uint64_t kMostSmall = 1 << 22;
    std::vector<int32_t> small_;  // codes of small numbers, -1 for those that have none
    HashIndex large_{1 << 11};
    std::vector<std::pair<uint64_t, int32_t>> numbers_;  // the others, and their codes
    int32_t size_ = 0;

    static uint32_t hash(uint64_t number) { return static_cast<uint32_t>(IdKey::mix(number, 0) >> 32); }

  public:
    int32_t size() const { return size_; }

    // The code of a number that is small and known; -1 for any other.
    int32_t known(int64_t number) const {
        const auto value = static_cast<uint64_t>(number);
        return value < small_.size() ? small_[value] : -1;
    }

    // The code of a number that known() does not tell, and whether it is new.
    std::pair<int32_t, bool> code(int64_t number, int64_t n_rows) {
        const auto value = static_cast<uint64_t>(number), limit = std::min<uint64_t>(kMostSmall, 2 * n_rows + (1 << 12));
        auto equal = [&](int32_t place) { return numbers_[place].first == value; };
        if (!numbers_.empty() || value >= limit) {
            const int32_t place = large_.find(hash(value), equal);
            if (place >= 0) return {numbers_[place].second, false};
        }
        if (size_ == INT32_MAX) throw std::invalid_argument("too many distinct ids for 32-bit codes");
        if (value < limit) {
            if (value >= small_.size()) small_.resize(std::min(limit, 2 * value + 1024), -1);
            small_[value] = size_;
        } else {
            large_.add(hash(value));
            numbers_.emplace_back(value, size_);
        }
        return {size_++, true};
    }
};

// One piece of the stream: where its values are.
struct IdReader {
    char format;  // v: views, u: text with 32-bit offsets, U: with 64-bit offsets, l: 64-bit numbers
    const ArrowArray& array;

    bool valid(int64_t row) const {
        const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
        const int64_t at = row + array.offset;
        return !bits || (bits[at >> 3] >> (at & 7) & 1);
    }
    std::pair<const char*, uint32_t> text(int64_t row) const {
        const int64_t at = row + array.offset;
        if (format == 'v') {
            const char* view = static_cast<const char*>(array.buffers[1]) + 16 * at;
            uint32_t length;
            int32_t buffer, start;
            std::memcpy(&length, view, 4);
            if (length <= 12) return {view + 4, length};
            std::memcpy(&buffer, view + 8, 4);
            std::memcpy(&start, view + 12, 4);
            return {static_cast<const char*>(array.buffers[2 + buffer]) + start, length};
        }
        int64_t ends[2];
        if (format == 'U') {
            std::memcpy(ends, static_cast<const char*>(array.buffers[1]) + 8 * at, 16);
        } else {
            int32_t narrow[2];
            std::memcpy(narrow, static_cast<const char*>(array.buffers[1]) + 4 * at, 8);
            ends[0] = narrow[0], ends[1] = narrow[1];
        }
        return {static_cast<const char*>(array.buffers[2]) + ends[0], static_cast<uint32_t>(ends[1] - ends[0])};
    }
    IdKey key(int64_t row) const {
        if (format == 'l') {
            IdKey number;
            std::memcpy(&number.low, static_cast<const char*>(array.buffers[1]) + 8 * (row + array.offset), 8);
            return number;
        }
        const auto [bytes, length] = text(row);
        if (format == 'v' && length <= 12) {
            IdKey inlined;  // a view holds its length and short text, padded with zeros
            std::memcpy(&inlined.low, bytes - 4, 8);
            std::memcpy(&inlined.high, bytes + 4, 8);
            return inlined;
        }
        return IdKey::of(bytes, length);
    }
};

inline std::string stream_format(ArrowArrayStream* stream) {
    require(stream && stream->release, "the stream was read already");
    Released<ArrowSchema> schema;
    require(stream->get_schema(stream, &schema.value) == 0, "the stream has no schema");
    const std::string format = schema.value.format;
    require((format == "vu" || format == "u" || format == "U" || format == "l") && !schema.value.dictionary,
            "ids come as text or 64-bit whole numbers");
    return format;
}

// Calls read(piece) for every piece of a stream.
template <class Read>
void read_pieces(ArrowArrayStream* stream, Read read) {
    for (;;) {
        Released<ArrowArray> piece;
        require(stream->get_next(stream, &piece.value) == 0, "the stream broke off");
        if (!piece.value.release) return;
        read(std::move(piece));
    }
}

inline void code_numbers(const IdReader& reader, NumberTable& table, UnfilledVector<int32_t>& codes, std::vector<int64_t>& firsts) {
    constexpr int64_t kBlock = 256;
    const auto* numbers = static_cast<const int64_t*>(reader.array.buffers[1]) + reader.array.offset;
    const int64_t n = reader.array.length, start = static_cast<int64_t>(codes.size());
    const bool gaps = reader.array.buffers[0] && reader.array.null_count != 0;
    codes.resize(start + n);
    int64_t last = 0;
    int32_t last_code = -1;
    for (int64_t block = 0; block < n; block += kBlock) {
        const int64_t end = std::min(n, block + kBlock);
        tick(end - block);
        int32_t* found = codes.data() + start;
        int32_t all = 0;  // below 0 if one of them is not known
        for (int64_t row = block; row < end; ++row) all |= found[row] = table.known(numbers[row]);
        if (all >= 0 && !gaps) continue;
        for (int64_t row = block; row < end; ++row) {
            if (gaps && !reader.valid(row)) {
                found[row] = -1;
                continue;
            }
            if (found[row] >= 0) continue;
            if (last_code < 0 || numbers[row] != last) {          // rows of a user mostly stand together
                const int32_t known = table.known(numbers[row]);  // by now
                const auto [code, is_new] = known >= 0 ? std::pair(known, false) : table.code(numbers[row], n);
                if (is_new) firsts.push_back(start + row);
                last = numbers[row];
                last_code = code;
            }
            found[row] = last_code;
        }
    }
}

inline void code_piece(const IdReader& reader, IdTable& table, UnfilledVector<int32_t>& codes, std::vector<int64_t>& firsts) {
    constexpr int64_t kBlock = 64;
    IdKey keys[kBlock], last;
    uint32_t hashes[kBlock];
    int32_t last_code = -1;
    const int64_t n = reader.array.length, start = static_cast<int64_t>(codes.size());
    codes.resize(start + n);
    for (int64_t block = 0; block < n; block += kBlock) {
        const int64_t size = std::min(kBlock, n - block);
        tick(size);
        // What the table will touch is fetched a block ahead: slots first, then the keys they lead to.
        for (int64_t i = 0; i < size; ++i) {
            if (!reader.valid(block + i)) continue;
            keys[i] = reader.key(block + i);
            hashes[i] = keys[i].hash();
            table.prefetch_slot(hashes[i]);
        }
        for (int64_t i = 0; i < size; ++i)
            if (reader.valid(block + i)) table.prefetch_key(hashes[i]);
        for (int64_t i = 0; i < size; ++i) {
            const int64_t row = start + block + i;
            if (!reader.valid(block + i)) {
                codes[row] = -1;
                continue;
            }
            if (last_code < 0 || !(keys[i] == last)) {  // rows of a user mostly stand together
                const auto [code, is_new] = table.code(keys[i], hashes[i]);
                if (is_new) firsts.push_back(row);
                last = keys[i];
                last_code = code;
            }
            codes[row] = last_code;
        }
    }
}

// Ids that keep coming: each gets the next code when it is first met, so that what comes later costs what it holds, not what is known.
class IdIndex {
    IdTable texts_;
    NumberTable numbers_;
    char kind_ = '\0';  // t: text, l: numbers

  public:
    int64_t size() const { return kind_ == 'l' ? numbers_.size() : texts_.size(); }

    // Codes of the ids of a stream (-1 where one is null), and the rows of those that are new.
    std::pair<Out<int32_t>, Out<int64_t>> join(nb::capsule capsule) {
        auto* stream = static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
        const std::string format = stream_format(stream);
        const char kind = format == "l" ? 'l' : 't';
        require(kind_ == '\0' || kind_ == kind, "ids are text or numbers, not both");
        kind_ = kind;
        UnfilledVector<int32_t> codes;
        std::vector<int64_t> firsts;
        {
            nb::gil_scoped_release release;
            read_pieces(stream, [&](Released<ArrowArray>&& piece) {
                const IdReader reader{format[0], piece.value};
                if (kind == 'l')
                    code_numbers(reader, numbers_, codes, firsts);
                else
                    code_piece(reader, texts_, codes, firsts);
            });
        }
        return {to_array(std::move(codes)), to_array(std::move(firsts))};
    }
};

inline std::pair<Out<int32_t>, Out<int64_t>> code_ids(nb::capsule capsule) {
    return IdIndex().join(std::move(capsule));
}

// Where runs of equal numbers of a stream begin, and the end of the last; and their numbers.
inline std::pair<Out<int64_t>, Out<int64_t>> number_runs(nb::capsule capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
    require(stream_format(stream) == "l", "runs are those of 64-bit whole numbers");
    std::vector<int64_t> starts, numbers;
    {
        nb::gil_scoped_release release;
        std::optional<int64_t> before;
        int64_t at = 0;
        read_pieces(stream, [&](Released<ArrowArray>&& piece) {
            const int64_t n = piece.value.length;
            const auto* values = static_cast<const int64_t*>(piece.value.buffers[1]) + piece.value.offset;
            if (n == 0) return;
            const size_t first = starts.size();
            add_runs(values, n, before, at, starts);
            for (size_t run = first; run < starts.size(); ++run) numbers.push_back(values[starts[run] - at]);
            before = values[n - 1];
            at += n;
        });
        starts.push_back(at);
    }
    return {to_array(std::move(starts)), to_array(std::move(numbers))};
}

// Place of each text in bytewise order; texts are distinct and none is null.
inline Out<int32_t> order_texts(nb::capsule capsule) {
    struct Entry {  // the twelve bytes after what all texts begin with, as numbers that order as they do
        uint64_t first;
        uint32_t second;
        int32_t row;
    };
    auto* stream = static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
    const std::string format = stream_format(stream);
    require(format != "l", "texts are to be ordered");
    std::vector<int32_t> places;
    {
        nb::gil_scoped_release release;
        std::vector<Released<ArrowArray>> pieces;
        std::vector<std::pair<const char*, uint32_t>> texts;
        read_pieces(stream, [&](Released<ArrowArray>&& piece) {
            pieces.push_back(std::move(piece));
            const IdReader reader{format[0], pieces.back().value};
            for (int64_t row = 0; row < reader.array.length; ++row) {
                require(reader.valid(row), "a text is missing");
                texts.push_back(reader.text(row));
            }
        });
        uint32_t common = texts.empty() ? 0 : texts[0].second;
        for (const auto& [text, length] : texts) {
            common = std::min(common, length);
            common = static_cast<uint32_t>(std::mismatch(text, text + common, texts[0].first).first - text);
        }
        std::vector<Entry> entries;
        entries.reserve(texts.size());
        for (const auto& [text, length] : texts) {
            unsigned char bytes[12] = {};
            std::memcpy(bytes, text + common, std::min(length - common, 12u));
            Entry entry{0, 0, static_cast<int32_t>(entries.size())};
            for (int at = 0; at < 8; ++at) entry.first = entry.first << 8 | bytes[at];
            for (int at = 8; at < 12; ++at) entry.second = entry.second << 8 | bytes[at];
            entries.push_back(entry);
        }
        std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
            if (a.first != b.first) return a.first < b.first;
            if (a.second != b.second) return a.second < b.second;
            const auto& [text, length] = texts[a.row];
            const auto& [other, other_length] = texts[b.row];
            const int order = std::memcmp(text, other, std::min(length, other_length));
            return order != 0 ? order < 0 : length < other_length;
        });
        places.resize(entries.size());
        for (size_t place = 0; place < entries.size(); ++place) places[entries[place].row] = static_cast<int32_t>(place);
    }
    return to_array(std::move(places));
}

}  // namespace aspectrum
