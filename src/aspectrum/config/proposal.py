"""A configuration for the files of a folder: what each file is, by its columns and its name. What is unsure becomes a comment."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.asked import lacking_for_all
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.config.settings import system_name
from aspectrum.contacts.evaluation import default_metrics
from aspectrum.conventions import CONVENTIONS
from aspectrum.diagnostics.notices import COMMAND_LINE
from aspectrum.errors import InputError
from aspectrum.inputs import ALL_INPUTS, BUNDLES, SOCIAL_TRUTH
from aspectrum.io import read_input
from aspectrum.io.columns import is_spelling
from aspectrum.io.features import read_features
from aspectrum.io.files import as_text, printed, reason, why_unreadable
from aspectrum.io.frames import guarded
from aspectrum.io.json_lines import JsonTable
from aspectrum.io.json_numbers import json_numbers
from aspectrum.io.json_runs import other_kind, run_kind
from aspectrum.io.json_values import JsonText
from aspectrum.io.reading import rows_of
from aspectrum.io.source import Source
from aspectrum.io.tables import Table, open_table
from aspectrum.io.text import TextTable
from aspectrum.metric import parse
from aspectrum.nuggets import FORMATS, Nuggets
from aspectrum.nuggets.formats import format_of
from aspectrum.wording import listed, one_line, shortened

if TYPE_CHECKING:
    import polars

_N_BYTES, _N_ROWS, _MOST_FILES = 4_000_000, 100_000, 1000
_METRICS = ("NDCG", "Recall", "AlphaNDCG", "ERRIA", "AspectRecall", "ILD", "EPC", "GiniComplement")

_NAMES: Mapping[str, str] = {
    "rankings": "recs rec recommendation recommendations recommended run runs list lists ranking rankings topk predictions",
    "relevance": "test testing relevance qrel qrels truth heldout holdout judgments judgements grades",
    "history": "train training history",
    "subtopics": "subtopics diversity nuggets intents",
    "aspects": "aspects genres genre movies items item categories category topics topic",
    "features": "features feature vectors embeddings",
    "communities": "communities community clusters groups partition",
    "texts": "texts tweets posts",
    "weights": "weights",
    "groups": "groups providers protected",
    "popularity": "popularity",
    "lengths": "lengths",
    "baseline": "baseline",
    "catalogue": "catalogue catalog",
}
"""Words in the names of files, by input."""

_NO_TABLES = (".yaml", ".yml", ".json", ".md", ".html", ".pdf", ".py", ".ipynb", ".log", ".png", ".svg", ".zip", ".xlsx", ".pkl")

_AS_LINKS = {"relevance": "test", "history": "train"}
"""What inputs are in a social network."""


@dataclass(frozen=True)
class Proposal:
    """A configuration, as text, and what it is about."""

    text: str
    command: str  # evaluate or contacts
    used: Mapping[str, str]  # what each file is, by path
    left_out: Mapping[str, str]  # why a file is not used, by path

    def summary(self) -> str:
        """What was found, in words."""
        of: dict[str, list[str]] = {"lists": []}
        for path, input in self.used.items():
            of.setdefault(input, []).append(one_line(path))
        lines = [f"{input}: {', '.join(paths)}" for input, paths in of.items()]
        return "\n".join([*lines, *(f"not used: {one_line(path)}: {why}" for path, why in self.left_out.items())])


def propose(folder: str, config: str) -> Proposal:
    """A configuration at the path `config` for the files of a folder, and of the folders in it.

    Raises:
        InputError: There are no lists among them.
    """
    files = [_File(path, folder) for path in _paths(folder, config)]
    for file in files:
        file.recognise()
    social = any(file.input in ("communities", "texts", "train", "test") for file in files)
    _settle_baseline(files)
    for file in files:
        file.input = _AS_LINKS.get(file.input or "", file.input) if social else file.input
        if social and file.input == "groups" and "communities" in file.hints:
            file.become_communities()
        if file.path.lower().endswith(".npy"):
            file.ids_of_rows = next(
                (other.path for other in files if re.search(r"(^|[^a-z])ids?\.(txt|csv|tsv)$", other.path.lower())), None
            )
    systems = [file for file in files if file.input == "rankings"]
    if not systems:
        raise InputError(
            f"{printed(folder)}: no ranked lists found; expected files with columns user, item and rank or score, or with names like recs.csv",
            *(f"\n{one_line(file.path)}: {file.about}" for file in files),
        )
    inputs = _chosen(files, systems)
    if {"features", "texts"} <= inputs.keys():
        inputs.pop("texts").remark = "features are made of texts where there are none"
    fitting = [file for file in systems if not file.stranger_to(inputs)]
    for file in systems if fitting else ():  # if none fits, something else is wrong, and the check will say it
        file.remark = file.stranger_to(inputs)
    return _Writer(os.path.dirname(config), files, inputs, social).proposal()


def _paths(folder: str, config: str) -> list[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
        inner = [one for entry in entries if entry.is_dir() for one in sorted(os.scandir(entry.path), key=lambda one: one.name)]
    except OSError as error:
        said = "is a file, expected a directory" if isinstance(error, NotADirectoryError) else why_unreadable(folder, error)
        raise InputError(f"{printed(folder)}: {said}") from None
    found = [one.path for one in (*entries, *inner) if one.is_file() and not one.name.startswith(".")]
    if len(found) > _MOST_FILES:
        raise InputError(f"{printed(folder)}: holds {len(found):,} files, expected at most {_MOST_FILES:,}; name a folder with fewer")
    return [os.path.normpath(path) for path in found if os.path.realpath(path) != os.path.realpath(config)]


@dataclass(eq=False)
class _File:
    """A file, and what is found out about it from its beginning."""

    path: str
    folder: str
    input: str | None = None
    found: str = ""  # its columns, or why it cannot be read
    remark: str = ""  # what is unsure
    columns: dict[str, str] = field(default_factory=dict)
    ids_of_rows: str | None = None  # for arrays without ids, the file with the ids
    split: str | None = None
    rows: Rows | None = None
    is_json: bool = False  # lists, nuggets or lengths in JSON, which are read as a whole

    @property
    def about(self) -> str:
        """What was found, and what is unsure."""
        return "; ".join(filter(None, (self.found, self.remark)))

    @cached_property
    def hints(self) -> list[str]:
        """What its name, and then that of the folder that it is in, says that it is."""
        inner = os.path.relpath(os.path.dirname(os.path.abspath(self.path)), os.path.abspath(self.folder))
        said = [word for text in (system_name(self.path), inner) for word in re.findall(r"[^\W_]+", text.lower())]
        return [input for word in said for input, words in _NAMES.items() if word in words.split()]

    def recognise(self) -> None:
        """Find out what it is."""
        format = Source(self.path).guessed_format
        if format in (None, "jsonl") and self._recognise_json():
            return
        if self.path.lower().endswith(_NO_TABLES):
            self.found = "not a table"
            return
        if format in ("npz", "npy"):
            self.input, self.found = "features", "arrays"
            return
        if format == "graphml":
            self.input, self.found = self._links(), "a graph"
            return
        try:
            table = self._table("rankings")
        except InputError as error:
            self.found = one_line(str(error).removeprefix(printed(self.path)).lstrip(":, "))
            return
        names = [shortened(one_line(name), 30) for name in (table.names or ())[:8]]
        more = ", ..." if table.width > len(names) else ""
        self.found = f"columns {', '.join(names)}{more}" if names else f"{table.width} column{'s' * (table.width != 1)} without names"
        self.input = self._by_layout() if format in ("run", "qrels") or table.layout != "table" else self._by_columns(table)
        self.input = self.input or self._by_layout()
        if self.input == "rankings" and self.hints[:1] == ["baseline"]:
            self.input = "baseline"
        if self.input is not None:
            self.rows = self._read(self.input)
            self.split = self._separator()

    def _recognise_json(self) -> bool:
        """Whether it is JSON that holds lists by query, nuggets, or lengths of documents."""
        name, source = printed(self.path), Source(self.path)
        try:
            text, whole = _head_of(self.path)
            if text[:1000].lstrip()[:1] not in (b"{", b"["):
                return False
            values = JsonText.of(name, text)
            if not whole and not values.is_lines:  # a document, of which the beginning says nothing
                values = JsonText.read(self.path, name)
            place, first = next(iter(values))
            kind = run_kind(first)
            if kind == "traces":
                self.found = "the trace of an agent, for aspectrum rounds"
            elif kind is not None:
                self.input, self.found, self.rows = "rankings", "lists in JSON", read_input("rankings", source)
            elif other_kind(first) == "nuggets":
                format = format_of(place, first[0] if isinstance(first, list) else first)
                self.input, self.found = "nuggets", FORMATS[format].title
                self._read_nuggets(source)
            elif "lengths" in self.hints and json_numbers(source, ALL_INPUTS["lengths"], name, values.data) is not None:
                self.input, self.found, self.rows = "lengths", "tokens by document", read_input("lengths", source)
        except InputError:
            return False
        self.is_json = bool(self.found)
        return self.is_json

    def _read_nuggets(self, source: Source) -> None:
        """Rows of nuggets; if something is wrong with them, they are nuggets all the same."""
        try:
            self.rows = Nuggets.read(source).inputs()["subtopics"]
        except InputError as error:
            self.remark = one_line(error.said(COMMAND_LINE).removeprefix(printed(self.path)).lstrip(":, "))

    def _by_layout(self) -> str | None:
        """TREC's files, which have no names of columns."""
        for input, kind, called in (("rankings", "trec_run", "a TREC run"), ("subtopics", "trec_qrels", "TREC qrels")):
            rows = self._read(input)
            if rows is not None and any(notice.kind == kind for notice in rows.notices):
                self.found = called
                return "relevance" if input == "subtopics" and len(_texts(rows.ids["aspect"])) == 1 else input
        return None

    def _by_columns(self, table: Table) -> str | None:
        readable = {input for input in (*_NAMES, "train") if self._read(input) is not None}
        hinted = [input for input in self.hints if input in readable]
        if table.names is None:
            if not hinted:
                self.remark = "its name does not say what it is"
            return None if not hinted else "groups" if hinted[0] == "communities" and "groups" in hinted else hinted[0]
        words = {re.sub(r"[\W_]", "", name.lower()) for name in table.names}
        if self._groups(table.names, words):
            return "groups"
        if "communities" in self.hints and "communities" not in readable:
            return "communities" if self._has_column("communities", "community", table.names) else None
        if words >= {"source", "target"} or words & {"follower", "followee"}:
            return self._links()
        if "community" in words and "communities" in readable:
            return "communities"
        if "rankings" in readable:
            return self._pairs(hinted)
        of_items = is_spelling("relevance", ("item",), _columns_of(self._read("aspects")).get("item", ""))
        sure = {"aspects": of_items, "features": "feature" in words, "texts": "text" in words, "weights": True}
        return next((input for input in (*hinted, *sure) if input in readable and (input in hinted or sure[input])), None)

    def _links(self) -> str | None:
        """Links of a social network, train or test."""
        named = [_AS_LINKS[one] for one in self.hints if one in _AS_LINKS]
        self.remark = "" if named else "are these train or test links?"
        return named[0] if named else None

    def _pairs(self, hinted: Sequence[str]) -> str | None:
        """Rows of users and items: lists, or one kind of truth."""
        columns, judged = _columns_of(self._read("rankings")), self._read("subtopics")
        hinted = [input for input in hinted if input in ("rankings", "relevance", "history", "subtopics", "aspects", "baseline")]
        if "rank" in columns:
            return "rankings"
        if hinted:
            return hinted[0]
        if judged is not None and "grade" in judged.numbers:
            return "subtopics"
        if "score" in columns and not is_spelling("subtopics", ("grade",), columns["score"]):
            return "rankings"
        self.remark = "is it relevance, history, or lists in order?"
        return None

    def _groups(self, names: Sequence[str], words: Set[str]) -> bool:
        """Whether these are groups of items: by the columns, or by the name where no column is one of people."""
        people = words & {"node", "nodeid", "vertex"} or any(is_spelling("relevance", ("user",), name) for name in names)
        items = any(is_spelling("relevance", ("item",), name) for name in names)
        columns = _columns_of(self._read("groups"))
        alone = items and len(columns) == len(names) and is_spelling("relevance", ("group",), columns["group"])
        if people or not (alone or "groups" in self.hints or (items and "communities" in self.hints)):
            return False
        return bool(columns) or self._has_column("groups", "group", names)

    def _has_column(self, input: str, role: str, names: Sequence[str]) -> bool:
        """Whether one of the columns can be the community, or the group, of a file that is known by its name."""
        for place, name in enumerate(names, 1):
            self.columns = {role: name}
            if self._read(input) is not None:
                self.remark = f"or is the {role} {one_line(listed(names[place:]))}?" if names[place:] else ""
                return True
        self.columns = {}
        return False

    def become_communities(self) -> None:
        """Groups are communities in a social network, where items are people."""
        self.columns = {}
        if self._read("communities") is not None or self._has_column("communities", "community", self._table("communities").names or ()):
            self.input, self.rows = "communities", self._read("communities")

    @cached_property
    def _beginning(self) -> tuple[bytes | Table, bool]:
        """The first rows, as text or as a table, and whether these are all."""
        format, spec = Source(self.path).guessed_format, ALL_INPUTS["rankings"]
        if format == "parquet":
            frame = _head_of_parquet(self.path)
            return open_table(Source(frame), spec), len(frame) < _N_ROWS
        if format == "arrow":
            return open_table(Source(self.path), spec), True
        text, whole = _head_of(self.path)
        text = as_text(printed(self.path), text)
        if not text.strip():
            raise InputError("the file is empty")
        return JsonTable(printed(self.path), text) if format == "jsonl" or text.lstrip()[:1] == b"{" else text, whole

    @property
    def whole(self) -> bool:
        return self.rows is not None and (self.is_json or self._beginning[1])

    def _table(self, input: str) -> Table:
        """The beginning of the file, as a table for an input."""
        source, (start, _) = Source(self.path), self._beginning
        return TextTable(printed(self.path), start, ALL_INPUTS[input], source, source.guessed_format) if isinstance(start, bytes) else start

    def _read(self, input: str) -> Rows | None:
        """The first rows as those of an input, if they can be."""
        source = Source(self.path, columns=self.columns)
        try:
            table = self._table(input)
            if input == "features" and not isinstance(table, TextTable):
                return read_features(Source(table.frame, columns=self.columns))
            return rows_of(source, ALL_INPUTS[input], table)
        except InputError:
            return self._vectors() if input == "features" else None

    def _vectors(self) -> Rows | None:
        """Rows of text with an item and numbers."""
        rows = self._read("catalogue")
        if rows is None:
            return None
        table = self._table("catalogue")
        numbers = [table.is_number(place) for place, name in enumerate(table.names or ()) if name not in _columns_of(rows).values()]
        return rows if numbers and all(numbers) else None

    def _separator(self) -> str | None:
        """What separates several aspects in one cell."""
        role = ALL_INPUTS[self.input or ""].split
        if self.rows is None or role is None or role not in self.rows.ids:
            return None
        cells = _texts(self.rows.ids[role])
        return "|" if 10 * sum("|" in cell for cell in cells) > len(cells) else None

    def ids(self, role: str) -> set[str]:
        own = "source" if role == "user" else "target"
        column = None if self.rows is None else self.rows.ids.get(role) or self.rows.ids.get(own)
        return set() if column is None else _texts(column)

    def stranger_to(self, inputs: Mapping[str, _File]) -> str:
        """Lists whose users a truth does not know are of another evaluation; nothing if they may belong to this one."""
        for name in ("relevance", "subtopics", "nuggets", "history", "train"):
            known = inputs[name].ids("user") if name in inputs and inputs[name].whole else set()
            if known and not self.ids("user") & known:
                return f"its users are not in {one_line(inputs[name].path)}"
        return ""


