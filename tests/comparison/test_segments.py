"""Differences broken down by users' attributes."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import aspectrum as asp
from aspectrum.user_traits import quantile_segments
from tests.comparison import plain_statistics as plain
from tests.comparison.data import METRIC, by_user, pair, result, results, skewed, users

SCORES = skewed(3, 60, 2)
IDS = users(60)
SEGMENT = {user: ("young", "old", "middle")[place % 3] for place, user in enumerate(IDS)}


def compared(segments: Any, **options: Any) -> asp.Comparison:
    return asp.compare(pair(SCORES[:, 0], SCORES[:, 1]), segments=segments, **options)


def test_each_segment_by_definition() -> None:
    comparison = compared(SEGMENT)
    assert [one.segment for one in comparison.segments] == ["middle", "old", "young"]
    for one in comparison.segments:
        inside = [place for place, user in enumerate(IDS) if SEGMENT[user] == one.segment]
        a, b = (SCORES[inside, side].tolist() for side in (0, 1))
        d = [y - x for x, y in zip(a, b, strict=True)]
        assert (one.users, one.n, one.attribute) == (20, 20, "segment")
        assert [one.mean_a, one.mean_b, one.difference] == pytest.approx([plain.mean(a), plain.mean(b), plain.mean(d)])
        assert one.interval == pytest.approx(plain.t_interval(d, 0.95))
        assert one.relative == pytest.approx(plain.mean(b) / plain.mean(a) - 1)
        assert one.relative_interval == pytest.approx(plain.fieller(a, b, float(plain.quantile_of_t(0.975, 19))))
    (test,) = comparison.segment_tests
    groups = [(SCORES[:, 1] - SCORES[:, 0])[[SEGMENT[user] == name for user in IDS]].tolist() for name in ("middle", "old", "young")]
    assert test.f == pytest.approx(plain.welch(groups))
    assert test.said == "no evidence that the effect differs"


def test_effects_that_differ() -> None:
    base = SCORES[:, 0]
    gains = np.array([0.3 if SEGMENT[user] == "old" else 0.0 for user in IDS]) + 0.01 * (np.arange(60) % 5)
    comparison = asp.compare(pair(base, base + gains), segments=SEGMENT)
    (test,) = comparison.segment_tests
    assert test.p_adjusted < 0.001
    assert "by segment, the effect differs between segments, adjusted p = " in comparison.to_text()
    assert "95 % each, not corrected" in comparison.to_text()


def test_few_users_have_no_interval_and_unknown_ones_come_last() -> None:
    given: dict[str, str | None] = {user: "few" if place < 9 else "many" for place, user in enumerate(IDS[:50])}
    given[IDS[49]] = None
    comparison = compared(given)
    rows = {one.segment: one for one in comparison.segments}
    assert list(rows) == ["few", "many", "unknown"]
    assert [one.users for one in rows.values()] == [9, 40, 11]
    assert rows["few"].interval is None and rows["few"].difference is not None
    assert "too few users" in comparison.to_text()
    assert len(compared(dict.fromkeys(IDS[:9], "few") | dict.fromkeys(IDS[9:18], "many")).segment_tests) == 0


def test_users_whose_segment_is_called_unknown_are_with_those_who_have_none() -> None:
    given = {user: "unknown" if place < 20 else "known" for place, user in enumerate(IDS[:50])}
    assert [(one.segment, one.users) for one in compared(given).segments] == [("known", 30), ("unknown", 30)]


@pytest.mark.parametrize(("ids", "given"), [(range(60), map(str, range(60))), (map(str, range(60)), range(60))])
def test_ids_of_text_files_are_text(ids: Any, given: Any) -> None:
    ids = list(ids)
    made = results({name: dict(zip(ids, SCORES[:, place].tolist(), strict=True)) for place, name in enumerate("AB")})
    segments = {user: ("a", "b")[place % 2] for place, user in enumerate(given)}
    assert [(one.segment, one.users) for one in asp.compare(made, segments=segments).segments] == [("a", 30), ("b", 30)]


def test_undefined_users_are_in_a_segment_and_not_in_its_mean() -> None:
    b = SCORES[:, 1].copy()
    b[::3] = math.nan
    rows = {one.segment: one for one in asp.compare(pair(SCORES[:, 0], b), segments=SEGMENT).segments}
    assert (rows["young"].users, rows["young"].n, rows["young"].difference) == (20, 0, None)
    assert (rows["old"].users, rows["old"].n) == (20, 20)


def test_holm_over_metrics() -> None:
    made = {
        name: result({METRIC: by_user(SCORES[:, place]), "P@10": by_user(SCORES[:, place] ** 2), "MAP@10": by_user(SCORES[:, 1 - place])})
        for place, name in enumerate("AB")
    }
    tests = asp.compare(made, segments=SEGMENT).segment_tests
    assert [one.p_adjusted for one in tests] == pytest.approx(plain.holm([one.p for one in tests]))


def test_segments_that_do_not_vary_are_not_tested() -> None:
    """Rounding is no variation: users who all gain 0.1 gain it in several last digits."""
    base = np.array([0.1 * (place % 7) for place in range(60)])
    gains = np.array([0.1 if SEGMENT[user] == "old" else 0.02 * (place % 4) for place, user in enumerate(IDS)])
    comparison = asp.compare(pair(base, base + gains), segments=SEGMENT)
    (test,) = comparison.segment_tests
    varied = [gains[[SEGMENT[user] == name for user in IDS]].tolist() for name in ("middle", "young")]
    assert test.df[0] == 1.0
    assert test.f == pytest.approx(plain.welch(varied), rel=1e-6, abs=1e-9)


def test_every_form_of_attributes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": IDS, "age": [SEGMENT[user] for user in IDS], "group": [place % 2 for place in range(60)]})
    frame.write_csv(tmp_path / "users.csv")
    frame.write_parquet(tmp_path / "users.parquet")
    frame.write_csv(tmp_path / "users.tsv", separator="\t")
    expected = [(one.segment, one.difference) for one in compared(SEGMENT).segments]
    for given in (frame, frame.to_pandas(), tmp_path / "users.csv", str(tmp_path / "users.parquet"), tmp_path / "users.tsv"):
        found = compared(given).segments
        assert [(one.segment, one.difference) for one in found if one.attribute == "age"] == expected
        assert [one.segment for one in found if one.attribute == "group"] == ["0", "1"]
    nested = compared([{"age": SEGMENT}, {"group": {user: place % 12 for place, user in enumerate(IDS)}}]).segments
    assert [one.segment for one in nested if one.attribute == "group"] == [str(number) for number in range(12)]  # by value, not as text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nobody": "x"}, "none of the users compared has one"),
        ("nowhere.csv", "nowhere.csv: file not found"),
        (pl.DataFrame({"user": ["u0000", "u0000"], "age": [1, 2]}), "user 'u0000' has several rows"),
        (pl.DataFrame({"user": ["u0000"]}), "there is no column beside 'user'"),
        (pl.DataFrame({"x": ["u0000"], "y": [1]}), "no user column found"),
        ("activity", "need the history, which these results do not hold"),
        (3, "segments is int, expected"),
    ],
)
def test_attributes_that_cannot_be(given: Any, message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        compared(given)


def evaluated(**truth: Any) -> asp.SystemResults:
    """40 users, of whom the first have the longest histories."""
    relevance = {user: [user % 5] for user in range(40)}
    lists = {"A": {user: [0, 1, 2] for user in range(40)}, "B": {user: [user % 5, 5 + user % 3] for user in range(40)}}
    return asp.evaluate_systems(lists, "NDCG@3", relevance=relevance, **truth)


def test_traits_of_users() -> None:
    history = {user: list(range(5, 7 + user // 4)) for user in range(40)}
    aspects = {item: [item % 2, "x"] for item in range(20)}
    comparison = asp.compare(evaluated(history=history, aspects=aspects), segments=["activity", "breadth", "mainstreaminess"])
    by = {name: [one for one in comparison.segments if one.attribute == name] for name in ("activity", "breadth", "mainstreaminess")}
    assert [one.segment.split()[0] for one in by["activity"]] == ["light", "casual", "regular", "heavy"]
    assert [one.users for one in by["activity"]] == [12, 8, 12, 8]  # users of equal activity are in one segment
    assert by["activity"][0].segment == "light (2 to 4)"
    assert {one.segment.split()[0] for one in by["mainstreaminess"]} <= {"niche", "mixed", "mainstream"}
    assert sum(one.users for one in by["breadth"]) == 40
    assert not any("test data" in note for note in comparison.notes)


def test_segments_from_the_test_data_are_said() -> None:
    comparison = asp.compare(evaluated(), segments="activity")
    note = "segments by activity: from the test data, as there is no history: segments and scores share data"
    assert note in comparison.notes
    assert note in comparison.to_text()


def test_quantile_segments_keep_equals_together() -> None:
    values = np.array([1.0, 1, 1, 1, 1, 2, 3, math.nan])
    found = quantile_segments(values, ("low", "middle", "high"))
    assert {name: flags.tolist().count(True) for name, flags in found.items()} == {"low (1)": 5, "high (2 to 3)": 2}
    assert quantile_segments(np.array([math.nan]), ("low",)) == {}


def test_whole_system_metrics_are_left_out() -> None:
    lists = {name: {user: [(place * step) % 7, 7] for place, user in enumerate(IDS)} for name, step in {"A": 1, "B": 3}.items()}
    comparison = asp.compare(asp.evaluate_systems(lists, "GiniComplement@2", catalogue=list(range(9))), segments=SEGMENT)
    assert (comparison.segments, comparison.segment_tests) == ((), ())


def test_only_listed_pairs_are_broken_down() -> None:
    three = results({name: by_user(SCORES[:, place % 2] + 0.01 * place) for place, name in enumerate("ABC")})
    assert {(one.baseline, one.system) for one in asp.compare(three, baseline="B", segments=SEGMENT).segments} == {("B", "A"), ("B", "C")}
    assert len(asp.compare(three, pairs="all", segments=SEGMENT).segments) == 9
