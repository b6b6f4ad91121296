"""Nuggets, from wherever they come, as the inputs of an evaluation."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from aspectrum.arrays import is_finite
from aspectrum.coding.ids import described, quoted
from aspectrum.coding.rows import InputBundle, Rows, Way
from aspectrum.diagnostics.notices import Notice, Option, parts
from aspectrum.errors import InputError
from aspectrum.io.source import Source
from aspectrum.nuggets.choices import Choices
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.formats import FORMATS
from aspectrum.nuggets.freshstack import settled
from aspectrum.nuggets.reading import check_format, read_path, read_rows


class Nuggets(InputBundle):
    """Nuggets of queries: what an answer should say, and which documents say it.

    Give them as ``subtopics``. They bring ``relevance`` with them, where you give none: the grade of a document is the number of nuggets it
    supports. Weights come with them, if nuggets do not all weigh 1.

    Examples:
        >>> import aspectrum as asp
        >>> nuggets = asp.Nuggets.of({"q1": {"who": ["d1", "d2"], "when": ["d1"], "where": []}})
        >>> nuggets
        Nuggets(1 query, 3 nuggets, 2 of them with a document, 3 judgments)
        >>> run = {"q1": ["d2", "d1"]}
        >>> found = asp.evaluate(run, ["AspectRecall@1", "AspectRecall(of=listed)@1,2"], subtopics=nuggets)
        >>> {name: round(value, 4) for name, value in found.items()}
        {'AspectRecall@1': 0.5, 'AspectRecall(of=listed)@1': 0.3333, 'AspectRecall(of=listed)@2': 0.6667}
    """

    def __init__(self, collected: Collected, format: str | None = None) -> None:
        self._found = collected
        self.format = format
        for name in collected.choices.made:
            if format is not None and name not in FORMATS[format].options:
                others = parts(" and ", [[Option(other)] for other in FORMATS[format].options])
                what = f" does not apply to {FORMATS[format].title}"
                only = ["; only ", *others, " does" if len(others) == 1 else " do"] if others else []
                raise InputError(f"{collected.source}: ", Option(name), what, *only)

    @classmethod
    def read(cls, source: Any, *, format: str | None = None, **options: Any) -> Nuggets:
        """Nuggets of a file, a folder, a frame, or rows as JSON has them.

        Read are FreshStack rows, BRIGHT-Pro, NuggetBank (version 3 and 1), RAGTIME 2026, nuggetizer assignments, NeuCLIR and CRUX; files are
        JSON, JSON Lines, Parquet or Arrow, also compressed.

        Args:
            source: A path, a :class:`Source`, a frame of pandas, polars or PyArrow, or a list of dictionaries.
            format: freshstack, brightpro, nuggetbank, nuggetbank_v1, ragtime, nuggetizer, neuclir, annotations or crux. Default: by the
                keys of the first row.
            options: How it is read, by name. ``partial_support``: the strength of partial support, 0.5 by default; 0 is strict, 1 lenient.
                ``importance``: "all" nuggets weigh 1 (default), "vital" ones only count, or vital weighs twice as much, "2:1"; an importance
                that is a number is the weight. ``sub_nuggets``: whether nuggets of nuggets are read, too. ``ratings``: the rating from which
                a document supports a nugget (default 3), or "strength" for a fifth of the rating. ``ratings_andor``: whether the stricter
                ratings of CRUX count where they are lower. ``both_lists``: what a document in both lists of a FreshStack nugget is, "unsupported"
                or "supported"; an error by default. ``task``: the task of BRIGHT-Pro, if there are several.
        """
        check_format(format)
        choices = Choices.of("Nuggets.read", options)
        given = source.data if isinstance(source, Source) else source
        if isinstance(given, str | os.PathLike):
            name = source.name if isinstance(source, Source) else None
            return cls(*read_path(os.fsdecode(given), format, choices, name))
        return cls(*read_rows(given, format, choices, "nuggets"))

    @classmethod
    def of(cls, nuggets: Mapping[Any, Any], *, weights: Mapping[Any, Any] | None = None) -> Nuggets:
        """Nuggets from ``{query: {nugget: [documents]}}``, or with strengths, ``{query: {nugget: {document: strength}}}``.

        Args:
            nuggets: A nugget without documents is listed all the same. A strength of 0 says that the document was judged, and does not
                support the nugget.
            weights: ``{nugget: weight}`` or ``{query: {nugget: weight}}``; those that are left out are 1.

        Examples:
            >>> Nuggets.of({"q1": {"who": {"d1": 1, "d2": 0.5, "d3": 0}}}, weights={"who": 2}).negatives_known
            True
        """
        found = Collected("nuggets")
        _check_mapping("nuggets", nuggets, "{query: {nugget: [documents]}}")
        of_query = _weights_of(nuggets, weights)
        for query, own in nuggets.items():
            _check_mapping(f"nuggets: query {quoted(query)}", own, "{nugget: [documents]}")
            found.query(_text(query, "query"))
            found.ignored["queries_without_nuggets"] += not own
            for nugget, documents in own.items():
                by_strength = _by_strength(query, nugget, documents)
                found.positive_only &= 0.0 not in by_strength
                answer = [(strength, several) for strength, several in by_strength.items()]
                found.nugget(_text(nugget, "nugget"), None, [answer], None, of_query(query, nugget))
        return cls(found)

    @classmethod
    def of_freshstack(
        cls, qrels_nuggets: Mapping[str, Mapping[str, int]], query_to_nuggets: Mapping[str, Iterable[str]], *, both_lists: Any = None
    ) -> Nuggets:
        """From the objects of the freshstack package: ``{nugget: {document: 0 or 1}}`` and ``{query: [nuggets]}``.

        Examples:
            >>> Nuggets.of_freshstack({"7_0": {"d1": 1, "d2": 0}}, {"7": ["7_0", "7_1"]})
            Nuggets(FreshStack rows: 1 query, 2 nuggets, 1 of them with a document, 2 judgments)
        """
        found = Collected("nuggets", Choices(both_lists=both_lists), positive_only=False)
        _check_mapping("qrels_nuggets", qrels_nuggets, "{nugget: {document: 0 or 1}}")
        _check_mapping("query_to_nuggets", query_to_nuggets, "{query: [nuggets]}")
        judgments = {_text(nugget, "nugget"): judged for nugget, judged in qrels_nuggets.items()}
        if len(judgments) < len(qrels_nuggets):
            raise InputError("qrels_nuggets: a nugget is there twice, as text and as a number; expected once")
        asked = {query: _nuggets_of(query, nuggets) for query, nuggets in query_to_nuggets.items()}
        known, wanted = judgments.keys(), {nugget for several in asked.values() for nugget in several}
        if wanted and not wanted & known:
            there = f"there {quoted(next(iter(known)))} is one" if known else "it is empty"
            raise InputError(
                f"no nugget of query_to_nuggets is in qrels_nuggets: {quoted(min(wanted))} is not, and {there}; expected the same ids"
            )
        found.ignored["nuggets_without_judgments"] += len(wanted - known)
        found.ignored["nuggets_of_no_query"] += len(known - wanted)
        for query, several in asked.items():
            found.query(_text(query, "query"))
            found.ignored["queries_without_nuggets"] += not several
            for nugget in several:
                judged = judgments.get(nugget, {})
                _check_mapping(f"qrels_nuggets: nugget {quoted(nugget)}", judged, "{document: 0 or 1}")
                for document, grade in judged.items():
                    if grade not in (0, 1):
                        raise InputError(
                            f"qrels_nuggets: nugget {quoted(nugget)} has {quoted(grade)} for {quoted(document)}, expected 0 or 1"
                        )
                supporting, others = ([_text(one, "document") for one, grade in judged.items() if grade == wanted] for wanted in (1, 0))
                supporting, others = settled(found, None, supporting, others)
                found.nugget(nugget, None, [[(1.0, supporting), (0.0, others)]], None)
        return cls(found, "freshstack")

    @property
    def queries(self) -> list[str]:
        """The queries, in the order of the file."""
        return list(self._found.texts)

    @property
    def texts(self) -> Mapping[str, Mapping[str, str | None]]:
        """The texts of the nuggets of each query, by the ids of nuggets; None where a format has no texts."""
        return self._found.texts

    @property
    def negatives_known(self) -> bool:
        """Whether documents that were judged and support nothing are named, too."""
        return not self._found.positive_only

    @property
    def n_listed(self) -> int:
        """How many nuggets there are."""
        return self._found.n_listed

    @property
    def n_attainable(self) -> int:
        """How many of them some document supports."""
        return self._found.n_attainable

    @property
    def n_judgments(self) -> int:
        return self._found.n_judgments

    def __len__(self) -> int:
        return self.n_listed

    def __repr__(self) -> str:
        title = "" if self.format is None else f"{FORMATS[self.format].title}: "
        counts = [_number(len(self.queries), "quer", "y", "ies"), _number(self.n_listed, "nugget")]
        return (
            f"Nuggets({title}{', '.join(counts)}, {self.n_attainable:,} of them with a document, {_number(self.n_judgments, 'judgment')})"
        )

    def inputs(self) -> dict[str, Rows]:
        """Rows of subtopics, and of relevance and weights if there are any."""
        return self.inputs_under(())

    def inputs_under(self, conventions: Collection[Way]) -> dict[str, Rows]:
        """The same under conventions all of which may say that a document in both lists of a nugget does not support it."""
        found = self._found
        if found.in_doubt is not None and {one.both_lists for one in conventions} != {"unsupported"}:
            raise found.in_doubt
        if not found.n_listed:
            unwanted = found.ignored["unwanted_nuggets"]
            raise InputError(f"{found.source}: {'none of its nuggets is vital' if unwanted else 'there are no nuggets in it'}")
        weights = found.weights()
        held = {"subtopics": found.subtopics(notices=self.notices), "weights": weights}
        held["relevance"] = found.relevance() if found.n_judgments else None
        return {name: rows for name, rows in held.items() if rows is not None}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to know of how they were read."""
        found = self._found
        facts = []
        if self.format is not None:  # else whoever made them knows
            counts = {"nuggets": f"{found.n_listed:,}", "attainable": f"{found.n_attainable:,}", "judgments": f"{found.n_judgments:,}"}
            facts += [Notice("nuggets", len(self.queries), detail={"format": FORMATS[self.format].title, **counts})]
        facts += [Notice("unread_files", len(found.unread), examples=tuple(map(quoted, found.unread[:3])))] if found.unread else []
        facts += [Notice("referenced_only")] if found.positive_only else []
        facts += [Notice("all_answers", found.n_all_of)] if found.n_all_of else []
        weights = found.weight_range
        facts += [Notice("nugget_weights", detail={"low": weights[0], "high": weights[1]})] if weights != (1.0, 1.0) else []
        both = {"in_both_lists": {"meaning": found.choices.both_lists or "unsupported"}}
        return (*facts, *(Notice(kind, count, detail=both.get(kind, {})) for kind, count in found.ignored.items() if count))