def _head_of(path: str) -> tuple[bytes, bool]:
    """The first lines of a file of text, which may be compressed, or the start of a very long one, and whether these are all."""
    import zstandard

    try:
        with open(path, "rb") as file:
            packed: Any = file
            if path.endswith(".gz"):
                packed = gzip.GzipFile(fileobj=file)
            elif path.endswith(".zst"):
                packed = zstandard.ZstdDecompressor().stream_reader(file)
            text = packed.read(_N_BYTES)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise InputError(f"cannot be read: {reason(error)}") from None
    return (text, True) if len(text) < _N_BYTES else (text[: text.rfind(b"\n") + 1] or text, False)


def _head_of_parquet(path: str) -> polars.DataFrame:
    import polars

    try:
        return guarded(lambda: polars.scan_parquet(path).head(_N_ROWS).collect())
    except (OSError, polars.exceptions.PolarsError) as error:
        raise InputError(f"cannot be read as a Parquet file: {reason(error)}") from None


def _columns_of(rows: Rows | None) -> Mapping[str, str]:
    """Names of columns by role."""
    return next((notice.detail["columns"] for notice in (rows.notices if rows else ()) if notice.kind == "columns"), {})


def _texts(column: IdColumn) -> set[str]:
    """Ids, as text."""
    return {str(id) for id in (column.ids.to_list() if hasattr(column.ids, "to_list") else column.ids) if id is not None}


