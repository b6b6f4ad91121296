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

from aspectrum.inputs import ALL_INPUTS, ALL_TRUTH, BUNDLES, OPTIONS, READING_OPTIONS, ROLES, TRUTH
from aspectrum.wording import did_you_mean, listed, one_line

if TYPE_CHECKING:
    from pydantic import BaseModel

    from aspectrum.asked import Asked
    from aspectrum.config import Settings, SourceSettings
    from aspectrum.diagnostics.attention import Attention
    from aspectrum.diagnostics.notices import Notice
    from aspectrum.io import Source
    from aspectrum.io.source import UsualColumns
    from aspectrum.metric import Metric
    from aspectrum.results import SystemResults

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # which older versions know without a type

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound="BaseModel")

_SPLIT = [name for name, spec in ALL_INPUTS.items() if spec.split is not None]
_SETTINGS = (
    *(*READING_OPTIONS, "convention", "users", "ideal_budget", "ideal_seconds"),
    *("threads", "per_user", "systems_as", "strict", "ignore"),
)
"""Options that have the name, and the meaning, of a setting."""

USERS = ("lists", "judged", "both", "relevant", "all", "common")
OF, WEIGHTINGS = "own followees followers all", "tf-idf relison counts"
FILE = click.Path(readable=False)  # a shell completes it; whoever reads it says what is wrong with it


class Number(click.types.FloatParamType):
    """A finite number within bounds; the ranges of click take nan."""

    def __init__(self, low: float = -math.inf, high: float = math.inf) -> None:
        self._low, self._high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and self._low <= number <= self._high):
            within = f" between {self._low:g} and {self._high:g}" if self._high < math.inf else f" from {self._low:g}"
            self.fail(f"{str(value)!r} is not a finite number{within if self._low > -math.inf else ''}", param, ctx)
        return number


