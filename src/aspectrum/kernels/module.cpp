// The kernels as Python sees them; _kernels.pyi holds their types and says what they do.
#include "aspects.hpp"
#include "best_coverage.hpp"
#include "budget.hpp"
#include "cover.hpp"
#include "distances.hpp"
#include "divergences.hpp"
#include "eigenvalues.hpp"
#include "exact.hpp"
#include "expected_coverage.hpp"
#include "expected_gains.hpp"
#include "expected_precision.hpp"
#include "extreme_coverage.hpp"
#include "extreme_gains.hpp"
#include "extreme_precision.hpp"
#include "gains.hpp"
#include "graphs.hpp"
#include "greedy_lists.hpp"
#include "ids.hpp"
#include "lanes.hpp"
#include "lists.hpp"
#include "orders.hpp"
#include "pairs.hpp"
#include "parquet.hpp"
#include "resampling.hpp"
#include "set_distances.hpp"
#include "sums.hpp"
#include "tables.hpp"
#include "text.hpp"
#include "vectors.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace aspectrum {
namespace {

using namespace nb::literals;

TableFormat table_format(const std::string& separator, bool quoted) {
    require(separator.size() <= 1, "a separator is one byte, or none");
    require(!quoted || !separator.empty(), "quotes need a separator");
    return {separator.empty() ? '\0' : separator[0], quoted};
}

nb::tuple columns_of_table(const nb::bytes& text, const std::string& separator, bool quoted, int64_t width, int64_t records, int64_t skip,
                           const std::vector<int64_t>& ids, const std::vector<int64_t>& numbers) {
    const TableFormat format = table_format(separator, quoted);
    TableColumns columns;
    {
        nb::gil_scoped_release release;
        columns = read_columns(text.c_str(), text.c_str() + text.size(), format, {width, records, skip, ids, numbers});
    }
    nb::list id_columns, number_columns;
    for (size_t c = 0; c < columns.codes.size(); ++c)
        id_columns.append(nb::make_tuple(to_array(std::move(columns.codes[c])), columns.texts[c]));
    for (auto& column : columns.numbers) number_columns.append(to_array(std::move(column)));
    return nb::make_tuple(id_columns, number_columns, columns.ragged);
}

nb::list record_of_table(const nb::bytes& text, const std::string& separator, bool quoted, int64_t width, int64_t record) {
    TableScanner<false> scanner(text.c_str(), text.c_str() + text.size(), table_format(separator, quoted));
    nb::list cells;
    for (int64_t row = 0; scanner.next_record(); ++row) {
        if (row != record) {
            scanner.end_record();
            continue;
        }
        for (int64_t place = 0; place < width; ++place) {
            const std::string cell = scanner.next_cell().text();
            cells.append(nb::bytes(cell.data(), cell.size()));
        }
        break;
    }
    return cells;
}

void raise_for_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_machine(nb::module_& m) {
    ask_python = raise_for_signals;
    m.def("set_threads", [](int n) { return std::exchange(thread_limit, std::max(0, n)); }, "n"_a);
    m.def("threads", &threads);
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const auto& build : runnable_loops()) names.emplace_back(build.name);
        return names;
    });
    m.def(
        "use_instructions",
        [](const std::string& name) {
            for (const auto& build : runnable_loops())
                if (name == build.name) return chosen_loops.store(build.loops);
            throw std::invalid_argument("this CPU cannot run " + name);
        },
        "name"_a);
}

