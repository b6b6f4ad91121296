"""``aspectrum ideal``, and exact ideals in the other commands: numbers worked out by hand, proofs, limits, and what goes wrong."""

import csv
import io
import json
import math
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars
import pytest

import aspectrum as asp
from aspectrum import kernels
from tests.cli.conftest import Call, Said, Start
from tests.cli.contacts_data import FILES, INPUTS, SYSTEMS, write_network
from tests.cli.data import OPTIONS, TRUTH, write_csv

Refused = Callable[..., str]
Pool = Mapping[str, Sequence[int]]

LOG3 = math.log2(3)
THREE: Pool = {"a": [1, 3], "b": [2, 4], "c": [3, 4]}
"""Each gains 2; the greedy list starts with the largest id, which is the wrong one."""
FOUR: Pool = {"a": [1, 2, 3, 5], "b": [2, 4, 5], "c": [4, 6], "d": [1, 2, 3, 5, 6]}
"""With alpha = 0.9 the largest gain at the second rank is the wrong one."""

BEST_OF_THREE = 2 + 2 / LOG3
GREEDY_OF_THREE = 2 + 1.5 / LOG3
BEST_OF_FOUR = 5 + 1.1 / LOG3 + 0.4 / 2
GREEDY_OF_FOUR = 5 + 1.2 / LOG3 + 0.22 / 2
SHORT = 1 - GREEDY_OF_THREE / BEST_OF_THREE


def hard_pool(n: int = 40, n_aspects: int = 10) -> Pool:
    """A pool that no search can be done with before it has begun."""
    draw = random.Random(1)
    return {f"d{number:03}": sorted(draw.sample(range(n_aspects), draw.randint(2, 4))) for number in range(n)}


def write_subtopics(path: Path, pools: Mapping[str, Pool]) -> Path:
    rows = [(user, aspect, item) for user, pool in pools.items() for item, aspects in pool.items() for aspect in aspects]
    return write_csv(path, ("user", "aspect", "item"), rows)


@pytest.fixture(autouse=True)
def pools(here: Path) -> Path:
    """Files of pools beside those of :mod:`tests.cli.data`."""
    write_subtopics(here / "three.csv", {"ann": THREE})
    write_subtopics(here / "four.csv", {"ann": FOUR})
    write_subtopics(here / "hard.csv", {"hard": hard_pool(), "easy": THREE})
    write_csv(here / "recs.csv", ("user", "item"), [("hard", "d001"), ("hard", "d002"), ("easy", "a"), ("easy", "c"), ("none", "a")])
    return here


def read(said: Said) -> list[dict[str, Any]]:
    """What a command printed as JSON, and nothing else."""
    assert (said.code, said.err) == (0, ""), said
    found: list[dict[str, Any]] = json.loads(said.out, parse_constant=pytest.fail)
    return found


def lines(said: Said) -> list[list[str]]:
    """The words of each line."""
    assert (said.code, said.err) == (0, ""), said
    return [line.split() for line in said.out.splitlines()]


@pytest.fixture
def one(call: Call) -> Callable[..., dict[str, Any]]:
    """The only list of a user."""

    def one(*arguments: str) -> dict[str, Any]:
        (found,) = read(call("ideal", *arguments, "--json"))
        return found

    return one


