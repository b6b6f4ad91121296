"""Nuggets from files, folders, frames and rows in memory."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from aspectrum.coding.ids import described, quoted
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.io.files import HIDDEN, NO_LISTS, binary_format, files_of, is_several, naming_memory, printed, read_bytes
from aspectrum.io.frames import read_binary, to_polars
from aspectrum.io.json_values import JsonText, Place, json_text
from aspectrum.io.source import EXTENSIONS, Source, is_external
from aspectrum.io.text import GIVEN_AS_LISTS, trec_layout
from aspectrum.nuggets.brightpro import read_brightpro
from aspectrum.nuggets.choices import Choices
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.formats import FORMATS, format_of
from aspectrum.nuggets.neuclir import read_annotations, read_collaborator, topic_in, topic_of
from aspectrum.nuggets.values import as_object, first_twice
from aspectrum.wording import did_you_mean, listed

Row = tuple[Place, Any]
File = tuple[str | None, str, Iterator[Row]]  # its path, what errors call it, and its rows

_KINDS = ("json", *(kind[1:] for format in ("jsonl", "parquet", "arrow") for kind in EXTENSIONS if EXTENSIONS[kind] == format))
_FILE = re.compile(rf"\.(?:{'|'.join(_KINDS)})(?:\.gz|\.zst)?$", re.IGNORECASE)
_UNREADABLE = re.compile(r"\.(?:bz2|xz|lzma|lz4|br|sz|snappy|Z|zip|7z|rar|tar|tgz|tar\.gz|tar\.zst)$", re.IGNORECASE)
_SHARD = re.compile(r"(?:-\d{5}-of-\d{5})?\.[a-z]+(?:\.gz|\.zst)?$", re.IGNORECASE)


def check_format(format: Any) -> None:
    if format is not None and (not isinstance(format, str) or format not in FORMATS):
        raise InputError(f"format is {format!r}, expected {listed(map(repr, FORMATS))}{did_you_mean(str(format), FORMATS)}")


def read_path(path: str, format: str | None, choices: Choices, name: str | None = None) -> tuple[Collected, str]:
    """The nuggets of a file or a folder, and their format."""
    name = printed(path) if name is None else name
    if (
        os.path.isdir(path)
        and format in (None, "brightpro")
        and all(os.path.isdir(os.path.join(path, one)) for one in ("examples", "aspects"))
    ):
        return _read_brightpro(path, name, choices), "brightpro"
    if format == "brightpro":
        raise InputError(f"{name}: expected a folder with examples/ and aspects/")
    found = Collected(name, choices)
    if os.path.isdir(path):
        files, found.unread = _in_folder(path, name)
    else:
        files = files_of(path) if is_several(path) else [path]
    named = ((one, name if one == path else printed(one)) for one in files)
    with naming_memory(name):
        return found, _read(found, ((one, own, _rows_of(one, own)) for one, own in named), format)


def read_rows(given: Any, format: str | None, choices: Choices, name: str) -> tuple[Collected, str]:
    """The nuggets of rows in memory: a frame, or objects as JSON has them."""
    rows = (given,) if isinstance(given, Mapping) else _of_frame(name, given) if not isinstance(given, list | tuple) else given
    if format == "brightpro":
        raise InputError(f"{name}: expected the path of a folder with examples/ and aspects/, found {described(given)}")
    if not isinstance(rows, Iterable):
        raise InputError(f"{name}: expected a path, a frame or a list of rows, found {described(given)}")
    found = Collected(name, choices)
    numbered: Iterator[Row] = ((place := Place(name).at(number), _plain(place, row)) for number, row in enumerate(rows))
    return found, _read(found, [(None, name, numbered)], format)


def title_of(given: Any) -> str | None:
    """What the nuggets of a file or a folder are called; None if it holds none."""
    source = given if isinstance(given, Source) else Source(given)
    if not source.is_path or source.path == "-":
        return None
    try:
        _, format = read_path(source.path, None, Choices())
    except InputError:
        return None
    return FORMATS[format].title


def _read(found: Collected, files: Iterable[File], format: str | None) -> str:
    """Read files of one format, and return it."""
    told = _with_formats(files, format)
    first = next(told)
    kind = first[1]
    read = FORMATS[kind].read
    if read is not None:
        read(found, chain.from_iterable(rows for *_, rows in chain([first], told)))  # what a query has may be in several files
        return kind
    for path, kind, rows in chain([first], told):
        _read_topic(found, path, kind, rows)
    return kind


def _with_formats(files: Iterable[File], format: str | None) -> Iterator[tuple[str | None, str, Iterator[Row]]]:
    """Files with their format, which the first row of each tells, and which is that of the files before."""
    known = format
    for path, own, rows in files:
        first = next(rows, None)
        if first is None:
            raise InputError(f"{own}: is empty, expected nuggets")
        place, value = first
        kind = format or ("neuclir" if value == {} and topic_of(path) else format_of(place, value))
        if known is not None and kind != known and {kind, known} != {"nuggetbank", "ragtime"}:
            raise InputError(f"{own}: holds {FORMATS[kind].title}, expected {FORMATS[known].title} as in the files before")
        known = known or kind
        yield path, kind, chain([first], rows)


def _read_topic(found: Collected, path: str | None, format: str, rows: Iterator[Row]) -> None:
    """Read the file of a topic, which holds one object."""
    place, value = next(rows)
    topic = (topic_in(place, as_object(place, value)) if format == "annotations" else None) or topic_of(path)
    if topic is None:
        raise place.error("the name of the file does not tell the topic; expected one such as nuggets_300.json")
    if next(rows, None) is not None:
        raise place.error("expected one object in the file of a topic, found more")
    if format == "neuclir":
        read_collaborator(found, place, topic, value)
    else:
        read_annotations(found, place, topic, value)


def _rows_of(path: str, name: str) -> Iterator[Row]:
    """Rows of a file: those of a table, JSON Lines, or a list; anything else is one row."""
    data = read_bytes(path, name)
    if (kind := binary_format(data[:6])) is not None:
        frame = read_binary(name, io.BytesIO(data), kind)
        for number, row in enumerate(frame.iter_rows(named=True), 1):
            yield Place(f"{name}, row {number}"), _of_table(row)
        return
    if (layout := trec_layout(data)) == "run":
        raise InputError(f"{name}: looks like a TREC run, which holds lists and no nuggets; ", GIVEN_AS_LISTS)
    if layout is not None:
        raise InputError(f"{name}: looks like TREC judgments, not a file of nuggets; pass it as ", Option("subtopics"))
    text = JsonText.of(name, data)
    del data
    for place, value in text:
        if isinstance(value, list) and not text.is_lines:
            yield from ((place.at(number), one) for number, one in enumerate(value))
        else:
            yield place, value


def _in_folder(folder: str, name: str) -> tuple[list[str], list[str]]:
    """The files of a folder that hold nuggets, and what else is there, but for what people keep beside their data. Nothing that may hold
    nuggets is passed over.
    """
    there = sorted(one for one in os.listdir(folder) if not one.startswith(HIDDEN) and not NO_LISTS.search(one))
    folders = {one for one in there if os.path.isdir(os.path.join(folder, one))}
    names = [one for one in there if one not in folders and _FILE.search(one)]
    if not names:
        raise InputError(
            f"{name}: holds no nugget files; looked for *.json, *.jsonl and *.parquet, also compressed, or examples/ and aspects/"
        )
    others = [one for one in there if one not in names]
    for one in others:
        path = os.path.join(folder, one)
        what = None
        if one in folders:
            what = "is a folder with files that may hold nuggets" if any(map(_may_hold_nuggets, _inside(path))) else None
        elif _may_hold_nuggets(one):
            what = f"is none of *.{', *.'.join(_KINDS)}, also compressed with gzip or zstd"
        if what is not None:
            raise InputError(f"{printed(path)}: {what}; move it, or use a pattern")
    return [os.path.join(folder, one) for one in names], [f"{one}/" if one in folders else one for one in others]


def _may_hold_nuggets(name: str) -> bool:
    return bool(_FILE.search(name) or _UNREADABLE.search(name))


def _inside(folder: str) -> Iterator[str]:
    """The names of all files in a folder and its folders."""
    for _, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(HIDDEN)]
        yield from (one for one in names if not one.startswith(HIDDEN))


def _read_brightpro(folder: str, name: str, choices: Choices) -> Collected:
    tasks = {part: _tasks(os.path.join(folder, part)) for part in ("examples", "aspects")}
    both = [task for task in tasks["examples"] if task in tasks["aspects"]]
    if choices.task is not None and choices.task not in both:
        raise InputError(
            f"{name}: there is no task {choices.task!r}; expected {listed(map(repr, both)) if both else 'a file in examples/ and aspects/'}"
        )
    if choices.task is None and len(both) != 1:
        if not both:
            raise InputError(f"{name}: no task has a file both in examples/ and in aspects/, such as biology.json")
        raise InputError(f"{name}: holds the tasks {', '.join(map(quoted, both))}; name one of them with ", Option("task", both[0]))
    task = choices.task or both[0]
    found = Collected(name, choices)
    examples, aspects = (
        chain.from_iterable(_rows_of(path, printed(path)) for path in tasks[part][task]) for part in ("examples", "aspects")
    )
    read_brightpro(found, examples, aspects)
    return found


def _tasks(folder: str) -> dict[str, list[str]]:
    """Files by their task; of one that is there in several forms, the first."""
    found: dict[str, dict[str, list[str]]] = {}
    for kind in _KINDS:
        for one in sorted(os.listdir(folder)):
            if re.search(rf"\.{kind}(?:\.gz|\.zst)?$", one, re.IGNORECASE) and not one.startswith(HIDDEN):
                found.setdefault(_SHARD.sub("", one), {}).setdefault(kind, []).append(os.path.join(folder, one))
    return {task: next(iter(forms.values())) for task, forms in found.items()}


def _of_frame(name: str, given: Any) -> Any:
    """The rows of a frame as objects."""
    if hasattr(given, "to_dicts"):  # polars
        return map(_of_table, given.to_dicts())
    if hasattr(given, "to_pylist"):  # PyArrow
        return map(_of_table, given.to_pylist())
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # pandas
        return given.to_dict("records")
    if is_external(given):
        return map(_of_table, to_polars(name, given).to_dicts())
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else given


def _of_table(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a table, whose structs have the keys of all rows: objects by key lose those that are null, as other rows have them."""
    return {name: _without_nulls(value) for name, value in row.items()}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(one) for one in value] if any(isinstance(one, dict) for one in value) else value
    if not isinstance(value, dict):
        return value
    is_by_key = all(one is None or isinstance(one, dict) for one in value.values())
    return {key: _without_nulls(one) for key, one in value.items() if one is not None or not is_by_key}


def _plain(row: Place, value: Any) -> Any:
    """What objects hold as JSON would have it: text as keys, lists instead of arrays, numbers of Python, null for what is missing."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return dict(zip(_keys(row, value), [_plain(row, inner) for inner in value.values()], strict=True))
    if isinstance(value, list | tuple):
        return value if {*map(type, value)} <= {str} and isinstance(value, list) else [_plain(row, inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def _keys(row: Place, value: Mapping[Any, Any]) -> list[str]:
    """The keys of an object, all of which are text; whole numbers are written as one does."""
    if {*map(type, value)} <= {str}:
        return list(value)
    for key in value:
        if isinstance(key, bool) or not (isinstance(key, str) or hasattr(key, "__index__")):
            raise row.error(f"expected text or a whole number as a key, found {quoted(key)}")
    keys = [str(key if isinstance(key, str) else key.__index__()) for key in value]
    if (twice := first_twice(keys)) is not None:
        raise row.error(f"the key {json_text(twice)} is there twice, as text and as a number; expected once")
    return keys