void bind_gains(nb::module_& m) {
    nb::class_<Cover>(m, "Cover")
        .def(nb::init<Array<int64_t>, Array<int32_t>, Array<int64_t>, Array<int32_t>, int64_t, std::optional<Array<double>>,
                      std::optional<Array<uint64_t>>, std::optional<Array<uint64_t>>, std::optional<Array<int64_t>>,
                      std::optional<Array<int32_t>>, std::optional<Array<double>>, bool>(),
             "offsets"_a, "rows"_a, "set_offsets"_a, "set_codes"_a, "n_aspects"_a, nb::kw_only(), "strengths"_a = nb::none(),
             "masks"_a = nb::none(), "interests"_a = nb::none(), "wanted_offsets"_a = nb::none(), "wanted_codes"_a = nb::none(),
             "wanted_weights"_a = nb::none(), "in_code_order"_a = false);

    m.def("fit", &fit, "offsets"_a, "lengths"_a, "budget"_a, "skip"_a);
    m.def("log_discounts", &log_discounts, "rank"_a, "n"_a, "base"_a);
    m.def("place_gains", &place_gains, "cover"_a, "stops"_a, "alpha"_a, "gamma"_a = nb::none());
    m.def("discounted_sums", &discounted_sums, "offsets"_a, "gains"_a, "stops"_a, "discounts"_a);
    m.def("sorted_sums", &sorted_sums, "offsets"_a, "values"_a, "windows"_a, "depths"_a, "discounts"_a);
    m.def("extreme_gains", &extreme_gains, "cover"_a, "tied"_a, "stops"_a, "alpha"_a, "discounts"_a, "work"_a = kExtremeWork);
}

void bind_greedy(nb::module_& m) {
    m.def("greedy_pools", &greedy_pools, "cover"_a, "offsets"_a, "rows"_a, "heads"_a, "depths"_a, "discounts"_a, "alpha"_a,
          "gamma"_a = nb::none());
    m.def("greedy_catalogue", &greedy_catalogue, "cover"_a, "sets"_a, "member_offsets"_a, "member_heads"_a, "n_heads"_a,
          "excluded_offsets"_a = nb::none(), "excluded_heads"_a = nb::none(), nb::kw_only(), "depths"_a, "discounts"_a, "alpha"_a,
          "gamma"_a = nb::none());
    m.def("greedy_pool_lists", &greedy_pool_lists, "cover"_a, "offsets"_a, "rows"_a, "heads"_a, "depth"_a, "alpha"_a,
          "gamma"_a = nb::none());
    m.def("greedy_catalogue_lists", &greedy_catalogue_lists, "cover"_a, "sets"_a, "member_offsets"_a, "member_heads"_a, "n_heads"_a,
          "excluded_offsets"_a = nb::none(), "excluded_heads"_a = nb::none(), nb::kw_only(), "depth"_a, "alpha"_a, "gamma"_a = nb::none());
    m.def("distinct_sets", &distinct_sets, "cover"_a, "order"_a, "heads"_a);
}

