"""The inputs of an evaluation: what each one is, the roles of its columns, and how its files may look.

Readers, command line, configuration and error messages all ask this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ROLES: Mapping[str, str] = {
    "user": "Who a row is about.",
    "item": "What is recommended, judged or described.",
    "aspect": "A genre, topic, community or subtopic.",
    "rank": "The place in the list, from 1.",
    "score": "What a list is ordered by, largest first.",
    "grade": "How relevant an item is.",
    "strength": "How much of an aspect an item has.",
    "weight": "How much an aspect is wanted.",
    "group": "A group of items whose exposure is to be fair, such as providers of one country.",
    "share": "How much of an item belongs to a group.",
    "count": "By how many users, or how often, an item was had.",
    "tokens": "How many tokens a document has.",
    "feature": "The name of a feature.",
    "value": "The value of a feature.",
    "source": "Where a link of a social network starts.",
    "target": "Where it ends.",
    "community": "A community of users.",
    "text": "Something that a user wrote.",
    "candidate": "Who is recommended to a user.",
    "system": "Whose list it is, where one file has the lists of several systems.",
}
"""What a column can hold."""

NUMBERS = ("rank", "score", "grade", "strength", "weight", "share", "count", "tokens", "value")
"""Roles whose columns hold numbers; all others hold ids."""

FIRST_TIME = 1e8
"""Numbers from here on may be times in seconds: of 1973 and later."""


@dataclass(frozen=True)
class InputSpec:
    """What an input is and which columns it has."""

    name: str  # the keyword of `evaluate`, the option and the key of a configuration
    required: tuple[str, ...]  # roles of the columns that must be there
    optional: tuple[str, ...] = ()  # roles of the columns that may be there
    help: str = ""  # one sentence for the command line and the configuration
    rows: str = ""  # what to pass, in error messages; if not the columns, as `(user, item[, grade]) rows`
    unnamed: tuple[tuple[str, ...], ...] = ()  # roles by place for each number of columns without names; if not in the order of `roles`
    split: str | None = None  # the role whose cells may hold several values, as `Action|Comedy`
    may_be_missing: tuple[str, ...] = ()  # roles that may be empty: the row then says that the item or user is known and has none
    expected: tuple[str, ...] = ()  # roles of which most files have one; it is noted if a file has only a spare column of numbers
    trec: Literal["run", "qrels"] | None = None  # the TREC format that is recognised by its content
    commented: bool = False  # whether comments may precede the rows, as in public edge lists
    prose: bool = False  # whether a column holds running text, in which a quote is a letter

    @property
    def roles(self) -> tuple[str, ...]:
        return self.required + self.optional

    @property
    def form(self) -> str:
        """The columns, as ``user, item[, grade]``."""
        return ", ".join(self.required) + "".join(f"[, {role}]" for role in self.optional)

    @property
    def comment(self) -> str:
        """The help, to go on a sentence."""
        return self.help[0].lower() + self.help[1:].removesuffix(".")

    @property
    def in_words(self) -> str:
        """What to pass, as ``(user, item[, grade]) rows``."""
        return self.rows or f"({self.form}) rows"

    @property
    def by_place(self) -> Mapping[int, tuple[str, ...]]:
        """Roles of columns without names, by how many columns there are."""
        ways = self.unnamed or (self.roles[:width] for width in range(len(self.required), len(self.roles) + 1))
        return {len(roles): roles for roles in ways}


def _table(*specs: InputSpec) -> Mapping[str, InputSpec]:
    return {spec.name: spec for spec in specs}


_LINK, _LINKS = ("source", "target"), "source, target[, weight]"
INPUTS = _table(
    InputSpec(
        "rankings",
        ("user", "item"),
        ("rank", "score", "system"),
        help="Ranked lists: user, item[, rank][, score][, system].",
        unnamed=(("user", "item"), ("user", "item", "score")),
        expected=("rank", "score"),
        trec="run",
    ),
    InputSpec(
        "aspects",
        ("item", "aspect"),
        ("strength",),
        help="What items are about: item, aspect[, strength].",
        rows="(item, aspect) pairs",
        split="aspect",
        may_be_missing=("aspect",),
    ),
    InputSpec("relevance", ("user", "item"), ("grade",), help="The truth: user, item[, grade].", expected=("grade",), trec="qrels"),
    InputSpec(
        "history",
        ("user", "item"),
        ("grade", "count"),
        help="What users had before: user, item[, grade][, count].",
        rows="(user, item) rows",
        unnamed=(("user", "item"), ("user", "item", "grade")),  # a fourth column without a name is a time more often than a count
        trec="qrels",
    ),
    InputSpec(
        "subtopics",
        ("user", "aspect", "item"),
        ("grade", "strength"),
        help="Aspects judged per user and item: user, aspect, item[, grade]; TREC diversity judgments.",
        rows="(user, aspect, item, grade) rows",
        split="aspect",
        may_be_missing=("aspect",),
        trec="qrels",
    ),
    InputSpec(
        "features",
        ("item", "feature"),
        ("value",),
        help="One vector per item: npz, npy, columns of numbers, or item, feature[, value].",
        rows="one vector per item",
        split="feature",
    ),
    InputSpec(
        "weights",
        ("aspect", "weight"),
        ("user",),
        help="How much aspects are wanted: [user, ]aspect, weight.",
        rows="(user, aspect, weight) rows",
        unnamed=(("aspect", "weight"), ("user", "aspect", "weight")),
    ),
    InputSpec(
        "groups",
        ("item", "group"),
        ("share",),
        help="Groups of items, for fairness of exposure: item, group[, share]. Default: the aspects.",
        rows="(item, group) pairs",
        split="group",
        may_be_missing=("group",),
    ),
    InputSpec(
        "lengths",
        ("item", "tokens"),
        help="How long documents are, for cutoffs in tokens such as AlphaNDCG@4000t: item, tokens.",
    ),
    InputSpec("popularity", ("item", "count"), help="How many users had each item: item, count. Default: counted in the history."),
    InputSpec(
        "baseline",
        ("user", "item"),
        ("rank", "score", "system"),
        help="Lists of a reference system, for unexpectedness: user, item[, rank][, score].",
        unnamed=(("user", "item"), ("user", "item", "score")),
        expected=("rank", "score"),
        trec="run",
    ),
    InputSpec(
        "graph",
        _LINK,
        ("weight",),
        help=f"Links between people, who are users and items: {_LINKS}; or GraphML.",
        commented=True,
    ),
    InputSpec("catalogue", ("item",), help="Items that could have been recommended. Default: all items seen anywhere."),
    InputSpec("items", ("item",), help="Items that the aspects know, even those without any."),
    InputSpec("users", ("user",), help="Users to average over."),
)
"""The inputs of :func:`aspectrum.evaluate`."""

SOCIAL_INPUTS = _table(
    InputSpec("train", _LINK, ("weight",), help=f"The network that was known: {_LINKS}; an edge list or GraphML.", commented=True),
    InputSpec("test", _LINK, ("weight",), help="The links that were to be found, in the same form.", commented=True),
    InputSpec(
        "communities",
        ("user", "community"),
        help="Communities of users: user, community. See aspectrum communities.",
        split="community",
        may_be_missing=("community",),
    ),
    InputSpec("texts", ("user", "text"), help="What users wrote, to make features of: user, text.", may_be_missing=("text",), prose=True),
)
"""The inputs that only social networks have."""

ALL_INPUTS = {**INPUTS, **SOCIAL_INPUTS}

BUNDLES = _table(
    InputSpec(
        "nuggets",
        ("user", "aspect", "item"),
        help="Nuggets instead of subtopics: FreshStack, BRIGHT-Pro, NuggetBank, CRUX and others.",
    ),
)
"""What files and configurations may give instead of several inputs; in Python it is an object that is given as subtopics."""

OPTIONS = {"baseline": "baseline_lists"}
"""Inputs whose option has another name: ``--baseline`` names the system that others are compared with."""

TRUTH = {name: spec for name, spec in INPUTS.items() if name not in ("rankings", "users")}
"""What lists are measured against."""

SOCIAL_TRUTH = {name: ALL_INPUTS[name] for name in ("train", "test", "communities", "features", "texts", "baseline")}
"""What recommended contacts are measured against."""

READING_OPTIONS = ("threshold", "popularity_users", "directed", "order", "ties", "duplicates")
"""What users may say of how inputs with ids are read."""

ALL_TRUTH = {**TRUTH, **SOCIAL_TRUTH}
"""Both: what an option of the command line or the ``inputs`` of a configuration can give."""