def complete_users(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    words = [word for word in USERS if word.startswith(incomplete)]
    return [CompletionItem(word) for word in words] or [CompletionItem(incomplete, type="file")]


def complete_conventions(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from aspectrum.conventions import CONVENTIONS

    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in CONVENTIONS if name.startswith(begun) and name not in before.split(",")]


def complete_metrics(_context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    import aspectrum.metrics  # noqa: F401  so that their names are known
    from aspectrum.metric import FAMILIES, registered

    words = (*FAMILIES, *(("all",) if isinstance(option, click.Option) else ()))  # an argument is a metric, or a family
    return sorted(name for name in (*registered(), *words) if name.lower().startswith(incomplete.lower()))


def complete_kinds(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from aspectrum.diagnostics.notices import WARNINGS

    return [kind for kind in WARNINGS if kind.startswith(incomplete)]


def file_option(*names: str, help: str, metavar: str = "FILE", required: bool = False) -> Callable[[Any], Any]:
    return click.option(*names, type=FILE, metavar=metavar, required=required, help=help)


class Words(_Choice):
    """One of some words; of another that means one of them, it says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            meant = _OTHER_WORDS.get(str(value).lower())
            if meant not in self.choices:
                raise
            self.fail(f"{error.message} Did you mean {meant!r}?", param, ctx)


_OTHER_WORDS = dict.fromkeys(("average", "mean", "random"), "expected")


def choice(name: str, words: str, help: str, *, default: str | None = None) -> Callable[[Any], Any]:
    """An option for one of some words."""
    return click.option(*name.split(), type=Words(words.split()), default=default, help=help)


def metric_option(text: str) -> Callable[[Any], Any]:
    return click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help=text, shell_complete=complete_metrics)


def columns_option(example: str, metavar: str = "[INPUT:]ROLE=NAME,...") -> Callable[[Any], Any]:
    text = f"Roles of columns, as {example}. A number is a place, from 1. Columns with usual names are recognised."
    return click.option("--columns", multiple=True, metavar=metavar, help=text)


def reader_option(formats: str, metavar: str = "[INPUT=]FORMAT") -> Callable[[Any], Any]:
    return click.option("--reader", multiple=True, metavar=metavar, help=f"{formats}. Default: by name and content.")


SYSTEMS = click.argument("systems", nargs=-1, metavar="[NAME=]FILE...", type=FILE)
COLUMNS = columns_option("user=uid,item=docno; for one input only as aspects:item=movieId")
READER = reader_option("csv, tsv, parquet, arrow, jsonl, run, qrels, npz, npy or graphml")
HEADER = click.option(
    "--header/--no-header", default=None, help="Whether text files name their columns. Default: seen from the first line."
)
DIRECTED = click.option(
    "--directed/--undirected", default=None, help="Whether the graph is directed. Default: as GraphML says; an edge list is directed."
)
TIES = choice(
    "--ties",
    "input ascending descending expected",
    "Of two items with equal scores, which comes first: as given (default), or by id; expected: the average over all orders.",
)
DUPLICATES = choice(
    "--duplicates", "error first", "An item twice in a list, or a fact stated in two ways: an error (default), or the first counts."
)
THREADS = click.option(
    "--threads", type=click.IntRange(1, 2**31 - 1), metavar="NUMBER", help="Maximum number of threads. Default: one per core."
)
USERS_OPTION = click.option(
    "--users",
    metavar="WHO",
    help=f"Who is averaged: {', '.join(USERS)}, or a file of users. Default: as the convention says, else lists.",
    shell_complete=complete_users,
)
CONFIG = file_option("--config", help="A YAML file with any of this; options given here come on top. See aspectrum init.")
STRICT = click.option("--strict", is_flag=True, default=None, help="Warnings are errors: exit status 1, and no numbers.")
IGNORE = click.option(
    "--ignore",
    multiple=True,
    metavar="KIND",
    help="Downgrade this warning to a note; KIND is the word in brackets, such as unsplit. May be repeated.",
    shell_complete=complete_kinds,
)
IDEAL_BUDGET = click.option(
    "--ideal-budget",
    type=Number(0),
    metavar="WORK",
    help="Work limit per exact ideal list; a unit is about a second, counted in operations so that every "
    "machine finds the same. Default: 2.",
)
IDEAL_SECONDS = click.option(
    "--ideal-seconds",
    type=Number(0),
    metavar="SECONDS",
    help="How long HiGHS may look for an ideal list that is still open then, by the clock. Default: 0.",
)


def input_option(name: str) -> str:
    """The name of the option that gives the file of an input."""
    return OPTIONS.get(name, name)


_TRUTH = {name: file_option(f"--{input_option(name).replace('_', '-')}", help=spec.help) for name, spec in TRUTH.items()}
_READING = (
    COLUMNS,
    click.option("--split", metavar="TEXT", help="Separator between aspects, or features, in a cell, as | in Action|Comedy."),
    READER,
    HEADER,
    click.option("--threshold", type=Number(), metavar="GRADE", help="The grade from which an item is relevant. Default: 1."),
)
_CONVENTION = click.option(
    "--convention",
    metavar="NAME",
    multiple=True,
    help="published (default), or the tool whose numbers to give: ndeval, pyndeval, relison, informfully, rectools, replay, recbole, lenskit, "
    "elliot, warprec, msrec, evidently, recmetrics, pyg, ranksys, ntcireval, radio, freshstack, brightpro or trec_fair; several, as published,elliot, side by side.",
    shell_complete=complete_conventions,
)


def with_options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """A decorator that gives a command options, the first of which is shown first."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_NUGGETS = (
    file_option("--nuggets", help=BUNDLES["nuggets"].help, metavar="FILE|FOLDER"),
    choice("--importance", "all vital 2:1", "Nuggets that count: all weigh 1 (default), vital ones only, or vital weighs twice as much."),
    click.option(
        "--partial-support", type=Number(0, 1), metavar="STRENGTH", help="Credit for partial support: 0 strict, 1 lenient. Default: 0.5."
    ),
    click.option("--sub-nuggets", is_flag=True, default=None, help="Also read sub-nuggets."),
    click.option(
        "--ratings", metavar="FROM", help="The CRUX rating that supports a nugget, default 3; or strength: a fifth of the rating."
    ),
    click.option("--ratings-andor", is_flag=True, default=None, help="Take the stricter ratings of CRUX where they are lower."),
    choice("--both-lists", "unsupported supported", "A document in both lists of a FreshStack nugget. Default: an error."),
    click.option("--task", metavar="NAME", help="The task of BRIGHT-Pro, if the folder has several."),
)
OF_NUGGETS = ("importance", "partial_support", "sub_nuggets", "ratings", "ratings_andor", "both_lists", "task")

truth_files = with_options(*_TRUTH.values(), file_option("--feature-ids", help="The items of the rows of an npy file of features."))
"""The files of the truth, by input."""

input_options = with_options(
    SYSTEMS,
    truth_files,
    *_NUGGETS,
    *_READING,
    choice(
        "--order",
        "auto rank score input",
        "What orders a list. Default: ranks, else scores, else the rows; with --ties expected, the scores.",
    ),
    TIES,
    DUPLICATES,
    click.option(
        "--popularity-users",
        type=click.IntRange(1),
        metavar="N",
        help="How many users --popularity was counted over. Default: users with a history.",
    ),
    USERS_OPTION,
    _CONVENTION,
    metric_option(
        "Such as AlphaNDCG(alpha=0.9)@5,10, or all@5,10, or a family as novelty@10; may be repeated. "
        "Default: all@10, every metric that the inputs allow."
    ),
    CONFIG,
)
"""The options of :class:`Job` for lists of any items."""


def truth_options(metrics: str) -> Callable[[Any], Any]:
    """The same for what is known of users and items, without any lists."""
    known = (option for name, option in _TRUTH.items() if name != "features")
    return with_options(*known, *_NUGGETS, *_READING, DUPLICATES, _CONVENTION, metric_option(metrics), CONFIG)


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
        feature_ids: str | None = None,
        command: str = "evaluate",
        **given: Any,
    ) -> Job:
        """From the values of options: `given` has the files of the inputs that the command has, and how to read them."""
        from aspectrum.config import Settings, read_settings
        from aspectrum.diagnostics.notices import WARNINGS

        read_until_interrupted()
        settings = Settings() if config is None else read_settings(config)
        inputs_by_option = {input_option(name): name for name in (*ALL_TRUTH, *BUNDLES)}
        files = {inputs_by_option[option]: path for option, path in given.items() if option in inputs_by_option}
        _check_settings(settings, config, command, list(files))
        given["convention"] = tuple(filter(None, given["convention"]))
        for kind in given.get("ignore") or ():
            if kind not in WARNINGS:
                raise click.UsageError(f"--ignore: unknown warning kind {kind!r}{did_you_mean(kind, WARNINGS)}")
        settings = on_top(settings, {name: given.get(name) for name in _SETTINGS})
        said = {name: given[name] for name in ("columns", "split", "reader", "header")}
        make = Sources(("rankings", *files, "users"), configured=settings.columns, **said)
        lists = {name: make.source("rankings", path) for name, path in _named(systems).items()} or _lists(settings, make)
        if not lists and command not in ("ideal", "rounds") and not (command == "check" and given.get("nuggets")):
            raise click.UsageError("there are no lists to measure: name at least one file, or a --config with systems")
        inputs = {name: make.source(name, str(one.path), one) for name, one in settings.inputs.items()}
        inputs |= {name: make.source(name, path) for name, path in files.items() if path is not None}
        inputs = _with_nuggets(inputs, settings, {name: given.get(name) for name in OF_NUGGETS})
        if feature_ids is not None:
            if "features" not in inputs:
                raise click.UsageError("--feature-ids goes with --features")
            inputs["features"] = replace(inputs["features"], ids=feature_ids)
        if given.get("directed") is not None and "graph" not in inputs:
            raise click.UsageError(f"--{'directed' if given['directed'] else 'undirected'} goes with --graph, which is not given")
        whom = _whom(settings.users, make)
        sources = {**inputs, **({} if whom is None or isinstance(whom, str) else {"users": whom})}
        _check_apart(systems or [str(one.path) for one in settings.systems.values()], sources)
        make.check_used(sources)
        paths = [str(file) for source in (*lists.values(), *sources.values()) for file in (source.data, source.ids) if file is not None]
        if paths.count("-") > 1:
            raise click.UsageError("the standard input (-) is given twice, and can be read once")
        paths += [config] if config else []
        reading = {name: getattr(settings, name) for name in READING_OPTIONS} | {"convention": ",".join(settings.convention) or None}
        reading = {name: value for name, value in reading.items() if value is not None}
        return cls(lists, inputs, whom, metrics or settings.metrics, reading, settings, make.usual, tuple(paths))

    @property
    def attention(self) -> dict[str, Any]:
        """What becomes of warnings, as arguments of an evaluation."""
        return {"strict": bool(self.settings.strict), "ignore": self.settings.ignore}

    @property
    def attention_to(self) -> Attention:
        """The same, as it is given to what follows an evaluation."""
        from aspectrum.diagnostics.attention import Attention
        from aspectrum.diagnostics.notices import COMMAND_LINE

        return Attention(**self.attention, speaker=COMMAND_LINE)

    @property
    def spending(self) -> dict[str, float | None]:
        """What may be spent on exact ideals, as arguments of an evaluation."""
        return {"ideal_budget": self.settings.ideal_budget, "ideal_seconds": self.settings.ideal_seconds}

    def with_notes(self, results: SystemResults, left_out: Iterable[Notice]) -> SystemResults:
        """The results in the words of the command line; what was left out of the metrics, and what to know of the configuration."""
        from aspectrum.diagnostics.notices import Notice

        said = "the algorithms of the configuration are for RELISON to run; only its metrics are used here"
        further = [] if self.settings.algorithms is None else [Notice("remark", detail={"text": said})]
        return replace(results, notices=(*further, *left_out, *results.notices), speaker=replace(results.speaker, on_command_line=True))

    def asked(self) -> tuple[list[Asked], list[Notice]]:
        """The metrics, and what is left out of ``all@5,10``, which is every metric that the inputs allow. Default: ``all@10``."""
        from aspectrum.asked import asked_for
        from aspectrum.coding.rows import InputBundle
        from aspectrum.conventions import conventions_named

        bundled = ["relevance"] if any(isinstance(one, InputBundle) for one in self.inputs.values()) else []
        inputs = [*dict.fromkeys([*self.inputs, *bundled]), *(name for name in ("popularity_users",) if name in self.reading)]
        called = {"popularity_users": "--popularity-users"}
        over_orders = self.reading.get("ties") == "expected"
        conventions = conventions_named(self.reading.get("convention"))
        return asked_for(self.metrics or ("all@10",), inputs, conventions, called=called, over_orders=over_orders)


def on_top(settings: M, given: Mapping[str, Any]) -> M:
    """Settings, and on top of them what options say; one that is not given is None or empty."""
    return settings.model_copy(update={name: value for name, value in given.items() if value is not None and value != ()})


def _check_settings(settings: Settings, config: str | None, command: str, inputs: Sequence[str]) -> None:
    """Nothing is said in a configuration that the command would not look at."""
    from aspectrum.config import ContactSettings
    from aspectrum.errors import ConfigError

    social, said = command == "contacts", ", ".join(settings.convention)
    for name in settings.inputs:
        if name not in inputs:
            raise click.UsageError(f"{config}: inputs.{name} is not for aspectrum {command}, which has {', '.join(inputs)}")
    if social and settings.threshold is not None:
        raise click.UsageError(f"{config}: threshold is not for aspectrum contacts, where every test link counts")
    if social and settings.directed is not None:
        raise click.UsageError(f"{config}: directed is not for aspectrum contacts; say it under contacts")
    if social and not {*settings.convention} <= {"published", "relison", "both"}:
        raise click.UsageError(f"{config}: convention is {said}, expected published, relison or both for aspectrum contacts")
    if "both" in settings.convention and (not social or len(settings.convention) > 1):
        raise click.UsageError(f"{config}: convention is {said}; both stands alone, and is for aspectrum contacts only")
    if not social and settings.contacts != ContactSettings():
        raise click.UsageError(f"{config}: contacts is for aspectrum contacts only, not for {command}")
    for role, column in settings.columns.items():
        if not isinstance(column, str):
            raise ConfigError(f"{config}: columns.{role} is {column}, a place; a place needs its file: say it there, under columns")


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
    ) -> None:
        from aspectrum.io.source import UsualColumns

        self._columns = _columns(columns, inputs)
        self._formats = _readers(reader, inputs)
        self._inputs, self._split, self._header = inputs, split, header
        if split == "":
            raise click.UsageError("--split is empty, expected what stands between two aspects, as |")
        common = {**(configured or {}), **self._columns.get("", {})}
        self.usual = UsualColumns({role: str(name) for role, name in common.items()})

    def source(self, input: str, path: str, configured: SourceSettings | None = None) -> Source:
        """A file of the command line, or of a configuration with what it says about it."""
        from aspectrum.config import SourceSettings
        from aspectrum.io import Source

        if not path:
            raise click.UsageError(f"{'a list' if input == 'rankings' else input} has an empty name, expected the name of a file")
        one = configured or SourceSettings.model_construct()
        return Source(
            path,
            columns={**one.columns, **self._columns.get(input, {})},
            split=self._split if self._split is not None and input in _SPLIT else one.split,
            format=None if input in BUNDLES else self._formats.get(input, self._formats.get("", one.format)),
            header=self._header if self._header is not None else one.header,
            ids=None if one.ids is None else str(one.ids),
            name="standard input" if path == "-" else one_line(path),
            usual=self.usual,
        )

    def check_used(self, inputs: Mapping[str, Source]) -> None:
        """Nothing was said of an input that is not there."""
        for name in sorted((self._columns.keys() | self._formats.keys()) - {"", "rankings", *inputs}):
            raise click.UsageError(f"something is said of {name} (--columns or --reader), but --{name} is not given")
        if self._split is not None and not inputs.keys() & set(_SPLIT):
            raise click.UsageError(f"--split goes with {' or '.join(f'--{name}' for name in _SPLIT if name in self._inputs)}")


