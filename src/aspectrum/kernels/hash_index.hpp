// Numbers by hash: open addressing with linear probing, at most half full. What is numbered stays with the caller, who says
// which entries are equal; a hash alone never decides. Coding 3M numbers takes 2.4, 2 and 1.3 times the CPU with tsl::robin_map
// (1e3, 1e5 and 1e6 of them distinct), which keeps its keys in the slots and cannot be cleared for nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace aspectrum {

// Hashes of 32-bit codes, different for different codes: equal hashes are equal codes.
inline uint32_t spread(int32_t code) {
    return static_cast<uint32_t>(code) * 0x9E3779B9u;
}

class HashIndex {
    // Slots hold number + base_. Smaller entries were made before the last clear(), which therefore costs nothing.
    struct Slot {
        uint32_t hash;
        uint32_t entry;
    };
    std::vector<Slot> slots_;
    uint32_t base_ = 1;
    int shift_ = 32;  // the highest bits of a hash are its home, so that slots can move without asking for hashes again
    size_t wrap_ = 0;
    int32_t size_ = 0;

  public:
    explicit HashIndex(size_t expected = 0) { clear(expected); }

    int32_t size() const { return size_; }

    // Forgets all entries, and makes room for as many as are expected.
    void clear(size_t expected) {
        if (std::numeric_limits<uint32_t>::max() - base_ < kMostEntries + static_cast<uint32_t>(size_)) {
            slots_.assign(slots_.size(), Slot{0, 0});
            base_ = 1;
        } else {
            base_ += static_cast<uint32_t>(size_);
        }
        size_ = 0;
        resize(expected);
    }

    // The number of the entry with this hash that `equal(number)` accepts; -1 if there is none.
    template <class Equal>
    int32_t find(uint32_t hash, Equal equal) const {
        for (size_t at = home(hash); slots_[at].entry >= base_; at = (at + 1) & wrap_)
            if (slots_[at].hash == hash && equal(number(at))) return number(at);
        return -1;
    }
    // The same, where an entry that is not there yet gets the next number; and whether it did.
    template <class Equal>
    std::pair<int32_t, bool> find_or_add(uint32_t hash, Equal equal) {
        size_t at = home(hash);
        for (; slots_[at].entry >= base_; at = (at + 1) & wrap_)
            if (slots_[at].hash == hash && equal(number(at))) return {number(at), false};
        return {fill(at, hash), true};
    }
    // Gives the next number to an entry whether or not an equal one is there; find() returns the first of them.
    void add(uint32_t hash) {
        size_t at = home(hash);
        while (slots_[at].entry >= base_) at = (at + 1) & wrap_;
        fill(at, hash);
    }

    void prefetch(uint32_t hash) const { __builtin_prefetch(&slots_[home(hash)]); }
    // The number that a search for the hash meets first, -1 if none.
    int32_t first_met(uint32_t hash) const {
        const size_t at = home(hash);
        return slots_[at].entry >= base_ ? number(at) : -1;
    }

  private:
    static constexpr uint32_t kMostEntries = uint32_t{1} << 31;
    static constexpr size_t kSmall = size_t{1} << 18;  // slots that a cache holds: moving often costs more than their memory

    size_t home(uint32_t hash) const { return static_cast<size_t>(uint64_t{hash} >> shift_); }
    int32_t number(size_t at) const { return static_cast<int32_t>(slots_[at].entry - base_); }

    void resize(size_t expected) {
        int bits = 4;
        while ((size_t{1} << bits) < 2 * expected) ++bits;
        shift_ = 32 - bits;
        wrap_ = (size_t{1} << bits) - 1;
        if (slots_.size() <= wrap_) slots_.resize(wrap_ + 1, Slot{0, 0});
    }

    int32_t fill(size_t at, uint32_t hash) {
        if (size_ == std::numeric_limits<int32_t>::max()) throw std::invalid_argument("too many distinct entries for 32-bit numbers");
        slots_[at] = {hash, base_ + static_cast<uint32_t>(size_)};
        const int32_t added = size_++;
        if (2 * static_cast<size_t>(size_) > wrap_ + 1) grow();
        return added;
    }

    void grow() {
        const std::vector<Slot> before = std::exchange(slots_, {});
        const size_t capacity = wrap_ + 1;
        resize((capacity < kSmall ? 4 : 1) * capacity);
        for (size_t from = 0; from < capacity; ++from) {
            if (before[from].entry < base_) continue;
            size_t at = home(before[from].hash);
            while (slots_[at].entry >= base_) at = (at + 1) & wrap_;
            slots_[at] = before[from];
        }
    }
};

}  // namespace aspectrum
