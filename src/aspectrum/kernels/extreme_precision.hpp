// Least and greatest average precision of aspects over all orders of items with equal scores.
#pragma once

#include "aspects.hpp"
#include "extreme_gains.hpp"

namespace aspectrum {

// What an item adds to the average precision of its aspects, but for 1 / rank, rises with what was shown before.
class RisingPrecision {
    const AspectTotals* totals_;
    std::vector<double> available_, seen_;

  public:
    static constexpr bool kFall = false;

    RisingPrecision(const Cover& cover, const AspectTotals& totals)
        : totals_(&totals), available_(cover.most_aspects()), seen_(cover.most_aspects()) {}

    template <class View>
    void begin(const View& view, int64_t user) {
        totals_->each_in_pool(view, user, [&](int32_t i) { available_[i] += 1.0; });
    }
    template <class View>
    void end(const View& view, int64_t user, const int32_t* rows, int64_t n) {
        totals_->each_in_pool(view, user, [&](int32_t i) { available_[i] = 0.0; });
        for (int64_t p = 0; p < n; ++p)
            if (rows[p] >= 0) view.each(rows[p], [&](int32_t i, double) { seen_[i] = 0.0; });
    }

    static constexpr bool constant() { return false; }
    static constexpr bool powers() { return false; }

    template <class View>
    double gain(const View& view, int32_t row) const {
        view.terms.clear();
        view.each(row, [&](int32_t i, double) { view.terms.add(worth(view, i)); });
        return view.terms.sum();
    }
    template <class View>
    void take(const View& view, int32_t row) {
        view.each(row, [&](int32_t i, double) { seen_[i] += 1.0; });
    }
    template <class View>
    double worth(const View& view, int32_t aspect) const {
        return share(view, aspect) * (seen_[aspect] + 1.0);
    }
    static double strength(double) { return 1.0; }  // a judgment of any strength counts
    static double kept(double) { return 1.0; }
    template <class View>
    void fill(const View& view, int32_t aspect, double, double, int64_t items, std::vector<double>& out) const {
        for (int64_t m = 0; m <= items; ++m) out.push_back(share(view, aspect) * (seen_[aspect] + 1.0 + static_cast<double>(m)));
    }

  private:
    template <class View>
    double share(const View& view, int32_t aspect) const {
        const double available = totals_->totals ? totals_->totals->data()[aspect] : available_[aspect];
        return available > 0.0 ? view.left[aspect] / available : 0.0;
    }
};

// Least and greatest sum over aspects of weight * average precision, as average_precisions() finds it where nothing is tied above a stop.
inline Extremes::Arrays extreme_precisions(const Cover& cover, Ties tied_, Matrix<int32_t> stops_,
                                           std::optional<Array<int64_t>> pool_offsets, std::optional<Array<int32_t>> pool_rows,
                                           std::optional<Array<double>> totals, int64_t work) {
    const Stops stops = check_stops(stops_, cover.offsets);
    const uint8_t* tied = check_ties(tied_, cover.rows);
    const int64_t* offsets = cover.offsets.data();
    require(work >= 0, "a negative limit of work");
    const auto plain = average_precisions(cover, stops_, pool_offsets, pool_rows, totals);
    const AspectTotals available{pool_offsets, pool_rows, totals};
    int64_t deepest = 0;
    for (int64_t u = 0; u < cover.users; ++u) deepest = std::max<int64_t>(deepest, stops.last(u));
    std::vector<double> discounts(deepest);
    for (int64_t j = 0; j < deepest; ++j) discounts[j] = 1.0 / static_cast<double>(j + 1);
    Extremes out(cover.users, stops.cutoffs);
    {
        nb::gil_scoped_release release;
        with_views(cover, [&](auto make_view) {
            auto make_scratch = [&] {
                return std::make_pair(make_view(), TiedGains<RisingPrecision>(cover, RisingPrecision(cover, available)));
            };
            parallel_for(cover.users, 64, make_scratch, [&](auto& scratch, int64_t begin, int64_t end) {
                auto& [view, group] = scratch;
                for (int64_t u = begin; u < end; ++u) {
                    const int32_t* rows = cover.rows.data() + offsets[u];
                    const uint8_t* tie = tied + offsets[u];
                    const int64_t at = u * stops.cutoffs, length = offsets[u + 1] - offsets[u];
                    int64_t untied = length > 0;  // places before the first group of equal scores
                    while (untied < length && !tie[untied]) ++untied;
                    if (untied < length) --untied;
                    if (stops.last(u) > untied) {
                        view.begin(u);
                        group.rule().begin(view, u);
                        group.score(view, rows, tie, length, stops.of(u), stops.cutoffs, discounts.data(), work, out.least.data() + at,
                                    out.greatest.data() + at, out.proved.data() + at);
                        group.rule().end(view, u, rows, length);
                        view.end(u);
                    }
                    for (int64_t c = 0; c < stops.cutoffs && stops.of(u)[c] <= untied; ++c) {
                        out.least[at + c] = out.greatest[at + c] = plain.data()[at + c];
                        out.proved[at + c] = 1;
                    }
                }
            });
        });
    }
    return std::move(out).arrays();
}

}  // namespace aspectrum