def read_until_interrupted() -> None:
    """Make Ctrl-C end a read from a pipe: polars, which reads tables, would have such a read go on."""
    import polars  # noqa: F401  when loaded, it sets the rule that is changed here

    with suppress(ValueError):  # not in the main thread
        signal.siginterrupt(signal.SIGINT, True)


def _with_nuggets(inputs: Mapping[str, Source], settings: Settings, given: Mapping[str, Any]) -> dict[str, Source]:
    """Inputs, where nuggets are subtopics that bring others with them."""
    from aspectrum.diagnostics.notices import COMMAND_LINE
    from aspectrum.errors import InputError
    from aspectrum.nuggets import Choices, NuggetSource

    said = {name: value for name, value in given.items() if value is not None}
    if "nuggets" not in inputs:
        for name in said:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with --nuggets, which is not given")
        for name, one in settings.inputs.items():
            if one.options:
                raise click.UsageError(f"inputs.{name}.options are for nuggets only")
        return dict(inputs)
    if "subtopics" in inputs:
        raise click.UsageError("both --nuggets and --subtopics are given, and nuggets are subtopics; give one of them")
    source = inputs["nuggets"]
    configured = settings.inputs["nuggets"].options if "nuggets" in settings.inputs else {}
    options = {**configured, **said, **({} if source.format is None else {"format": source.format})}
    with suppress(TypeError, ValueError):
        options |= {"ratings": float(options["ratings"])} if "ratings" in options else {}
    if source.columns or source.split is not None or source.ids is not None:
        raise click.UsageError("--nuggets: nuggets have no columns to name or to split")
    try:
        Choices.of("nuggets", {name: value for name, value in options.items() if name != "format"})
    except InputError as error:
        raise click.UsageError(error.said(COMMAND_LINE)) from None
    nuggets = NuggetSource(source.data, name=source.name, options=options)
    return {"subtopics" if name == "nuggets" else name: nuggets if name == "nuggets" else one for name, one in inputs.items()}


