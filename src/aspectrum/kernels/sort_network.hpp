// Sorts a few numbers, always by the same exchanges: without branches that a CPU would have to guess.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace aspectrum {

// Batcher's odd-even merge sort of N numbers, N a power of two: the places that are compared, one pair after the other.
template <size_t N, class Visit>
constexpr void each_exchange(Visit visit) {
    for (size_t p = 1; p < N; p *= 2)
        for (size_t k = p; k >= 1; k /= 2)
            for (size_t j = k % p; j + k < N; j += 2 * k)
                for (size_t i = j; i < j + k && i + k < N; ++i)
                    if (i / (2 * p) == (i + k) / (2 * p)) visit(i, i + k);
}

template <size_t N>
constexpr size_t count_exchanges() {
    size_t n = 0;
    each_exchange<N>([&](size_t, size_t) { ++n; });
    return n;
}

template <size_t N>
constexpr auto list_exchanges() {
    std::array<std::pair<size_t, size_t>, count_exchanges<N>()> found{};
    size_t n = 0;
    each_exchange<N>([&](size_t low, size_t high) { found[n++] = {low, high}; });
    return found;
}

template <size_t N>
void sort_network(double* values) {
    constexpr auto exchanges = list_exchanges<N>();
    double v[N];
    for (size_t i = 0; i < N; ++i) v[i] = values[i];
    [&]<size_t... At>(std::index_sequence<At...>) {
        auto exchange = [](double& a, double& b) {
            const double low = b < a ? b : a, high = a < b ? b : a;  // one instruction each
            a = low, b = high;
        };
        (exchange(v[exchanges[At].first], v[exchanges[At].second]), ...);
    }(std::make_index_sequence<exchanges.size()>{});
    for (size_t i = 0; i < N; ++i) values[i] = v[i];
}

}  // namespace aspectrum
