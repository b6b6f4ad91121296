"""Cutoffs in tokens: how they are written, what they do to a list, and who must not take them for ranks."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections import UserDict
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.diagnostics.check import check
from aspectrum.metric_text import split_metrics
from aspectrum.tokens import cutoff_order
from tests.plain import PlainWorld
from tests.strategies import build, checked, inputs_of, worlds

SUBTOPICS = {"q": {"d1": [1], "d2": [2], "d3": [3]}}
LENGTHS = {"d1": 300, "d2": 500, "d3": 300}
LIST = {"q": ["d1", "d2", "d3"]}
TAKING_TOKENS = [name for name, metric in asp.registered().items() if metric.in_tokens is not None]


def evaluated(metrics: Any, lists: Any = LIST, **inputs: Any) -> asp.Results:
    return asp.evaluate(lists, metrics, **{"subtopics": SUBTOPICS, "lengths": LENGTHS, **inputs})


@pytest.mark.parametrize("text", ["AlphaNDCG@4000t", "AspectRecall@1000t,4000t", "AlphaNDCG(partial=share)@10,4000t", "ERRIA@2,7,30t"])
def test_the_text_form_reads_back(text: str) -> None:
    metric = asp.parse(text)
    assert str(metric) == text
    assert asp.parse(str(metric)) == metric
    assert [str(metric.at(cutoff)) for cutoff in metric.cutoffs] == metric.names


def test_cutoffs_are_in_order_and_each_is_there_once() -> None:
    metric = asp.AlphaDCG(k=(-1, asp.Tokens(900), 3, "80t", asp.Tokens(900), 1))  # type: ignore[arg-type]
    assert metric.cutoffs == (1, 3, asp.Tokens(80), asp.Tokens(900), -1)
    assert [cutoff_order(cutoff) for cutoff in metric.cutoffs] == sorted(cutoff_order(cutoff) for cutoff in metric.cutoffs)


def test_several_metrics_in_one_text() -> None:
    text = "AspectRecall@1,700t, AlphaDCG@300t,900t, AlphaNDCG@2"
    assert split_metrics(text) == ["AspectRecall@1,700t", "AlphaDCG@300t,900t", "AlphaNDCG@2"]
    found = evaluated(split_metrics(text))
    assert list(found.columns) == ["AspectRecall@1", "AspectRecall@700t", "AlphaDCG@300t", "AlphaDCG@900t", "AlphaNDCG@2"]


@pytest.mark.parametrize(
    "text", ["AlphaNDCG@0t", "AlphaNDCG@-5t", "AlphaNDCG@4.5t", "AlphaNDCG@4000 tokens", "AlphaNDCG@t", "AlphaNDCG@4kt"]
)
def test_what_is_no_number_of_tokens(text: str) -> None:
    with pytest.raises(asp.MetricError):
        asp.parse(text)


@pytest.mark.parametrize("n", [0, -1, 1.5, math.nan, True, "4", 2**53])
def test_tokens_are_whole_and_positive(n: Any) -> None:
    with pytest.raises(asp.MetricError, match="expected a whole number from 1"):
        asp.Tokens(n)


def test_tokens_are_no_number() -> None:
    """Whoever compares them with a rank, or makes an array of ranks of them, gets an error: 4000t is never rank 4000."""
    tokens: Any = asp.Tokens(4000)
    assert tokens != 4000
    assert not isinstance(tokens, int)
    for misuse in (lambda: tokens < 0, lambda: min(3, tokens), lambda: range(tokens), lambda: np.array([3, tokens], dtype=np.int64)):
        with pytest.raises((TypeError, ValueError)):
            misuse()
    world = asp.World.of(LIST, subtopics=SUBTOPICS, lengths=LENGTHS)
    with pytest.raises(TypeError):
        world.rankings.stops((tokens,))
    with pytest.raises(TypeError):
        world.rankings.depths((3, tokens))


@pytest.mark.parametrize("name", sorted(asp.registered()))
def test_a_metric_that_needs_a_number_of_ranks_refuses_tokens(name: str) -> None:
    if name in TAKING_TOKENS:
        assert asp.parse(f"{name}@40t").budgets == [asp.Tokens(40)]
    else:
        with pytest.raises(asp.MetricError, match=f"^{name}@40t: {name} has no cutoffs in tokens"):
            asp.parse(f"{name}@40t")


def test_a_metric_of_a_user_has_no_cutoffs_in_tokens_by_itself() -> None:
    from aspectrum import metric

    known = dict(metric._registry)
    try:

        class OfMyOwn(asp.UserMetric):
            family = "relevance"

        with pytest.raises(asp.MetricError, match="OfMyOwn has no cutoffs in tokens"):
            OfMyOwn(k=asp.Tokens(5))
    finally:
        metric._registry.clear()
        metric._registry.update(known)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AlphaDCG(normalize=perfect)@40t", "normalize=perfect does not go with cutoffs in tokens, expected none"),
        ("AspectRecall(denominator=k)@40t", "denominator=k does not go with cutoffs in tokens, expected attainable or best"),
        ("AlphaNDCG(pool=list)@40t", "pool=list does not go with cutoffs in tokens"),
        ("AlphaNDCG(ideal=sorted)@40t", "ideal=sorted does not go with cutoffs in tokens"),
        ("AlphaNDCG(gain=probabilistic)@40t", "gain=probabilistic does not go with cutoffs in tokens"),
        ("AlphaNDCG(ideal=exact, seconds=3)@40t", "seconds=3.0 does not go with cutoffs in tokens"),
        ("AlphaDCG(unjudged=condense)@40t", "unjudged=condense does not go with cutoffs in tokens"),
        ("ERRIA(normalize=ideal)@40t", "normalize=ideal does not go with cutoffs in tokens"),
        ("MAP(denominator=k)@40t", "denominator=k does not go with cutoffs in tokens"),
    ],
)
def test_parameters_that_need_a_number_of_ranks(text: str, message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.parse(text)


def test_what_needs_tokens_is_refused_at_ranks() -> None:
    with pytest.raises(asp.MetricError, match=r"partial goes with cutoffs in tokens only, such as AlphaDCG\(partial=keep\)@4000t"):
        evaluated("AlphaDCG(partial=keep)@10")
    with pytest.raises(asp.MetricError, match="denominator=best goes with cutoffs in tokens"):
        evaluated("AspectRecall(denominator=best)@10")
    with pytest.raises(asp.MetricError, match="normalize=best goes with cutoffs in tokens"):
        evaluated("Density(normalize=best)@10")
    assert evaluated("AlphaDCG(partial=keep)@10,700t").details["AlphaDCG(partial=keep)@700t"]["partial"] == "keep"


def test_the_worked_example() -> None:
    """Three documents of 300, 500 and 300 tokens that say one thing each, and room for 700."""
    log3 = 1 / math.log2(3)
    expected = {
        "AlphaDCG(partial={})@700t": (1, 1 + 0.8 * log3, 1 + log3, 1 + log3),
        "AspectRecall(partial={})@700t": (1 / 3, 0.6, 2 / 3, 2 / 3),
        "AlphaNDCG(partial={})@700t": (1 / (1 + log3), (1 + 0.8 * log3) / (1 + log3), 1, 1),
        "AspectRecall(denominator=best, partial={})@700t": (0.5, 0.9, 1, 1),
        "Density(partial={})@700t": (1000 / 300, 1800 / 700, 2000 / 800, 2000 / 600),
    }
    for text, values in expected.items():
        for partial, value in zip(("drop", "share", "keep", "skip"), values, strict=True):
            name = str(asp.parse(text.format(partial)))
            assert evaluated(name)[name] == pytest.approx(value, abs=1e-12), name
    assert round(evaluated("AlphaNDCG@700t")["AlphaNDCG@700t"], 5) == 0.61315


def test_ranks_and_tokens_in_one_metric() -> None:
    """The ideal of ranks stays greedy, that of tokens is exact; each says so."""
    found = evaluated("AlphaNDCG@2,700t")
    assert found["AlphaNDCG@2"] == evaluated("AlphaNDCG@2")["AlphaNDCG@2"]
    assert [found.details[name]["ideal"] for name in found.columns] == ["greedy", "exact"]
    assert found.details["AlphaNDCG@700t"]["proved"] == 1
    assert "partial" not in found.details["AlphaNDCG@2"]
    world = asp.World.of(LIST, subtopics=SUBTOPICS, lengths=LENGTHS)
    assert asp.parse("AlphaNDCG@2,700t").scores(world).tolist() == [list(found.values())]  # type: ignore[attr-defined]


def test_nothing_fits() -> None:
    """A list of which nothing fits covers nothing; a pool of which nothing fits has no best context."""
    found = evaluated(["AlphaDCG@299t", "AspectRecall@299t", "AlphaNDCG@299t", "AspectRecall(denominator=best)@299t", "Density@299t"])
    assert [found["AlphaDCG@299t"], found["AspectRecall@299t"]] == [0, 0]
    for name in list(found.columns)[2:]:
        assert math.isnan(found[name]), name
        assert found.details[name]["undefined"] == 1
    only_first_is_long = evaluated("AlphaNDCG@350t", {"q": ["d2", "d1"]})
    assert only_first_is_long["AlphaNDCG@350t"] == 0


def test_a_document_of_a_list_without_a_length() -> None:
    with pytest.raises(asp.InputError, match=r"no length is given for item 'd3' of the lists \(and 1 more\)"):
        evaluated("AspectRecall@10t", {"q": ["d1", "x", "d3"]}, lengths={"d1": 3})
    with pytest.raises(asp.InputError, match="no length is given for item 'd2' of the pool"):
        evaluated("AlphaNDCG@400t", {"q": ["d1"]}, lengths={"d1": 3, "d3": 4})
    with pytest.raises(asp.MissingInput, match="AlphaDCG@10t needs lengths"):
        evaluated("AlphaDCG@10t", lengths=None)


@pytest.mark.parametrize("tokens", [0, -3, 1.5, math.nan, math.inf, 2.0**53])
def test_a_length_is_a_whole_number_from_1(tokens: float) -> None:
    with pytest.raises(asp.InputError, match=r"d2|NaN|nan|inf"):
        evaluated("AspectRecall@10t", lengths={**LENGTHS, "d2": tokens})


def test_lengths_repeat_as_the_rows_of_lists_do_but_do_not_contradict_one_another() -> None:
    rows = [*LENGTHS.items(), *LENGTHS.items()]
    assert evaluated("AspectRecall@700t", lengths=rows) == evaluated("AspectRecall@700t")
    with pytest.raises(asp.InputError, match="item 'd1' has two lengths, 300 and 400 tokens"):
        evaluated("AspectRecall@700t", lengths=[*rows, ("d1", 400)])


def test_lengths_by_a_tokenizer() -> None:
    texts = {"d1": "one two three", "d2": "one", "d3": "one two"}
    assert asp.lengths_of(texts, "words") == {"d1": 3, "d2": 1, "d3": 2}
    assert asp.lengths_of(texts.items(), list) == {"d1": 13, "d2": 3, "d3": 7}
    given = evaluated("AspectRecall@4t", lengths=(texts, str.split))
    assert given["AspectRecall@4t"] == evaluated("AspectRecall@4t", lengths={"d1": 3, "d2": 1, "d3": 2})["AspectRecall@4t"] == 2 / 3
    with pytest.raises(asp.InputError, match="finds 0 tokens in document 'd4'"):
        asp.lengths_of({"d4": ""}, "words")
    wrong: Any
    for wrong in ("run.jsonl", Path("run.jsonl"), 7):
        with pytest.raises(asp.InputError, match=r"texts is .*, expected \{document: text\}, or pairs of both; files are not read here"):
            asp.lengths_of(wrong, "words")
    for odd in ("d1", b"d1", ("d1",), ("d1", "one", "two"), 7):
        with pytest.raises(asp.InputError, match=rf"found {re.escape(repr(odd))}, expected a pair of a document and its text"):
            asp.lengths_of([odd], "words")  # type: ignore[list-item]
    assert asp.lengths_of(np.array([["a", "x y"], ["b", "z"]]), "words") == {"a": 2, "b": 1}
    with pytest.raises(asp.InputError, match="expected a function of a text, or 'words'"):
        asp.lengths_of(texts, "bert")  # type: ignore[arg-type]
    with pytest.raises(asp.InputError, match="tokenizer is 'word', expected a function of a text, or 'words'"):
        evaluated("AspectRecall@4t", lengths=(texts, "word"))
    frame = polars.DataFrame({"docid": list(texts), "text": list(texts.values())})
    with pytest.raises(asp.InputError, match=r"texts is DataFrame, expected .* such as zip"):
        evaluated("AspectRecall@4t", lengths=(frame, "words"))


class Encoded(UserDict[str, Any]):
    """What tokenizers of models return when they are called."""


@pytest.mark.parametrize(
    "tokenizer",
    [
        lambda text: Encoded(input_ids=text.split(), attention_mask=[1] * len(text.split())),
        lambda text: text,
        str.encode,
        lambda text: np.array([text.split()]),
        lambda text: np.array(len(text)),
    ],
)
def test_what_is_no_list_of_tokens(tokenizer: Any) -> None:
    with pytest.raises(asp.InputError, match=r"expected a list of tokens; of a model's tokenizer, give tokenizer\.encode"):
        asp.lengths_of({"d1": "one two three"}, tokenizer)


@pytest.mark.parametrize(
    "tokenizer", [str.split, lambda text: np.array(text.split()), lambda text: np.int64(len(text.split())), lambda _: 3]
)
def test_what_is_a_list_of_tokens_or_their_number(tokenizer: Any) -> None:
    assert asp.lengths_of({"d1": "one two three"}, tokenizer) == {"d1": 3}


def test_true_is_no_length() -> None:
    for lengths in ({"d1": True, "d2": 5, "d3": 5}, [("d1", np.True_), ("d2", 5), ("d3", 5)]):
        with pytest.raises(asp.InputError, match="lengths: that of item 'd1' is True, expected a whole number from 1"):
            evaluated("AspectRecall@4t", lengths=lengths)


def test_a_column_of_tokens_beside_the_lists_is_lengths(tmp_path: Any) -> None:
    (tmp_path / "run.csv").write_text("query,docid,score,tokens\nq,d1,3,300\nq,d2,2,500\nq,d3,1,300\n")
    run = tmp_path / "run.csv"
    found = asp.evaluate(run, "AlphaNDCG@700t", subtopics=SUBTOPICS, lengths=run)
    assert found["AlphaNDCG@700t"] == evaluated("AlphaNDCG@700t")["AlphaNDCG@700t"]


def test_notices_say_how_lists_and_budgets_go_together() -> None:
    lists = {"q": ["d1", "d2", "d3"], "r": ["d3"]}
    notes = evaluated("AlphaDCG@400t", lists).notes
    assert any("1 of 2 lists have fewer than 400 tokens" in note for note in notes)
    assert any("1 of 4 rows are of documents longer than the budget of 400 tokens" in note for note in notes)


def kinds_of(metrics: Any, **inputs: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluated(metrics, **inputs)
    return [one.message.kind for one in caught if isinstance(one.message, asp.AspectrumWarning)]


@pytest.mark.parametrize("metrics", ["AlphaNDCG@20", ["AspectRecall@4000", "AlphaNDCG"]])
def test_lengths_that_no_metric_needs(metrics: Any) -> None:
    with pytest.warns(asp.AspectrumWarning, match=r"no metric has a cutoff in tokens; write AlphaNDCG@4000t .*\[unused_lengths\]"):
        evaluated(metrics)
    assert "unused_lengths" not in kinds_of(metrics, lengths=None)


@pytest.mark.parametrize("metrics", ["AlphaNDCG@20,400t", "Density@2", "AlphaDCG(discount=tokens, unit=100)@2", "all@2", "aspects@2"])
def test_lengths_that_a_metric_may_need(metrics: Any) -> None:
    assert "unused_lengths" not in kinds_of(metrics)


def test_lengths_in_files(tmp_path: Any) -> None:
    run, judged, lengths = (tmp_path / name for name in ("run.csv", "judged.csv", "lengths.csv"))
    run.write_text("user,item,score\nq,d1,3\nq,d2,2\n")
    judged.write_text("user,aspect,item\nq,n1,d1\nq,n2,d3\n")
    lengths.write_text("item,tokens\nd1,300\nd2,500\n")
    systems, inputs = {"run": asp.Source(str(run))}, {"subtopics": asp.Source(str(judged)), "lengths": asp.Source(str(lengths))}
    assert [one.source for one in check(systems, inputs, "AlphaNDCG@400").findings if one.kind == "unused_lengths"] == [str(lengths)]
    assert not [one for one in check(systems, inputs).findings if one.kind == "unused_lengths"], "which metrics are meant is not said"
    missing = "lengths.csv: no length is given for item 'd3' of the pool; expected one for every document of the lists, and of the pool"
    (failure,) = check(systems, inputs, "AlphaNDCG@400t").failures
    assert missing in failure
    with pytest.raises(asp.InputError, match=missing):
        asp.evaluate(run, "AlphaNDCG@400t", subtopics=judged, lengths=lengths)


# Equal lengths, and the four ways with the document that is cut


def with_equal_lengths(world: PlainWorld, length: int) -> dict[str, Any]:
    return {**inputs_of(world), "lengths": dict.fromkeys(world.lengths or (), length)}


def settings_in_tokens() -> list[asp.UserMetric]:
    found = []
    for name in TAKING_TOKENS:
        metric: Any = asp.parse(name)
        found += [metric] if "judged_by" not in metric.parameters else []
        for way in ("subtopics", "relevance") if "judged_by" in metric.parameters else ():
            found.append(asp.parse(f"{name}(judged_by={way}{', ideal=exact' * (name == 'AlphaNDCG')})"))
    return [metric for metric in found if "normalize" not in metric.parameters or metric.parameters["normalize"] in (None, False)]


@checked(20)
@given(worlds(features=True, references=True), st.integers(1, 5), st.integers(1, 4), st.integers(0, 3))
def test_equal_lengths_are_ranks_to_the_bit(world: PlainWorld, length: int, k: int, more: int) -> None:
    built = asp.World.of(**with_equal_lengths(world, length))
    for metric in settings_in_tokens():
        tokens = asp.Tokens(k * length + more % length)
        of_ranks, of_tokens = metric.at(k).scores(built), metric.at(tokens).scores(built)
        assert of_ranks.tobytes() == of_tokens.tobytes(), (metric, tokens)


@checked(30)
@given(worlds(references=True), st.integers(1, 14), st.sampled_from(["subtopics", "relevance", "history", "membership"]))
def test_drop_is_at_most_share_and_that_at_most_keep(world: PlainWorld, budget: int, way: Any) -> None:
    built = build(world)
    for cls in (asp.AlphaDCG, asp.AspectRecall):
        drop, share, keep = (
            cls(k=asp.Tokens(budget), judged_by=way, partial=partial).scores(built) for partial in ("drop", "share", "keep")
        )
        assert np.array_equal(np.isnan(drop), np.isnan(keep))
        defined = ~np.isnan(drop)
        assert (drop[defined] <= share[defined] * (1 + 1e-15)).all()
        assert (share[defined] <= keep[defined] * (1 + 1e-15)).all()


@checked(30)
@given(worlds(references=True), st.integers(1, 14), st.booleans())
def test_lists_are_cut_where_the_budget_ends(world: PlainWorld, budget: int, skip: bool) -> None:
    built = build(world)
    cut = built.within(asp.Tokens(budget), "skip" if skip else "drop")
    lengths = world.lengths or {}
    for place, user in enumerate(built.users):
        kept: list[Any] = []
        for item in world.rankings.get(user, []):  # type: ignore[call-overload]
            if sum(lengths[one] for one in kept) + lengths[item] <= budget:
                kept.append(item)
            elif not skip:
                break
        start, stop = cut.rankings.offsets[place : place + 2]
        assert [built.items[item] for item in cut.rankings.items[start:stop].tolist()] == kept
        assert cut.context is not None
        assert cut.context.used[place] == sum(lengths[one] for one in kept)


# A discount by tokens, and tokens in comparisons and reports


@checked(30)
@given(worlds(references=True), st.integers(1, 4), st.sampled_from([0.5, 2.0, 3.7]))
def test_a_discount_by_tokens(world: PlainWorld, k: int, unit: float) -> None:
    """1 / log2(2 + tokens before / unit); equal lengths make it that of ranks."""
    built = build(world)
    found = asp.AlphaDCG(k=(k, "9t"), discount="tokens", unit=unit, judged_by="subtopics").scores(built)  # type: ignore[arg-type]
    for column, cutoff in enumerate((k, asp.Tokens(9))):
        lists = (built.cut(k) if cutoff == k else built.within(asp.Tokens(9))).rankings
        undiscounted = [
            asp.AlphaDCG(k=rank, discount="none", judged_by="subtopics").scores(built)[:, 0]
            for rank in range(1, int(lists.lengths.max(initial=0)) + 1)
        ]
        for place in range(built.n_users):
            items = [built.items[item] for item in lists.items[lists.offsets[place] : lists.offsets[place + 1]].tolist()]
            expected, before, tokens = 0.0, 0.0, 0
            for rank, item in enumerate(items):
                expected += (undiscounted[rank][place] - before) / math.log2(2 + tokens / unit)
                before = undiscounted[rank][place]
                tokens += (world.lengths or {})[item]  # type: ignore[index]
            assert math.isnan(found[place, column]) or math.isclose(found[place, column], expected, rel_tol=1e-9, abs_tol=1e-12)
    equal = asp.World.of(**with_equal_lengths(world, 3))
    by_tokens = asp.AlphaDCG(k=k, discount="tokens", unit=3, judged_by="subtopics").scores(equal)
    assert np.allclose(by_tokens, asp.AlphaDCG(k=k, judged_by="subtopics").scores(equal), rtol=1e-14, atol=0, equal_nan=True)


def test_a_discount_by_tokens_needs_a_unit() -> None:
    for text in ("AlphaDCG(discount=tokens)@5", "AlphaDCG(discount=tokens, unit=0)@5"):
        with pytest.raises(asp.MetricError, match="needs a number of tokens above 0 that counts as a rank"):
            asp.parse(text)
    with pytest.raises(asp.MetricError, match="unit goes with discount=tokens only"):
        asp.parse("AlphaDCG(unit=3)@5")
    with pytest.raises(asp.MissingInput, match="lengths="):
        evaluated("AlphaDCG(discount=tokens, unit=100)@2", lengths=None)


def test_a_comparison_and_its_report(tmp_path: Any) -> None:
    """Of many cutoffs, the largest rank and the largest budget are compared."""
    queries = [f"q{number}" for number in range(12)]
    systems = {"A": {query: ["d1", "d2"] for query in queries}, "B": {query: ["d3", "d1"] for query in queries}}
    found = asp.evaluate_systems(
        systems, "AlphaNDCG@1,2,3,4,300t,500t,600t,800t", subtopics=dict.fromkeys(queries, SUBTOPICS["q"]), lengths=LENGTHS
    )
    comparison = asp.compare(found)
    assert comparison.metrics == ("AlphaNDCG@4", "AlphaNDCG@800t")
    comparison.write_report(tmp_path / "report.html")
    assert "800 tokens" in (tmp_path / "report.html").read_text()


def test_all_metrics_at_tokens() -> None:
    found = evaluated("all@700t")
    assert all(column.metric.budgets == [asp.Tokens(700)] for column in found.columns.values())
    assert {"AlphaNDCG@700t", "Density@700t", "Redundancy@700t"} <= set(found.columns)
    with pytest.raises(asp.MetricError, match="no metric of this family has cutoffs in tokens"):
        evaluated("fairness@700t")


def test_the_orders_of_equal_scores_are_not_averaged() -> None:
    with pytest.raises(asp.MetricError, match="which items fit into a number of tokens depends on their order"):
        evaluated("AlphaNDCG@700t", {"q": {"d1": 1.0, "d2": 1.0}}, ties="expected")


def test_check_counts_the_lengths_that_are_missing_as_an_evaluation_does(tmp_path: Path) -> None:
    run, judged, given = (tmp_path / name for name in ("run.csv", "judged.csv", "lengths.csv"))
    run.write_text("user,item,score\nq,a,2\nq,b,1\nr,c,3\nr,d,2\nr,e,1\n")
    judged.write_text("user,aspect,item\nq,1,a\nr,1,c\nr,1,f\n")
    inputs = {"subtopics": asp.Source(judged), "lengths": asp.Source(given)}
    for metrics, known in (
        (["AlphaDCG@5", "AlphaDCG@30t", "Density@2"], "abf"),
        (["AlphaNDCG@5", "AlphaNDCG@30t"], "abcde"),
        (["AspectRecall(denominator=best, budget=100)@30t"], "abcde"),
    ):
        given.write_text("item,tokens\n" + "".join(f"{item},10\n" for item in known))
        with pytest.raises(asp.InputError, match="no length is given") as refused:
            asp.evaluate(run, metrics, subtopics=judged, lengths=given)
        assert check({"run": asp.Source(run)}, inputs, metrics).failures == (str(refused.value),)
    given.write_text("item,tokens\n" + "".join(f"{item},10\n" for item in "abcdef"))
    assert not check({"run": asp.Source(run)}, inputs, metrics).failures


def test_a_budget_that_no_document_fits_into() -> None:
    with pytest.warns(asp.AspectrumWarning, match=r"1 of 1 lists have no document that fits into 10 tokens \[nothing_fits\]"):
        assert evaluated("AspectRecall@10t")["AspectRecall@10t"] == 0
    assert "nothing_fits" not in kinds_of("AspectRecall@300t")
    lists = {"q": ["d1"], "r": ["d3"], "s": []}
    assert "nothing_fits" not in kinds_of("AspectRecall@10t", lists={"q": [], "s": []})
    plan = asp.Plan("AspectRecall@10t", asp.Truth.read(subtopics=SUBTOPICS, lengths=LENGTHS))
    parts = [plan.observe({user: listed}) for user, listed in lists.items()]
    with pytest.warns(asp.AspectrumWarning, match="2 of 2 lists have no document"):
        (parts[0] + parts[1]).finish()


def test_unknown_lengths_are_not_short(tmp_path: Any) -> None:
    """A check names what has no length, wherever it is, and does not take it for 0 tokens."""
    lists, lengths, judged = (tmp_path / name for name in ("lists.csv", "lengths.csv", "judged.csv"))
    lists.write_text("user,item\nq,d1\nr,d2\n")
    lengths.write_text("item,tokens\nd1,300\n")
    judged.write_text("user,aspect,item\nq,1,d1\nr,1,d2\n")
    report = check({"mine": asp.Source(lists)}, {"subtopics": asp.Source(judged), "lengths": asp.Source(lengths)}, "AspectRecall@1000t")
    said = [str(one) for one in report.findings]
    assert any("1 of 2 rows are of documents without a length" in one for one in said)
    assert any("1 of 2 lists have fewer than 1000 tokens" in one for one in said)
    assert any("no length is given for item 'd2'" in one for one in report.failures)


def test_lengths_in_json(tmp_path: Any) -> None:
    path = tmp_path / "lengths.json"
    path.write_text(json.dumps(LENGTHS))
    assert evaluated("AspectRecall@700t", lengths=path) == evaluated("AspectRecall@700t")
    path.write_text('{"d1": 300, "d2": "long"}')
    with pytest.raises(asp.InputError, match=r'lengths\.json, d2: expected a finite number, found "long"'):
        evaluated("AspectRecall@700t", lengths=path)
    path.write_text('{"d1": 300.5}')
    with pytest.raises(asp.InputError, match=r"the length of item 'd1' is 300.5, expected a whole number of tokens"):
        evaluated("AspectRecall@700t", lengths=path)
    path.write_text('{"item": "d1", "tokens": 300}')  # a row
    assert evaluated("AspectRecall@300t", {"q": ["d1"]}, lengths=path)["AspectRecall@300t"] == 1 / 3
    path.write_text('{"item": "d1", "size_in_bytes": "x"}')
    with pytest.raises(asp.InputError, match="no tokens column found"):
        evaluated("AspectRecall@300t", lengths=path)


def test_lengths_whose_columns_are_swapped(tmp_path: Any) -> None:
    path = tmp_path / "lengths.csv"
    path.write_text("item,tokens\n300,d1\n500,d2\n")
    said = r"line 2: the token count is 'd1', expected a whole number \(in 2 rows\); are the columns swapped\?"
    with pytest.raises(asp.InputError, match=said):
        evaluated("AspectRecall@700t", lengths=path)


def test_a_letter_in_upper_case() -> None:
    assert asp.parse("AlphaNDCG@4000T") == asp.parse("AlphaNDCG@4000t")
    for text in ("4,000t", "4kt"):
        with pytest.raises(asp.MetricError, match=f"invalid cutoff '{text}'; expected such as 10 or 4000t"):
            asp.parse(f"AlphaNDCG@{text}")
