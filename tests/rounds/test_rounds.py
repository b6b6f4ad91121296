"""What agents found after each round, against a plain definition; parts that add up."""

import json
import math
from dataclasses import fields, replace
from functools import reduce
from inspect import signature
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.coding.reading import Reading
from aspectrum.inputs import READING_OPTIONS

Truth = dict[str, dict[str, list[int]]]
Rounds = dict[str, list[list[str]]]

TRUTH: Truth = {"q": {"a": [1], "c": [1, 2]}}
ROUNDS: Rounds = {"q": [["a", "b"], ["b", "c"]]}


def discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def gains(items: list[str], judged: dict[str, list[int]], weights: dict[int, float], alpha: float = 0.5) -> list[float]:
    """What each item gains, given those before it."""
    seen: dict[int, int] = {}
    found = []
    for item in items:
        found.append(sum(weights[aspect] * (1 - alpha) ** seen.get(aspect, 0) for aspect in judged.get(item, ())))
        for aspect in judged.get(item, ()):
            seen[aspect] = seen.get(aspect, 0) + 1
    return found


def dcg(items: list[str], judged: dict[str, list[int]], weights: dict[int, float]) -> float:
    return sum(gain * discount(rank) for rank, gain in enumerate(gains(items, judged, weights), 1))


def ideal(k: int, judged: dict[str, list[int]], weights: dict[int, float]) -> float:
    """What the greedy list gains; ties go to the largest id."""
    chosen: list[str] = []
    left = sorted(judged, reverse=True)
    while left and len(chosen) < k:
        best = max(left, key=lambda item: round(gains([*chosen, item], judged, weights)[-1], 9))
        chosen.append(best)
        left.remove(best)
    return dcg(chosen, judged, weights)


def recall(items: list[str], judged: dict[str, list[int]], weights: dict[int, float]) -> float:
    attainable = {aspect for aspects in judged.values() for aspect in aspects}
    shown = {aspect for item in items for aspect in judged.get(item, ())}
    return sum(weights[aspect] for aspect in shown) / sum(weights[aspect] for aspect in attainable)


def distinct(rounds: list[list[str]]) -> list[str]:
    return list(dict.fromkeys(item for found in rounds for item in found))


def plain(rounds: list[list[str]], judged: dict[str, list[int]], weights: dict[int, float], per_round: int | None, n: int) -> Any:
    """All numbers of a query, by name and round."""
    table: dict[str, list[float]] = {name: [] for name in ("AlphaNDCG", "AspectRecall", "NewAspects", "Repeated", "RoundGain", "Found")}
    before_recall = 0.0
    for number in range(1, n + 1):
        found = distinct(rounds[:number])
        k = max(1, len(found)) if per_round is None else per_round * number
        own = list(dict.fromkeys(rounds[number - 1])) if number <= len(rounds) else []
        before = set(distinct(rounds[: number - 1]))
        table["AlphaNDCG"].append(dcg(found[:k], judged, weights) / ideal(k, judged, weights))
        table["AspectRecall"].append(recall(found[:k], judged, weights))
        table["NewAspects"].append(table["AspectRecall"][-1] - before_recall)
        before_recall = table["AspectRecall"][-1]
        table["Repeated"].append(len([item for item in own if item in before]) / len(own) if own else math.nan)
        in_all = [*distinct(rounds[: number - 1]), *(item for item in own if item not in before)]
        gained = dict(zip(in_all, gains(in_all, judged, weights), strict=True))
        table["RoundGain"].append(sum(gained[item] * discount(rank) for rank, item in enumerate(own, 1) if item not in before))
        table["Found"].append(len(found))
    return table


def test_the_worked_example() -> None:
    found = asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, per_round=2)
    assert found["AspectRecall@2r"] == (0.5, 1.0)
    assert found["NewAspects"] == (0.5, 0.5)
    assert found["Repeated"] == (0.0, 0.5)
    assert found["Found"] == (2.0, 3.0)
    assert found["AlphaNDCG@2r"] == pytest.approx((1 / 2.31546, 1.75 / 2.31546), abs=2e-6)
    assert found["RoundGain"] == pytest.approx((1.0, 0.94639), abs=1e-5)
    sums = asp.evaluate_rounds(ROUNDS, ["AlphaDCG"], subtopics=TRUTH, per_round=2)
    assert sums["AlphaDCG@2r"] == pytest.approx((1.0, 1.75), abs=1e-12)
    assert sums["RoundGain"] == found["RoundGain"]


