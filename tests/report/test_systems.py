"""Who is in colour, and in which order things are drawn."""

from hypothesis import given
from hypothesis import strategies as st

from aspectrum.report.charts.lanes import lanes
from aspectrum.report.charts.systems import Systems


def test_at_most_five_besides_the_baseline_are_in_colour() -> None:
    names = tuple("ABCDEFGH")
    systems = Systems(names, "C", ("C", "A", "A", "unknown", *names))
    assert systems.in_colour == ("A", "B", "D", "E", "F")
    assert [systems.slot(name) for name in names] == [1, 2, 0, 3, 4, 5, None, None]


@given(st.permutations("ABCDEFGH"), st.lists(st.sampled_from("ABCDEFGH")), st.sampled_from([None, *"ABCDEFGH"]))
def test_everybody_is_drawn_once(names: list[str], focus: list[str], baseline: str | None) -> None:
    systems = Systems(tuple(names), baseline, tuple(focus))
    assert sorted(systems.back_to_front) == sorted(systems.by_importance) == sorted(names)
    if baseline is not None:
        assert systems.back_to_front[-1] == systems.by_importance[0] == baseline


def test_rows_go_to_the_most_important() -> None:
    systems = Systems(tuple("ABCDEF"), "F", ("E",))
    assert systems.most_important("ABCEF", at_most=3) == (["F", "E", "A"], 2)


@given(st.dictionaries(st.text(min_size=1), st.tuples(st.floats(0, 100), st.floats(1, 30)), max_size=5))
def test_five_marks_never_share_a_place(marks: dict[str, tuple[float, float]]) -> None:
    extents = {name: (start, start + length) for name, (start, length) in marks.items()}
    found = lanes(extents)
    for name, (start, end) in extents.items():
        for other, (from_, to) in extents.items():
            if name != other and found[name] == found[other]:
                assert end <= from_ or to <= start


def test_a_mark_with_room_stays_in_the_middle() -> None:
    assert set(lanes({"A": (0, 9), "B": (10, 19), "C": (20, 29)}).values()) == {0}