def items(ranks: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [rank["item"] for rank in ranks]


# ---- One user


def test_a_user_as_text(call: Call) -> None:
    said = call("ideal", "--subtopics", "three.csv", "--user", "ann", "-m", "AlphaNDCG@2")
    assert said.out.splitlines()[0] == "user 'ann': AlphaNDCG@2, judged by subtopics, 3 items in the pool (judged)"
    table = lines(said)
    assert table[4:6] == [
        ["1", "a", "2.0000", "2.0000", "c", "2.0000", "2.0000"],
        ["2", "b", "2.0000", "3.2619", "b", "1.5000", "2.9464"],
    ]
    assert table[7][:2] == ["ideal", f"{BEST_OF_THREE:.6f}"]
    assert "proved by search" in said.out
    assert table[8][:4] == ["greedy", f"{GREEDY_OF_THREE:.6f}", f"{100 * SHORT:.4f}", "%"]
    assert f"score {BEST_OF_THREE / GREEDY_OF_THREE:.4f} against it" in said.out
    assert len(table) == 9


def test_a_user_as_json(one: Callable[..., dict[str, Any]]) -> None:
    found = one("--subtopics", "three.csv", "--user", "ann", "-m", "AlphaNDCG@2")
    assert found["best"] == found["upper"] == pytest.approx(BEST_OF_THREE, rel=1e-12)
    assert found["greedy"] == pytest.approx(GREEDY_OF_THREE, rel=1e-12)
    assert found["shortfall"] == pytest.approx(SHORT, rel=1e-9)
    assert (found["user"], found["metric"], found["judged_by"], found["pool"]) == ("ann", "AlphaNDCG@2", "subtopics", "judged")
    assert (found["items_in_pool"], found["proved_by"]) == (3, "search")
    assert items(found["greedy_list"]) == ["c", "b"]
    assert sorted(items(found["exact_list"])) == ["a", "b"]
    for name, last in (("exact_list", found["best"]), ("greedy_list", found["greedy"])):
        first, second = found[name]
        assert first["gain"] == first["total"] == 2.0
        assert second["total"] == pytest.approx(last, rel=1e-12)
        assert [sorted(rank["aspects"]) for rank in found[name]] == [THREE[rank["item"]] for rank in found[name]]
    assert found["work"] > 0


@pytest.mark.parametrize(
    ("file", "metric", "best", "greedy"),
    [
        ("three.csv", "AlphaNDCG@1", 2.0, 2.0),
        ("three.csv", "AlphaNDCG@2", BEST_OF_THREE, GREEDY_OF_THREE),
        ("three.csv", "AlphaNDCG@3", BEST_OF_THREE + 1 / 2, GREEDY_OF_THREE + 1.5 / 2),
        ("three.csv", "AlphaNDCG@100", BEST_OF_THREE + 1 / 2, GREEDY_OF_THREE + 1.5 / 2),
        ("three.csv", "AlphaNDCG", BEST_OF_THREE + 1 / 2, GREEDY_OF_THREE + 1.5 / 2),
        ("three.csv", "AlphaNDCG(alpha=0)@2", 2 + 2 / LOG3, 2 + 2 / LOG3),
        ("three.csv", "AlphaNDCG(alpha=1)@2", 2 + 2 / LOG3, 2 + 1 / LOG3),
        ("three.csv", "AlphaNDCG(ideal=sorted)@2", BEST_OF_THREE, GREEDY_OF_THREE),  # whatever a metric says of its ideal
        ("three.csv", "ERRIA@2", 3.0, 2.75),
        ("three.csv", "ERRIA(normalize=perfect)@2", 3.0, 2.75),
        ("three.csv", "ERRIA(stop=1)@2", 3.0, 2.5),
        ("three.csv", "NRBP", 3.25, 3.125),
        ("three.csv", "NRBP(alpha=1, beta=1)@2", 4.0, 3.0),
        ("three.csv", "NRBP(beta=0)", 2.0, 2.0),
        ("four.csv", "AlphaNDCG(alpha=0.9)@3", BEST_OF_FOUR, GREEDY_OF_FOUR),
    ],
)
def test_numbers_by_hand(one: Callable[..., dict[str, Any]], file: str, metric: str, best: float, greedy: float) -> None:
    found = one("--subtopics", file, "--user", "ann", "-m", metric)
    assert found["best"] == pytest.approx(best, rel=1e-12)
    assert found["greedy"] == pytest.approx(greedy, rel=1e-12)
    assert found["shortfall"] == pytest.approx(1 - greedy / best, rel=1e-9, abs=1e-15)
    assert found["proved_by"] == "search"


def test_the_numbers_of_the_documentation() -> None:
    assert [round(number, 4) for number in (BEST_OF_THREE, GREEDY_OF_THREE, BEST_OF_FOUR, GREEDY_OF_FOUR)] == [
        3.2619,
        2.9464,
        5.8940,
        5.8671,
    ]


def test_several_metrics_and_cutoffs_of_a_user(call: Call) -> None:
    ask = ("ideal", "--subtopics", "three.csv", "--user", "ann", "-m", "AlphaNDCG@1,2", "-m", "NRBP", "-m", "ERRIA(stop=0.25)@2")
    names = ["AlphaNDCG@1", "AlphaNDCG@2", "NRBP", "ERRIA(stop=0.25)@2"]
    found = read(call(*ask, "--json"))
    assert [entry["metric"] for entry in found] == names
    assert [len(entry["exact_list"]) for entry in found] == [1, 2, 3, 2]
    said = call(*ask)
    assert re.findall(r"^user 'ann': (\S+),", said.out, re.MULTILINE) == names
    assert said.out.count("\nideal ") == said.out.count("\ngreedy ") == 4


def test_a_list_that_cannot_be_beaten(call: Call) -> None:
    said = call("ideal", "--subtopics", "three.csv", "--user", "ann", "-m", "AlphaNDCG@1")
    assert said.out.splitlines()[-1] == "greedy  2.000000  as good"


def test_nothing_to_gain(call: Call, here: Path) -> None:
    write_csv(here / "nothing.csv", ("user", "aspect", "item", "grade"), [("ann", 1, "a", 0), ("bob", 1, "a", 1)])
    said = call("ideal", "--subtopics", "nothing.csv", "--user", "ann")
    assert said.code == 0
    assert "no item of the pool gains anything" in said.out
    assert said.out.splitlines()[-1] == "greedy  0.000000  nothing to gain"
    assert "all 2 rows have the same subtopic; are these subtopic judgments? (such as 1) [one_subtopic]" in said.err
    assert call("ideal", "--subtopics", "nothing.csv", "--strict").code == 1
    (summary,) = read(call("ideal", "--subtopics", "nothing.csv", "--json", "--ignore", "one_subtopic"))
    assert (summary["users"], summary["distinct"]) == (1, 1)


def test_history_catalogue_and_pools(one: Callable[..., dict[str, Any]], here: Path) -> None:
    """ann has seen b and e: crime and comedy count."""
    ask = ("--aspects", "genres.csv", "--history", "history.csv", "--user", "ann")
    assert set(items(one(*ask, "-m", "AlphaNDCG@9")["exact_list"])) == {"b", "d", "e"}
    unseen = one(*ask, "-m", "AlphaNDCG(pool=unseen)@9")
    assert (items(unseen["exact_list"]), unseen["best"]) == (["d"], 1.0)
    (here / "some.txt").write_text("b\nd\n")
    some = one(*ask, "-m", "AlphaNDCG@9", "--catalogue", "some.txt")
    assert (set(items(some["exact_list"])), some["pool"]) == ({"b", "d"}, "catalogue")
    assert some["best"] == pytest.approx(1 + 0.5 / LOG3, rel=1e-12)
    write_csv(here / "weights.csv", ("aspect", "weight"), [("crime", 3), ("comedy", 0.5)])
    weighted = one(*ask, "-m", "AlphaNDCG@2", "--weights", "weights.csv")
    assert weighted["best"] == pytest.approx(3 + 1.5 / LOG3, rel=1e-12)
    assert items(weighted["greedy_list"]) == ["d", "b"]


def test_relevance_and_thresholds(one: Callable[..., dict[str, Any]]) -> None:
    """ann gave a 5 and d 3; both are about horror."""
    ask = ("--aspects", "genres.csv", "--relevance", "grades.csv", "--user", "ann", "-m", "ERRIA@5")
    assert one(*ask)["best"] == pytest.approx(2 + 1.5 / 2, rel=1e-12)
    high = one(*ask, "--threshold", "4")
    assert (items(high["exact_list"]), high["best"], high["items_in_pool"]) == (["a"], 2.0, 1)


@pytest.mark.parametrize(
    ("convention", "metric", "same"),
    [
        ("relison", "ERRIA@3", "ERRIA(judged_by=relevance, intents=counts)@3"),
        ("informfully", "AlphaNDCG@3", "AlphaNDCG(judged_by=history)@3"),
    ],
)
def test_conventions_say_what_is_ideal(call: Call, convention: str, metric: str, same: str) -> None:
    """And what is read: with relison's, an item has its first aspect only."""
    ask = ("ideal", *OPTIONS, "--convention", convention, "--threshold", "3")
    for user in ("ann", "bob", "cyd"):
        (found,) = read(call(*ask, "-m", metric, "--user", user, "--json"))
        expected = asp.ideal_list(user, same, convention=convention, threshold=3.0, **TRUTH)
        assert (found["best"], found["greedy"], found["judged_by"]) == (expected.best, expected.greedy_total, expected.judged_by)
        assert items(found["exact_list"]) == [rank.item for rank in expected.exact]


# ---- All users


def test_the_summary(call: Call, here: Path) -> None:
    same = {"x": [1, 3], "y": [2, 4], "z": [3, 4]}
    write_subtopics(here / "users.csv", {"ann": THREE, "bob": same, "cyd": {"p": [7]}})
    ask = ("ideal", "--subtopics", "users.csv", "-m", "AlphaNDCG@1,2", "-m", "NRBP")
    first, second, third = read(call(*ask, "--json"))
    assert [row["metric"] for row in (first, second, third)] == ["AlphaNDCG@1", "AlphaNDCG@2", "NRBP"]
    for row in (first, second, third):  # two want the same
        assert (row["users"], row["distinct"], row["proved_by_search"], row["proved_by_highs"], row["open"]) == (3, 2, 2, 0, 0)
        assert row["widest_gap"] == 0.0
    assert (first["greedy_short"], first["mean_shortfall"], first["largest_shortfall"], first["worst_user"]) == (0, 0.0, 0.0, None)
    assert (second["greedy_short"], second["worst_user"]) == (2, "ann")
    assert second["mean_shortfall"] == pytest.approx(2 * SHORT / 3, rel=1e-9)
    assert second["largest_shortfall"] == pytest.approx(SHORT, rel=1e-9)
    assert third["largest_shortfall"] == pytest.approx(0.125 / 3.25, rel=1e-9)
    table = lines(call(*ask))
    assert table[0][:4] == ["Metric", "Users", "Ideals", "Proved"]
    assert table[3] == [
        *["AlphaNDCG@2", "3", "2", "2", "0", "0", "0", "%", "2"],
        *[f"{200 * SHORT / 3:.4f}", "%", f"{100 * SHORT:.4f}", "%", "ann"],
    ]
    assert len(table) == 5


def test_the_metric_may_be_left_out(call: Call) -> None:
    assert [row["metric"] for row in read(call("ideal", "--subtopics", "three.csv", "--json"))] == ["AlphaNDCG@10"]


def test_the_summary_is_that_of_the_library(call: Call) -> None:
    ask = ("ideal", *OPTIONS, "-m", "AlphaNDCG@2,3", "-m", "ERRIA(intents=counts)@3", "-m", "AlphaNDCG(judged_by=membership)@2")
    expected = asp.summarise_ideals(
        ["AlphaNDCG@2,3", "ERRIA(intents=counts)@3", "AlphaNDCG(judged_by=membership)@2"],
        **TRUTH,
    )
    assert read(call(*ask, "--json")) == [row.to_dict() for row in expected.rows]


def test_bits_do_not_depend_on_threads(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    set_threads = kernels.set_threads

    def watched(n: int) -> int:
        asked.append(n)
        return set_threads(n)

    monkeypatch.setattr("aspectrum.kernels.set_threads", watched)
    for more in ((), ("--user", "hard")):
        ask = ("ideal", "--subtopics", "hard.csv", "-m", "AlphaNDCG@3,5", "-m", "NRBP@6", "--json", *more)
        assert call(*ask).out == call(*ask, "--threads", "1").out == call(*ask, "--threads", "3").out
    assert {1, 3} <= set(asked)


# ---- Ids


def test_ids_that_are_numbers_in_text_files(call: Call, here: Path) -> None:
    """In a table of text a column of numbers holds numbers; in TREC's files every id is text."""
    write_subtopics(here / "numbers.csv", {"7": THREE, "12": THREE})
    (here / "numbers.qrels").write_text("".join(f"7 {aspect} {item} 1\n" for item, has in THREE.items() for aspect in has))
    (of_table,) = read(call("ideal", "--subtopics", "numbers.csv", "--user", "12", "-m", "AlphaNDCG@2", "--json"))
    (of_qrels,) = read(call("ideal", "--subtopics", "numbers.qrels", "--user", "7", "-m", "AlphaNDCG@2", "--json"))
    assert str(of_table["user"]) == "12"
    long = 10**25
    write_subtopics(here / "long.csv", {str(long): THREE, str(long + 1): THREE})
    assert f"user {long}: " in call("ideal", "--subtopics", "long.csv", "--user", str(long)).out
    assert of_qrels["user"] == "7"
    assert of_table["best"] == of_qrels["best"] == pytest.approx(BEST_OF_THREE, rel=1e-12)


@pytest.mark.parametrize("user", [7, -7, 0, 2**40])
def test_ids_that_are_whole_numbers_in_parquet(call: Call, here: Path, user: int) -> None:
    rows = [(user, aspect, ord(item)) for item, has in THREE.items() for aspect in has]
    polars.DataFrame(rows, schema=["user", "aspect", "item"], orient="row").write_parquet(here / "whole.parquet")
    (found,) = read(call("ideal", "--subtopics", "whole.parquet", "--user", str(user), "-m", "AlphaNDCG@2", "--json"))
    assert found["user"] == user
    assert isinstance(found["user"], int)
    assert sorted(items(found["exact_list"])) == [ord("a"), ord("b")]
    assert f"user {user}: " in call("ideal", "--subtopics", "whole.parquet", f"--user={user}").out


@pytest.mark.parametrize("user", ["Zoë", "日本", "a b", "007", "-x", "'", "🎬"])
def test_ids_that_are_any_text(call: Call, here: Path, user: str) -> None:
    items_of = {"é": [1, 3], "日": [2, 4], "ß|x": [3, 4]}
    write_subtopics(here / "text.csv", {user: items_of, "other": {"x": [1]}})
    said = call("ideal", "--subtopics", "text.csv", f"--user={user}", "-m", "AlphaNDCG@2", "--json")
    (found,) = read(said)
    assert found["user"] == user
    assert items(found["greedy_list"])[0] == "日"  # the largest by its bytes
    assert user in said.out or user == "'"  # as it is, not as an escape


# ---- Proofs and limits


def test_a_budget_of_nothing_leaves_a_list_open(call: Call, one: Callable[..., dict[str, Any]]) -> None:
    ask = ("--subtopics", "hard.csv", "--user", "hard", "-m", "AlphaNDCG@5")
    known = one(*ask)
    assert (known["proved_by"], known["best"]) == ("search", known["upper"])
    found = one(*ask, "--ideal-budget", "0")
    assert found["proved_by"] is None
    assert found["best"] <= known["best"] <= found["upper"]
    assert found["best"] < found["upper"]
    said = call("ideal", *ask, "--ideal-budget", "0")
    wide = 100 * (found["upper"] / found["best"] - 1)
    assert f"no list gains more than {found['upper']:.6f}, {wide:.2g} % above" in said.out
    assert f"ideal   {found['best']:.6f}  not proved" in said.out
    assert "proved by" not in said.out


def test_a_budget_of_nothing_leaves_the_summary_open(call: Call, one: Callable[..., dict[str, Any]]) -> None:
    ask = ("ideal", "--subtopics", "hard.csv", "-m", "AlphaNDCG@5", "--ideal-budget", "0")
    (row,) = read(call(*ask, "--json"))
    assert (row["users"], row["distinct"], row["proved_by_search"], row["open"]) == (2, 2, 1, 1)
    open_ = one("--subtopics", "hard.csv", "--user", "hard", "-m", "AlphaNDCG@5", "--ideal-budget", "0")
    assert row["widest_gap"] >= open_["upper"] / open_["best"] - 1 > 0
    table = lines(call(*ask))
    assert table[2][:8] == ["AlphaNDCG@5", "2", "2", "1", "0", "1", f"{100 * row['widest_gap']:.2g}", "%"]


def test_the_budget_of_a_metric_comes_first(one: Callable[..., dict[str, Any]]) -> None:
    ask = ("--subtopics", "hard.csv", "--user", "hard", "--ideal-budget")
    assert one(*ask, "0", "-m", "AlphaNDCG(ideal=exact, budget=2)@5")["proved_by"] == "search"
    assert one(*ask, "2", "-m", "AlphaNDCG(ideal=exact, budget=0)@5")["proved_by"] is None


def test_highs_proves_what_is_open(call: Call, one: Callable[..., dict[str, Any]]) -> None:
    ask = ("--subtopics", "hard.csv", "-m", "AlphaNDCG@5")
    known = one(*ask, "--user", "hard")
    found = one(*ask, "--user", "hard", "--ideal-budget", "0", "--ideal-seconds", "60")
    assert found["proved_by"] == "HiGHS"
    assert found["best"] == pytest.approx(known["best"], rel=1e-6)
    assert found["best"] <= found["upper"] <= found["best"] * (1 + 1.01e-6)
    assert found["exact_list"][-1]["total"] == pytest.approx(found["best"], rel=1e-12)
    assert "proved by HiGHS" in call("ideal", *ask, "--user", "hard", "--ideal-budget", "0", "--ideal-seconds", "60").out
    (row,) = read(call("ideal", *ask, "--ideal-budget", "0", "--ideal-seconds", "60", "--json"))
    assert (row["proved_by_search"], row["proved_by_highs"], row["open"]) == (1, 1, 0)
    assert lines(call("ideal", *ask, "--ideal-budget", "0", "--ideal-seconds", "60"))[2][3:6] == ["2", "1", "0"]


@pytest.mark.parametrize(
    ("settings", "options", "proved_by"),
    [
        ("ideal_budget: 0", (), None),
        ("ideal_budget: 0", ("--ideal-budget", "2"), "search"),
        ("ideal_budget: 2", (), "search"),
        ("ideal_budget: 2", ("--ideal-budget", "0"), None),
        ("ideal_budget: 0\nideal_seconds: 60", (), "HiGHS"),
        ("ideal_budget: 0\nideal_seconds: 60", ("--ideal-seconds", "0"), None),
        ("ideal_budget: null\nideal_seconds: null", (), "search"),
    ],
)
def test_budgets_of_a_configuration(call: Call, here: Path, settings: str, options: tuple[str, ...], proved_by: str | None) -> None:
    config = f"systems: {{none: nowhere.csv}}\ninputs: {{subtopics: hard.csv}}\nmetrics: ['AlphaNDCG@5']\n{settings}\n"
    (here / "config.yaml").write_text(config)
    (found,) = read(call("ideal", "--config", "config.yaml", "--user", "hard", "--json", *options))
    assert (found["proved_by"], found["metric"]) == (proved_by, "AlphaNDCG@5")
    (row,) = read(call("ideal", "--config", "config.yaml", "--json", *options))
    assert (row["proved_by_search"], row["proved_by_highs"], row["open"]) == {"search": (2, 0, 0), "HiGHS": (1, 1, 0), None: (1, 0, 1)}[
        proved_by
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ideal_budget: -1", "config.yaml:2:15: ideal_budget: found the number -1, expected at least 0"),
        ("ideal_budget: much", "config.yaml:2:15: ideal_budget: found 'much', expected a finite number"),
        ("ideal_budget: .nan", "config.yaml:2:15: ideal_budget"),
        ("ideal_seconds: .inf", "config.yaml:2:16: ideal_seconds"),
        ("ideal_bugdet: 1", "did you mean 'ideal_budget'?"),
    ],
)
def test_budgets_of_a_configuration_that_mean_nothing(refused: Refused, here: Path, line: str, message: str) -> None:
    (here / "config.yaml").write_text(f"inputs: {{subtopics: three.csv}}\n{line}\n")
    assert message in refused(2, "ideal", "--config", "config.yaml")


# ---- What goes wrong

SHOWN = ("ideal", "--subtopics", "three.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ideal",), "there is nothing to make lists of: give --subtopics or --nuggets, or --aspects with --history or --relevance"),
        (("ideal", "-m", "AlphaNDCG@2", "--user", "ann"), "there is nothing to make lists of"),
        (("ideal", "three.csv"), "three.csv"),
        (("ideal", "--aspects", "genres.csv"), "--subtopics or --nuggets, or --aspects and --history or --relevance"),
        (("ideal", "--history", "history.csv"), "--subtopics or --nuggets, or --aspects and --history or --relevance"),
        (("ideal", "--aspects", "genres.csv", "--history", "history.csv", "-m", "NRBP"), "NRBP needs judgments"),
        ((*SHOWN, "-m", "AlphaNCDG@2"), "unknown metric 'AlphaNCDG'; did you mean 'AlphaNDCG'?"),
        ((*SHOWN, "-m", "Precision@2"), "Precision has no ideal list; expected one of AlphaNDCG, ERRIA, NRBP"),
        ((*SHOWN, "-m", "AlphaDCG@2"), "AlphaDCG has no ideal list; expected one of AlphaNDCG, ERRIA, NRBP"),
        ((*SHOWN, "-m", "GiniComplement@2"), "GiniComplement has no ideal list; expected one of AlphaNDCG, ERRIA, NRBP"),
        ((*SHOWN, "-m", "AlphaNDCG@2", "-m", "NDCG@2"), "NDCG has no ideal list"),
        ((*SHOWN, "-m", "all@10"), "'all'"),
        ((*SHOWN, "-m", "AlphaNDCG@0"), "k is 0"),
        ((*SHOWN, "-m", "AlphaNDCG(alpha=2)@2"), "alpha is 2, expected 0 to 1"),
        ((*SHOWN, "-m", "AlphaNDCG(gain=probabilistic)@2"), "gain=linear"),
        ((*SHOWN, "-m", "AlphaNDCG(budget=1)@2"), "budget goes with ideal=exact only"),
        ((*SHOWN, "-m", "AlphaNDCG(ideal=exact, budget=-1)@2"), "budget is -1, expected 0 or more"),
        ((*SHOWN, "-m", "ERRIA(intents=given)@2"), "pass --weights"),
        ((*SHOWN, "--ideal-budget", "-1"), "'--ideal-budget': '-1' is not a finite number from 0"),
        ((*SHOWN, "--ideal-budget", "nan"), "'--ideal-budget': 'nan' is not a finite number"),
        ((*SHOWN, "--ideal-budget", "inf"), "'--ideal-budget': 'inf' is not a finite number"),
        ((*SHOWN, "--ideal-budget", "much"), "'--ideal-budget': 'much' is not a finite number"),
        ((*SHOWN, "--ideal-seconds", "-0.5"), "'--ideal-seconds': '-0.5' is not a finite number from 0"),
        ((*SHOWN, "--ideal-seconds", "a while"), "'--ideal-seconds': 'a while' is not a finite number"),
        ((*SHOWN, "--threads", "0"), "'--threads'"),
        ((*SHOWN, "--users", "all"), "--user"),
        ((*SHOWN, "--features", "vectors.csv"), "--features"),
        ((*SHOWN, "--columns", "history:user=x"), "but --history is not given"),
        ((*SHOWN, "--convention", "ndevl"), "did you mean 'ndeval'?"),
        ((*SHOWN, "--convention", "published,ndeval"), "--convention names several; ideal lists are shown for one"),
        ((*SHOWN, "--convention", "published", "--convention", "ndeval"), "--convention names several"),
        ((*SHOWN, "--convention", "informfully"), "judged_by='history' needs aspects: pass --aspects"),
        ((*SHOWN, "-m", "AlphaNDCG(pool=list)@2"), "pool=list needs lists, and there are none here"),
        (("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "--ideal-budget", "1"), "no metric has one"),
        (("evaluate", "als.csv", *OPTIONS, "-m", "AlphaNDCG@2", "--ideal-budget", "1"), "such as AlphaNDCG(ideal=exact)@10"),
        (("evaluate", "als.csv", *OPTIONS, "-m", "ERRIA@2", "--ideal-seconds", "1"), "no metric has one"),
        (
            ("evaluate", "als.csv", *OPTIONS, "-m", "AlphaNDCG(ideal=exact)@2", "--ideal-budget", "-1"),
            "'--ideal-budget': '-1' is not a finite number from 0",
        ),
        (("evaluate", "als.csv", *OPTIONS, "-m", "ERRIA(ideal=exact)@2"), "ideal goes with normalize=ideal only"),
        (("evaluate", "als.csv", *OPTIONS, "-m", "AlphaNDCG(ideal=exactly)@2"), "'exact'"),
    ],
)
def test_wrong_use(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SHOWN, "--user", "bob"), "user 'bob' is not known"),
        ((*SHOWN, "--user", ""), "user '' is not known"),
        ((*SHOWN, "--user", "12"), "user '12' is not known"),
        ((*SHOWN, "--user", "ANN"), "user 'ANN' is not known"),
        (("ideal", "--subtopics", "tree.csv"), "tree.csv: file not found; did you mean 'three.csv'?"),
        (("ideal", "--subtopics", "."), ".: is a directory, expected a file"),
        (("ideal", "--subtopics", "empty.csv"), "empty.csv: the file is empty"),
        (("ideal", "--subtopics", "cut.parquet"), "cut.parquet: cannot be read as a Parquet file"),
        (("ideal", "--subtopics", "strange.csv"), "'foo', 'bar', 'baz' looks like a header with unknown column names"),
        ((*SHOWN, "--columns", "user=uid"), "user is given as column 'uid'"),
        ((*SHOWN, "--weights", "weights.csv"), "weights.csv, line 2: the weight is 'nan', expected a finite number"),
        (
            ("ideal", "--aspects", "strong.csv", "--history", "history.csv"),
            "strong.csv, line 2: the strength of item 'a', aspect 'x' is 1.5",
        ),
        (("ideal", "--aspects", "twice.csv", "--history", "history.csv"), "twice.csv, line 3"),
    ],
)
def test_failure(refused: Refused, here: Path, arguments: tuple[str, ...], message: str) -> None:
    (here / "empty.csv").touch()
    write_csv(here / "strange.csv", ("foo", "bar", "baz"), [("q", 1, "a")])
    write_csv(here / "weights.csv", ("aspect", "weight"), [(1, "nan")])
    write_csv(here / "strong.csv", ("item", "aspect", "strength"), [("a", "x", 1.5)])
    write_csv(here / "twice.csv", ("item", "aspect", "strength"), [("a", "x", 1), ("a", "x", 0.5)])
    polars.DataFrame({"user": ["q"], "aspect": ["1"], "item": ["a"]}).write_parquet(here / "cut.parquet")
    (here / "cut.parquet").write_bytes((here / "cut.parquet").read_bytes()[:-20])
    assert message in refused(1, *arguments)