items = st.sampled_from("abcdefg")
worlds = st.fixed_dictionaries(
    {
        "truth": st.dictionaries(
            st.sampled_from("pqrst"),
            st.dictionaries(items, st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True), min_size=1, max_size=6),
            min_size=1,
        ),
        "rounds": st.dictionaries(st.sampled_from("pqrst"), st.lists(st.lists(items, max_size=5), max_size=4), min_size=1),
        "per_round": st.one_of(st.none(), st.integers(1, 4)),
        "weights": st.fixed_dictionaries({aspect: st.sampled_from([1.0, 2.0, 3.0]) for aspect in (1, 2, 3, 4)}),
    }
)


@given(worlds)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_random_rounds_are_those_of_the_definition(world: Any) -> None:
    truth, rounds, per_round, weights = world["truth"], world["rounds"], world["per_round"], world["weights"]
    rounds = {query: found for query, found in rounds.items() if query in truth} or {next(iter(truth)): [["a"]]}
    found = asp.evaluate_rounds(rounds, subtopics=truth, weights=weights, per_round=per_round)
    n = max(1, *map(len, rounds.values()))
    assert found.n_rounds == n
    expected = {query: plain(own, truth[query], weights, per_round, n) for query, own in rounds.items()}
    suffix = "" if per_round is None else f"@{per_round}r"
    frame = found.per_user
    assert frame.height == n * len(rounds)
    for name in next(iter(expected.values())):
        called = name + suffix if name in ("AlphaNDCG", "AspectRecall") else name
        by_query = {query: frame.filter(frame["user"] == query)[called].to_list() for query in rounds}
        for query, values in by_query.items():
            np.testing.assert_allclose(values, expected[query][name], rtol=0, atol=1e-12, err_msg=name)
        columns = np.array([expected[query][name] for query in rounds])
        for number in range(n):
            defined = columns[:, number][~np.isnan(columns[:, number])]
            assert found.curves[called].scored[number] == len(defined)
            if len(defined):
                assert found[called][number] == pytest.approx(defined.mean(), abs=1e-12)
            else:
                assert math.isnan(found[called][number])


@given(worlds, st.randoms())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parts_add_up_to_the_bit(world: Any, random: Any) -> None:
    """The law: rounds of some queries and those of others are those of all, in any order; without growing cutoffs also of any depth."""
    rounds = {query: found for query, found in world["rounds"].items() if query in world["truth"]} or {next(iter(world["truth"])): [["a"]]}
    truth = asp.Truth.read(subtopics=world["truth"], weights=world["weights"])
    n = max(1, *map(len, rounds.values())) if world["per_round"] is not None else None
    for users in ("lists", "judged"):
        plan = asp.RoundsPlan(["AlphaNDCG", "AspectRecall", "AspectRecall@2"], truth, per_round=world["per_round"], rounds=n, users=users)
        whole = plan.finish(plan.observe(rounds))
        queries = list(rounds)
        random.shuffle(queries)
        parts = [plan.observe({query: rounds[query]}) for query in queries]
        assert plan.finish(reduce(add, parts)) == whole
        assert {row[:2]: row[3:] for row in plan.finish(reduce(add, parts)).per_user.fill_nan(None).iter_rows()} == {
            row[:2]: row[3:] for row in whole.per_user.fill_nan(None).iter_rows()
        }
        if len(parts) > 1:
            with pytest.raises(asp.InputError, match=r"is in both parts"):
                parts[0] + plan.observe({queries[0]: []})