def _whom(users: Any, make: Sources) -> str | Source | None:
    """Who is averaged: a word, or a file of users."""
    if users is None or (isinstance(users, str) and users in USERS):
        return users
    if isinstance(users, str) and users != "-" and not os.path.exists(users):
        raise click.UsageError(f"--users: {unknown('file', users, USERS)}, or a file of users")
    return make.source("users", str(users))


def _named(systems: Iterable[str]) -> dict[str, str]:
    """Files by the name of their system: NAME=FILE, or the name of the file."""
    from aspectrum.config import system_name

    named: dict[str, str] = {}
    for given in systems:
        name, equals, path = given.partition("=")
        if not equals or not name or os.path.exists(given):
            name, path = "stdin" if given == "-" else system_name(given), given
        if not path:
            raise click.UsageError(f"{given!r} names no file; expected FILE or NAME=FILE")
        several = os.path.isdir(path) and path is given and not _is_one_system(path)
        for inner, file in (_inside(path) if several else {one_line(name): path}).items():
            if inner in named:
                raise click.UsageError(f"two systems are called {inner!r} ({named[inner]} and {file}); name them, as in NAME=FILE")
            named[inner] = file
    return named


def _is_one_system(folder: str) -> bool:
    """Whether a directory holds one table in parts, as Spark, Dask and others write it."""
    entries = [one for one in os.scandir(folder) if not one.name.startswith(".")]
    if _by_system(entries):
        return False
    if any(one.name in ("_SUCCESS", "_metadata", "_common_metadata") for one in entries):
        return True
    return bool(entries) and all("=" in one.name if one.is_dir() else _PART.match(one.name) for one in entries)


