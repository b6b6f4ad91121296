"""What a configuration may hold: its shape, and what each part means."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, Field, PlainValidator, SkipValidation, ValidationInfo, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from aspectrum.contacts.cleaning import Keepable
from aspectrum.contacts.texts import Of, Weighting
from aspectrum.conventions import CONVENTIONS, UserChoice, usual_name
from aspectrum.diagnostics.notices import WARNINGS
from aspectrum.formats import EXTENSIONS, Format
from aspectrum.inputs import ALL_TRUTH, BUNDLES, ROLES
from aspectrum.io import FORMATS, Source
from aspectrum.metric import Metric
from aspectrum.user_traits import TRAITS
from aspectrum.wording import did_you_mean, listed

_USER_CHOICES: tuple[str, ...] = get_args(UserChoice)
_PACKED = (".gz", ".zst")


def system_name(path: str | os.PathLike[str]) -> str:
    """What a system is called that has a path and no name.

    >>> system_name("runs/als.v2.csv.gz")
    'als.v2'
    """
    file = Path(Source(path).path)  # without the part of predictions that is read
    return Path(file.stem).stem if file.suffix.lower() in _PACKED else file.stem


def _expected(what: str) -> PydanticCustomError:
    """What was found is said where the written text is known."""
    return PydanticCustomError("expected", "{what}", {"what": what})


def _path(value: Any, info: ValidationInfo) -> Path:
    if isinstance(value, str) and value:
        if "\0" in value:
            raise _expected("the name of a file, which cannot hold a null character")
        value = Path(value)
    if not isinstance(value, Path):
        raise _expected("a path")
    standard_input = str(value) == "-"
    return value if info.context is None or standard_input else Path(info.context) / value


def _path_or_word(value: Any, info: ValidationInfo) -> str | Path:
    if isinstance(value, Path):
        return _path(value, info)
    if value in _USER_CHOICES:
        return str(value)
    # A misspelt word must not become the path of a file that is missed only later.
    if isinstance(value, str) and re.search(r"[./\\]", value):
        return _path(value, info)
    hint = did_you_mean(value, _USER_CHOICES)
    raise _expected(f"{listed(_USER_CHOICES)}, or the path of a file with an extension or a slash in it{hint}")


def _column(value: Any) -> Any:
    named = isinstance(value, str) and value != ""
    placed = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not named and not placed:
        raise _expected("the name of a column, or its position from 1")
    return value


def _as_mapping(value: Any, expected: str) -> Any:
    if not isinstance(value, str | dict | _Model):
        raise _expected(expected)
    return {"path": value} if isinstance(value, str) else value


def _as_source(value: Any) -> Any:
    source = _as_mapping(value, "a path, or a mapping with a path")
    return {**source, "format": None} if isinstance(source, dict) and source.get("format") == "auto" else source


def _as_output(value: Any) -> Any:
    output = _as_mapping(value, "a path, or a mapping with path and format")
    if isinstance(output, dict) and output.get("format") is None and isinstance(output.get("path"), str):
        return {**output, "format": EXTENSIONS.get(Path(output["path"]).suffix.lower())}
    return output


def _as_several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _as_segments(value: Any, info: ValidationInfo) -> tuple[str, ...]:
    """Words that name a trait of users, and paths of files."""
    return tuple(one if one in TRAITS else str(_path(one, info)) for one in _as_several(value))


def _as_conventions(value: Any) -> tuple[Any, ...]:
    several = tuple(name.strip() for name in value.split(",")) if isinstance(value, str) else _as_several(value)
    if not several:
        raise _expected("a convention, or a list of them")
    return tuple(usual_name(name) if isinstance(name, str) else name for name in several)


def _as_systems(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _expected("a mapping of names and paths, or a list of paths")
    return value


def _without_none(value: Any, known: Iterable[str]) -> Any:
    """A known key with nothing behind it says nothing."""
    return {key: inner for key, inner in value.items() if inner is not None or key not in known} if isinstance(value, dict) else value


def _one_of(words: Iterable[str]) -> PlainValidator:
    """Text that is one of some words."""
    known = list(words)

    def checked(value: Any) -> str:
        if value not in known:
            raise PydanticCustomError("literal_error", "one of {expected}", {"expected": ", ".join(map(repr, known))})
        return str(value)

    return PlainValidator(checked, json_schema_input_type=Annotated[Any, WithJsonSchema({"type": "string", "enum": known})])


def _optional(meaning: str, default: Any = None) -> Any:
    """A setting that may be left out, and what it means."""
    return Field(default=default, description=meaning)


_FilePath = Annotated[Path, BeforeValidator(_path, json_schema_input_type=Annotated[str, Field(min_length=1)])]
_Column = Annotated[str | int, BeforeValidator(_column)]
_Spending = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Columns = dict[Annotated[str, _one_of(ROLES)], _Column]


class _Model(BaseModel):
    model_config = {"frozen": True, "strict": True, "extra": "forbid"}

    @model_validator(mode="before")
    @classmethod
    def _said(cls, value: Any) -> Any:
        return _without_none(value, cls.model_fields)


class SourceSettings(_Model):
    """A file that is read: its path, or a mapping with more about it."""

    path: _FilePath = Field(description="The file, relative to the folder of this configuration.")
    columns: _Columns = _optional("Which column holds what: its name, or its position from 1.", {})
    split: Annotated[str, Field(min_length=1, pattern=r"^[^\\]*$")] | None = _optional(
        'The separator between several aspects, features or communities in one cell, such as "|" or ", ".'
    )
    format: Annotated[str, _one_of(("auto", *FORMATS))] | None = _optional("The kind of file. Default: by its extension.")
    header: bool | None = _optional("Whether the first line names the columns. Default: found out.")
    options: dict[str, str | float | bool] = _optional(
        "For nuggets: how they are read, as importance: vital, partial_support: 0 or format: freshstack.", {}
    )
    ids: _FilePath | None = _optional("For features: the file with the ids of the rows of the matrix, one per line.")


class OutputSettings(_Model):
    """A file that results are written to: its path, or a mapping with path and format."""

    path: _FilePath = Field(description="The file, relative to the folder of this configuration.")
    format: Format = Field(description="How the results are written. Default: by the extension of the path.")


_Source = Annotated[SourceSettings, BeforeValidator(_as_source)]
_Output = Annotated[OutputSettings, BeforeValidator(_as_output)]
_Users = Annotated[str | Path, BeforeValidator(_path_or_word, json_schema_input_type=UserChoice | Annotated[str, Field(pattern=r"[./\\]")])]


class ContactSettings(_Model):
    """How a social network is read."""

    directed: bool | None = _optional("Whether the graph is directed. Default: as the graph says; an edge list is directed.")
    weighted: bool | None = _optional("Whether the weights of test links are grades. Default: false.")
    keep: Annotated[tuple[Keepable, ...], BeforeValidator(_as_several)] = _optional(
        "Test links that are not left out: strangers, self, known, reciprocal.", ()
    )
    texts_of: Of | None = _optional("Whose texts a user is known by. Default: own.")
    weighting: Weighting | None = _optional("How the terms of texts are weighted. Default: as the convention does.")


_Share = Annotated[float, Field(gt=0, lt=1)]
_Resampling = Annotated[int, Field(ge=99, le=10**8)]
_Texts = Annotated[tuple[str, ...], BeforeValidator(_as_several)]
_Segments = Annotated[tuple[str, ...], BeforeValidator(_as_segments, json_schema_input_type=str | tuple[str, ...])]


class ComparisonSettings(_Model):
    """How systems are compared; that it is there asks for a comparison."""

    compare: bool | None = _optional("Whether systems are compared. Default: true, if there is anything in this section.")
    comparison: _FilePath | None = _optional("A file for the comparison; the format goes by the extension.")
    baseline: str | None = _optional("The system that others are compared with. Default: the first.")
    all_pairs: bool | None = _optional("Whether all systems are compared with one another, without a baseline.")
    significance: Literal["flips", "t", "wilcoxon", "sign"] | None = _optional("The test. Default: flips, sign-flip randomisation.")
    correction: Literal["max-t", "holm", "bh", "none"] | None = _optional("For many comparisons. Default: max-t, step-down max-T.")
    interval: Literal["t", "percentile", "bca"] | None = _optional("Intervals of differences: t (default), or a bootstrap.")
    family: Literal["all", "metric"] | None = _optional("Correct over all comparisons (default), or within each metric.")
    level: _Share | None = _optional("Level of intervals. Default: 0.95.")
    alpha: _Share | None = _optional("The adjusted p-value up to which a difference is significant. Default: 0.05.")
    flips: _Resampling | None = _optional("Random sign flips. Default: 9999.")
    resamples: _Resampling | None = _optional("Resamples of a bootstrap. Default: 9999.")
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = _optional("Seed of flips and resamples. Default: 0.")
    margin: _Share | None = _optional("The relative loss of accuracy that findings of a report treat as negligible. Default: 0.01.")
    segments: _Segments = _optional("Files with users' attributes, or activity, breadth, mainstreaminess.", ())
    fail_if: _Texts = _optional("Gates that fail if shown, such as NDCG@10 < -1%.", ())
    fail_unless: _Texts = _optional("Gates that fail unless shown, such as NDCG@10 > -1%.", ())
    inconclusive: Literal["warn", "fail"] | None = _optional("What a gate does that the users cannot decide. Default: warn.")
    report: _FilePath | None = _optional("A file for the report, such as report.html.")
    plots: _FilePath | None = _optional("A folder for the charts of the report.")
    title: str | None = _optional("The title of the report.")
    titles: _FilePath | None = _optional("A file with what items are called, for the lists of the report: item, title.")


class Settings(_Model):
    """A whole evaluation. What the file does not say is None or empty, so that other options can say it."""

    systems: Annotated[dict[str, _Source], BeforeValidator(_as_systems)] = _optional(
        "The lists of each system: names and paths, or a list of paths.", {}
    )
    inputs: Annotated[
        dict[Annotated[str, _one_of((*ALL_TRUTH, *BUNDLES))], _Source],
        BeforeValidator(lambda value: _without_none(value, (*ALL_TRUTH, *BUNDLES))),
    ] = _optional("What the lists are measured against.", {})
    columns: _Columns = _optional("Which column holds what, for every source that does not say it itself.", {})
    metrics: Annotated[tuple[SkipValidation[str | Metric], ...], WithJsonSchema({})] = _optional(
        "What is measured: a list of metrics, or a mapping from names to parameters. all@10 is every metric that the inputs allow, "
        "and novelty@10 every one of that family.",
        (),
    )
    convention: Annotated[tuple[Annotated[str, _one_of((*CONVENTIONS, "both"))], ...], BeforeValidator(_as_conventions)] = _optional(
        "Whose way of computing; several stand side by side. Default: the published definitions. "
        "For contacts also both: these and relison.",
        (),
    )
    threshold: Annotated[float, Field(allow_inf_nan=False)] | None = _optional("The grade from which an item is relevant. Default: 1.")
    popularity_users: Annotated[int, Field(ge=1)] | None = _optional(
        "How many users popularity was counted over. Default: users with a history."
    )
    directed: bool | None = _optional("Whether the graph is directed. Default: as the graph says; an edge list is directed.")
    users: _Users | None = _optional("Who is averaged, or the path of a file of users. Default: as the convention says.")
    order: Literal["auto", "rank", "score", "input"] | None = _optional(
        "What orders the lists: ranks, scores, or the order of the rows. Default: auto."
    )
    ties: Literal["input", "ascending", "descending", "expected"] | None = _optional(
        "Which of two items with equal scores comes first: as given, the smaller id, the larger id; expected averages over all orders."
    )
    duplicates: Literal["error", "first"] | None = _optional(
        "What becomes of an item that a list holds twice: an error, or the first counts."
    )
    ideal_budget: _Spending | None = _optional(
        "For exact ideals, the work that may be spent on one list; a unit is about a second. Default: 2."
    )
    ideal_seconds: _Spending | None = _optional(
        "How long HiGHS may look for an ideal list that is still open then, by the clock. Default: 0."
    )
    threads: Annotated[int, Field(ge=1, lt=2**31)] | None = _optional("Maximum number of threads. Default: one per core.")
    strict: bool | None = _optional("Whether warnings are errors. Default: false.")
    ignore: Annotated[tuple[Annotated[str, _one_of(WARNINGS)], ...], BeforeValidator(_as_several)] = _optional(
        "Kinds of warnings not to give, as unsplit; they become notes.", ()
    )
    outputs: Annotated[tuple[_Output, ...], BeforeValidator(_as_several)] = _optional(
        "Files for the results; the format goes by the extension.", ()
    )
    per_user: _FilePath | None = _optional("A file for the scores of every user: .parquet, .csv or .tsv.")
    systems_as: Literal["columns", "rows"] | None = _optional("Whether systems are the columns or the rows of a table. Default: columns.")

    comparison: ComparisonSettings | None = _optional("How systems are compared. Without it, they are not.")
    contacts: ContactSettings = _optional("What only an evaluation of contacts asks.", ContactSettings())
    algorithms: Annotated[Any, WithJsonSchema({})] = _optional("What RELISON recommends by, in a file of its own. It is not run here.")