@given(worlds)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_exact_ideals_are_those_of_each_length(world: Any) -> None:
    rounds = {query: found for query, found in world["rounds"].items() if query in world["truth"]} or {next(iter(world["truth"])): [["a"]]}
    found = asp.evaluate_rounds(rounds, "AlphaNDCG(ideal=exact)", subtopics=world["truth"]).per_user
    for query, own in rounds.items():
        for number in range(1, len(own) + 1):
            k = max(1, len(distinct(own[:number])))
            one = asp.evaluate({query: distinct(own[:number])}, f"AlphaNDCG(ideal=exact)@{k}", subtopics=world["truth"])
            (score,) = one.per_user[f"AlphaNDCG(ideal=exact)@{k}"]
            assert found.filter((found["user"] == query) & (found["round"] == number))["AlphaNDCG(ideal=exact)"][0] == score


def test_other_parts_are_refused() -> None:
    truth = asp.Truth.read(subtopics={**TRUTH, "r": {"x": [1]}})
    plan, other = (asp.RoundsPlan(None, truth, per_round=k) for k in (2, 3))
    one = plan.observe(ROUNDS)
    with pytest.raises(asp.InputError, match="per_round is 2 in one part, 3 in the other"):
        one + other.observe({"r": [["x"]]})
    with pytest.raises(asp.InputError, match=r"these parts have 1 and 2 rounds, and cutoffs grow with each; .* rounds=2"):
        one + plan.observe({"r": [["x"]]})
    first, second = (asp.RoundsPlan([f"AlphaDCG(alpha={alpha})" for alpha in alphas], truth) for alphas in ((0, 1), (1, 0)))
    with pytest.raises(asp.InputError, match=r"RoundGain is \{'alpha': 0.0, .* in one part, \{'alpha': 1.0, .* in the other"):
        first.observe(ROUNDS) + second.observe({"r": [["x"]]})
    assert first.finish(first.observe(ROUNDS)).details["RoundGain"]["alpha"] == 0.0
    assert "with alpha=1.0, judged_by=subtopics, gain=linear;" in second.finish(second.observe(ROUNDS)).to_csv()
    assert one.__add__(3) is NotImplemented  # type: ignore[operator]
    with pytest.raises(asp.InputError, match="expected a RoundsPartial"):
        plan.finish(3)  # type: ignore[arg-type]


