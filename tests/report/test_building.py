"""From results to the content of a report: the numbers are those of the comparison, and no sentence says more than its tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.report.building import Origin, report_of
from aspectrum.report.page import page
from aspectrum.report.writing import as_comparison

ITEMS = [f"i{item}" for item in range(40)]
GENRES = {item: [f"g{place % 5}", f"g{place % 3}"] for place, item in enumerate(ITEMS)}
HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'name' & more",
    "😀 emoji",
    "שלום \u202eright to left",
    "x" * 10_000,
    "\x1b[31mred\x1b[0m\n",
    r"\input{secret} $x$ #1",
)


def lists_of(seed: int, n_users: int, quality: float = 0.0) -> dict[str, list[str]]:
    """Lists in which relevant items come first with some probability."""
    found = {}
    for user in range(n_users):
        random = np.random.default_rng([seed, user])
        relevant = relevant_to(user)
        others = [ITEMS[place] for place in random.permutation(len(ITEMS)) if ITEMS[place] not in relevant]
        found[f"u{user:03}"] = (relevant + others if random.random() < quality else others)[:10]
    return found


def relevant_to(user: int) -> list[str]:
    return [ITEMS[place] for place in np.random.default_rng([99, user]).permutation(len(ITEMS))[:4]]


def truth_of(n_users: int) -> dict[str, Any]:
    return {
        "aspects": GENRES,
        "relevance": {f"u{user:03}": relevant_to(user) for user in range(n_users)},
        "history": {f"u{user:03}": ITEMS[user % 30 : user % 30 + 1 + user % 9] for user in range(n_users)},
        "catalogue": ITEMS,
        "ignore": ["seen_items", "test_in_train"],
    }


def evaluated(
    systems: Mapping[str, Any], metrics: Any = ("NDCG@1,5,10", "AspectRecall@5", "ILD@5", "GiniComplement@5"), n: int = 60
) -> Any:
    return asp.evaluate_systems(dict(systems), metrics if isinstance(metrics, str) else list(metrics), **truth_of(n))


@pytest.fixture(scope="module")
def results() -> asp.SystemResults:
    found: asp.SystemResults = evaluated({"weak": lists_of(1, 60, 0.1), "middle": lists_of(2, 60, 0.5), "strong": lists_of(3, 60, 0.9)})
    return found


@pytest.fixture(scope="module")
def comparison(results: asp.SystemResults) -> asp.Comparison:
    return asp.compare(results, "weak", segments=["activity", "breadth", "mainstreaminess"])


def test_numbers_are_those_of_the_comparison(results: asp.SystemResults, comparison: asp.Comparison) -> None:
    report = report_of(comparison)
    for name in comparison.metrics:
        for system in comparison.systems:
            assert report.scores[name][system].value == results[system][name]
        for system, difference in report.differences[name].items():
            found = comparison[name, system]
            assert (difference.difference, difference.interval, difference.p_adjusted) == (
                found.difference,
                found.interval,
                found.p_adjusted,
            )
            assert difference.mark == ({True: "higher" if found.difference > 0 else "lower", False: "same", None: None}[found.significant])
    curve = next(one for one in report.curves if one.key == "NDCG@10" or one.key == "NDCG@1")
    assert curve.cutoffs == (1, 5, 10)
    assert curve.values["strong"] == tuple(results["strong"][f"NDCG@{k}"] for k in (1, 5, 10))
    assert report.lorenz is not None
    for system, gini in report.lorenz.gini.items():
        counts = np.zeros(len(ITEMS))
        for items in {"weak": lists_of(1, 60, 0.1), "middle": lists_of(2, 60, 0.5), "strong": lists_of(3, 60, 0.9)}[system].values():
            for item in items:
                counts[ITEMS.index(item)] += 1
        n, ordered = len(counts), np.sort(counts)
        assert gini == pytest.approx(((2 * np.arange(1, n + 1) - n - 1) * ordered).sum() / (n - 1) / ordered.sum())
    share = next(one for one in report.aspects if one.aspect == "g0")
    assert share.catalogue == pytest.approx(sum("g0" in genres for genres in GENRES.values()) / len(ITEMS))


def test_distributions_hold_every_user(comparison: asp.Comparison) -> None:
    report = report_of(comparison)
    for one in report.distributions:
        for distribution in one.systems.values():
            assert sum(distribution.counts) == 60
            assert one.low <= distribution.quartiles[0] <= distribution.quartiles[2] <= one.high


def test_segments_hold_every_user_once(comparison: asp.Comparison) -> None:
    for one in report_of(comparison).segmentations:
        assert sum(segment.users for segment in one.segments) == 60
        assert all((segment.intervals["weak"] is None) == (segment.users < 10) for segment in one.segments)


def test_findings_are_true_by_the_tables(comparison: asp.Comparison) -> None:
    found = {finding.heading: finding for finding in report_of(comparison).findings}
    accurate = found["Most accurate"]
    assert accurate.fact == "strong" == comparison.standings["NDCG@10"].best
    assert f"nDCG@10 {comparison.scores['NDCG@10']['strong'].value:.4f}" in accurate.evidence
    assert all(comparison.beats("NDCG@10", "strong", other) for other in ("weak", "middle"))


def test_no_claim_without_a_test() -> None:
    few = as_comparison(evaluated({"a": lists_of(1, 5, 0.0), "b": lists_of(2, 5, 1.0)}, n=5))
    report = report_of(few)
    assert report.findings == ()
    assert report.tested_by == ""
    assert all(
        one.mark is None and one.interval is None and "too few users" in one.note
        for row in report.differences.values()
        for one in row.values()
    )


def test_accuracy_kept_needs_proof() -> None:
    """The same relevant items on top, then more genres: accuracy is kept. Where some lists lose them, no finding says so."""
    base = lists_of(1, 60, 1.0)
    one_genre = [item for item in ITEMS if GENRES[item] == ["g0", "g0"]]
    narrow = {user: [*items[:4], *(item for item in one_genre if item not in items[:4])] for user, items in base.items()}
    metrics = {"accuracy": asp.NDCG(k=4), "diversity": asp.AspectRecall(k=10, judged_by="membership")}
    kept = asp.compare(asp.evaluate_systems({"narrow": narrow, "wide": base}, metrics, **truth_of(60)), "narrow")
    (finding,) = (one for one in report_of(kept).findings if one.heading == "More diverse, accuracy kept")
    assert finding.fact == "wide"
    assert "more than 1 % is excluded" in finding.evidence
    losing = {user: items[4:] + items[:4] if place % 15 == 0 else items for place, (user, items) in enumerate(base.items())}
    unclear = asp.compare(asp.evaluate_systems({"narrow": narrow, "wide": losing}, metrics, **truth_of(60)), "narrow")
    assert unclear["accuracy", "wide"].significant is False
    (finding,) = (one for one in report_of(unclear).findings if one.heading.startswith("More diverse"))
    assert finding.heading == "More diverse, no significant loss"
    interval = unclear["accuracy", "wide"].relative_interval
    assert interval is not None
    assert f"a loss of up to {-100 * interval[0]:.1f} % is not excluded" in finding.evidence


def test_nothing_is_claimed_where_metrics_disagree() -> None:
    """More genres, but items that are less far apart."""
    base = lists_of(1, 60, 1.0)
    one_genre = [item for item in ITEMS if GENRES[item] == ["g0", "g0"]]
    narrow = {user: [*items[:4], *(item for item in one_genre if item not in items[:4])] for user, items in base.items()}
    places = {item: place + 1 if item in one_genre else 0 for place, item in enumerate(ITEMS)}
    features = {item: np.eye(len(ITEMS) + 1)[place] for item, place in places.items()}
    metrics = ["NDCG@4", "AspectRecall(judged_by=membership)@10", "ILD@10"]
    found = asp.compare(asp.evaluate_systems({"narrow": narrow, "wide": base}, metrics, features=features, **truth_of(60)), "narrow")
    recall, distance = (found[name, "wide"] for name in metrics[1:])
    assert recall.significant and distance.significant and recall.difference > 0 > distance.difference
    assert not any(one.heading.startswith("More diverse") for one in report_of(found).findings)


EDGES: dict[str, Any] = {
    "two users": lambda: evaluated({"a": lists_of(1, 2), "b": lists_of(2, 2)}, n=2),
    "one system": lambda: evaluated({"alone": lists_of(1, 60)}),
    "identical": lambda: evaluated({"a": lists_of(1, 60), "b": lists_of(1, 60)}),
    "one metric": lambda: evaluated({"a": lists_of(1, 60), "b": lists_of(2, 60)}, "NDCG@5"),
    "whole-system metric only": lambda: evaluated({"a": lists_of(1, 60), "b": lists_of(2, 60)}, "GiniComplement@5"),
    "thirty systems": lambda: evaluated({f"system {place}": lists_of(place, 60, place / 40) for place in range(30)}),
    "all undefined": lambda: asp.evaluate_systems(
        {"a": lists_of(1, 20), "b": lists_of(2, 20)}, ["Recall@5", "ILD@5"], relevance={"nobody": ["i1"]}, aspects=GENRES, catalogue=ITEMS, ignore=["unknown", "no_list"]
    ),
    "hostile names": lambda: evaluated({name: lists_of(place, 60, place / 10) for place, name in enumerate(HOSTILE)}),
}  # fmt: skip


@pytest.mark.parametrize("edge", EDGES)
def test_edge_states_make_a_page(edge: str) -> None:
    comparison = as_comparison(EDGES[edge]())
    text = page(report_of(comparison, Origin(titles=dict(zip(ITEMS, ITEMS, strict=True)))))
    assert text == page(report_of(comparison, Origin(titles=dict(zip(ITEMS, ITEMS, strict=True)))))
    assert "<script>alert(1)" not in text
    assert "\x1b" not in text
    assert text.count("<h1") == 1
    if edge == "identical":
        assert "identical for all users" in unescape(text)
    if edge == "two users":
        assert "too few users to test" in unescape(text)


def test_what_is_left_out_is_named(results: asp.SystemResults, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    results.write_per_user(path)
    report = report_of(asp.compare(path, "weak"))
    assert report.lorenz is None and not report.aspects and not report.lists and not report.segmentations
    said = " ".join(remark.text for remark in report.remarks)
    assert "segments= adds them" in said and "saved results" in said


def test_skewed_differences_change_no_number() -> None:
    lists = {f"u{user}": ["a", "b"] for user in range(40)}
    skewed = lists | {"u0": ["b", "a"]}
    relevance = {user: ["a"] for user in lists}
    with pytest.warns(asp.AspectrumWarning, match="skewed"):
        compared = asp.compare(asp.evaluate_systems({"A": lists, "B": skewed}, "NDCG@2", relevance=relevance))
    assert [remark.may_change_numbers for remark in report_of(compared).remarks if "skewed" in remark.text] == [False]


def test_lists_of_single_users(comparison: asp.Comparison) -> None:
    titles = {item: f"Title of {item}" for item in ITEMS}
    report = report_of(comparison, Origin(titles=titles))
    kinds = {pair.kind: pair for pair in report.lists}
    assert kinds.keys() == {"gain", "loss", "typical"}
    gain = kinds["gain"]
    found = comparison[gain.key, gain.lists[1].system]
    assert found.largest_gain is not None
    assert gain.user == found.largest_gain[0]
    assert gain.difference == pytest.approx(found.largest_gain[1])
    assert all(item.title.startswith("Title of") for shown in gain.lists for item in shown.items)
    first = [item.aspects for item in gain.lists[0].items]
    seen: set[str] = set()
    for aspects in first:
        assert all(is_new == (aspect not in seen) for aspect, is_new in aspects)
        seen |= {aspect for aspect, _ in aspects}


def test_plots_of_every_kind(comparison: asp.Comparison, results: asp.SystemResults, tmp_path: Path) -> None:
    for of in (comparison, results):
        for chart in (
            of.plot.trade_off(),
            of.plot.trade_off("ILD@5"),
            of.plot.differences("ILD@5"),
            of.plot.cutoffs(),
            of.plot.lorenz(),
            of.plot.aspects(),
        ):
            assert chart.to_svg().startswith("<svg")
        of.plot.distribution("NDCG@5").save(tmp_path / "distribution.svg")
    comparison.plot.segments("ILD@5").save(tmp_path / "segments.svg")
    with pytest.raises(asp.InputError, match="segments='activity'"):
        results.plot.segments()
    with pytest.raises(asp.InputError, match="two systems"):
        results["weak"].plot.trade_off()
    with pytest.raises(asp.InputError, match="no such chart"):
        results.plot.distribution("GiniComplement@5")


def test_report_from_every_door(comparison: asp.Comparison, results: asp.SystemResults, tmp_path: Path) -> None:
    for name, of in {"comparison": comparison, "systems": results, "system": results["weak"]}.items():
        path = tmp_path / f"{name}.html"
        of.write_report(path, title=f"Of a {name}")
        assert f"<title>Of a {name}" in path.read_text(encoding="utf-8")


def test_undefined_is_not_a_number() -> None:
    report = report_of(as_comparison(EDGES["all undefined"]()))
    assert math.isnan(report.scores["Recall@5"]["a"].value)
    assert report.scores["Recall@5"]["a"].reason
