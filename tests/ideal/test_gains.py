"""Gain vectors rank by rank: Clarke's example, with the ideal as it should have been printed."""

import math

import pytest

import aspectrum as asp

NUGGETS: dict[str, list[int]] = {"a": [2, 4], "b": [2], "c": [2], "d": [], "e": [1, 6], "f": [1], "g": [3], "h": [1], "i": [], "j": []}


def test_clarkes_example() -> None:
    gains = asp.gains({"q": list("abcdefghij")}, subtopics={"q": NUGGETS})
    assert gains.G.tolist() == [2, 0.5, 0.25, 0, 2, 0.5, 1, 0.25, 0, 0]
    assert gains.CG.tolist() == [2, 2.5, 2.75, 2.75, 4.75, 5.25, 6.25, 6.5, 6.5, 6.5]
    assert gains.ideal_CG[:7].tolist() == [2, 4, 5, 5.5, 6, 6.25, 6.5]
    assert gains.ideal_G[:7].tolist() == [2, 2, 1, 0.5, 0.5, 0.25, 0.25]
    assert gains.DCG[:3].tolist() == pytest.approx([2, 2.31546, 2.44046], abs=5e-6)
    assert gains.ideal_DCG[:3].tolist() == pytest.approx([2, 3.26186, 3.76186], abs=5e-6)
    assert gains.nDCG[:3].tolist() == pytest.approx([1, 0.70986, 0.64874], abs=5e-6)


def test_last_rank_is_what_the_metric_says() -> None:
    lists, subtopics = {"p": ["b", "a"], "q": ["e", "f", "c"]}, {"p": NUGGETS, "q": NUGGETS}
    scores = asp.evaluate(lists, "AlphaNDCG(alpha=0.75)@3", subtopics=subtopics).per_user.rows()
    gains = asp.gains(lists, "q", alpha=0.75, subtopics=subtopics)
    assert gains.nDCG[-1] == scores[1][1]
    assert gains.items == ["e", "f", "c"]


def test_probabilistic_gain() -> None:
    gains = asp.gains({"q": ["a", "b"]}, gamma=0.5, subtopics={"q": NUGGETS})
    assert gains.G.tolist() == [1 - 0.75 * 0.75, 1 - (1 - 0.125)]


def test_nothing_to_gain_and_nothing_listed() -> None:
    nothing = asp.gains({"q": ["d"]}, subtopics={"q": {"d": []}})
    assert math.isnan(nothing.nDCG[0])
    assert asp.gains({"q": []}, subtopics={"q": NUGGETS}).G.tolist() == []


def test_whose_list_must_be_said() -> None:
    with pytest.raises(asp.InputError, match="there are 2 users; say whose list with user="):
        asp.gains({"p": ["a"], "q": ["a"]}, subtopics={"q": NUGGETS})
    with pytest.raises(asp.MissingInput, match="gains needs judgments"):
        asp.gains({"q": ["a"]})


def test_items_are_printed_without_what_commands_a_terminal() -> None:
    shown = str(asp.gains({"q": ["a\x1b[2J\u202e\n"]}, subtopics={"q": {"a\x1b[2J\u202e\n": ["x"]}}))
    assert shown.endswith(r"  a\x1b[2J\u202e\n")
    assert len(shown.splitlines()) == 3