def test_no_rounds_are_no_default() -> None:
    with pytest.raises(asp.InputError, match="rounds is 0, expected"):
        asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, n_rounds=0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"a", "b"}], "round 1: found a set, which has no order; expected a list of documents"),
        ({("a", "b")}, "found a set, which has no order; expected a list of rounds"),
        ([["a"], frozenset("b")], "round 2: found a set, which has no order"),
    ],
)
def test_sets_are_no_rounds(given: Any, message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        asp.Rounds({"q": given})


def test_keys_of_a_mapping_are_in_its_order() -> None:
    views = asp.Rounds({"q": [{"b": 1, "a": 2}.keys(), {"c": 1}.keys()]})
    assert views["q"] == [["b", "a"], ["c"]]
    assert asp.Rounds({"q": {("a", "b"): 1}.keys()})["q"] == [["a", "b"]]


def test_who_is_averaged() -> None:
    truth = {**TRUTH, "r": {"x": [1]}}
    rounds = {**ROUNDS, "unjudged": [["a"]]}
    lists = asp.evaluate_rounds(rounds, "AspectRecall", subtopics=truth)
    assert (lists.curves["AspectRecall"].scored, lists.curves["AspectRecall"].undefined) == ((1, 1), (1, 1))
    judged = asp.evaluate_rounds(rounds, "AspectRecall", subtopics=truth, users="judged")
    assert judged["AspectRecall"] == (0.25, 0.5), "r has no trace and scores 0"
    assert judged["NewAspects"] == (0.25, 0.25)
    assert judged.curves["AspectRecall"].missing == 1
    assert judged.per_user.filter(judged.per_user["user"] == "unjudged")["AspectRecall"].to_list() == [None, None]
    assert asp.evaluate_rounds(rounds, "AspectRecall", subtopics=truth, users=["q"])["AspectRecall"] == (0.5, 1.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_rows_are_of_the_same_queries() -> None:
    found = asp.evaluate_rounds({"q": [["a"]]}, ["AlphaDCG", "AspectRecall"], subtopics={**TRUTH, "r": {"x": [1]}}, users="judged")
    assert found["AlphaDCG"] == found["RoundGain"] == (0.5,), "after one round they are the same, and r scores 0"
    assert (found["Found"], found["Repeated"]) == ((0.5,), (0.0,))
    counts = {name: (one.scored, one.undefined, one.missing) for name, one in found.curves.items()}
    assert counts.pop("Repeated") == ((1,), (1,), 1), "r has no round of which anything could be repeated"
    assert set(counts.values()) == {((2,), (0,), 1)}
    nobody = asp.evaluate_rounds({}, ["AlphaDCG"], subtopics=TRUTH, users="judged")
    assert (nobody["AlphaDCG"], nobody["RoundGain"], nobody["Found"]) == ((0.0,), (0.0,), (0.0,))


def test_a_bank_is_read_as_its_convention_says() -> None:
    nugget = {"_id": "n0", "relevant_corpus_ids": ["a", "b"], "non_relevant_corpus_ids": ["b"]}
    bank = asp.Nuggets.read([{"query_id": "q", "nuggets": [nugget]}])
    found = asp.evaluate_rounds({"q": [["b"], ["a"]]}, "AspectRecall", subtopics=bank, convention="freshstack")
    assert found["AspectRecall"] == (0.0, 1.0), "b is in both lists, and there unsupported"
    with pytest.raises(asp.InputError, match="both_lists"):
        asp.evaluate_rounds({"q": [["b"], ["a"]]}, "AspectRecall", subtopics=bank)


def test_cutoffs_that_stay() -> None:
    found = asp.evaluate_rounds(ROUNDS, ["AspectRecall@1,3", "Recall@3"], subtopics=TRUTH, relevance={"q": ["a", "c"]})
    assert found["AspectRecall@1"] == (0.5, 0.5)
    assert found["AspectRecall@3"] == (0.5, 1.0)
    assert found["Recall@3"] == (0.5, 1.0)
    assert found.details["AspectRecall@1"]["cutoff"] == "1"
    assert "NewAspects" not in found, "which is that of all that was found"
    named = asp.evaluate_rounds(ROUNDS, {"mine": "AspectRecall"}, subtopics=TRUTH)
    assert list(named) == ["mine", "NewAspects", "Repeated", "Found"]


def test_metrics_without_scores_of_queries_are_refused() -> None:
    with pytest.raises(asp.MetricError, match="has no per-query scores, which rounds require"):
        asp.evaluate_rounds(ROUNDS, "GiniComplement", subtopics=TRUTH, catalogue=["a", "b"])
    with pytest.raises(asp.ArgumentError, match=r"evaluate_rounds\(\) has no argument 'subtopic'; did you mean 'subtopics'"):
        asp.evaluate_rounds(ROUNDS, subtopic=TRUTH)


def test_brightpro_counts_the_last_search_and_cutoffs_of_5(tmp_path: Path) -> None:
    path = tmp_path / "run_0.json"
    searches = [{"type": "tool_result", "round": 1, "docids": ["a"]}, {"type": "tool_result", "round": 1, "docids": ["b"]}]
    path.write_text(json.dumps({"query_id": "q", "result": [*searches, {"type": "tool_result", "round": 2, "docids": ["c"]}]}))
    assert asp.evaluate_rounds(path, subtopics=TRUTH)["Found"] == (2.0, 3.0)
    weighed: dict[str, Any] = {"subtopics": TRUTH, "weights": {"q": {1: 1, 2: 1}}}
    found = asp.evaluate_rounds(path, **weighed, convention="brightpro")
    assert found["Found"] == (1.0, 2.0)
    assert list(found)[:2] == ["AlphaNDCG@5r", "AspectRecall@5r"]
    assert next(iter(asp.evaluate_rounds(path, **weighed, convention="brightpro", per_round=3))) == "AlphaNDCG@3r"
    assert asp.evaluate_rounds(path, **weighed, convention=replace(asp.CONVENTIONS["brightpro"], name="mine")) == found


def test_inputs_are_read_as_for_lists() -> None:
    """What only conventions may say of how inputs are read is no option."""
    options = [option.name for option in fields(Reading)]
    assert {*READING_OPTIONS} == {*signature(asp.evaluate).parameters}.intersection(options)
    for option in {*options}.difference(READING_OPTIONS):
        given: dict[str, Any] = {option: True}
        with pytest.raises(TypeError, match=rf"evaluate_rounds\(\) has no argument '{option}'"):
            asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, **given)


def test_other_forms_of_the_numbers(tmp_path: Path) -> None:
    found = asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities={"q": 4.0})
    assert found.aer == 4 * math.exp(-0.05)
    assert "AER: 3.8049; quality * exp(-0.05 (rounds - 1)); 1 judged" in found.to_text()
    content = json.loads(found.to_json())
    assert content["rounds"] == 2
    assert [one["metric"] for one in content["metrics"]] == list(found)
    assert content["metrics"][0]["values"] == list(found["AlphaNDCG"])
    assert content["aer"] == {"value": found.aer, "gamma": 0.05, "scored": 1, "unjudged": 0, "without_trace": 0, "failed": 0}
    assert found.to_markdown().startswith("| Metric | Round 1 | Round 2 |")
    assert found.to_csv().splitlines()[1].startswith(f"AlphaNDCG,1,{found['AlphaNDCG'][0]!r},1,0,0,")
    assert "Round 2" in found.to_latex() and "<table" in found._repr_html_()
    assert found.to_polars().height == 2 * len(found)
    for name in ("x.json", "x.csv", "x.md", "x.txt", "x.tex"):
        found.write(tmp_path / name)
        assert (tmp_path / name).read_text()
    found.write_per_user(tmp_path / "scores.csv")
    assert (
        (tmp_path / "scores.csv")
        .read_text()
        .startswith("user,round,rounds,AlphaNDCG,AspectRecall,NewAspects,Repeated,RoundGain,Found,AER\nq,1,2,")
    )
    with pytest.raises(KeyError, match="did you mean 'AspectRecall'"):
        found["AspectRecal"]