void bind_exact(nb::module_& m) {
    nb::class_<Stop>(m, "Stop")
        .def(nb::init<>())
        .def("set", [](Stop& stop) { stop.raised.store(true); })
        .def("is_set", [](const Stop& stop) { return stop.raised.load(); });
    nb::class_<Certificate>(m, "Certificate")
        .def_ro("best", &Certificate::best)
        .def_ro("upper", &Certificate::upper)
        .def_ro("greedy", &Certificate::greedy)
        .def_ro("proved", &Certificate::proved)
        .def_ro("work", &Certificate::work)
        .def_ro("list", &Certificate::list)
        .def_ro("depth", &Certificate::depth);
    nb::class_<Problem> problems(m, "Problem");
    problems
        .def_prop_ro(
            "weights", [](const Problem& problem) { return to_array(std::vector<double>(problem.weights)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "offsets", [](const Problem& problem) { return to_array(std::vector<int64_t>(problem.offsets)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "aspects", [](const Problem& problem) { return to_array(std::vector<int32_t>(problem.aspects)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "strengths",
            [](const Problem& problem) -> std::optional<Out<double>> {
                if (problem.strengths.empty()) return std::nullopt;
                return to_array(std::vector<double>(problem.strengths));
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "copies", [](const Problem& problem) { return to_array(std::vector<int64_t>(problem.copies)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "rows", [](const Problem& problem) { return to_array(std::vector<int32_t>(problem.rows)); }, nb::rv_policy::automatic)
        .def_prop_ro("n_items", &Problem::n_items)
        .def_prop_ro("key",
                     [](const Problem& problem) {
                         const std::string key = problem.key();
                         return nb::bytes(key.data(), key.size());
                     })
        .def(
            "solve",
            [](const Problem& problem, int64_t depth, Array<double> discounts, double alpha, double budget, const Stop* stop) {
                require(std::min(depth, problem.n_items()) <= static_cast<int64_t>(discounts.shape(0)), "not enough discounts");
                for (size_t j = 1; j < discounts.shape(0); ++j)
                    require(discounts.data()[j] <= discounts.data()[j - 1], "discounts must not rise");
                require(alpha >= 0.0 && alpha <= 1.0, "alpha must be 0 to 1");
                nb::gil_scoped_release release;
                return solve_exactly(problem, depth, discounts.data(), alpha, budget, stop);
            },
            "depth"_a, "discounts"_a, "alpha"_a, "budget"_a, "stop"_a = nb::none());
    problems.def_ro("n_fitting", &Problem::n_fitting)
        .def_prop_ro(
            "lengths", [](const Problem& problem) { return to_array(std::vector<int64_t>(problem.lengths)); }, nb::rv_policy::automatic)
        .def(
            "best_coverage",
            [](const Problem& problem, double budget, const Stop* stop) {
                require(problem.n_fitting >= 0, "this problem has no limit");
                return CoverageSearch(problem, budget, stop).solve();
            },
            "budget"_a, "stop"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>());
}

void bind_problems(nb::module_& m) {
    nb::class_<ContextProblems>(m, "ContextProblems")
        .def(nb::init<Cover, Array<int64_t>, Array<int32_t>, Array<int64_t>, int64_t, bool>(), "cover"_a, "offsets"_a, "rows"_a,
             "lengths"_a, "capacity"_a, "shared"_a)
        .def("of", &ContextProblems::of, "user"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<PoolProblems>(m, "PoolProblems")
        .def(nb::init<const Cover&, Array<int64_t>, Array<int32_t>>(), "cover"_a, "offsets"_a, "rows"_a)
        .def("of", &PoolProblems::of, "user"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<CatalogueProblems>(m, "CatalogueProblems")
        .def(nb::init<const Cover&, Array<int32_t>, Array<int64_t>, Array<int32_t>, int64_t, std::optional<Array<int64_t>>,
                      std::optional<Array<int32_t>>>(),
             "cover"_a, "sets"_a, "member_offsets"_a, "member_heads"_a, "n_heads"_a, "excluded_offsets"_a = nb::none(),
             "excluded_heads"_a = nb::none())
        .def("of", &CatalogueProblems::of, "user"_a, nb::call_guard<nb::gil_scoped_release>());
}

void bind_aspects(nb::module_& m) {
    m.def("covered_aspects", &covered_aspects, "cover"_a, "stops"_a);
    m.def("covered_questions", &covered_questions, "cover"_a, "stops"_a, "aspect_offsets"_a, "firsts"_a, "weights"_a);
    m.def("extreme_coverage", &extreme_coverage, "cover"_a, "tied"_a, "stops"_a, "aspect_offsets"_a = nb::none(), "firsts"_a = nb::none(),
          "weights"_a = nb::none(), "work"_a = kExtremeWork);
    m.def("average_precisions", &average_precisions, "cover"_a, "stops"_a, "pool_offsets"_a = nb::none(), "pool_rows"_a = nb::none(),
          "totals"_a = nb::none());
    m.def("extreme_precisions", &extreme_precisions, "cover"_a, "tied"_a, "stops"_a, "pool_offsets"_a = nb::none(),
          "pool_rows"_a = nb::none(), "totals"_a = nb::none(), "work"_a = kExtremeWork);
    m.def("aspect_ndcgs", &aspect_ndcgs, "cover"_a, "stops"_a, "discounts"_a, "depths"_a, "pool_offsets"_a = nb::none(),
          "pool_rows"_a = nb::none(), "ideals"_a = nb::none());
    m.def("union_masks", &union_masks, "offsets"_a, "rows"_a, "masks"_a);
    m.def("aspect_counts", &aspect_counts, "offsets"_a, "rows"_a, "set_offsets"_a, "set_codes"_a, "n_aspects"_a);
    m.def("aspect_sums", &aspect_sums, "offsets"_a, "rows"_a, "stops"_a, "discounts"_a, "set_offsets"_a, "set_codes"_a, "shares"_a.none(),
          "n_aspects"_a, "in_order"_a);
    m.def("divergences", &divergences, "first_offsets"_a, "first_codes"_a, "first_shares"_a, "second_offsets"_a, "second_codes"_a,
          "second_shares"_a, "left"_a, "right"_a, "kind"_a, "alpha"_a, "both"_a, "base"_a);
    m.def("logarithms", &logarithms, "values"_a, "base"_a);
    m.def("powers", &powers, "base"_a, "exponents"_a);
    m.def("binomial_tails", &binomial_tails, "p"_a, "n"_a, "k"_a);

    m.def("judged_rows", &judged_rows, "offsets"_a, "items"_a, "aspects"_a, "counts"_a);
    m.def("number_codes", &number_codes, "offsets"_a, "codes"_a, "n_codes"_a);
}

void bind_orders(nb::module_& m) {
    m.def("expected_gains", &expected_gains, "cover"_a, "stops"_a, "tied"_a, "alpha"_a);
    m.def("expected_coverage", &expected_coverage, "cover"_a, "stops"_a, "tied"_a);
    m.def("expected_questions", &expected_questions, "cover"_a, "stops"_a, "tied"_a, "aspect_offsets"_a, "firsts"_a, "weights"_a);
    m.def("expected_average_precisions", &expected_average_precisions, "cover"_a, "stops"_a, "tied"_a, "pool_offsets"_a = nb::none(),
          "pool_rows"_a = nb::none(), "totals"_a = nb::none());
    m.def("ordered_values", &ordered_values, "offsets"_a, "values"_a, "tied"_a);
    m.def("expected_sums", &expected_sums, "offsets"_a, "values"_a, "tied"_a, "stops"_a, "discounts"_a);
    m.def("ordered_precisions", &ordered_precisions, "offsets"_a, "hits"_a, "tied"_a);
    m.def("first_hits", &first_hits, "offsets"_a, "hits"_a, "tied"_a);
    m.def("count_tied", &count_tied, "offsets"_a, "stops"_a, "tied"_a);
}

void bind_distances(nb::module_& m) {
    m.def("dense_lengths", &dense_lengths<float>, "values"_a);
    m.def("dense_lengths", &dense_lengths<double>, "values"_a);
    m.def("dense_squares", &dense_squares<float>, "values"_a, "lengths"_a, "unit"_a, "offsets"_a, "places"_a, "stops"_a);
    m.def("dense_squares", &dense_squares<double>, "values"_a, "lengths"_a, "unit"_a, "offsets"_a, "places"_a, "stops"_a);
    m.def("dense_pairs", &dense_pairs<float>, "values"_a, "distance"_a, "offsets"_a, "places"_a, "stops"_a);
    m.def("dense_pairs", &dense_pairs<double>, "values"_a, "distance"_a, "offsets"_a, "places"_a, "stops"_a);
    m.def("feature_places", &feature_places, "items"_a, "rows"_a.none(), "lengths"_a, "leave_out_zeros"_a);
    m.def("count_places", &count_places, "offsets"_a, "places"_a, "stops"_a, "value"_a);
    m.def("sparse_lengths", &sparse_lengths, "row_offsets"_a, "columns"_a, "values"_a, "width"_a);
    m.def("sparse_squares", &sparse_squares, "row_offsets"_a, "columns"_a, "values"_a, "width"_a, "lengths"_a, "unit"_a, "offsets"_a,
          "places"_a, "stops"_a);
    m.def("sparse_pairs", &sparse_pairs, "row_offsets"_a, "columns"_a, "values"_a, "width"_a, "distance"_a, "offsets"_a, "places"_a,
          "stops"_a);
}

template <class Vectors>
void bind_vectors(nb::module_& m, const char* name) {
    const nb::class_<Vectors, Distances> bound(m, name);
    m.def("set_distances", &set_distances<Vectors>, "vectors"_a, "nearest"_a, "offsets"_a, "places"_a, "set_offsets"_a, "set_places"_a);
    m.def("pair_extremes", &pair_extremes<Vectors>, "vectors"_a, "greatest"_a, "offsets"_a, "places"_a, "stops"_a);
    m.def("weighted_pairs", &weighted_pairs<Vectors>, "vectors"_a, "offsets"_a, "places"_a, "stops"_a, "outer"_a, "inner"_a, "steps"_a);
    m.def("vendi_scores", &vendi_scores<Vectors>, "vectors"_a, "order"_a, "offsets"_a, "places"_a, "stops"_a);
}

template <class T>
DenseVectors<T> dense_vectors(Matrix<T> values, Array<double> lengths, const std::string& distance) {
    return {values, lengths, distance};
}

void bind_all_vectors(nb::module_& m) {
    const nb::class_<Distances> bound(m, "Vectors");
    bind_vectors<DenseVectors<float>>(m, "FloatVectors");
    bind_vectors<DenseVectors<double>>(m, "DoubleVectors");
    bind_vectors<SparseVectors>(m, "SparseVectors");
    m.def("dense_vectors", &dense_vectors<float>, "values"_a, "lengths"_a, "distance"_a);
    m.def("dense_vectors", &dense_vectors<double>, "values"_a, "lengths"_a, "distance"_a);
    m.def(
        "sparse_vectors",
        [](Array<int64_t> row_offsets, Array<int32_t> columns, Array<double> values, int64_t width, Array<double> lengths,
           const std::string& distance) { return SparseVectors(row_offsets, columns, values, width, lengths, distance); },
        "row_offsets"_a, "columns"_a, "values"_a, "width"_a, "lengths"_a, "distance"_a);
}

void bind_lists(nb::module_& m) {
    m.def("group_rows", &group_rows, "keys"_a, "n_keys"_a);
    m.def("bucket_rows", &bucket_rows, "offsets"_a, "blocks"_a, "items"_a, "numbers"_a, "n_buckets"_a);
    m.def("sort_segments", &sort_segments<int32_t>, "offsets"_a, "rows"_a, "keys"_a, "descending"_a = false, "seconds"_a = nb::none(),
          "seconds_descending"_a = false);
    m.def("sort_segments", &sort_segments<double>, "offsets"_a, "rows"_a, "keys"_a, "descending"_a = false, "seconds"_a = nb::none(),
          "seconds_descending"_a = false);
    m.def("find_runs", &find_runs, "codes"_a);
    m.def("cut_lists", &cut_lists, "offsets"_a, "items"_a, "tied"_a.none(), "depth"_a, "whole_groups"_a = false);
    m.def("all_finite", &all_finite, "values"_a);
    m.def("compare_neighbours", &compare_neighbours, "offsets"_a, "rows"_a, "values"_a);
    m.def("find_repeats", &find_repeats, "offsets"_a, "rows"_a, "keys"_a, "seconds"_a = nb::none());
    m.def("lookup", &lookup, "offsets"_a, "items"_a, "key_offsets"_a, "keys"_a);
    m.def("find_repeat", &find_repeat, "offsets"_a, "items"_a, "n_items"_a);
    m.def("ordered_lists", &ordered_lists, "offsets"_a, "items"_a, "n_items"_a, "ranks"_a = nb::none(), "scores"_a = nb::none(),
          "may_tie"_a = true, "depth"_a = -1);
    m.def("count_items", &count_items, "offsets"_a, "items"_a, "stops"_a, "n_items"_a);
}

void bind_graphs(nb::module_& m) {
    m.def("path_lengths", &path_lengths, "link_offsets"_a, "targets"_a, "back_offsets"_a, "back_targets"_a, "sources"_a, "offsets"_a,
          "items"_a);
    m.def("count_triads", &count_triads, "link_offsets"_a, "targets"_a);
}

void bind_ids(nb::module_& m) {
    m.def("check_parquet", &check_parquet, "file"_a, "begin"_a);
    m.def("code_ids", &code_ids, "stream"_a);
    m.def("number_runs", &number_runs, "stream"_a);
    nb::class_<IdIndex>(m, "IdIndex").def(nb::init<>()).def("__len__", &IdIndex::size).def("join", &IdIndex::join, "stream"_a);
    m.def("order_texts", &order_texts, "stream"_a);
    nb::class_<Texts>(m, "Texts")
        .def("__len__", &Texts::size)
        .def("__arrow_c_array__", [](const Texts& texts, nb::object) { return texts.arrow_array(); }, "requested_schema"_a = nb::none());
    m.def("read_columns", &columns_of_table, "text"_a, "separator"_a, "quoted"_a, "width"_a, "records"_a, "skip"_a, "ids"_a, "numbers"_a);
    m.def("read_record", &record_of_table, "text"_a, "separator"_a, "quoted"_a, "width"_a, "record"_a);
    nb::class_<TableScan>(m, "TableScan")
        .def_ro("records", &TableScan::records)
        .def_prop_ro("problem", [](const TableScan& scan) { return scan.problem; })
        .def_ro("line", &TableScan::line)
        .def_ro("fields", &TableScan::fields);
    m.def(
        "scan_table",
        [](nb::bytes text, const std::string& separator, bool quoted, int64_t fields, int64_t stop) {
            const TableFormat format = table_format(separator, quoted);
            nb::gil_scoped_release release;
            return scan_table(text.c_str(), text.c_str() + text.size(), format, fields, stop);
        },
        "text"_a, "separator"_a, "quoted"_a, "fields"_a = 0, "stop"_a = -1);
    m.def(
        "with_middle_joined",
        [](nb::bytes text, int64_t before, int64_t after, const std::string& separator) {
            require(before >= 0 && after >= 0 && separator.size() == 1, "words before and after, and a separator of one letter");
            std::pair<std::string, int64_t> found;
            {
                nb::gil_scoped_release release;
                found = with_middle_joined(text.c_str(), text.c_str() + text.size(), before, after, separator[0]);
            }
            return nb::make_tuple(nb::bytes(found.first.data(), found.first.size()), found.second);
        },
        "text"_a, "before"_a, "after"_a, "separator"_a);
    m.def("exact_sums", &exact_sums, "values"_a);
}

void bind_resampling(nb::module_& m) {
    m.def("random_words", &random_words, "seed"_a, "purpose"_a, "row"_a, "count"_a);
    m.def("flipped_sums", &flipped_sums, "values"_a, "seed"_a, "first"_a, "rows"_a);
    m.def("resampled_sums", &resampled_sums, "values"_a, "seed"_a, "first"_a, "rows"_a);
}

}  // namespace
}  // namespace aspectrum

NB_MODULE(_kernels, m) {
    using namespace aspectrum;
    nb::set_leak_warnings(false);  // other libraries keep our types in their caches until the very end
    bind_machine(m);
    bind_gains(m);
    bind_greedy(m);
    bind_exact(m);
    bind_problems(m);
    bind_aspects(m);
    bind_orders(m);
    bind_distances(m);
    bind_all_vectors(m);
    bind_lists(m);
    bind_graphs(m);
    bind_ids(m);
    bind_resampling(m);
}
