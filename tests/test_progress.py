"""Progress: a bar, or a function that is told."""

from typing import Any

import pytest

import aspectrum as asp

LISTS = {"ann": ["x"], "bob": ["y"]}


def test_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    plain = asp.evaluate(LISTS, "NDCG@1", relevance=LISTS)
    assert asp.evaluate(LISTS, "NDCG@1", relevance=LISTS, progress=True) == plain
    shown = capsys.readouterr()
    assert (shown.out, "rankings" in shown.err, "2/2" in shown.err) == ("", True, True)
    asp.evaluate_systems({"[A]": LISTS, "B": LISTS}, "NDCG@1", relevance=LISTS, progress=True)
    assert "[A]" in capsys.readouterr().err
    asp.contacts.evaluate({"a": ["b"]}, "GiniComplement@1", train={"a": ["c"], "b": ["c"]}, progress=True)
    assert "recommendations" in capsys.readouterr().err


@pytest.mark.parametrize("progress", [None, False])
def test_no_bar(progress: Any, capsys: pytest.CaptureFixture[str]) -> None:
    asp.evaluate(LISTS, "NDCG@1", relevance=LISTS, progress=progress)
    assert capsys.readouterr().err == ""


def test_a_plan_takes_a_function() -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance=LISTS))
    told: list[tuple[int, int]] = []
    plan.observe(LISTS, progress=lambda *so_far: told.append(so_far))
    assert told == [(2, 2)]
    with pytest.raises(asp.ArgumentError, match="progress is True, expected a function to call; evaluate and evaluate_systems take True"):
        plan.observe(LISTS, progress=True)  # type: ignore[arg-type]
