"""Options that say what to read, shared by commands; with a configuration file, they come on top of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from aspectrum.config import Settings
    from aspectrum.io import Source
    from aspectrum.io.source import UsualColumns
    from aspectrum.metric import Metric

F = TypeVar("F", bound=Callable[..., Any])

TRUTH = {
    "aspects": "What items are about: item, aspect[, strength].",
    "relevance": "The truth: user, item[, grade].",
    "history": "What users had before: user, item.",
    "subtopics": "Aspects judged per user and item: user, aspect, item[, grade]; TREC diversity judgments.",
    "features": "One vector per item: npz, npy, columns of numbers, or item, feature[, value].",
    "weights": "How much aspects are wanted: [user, ]aspect, weight.",
    "catalogue": "Items that could have been recommended. Default: all items seen anywhere.",
    "items": "Items that the aspects know, even those without any.",
}
USERS = ("lists", "judged", "both", "relevant", "all")


def input_options(command: F) -> F:
    """The options of :class:`Job`."""
    for option in reversed(
        (
            click.argument("systems", nargs=-1, metavar="[NAME=]FILE...", shell_complete=_complete_files),
            *(click.option(f"--{name}", metavar="FILE", help=text, shell_complete=_complete_files) for name, text in TRUTH.items()),
            click.option(
                "--feature-ids", metavar="FILE", help="The items of the rows of an npy file of features.", shell_complete=_complete_files
            ),
            click.option(
                "--columns",
                multiple=True,
                metavar="[INPUT:]ROLE=NAME,...",
                help="Which column is what, as user=uid,item=docno; for one input only as aspects:item=movieId. "
                "A number is a place, from 1. Columns with usual names are recognised.",
            ),
            click.option("--split", metavar="TEXT", help="What stands between several aspects in one cell, as | in Action|Comedy."),
            click.option(
                "--reader",
                multiple=True,
                metavar="[INPUT=]FORMAT",
                help="csv, tsv, parquet, arrow, jsonl, run, qrels, npz or npy. Default: by name and content.",
            ),
            click.option(
                "--header/--no-header", default=None, help="Whether text files name their columns. Default: seen from the first line."
            ),
            click.option("--threshold", type=float, metavar="GRADE", help="The grade from which an item is relevant. Default: 1."),
            click.option(
                "--order",
                type=click.Choice(["auto", "rank", "score", "input"]),
                help="What orders a list. Default: ranks, else scores, else the rows.",
            ),
            click.option(
                "--ties",
                type=click.Choice(["input", "ascending", "descending"]),
                help="Of two items with equal scores, which comes first: as given (default), or by id.",
            ),
            click.option(
                "--duplicates",
                type=click.Choice(["error", "first"]),
                help="An item twice in a list, or a fact stated in two ways: an error (default), or the first counts.",
            ),
            click.option(
                "--convention",
                metavar="NAME",
                help="published (default), ndeval, pyndeval, relison or informfully.",
                shell_complete=_complete_conventions,
            ),
            click.option(
                "-m",
                "--metric",
                "metrics",
                multiple=True,
                metavar="METRIC",
                help="Such as AlphaNDCG(alpha=0.9)@5,10; may be repeated.",
                shell_complete=_complete_metrics,
            ),
            click.option(
                "--config",
                metavar="FILE",
                help="A YAML file with any of this; options given here come on top. See aspectrum init.",
                shell_complete=_complete_files,
            ),
        )
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Job:
    """What is to be read and measured, from options and configuration."""

    systems: Mapping[str, Source]
    inputs: Mapping[str, Source]
    metrics: tuple[str | Metric, ...]
    reading: Mapping[str, Any]
    settings: Settings
    usual: UsualColumns
    files: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        *,
        systems: tuple[str, ...],
        metrics: tuple[str, ...],
        config: str | None,
        columns: tuple[str, ...],
        split: str | None,
        reader: tuple[str, ...],
        header: bool | None,
        feature_ids: str | None,
        threshold: float | None,
        order: str | None,
        ties: str | None,
        duplicates: str | None,
        convention: str | None,
        **truth: str | None,
    ) -> Job:
        """From the values of :func:`input_options`."""
        from aspectrum.config import Settings, read_settings
        from aspectrum.conventions import convention_named
        from aspectrum.io import Source
        from aspectrum.io.source import UsualColumns

        settings = Settings() if config is None else read_settings(config)
        common, by_input = _columns(columns)
        formats = _readers(reader)
        usual = UsualColumns({role: name for role, name in (settings.columns | common).items() if isinstance(name, str)})

        def given(input: str, path: str, ids: str | None = None) -> Source:
            return Source(
                path,
                columns=by_input.get(input, {}),
                split=split if input in ("aspects", "subtopics") else None,
                format=formats.get(input, formats.get("")),
                header=header,
                ids=ids,
                usual=usual,
            )

        def configured(input: str, one: Any) -> Source:
            return Source(
                str(one.path),
                columns={**one.columns, **by_input.get(input, {})},
                split=one.split if one.split is not None else split if input in ("aspects", "subtopics") else None,
                format=formats.get(input, one.format),
                header=one.header if one.header is not None else header,
                ids=None if one.ids is None else str(one.ids),
                usual=usual,
            )

        lists = {name: given("rankings", path) for name, path in _named(systems).items()}
        lists = lists or {name: configured("rankings", one) for name, one in settings.systems.items()}
        if not lists:
            raise click.UsageError("there are no lists to measure: name at least one file, or a --config with systems")
        inputs = {name: configured(name, one) for name, one in settings.inputs.items()}
        inputs |= {name: given(name, path, feature_ids if name == "features" else None) for name, path in truth.items() if path is not None}
        if feature_ids is not None and truth.get("features") is None:
            raise click.UsageError("--feature-ids goes with --features")
        for name in by_input.keys() | formats.keys() - {""}:
            if name != "rankings" and name not in inputs:
                raise click.UsageError(f"{name!r} has columns or a reader, but --{name} is not given")
        if convention is not None:
            convention_named(convention)
        reading: dict[str, Any] = {
            "threshold": threshold if threshold is not None else settings.threshold,
            "order": order or settings.order,
            "ties": ties or settings.ties,
            "duplicates": duplicates or settings.duplicates,
            "convention": convention or settings.convention,
        }
        files = (
            [str(source.data) for source in (*lists.values(), *inputs.values())]
            + ([feature_ids] if feature_ids else [])
            + ([config] if config else [])
        )
        return cls(
            lists,
            inputs,
            tuple(metrics) or settings.metrics,
            {name: value for name, value in reading.items() if value is not None},
            settings,
            usual,
            tuple(files),
        )


def expanded(metrics: Iterable[str | Metric], inputs: Iterable[str]) -> list[Metric]:
    """Metrics of the texts; ``all@5,10`` is every metric that the inputs allow, which is also the default, at 10."""
    from aspectrum.documentation import needed_inputs
    from aspectrum.metric import parse, registered

    chosen = []
    for metric in tuple(metrics) or ("all@10",):
        name, at, cutoffs = metric.partition("@") if isinstance(metric, str) else ("", "", "")
        if not isinstance(metric, str):
            chosen.append(metric)
        elif name.strip().lower() != "all":
            chosen.append(parse(metric))
        else:
            there = set(inputs)
            possible = [known for known, kind in registered().items() if any(set(needed) <= there for needed in needed_inputs(kind))]
            chosen += [parse(known + at + cutoffs) for known in possible]
    return chosen


def _named(systems: tuple[str, ...]) -> dict[str, str]:
    """Files by the name of their system: NAME=FILE, or the name of the file."""
    from aspectrum.config import system_name

    named: dict[str, str] = {}
    for given in systems:
        name, equals, path = given.partition("=")
        if not equals or not name or os.path.exists(given):
            name, path = system_name(given), given
        if name in named:
            raise click.UsageError(f"two systems are called {name!r} ({named[name]} and {path}); name them, as in NAME=FILE")
        named[name] = path
    return named


def _columns(given: tuple[str, ...]) -> tuple[dict[str, str], dict[str, dict[str, str | int]]]:
    """Columns for every input, and for single inputs."""
    from aspectrum.io import INPUTS, ROLES

    common: dict[str, str] = {}
    by_input: dict[str, dict[str, str | int]] = {}
    for text in given:
        input, colon, pairs = text.partition(":")
        if not colon or input not in INPUTS:
            if colon and "=" not in input:
                raise click.UsageError(f"--columns {text}: {input!r} is no input; expected one of {', '.join(INPUTS)}")
            input, pairs = "", text
        for pair in pairs.split(","):
            role, equals, name = (piece.strip() for piece in pair.partition("="))
            if not equals or not name or role not in ROLES:
                raise click.UsageError(f"--columns {text}: {pair!r} is not ROLE=NAME with a role of {', '.join(ROLES)}")
            if input:
                by_input.setdefault(input, {})[role] = int(name) if name.isdigit() else name
            elif name.isdigit():
                raise click.UsageError(f"--columns {text}: a place needs its input, as in rankings:{role}={name}")
            else:
                common[role] = name
    return common, by_input


def _readers(given: tuple[str, ...]) -> dict[str, str]:
    """Formats by input; of every input under an empty name."""
    from aspectrum.io import FORMATS, INPUTS

    readers: dict[str, str] = {}
    for text in given:
        input, equals, format = text.partition("=")
        if not equals:
            input, format = "", text
        if format not in FORMATS or (input and input not in INPUTS):
            raise click.UsageError(f"--reader {text}: expected FORMAT or INPUT=FORMAT, with a format of {', '.join(FORMATS)}")
        readers[input] = format
    return readers


def _complete_files(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def _complete_conventions(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from aspectrum.conventions import CONVENTIONS

    return [name for name in CONVENTIONS if name.startswith(incomplete)]


def _complete_metrics(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from aspectrum.documentation import metrics_as_data

    return sorted(entry["name"] for entry in metrics_as_data() if entry["name"].lower().startswith(incomplete.lower()))