def _settle_baseline(files: Sequence[_File]) -> None:
    """Lists are those of a baseline if one file is called so, and others hold lists, too."""
    baselines = [file for file in files if file.input == "baseline"]
    if len(baselines) > 1 or all(file.input != "rankings" for file in files):
        for file in baselines:
            file.input = "rankings"


def _chosen(files: Sequence[_File], systems: Sequence[_File]) -> dict[str, _File]:
    """One file for each input: the one that most lists fit, and that is named so most clearly."""
    chosen: dict[str, _File] = {}
    for name, spec in {**ALL_INPUTS, **BUNDLES}.items():
        several = [file for file in files if file.input == name and name != "rankings"]
        role = "user" if "user" in spec.required or name in ("train", "test") else "item"

        def fit(file: _File, name: str = name, role: str = role) -> tuple[int, int]:
            return sum(bool(file.ids(role) & one.ids(role)) for one in systems), -len(file.hints)

        if several:
            chosen[name] = max(several, key=fit)
    for file in files:
        if file.input in chosen and chosen[file.input] is not file:
            file.remark = f"{file.input} is taken from {one_line(chosen[file.input].path)}"
    if {"subtopics", "nuggets"} <= chosen.keys():
        chosen.pop("subtopics").remark = "subtopics are those of the nuggets"
    return chosen


