"""Inputs that go together, but not as they are meant to: grades, leaks, users, cutoffs, columns."""

from functools import partial
from typing import Any

import numpy as np
import polars as pl

import aspectrum as asp
from tests.misuse.table import Misuse

USERS = [f"u{i}" for i in range(12)]
ITEMS = [f"i{i:02}" for i in range(20)]
LISTS = {user: [*ITEMS[i + 1 : i + 5], ITEMS[i]] for i, user in enumerate(USERS)}
"""Five items each."""

STARS = {user: {item: 1 + (i + j) % 5 for j, item in enumerate(ITEMS[i : i + 4])} for i, user in enumerate(USERS)}
"""Ratings of 1 to 5 stars."""
SCALED = {user: {item: stars / 5 for item, stars in own.items()} for user, own in STARS.items()}
GENRES = {item: ["odd" if i % 2 else "even", f"g{i % 3}"] for i, item in enumerate(ITEMS)}
RATED = {user: {item: 1 + (i + j) % 5 for j, item in enumerate(ITEMS[-3:])} for i, user in enumerate(USERS)}
"""A rated history."""
HARDLY_LIKED = {user: {item: 5 if i < 3 and item == ITEMS[-1] else 2 for item in own} for i, (user, own) in enumerate(RATED.items())}
LIKED = {user: [item for item, stars in own.items() if stars >= 4] for user, own in RATED.items()}
CLICKED = {user: {item: int(j == 0) for j, item in enumerate(own)} for user, own in RATED.items()}
"""A history of what was shown: 1 was clicked, 0 was not."""

NUMBERED = {user: [10 * (i + j) for j in range(5)] for i, user in enumerate(USERS)}
FEATURES = {10 * i: [1.0 + i % 3, 1.0, i % 2] for i in range(20)}
DENSE = {i: [1.0 + i % 3, 1.0, i % 2] for i in range(1, 21)}
"""Items that are numbered from 1."""


def evaluate(metrics: Any, lists: Any = None, **inputs: Any) -> asp.Results:
    return asp.evaluate(LISTS if lists is None else lists, metrics, **inputs)


def numbered_from_0() -> dict[str, list[int]]:
    """Lists whose items are counted from 0, while the features count them from 1."""
    return {user: [(i - j) % 20 for j in range(-4, 1)] for i, user in enumerate(USERS)}


def seen() -> dict[str, list[str]]:
    """Lists of the items that a user had before."""
    return dict.fromkeys(USERS, ITEMS[-3:] + ITEMS[:2])


def unseen() -> dict[str, list[str]]:
    return dict.fromkeys(USERS, ITEMS[:5])


def swapped() -> list[tuple[str, str, float]]:
    """Rows whose first two columns are exchanged, of items that most users of the truth do not have for a name."""
    return [(item, user, -float(j)) for user, items in LISTS.items() for j, item in enumerate(items)]


ITEM_OF_USER = [(user, (7 * user + 13 * j) % 60 + 1) for user in range(1, 21) for j in range(3)]
NUMBERS = {user: [item for item in range(1, 61) if (user + item) % 4 == 0 or (user, item) in ITEM_OF_USER] for user in range(1, 21)}
"""Users 1 to 20, items 1 to 60."""

SPREAD = {user: [(7 * i + 3 * j) % 38 + 1 for j in range(5)] for i, user in enumerate(USERS)}
"""Items 1 to 38; nobody has two neighbours."""
SHUFFLED = sorted(((user, item) for user, items in LISTS.items() for item in items), key=lambda row: (row[1], row[0]), reverse=True)
PLAYS = {
    user: {item: (1, 1, 2, 3, 1, 1, 5, 4, 1, 1, 1)[(3 * i + j) % 11] for j, item in enumerate(own)}
    for i, (user, own) in enumerate(STARS.items())
}
HALVES = {user: {item: 0.5 + (2 * i + j) % 9 / 2 for j, item in enumerate(own)} for i, (user, own) in enumerate(STARS.items())}


def flagged(name: str, values: tuple[Any, Any]) -> pl.DataFrame:
    """Relevance with one more column, which says of every second row that it is relevant."""
    rows = [(user, item) for user, own in STARS.items() for item in own]
    return pl.DataFrame(rows, schema=["user", "item"], orient="row").with_columns(
        pl.Series(name, [values[at % 2] for at in range(len(rows))])
    )


def evaluate_flagged(name: str, values: tuple[Any, Any]) -> asp.Results:
    return evaluate("P@5", relevance=flagged(name, values))


