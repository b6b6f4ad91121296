"""Comparisons against numbers that were worked out elsewhere, one test per key of the file."""

import json
import math
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum import kernels, leave_one_out
from aspectrum.comparison.bootstrap import bootstrap, intervals_of
from aspectrum.comparison.corrections import benjamini_hochberg, holm
from aspectrum.comparison.differences import Procedure, find_differences
from aspectrum.comparison.flips import FlippedPair, SharedFlips, exact_p, on_grid, step_down, sum_of_squares
from aspectrum.comparison.marks import Pareto, Standing, pareto, standing
from aspectrum.comparison.paired import paired, welch
from aspectrum.comparison.scores import Scores
from aspectrum.comparison.segments import Attribute, segment_differences
from tests.comparison.data import METRIC, by_user, coverage_without, pair, result, results, scores_of, users

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
WORDS = ("about", "gates_note")


def near(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def ten_users(**options: Any) -> asp.Difference:
    given = GOLDEN["ten_users"]
    return asp.compare(pair(given["A"], given["B"]), **options)[METRIC, "B"]


def test_every_key_has_a_test() -> None:
    assert {key for key in GOLDEN if f"test_{key}" not in globals()} == set(WORDS)


def test_philox() -> None:
    given = GOLDEN["philox"]
    assert kernels.random_words(7, 0, 5, 5).tolist() == [int(word) for word in given["words_seed7_purpose0_row5"]]
    flipped = kernels.flipped_sums(np.eye(10, dtype=np.int64), 7, 0, 3)
    assert flipped.tolist() == given["flips_seed7_n10"]
    assert kernels.flipped_sums(np.eye(70, dtype=np.int64), 7, 0, 1)[0, 64:].tolist() == given["flips_seed7_n70_row0_places64to69"]
    counts = kernels.resampled_sums(np.eye(10, dtype=np.int64), 7, 0, 2)
    assert counts.tolist() == [np.bincount(drawn, minlength=10).tolist() for drawn in given["resamples_seed7_n10"]]
    # The known answer has counter 0, and rows start at counter 1: one block before, of 2**64 - 1 in the first word, is not reachable.
    assert given["known_answer"]["words_hex"][0] == hex(int(np.random.Philox(key=[0, 0], counter=[2**64 - 1] * 4).random_raw(1)[0]))


def test_pairing() -> None:
    given, expected = GOLDEN["pairing"], GOLDEN["pairing"]["expected"]
    systems = {name: {user: math.nan if score is None else score for user, score in given[name].items()} for name in "AB"}
    found = asp.compare(results(systems), users="common")[METRIC, "B"]
    assert found.n == expected["n"]
    assert (found.undefined_a, found.undefined_b, found.undefined_both) == tuple(
        expected[name] for name in ("undefined_A_only", "undefined_B_only", "undefined_both")
    )
    assert (found.absent_a, found.absent_b) == (expected["absent_A"], expected["absent_B"])
    for own, name in {"mean_a": "mean_A", "mean_b": "mean_B", "difference": "difference", "relative": "relative"}.items():
        assert getattr(found, own) == near(expected[name])
    metric = scores_of(systems, common=True)
    ids = sorted({*given["A"], *given["B"]})
    assert [ids[place] for place in np.flatnonzero(metric.defined.all(axis=1))] == expected["users_of_pair"]
    with pytest.raises(asp.InputError, match="1 users are not in A, 1 users are not in B; such as 'u5', who is not in B"):
        asp.compare(results(systems))


def test_ten_users() -> None:
    given, expected = GOLDEN["ten_users"], GOLDEN["ten_users"]["expected"]
    found = ten_users(correction="none")
    same = {"n": "n", "mean_a": "mean_A", "mean_b": "mean_B", "difference": "difference", "t": "t", "p_t": "p_t", "relative": "relative"}
    same |= {
        "wins": "wins",
        "ties": "ties",
        "losses": "losses",
        "effect_size": "d_z",
        "minimum_detectable": "mde_80",
        "skewness": "skewness",
    }
    for own, name in same.items():
        assert getattr(found, own) == near(expected[name]), own
    assert found.interval == near(expected["t_interval_95"])
    assert found.relative_interval == near(expected["fieller_95"])
    assert found.effect_interval == near(expected["d_z_interval_95"])
    assert (found.p, found.exact) == (expected["flip_exact"]["p"], True)
    ninety = ten_users(level=0.9)
    assert (ninety.interval, ninety.relative_interval) == (near(expected["t_interval_90"]), near(expected["fieller_90"]))
    assert ten_users(test="sign", correction="holm").p == near(expected["sign_test_p"])
    assert ten_users(test="wilcoxon", correction="holm").p == near(expected["wilcoxon_scipy_auto"]["p"])
    assert not any("skewed" in note for note in found.notes) and not expected["skew_warning"]

    d = np.round(np.array(given["B"]) - np.array(given["A"]), 12)
    one = paired(d)
    assert (one.sd, one.se, one.df) == (near(expected["sd"]), near(expected["se"]), expected["df"])
    assert exact_p(d) == (expected["flip_exact"]["count"], expected["flip_exact"]["of"])
    units, _ = on_grid(d, 10)
    flips = FlippedPair(10, int(units.sum()), sum_of_squares(units), kernels.flipped_sums(units[:, np.newaxis], 7, 0, 999), 0, None)
    assert flips.p() == expected["flip_monte_carlo_seed7_m999"]["p"] == (expected["flip_monte_carlo_seed7_m999"]["b"] + 1) / 1000
    drawn, boot = bootstrap(d, seed=7, resamples=999), expected["bootstrap_seed7_B999"]
    assert (drawn.percentile, drawn.bca) == (near(boot["percentile"]), near(boot["bca"]))
    assert (drawn.z0, drawn.a) == (near(boot["z0"]), near(boot["a"]))
    assert ten_users(interval="bca", seed=7, resamples=999).interval == near(boot["bca"])
    assert ten_users(interval="percentile", seed=7, resamples=999).interval == near(boot["percentile"])
    # The approximations are close to what needs the noncentral t.
    assert found.minimum_detectable == pytest.approx(expected["mde_80_noncentral_t"], rel=0.002)
    low, high = expected["d_z_interval_95_noncentral_t"]
    assert found.effect_interval == pytest.approx((low, high), abs=0.02 * (high - low))


def test_gates_ten_users() -> None:
    given = GOLDEN["ten_users"]
    comparison = asp.compare(pair(given["A"], given["B"]))
    for expected in GOLDEN["gates_ten_users"]:
        sign, limit, *relative = expected["gate"].split()
        text = f"{METRIC} {sign} " + (f"{100 * float(limit):g}%" if relative else limit)
        (found,) = comparison.check(text)
        assert found.decision == expected["decision"], text
        assert (found.t, found.p_beyond, found.p_within) == (near(expected["t"]), near(expected["p_fail"]), near(expected["p_pass"]))


def test_tost_ten_users() -> None:
    expected = GOLDEN["tost_ten_users"]
    d = np.array(GOLDEN["ten_users"]["B"]) - np.array(GOLDEN["ten_users"]["A"])
    assert paired(d).equivalence_p(expected["margin"]) == near(expected["p"])


def _bca(key: str, resamples: Any) -> None:
    expected = GOLDEN[key]
    d = np.array(expected["d"])
    units, shift = on_grid(d, len(d))
    found = intervals_of(d, np.array([units[list(one)].sum() for one in resamples]), int(units.sum()), shift)
    assert found.percentile == pytest.approx(expected["percentile"], abs=1e-12)
    assert found.bca == pytest.approx(expected["bca"], abs=1e-12)
    assert (found.z0, found.a) == (near(expected["z0"]), near(expected["a"]))


def test_bca_enumerated() -> None:
    _bca("bca_enumerated", product(range(5), repeat=5))


def test_bca_supplied() -> None:
    expected = GOLDEN["bca_supplied"]
    _bca("bca_supplied", expected["resamples"])
    assert [np.array(expected["d"])[one].mean() for one in expected["resamples"]] == near(expected["means"])


@pytest.mark.parametrize("expected", GOLDEN["degenerate"], ids=lambda one: one["note"])
def test_degenerate(expected: dict[str, Any]) -> None:
    d = np.array(expected["d"], dtype=np.float64)
    systems = pair(np.zeros(len(d)), d) if len(d) else pair([math.nan], [math.nan])
    found = asp.compare(systems, interval="t")[METRIC, "B"]
    assert found.n == len(d)
    if len(d) < 2:
        assert found.difference == (near(d[0]) if len(d) else pytest.approx(math.nan, nan_ok=True))
        assert (found.p, found.p_t, found.interval, found.significant) == (None, None, None, None)
        return
    assert found.t == near(float(expected["t"]))
    assert (found.p_t, found.p) == (near(expected["p_t"]), expected["p_flip"])
    if "interval" in expected:
        assert found.interval == near(expected["interval"])
        assert (found.effect_size, found.minimum_detectable) == (None, None)
        assert asp.compare(systems, interval="bca")[METRIC, "B"].interval == near(expected["interval"])
    assert ("identical for all users" in found.notes) == ("identical" in expected["note"])


def test_float_ties() -> None:
    given = GOLDEN["float_ties"]
    count, total = exact_p(np.array(given["d"]))
    assert count / total == given["p_exact"]


def test_float_ties_2() -> None:
    given = GOLDEN["float_ties_2"]
    equal = [0.5] * 5  # users who tie change nothing, and make enough of them to test
    found = asp.compare(pair([*given["A"], *equal], [*given["B"], *equal]))[METRIC, "B"]
    assert (found.p, found.exact) == (given["p_exact"], True)
    assert (found.p or 0) > 0.05 > given["p_if_floats_are_compared_naively"]


def _units(key: str) -> None:
    expected = GOLDEN[key]
    units, shift = on_grid(np.array(expected["x"]), expected["n"])
    assert (units.tolist(), shift) == (expected["integers"], expected["shift"])


def test_units() -> None:
    _units("units")


def test_units_n20000() -> None:
    _units("units_n20000")


def test_corrections() -> None:
    expected = GOLDEN["corrections"]
    assert holm(expected["p"]) == near(expected["holm"])
    assert benjamini_hochberg(expected["p"]) == near(expected["benjamini_hochberg"])
    assert holm([1 / 10_000] * 540)[0] == near(float(re.findall(r"[\d.]+$", expected["floor_note"])[0]))
    # A comparison without a p-value is not in the family.
    few = by_user([0.1, 0.3] * 5)
    none = dict.fromkeys(few, math.nan)
    systems = {"A": (few, few), "B": ({user: score + 0.1 for user, score in few.items()}, none)}
    made = {name: result({METRIC: own[0], "P@10": own[1]}) for name, own in systems.items()}
    comparison = asp.compare(made, correction="holm")
    assert comparison.found.family_size == 1
    assert comparison["P@10", "B"].p_adjusted is None
    assert comparison[METRIC, "B"].p_adjusted == comparison[METRIC, "B"].p


def test_max_t() -> None:
    given = GOLDEN["max_t"]
    scores = np.array(given["scores[user][system][metric]"])
    names, metrics = ["s0", "s1", "s2"], [METRIC, "P@10"]
    systems = {
        system: result({metric: by_user(scores[:, place, which]) for which, metric in enumerate(metrics)})
        for place, system in enumerate(names)
    }
    keys = [(metrics[int(m)], names[int(b)], names[int(a)]) for m, b, a in (re.findall(r"\d", one) for one in given["comparisons"])]
    comparison = asp.compare(systems, pairs="all")
    found = [comparison.difference(*key) for key in keys]
    assert [abs(one.t or 0) for one in found] == near(given["abs_t"])
    assert [one.p_t for one in found] == near(given["p_t"])
    assert [one.p for one in found] == given["p_flip_exact"]
    assert [one.p_adjusted for one in found] == given["p_max_t_exact_4096"]
    assert comparison.found.critical == near(given["critical_95_exact"])
    assert (comparison.found.exact, comparison.found.flips) == (True, 4096)
    holmed = asp.compare(systems, pairs="all", correction="holm")
    assert [holmed.difference(*key).p_adjusted for key in keys] == near(given["holm_of_p_t"])
    # Random flips, as for more users.
    flips = SharedFlips(12, 1, 999)
    flips.exact, flips.n_flips = False, 999
    grids = [on_grid(scores[:, :, which] - scores[:, :1, which], 12)[0] for which in range(2)]
    first = [flips.add(units) for units in grids]
    sums = flips.sums()
    drawn = []
    for metric, b, a in keys:
        which, at_b, at_a = metrics.index(metric), names.index(b), names.index(a)
        own = grids[which][:, at_b] - grids[which][:, at_a]
        drawn.append(FlippedPair(12, int(own.sum()), sum_of_squares(own), sums, first[which] + at_b, first[which] + at_a))
    stepped = step_down(drawn, [0.0] * len(drawn), exact=False)
    assert stepped.p == given["p_max_t_seed1_m999"]
    assert stepped.critical == near(given["critical_95_seed1_m999"])


def test_pooled() -> None:
    given = GOLDEN["pooled"]
    tops, bottoms = ({name: np.array(given[f"{kind}_{name}"], dtype=float) for name in "AB"} for kind in ("num", "den"))
    systems = {name: by_user(tops[name] / bottoms[name]) for name in "AB"}
    made = asp.SystemResults({name: result({METRIC: systems[name]}, weights={METRIC: by_user(bottoms[name])}) for name in "AB"})
    scores = Scores(made.systems, [METRIC])
    metric = scores.metric(METRIC)
    assert metric.kind == "ratio"
    assert metric.values == near((given["value_A"], given["value_B"]))
    columns = metric.contributions(np.arange(6), [0, 1])
    assert columns[:, 0].tolist() == near(given["contributions_A"])
    assert columns[:, 1].tolist() == near(given["contributions_B"])
    one = paired(columns[:, 1] - columns[:, 0])
    assert (one.mean, one.se, one.t, one.p) == tuple(near(given[name]) for name in ("difference", "se", "t", "p_t"))
    assert one.interval() == near(given["t_interval_95"])
    found = find_differences(scores, "A", Procedure()).differences[METRIC, "B", "A"]
    assert (found.difference, found.effect_size) == (near(given["difference"]), None)


@pytest.mark.parametrize("name", GOLDEN["whole_system"]["expected"])
def test_whole_system(name: str) -> None:
    given, expected = GOLDEN["whole_system"], GOLDEN["whole_system"]["expected"][name]
    without_each = {
        "coverage": coverage_without,
        "gini_complement": leave_one_out.gini_complement_without,
        "entropy": leave_one_out.entropy_without,
    }[name]
    columns = []
    for system in "AB":
        lists = given[f"lists_{system}"]
        items = np.concatenate([np.array(one, dtype=np.int32) for one in lists])
        offsets = np.array([0, *np.cumsum([len(one) for one in lists])], dtype=np.int64)
        without = without_each(np.bincount(items, minlength=given["items"]), offsets, items)
        assert without.tolist() == near(expected[f"leave_one_out_{system}"])
        columns.append(leave_one_out.contributions(expected[f"value_{system}"], without))
        assert columns[-1].tolist() == near(expected[f"contributions_{system}"])
    one = paired(columns[1] - columns[0])
    assert (one.mean, one.se, one.t, one.df, one.p) == tuple(
        near(expected[key]) for key in ("difference", "se_jackknife", "t", "df", "p_t")
    )
    assert one.interval() == near(expected["t_interval_95"])
    if name == "gini_complement":  # through the public doors: lists of ten users are those of five, twice
        systems = {system: dict(zip(users(5), given[f"lists_{system}"], strict=True)) for system in "AB"}
        evaluated = asp.evaluate_systems(systems, "GiniComplement@3", catalogue=list(range(8)))
        found = asp.compare(evaluated)["GiniComplement@3", "B"]
        assert (found.mean_a, found.mean_b) == (near(expected["value_A"]), near(expected["value_B"]))
        (block,) = evaluated["A"].contributions
        assert block.scores[:, 0].tolist() == near(expected["contributions_A"])


def test_segments_ten_users() -> None:
    given, expected = GOLDEN["ten_users"], GOLDEN["segments_ten_users"]
    metric = scores_of({"A": by_user(given["A"]), "B": by_user(given["B"])})
    attribute = Attribute.of("letter", dict(zip(users(10), expected["segment"], strict=True)), users(10))
    rows = segment_differences(metric, attribute, ["A", "B"], 0, 1, 0.95)
    assert [one.difference for one in rows] == near(expected["mean"])
    d = np.array(given["B"]) - np.array(given["A"])
    assert welch([d[:5], d[5:]]) == (near(expected["welch_F"]), *map(near, expected["df"]), near(expected["p"]))


def test_marks() -> None:
    given = GOLDEN["marks"]

    def found(p: dict[str, float]) -> Standing:
        better = sorted(given["means"], key=lambda name: -given["means"][name])
        return standing(given["means"], lambda one, other: better.index(one) < better.index(other) and p[f"{one}-{other}"] <= 0.05)

    assert found(given["p_adjusted"]) == Standing(given["expected"]["best"], tuple(given["expected"]["tie"]), None)
    for case in ("second_case", "third_case"):
        assert found(given[case]["p_adjusted"]) == Standing(given[case]["best"], (), given[case]["second"])


def test_pareto() -> None:
    given = GOLDEN["pareto"]
    points = {name: tuple(point) for name, point in given["points_higher_is_better"].items()}
    found = pareto(points, lambda one, other: [one, other] in given["significantly_better_on_both"])
    assert found == Pareto(tuple(given["front"]), tuple(given["clearly_dominated"]), tuple(given["open"]))


def test_open_ideals() -> None:
    given = GOLDEN["open_ideals"]
    repeated = {kind: {name: by_user(given[f"{kind}_{name}"] * 4) for name in "AB"} for kind in ("score", "least")}
    made = {name: result({METRIC: repeated["score"][name]}, least={METRIC: repeated["least"][name]}) for name in "AB"}
    found = asp.compare(made)[METRIC, "B"]
    assert found.difference == near(given["difference_at_scores"])
    assert found.range == near(given["difference_range"])
    assert np.mean(np.array(given["least_B"]) - np.array(given["least_A"])) == near(given["difference_at_least"])
    assert not any("not equally certain" in note for note in found.notes) and given["shrink_same_for_both"]
