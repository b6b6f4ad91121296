"""Warnings reach people once per kind and call, as errors where that is asked for, or not at all."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import aspectrum as asp
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import WARNINGS, Notice

USERS = [f"u{i}" for i in range(12)]
LISTS = {user: ["a", "b"] for user in USERS}
TRUTH = {user: {"a": 1} for user in USERS}


def both(**options: Any) -> asp.SystemResults:
    """Two systems, each of which has two warnings."""
    return asp.evaluate_systems({"A": LISTS, "B": LISTS}, ["P@5", "GiniComplement@1"], relevance=TRUTH, **options)


def test_each_kind_once_per_call_and_where_the_caller_is() -> None:
    with pytest.warns(asp.AspectrumWarning) as caught:
        both()
    assert [one.message.kind for one in caught if isinstance(one.message, asp.AspectrumWarning)] == ["short_lists", "no_catalogue"]
    assert str(caught[0].message) == "A: 12 of 12 lists are shorter than the cutoff of 5 [short_lists] (and 1 more like it)"
    assert {one.filename for one in caught} == {__file__}
    with pytest.warns(asp.AspectrumWarning) as again:
        both(convention="published,informfully")
    assert len(again) == 2


def test_warnings_are_in_every_output() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = both()
    assert len(results.warnings) == 3
    for text in (
        results.to_text(),
        results.to_json(),
        results.to_csv(),
        results.to_markdown().replace("\\", ""),
        results.to_latex(),
        str(results),
    ):
        assert "12 of 12 lists are shorter than the cutoff of 5 [short_lists]" in text


def test_strict_says_all_of_them_at_once() -> None:
    with pytest.raises(asp.StrictError) as raised:
        both(strict=True)
    assert [line.rpartition("[")[2] for line in str(raised.value).splitlines()] == ["short_lists]", "short_lists]", "no_catalogue]"]


def test_what_is_ignored_is_a_note() -> None:
    results = both(strict=True, ignore=("short_lists", "no_catalogue"))
    assert results.warnings == ()
    assert any("shorter than the cutoff" in note for note in results.notes)


def test_there_is_no_such_kind() -> None:
    with pytest.raises(asp.InputError, match="unknown warning kind 'short_list'; did you mean 'short_lists'"):
        both(ignore="short_list")
    with pytest.raises(asp.InputError, match="unknown warning kind"):
        asp.Plan("P@5", asp.Truth.read(relevance=TRUTH), ignore="nonsense")


def test_parts_warn_when_they_are_finished() -> None:
    plan = asp.Plan("P@5", asp.Truth.read(relevance=TRUTH))
    parts = [plan.observe({user: LISTS[user] for user in some}) for some in (USERS[:6], USERS[6:])]
    with pytest.warns(asp.AspectrumWarning, match="12 of 12 lists are shorter"):
        plan.finish(parts[0] + parts[1])


def test_contacts() -> None:
    lists = {user: [user, "a"] for user in USERS}
    with pytest.warns(asp.AspectrumWarning, match=r"12 of 24 rows recommend users to themselves .*\[self_recommended\]"):
        asp.contacts.evaluate(lists, "Recall@2", train={user: ["b"] for user in USERS} | {"a": ["b"]}, test={user: ["a"] for user in USERS})


def test_a_notice_of_no_warning_is_silent() -> None:
    notes = Attention().draw([Notice("directed"), Notice("rows", 3)])
    assert [one.kind for one in notes] == ["directed", "rows"]


def test_every_kind_of_warning_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "warnings.md").read_text(encoding="utf-8")
    documented = {kind for line in re.findall(r"^\| (`[a-z_`, ]+) \|", page, re.MULTILINE) for kind in re.findall(r"`(\w+)`", line)}
    assert documented == set(WARNINGS)