def _number(n: int, word: str, one: str = "", many: str = "s") -> str:
    return f"{n:,} {word}{one if n == 1 else many}"


def _check_mapping(what: str, given: Any, expected: str) -> None:
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: found {described(given)}, expected {expected}")


def _text(id: Any, role: str) -> str:
    """An id as text; whole numbers are written as one does."""
    if isinstance(id, str):
        return id
    if hasattr(id, "__index__") and not isinstance(id, bool):
        return str(id.__index__())
    raise InputError(f"nuggets: {described(id)} is the id of a {role}, expected text or a whole number")


def _nuggets_of(query: Any, nuggets: Any) -> list[str]:
    if isinstance(nuggets, str):
        return [nuggets]
    if isinstance(nuggets, Mapping) or not isinstance(nuggets, Iterable):
        raise InputError(f"query_to_nuggets: query {quoted(query)} has {described(nuggets)}, expected a list of nuggets")
    return [_text(nugget, "nugget") for nugget in nuggets]


def _by_strength(query: Any, nugget: Any, documents: Any) -> dict[float, list[str]]:
    """Documents by how much they support a nugget: all of it, where no strength is given."""
    where = f"nuggets: nugget {quoted(nugget)} of query {quoted(query)}"
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        raise InputError(f"{where} has {described(documents)}, expected documents, in a list or with strengths")
    if not isinstance(documents, Mapping):
        names = [_text(document, "document") for document in documents]
        return {1.0: list(dict.fromkeys(names))} if names else {}
    found: dict[float, list[str]] = {}
    for document, strength in documents.items():
        if not is_finite(strength) or not 0 <= strength <= 1:
            raise InputError(f"{where} has strength {quoted(strength)} for {quoted(document)}, expected a number from 0 to 1")
        found.setdefault(float(strength), []).append(_text(document, "document"))
    return found


def _weights_of(nuggets: Mapping[Any, Any], weights: Mapping[Any, Any] | None) -> Any:
    """What tells the weight of a nugget of a query."""
    if weights is None:
        return lambda _query, _nugget: 1.0
    _check_mapping("weights", weights, "{nugget: weight} or {query: {nugget: weight}}")
    by_query = any(isinstance(one, Mapping) for one in weights.values())
    known = set(nuggets) if by_query else {nugget for own in nuggets.values() if isinstance(own, Mapping) for nugget in own}
    for name, own in weights.items():
        if by_query:
            _check_mapping(f"weights: query {quoted(name)}", own, "{nugget: weight}")
        if name not in known:
            raise InputError(f"weights: there is no {'query' if by_query else 'nugget'} {quoted(name)}")
        for nugget, weight in own.items() if by_query else ((name, own),):
            if by_query and nugget not in nuggets[name]:
                raise InputError(f"weights: there is no nugget {quoted(nugget)} of query {quoted(name)}")
            if not is_finite(weight) or weight <= 0:
                raise InputError(f"weights: nugget {quoted(nugget)} has {quoted(weight)}, expected a weight above 0")
    return lambda query, nugget: float((weights.get(query, {}) if by_query else weights).get(nugget, 1.0))