def test_nothing_found_is_0() -> None:
    found = asp.evaluate_rounds({"q": [[], ["a"]]}, subtopics=TRUTH)
    assert found["AspectRecall"] == (0.0, 0.5)
    assert found["AlphaNDCG"][0] == 0.0
    assert math.isnan(found["Repeated"][0])
    empty = asp.evaluate_rounds({"q": []}, subtopics=TRUTH)
    assert empty["AlphaNDCG"] == (0.0,)


def test_curves() -> None:
    found = asp.evaluate_rounds(ROUNDS, subtopics=TRUTH)
    longer = asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, n_rounds=3)
    drawn = found.plot.curves({"other": longer}, name="this").to_svg()
    assert "AspectRecall at rounds 1 to 3. Highest at 3: other 1.000." in drawn
    with pytest.raises(asp.InputError, match="two agents are called 'agent'"):
        found.plot.curves({"agent": longer})
    with pytest.raises(asp.InputError, match="there is no report of rounds"):
        found.write_report("x.html")


def test_cutoffs_in_tokens() -> None:
    lengths = dict.fromkeys("abc", 60)
    found = asp.evaluate_rounds(ROUNDS, ["AspectRecall@100t", "AspectRecall@180t"], subtopics=TRUTH, lengths=lengths)
    assert (found["AspectRecall@100t"], found["AspectRecall@180t"]) == ((0.5, 0.5), (0.5, 1.0))
    with pytest.raises(asp.InputError, match="needs the scores of items"):
        asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, ties="expected")


