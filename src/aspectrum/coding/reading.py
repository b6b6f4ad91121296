"""How inputs are read, and what was read as one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from aspectrum.arrays import is_finite
from aspectrum.coding.table import SomeIds
from aspectrum.diagnostics.notices import Notice, Option, added
from aspectrum.errors import InputError
from aspectrum.wording import shortened

Order = Literal["auto", "rank", "score", "input"]
"""What orders a list: its ranks, its scores (best first) or its rows as they stand; ``auto`` is the first that is there."""

Ties = Literal["input", "ascending", "descending", "expected"]
"""Which of two items that are equal in that order comes first: as given, the smaller id, the larger id; or the average over all orders."""

Duplicates = Literal["error", "first"]
"""What to do with an item that a list names twice, or a fact that is stated twice in different ways."""


@dataclass(frozen=True)
class Reading:
    """How inputs with ids are read.

    Args:
        threshold: The grade from which an item is relevant.
        history_threshold: If given, only history rows with at least this grade count.
        liked_from: If given, only history rows with at least this grade say which aspects a user likes; all were seen.
        order: What orders a list.
        scores_before_ranks: With order ``auto``, scores order a list that has both.
        ties: Which of two items with equal scores comes first; ``expected`` averages over all orders, and then scores order lists.
        duplicates: What to do with what is stated twice.
        one_aspect_per_item: Only the first aspect of an item counts.
        last_subtopic_only: Only the last subtopic of an item counts, in the order of the rows.
        features_are_sets: Whether an item has a feature counts, not its value; but for an index of texts.
        users_in_one_block: Rows of a user must stand together.
        popularity_users: If popularity is given, of how many users; by default those with a history.
        aspects_in_order: What the aspects of an item contribute is added in the order in which aspects first appear, not in that of the
            values. Numbers then depend on the order of rows, in their last digits or, where gains are equal, visibly.
        directed: Whether the graph is directed; by default as the graph says, and an edge list is directed.
    """

    threshold: float = 1.0
    history_threshold: float | None = None
    liked_from: float | None = None
    order: Order = "auto"
    scores_before_ranks: bool = False
    ties: Ties = "input"
    duplicates: Duplicates = "error"
    one_aspect_per_item: bool = False
    last_subtopic_only: bool = False
    features_are_sets: bool = False
    users_in_one_block: bool = False
    aspects_in_order: bool = False
    popularity_users: int | None = None
    directed: bool | None = None

    def __post_init__(self) -> None:
        for name in ("threshold", "history_threshold"):
            value = getattr(self, name)
            if (name == "threshold" or value is not None) and not is_finite(value):
                raise InputError(f"{name} is {shortened(repr(value))}, expected a finite number")
        users = self.popularity_users
        if users is not None and (isinstance(users, bool) or not isinstance(users, int) or users < 1):
            raise InputError(f"popularity_users is {shortened(repr(users))}, expected a whole number from 1")
        if self.directed not in (None, True, False):
            raise InputError(f"directed is {shortened(repr(self.directed))}, expected true, false or none")
        for name, kind in (("order", Order), ("ties", Ties), ("duplicates", Duplicates)):
            value = getattr(self, name)
            if value not in get_args(kind):
                raise InputError(f"{name} is {value!r}, expected {', '.join(map(repr, get_args(kind)))}")

    @property
    def breaks_ties(self) -> bool:
        """Whether ids say which of two items with equal scores comes first."""
        return self.ties in ("ascending", "descending")

    @property
    def of_truth(self) -> tuple[Any, ...]:
        """What changes the truth, but for the lists of a baseline."""
        names = (
            "threshold",
            "history_threshold",
            "liked_from",
            "duplicates",
            "one_aspect_per_item",
            "last_subtopic_only",
            "features_are_sets",
            "popularity_users",
            "directed",
        )
        return tuple(getattr(self, name) for name in names)

    @property
    def of_lists(self) -> tuple[Any, ...]:
        """What changes lists."""
        return self.order, self.scores_before_ranks, self.ties, self.duplicates, self.users_in_one_block


@dataclass(frozen=True, eq=False)
class Input:
    """What was read as one input, or as the lists of one system.

    Args:
        name: The input it is: rankings, aspects, relevance ...
        source: Its file, or its name.
        n_rows: How many rows it has.
        ids: The distinct users, items and aspects it names.
        notices: What a user should know of it.
        ordered_by: For rankings, what ordered the lists: rank, score or input; ``mixed`` if it was not the same in all pieces.
        external: Whether it was read from a file or a frame.
        ties_by: For rankings whose ties are in the order of item ids, that order: ``text``, or ``numbers`` where there are ties.
    """

    name: str
    source: str
    n_rows: int
    ids: Mapping[str, SomeIds]
    notices: list[Notice] = field(default_factory=list)
    ordered_by: str | None = None
    external: bool = False
    ties_by: str | None = None

    def notice(self, kind: str, count: int, **detail: Any) -> None:
        """Remember how many rows had something that a user should know of."""
        if count:
            self.notices.append(Notice(kind, int(count), detail=detail))

    def notice_ties(self, count: int, ties: str) -> None:
        """Remember how many items have the score of the one before, and what becomes of their order."""
        if ties == "expected":  # nothing to warn of: this is what ties ask for
            self.notice("averaged_ties", count)
        else:
            self.notice("tied_scores", count, ties=ties)

    def __add__(self, other: Input) -> Input:
        """Two pieces of the same input; users come in one of them only."""
        return Input.joined([self, other])

    @staticmethod
    def joined(several: Sequence[Input]) -> Input:
        """Pieces of the same input; users come in one of them only."""
        first = several[0]
        ids = {role: SomeIds.joined([piece.ids[role] for piece in several]).distinct() for role in first.ids}
        by_text, by_numbers = (next((piece for piece in several if piece.ties_by == way), None) for way in ("text", "numbers"))
        if by_text is not None and by_numbers is not None:
            one, two = (by_text, by_numbers) if several.index(by_text) < several.index(by_numbers) else (by_numbers, by_text)
            raise InputError(
                f"ties are broken by item id, and ids are {one.ties_by} in {one.source}, but {two.ties_by} in {two.source}, which have "
                "different orders; read the ids of all parts as text, as from a frame, or use ",
                Option("ties", "input"),
            )
        orders = {piece.ordered_by for piece in several if piece.n_rows}
        return replace(
            first,
            source=", ".join(dict.fromkeys(piece.source for piece in several)),
            n_rows=sum(piece.n_rows for piece in several),
            ids=ids,
            notices=added([notice for piece in several for notice in piece.notices]),
            ordered_by=orders.pop() if len(orders) == 1 else "mixed" if orders else first.ordered_by,
            ties_by=next((piece.ties_by for piece in several if piece.ties_by is not None), None),
        )