class _Writer:
    """Writes a configuration for files that were recognised."""

    def __init__(self, base: str, files: Sequence[_File], inputs: Mapping[str, _File], social: bool) -> None:
        allowed = tuple(SOCIAL_TRUTH) if social else (*ALL_INPUTS, *BUNDLES)
        self._base, self._social = base, social
        self._systems = [file for file in files if file.input == "rankings" and not file.remark]
        self._inputs = {name: file for name, file in inputs.items() if name in allowed}
        used = {*self._systems, *self._inputs.values()}
        ids = {file.ids_of_rows for file in used}
        self._others = [file for file in files if file not in used and file.path not in ids]

    def proposal(self) -> Proposal:
        command = "contacts" if self._social else "evaluate"
        used = {file.path: name for name, file in self._inputs.items()} | {file.path: "lists" for file in self._systems}
        left_out = {file.path: file.about for file in self._others}
        return Proposal("\n".join(self._lines(command)) + "\n", command, used, left_out)

    def _lines(self, command: str) -> Iterator[str]:
        yield f"# Made by aspectrum init. Paths are relative to the folder of this file. Run it with: aspectrum {command} --config THIS_FILE"
        yield ""
        yield "systems:"
        for name, file in zip(_names([file.path for file in self._systems]), self._systems, strict=True):
            yield from self._source(name, file)
        yield ""
        if self._inputs:
            yield "inputs:"
            for name, file in self._inputs.items():
                yield from self._source(name, file)
            yield ""
        yield from self._threshold()
        yield "metrics:"
        yield from (f"  - {metric}" for metric in self._metrics())
        if self._others:
            yield ""
            yield "# Not used:"
            for file in self._others:
                yield f"#   {one_line(self._path(file.path))}: {file.about}"

    def _source(self, name: str, file: _File) -> Iterator[str]:
        path, comment = _quoted(self._path(file.path)), f"  # {file.about}"
        if not file.columns and file.split is None and file.ids_of_rows is None:
            yield f"  {_quoted(name)}: {path}{comment}"
            return
        yield f"  {_quoted(name)}:"
        yield f"    path: {path}{comment}"
        if file.columns:
            yield f"    columns: {{{', '.join(f'{role}: {_quoted(column)}' for role, column in file.columns.items())}}}"
        if file.split is not None:
            yield f"    split: {json.dumps(file.split)}"
        if file.ids_of_rows is not None:
            yield f"    ids: {_quoted(self._path(file.ids_of_rows))}"

    def _path(self, path: str) -> str:
        return os.path.relpath(path, self._base or os.curdir)

    def _threshold(self) -> Iterator[str]:
        """Where grades look like stars, the one from which on an item is probably liked."""
        rows = None if self._social or "relevance" not in self._inputs else self._inputs["relevance"].rows
        grades = np.empty(0) if rows is None else rows.numbers.get("grade", np.empty(0))
        if len(grades) and grades.min() >= 0 and grades.max() in (5, 10, 100) and len(np.unique(grades)) > 3:
            said = f"grades are {grades.min():g} to {grades.max():g}; from which on is an item relevant?"
            yield f"threshold: {0.8 * grades.max():g}  # {said}"
            yield ""

    def _metrics(self) -> Iterable[str]:
        if self._social:
            return map(str, default_metrics(self._inputs))
        asked = [
            parse(text) for text in (*(f"{name}@10" for name in _METRICS), *(["AlphaNDCG@4000t"] if "lengths" in self._inputs else ()))
        ]
        inputs = {*self._inputs, *(("subtopics", "relevance") if "nuggets" in self._inputs else ())}
        return [str(metric) for metric in asked if lacking_for_all(inputs, metric, CONVENTIONS["published"]) == ()]


def _names(paths: Sequence[str]) -> list[str]:
    """Names of systems: those of the files without what all begin with, if that leaves names that differ."""
    stems = [system_name(path) for path in paths]
    for names in ([re.sub(r"^(recs?|recommendations|runs?|lists?)[_-]", "", stem) for stem in stems], stems):
        if len({*names}) == len(names) and all(names):
            return names
    return [os.path.splitext(path)[0] for path in paths]


def _quoted(text: str) -> str:
    """Text as YAML: in quotes where it could be anything else."""
    plain = re.fullmatch(r"[A-Za-z/_][\w./ -]*|\.\.?/[\w./ -]*", text) and text == text.strip() and text.lower() not in _YAML_WORDS
    return text if plain else json.dumps(text)


_YAML_WORDS = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
