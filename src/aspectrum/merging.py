"""Parts of an evaluation as files of their own: observed anywhere, by any scheduler, and merged into the results of all lists.

A part records its job: the metrics, the options and the truth as it was given. Whoever merges parts reads the truth from there, and the
identity in each part proves that it is the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from aspectrum.asked import Asked
from aspectrum.coding.ids import quoted
from aspectrum.coding.reading import Input
from aspectrum.coding.rows import of_one_system, unbundled
from aspectrum.conventions import convention_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError, each
from aspectrum.evidence import Background
from aspectrum.io import Source, check_files
from aspectrum.io.files import digest_of
from aspectrum.nuggets import NuggetSource
from aspectrum.partial import Adding, Partial, check_identity, part_data, partial_of
from aspectrum.plan import PLAN_OPTIONS, Plan, read_lists, unless_lists
from aspectrum.progress import Progress, SystemProgress
from aspectrum.results import SystemResults
from aspectrum.streams import streamed
from aspectrum.wording import one_line

UNNAMED = "merged"
"""What a system is called whose parts have no name."""


@dataclass(frozen=True)
class PartJob:
    """What the parts of one evaluation have in common, as it was asked for.

    Args:
        metrics: Their text forms.
        inputs: The files of the truth, by input.
        users: Who is averaged, or a file of them.
        options: How inputs are read, the convention, and what may be spent on exact ideals.
        digests: What the files held, by input and `users`, where that is known.
    """

    metrics: tuple[str, ...]
    inputs: Mapping[str, Source]
    users: str | Source | None
    options: Mapping[str, Any]
    digests: Mapping[str, str]

    @classmethod
    def of(cls, metrics: Iterable[object], inputs: Mapping[str, Source], users: str | Source | None, **options: Any) -> PartJob:
        """A job of files as they are now."""
        given = {name: value for name, value in options.items() if value is not None}
        return cls(tuple(map(str, metrics)), inputs, users, given, _digests(_sources(inputs, users)))

    @property
    def sources(self) -> dict[str, Source]:
        """Every file of the truth, with that of the users to be averaged."""
        return _sources(self.inputs, self.users)

    def to_data(self) -> dict[str, Any]:
        """As plain data; files by their absolute paths."""
        users = self.users.to_data() if isinstance(self.users, Source) else self.users
        inputs = {name: source.to_data() for name, source in self.inputs.items()}
        return {**vars(self), "users": users, "inputs": inputs}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> PartJob:
        users = data["users"]
        return cls(
            tuple(data["metrics"]),
            {name: _source(one) for name, one in data["inputs"].items()},
            _source(users) if isinstance(users, Mapping) else users,
            data["options"],
            data["digests"],
        )

    @classmethod
    def read(cls, path: str) -> PartJob:
        """The job that a part belongs to."""
        job = read_part(path)["job"]
        if job is None:
            raise InputError(
                f"{path}: does not say what it was measured against, as Partial.write wrote it; plan.read(path) takes it in Python"
            )
        return cls.from_data(job)

    def moved(self, files: Mapping[str, str]) -> PartJob:
        """The same job with files that are elsewhere now, by input, `users` and `feature_ids`; they are read as before."""
        for name in files:
            if name not in self.sources and (name != "feature_ids" or "features" not in self.sources):
                raise InputError(Option(name), " is given, but the parts were measured without such a file")
        found = {name: _at(source, files.get(name)) for name, source in self.sources.items()}
        if "feature_ids" in files:
            found["features"] = replace(found["features"], ids=files["feature_ids"])
        return replace(self, inputs={name: found[name] for name in self.inputs}, users=found.get("users", self.users))

    def check_there(self, part: str) -> None:
        """That the truth of a part can be read; where it is not, it may have moved."""
        for name, source in self.sources.items():
            if not os.path.exists(source.path):
                raise InputError(
                    f"{part}: was measured against {source.path} ({name}), which is not there; if it has moved, use ", Option(name)
                )


def read_part(path: str) -> dict[str, Any]:
    """What the file of a part holds; any other file is refused."""
    with unless_lists(path):
        return part_data(path)


def observe_part(
    lists: Any,
    metrics: Sequence[Asked],
    *,
    system: str | None = None,
    convention: str | None = None,
    progress: Progress | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    memory: str | int | None = None,
    resume: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Partial:
    """What metrics remember of the lists of some complete users of one system; the options are those of :func:`aspectrum.evaluate`.

    Only what these lists are like is warned of: what they are among all lists is said when parts are merged.
    """
    attention = Attention(strict, ignore)
    check_files([lists, *(given for given in options.values() if isinstance(given, Source))])
    stream = streamed(lists, "rankings", memory, resume)
    plan, rows = _plan(metrics, convention, options, partial(read_lists, lists, several=True) if stream is None else lambda: stream)

    def draw(read: Input) -> None:
        found = plan.notices_on({"rankings": read}, from_files=False)
        attention.draw(one for one in found if one.source == read.source)

    if stream is not None:
        part = plan.observe(stream, progress=progress, system=system)
        draw(part.lists)
        named = stream.pieces.system
        return part if system is not None or named is None else replace(part, system=one_line(str(named)))
    coded = plan.lists(of_one_system(rows, "write one part of each, from files of their own"))
    draw(coded.input)
    if system is None and len(rows.ids["system"].ids if "system" in rows.ids else ()) == 1:
        system = one_line(str(rows.ids["system"].ids[0]))
    return plan.observe(coded, progress=progress, system=system)


def merge_parts(
    parts: Iterable[str],
    metrics: Sequence[Asked],
    *,
    digests: Mapping[str, str],
    convention: str | None = None,
    per_user: bool = True,
    progress: SystemProgress | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    **options: Any,
) -> SystemResults:
    """The results of all lists, as :func:`aspectrum.evaluate_systems` would give them; metrics and options are those of the parts' job.

    Args:
        parts: Files of parts. Those with the same name of a system are parts of that system.
        digests: What the files of the truth held as the parts were written.
        per_user: Whether to keep the scores of users.
    """
    attention = Attention(strict, ignore)
    paths = _each_once(parts)
    check_files(paths)
    first = paths[0]
    plan, read = _plan(metrics, convention, options, partial(read_part, first))
    _check_truth(plan, read["plan"], first, {name: given for name, given in options.items() if isinstance(given, Source)}, digests)
    found: dict[str, dict[str, Partial]] = {}

    def add(path: str) -> None:
        data = read if path == first else read_part(path)
        check_identity(plan.identity, data["plan"], f"{first}: " if path == first else f"{first} and {path}: ")
        if (data["system"] is None) != (read["system"] is None):
            nameless, other = (first, path) if read["system"] is None else (path, first)
            whose = f"{nameless} does not name its system, and {other} is of {data['system'] or read['system']!r}"
            raise InputError(f"{whose}; write all parts with a name, as NAME=FILE")
        found.setdefault(data["system"] or UNNAMED, {})[path] = partial_of(data, plan)
        if progress is not None:
            progress("parts", sum(map(len, found.values())), len(paths))

    each(partial(add, path) for path in paths)
    systems = {name: _total(several, plan) for name, several in found.items()}
    among = tuple(one.lists for one in systems.values())
    notices = attention.draw(plan.notices_on({name: one.lists for name, one in systems.items()}, whole=True))
    results = {name: plan.finish(one, notices=(), system=name, among=among) for name, one in systems.items()}
    if not per_user:
        return SystemResults({name: replace(result, blocks=()) for name, result in results.items()}, notices)
    background = Background(plan)
    lost = [str(one.metric) for one in metrics if one.metric.knows_contributions]
    said = (Notice("no_contributions", detail={"metrics": ", ".join(lost)}),) if lost else ()
    return SystemResults({name: replace(result, evidence=background) for name, result in results.items()}, (*notices, *said))


def _plan(metrics: Sequence[Asked], convention: str | None, options: Mapping[str, Any], beside: Any) -> tuple[Plan, Any]:
    """The plan of a job; what is wrong with its truth is said together with what is wrong with what is read beside it."""
    one = convention_named(convention)
    chosen = {name: value for name, value in options.items() if name in PLAN_OPTIONS}
    truth = {name: value for name, value in options.items() if name not in PLAN_OPTIONS}
    truth = unbundled(truth, [one])
    made, read = each([partial(one.truth, **truth), beside])
    # Whoever writes a part does not know who will ask for the scores of users.
    return Plan(metrics, made, convention=one, per_user=True, **chosen), read


def _each_once(parts: Iterable[str]) -> list[str]:
    """Paths of parts; a file that comes twice is refused."""
    seen: dict[str, str] = {}
    for path in parts:
        real = os.path.realpath(path)
        if real in seen:
            also = "" if seen[real] == path else f", also as {path}"
            raise InputError(f"{seen[real]}: is given twice{also}; a user must be scored once")
        seen[real] = path
    return list(seen.values())


def _check_truth(plan: Plan, recorded: Mapping[str, Any], path: str, sources: Mapping[str, Source], digests: Mapping[str, str]) -> None:
    """That the truth is what it was; an error names the files that changed. The same facts in another file will do."""
    here = plan.identity
    if all(here[name] == recorded[name] for name in ("truth", "users")):
        return
    now = _digests(sources)
    changed = [f"{source.named(name)} ({name})" for name, source in sources.items() if now.get(name) != digests.get(name)]
    if changed:
        are = "is not what it was" if len(changed) == 1 else "are not what they were"
        raise InputError(
            f"{path}: {', '.join(changed)} {are} when this part was written; merge with the original files, or write the parts again"
        )


def _total(parts: Mapping[str, Partial], plan: Plan) -> Partial:
    """Everything that is known of a system. A user who comes twice is refused, with the files that have them."""
    users = [part.lists.ids["user"].within(plan.tables.user) for part in parts.values()]
    codes, owners = np.concatenate(users), np.repeat(np.arange(len(users)), [len(some) for some in users])
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    if len(again):
        one, other = (list(parts)[owners[order[place]]] for place in (again[0], again[0] + 1))
        more = f" (and {len(again) - 1:,} more are in two parts)" if len(again) > 1 else ""
        twice = quoted(plan.tables.user.ids[int(codes[order][again[0]])])
        raise InputError(
            f"user {twice} is in both {one} and {other}{more}: a user must be scored once; parts of several systems need names, as NAME=FILE"
        )
    adding = Adding()
    for part in parts.values():
        adding.add(part)
    whole = adding.whole()
    if len(parts) == 1:
        return whole
    first = next(iter(parts.values())).lists.source
    return replace(whole, lists=replace(whole.lists, source=f"{first} and {len(parts) - 1:,} more"))


def _sources(inputs: Mapping[str, Source], users: str | Source | None) -> dict[str, Source]:
    return {**inputs, **({"users": users} if isinstance(users, Source) else {})}


def _digests(sources: Mapping[str, Source]) -> dict[str, str]:
    return {name: digest_of(source.path) for name, source in sources.items() if os.path.isfile(source.path)}


_KINDS: Mapping[str, type[Source]] = {one.kind: one for one in (Source, NuggetSource)}


def _source(data: Mapping[str, Any]) -> Source:
    before = "nuggets" if "options" in data else "source"  # parts were once written without kinds
    return _KINDS[data.get("kind", before)].from_data(data)


def _at(source: Source, path: str | None) -> Source:
    return source if path is None else replace(source, data=path, name=one_line(path))