def _by_system(entries: Sequence[os.DirEntry[str]]) -> dict[str, str]:
    """Directories by the system that their names tell, as system=ALS; nothing if they tell something else."""
    from aspectrum.io.columns import is_spelling

    data = [one for one in entries if not one.name.startswith("_")]  # _SUCCESS and the like stand beside
    keys = [one.name.partition("=") for one in data if one.is_dir()]
    if len(keys) < len(data) or not all(equals and is_spelling("rankings", ("system",), key) for key, equals, _ in keys):
        return {}
    return {one_line(key[2]): one.path for key, one in zip(keys, data, strict=True)}


def _inside(folder: str) -> dict[str, str]:
    """Files of a directory by the name of their system."""
    from aspectrum.io.files import NO_LISTS

    entries = sorted((one for one in os.scandir(folder) if not one.name.startswith(".")), key=lambda one: one.name)
    if named := _by_system(entries):
        return named
    for one in entries:
        if one.is_dir():
            raise click.UsageError(f"{one_line(one.path)}: is a directory within a directory, expected files only")
        if NO_LISTS.search(one.name):
            raise click.UsageError(f"{one_line(one.path)}: does not look like lists, and {_EVERY_FILE}")
    if not entries:
        raise click.UsageError(f"{one_line(folder)}: there is no file in this directory, expected one for each system")
    return _named(one.path for one in entries)


