"""Notices: what a user should know of the inputs, as data. They are put into words once, by whoever shows them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Level = Literal["fact", "note", "warning", "error"]
"""``note``: how the inputs were read; ``warning``: the numbers are probably not what is meant; ``error``: no number would mean
anything. Facts are shown by ``aspectrum check`` only."""


@dataclass(frozen=True)
class Option:
    """An option that a message speaks of, with a value or without; Python and the command line spell it differently.

    >>> option = Option("columns", {"user": 1, "item": 2}, "rankings")
    >>> print(option, "or", COMMAND_LINE.spelled(option))
    asp.Source(..., columns={'user': 1, 'item': 2}) or --columns rankings:user=1,item=2
    """

    name: str
    value: Any = None
    input: str | None = None

    def __str__(self) -> str:
        return PYTHON.spelled(self)


@dataclass(frozen=True)
class Either:
    """A part of a message that Python and the command line put in different words."""

    python: str
    command_line: str

    def __str__(self) -> str:
        return self.python


def parts(separator: str, several: Iterable[Sequence[str | Option]]) -> list[str | Option]:
    """Parts of a message with a separator between them."""
    return [part for one in several for part in (separator, *one)][1:]


@dataclass(frozen=True)
class Speaker:
    """Who shows messages: on the command line or in Python, and what items and aspects are called there."""

    on_command_line: bool = False
    nouns: Mapping[str, str] = field(default_factory=lambda: {"item": "item", "aspect": "aspect", "owner": "item"})

    def worded(self, part: object) -> str:
        """A part of a message."""
        if isinstance(part, Notice):
            return part.rendered(self)
        return self.spelled(part) if isinstance(part, Option | Either) else str(part)

    def spelled(self, option: Option | Either) -> str:
        if isinstance(option, Either):
            return option.command_line if self.on_command_line else option.python
        name, value = option.name, option.value
        if not self.on_command_line:
            said = f"{name}=" if value is None else f"{name}={value!r}"
            return f"asp.Source(..., {said})" if name in ("split", "header", "columns", "format") else said
        if name == "header":
            return "--header" if value else "--no-header"
        if name == "directed":
            return "--directed" if value else "--undirected"
        if name == "columns":
            columns = ",".join(f"{role}={column}" for role, column in value.items())
            return f"--columns {option.input}:{columns}" if option.input else f"--columns {columns}"
        if name == "format":
            return f"--reader {option.input}={value}"
        name = "baseline-lists" if name == "baseline" else name  # --baseline is the system that others are compared with
        return f"--{name.replace('_', '-')}" + ("" if value is None or value is True else f" {shlex.quote(str(value))}")


PYTHON, COMMAND_LINE = Speaker(), Speaker(on_command_line=True)
CONTACTS = Speaker(nouns={"item": "candidate", "aspect": "community", "owner": "user"})


@dataclass(frozen=True)
class Notice:
    """Something about an input that a user may want to know."""

    kind: str  # a key of KINDS
    count: int | None = None  # how many rows, users or items it is about, if it is about a number of them
    of: int | None = None  # out of how many
    examples: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what else the words of this kind need
    because: tuple[Notice, ...] = ()  # notices that explain it, or say what follows
    source: str | None = None  # the input it is about
    level: Level = None  # type: ignore[assignment]  # by default that of its kind
    only: str | None = None  # the convention, or the fold, that it holds for, if not for all

    def __post_init__(self) -> None:
        if self.level is None:
            object.__setattr__(self, "level", KINDS[self.kind].level_of(self.count, self.of))

    def said(self, speaker: Speaker = PYTHON) -> str:
        """In words, without the source."""
        kind, nouns = KINDS[self.kind], speaker.nouns
        count = f"{self.count or 0:,}" + ("" if self.of is None else f" of {self.of:,}")
        words = {name: _worded(name, value, nouns) for name, value in self.detail.items()}
        option = "" if kind.option is None else speaker.spelled(self._filled(kind.option))
        text = kind.text.format_map(
            {**nouns, **words, **_ONE_OR_MANY[self.count == 1 and self.of is None], "count": count, "option": option}
        )
        such = f" (such as {', '.join(self.examples)})" if self.examples else ""
        return "; ".join([text + such, *(one.said(speaker) for one in self.because)])

    def _filled(self, option: Option | Either) -> Option | Either:
        """An option with the value that was found to be the right one, if it is not always the same."""
        if isinstance(option, Either):
            return option
        return replace(option, value=self.detail.get(option.name, option.value))

    def rendered(self, speaker: Speaker = PYTHON) -> str:
        """In words, with the source.

        >>> str(Notice("no_list", 12, 3400, ("'ann'", "'bob'"), source="test.csv"))
        "test.csv: 12 of 3,400 users have no list (such as 'ann', 'bob')"
        """
        return ": ".join(part for part in (self.only, self.source, self.said(speaker)) if part is not None)

    __str__ = rendered

    def with_kind(self, speaker: Speaker = PYTHON) -> str:
        """In words, with the source and the kind, by which a warning can be ignored."""
        return f"{self.rendered(speaker)} [{self.kind}]"

    def to_data(self) -> dict[str, Any]:
        """As plain data, without what is empty."""
        values = {**vars(self), "because": [one.to_data() for one in self.because]}
        return {name: value for name, value in values.items() if value not in (None, (), [], {})}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Notice:
        because = tuple(map(cls.from_data, data.get("because", ())))
        return cls(**{**data, "examples": tuple(data.get("examples", ())), "because": because})


def added(notices: Iterable[Notice]) -> list[Notice]:
    """Notices of all pieces of an input: those that differ in nothing but numbers and examples are one."""
    found: dict[str, Notice] = {}
    for one in notices:
        key = json.dumps([one.kind, one.source, one.detail], sort_keys=True, default=str)
        before = found.get(key)
        found[key] = one if before is None else replace(before, count=_sum(before.count, one.count), of=_sum(before.of, one.of))
    return list(found.values())


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def of_input(source: str, n_rows: int, notices: Iterable[Notice], n_users: int | None = None) -> list[Notice]:
    """What was noticed as an input was read, with its source and how many rows and users it has."""
    sizes = {"rows": n_rows, "users": n_users}
    found = [replace(one, source=source, of=sizes.get(KINDS[one.kind].counts, one.of)) for one in notices]
    return [one if KINDS[one.kind].warn_from is None else replace(one, level=KINDS[one.kind].level_of(one.count, one.of)) for one in found]


def merged(notices: Mapping[str, Iterable[Notice]]) -> tuple[Notice, ...]:
    """Notices of several results by name, each once; one that does not hold for all says for which it does.

    >>> a, b = Notice("directed"), Notice("weighted")
    >>> [str(one) for one in merged({"fold 0": [a, b], "fold 1": [a]})]
    ['the graph is directed', 'fold 0: test link weights are used as grades']
    """
    several = {name: list(own) for name, own in notices.items()}
    said = (
        one if all(one in others for others in several.values()) else replace(one, only=name)
        for name, own in several.items()
        for one in own
    )
    return tuple(dict.fromkeys(said))


def levelled(notices: Iterable[Notice], *, strict: bool = False, ignore: Iterable[str] = ()) -> tuple[Notice, ...]:
    """Notices, whose warnings are errors where that is asked for, and notes where they are to be ignored."""
    ignored = set(ignore)
    other: Level = "error" if strict else "warning"
    return tuple(replace(one, level="note" if one.kind in ignored else other) if one.level == "warning" else one for one in notices)


def _worded(name: str, value: Any, nouns: Mapping[str, str]) -> str:
    """A value of a detail: a word of the table, a role, a number, or several."""
    if isinstance(value, Mapping):
        many = [f"{n:,} {nouns.get(role, role)}{'s' * (n != 1)}" if isinstance(n, int) else f"{role} is {n!r}" for role, n in value.items()]
        return ", ".join(many)
    if isinstance(value, list | tuple):
        return (" or " if name == "missing" else ", ").join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return _WORDS.get((name, value), nouns.get(value, str(value)) if name == "role" else str(value))


_ONE_OR_MANY = (
    {"s": "s", "es": "es", "v": "", "are": "are", "have": "have", "do": "do", "them": "them"},
    {"s": "", "es": "", "v": "s", "are": "is", "have": "has", "do": "does", "them": "it"},
)
"""Endings of nouns and verbs, and verbs, of many and of one."""

_WORDS = {
    ("ties", "input"): "ties keep input order",
    ("ties", "ascending"): "ties are in ascending order of ids",
    ("ties", "descending"): "ties are in descending order of ids",
    ("rule", "strangers"): "have an end outside the train graph",
    ("rule", "self"): "are self-links",
    ("rule", "known"): "are in the train graph",
    ("rule", "reciprocal"): "have their reverse in the train graph",
    ("texts_of", "own"): "their own texts",
    ("texts_of", "followees"): "the texts of their followees",
    ("texts_of", "followers"): "the texts of their followers",
    ("texts_of", "all"): "their own and their neighbours' texts",
}


@dataclass(frozen=True)
class Kind:
    """A kind of notice.

    Args:
        level: How serious it is.
        text: Its words.
        option: The option that they speak of.
        counts: What it counts out of all of the input, ``rows`` or ``users``; or nothing of that kind.
        warn_from: The share from which it is a warning.
        warn_of: How many there must be in all for that.
    """

    level: Level
    text: str
    option: Option | Either | None = None
    counts: str = ""
    warn_from: float | None = None
    warn_of: int = 1

    def level_of(self, count: int | None, of: int | None) -> Level:
        """The level, where it may depend on a share."""
        if self.warn_from is None or count is None or of is None or of < self.warn_of:
            return self.level
        return "warning" if count > self.warn_from * of else self.level


KINDS: Mapping[str, Kind] = {
    # What is measured
    "left_out": Kind("note", "{asked} leaves out {left_out}"),
    "not_covered": Kind("note", "{convention} does not cover {metrics}"),
    "covers_only": Kind("note", "of the metrics asked for, {convention} covers only {metrics}"),
    "refused": Kind("note", "{why}"),
    "beyond_tool": Kind(
        "note", "{convention} itself does not report {metric}; ties are broken there as at the largest cutoff that it reports"
    ),
    # How an input was read
    "size": Kind("fact", "{count} row{s} of {input}: {ids}"),
    "rows": Kind("fact", "{count} row{s}"),
    "empty": Kind("error", "{input} is empty"),
    "trec_run": Kind("fact", "read as a TREC run"),
    "json_run": Kind("fact", "read as JSON: {lists}"),
    "trec_qrels": Kind("fact", "read as TREC qrels"),
    "blanks_in_ids": Kind("note", "{count} line{s} {have} more than six fields; the text between Q0 and the rank is the {item}"),
    "columns": Kind("fact", "columns: {columns}"),
    "unused_columns": Kind("fact", "unused columns: {columns}"),
    "positions": Kind("fact", "no header; columns by position: {columns}"),
    "no_line_end": Kind("note", "the last line has no line end; is the file complete?"),
    "unused_numbers": Kind(
        "warning", "{count} row{s} {have} no {missing}, but column {column} holds numbers; is it the {role}?", counts="rows"
    ),
    "header": Kind("note", "the first line ({first}) is read as a header; use {option} if it is data", Option("header", False)),
    "no_header": Kind("warning", "the first line ({first}) is read as data; use {option} if it is a header", Option("header", True)),
    "whitespace": Kind("warning", "{count} {role} id{s} with surrounding whitespace"),
    "text_lists": Kind("note", "{count} {role} cell{s} with a list written as text, read as a list"),
    "text_vectors": Kind("note", "{count} cell{s} with a vector written as text, read as a vector"),
    "null_aspects": Kind("note", "{count} row{s} {have} an empty {role} and add{v} none", counts="rows"),
    "flags": Kind("note", "column {column} is read as the grade: true is 1, false is 0"),
    "unused_flags": Kind(
        "warning", "{count} row{s} {have} no grade, but column {column} is true or false; is it the grade?", counts="rows"
    ),
    "numbered_vectors": Kind("warning", "{count} vector{s} {have} no ids; row numbers from 0 are used as ids"),
    "numbered_ids": Kind("note", "a matrix of {shape}; its row and column numbers, from 0, are used as ids"),
    "indicators": Kind("note", "{count} column{s} of 0 and 1 {are} read as {role}s: {columns}"),
    "empty_indicators": Kind("note", "{count} empty cell{s} in columns of 0 and 1 {are} read as 0"),
    "almost_indicators": Kind(
        "warning", "column {column} is left out, as {count} cell{s} {are} neither 0 nor 1; correct {them}, or drop the column"
    ),
    "outweighing": Kind(
        "warning", "column {column}, from {low} to {high}, outweighs {count} columns of 0 and 1; drop or rescale it unless that is intended"
    ),
    "feature_names": Kind("note", "column {column} is read as names of features"),
    "sequences": Kind("note", "column {column} holds sequences; its cells are split at blanks"),
    "padding": Kind("note", "{count} place{s} at the end of lists hold{v} {value} and {are} read as padding"),
    "features_from_aspects": Kind("note", "{metric} compares items by their {aspect}s, as no features are given"),
    "unread_files": Kind("note", "the folder also holds {count} file{s} or folder{s} that {are} not read"),
    # How nuggets were read
    "nuggets": Kind("note", "{format}; queries: {count}, nuggets: {nuggets}, {attainable} of them with a document, judgments: {judgments}"),
    "referenced_only": Kind("note", "only documents that support a nugget are named, so judged documents are those that are referenced"),
    "all_answers": Kind("note", "{count} nugget{s} ask{v} for all of several answers (AND), each of which is an {aspect}"),
    "nugget_weights": Kind("note", "weights of nuggets range from {low} to {high}"),
    "not_gold": Kind("note", "{count} document{s} support{v} an aspect but {are} not gold, so the grade of {them} is 0"),
    "unwanted_nuggets": Kind("note", "{count} nugget{s} {are} not vital and left out"),
    "queries_without_nuggets": Kind("note", "{count} of the queries {have} no nuggets and {are} not averaged"),
    "aspects_of_no_query": Kind("note", "{count} {aspect}s without a document that fit no query are left out"),
    "sub_nuggets": Kind("note", "{count} sub-nugget{s} {are} ignored; {option} reads {them}", Option("sub_nuggets", True)),
    "merged_nuggets": Kind("note", "{count} nugget{s} repeat{v} the text of an earlier one and {are} merged with it"),
    "repeated_texts": Kind("note", "{count} nugget{s} repeat{v} the text of another one on the line and {are} merged with it"),
    "graded_references": Kind("note", "importance or quality of {count} answers or references is ignored"),
    "references_of_questions": Kind("note", "{count} document{s} of a question, not of one of its answers, {are} ignored (AND, SUM)"),
    "failed_assignments": Kind("note", "{count} assignment{s} failed and {are} not judged"),
    "unknown_importance": Kind("note", "{count} nugget{s} {are} neither vital nor okay and count{v} as okay"),
    "nuggets_without_judgments": Kind("note", "{count} nugget{s} {have} no judgments in qrels_nuggets"),
    "nuggets_of_no_query": Kind("note", "{count} nugget{s} of qrels_nuggets belong{v} to no query and {are} left out"),
    "in_both_lists": Kind("note", "{count} document{s} in both lists of a nugget {are} {meaning}"),
    # Traces of agents
    "other_tools": Kind("note", "{count} call{s} to tools other than search {are} left out"),
    "round_counts": Kind("note", "{count} trace{s} state{v} another number of rounds than the searches show; the searches count"),
    "failed_searches": Kind("note", "{count} search{es} failed, with plain text, an error or nothing as output"),
    "found_nothing": Kind("note", "{count} trace{s} found nothing; the list{s} {are} empty"),
    "other_last_round": Kind(
        "note", "the last judged answer of {count} trace{s} is not that of the last round; AER counts the rounds up to that answer"
    ),
    "open_scores": Kind("note", "{count} score{s} after rounds {are} not proved within the budget; the details have lower bounds"),
    # How lists are ordered
    "order_rank": Kind("note", "lists are ordered by rank"),
    "order_score": Kind("note", "lists are ordered by score, best first"),
    "order_input": Kind("note", "lists are in input order"),
    "order_mixed": Kind("warning", "lists are ordered in different ways in different parts: by rank, by score or in input order"),
    "short_lists": Kind("fact", "{count} list{s} {are} shorter than the cutoff of {cutoff}", counts="users", warn_from=0.5, warn_of=10),
    "as_tokens": Kind("note", "for tokens write @{cutoff}t"),
    "short_contexts": Kind("note", "{count} list{s} {have} fewer than {tokens} tokens", counts="users", warn_from=0.5, warn_of=10),
    "nothing_fits": Kind("note", "{count} list{s} {have} no document that fits into {tokens} tokens", counts="users", warn_from=0.99),
    "unknown_lengths": Kind("note", "{count} row{s} {are} of documents without a length", counts="rows"),
    "empty_lists": Kind("note", "{count} list{s} {are} empty and {are} scored as such", counts="users"),
    "long_documents": Kind("note", "{count} row{s} {are} of documents longer than the budget of {tokens} tokens", counts="rows"),
    "tied_scores": Kind("note", "{count} adjacent row{s} {have} tied scores; {ties}", counts="rows", warn_from=0.85, warn_of=20),
    "tied_ranks": Kind("note", "{count} adjacent row{s} {have} tied ranks; {ties}", counts="rows", warn_from=0.85, warn_of=20),
    "averaged_ties": Kind(
        "note", "{count} adjacent row{s} {have} tied scores; metrics are averaged over all orders of ties", counts="rows"
    ),
    "ranked_ties": Kind("note", "{count} adjacent row{s} {have} tied scores; their ranks order them", counts="rows"),
    "single_blanks": Kind("note", "{count} {item} id{s} with several blanks in a row {are} known with single blanks, and read so"),
    "constant_ranks": Kind("note", "{count} list{s} with the same rank throughout; scores order them"),
    "several_blocks": Kind(
        "warning",
        "the rows of {count} user{s} are in several blocks, and no rank or score orders the lists; are the rows shuffled? Use {option} "
        "if their order is right",
        Option("order", "input"),
    ),
    "sorted_by_item": Kind(
        "fact",
        "the {item}s of {count} lists ascend, and no rank or score orders them; use {option} if that is the order",
        Option("order", "input"),
        counts="users",
        warn_from=0.9,
    ),
    "repeated_ranks": Kind(
        "fact", "every rank occurs {times} times in {count} lists; are these the lists of {times} systems?", counts="users", warn_from=0.9
    ),
    "scores_like_ranks": Kind(
        "fact",
        "the scores of {count} lists count up from 1, so the last item comes first; are the scores ranks?",
        counts="users",
        warn_from=0.9,
    ),
    "reversed_ranks": Kind(
        "fact",
        "the rows of {count} lists go from the highest rank to the lowest, so the last item comes first; are the ranks scores?",
        counts="users",
        warn_from=0.9,
    ),
    "falling_ranks": Kind(
        "note", "{count} rank{s} {are} lower than the one before; input order is used", counts="rows", warn_from=0.1, warn_of=5
    ),
    "ranks_against_scores": Kind(
        "note", "{count} rank{s} contradict{v} the scores; ranks are used", counts="rows", warn_from=0.75, warn_of=20
    ),
    "scores_against_ranks": Kind("note", "{count} rank{s} contradict{v} the scores; scores are used", counts="rows"),
    "rising_scores": Kind(
        "note", "{count} score{s} {are} higher than the one before; input order is used", counts="rows", warn_from=0.1, warn_of=5
    ),
    # What is stated twice, or does not count
    "duplicates": Kind("note", "{count} row{s} repeat{v} an {item} of the list and {are} ignored", counts="rows"),
    "contradictions": Kind("note", "{count} row{s} contradict{v} an earlier one and {are} ignored", counts="rows"),
    "repeats": Kind("fact", "{count} row{s} repeat{v} an earlier one", counts="rows"),
    "refused_duplicates": Kind(
        "note", "{count} row{s} repeat{v} an item of the list; {option} ignores them", Option("duplicates", "first")
    ),
    "refused_contradictions": Kind(
        "note", "{count} row{s} contradict{v} an earlier one; {option} ignores them", Option("duplicates", "first")
    ),
    "replaced_subtopics": Kind("note", "{count} row{s} {are} ignored: only the last {aspect} of each {item} counts", counts="rows"),
    "further_aspects": Kind("note", "{count} row{s} {are} ignored: only the first {aspect} of each {owner} counts", counts="rows"),
    "values_as_sets": Kind("note", "{count} feature value{s} {are} not 1; only the presence of a feature counts", counts="rows"),
    # What inputs say of one another
    "seen_items": Kind(
        "note",
        "{count} recommended item{s} {are} in the user's own history; are train items recommended?",
        counts="rows",
        warn_from=0.1,
        warn_of=10,
    ),
    "items_off_by_one": Kind(
        "warning",
        "{count} recommended {item}s match the judgments only once ids are shifted by one: {here} here, {there} there; are {item}s numbered from 0 "
        "in one input and from 1 in the other?",
    ),
    "test_in_train": Kind("note", "{count} row{s} {are} in the history as well; is test data in train?", warn_from=0.1, warn_of=10),
    "different_users": Kind(
        "note",
        "{count} user{s} {have} lists from only some systems, so means are over different users",
        warn_from=0.01,
        warn_of=10,
    ),
    "common_users": Kind("note", "compare with {option}", Option("users", "common")),
    "disjoint_systems": Kind(
        "note",
        "no user has lists from two systems; if these are parts of one system, {option}",
        Either("pass their folder as its lists", "name it: NAME=DIRECTORY; aspectrum rounds scores traces of agents round by round"),
    ),
    "never_judged": Kind(
        "warning", "no recommended {item} is judged for its user, though about {count} would be by chance; are the judgments a train set?"
    ),
    "lists_as_judgments": Kind(
        "fact", "the judgments of {count} users are the items of their lists; is one input given twice?", counts="users", warn_from=0.9
    ),
    "no_catalogue": Kind(
        "warning",
        "{metric}: without a catalogue it is relative to the {count} item{s} that occur{v} {where}; pass {option}",
        Option("catalogue"),
    ),
    "coverage_of_catalogue": Kind(
        "warning", "Coverage is CatalogueCoverage, the share of the catalogue that is recommended; for the share of nuggets use {instead}"
    ),
    "grades": Kind("fact", "grades range from {low} to {high}, and {count} ({share}) reach the threshold of {threshold}"),
    "swapped_columns": Kind("warning", "the users fit the items of {where}, and the items its users; are the columns swapped?"),
    "history_below": Kind(
        "note",
        "{count} row{s} {have} a grade below the threshold of {threshold} and {do} not count as liked",
        counts="rows",
        warn_from=0.9,
        warn_of=10,
    ),
    "history_grades": Kind(
        "warning",
        "{count} row{s} {have} a grade of 0 or less and count{v} as history; use {option} if they should not",
        Option("threshold", 1),
        counts="rows",
    ),
    "links_to_items": Kind(
        "warning",
        "nobody in the {count} links both links to somebody and is linked to; a graph has links between people: are these users and items?",
    ),
    "counts_by_user": Kind(
        "warning",
        "column {column} names users, and counts are for all of them together; pass what single users had as {option}",
        Option("history"),
    ),
    "no_popularity": Kind("warning", "all {count} count{s} {are} 0: nobody had any item"),
    "popularity_beside_history": Kind(
        "note",
        "counts are taken from here, and the number of users ({count}) from the history; {option} sets it",
        Option("popularity_users"),
    ),
    "unused_lengths": Kind("warning", "lengths are given, and no metric has a cutoff in tokens; write AlphaNDCG@4000t for 4,000 tokens"),
    "one_group": Kind("warning", "{where}, and fairness metrics compare groups"),
    "same_as_baseline": Kind(
        "fact", "{count} list{s} {are} the baseline's; is one input given twice?", counts="users", warn_from=0.99, warn_of=5
    ),
    "foreign_queries": Kind("warning", "no query of results is in qrels_query: {here} is in results, {there} in qrels_query"),
    "unknown": Kind("note", "{count} {role}{s} {are} not in {where}", warn_from=0.5, warn_of=10),
    "no_list": Kind("fact", "{count} user{s} {have} no list"),
    "missing_queries": Kind("note", "{count} queries have no list", warn_from=0.05, warn_of=10),
    "left_out_of_means": Kind("note", "they are left out of the mean; {option} scores them 0", Option("users", "judged")),
    "scored_as_empty": Kind("note", "they score 0 where more is better"),
    "no_aspect": Kind("fact", "{count} item{s} {have} no aspect"),
    "unsplit": Kind("warning", "{count} {role} name{s} contain{v} {separator}"),
    "split": Kind("note", "use {option} if each is several", Option("split")),
    "split_objects": Kind("note", "pass a list of {role} names instead of text if each is several"),
    "unread_lists": Kind("warning", "{count} {role} name{s} look{v} like lists or objects written as text"),
    "one_name": Kind("note", "pass one {role} per row, or a list of names per cell"),
    "subtopics_as_relevance": Kind(
        "warning",
        "the second column has {count} values, {values}; are these judgments of subtopics? Pass the file as {option}, or write 0 into that column",
        Option("subtopics"),
    ),
    "one_subtopic": Kind("warning", "all {count} rows have the same subtopic; are these subtopic judgments?"),
    "none_relevant": Kind("fact", "{count} user{s} {have} no item with a grade of {threshold} or more"),
    "times": Kind("note", "are these times?"),
    "threshold": Kind("note", "set {option} if that is not intended", Option("threshold")),
    "differ": Kind("note", "they differ in {how}: {here} here, {there} there"),
    "off_by_one": Kind("note", "they are off by one: {here} here is {there} there"),
    "swapped": Kind("note", "most are {other}s there; are users and items swapped in one of the inputs?"),
    "swapped_aspects": Kind("note", "{share} are aspects there; are the item and aspect columns swapped?"),
    "swapped_objects": Kind("note", "{share} are aspects there; expected {form}"),
    "strange": Kind("note", "no item of any list is in any other input; are these ids of the same items?"),
    # Contacts
    "directed": Kind("note", "the graph is directed"),
    "undirected": Kind("note", "the graph is undirected"),
    "weighted": Kind("note", "test link weights are used as grades"),
    "text_features": Kind("note", "users' features are {texts_of}, weighted by {weighting}"),
    "no_features": Kind("warning", "there are no features; RELISON then takes every distance as 0, and so are ILD and Unexpectedness"),
    "all_reciprocal": Kind(
        "note", "each of the {count} links has its reverse; use {option} if the graph is undirected", Option("directed", False)
    ),
    "both_ways": Kind("note", "{count} link{s} of a directed graph taken as undirected"),
    "odd_shares": Kind("warning", "the shares of {count} item{s} in groups do not add up to 1, so some items count more than others"),
    "self_links": Kind("note", "{count} self-link{s} ignored"),
    "unweighted_links": Kind("note", "{count} link{s} without a weight, which other links have; 1 is used"),
    "repeated_links": Kind("note", "{count} repeated link{s} ignored"),
    "summed_links": Kind("note", "{count} repeated link{s}; weights are summed"),
    "node_ids": Kind("note", "{count} node{s} {have} no name; users are called by the ids of nodes"),
    "igraph": Kind("warning", "igraph: {message}"),
    "excluded_links": Kind("note", "{count} links {rule} and are excluded"),
    "kept_links": Kind("note", "{count} links {rule} and are kept, as requested"),
    "links_left": Kind("note", "{count} link{s} {are} left to predict"),
    "lost_links": Kind("note", "{count} {rule}"),
    "more_test_links": Kind(
        "note", "{count} link{s} {are} in test, more than in train; are train and test swapped?", warn_from=0.6, warn_of=20
    ),
    "strangers_with_lists": Kind("note", "{count} user{s} with recommendations {are} not in {where}", warn_from=0.5, warn_of=10),
    "lists_ignored": Kind("note", "their recommendations are ignored"),
    "not_in_gini": Kind("note", "coverage and Gini ignore them"),
    "candidates_only": Kind("note", "they count as candidates only"),
    "texts_ignored": Kind("note", "their texts are ignored"),
    "unknown_authors": Kind("note", "{count} user{s} with texts not in {where}; their texts are ignored"),
    "self_recommended": Kind("note", "{count} row{s} recommend{v} users to themselves", warn_from=0.05, warn_of=20),
    "known_recommended": Kind(
        "note", "{count} row{s} recommend{v} a contact that the user already has in {where}", warn_from=0.1, warn_of=20
    ),
    "without": Kind("note", "{count} user{s} of {where} {have} no {what}", warn_from=0.5, warn_of=20),
    "several_communities": Kind("note", "{count} user{s} {have} more than one community"),
    # Results and comparisons
    "open_ideals": Kind(
        "note", "{metrics}: not every ideal is proved optimal within the budget; raise {option} to search further", Option("ideal_budget")
    ),
    "saved_warning": Kind("note", "warning when these were evaluated: {text}"),
    "one_sided": Kind(
        "note",
        "{metric}: {count} users are scored by only one of {system} and {baseline}; the comparison leaves them out",
        counts="users",
        warn_from=0.01,
    ),
    "few_carry": Kind(
        "warning", "{count} difference{s} {are} too skewed for this number of users; intervals and t tests may be inaccurate"
    ),
    "other_ideals": Kind("warning", "{metric}: the ideals of {system} and {baseline} are not equally certain; evaluate both in one call"),
    "no_segments": Kind("note", "segments are left out; {option} adds them", Option("segments")),
    "no_lists": Kind(
        "note", "exposure and lists of single users are left out: they need the lists, which saved results and parts do not hold"
    ),
    "no_contributions": Kind("note", "{metrics}: what users contribute is not known, as that takes all lists at once"),
    "no_aspects": Kind("note", "exposure per {aspect} is left out: no {aspect} is known"),
    "no_titles": Kind("note", "lists of single users are left out; {option} adds them", Option("titles")),
    "large_report": Kind("warning", "the report is too large for one page; left out: {left_out}"),
    "not_independent": Kind("note", "users of a social network are not independent: p-values and intervals may be too small"),
    "other_inputs": Kind(
        "warning", "{input} is not the same file for {system} and {baseline}: their numbers are measured against different things"
    ),
    "inconclusive": Kind("warning", "{said}"),
    "one_cutoff": Kind("note", "{metrics}: of more than three cutoffs, only this one is tested; name metrics to test others"),
    "not_tested": Kind("note", "{metrics}: not tested, as {why}"),
    # Whatever else
    "remark": Kind("note", "{text}"),
}
"""Every kind of notice: its level and its words."""

WARNINGS = tuple(
    kind
    for kind, one in KINDS.items()
    if one.level == "warning" or one.warn_from is not None or kind in ("unknown", "no_list", "none_relevant", "grades")
)
"""Kinds that may be warnings; the last few become one case by case."""
