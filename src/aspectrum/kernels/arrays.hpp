// The array types that cross from Python, and the checks every kernel makes before it trusts them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace aspectrum {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using OutMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// Leaves what is allocated as it is: for vectors of which every entry is written.
template <class T>
struct Unfilled : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = Unfilled<U>;
    };
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Given>
    void construct(U* place, Given&&... given) {
        ::new (static_cast<void*>(place)) U(std::forward<Given>(given)...);
    }
};
template <class T>
using UnfilledVector = std::vector<T, Unfilled<T>>;

template <class T, class Allocator>
Out<T> to_array(std::vector<T, Allocator>&& values) {
    using Values = std::vector<T, Allocator>;
    auto* owner = new Values(std::move(values));
    nb::capsule free_it(owner, [](void* p) noexcept { delete static_cast<Values*>(p); });
    return Out<T>(owner->data(), {owner->size()}, free_it);
}

template <class T>
OutMatrix<T> to_matrix(std::vector<T>&& values, size_t rows, size_t columns) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule free_it(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutMatrix<T>(owner->data(), {rows, columns}, free_it);
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Offsets cut `length` values into segments, one after the other, all of them.
inline int64_t segments(const Array<int64_t>& offsets, int64_t length) {
    const auto n = static_cast<int64_t>(offsets.shape(0));
    require(n >= 1, "offsets need at least one entry");
    const int64_t* o = offsets.data();
    require(o[0] == 0, "offsets must start at 0");
    for (int64_t u = 1; u < n; ++u) require(o[u] >= o[u - 1], "offsets must not fall");
    require(o[n - 1] == length, "offsets must end at the number of values they cut");
    return n - 1;
}

inline void check_codes(const int32_t* codes, int64_t n, int64_t low, int64_t high, const char* what) {
    constexpr int64_t kStep = 256;  // codes that are compared at once
    const auto first = static_cast<int32_t>(std::clamp<int64_t>(low, INT32_MIN, INT32_MAX));
    const auto last = static_cast<int32_t>(std::clamp<int64_t>(high - 1, INT32_MIN, INT32_MAX));
    for (int64_t p = 0; p < n; p += kStep) {
        const int64_t end = std::min(n, p + kStep);
        int32_t outside = 0;
        for (int64_t i = p; i < end; ++i) outside |= (codes[i] < first) | (codes[i] > last);
        for (int64_t i = p; outside && i < end; ++i)
            if (codes[i] < low || codes[i] >= high)
                throw std::invalid_argument(std::string(what) + " code " + std::to_string(codes[i]) + " is out of range");
    }
}

// Cutoffs of each user, ascending, as places in that user's list.
struct Stops {
    const int32_t* places;
    int64_t users;
    int64_t cutoffs;

    const int32_t* of(int64_t user) const { return places + user * cutoffs; }
    int32_t last(int64_t user) const { return cutoffs ? of(user)[cutoffs - 1] : 0; }
};

inline Stops check_stops(const Matrix<int32_t>& stops, const Array<int64_t>& offsets) {
    const Stops checked{stops.data(), static_cast<int64_t>(stops.shape(0)), static_cast<int64_t>(stops.shape(1))};
    require(checked.users + 1 == static_cast<int64_t>(offsets.shape(0)), "stops need one row per user");
    for (int64_t u = 0; u < checked.users; ++u) {
        int64_t before = 0;
        for (int64_t c = 0; c < checked.cutoffs; ++c) {
            const int64_t stop = checked.of(u)[c];
            require(stop >= before, "stops must ascend");
            before = stop;
        }
        require(before <= offsets.data()[u + 1] - offsets.data()[u], "a stop lies beyond its list");
    }
    return checked;
}

}  // namespace aspectrum
