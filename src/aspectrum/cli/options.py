"""Options that say what to read, shared by commands; with a configuration file, they come on top of it."""

from __future__ import annotations

import math
import os
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aspectrum.inputs import ALL_INPUTS, ALL_TRUTH, ROLES, TRUTH
from aspectrum.wording import one_line

if TYPE_CHECKING:
    from pydantic import BaseModel

    from aspectrum.config import Settings, SourceSettings
    from aspectrum.io import Source
    from aspectrum.io.source import UsualColumns
    from aspectrum.metric import Metric
    from aspectrum.results import SystemResults

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound="BaseModel")

# --split is about aspects: a bar within the names of features is part of them.
_SPLIT = [name for name, spec in ALL_INPUTS.items() if spec.split in ("aspect", "community")]
_SOURCE_OPTIONS = ("columns", "split", "reader", "header")
_READING_OPTIONS = ("threshold", "order", "ties", "duplicates")
_SETTINGS = (*_READING_OPTIONS, "ideal_budget", "ideal_seconds", "threads", "per_user", "systems_as")
"""Options that have the name, and the meaning, of a setting."""

USERS = ("lists", "judged", "both", "relevant", "all")
OF, WEIGHTINGS = "own followees followers all", "tf-idf relison counts"


def complete_files(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_users(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    words = [word for word in USERS if word.startswith(incomplete)]
    return [CompletionItem(word) for word in words] or [CompletionItem(incomplete, type="file")]


def complete_conventions(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from aspectrum.conventions import CONVENTIONS

    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in CONVENTIONS if name.startswith(begun) and name not in before.split(",")]


def complete_metrics(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    import aspectrum.metrics  # noqa: F401  so that their names are known
    from aspectrum.metric import registered

    return sorted(name for name in (*registered(), "all") if name.lower().startswith(incomplete.lower()))


def file_option(*names: str, help: str, metavar: str = "FILE", required: bool = False) -> Callable[[Any], Any]:
    """An option for a file."""
    return click.option(*names, metavar=metavar, required=required, help=help, shell_complete=complete_files)


def choice(name: str, words: str, help: str, *, default: str | None = None) -> Callable[[Any], Any]:
    """An option for one of some words."""
    return click.option(*name.split(), type=click.Choice(words.split()), default=default, help=help)


def metric_option(text: str) -> Callable[[Any], Any]:
    return click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help=text, shell_complete=complete_metrics)


SYSTEMS = click.argument("systems", nargs=-1, metavar="[NAME=]FILE...", shell_complete=complete_files)
FEATURE_IDS = file_option("--feature-ids", help="The items of the rows of an npy file of features.")
COLUMNS = click.option(
    "--columns",
    multiple=True,
    metavar="[INPUT:]ROLE=NAME,...",
    help="Which column is what, as user=uid,item=docno; for one input only as aspects:item=movieId. "
    "A number is a place, from 1. Columns with usual names are recognised.",
)
SPLIT = click.option("--split", metavar="TEXT", help="Separator between aspects in a cell, as | in Action|Comedy.")
READER = click.option(
    "--reader",
    multiple=True,
    metavar="[INPUT=]FORMAT",
    help="csv, tsv, parquet, arrow, jsonl, run, qrels, npz, npy or graphml. Default: by name and content.",
)
HEADER = click.option(
    "--header/--no-header", default=None, help="Whether text files name their columns. Default: seen from the first line."
)
ORDER = choice("--order", "auto rank score input", "What orders a list. Default: ranks, else scores, else the rows.")
TIES = choice("--ties", "input ascending descending", "Of two items with equal scores, which comes first: as given (default), or by id.")
DUPLICATES = choice(
    "--duplicates", "error first", "An item twice in a list, or a fact stated in two ways: an error (default), or the first counts."
)
THREADS = click.option("--threads", type=click.IntRange(min=1), help="Maximum number of threads. Default: one per core.")
USERS_OPTION = click.option(
    "--users",
    metavar="WHO",
    help=f"Who is averaged: {', '.join(USERS)}, or a file of users. Default: as the convention says, else lists.",
    shell_complete=complete_users,
)
CONFIG = file_option("--config", help="A YAML file with any of this; options given here come on top. See aspectrum init.")


def _finite(_context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise click.BadParameter(f"{value!r} is not a finite number", param=option)
    return number


def _not_negative(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    number = _finite(context, option, value)
    if number is not None and number < 0:
        raise click.BadParameter(f"{value} is below 0", param=option)
    return number


IDEAL_BUDGET = click.option(
    "--ideal-budget",
    callback=_not_negative,
    metavar="WORK",
    help="For an exact ideal, what may be spent on one list; a unit is about a second, counted in operations so that every "
    "machine finds the same. Default: 2.",
)
IDEAL_SECONDS = click.option(
    "--ideal-seconds",
    callback=_not_negative,
    metavar="SECONDS",
    help="How long HiGHS may look for an ideal list that is still open then, by the clock. Default: 0.",
)


def _input_options(lists: bool) -> Sequence[Callable[[Any], Any]]:
    return (
        *((SYSTEMS,) if lists else ()),
        *(file_option(f"--{name}", help=spec.help) for name, spec in TRUTH.items() if lists or name != "features"),
        *((FEATURE_IDS,) if lists else ()),
        COLUMNS,
        SPLIT,
        READER,
        HEADER,
        click.option("--threshold", callback=_finite, metavar="GRADE", help="The grade from which an item is relevant. Default: 1."),
        *((ORDER, TIES) if lists else ()),
        DUPLICATES,
        *((USERS_OPTION,) if lists else ()),
        click.option(
            "--convention",
            metavar="NAME",
            multiple=True,
            help="published (default), ndeval, pyndeval, relison or informfully; several, as published,informfully, side by side.",
            shell_complete=complete_conventions,
        ),
        metric_option(
            "Such as AlphaNDCG(alpha=0.9)@5,10, or all@5,10; may be repeated. Default: all@10, every metric that the inputs allow."
            if lists
            else "AlphaNDCG, ERRIA or NRBP, such as AlphaNDCG(alpha=0.9)@5,10; may be repeated. Default: AlphaNDCG@10."
        ),
        CONFIG,
    )


def with_options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """A decorator that gives a command options, the first of which is shown first."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


input_options = with_options(*_input_options(lists=True))
"""The options of :class:`Job` for lists of any items."""

truth_options = with_options(*_input_options(lists=False))
"""The same for what is known of users and items, without any lists."""


@dataclass(frozen=True)
class Job:
    """What is to be read and measured, from options and configuration."""

    systems: Mapping[str, Source]
    inputs: Mapping[str, Source]
    users: str | Source | None
    metrics: tuple[str | Metric, ...]
    reading: Mapping[str, Any]
    settings: Settings
    usual: UsualColumns
    files: tuple[str, ...]

    @classmethod
    def of(
        cls,
        *,
        config: str | None,
        metrics: tuple[str, ...],
        systems: tuple[str, ...] = (),
        users: str | None = None,
        feature_ids: str | None = None,
        command: str = "evaluate",
        **given: Any,
    ) -> Job:
        """From the values of options: `given` has the files of the inputs that the command has, and how to read them."""
        from aspectrum.config import Settings, read_settings

        read_until_interrupted()
        settings = on_top(Settings() if config is None else read_settings(config), {name: given.get(name) for name in _SETTINGS})
        files = {name: path for name, path in given.items() if name in ALL_TRUTH}
        for name in settings.inputs:
            if name not in files:
                raise click.UsageError(f"{config}: inputs.{name} is not for aspectrum {command}, which has {', '.join(files)}")
        _check_command(settings, config, command)
        said = {name: given[name] for name in _SOURCE_OPTIONS}
        make = Sources(("rankings", *files, "users"), configured=settings.columns, config=config, **said)
        lists = {name: make.given("rankings", path) for name, path in _named(systems).items()} or make.systems(settings)
        if not lists and command != "ideal":
            raise click.UsageError("there are no lists to measure: name at least one file, or a --config with systems")
        inputs = {name: make.configured(name, one) for name, one in settings.inputs.items()}
        inputs |= {name: make.given(name, path) for name, path in files.items() if path is not None}
        if feature_ids is not None:
            if "features" not in inputs:
                raise click.UsageError("--feature-ids goes with --features")
            inputs["features"] = replace(inputs["features"], ids=feature_ids)
        whom = _whom(users if users is not None else settings.users, make)
        sources = {**inputs, **({} if whom is None or isinstance(whom, str) else {"users": whom})}
        make.check_used(sources)
        reading = _reading(settings, command, ",".join(given["convention"]))
        paths = [str(file) for source in (*lists.values(), *sources.values()) for file in (source.data, source.ids) if file is not None]
        if paths.count("-") > 1:
            raise click.UsageError("the standard input (-) is given twice, and can be read once")
        paths += [config] if config else []
        return cls(lists, inputs, whom, tuple(metrics) or settings.metrics, reading, settings, make.usual, tuple(paths))

    @property
    def spending(self) -> dict[str, float | None]:
        """What may be spent on exact ideals, as arguments of an evaluation."""
        return {"ideal_budget": self.settings.ideal_budget, "ideal_seconds": self.settings.ideal_seconds}

    def with_notes(self, results: SystemResults) -> SystemResults:
        """The results in the words of the command line, and what to know of the configuration."""
        from aspectrum.diagnostics.notices import Notice

        said = "the algorithms of the configuration are for RELISON to run; only its metrics are used here"
        further = [] if self.settings.algorithms is None else [Notice("remark", detail={"text": said})]
        return replace(results, notices=(*further, *results.notices), speaker=replace(results.speaker, on_command_line=True))

    def expanded(self, inputs: Iterable[str] | None = None) -> list[Metric]:
        """Metrics of the texts; ``all@5,10`` is every metric that the inputs allow, which is also the default, at 10.

        Args:
            inputs: The inputs there are, under the names of :func:`aspectrum.evaluate`. Default: those of the job.
        """
        import aspectrum.metrics  # noqa: F401  so that their names are known
        from aspectrum.conventions import conventions_named
        from aspectrum.errors import MetricError
        from aspectrum.metric import parse, registered
        from aspectrum.plan import is_enough

        there = list(self.inputs if inputs is None else inputs)
        convention = self.reading.get("convention")
        ways = conventions_named(None if convention == "both" else convention)
        given = [parse(text) if isinstance(text, str) and not _is_all(text) else text for text in self.metrics or ("all@10",)]
        named = {str(metric.at(cutoff)) for metric in given if not isinstance(metric, str) for cutoff in metric.cutoffs}
        chosen: list[Metric] = []
        for asked in given:
            if not isinstance(asked, str):
                chosen.append(asked)
                continue
            _, at, cutoffs = asked.partition("@")
            if at and not re.fullmatch(r"(-1|[1-9][0-9]*)(,(-1|[1-9][0-9]*))*", cutoffs.replace(" ", "")):
                raise MetricError(f"{asked!r}: the cutoffs {cutoffs!r} are not whole numbers from 1; expected all@5 or all@5,10")
            for name in registered():
                several = parse(f"{name}{at}{cutoffs}")
                left = [cutoff for cutoff in several.cutoffs if str(several.at(cutoff)) not in named]
                if left and all(is_enough(there, several, way) for way in ways):
                    chosen.append(replace(several, k=tuple(left)))
                    named.update(str(several.at(cutoff)) for cutoff in left)
        if not chosen:
            given_inputs = " and ".join(there) or "the lists alone"
            under = " and ".join(way.name for way in ways)
            raise MetricError(f"no metric can be computed from {given_inputs} under convention {under}; see aspectrum metrics")
        return chosen


def on_top(settings: M, given: Mapping[str, Any]) -> M:
    """Settings, and on top of them what options say; one that is not given is None or empty."""
    return settings.model_copy(update={name: value for name, value in given.items() if value is not None and value != ()})


def _reading(settings: Settings, command: str, named: str) -> dict[str, Any]:
    """How lists and truth are read, by the conventions that an option names, else by those of the configuration."""
    from aspectrum.conventions import conventions_named

    if named and (named, command) != ("both", "contacts"):
        conventions_named(named)
    reading = {name: getattr(settings, name) for name in _READING_OPTIONS}
    reading["convention"] = named or ",".join(settings.convention) or None
    return {name: value for name, value in reading.items() if value is not None}


def _check_command(settings: Settings, config: str | None, command: str) -> None:
    """Nothing is said that the command would not look at."""
    from aspectrum.config import ContactSettings

    social = command == "contacts"
    if social and settings.threshold is not None:
        raise click.UsageError(f"{config}: threshold is not for aspectrum contacts, where every test link counts")
    said = ", ".join(settings.convention)
    if social and not {*settings.convention} <= {"published", "relison", "both"}:
        raise click.UsageError(f"{config}: convention is {said}, expected published, relison or both for aspectrum contacts")
    if "both" in settings.convention and (not social or len(settings.convention) > 1):
        raise click.UsageError(f"{config}: convention is {said}; both stands alone, and is for aspectrum contacts only")
    if not social and settings.contacts != ContactSettings():
        raise click.UsageError(f"{config}: contacts is for aspectrum contacts only, not for {command}")


class Sources:
    """Files with all that is said about them; what the command line says comes on top of the configuration."""

    def __init__(
        self,
        inputs: Sequence[str],
        *,
        columns: tuple[str, ...],
        reader: tuple[str, ...],
        header: bool | None,
        split: str | None = None,
        configured: Mapping[str, str | int] | None = None,
        config: str | None = None,
    ) -> None:
        from aspectrum.errors import ConfigError
        from aspectrum.io.source import UsualColumns

        self._columns = _columns(columns, inputs)
        self._formats = _readers(reader, inputs)
        self._inputs = inputs
        self._split, self._header = split, header
        if split == "":
            raise click.UsageError("--split is empty, expected what stands between two aspects, as |")
        for role, name in (configured or {}).items():
            if not isinstance(name, str):
                raise ConfigError(f"{config}: columns.{role} is {name}, a place; a place needs its file: say it there, under columns")
        common = {**(configured or {}), **self._columns.get("", {})}
        self.usual = UsualColumns({role: str(name) for role, name in common.items()})

    def given(self, input: str, path: str) -> Source:
        """A file of the command line."""
        from aspectrum.config import SourceSettings

        return self.configured(input, SourceSettings.model_construct(path=path))  # the path as it was given

    def systems(self, settings: Settings) -> dict[str, Source]:
        """The lists of a configuration."""
        return {
            inner: self.configured("rankings", one.model_copy(update={"path": path}))
            for name, one in settings.systems.items()
            for inner, path in _configured(name, str(one.path)).items()
        }

    def configured(self, input: str, one: SourceSettings) -> Source:
        """A file of a configuration."""
        from aspectrum.io import Source

        path = str(one.path)
        if not path:
            raise click.UsageError(f"{'a list' if input == 'rankings' else f'--{input}'} is an empty name, expected the name of a file")
        return Source(
            path,
            columns={**one.columns, **self._columns.get(input, {})},
            split=self._split if self._split is not None and input in _SPLIT else one.split,
            format=self._formats.get(input, self._formats.get("", one.format)),
            header=self._header if self._header is not None else one.header,
            ids=None if one.ids is None else str(one.ids),
            name="standard input" if path == "-" else one_line(path),
            usual=self.usual,
        )

    def check_used(self, inputs: Mapping[str, Source]) -> None:
        """Nothing was said of an input that is not there."""
        for name in sorted((self._columns.keys() | self._formats.keys()) - {""}):
            if name != "rankings" and name not in inputs:
                raise click.UsageError(f"something is said of {name} (--columns or --reader), but --{name} is not given")
        if self._split is not None and not inputs.keys() & set(_SPLIT):
            raise click.UsageError(f"--split goes with {' or '.join(f'--{name}' for name in _SPLIT if name in self._inputs)}")


def read_until_interrupted() -> None:
    """Make Ctrl-C end a read from a pipe: polars, which reads tables, would have such a read go on."""
    import polars  # noqa: F401  when loaded, it sets the rule that is changed here

    with suppress(ValueError):  # not in the main thread
        signal.siginterrupt(signal.SIGINT, True)


def _is_all(metric: str) -> bool:
    return metric.partition("@")[0].strip().lower() == "all"


def _whom(users: Any, make: Sources) -> str | Source | None:
    """Who is averaged: a word, or a file of users."""
    if users is None or (isinstance(users, str) and users in USERS):
        return users
    if isinstance(users, str) and users != "-" and not os.path.exists(users):
        raise click.UsageError(f"--users: {unknown('file', users, USERS)}, or a file of users")
    return make.given("users", str(users))


def _named(systems: tuple[str, ...]) -> dict[str, str]:
    """Files by the name of their system: NAME=FILE, or the name of the file."""
    from aspectrum.config import system_name

    named: dict[str, str] = {}
    for given in systems:
        name, equals, path = given.partition("=")
        if not equals or not name or os.path.exists(given):
            name, path = "stdin" if given == "-" else one_line(system_name(given)), given
        if not path:
            raise click.UsageError(f"{given!r} names no file; expected FILE or NAME=FILE")
        if os.path.isdir(path):
            if path is not given:
                raise click.UsageError(f"{one_line(path)}: is a directory, whose systems have the names of its files; leave out {name}=")
            for inner, file in _inside(path).items():
                _put(named, inner, file)
            continue
        _put(named, one_line(name), path)
    return named


def _inside(folder: str) -> dict[str, str]:
    """Files of a directory by the name of their system."""
    entries = sorted((one for one in os.scandir(folder) if not one.name.startswith(".")), key=lambda one: one.name)
    for one in entries:
        if one.is_dir():
            raise click.UsageError(f"{one_line(one.path)}: is a directory within a directory, expected files only")
    if not entries:
        raise click.UsageError(f"{one_line(folder)}: there is no file in this directory, expected one for each system")
    return _named(tuple(one.path for one in entries))


def _configured(name: str, path: str) -> dict[str, str]:
    """The files of a system of a configuration, which may be a directory of systems."""
    from aspectrum.config import system_name

    if not os.path.isdir(path):
        return {name: path}
    if name != system_name(path):
        raise click.UsageError(f"{one_line(path)}: is a directory, whose systems have the names of its files; list it without a name")
    return _inside(path)


def _put(named: dict[str, str], name: str, path: str) -> None:
    if name in named:
        raise click.UsageError(f"two systems are called {name!r} ({named[name]} and {path}); name them, as in NAME=FILE")
    named[name] = path


def _columns(given: tuple[str, ...], inputs: Sequence[str]) -> dict[str, dict[str, str | int]]:
    """Columns by input; of every input under an empty name."""
    columns: dict[str, dict[str, str | int]] = {}
    for text in given:
        input, colon, pairs = text.partition(":")
        if not colon or "=" in input:
            input, pairs = inputs[0] if len(inputs) == 1 else "", text
        elif input not in inputs:
            raise click.UsageError(f"--columns {text}: {unknown('input', input, inputs)}")
        for pair in pairs.split(","):
            role, equals, name = (piece.strip() for piece in pair.partition("="))
            if not equals or not name:
                raise click.UsageError(f"--columns {text}: {pair!r} is not of the form ROLE=NAME, as in user=uid")
            if role not in ROLES:
                raise click.UsageError(f"--columns {text}: {unknown('role', role, ROLES)}")
            if role in columns.setdefault(input, {}):
                raise click.UsageError(f"--columns {text}: the {role} is said twice")
            if name.isdecimal() and not input:
                raise click.UsageError(f"--columns {text}: a place needs its input, as in {inputs[0]}:{role}={name}")
            columns[input][role] = int(name) if name.isdecimal() else name
    return columns


def _readers(given: tuple[str, ...], inputs: Sequence[str]) -> dict[str, str]:
    """Formats by input; of every input under an empty name."""
    from aspectrum.io import FORMATS

    readers: dict[str, str] = {}
    for text in given:
        input, equals, format = text.partition("=")
        if not equals:
            input, format = inputs[0] if len(inputs) == 1 else "", text
        if input and input not in inputs:
            raise click.UsageError(f"--reader {text}: {unknown('input', input, inputs)}")
        if format not in FORMATS:
            raise click.UsageError(f"--reader {text}: {unknown('format', format, FORMATS)}")
        readers[input] = format
    return readers


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    from aspectrum.wording import did_you_mean, listed

    hint = did_you_mean(word, known)
    return (
        f"there is no {kind} {word!r}{hint} Expected {listed(known)}" if hint else f"there is no {kind} {word!r}; expected {listed(known)}"
    )