def test_duplicates(call: Call, refused: Refused, here: Path) -> None:
    rows = [("ann", aspect, item) for item, has in THREE.items() for aspect in has]
    write_csv(here / "again.csv", ("user", "aspect", "item"), [*rows, *rows])
    (found,) = read(call("ideal", "--subtopics", "again.csv", "--user", "ann", "-m", "AlphaNDCG@2", "--json"))
    assert found["best"] == pytest.approx(BEST_OF_THREE, rel=1e-12)
    assert found["items_in_pool"] == 3
    write_csv(here / "against.csv", ("user", "aspect", "item", "grade"), [("ann", 1, "a", 1), ("ann", 1, "a", 0)])
    assert "against.csv, line 3" in refused(1, "ideal", "--subtopics", "against.csv")
    first = ("--duplicates", "first", "--ignore", "one_subtopic")
    (found,) = read(call("ideal", "--subtopics", "against.csv", "--user", "ann", *first, "--json"))
    assert found["best"] == 1.0


def test_nothing_is_printed_by_the_way(start: Start) -> None:
    process = start("ideal", "--subtopics", "hard.csv", "-m", "AlphaNDCG@5", "--json")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)[0]["proved_by_search"] == 2


def test_closed_pipe(start: Start) -> None:
    process = start("ideal", "--subtopics", "three.csv")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == (b"", 1)
    process.stderr.close()