FEW = {user: LISTS[user][::-1] for user in USERS[:3]}

MISUSES = [
    Misuse(
        "ratings of 1 to 5 stars with the default threshold of 1",
        "warning",
        "grades range from 1 to 5, and 48 of 48 (100 %) reach the threshold of 1; set threshold= if that is not intended",
        lambda: evaluate("P@5", relevance=STARS),
        meant=lambda: evaluate("P@5", relevance=STARS, threshold=4),
        kind="grades",
    ),
    Misuse(
        "ratings scaled to 0..1 with the default threshold of 1",
        "warning",
        "grades range from 0.2 to 1, and 9 of 48 (19 %) reach the threshold of 1",
        lambda: evaluate("P@5", relevance=SCALED),
        meant=lambda: evaluate("P@5", relevance=SCALED, threshold=0.8),
        kind="grades",
    ),
    Misuse(
        "a rated history with a threshold: disliked items do not say what a user likes",
        "note",
        "rows have a grade below the threshold of 4 and do not count as liked",
        lambda: evaluate("AspectRecall(judged_by=history)@5", aspects=GENRES, history=RATED, threshold=4),
        meant=lambda: evaluate("AspectRecall(judged_by=history)@5", aspects=GENRES, history=LIKED),
        kind="history_below",
    ),
    Misuse(
        "a history of clicks with zeros, and no threshold",
        "warning",
        "24 of 36 rows have a grade of 0 or less and count as history; use threshold=1 if they should not",
        lambda: evaluate("AlphaDCG(judged_by=history)@5", aspects=GENRES, history=CLICKED),
        meant=lambda: evaluate("AlphaDCG(judged_by=history)@5", aspects=GENRES, history=CLICKED, threshold=1),
        kind="history_grades",
    ),
    Misuse(
        "recommending what users had before",
        "warning",
        "36 of 60 recommended items are in the user's own history; are train items recommended?",
        lambda: evaluate("UnseenShare@5", seen(), history=RATED),
        meant=1.0,
        kind="seen_items",
    ),
    Misuse(
        "test rows that are train rows",
        "warning",
        "36 of 84 rows are in the history as well; is test data in train?",
        lambda: evaluate("Recall@5", unseen(), history=RATED, relevance={user: STARS[user] | RATED[user] for user in USERS}, threshold=1),
        meant=lambda: evaluate("Recall@5", unseen(), history=RATED, relevance=STARS, threshold=1),
        kind="test_in_train",
    ),
    Misuse(
        "systems with lists for different users",
        "warning",
        "9 of 12 users have lists from only some systems, so means are over different users (such as 'u3', 'u4', 'u5'); compare with users='common'",
        lambda: asp.evaluate_systems({"all": LISTS, "few": FEW}, "P@5", relevance=STARS, threshold=4),
        meant=lambda: asp.evaluate_systems({"all": LISTS, "few": FEW}, "P@5", relevance=STARS, threshold=4, users="common"),
        kind="different_users",
    ),
    Misuse(
        "the Gini complement without a catalogue",
        "warning",
        "without a catalogue it is relative to the 16 items that occur anywhere in the inputs; pass catalogue=",
        lambda: evaluate("GiniComplement@5"),
        meant=lambda: evaluate("GiniComplement@5", catalogue=[f"i{i:02}" for i in range(100)]),
        kind="no_catalogue",
    ),
    Misuse(
        "lists of five items measured at 10",
        "warning",
        "12 of 12 lists are shorter than the cutoff of 10",
        lambda: evaluate("P@10", relevance=STARS, threshold=4),
        meant=lambda: evaluate("P@5", relevance=STARS, threshold=4),
        kind="short_lists",
    ),
    Misuse(
        "item ids counted from 0 in one input and from 1 in the other",
        "warning",
        "they are off by one: 0 here is 1 there",
        lambda: evaluate("ILD@5", numbered_from_0(), features=DENSE),
        meant=lambda: evaluate("ILD@5", {user: [item + 1 for item in items] for user, items in numbered_from_0().items()}, features=DENSE),
        kind="unknown",
    ),
    Misuse(
        "user and item columns swapped in the lists",
        "error",
        "are users and items swapped in one of the inputs?",
        lambda: evaluate("P@5", swapped(), relevance=STARS, threshold=4),
    ),
    Misuse(
        "user and item columns swapped in the lists, both of them numbers",
        "warning",
        "the users fit the items of relevance, and the items its users; are the columns swapped?",
        lambda: evaluate("Recall@1", [(item, user, -float(user)) for user, item in ITEM_OF_USER], relevance=NUMBERS),
        meant=lambda: evaluate("Recall@1", [(user, item, -float(item)) for user, item in ITEM_OF_USER], relevance=NUMBERS),
        kind="swapped_columns",
    ),
    Misuse(
        "item ids off by one against relevance",
        "warning",
        "60 of 60 recommended items match the judgments only once ids are shifted by one: 0 here, 1 there; are items numbered from 0",
        lambda: evaluate("P@5", {user: [item - 1 for item in items] for user, items in SPREAD.items()}, relevance=SPREAD),
        meant=1.0,
        kind="items_off_by_one",
    ),
    Misuse(
        "a threshold above nearly every grade of a history",
        "warning",
        "33 of 36 rows have a grade below the threshold of 4 and do not count as liked",
        lambda: evaluate("AlphaDCG(judged_by=history)@5", aspects=GENRES, history=HARDLY_LIKED, threshold=4),
        meant=lambda: evaluate("AlphaDCG(judged_by=history)@5", aspects=GENRES, history=HARDLY_LIKED, threshold=2),
        kind="history_below",
    ),
    Misuse(
        "a threshold for stars beside a history of ones",
        "right",
        "",
        lambda: evaluate(
            "AlphaDCG(judged_by=history)@5",
            aspects=GENRES,
            history={user: dict.fromkeys(own, 1) for user, own in RATED.items()},
            threshold=4,
        ),
        meant=lambda: evaluate("AlphaDCG(judged_by=history)@5", aspects=GENRES, history={user: list(own) for user, own in RATED.items()}),
    ),
    Misuse(
        "users in common where there are none",
        "error",
        "no user has a list of every system",
        lambda: asp.evaluate_systems({"A": {"u": ["a"]}, "B": {"v": ["a"]}}, "P@1", relevance={"u": ["a"]}, users="common"),
    ),
    Misuse(
        "shuffled rows of plain tuples",
        "warning",
        "are in several blocks, and no rank or score orders the lists; are the rows shuffled?",
        lambda: evaluate("NDCG@5", SHUFFLED, relevance=STARS, threshold=4),
        meant=lambda: evaluate("NDCG@5", relevance=STARS, threshold=4),
        kind="several_blocks",
    ),
    Misuse(
        "a matrix of 0 and 1 as relevance",
        "error",
        "2 x 3 zeros and ones look like a matrix; give scipy.sparse.csr_matrix(...) of users and items; if these are rows (user, item, grade)",
        lambda: asp.evaluate({0: [1], 1: [2]}, "P@1", relevance=np.array([[0, 1, 0], [1, 0, 1]])),
    ),
    Misuse(
        "lists of 0 and 1 as relevance",
        "error",
        "2 x 4 zeros and ones look like a matrix; give scipy.sparse.csr_matrix(...) of users and items",
        lambda: asp.evaluate({0: [1], 1: [2]}, "P@1", relevance=[[0, 1, 0, 0], [1, 0, 1, 0]]),
    ),
    *(
        Misuse(
            f"{dtype} column {name!r} of relevance",
            level,  # type: ignore[arg-type]
            says,
            partial(evaluate_flagged, name, values),
            meant=lambda: evaluate("P@5", relevance=flagged("grade", (1, 0))),
            kind=kind,
        )
        for dtype, name, values, level, says, kind in (
            ("a 0/1", "target", (1, 0), "warning", "column 'target' holds numbers; is it the grade?", "unused_numbers"),
            ("a yes/no", "is_relevant", ("yes", "no"), "note", "'is_relevant'", "flags"),
            ("a boolean", "purchased", (True, False), "note", "'purchased'", "flags"),
        )
    ),
    Misuse(
        "a time stamp beside user and item",
        "right",
        "",
        lambda: evaluate("P@5", relevance=flagged("timestamp", (1700000000, 1600000000))),
        meant=lambda: evaluate("P@5", relevance=flagged("note", ("a", "b"))),
    ),
    Misuse(
        "counts of plays that happen to end at 5",
        "right",
        "",
        lambda: evaluate("P@5", relevance=PLAYS),
        meant=lambda: evaluate("P@5", relevance=PLAYS, threshold=1),
    ),
    Misuse(
        "ratings whose five stars are not in the sample",
        "warning",
        "grades range from 0.5 to 4.5",
        lambda: evaluate("P@5", relevance=HALVES),
        meant=lambda: evaluate("P@5", relevance=HALVES, threshold=4),
        kind="grades",
    ),
]