_PART = re.compile(r"part[-._]\d")
_EVERY_FILE = "every file of a directory is a system; move it, or name the files of lists"


def _check_apart(systems: Iterable[str], inputs: Mapping[str, Source]) -> None:
    """No directory of systems holds what they are measured against."""
    folders = {os.path.realpath(path) for path in systems if os.path.isdir(path)}
    for name, source in inputs.items():
        if os.path.dirname(os.path.realpath(source.path)) in folders:
            raise click.UsageError(f"{one_line(source.path)}: is given as {name}, but lies among the lists, and {_EVERY_FILE}")


def _lists(settings: Settings, make: Sources) -> dict[str, Source]:
    """The lists of a configuration, in which a system may be a directory of systems."""
    from aspectrum.config import system_name

    lists: dict[str, Source] = {}
    for name, one in settings.systems.items():
        path = str(one.path)
        several = os.path.isdir(path) and name == system_name(path) and not _is_one_system(path)
        files = _inside(path) if several else {name: path}
        lists |= {inner: make.source("rankings", file, one) for inner, file in files.items()}
    return lists


def _columns(given: tuple[str, ...], inputs: Sequence[str]) -> dict[str, dict[str, str | int]]:
    """Columns by input; of every input under an empty name."""
    columns: dict[str, dict[str, str | int]] = {}
    for text in given:
        input, pairs = _about("--columns", text, ":", inputs)
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

    readers = {}
    for text in given:
        input, format = _about("--reader", text, "=", inputs)
        if format not in FORMATS:
            raise click.UsageError(f"--reader {text}: {unknown('format', format, FORMATS)}")
        readers[input] = format
    return readers


def _about(option: str, text: str, separator: str, inputs: Sequence[str]) -> tuple[str, str]:
    """The input that stands before a separator, empty for all of them, and what is said of it."""
    input, separated, said = text.partition(separator)
    if not separated or "=" in input:
        return inputs[0] if len(inputs) == 1 else "", text
    if input not in inputs:
        raise click.UsageError(f"{option} {text}: {unknown('input', input, inputs)}")
    return input, said


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    hint = did_you_mean(word, known)
    return f"there is no {kind} {word!r}{f'{hint} Expected' if hint else '; expected'} {listed(known)}"