def test_scores_that_are_not_proved_are_marked(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    pool = {f"d{n:03}": chance.permutation(12)[: chance.integers(2, 6)].tolist() for n in range(150)}
    truth = asp.Truth.read(
        subtopics={"q": pool, "r": {"d000": [1]}}, lengths=dict(zip(pool, chance.integers(50, 900, 150).tolist(), strict=True))
    )
    metrics = ["AlphaNDCG(ideal=exact)@10", "AlphaNDCG@2000t", "AlphaDCG@2"]
    rounds: dict[Any, Any] = {"q": [["d001", "d002"], ["d003"]], "r": [["d001", "d000"]]}
    plan = asp.RoundsPlan(metrics, truth, ideal_budget=0, users="judged")
    found = plan.finish(plan.observe(rounds))
    for number in range(2):
        lists = asp.Rounds(rounds).lists(number + 1)
        whole = asp.Plan(metrics, truth, ideal_budget=0, users="judged")
        one = whole.finish(whole.observe(lists))
        for metric in metrics[:2]:
            details = {name: found.details[metric][name][number] for name in ("proved", "open", "at_least", "widest_interval")}
            assert details == {name: one.details[metric][name] for name in details}, metric
            assert details["open"] == 1
            rows = found.per_user.filter(found.per_user["round"] == number + 1)
            assert rows[f"{metric} at least"].to_list() == one.per_user[f"{metric} at least"].to_list()
    assert "open" not in found.details["AlphaDCG@2"]
    assert any(note.startswith("4 of 8 scores after rounds are not proved") for note in found.notes)
    assert "1 proved, 1 open, one score by up to" in found.to_text()
    row = dict(zip(*(line.split(",") for line in found.to_csv().splitlines()[:2]), strict=False))
    assert (row["open"], row["at_least"]) == ("1", repr(found.details[metrics[0]]["at_least"][0]))
    assert found.to_polars()["open"].to_list()[:6] == [1, 1, 1, 1, None, None]
    parts = [plan.observe({query: own}) for query, own in rounds.items()]
    assert plan.finish(parts[1] + parts[0]) == found
    assert plan.finish(parts[1] + parts[0]).details == found.details
    generous = asp.RoundsPlan("AlphaNDCG(ideal=exact)", truth, ideal_budget=20)
    assert json.loads(generous.finish(generous.observe({"r": [["d000"]]})).to_json())["metrics"][0]["open"] == [0]


def test_queries_of_nuggets_without_a_trace_are_noted_once() -> None:
    nuggets = asp.Nuggets.of({f"q{number}": {"n": ["a", "b"]} for number in range(30)})
    found = asp.evaluate_rounds({f"q{number}": [["a"]] for number in range(12)}, subtopics=nuggets, users="judged")
    assert sum("18 of 30 queries have no list" in note for note in found.notes) == 1


def test_parts_go_through_files(tmp_path: Path) -> None:
    truth = asp.Truth.read(subtopics=asp.Nuggets.of({"q": {"n": ["a"], "m": ["c"]}, "r": {"n": ["x"]}, "s": {"n": ["y"]}}))
    plan, again = (asp.RoundsPlan(["AlphaNDCG(ideal=exact)", "AspectRecall@2"], truth, users="judged") for _ in range(2))
    rounds: list[dict[str, list[list[str]]]] = [{"q": [["a", "b"], ["b", "c"], []]}, {"r": [["z"]]}]
    parts = [plan.observe(one) for one in rounds]
    for number, part in enumerate(parts):
        part.write(tmp_path / f"{number}.part")
    read = [again.read(tmp_path / f"{number}.part") for number in range(2)]
    found = again.finish(read[1] + read[0])
    assert found == plan.finish(plan.observe(rounds[0] | rounds[1]))
    assert found == plan.finish(parts[0] + parts[1])
    assert again.finish(read[0]).notes == plan.finish(parts[0]).notes
    other = asp.RoundsPlan(["AlphaNDCG(ideal=exact)", "AspectRecall@2"], truth, users="judged", per_round=5)
    with pytest.raises(asp.InputError, match=r"0\.part: parts of rounds cannot be added: per_round is 5 in one part, None in the other"):
        other.read(tmp_path / "0.part")
    with pytest.raises(asp.InputError, match=r"0\.part: "):
        asp.RoundsPlan("AlphaNDCG", truth).read(tmp_path / "0.part")
    lists = asp.Plan("AlphaNDCG", truth)
    lists.observe({"q": ["a"]}).write(tmp_path / "lists.part")
    with pytest.raises(asp.InputError, match=r"lists\.part: is not a part of rounds"):
        again.read(tmp_path / "lists.part")
    with pytest.raises(asp.InputError, match=r"0\.part"):
        lists.read(tmp_path / "0.part")
    (tmp_path / "cut.part").write_bytes((tmp_path / "0.part").read_bytes()[:-40])
    with pytest.raises(asp.InputError, match=r"cut\.part: is not a part of rounds, or is damaged"):
        again.read(tmp_path / "cut.part")
