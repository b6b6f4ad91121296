"""Nuggets from files, folders, frames and rows in memory."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from aspectrum.coding.ids import described
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.io.files import binary_format, files_of, is_several, naming_memory, printed, read_bytes
from aspectrum.io.frames import read_binary
from aspectrum.io.json_values import JsonText, Place
from aspectrum.io.source import Source
from aspectrum.io.text import GIVEN_AS_LISTS, trec_layout
from aspectrum.nuggets.brightpro import read_brightpro
from aspectrum.nuggets.choices import Choices
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.formats import FORMATS, format_of
from aspectrum.nuggets.neuclir import read_annotations, read_collaborator, topic_in, topic_of
from aspectrum.wording import did_you_mean, listed

Row = tuple[Place, Any]

_KINDS = ("json", "jsonl", "ndjson", "parquet", "arrow")
_FILE = re.compile(rf"\.(?:{'|'.join(_KINDS)})(?:\.gz|\.zst)?$", re.IGNORECASE)
_SHARD = re.compile(r"(?:-\d{5}-of-\d{5})?\.[a-z]+(?:\.gz|\.zst)?$", re.IGNORECASE)


def check_format(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise InputError(f"format is {format!r}, expected {listed(map(repr, FORMATS))}{did_you_mean(format, FORMATS)}")


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
    files = _in_folder(path, name) if os.path.isdir(path) else files_of(path) if is_several(path) else [path]
    return _collected(((one, name if one == path else printed(one)) for one in files), format, choices, name)


def read_rows(given: Any, format: str | None, choices: Choices, name: str) -> tuple[Collected, str]:
    """The nuggets of rows in memory: a frame, or objects as JSON has them."""
    rows = (given,) if isinstance(given, Mapping) else _of_frame(given) if not isinstance(given, list | tuple) else given
    if not isinstance(rows, Iterable):
        raise InputError(f"{name}: expected a path, a frame or a list of rows, found {described(given)}")
    found = Collected(name, choices)
    numbered = ((Place(name).at(number), _plain(row)) for number, row in enumerate(rows))
    return found, _read(found, numbered, None, format)


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


def _collected(files: Iterable[tuple[str, str]], format: str | None, choices: Choices, name: str) -> tuple[Collected, str]:
    """The nuggets of files of one format."""
    found, known = Collected(name, choices), format
    for path, own in files:
        with naming_memory(own):
            kind = _read(found, _rows_of(path, own), path, format)
        if known is not None and kind != known and {kind, known} != {"nuggetbank", "ragtime"}:
            raise InputError(f"{own}: holds {FORMATS[kind].title}, expected {FORMATS[known].title} as in the files before")
        known = known or kind
    return found, known or ""


def _read(found: Collected, rows: Iterator[Row], path: str | None, format: str | None) -> str:
    """Read the rows of a file; its format is what the first of them tells."""
    first = next(rows, None)
    if first is None:
        raise InputError(f"{found.source if path is None else printed(path)}: is empty, expected nuggets")
    place, value = first
    format = format or ("neuclir" if value == {} and topic_of(path) else format_of(place, value))
    read = FORMATS[format].read
    if read is not None:
        read(found, chain([first], rows))
        return format
    topic = topic_in(place, value) if isinstance(value, dict) and format == "annotations" else None
    topic = topic or topic_of(path)
    if topic is None:
        raise place.error("the name of the file does not tell the topic; expected one such as nuggets_300.json")
    if next(rows, None) is not None:
        raise place.error("expected one object in the file of a topic, found more")
    if format == "neuclir":
        read_collaborator(found, place, topic, value)
    else:
        read_annotations(found, place, topic, value)
    return format


def _rows_of(path: str, name: str) -> Iterator[Row]:
    """Rows of a file: those of a table, JSON Lines, or a list; anything else is one row."""
    data = read_bytes(path, name)
    if (kind := binary_format(data[:6])) is not None:
        frame = read_binary(name, io.BytesIO(data), kind)
        for number, row in enumerate(frame.iter_rows(named=True), 1):
            yield Place(f"{name}, row {number}"), row
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


def _in_folder(folder: str, name: str) -> list[str]:
    """The files of a folder that may hold nuggets."""
    names = sorted(one for one in os.listdir(folder) if _FILE.search(one) and not one.startswith((".", "_")))
    if not names:
        raise InputError(
            f"{name}: holds no nugget files; looked for *.json, *.jsonl and *.parquet, also compressed, or examples/ and aspects/"
        )
    return [os.path.join(folder, one) for one in names]


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
        raise InputError(f"{name}: holds the tasks {', '.join(both)}; name one of them with ", Option("task", both[0]))
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
            if re.search(rf"\.{kind}(?:\.gz|\.zst)?$", one, re.IGNORECASE) and not one.startswith((".", "_")):
                found.setdefault(_SHARD.sub("", one), {}).setdefault(kind, []).append(os.path.join(folder, one))
    return {task: next(iter(forms.values())) for task, forms in found.items()}


def _of_frame(given: Any) -> Any:
    """The rows of a frame as objects."""
    if hasattr(given, "to_dicts"):  # polars
        return given.to_dicts()
    if hasattr(given, "to_pylist"):  # PyArrow
        return given.to_pylist()
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # pandas
        return given.to_dict("records")
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else given


def _plain(value: Any) -> Any:
    """What frames hold as JSON would have it: lists instead of arrays, numbers of Python, null for what is missing."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return value if {*map(type, value)} <= {str} and isinstance(value, list) else [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value
