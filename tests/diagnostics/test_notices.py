"""Notices are data that add up, and are put into words by whoever shows them."""

import pickle
import string
from dataclasses import replace

import pytest

import aspectrum as asp
from aspectrum.coding.reading import Input
from aspectrum.diagnostics.notices import COMMAND_LINE, CONTACTS, KINDS, PYTHON, Kind, Notice, Option, added, merged


def test_as_text() -> None:
    because = (Notice("differ", detail={"how": "case", "here": "'a'", "there": "'A'"}),)
    notice = Notice("unknown", 1200, 3400, ("'a'", "'b'"), {"role": "item", "where": "x.csv"}, because, "recs.csv")
    assert str(notice) == "recs.csv: 1,200 of 3,400 items are not in x.csv (such as 'a', 'b'); they differ in case: 'a' here, 'A' there"
    assert notice.level == "note"
    assert replace(notice, count=1701, level=KINDS["unknown"].level_of(1701, 3400)).level == "warning"
    assert Notice.from_data(notice.to_data()) == notice
    assert pickle.loads(pickle.dumps(notice)) == notice


@pytest.mark.parametrize(("kind", "entry"), KINDS.items())
def test_every_kind_has_words(kind: str, entry: Kind) -> None:
    names = {name for _, name, _, _ in string.Formatter().parse(entry.text) if name}
    notice = Notice(kind, 2, detail={name: name for name in names - {"count", "s", "option", *PYTHON.nouns}})
    assert notice.said()
    assert ("option" in names) == (entry.option is not None)
    assert "--" not in notice.said()


def test_speakers_spell_options_and_nouns() -> None:
    first = Notice("header", detail={"first": ["'a'"]})
    assert first.said().endswith("use asp.Source(..., header=False) if it is data")
    assert first.said(COMMAND_LINE).endswith("use --no-header if it is data")
    further = Notice("further_aspects", 1, 2)
    assert further.said().endswith("only the first aspect of each item counts")
    assert further.said(replace(CONTACTS, on_command_line=True)).endswith("only the first community of each user counts")


def test_errors_spell_options_too() -> None:
    error = asp.InputError("x: unclear; use ", Option("format", "tsv", "aspects"), " or ", Option("order", "score"))
    assert str(error) == "x: unclear; use asp.Source(..., format='tsv') or order='score'"
    assert error.said(COMMAND_LINE) == "x: unclear; use --reader aspects=tsv or --order score"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_notices_of_pieces_add_up() -> None:
    ties = Notice("tied_scores", 2, examples=("'a'",), detail={"ties": "input"})
    other = replace(ties, count=3, examples=("'b'",))
    assert added([ties, Notice("no_line_end"), other, Notice("no_line_end")]) == [replace(ties, count=5), Notice("no_line_end")]
    assert len(added([ties, replace(ties, detail={"ties": "ascending"})])) == 2
    one, two = (Input("rankings", "x", 4, {}, [notice]) for notice in (ties, other))
    assert [notice.count for notice in (one + two).notices] == [5]


def test_notices_of_parts_are_those_of_the_whole() -> None:
    lists = {"ann": [("x", 1.0), ("y", 1.0)], "bob": [("x", 1.0), ("y", 0.5)], "cyd": [("x", 2.0), ("y", 2.0)]}
    rows = {user: [(user, *pair) for pair in own] for user, own in lists.items()}
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={user: ["x"] for user in lists}))
    parts = [plan.observe(own) for own in rows.values()]
    whole = plan.finish(plan.observe([row for own in rows.values() for row in own]))
    assert plan.finish(parts[0] + parts[1] + parts[2]).notices == whole.notices
    assert whole.notes == ("rankings: 2 of 6 adjacent rows have tied scores; ties keep input order",)
    assert whole.notices[0].count == 2


def test_what_holds_for_some_says_for_which() -> None:
    both, one = Notice("directed"), Notice("weighted")
    assert merged({"a": [both, one], "b": [both]}) == (both, replace(one, only="a"))