# ---- Stopped in the middle

LONG = {f"d{number:03}": sorted(random.Random(number).sample(range(24), 4)) for number in range(600)}


@pytest.fixture
def long_work(start: Start, here: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """A search that takes minutes, and has begun."""
    write_subtopics(here / "long.csv", {"ann": LONG, "bob": {f"x{item}": has for item, has in list(LONG.items())[1:]}})
    write_csv(here / "long recs.csv", ("user", "item"), [("ann", "d001"), ("bob", "xd002")])
    begun: list[subprocess.Popen[bytes]] = []
    code = (
        "import sys, threading\n"
        "from aspectrum.cli import main\n"
        "threading.Timer(1.5, lambda: print('begun', flush=True)).start()\n"
        "main(sys.argv[1:])\n"
    )

    def long_work(*arguments: str) -> "subprocess.Popen[bytes]":
        process = start(*arguments, "--ideal-budget", "600", code=code)
        begun.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        return process

    yield long_work
    for process in begun:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "arguments",
    [
        ("ideal", "--subtopics", "long.csv", "-m", "AlphaNDCG@30"),
        ("ideal", "--subtopics", "long.csv", "-m", "AlphaNDCG@30", "--user", "ann"),
        ("evaluate", "long recs.csv", "--subtopics", "long.csv", "-m", "AlphaNDCG(ideal=exact)@30", "-o", "out.md"),
    ],
)
@pytest.mark.parametrize(("sent", "ends_with"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(
    long_work: Callable[..., "subprocess.Popen[bytes]"], here: Path, arguments: tuple[str, ...], sent: signal.Signals, ends_with: int
) -> None:
    process = long_work(*arguments)
    begun = time.monotonic()
    process.send_signal(sent)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - begun < 5
    assert (process.returncode, out) == (ends_with, b"")
    assert err.strip() == b"error: interrupted; no file is left half-written"
    assert not (here / "out.md").exists()


# ---- Exact ideals in evaluations

EXACT = "AlphaNDCG(ideal=exact)@5"
MEASURED = ("evaluate", "recs.csv", "--subtopics", "hard.csv", "-m", EXACT, "--ideal-budget", "0")


def test_both_ends_of_scores_as_parquet(call: Call, here: Path) -> None:
    assert call(*MEASURED, "--per-user", "scores.parquet").code == 0
    found = polars.read_parquet(here / "scores.parquet")
    assert found.columns == ["system", "user", EXACT, f"{EXACT} at least"]
    at_most, at_least = (dict(zip(found["user"], found[name], strict=True)) for name in (EXACT, f"{EXACT} at least"))
    lists = {"hard": ["d001", "d002"], "easy": ["a", "c"]}
    proved = asp.evaluate(lists, EXACT, subtopics={"hard": hard_pool(), "easy": THREE}).per_user
    score = dict(zip(proved["user"], proved[EXACT], strict=True))
    assert at_least["easy"] == at_most["easy"] == score["easy"] == pytest.approx((2 + 1.5 / LOG3) / (BEST_OF_THREE + 1 / 2), rel=1e-12)
    assert at_least["hard"] <= score["hard"] <= at_most["hard"]
    assert at_least["hard"] < at_most["hard"]
    assert math.isnan(at_least["none"]) and math.isnan(at_most["none"])
    how = json.loads(polars.read_parquet_metadata(here / "scores.parquet")["aspectrum"])["systems"]["recs"]["metrics"][0]
    assert (how["proved"], how["open"], how["undefined"], how["budget"]) == (1, 1, 1, 0.0)


def test_counts_of_proved_and_open_as_json(call: Call) -> None:
    (entry,) = json.loads(call(*MEASURED, "--format", "json").out)["systems"]["recs"]["metrics"]
    assert (entry["scored"], entry["undefined"], entry["proved"], entry["open"]) == (2, 1, 1, 1)
    assert entry["at_least"] < entry["value"]
    assert entry["widest_interval"] == pytest.approx(2 * (entry["value"] - entry["at_least"]), rel=1e-9)
    (proved,) = json.loads(call(*MEASURED[:-2], "--format", "json").out)["systems"]["recs"]["metrics"]
    assert (proved["proved"], proved["open"], proved["at_least"], proved["widest_interval"]) == (2, 0, proved["value"], 0.0)
    assert entry["at_least"] <= proved["value"] <= entry["value"]


@pytest.mark.parametrize("format", ["table", "csv", "markdown", "latex"])
def test_counts_of_proved_and_open_in_every_format(call: Call, format: str) -> None:
    (entry,) = json.loads(call(*MEASURED, "--format", "json").out)["systems"]["recs"]["metrics"]
    said = call(*MEASURED, "--format", format)
    assert said.code == 0
    limits = f"the mean is at least {entry['at_least']:.4f}, no score is more than {entry['widest_interval']:.2g} less"
    stands_on = f"2 scored, 1 undefined; 1 of 2 ideals not proved optimal: {limits}"
    assert stands_on in said.out
    assert "not every ideal is proved optimal within the budget; raise --ideal-budget" in said.out
    assert "ideal_budget=0" in said.out
    if format == "csv":
        (row,) = csv.DictReader(io.StringIO(said.out))
        assert (float(row["value"]), row["users"]) == (entry["value"], stands_on)
    proved = call(*MEASURED[:-2], "--format", format).out
    assert "2 scored, 1 undefined, 2 proved" in proved
    assert "open" not in proved
    assert "at least" not in proved


def test_highs_in_an_evaluation(call: Call) -> None:
    (entry,) = json.loads(call(*MEASURED, "--ideal-seconds", "60", "--format", "json").out)["systems"]["recs"]["metrics"]
    assert (entry["proved"], entry["open"], entry["seconds"]) == (2, 0, 60.0)


def test_a_configuration_of_an_evaluation(call: Call, here: Path) -> None:
    config = f"systems: recs.csv\ninputs: {{subtopics: hard.csv}}\nmetrics: ['{EXACT}']\nideal_budget: 0\n"
    (here / "config.yaml").write_text(config)
    (entry,) = json.loads(call("evaluate", "--config", "config.yaml", "--format", "json").out)["systems"]["recs"]["metrics"]
    assert (entry["proved"], entry["open"], entry["budget"]) == (1, 1, 0.0)
    said = call("evaluate", "--config", "config.yaml", "--ideal-budget", "2", "--format", "json")
    (entry,) = json.loads(said.out)["systems"]["recs"]["metrics"]
    assert (entry["proved"], entry["open"], entry["budget"]) == (2, 0, 2.0)


def test_exact_and_greedy_side_by_side(call: Call) -> None:
    """The list is the best one: only against the greedy ideal does it score more than 1."""
    said = call("evaluate", "best.csv", "--subtopics", "three.csv", "-m", "AlphaNDCG@2", "-m", "AlphaNDCG(ideal=exact)@2")
    assert said.code == 1
    write_csv(Path("best.csv"), ("user", "item"), [("ann", "a"), ("ann", "b")])
    said = call("evaluate", "best.csv", "--subtopics", "three.csv", "-m", "AlphaNDCG@2", "-m", "AlphaNDCG(ideal=exact)@2")
    assert lines(said)[2:4] == [
        ["AlphaNDCG@2", "(by", "subtopics)", f"{BEST_OF_THREE / GREEDY_OF_THREE:.4f}"],
        ["AlphaNDCG(ideal=exact)@2", "(by", "subtopics)", "1.0000"],
    ]


@pytest.mark.parametrize("convention", ["published", "ndeval", "pyndeval"])
def test_conventions_with_an_exact_ideal(call: Call, convention: str) -> None:
    ask = ("evaluate", "recs.csv", "--subtopics", "hard.csv", "--convention", convention, "--format", "json")
    (entry,) = json.loads(call(*ask, "-m", "ERRIA(normalize=ideal, ideal=exact)@5").out)["systems"]["recs"]["metrics"]
    assert (entry["ideal"], entry["normalize"], entry["convention"], entry["open"]) == ("exact", "ideal", convention, 0)
    best = {user: asp.ideal_list(user, "ERRIA@5", subtopics={"hard": hard_pool(), "easy": THREE}).best for user in ("hard", "easy")}
    pool = hard_pool()
    reached = len(pool["d001"]) + sum(0.5 if aspect in pool["d001"] else 1.0 for aspect in pool["d002"]) / 2
    expected = (reached / best["hard"] + 2.75 / best["easy"]) / 2
    assert entry["value"] == pytest.approx(expected, rel=1e-12)


def test_contacts(call: Call, here: Path) -> None:
    write_network(here)
    metric = "ERRIA(normalize=ideal, ideal=exact)@5"
    ask = ("contacts", "recs", *FILES, "-m", metric)
    found = json.loads(call(*ask, "--format", "json").out)["systems"]
    for name, lists in SYSTEMS.items():
        (entry,) = found[name]["metrics"]
        expected = asp.contacts.evaluate(lists, metric, **INPUTS)
        assert entry["value"] == expected[metric]
        assert (entry["ideal"], entry["open"], entry["proved"]) == ("exact", 0, expected.details[metric]["scored"])
        assert 0 < entry["value"] <= 1
    both = json.loads(call(*ask, "--convention", "both", "--ideal-budget", "1", "--format", "json").out)["systems"]
    assert {name: one["metrics"][0]["intents"] for name, one in both.items()} == {
        f"{name} ({way})": intents for name in SYSTEMS for way, intents in (("published", "uniform"), ("relison", "counts"))
    }
    assert all(one["metrics"][0]["budget"] == 1.0 for one in both.values())
    assert "no metric has one" in call("contacts", "recs", *FILES, "-m", "nDCG@5", "--ideal-budget", "1").err


# ---- What is said of it


@pytest.mark.parametrize("metric", ["AlphaNDCG", "ERRIA", "NRBP"])
def test_metrics_are_explained(call: Call, metric: str) -> None:
    said = call("metrics", metric)
    assert said.code == 0
    for word in ("exact", "budget", "seconds", "greedy"):
        assert word in said.out
    entry = json.loads(call("metrics", "--json", metric).out)
    assert {"ideal", "budget", "seconds"} <= {parameter["name"] for parameter in entry["parameters"]}


def test_help(call: Call) -> None:
    said = call("ideal", "--help")
    assert said.code == 0
    for option in ("--subtopics", "--user ID", "--ideal-budget", "--ideal-seconds", "--json", "--threads", "--config"):
        assert option in said.out
    assert "--features" not in said.out
    assert "aspectrum ideal --subtopics" in said.out
    assert re.search(r"^ +ideal +Show ideal lists", call("--help").out, re.MULTILINE)
    for command in ("evaluate", "contacts"):
        assert "--ideal-budget" in call(command, "--help").out
