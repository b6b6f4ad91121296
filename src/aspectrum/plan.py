"""Plan: metrics and truth, lists as they come, results. The only loop.

The law: ``observe(a and b) == observe(a) + observe(b)``, to the bit, for any parts of the lists.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arguments import with_hints
from aspectrum.arrays import Flags, check_count
from aspectrum.arrow_file import read_arrow
from aspectrum.asked import Asked, Metrics, asked_for, computed_under
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.objects import id_rows
from aspectrum.coding.reading import Input
from aspectrum.coding.rows import Rows
from aspectrum.coding.table import IdTable, SomeIds, flags_of
from aspectrum.conventions import Convention, TieOrder, UserChoice, convention_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.counted import Counted, CountedInputs
from aspectrum.diagnostics.findings import Inputs, Use, notices_on
from aspectrum.diagnostics.lists import with_notices
from aspectrum.diagnostics.notices import Either, Notice, Option, parts
from aspectrum.errors import InputError, MetricError, MissingInput, UnusedParameter, each
from aspectrum.evidence import Evidence
from aspectrum.ideal import reporting
from aspectrum.inputs import TRUTH
from aspectrum.io import Source, is_external, read_input
from aspectrum.io.pieces import Position
from aspectrum.metric import Metric, Summary, UserMetric
from aspectrum.partial import Adding, GroupPart, Partial, check_same, joined_parts, read_partial
from aspectrum.progress import Progress, SystemProgress, check_progress
from aspectrum.results import Column, Results
from aspectrum.resuming import Finished
from aspectrum.streams import Stream, streamed
from aspectrum.tokens import Tokens, ranks_of
from aspectrum.user_scores import ScoresFile, UserScores
from aspectrum.world import Rankings, Truth, World
from aspectrum.world.building import CodedLists, build_lists
from aspectrum.world.grouping import NotGrouped
from aspectrum.world.world import list_rows

_NUMBERS_PER_BATCH = 2_000_000
_ENOUGH_USERS = 50  # of the first lists, to tell what all are like: what fewer have in common may be chance


class Plan:
    """Metrics and the truth, with every choice made: what each metric is judged by, who is averaged, whose convention.

    Args:
        metrics: Metrics or their text forms; ``"all@10"`` is every metric that the truth allows, ``"novelty@10"`` every one of that family; a mapping gives them names.
        truth: What the lists are measured against.
        users: Who is averaged: ``"lists"``, ``"judged"``, ``"both"``, ``"relevant"``, ``"all"`` or the users themselves, and for
            :meth:`evaluate` ``"common"``, who have a list of every system. Default: as the convention says.
        convention: Whose way of computing; by default the published definitions.
        threads: Maximum number of threads; by default one per core. The bits do not depend on it.
        batch_size: Users evaluated at a time; by default about two million places. The bits do not depend on it.
        per_user: Whether to keep the scores of users.
        ideal_budget, ideal_seconds: The budget and seconds of metrics with an exact ideal that do not say their own.
        strict: Warnings are errors; they come when an evaluation is finished.
        ignore: Kinds of warnings not to give.

    Examples:
        >>> truth = Truth.read(relevance={"ann": ["x"], "bob": ["y"]})
        >>> plan = Plan("NDCG@2", truth, users="judged")
        >>> monday, tuesday = plan.observe({"ann": ["x"]}), plan.observe({"bob": ["x", "y"]})
        >>> round(plan.finish(monday + tuesday)["NDCG@2"], 4)
        0.8155
        >>> round(plan.finish(monday)["NDCG@2"], 4)  # bob has no list
        0.5
    """

    @with_hints("Plan('NDCG@10', truth)")
    def __init__(
        self,
        metrics: Metrics | Sequence[Asked],
        truth: Truth,
        *,
        users: str | Iterable[Hashable] | Rows | None = None,
        convention: str | Convention | None = None,
        threads: int | None = None,
        batch_size: int | None = None,
        per_user: bool = True,
        ideal_budget: float | None = None,
        ideal_seconds: float | None = None,
        strict: bool = False,
        ignore: str | Iterable[str] = (),
    ) -> None:
        if not isinstance(truth, Truth):
            raise InputError(f"truth is {type(truth).__name__}, expected a Truth, as from Truth.read(...)")
        self.convention = convention_named(convention)
        asked_metrics, self._left_out = asked_for(
            metrics, given_in(truth), [self.convention], over_orders=truth.options.get("ties") == "expected"
        )
        each(partial(_check_partial, one.metric) for one in asked_metrics)
        self._asked = [part for one in asked_metrics for part in one.apart()]  # an ideal of ranks is not one of tokens
        self.metrics = [one.metric for one in self._asked]
        applied = each(partial(self.convention.applied, metric) for metric in self.metrics)
        spending = with_spending(applied, ideal_budget, ideal_seconds)
        self.truth = truth.read_as(self.convention.reading(truth.options))
        self.tables = self.truth.tables.copy()
        self.threads = None if threads is None else check_count(threads, "threads", 1)
        self.batch_size = None if batch_size is None else check_count(batch_size, "batch_size", 1)
        self.per_user = per_user
        self._attention = partial(Attention, strict, ignore)
        self._attention()  # an unknown kind is an error now, not later
        self.memory: dict[Hashable, Any] = {}
        self.inputs = dict(self.truth.inputs)
        whom = None if users is None or isinstance(users, str) else self._named_users(users)
        groups: dict[tuple[str, str | None], _Group] = {}
        resolving = [partial(_resolved, metric, spent, self.truth) for metric, spent in zip(self.metrics, spending, strict=True)]
        judged_by_tool = self.convention.judged_in if self.convention.judged_in in given_in(self.truth) else None
        for asked, resolved in zip(self._asked, each(resolving), strict=True):
            metric = asked.metric
            choice = users if isinstance(users, str) else self.convention.users_for(metric) if whom is None else "given"
            judged_in = judged_by_tool or getattr(resolved, "judged_by", resolved.truth)
            if choice not in ("judged", "both") or judged_in == "membership":
                judged_in = None  # nobody asks, or all that is judged will do
            if (choice, judged_in) not in groups:
                averaged = _averaged(self.truth, choice, judged_in) if whom is None else whom
                groups[choice, judged_in] = _Group(choice, averaged, judged_in=judged_in)
            undefined = 0.0 if type(metric).__name__ in self.convention.undefined_is_0 else math.nan
            ties = self.convention.ties_of.get(type(metric).__name__) if self.truth.reading.ties == "input" else None
            how = _how(resolved, self.truth, choice, self.convention) | ({} if ties is None else {"tied_scores": ties.by})
            of_relevant = type(metric).__name__ in self.convention.of_relevant_items
            groups[choice, judged_in].tasks.append(_Task(asked, resolved, undefined, how, ties, of_relevant))
        self._groups = tuple(groups.values())

    def __repr__(self) -> str:
        users = ", ".join(dict.fromkeys(group.choice for group in self._groups))
        return f"Plan({', '.join(map(str, self.metrics))}; users={users}, convention={self.convention.name})"

    def _named_users(self, users: Any) -> Flags:
        if not isinstance(users, Rows):
            if is_external(users):
                users = read_input("users", users)
            elif not isinstance(users, Iterable):
                raise InputError(f"users is {users!r}, expected a word such as 'judged', or the users themselves")
            elif self.truth.rows is not None:
                users = id_rows("users", "user", list(users))
            else:  # the truth came as codes
                codes = {user: self.truth.users.code(user) for user in users}
                for user, code in codes.items():
                    if code is None:
                        raise InputError(f"users: {quoted(user)} is not a user of the truth")
                return flags_of(np.array(list(codes.values()), dtype=np.int32), self.truth.n_users)
        self.tables.join([users])
        self.inputs["users"] = self.tables.input("users", users)
        return flags_of(self.inputs["users"].ids["user"].codes, len(self.tables.user))

    @property
    def needs(self) -> dict[str, tuple[frozenset[str], ...]]:
        """By metric, sets of inputs each of which is enough."""
        return {str(metric): self.convention.applied(metric).needs_at_cutoffs() for metric in self.metrics}

    def lists(self, given: Any, name: str = "rankings") -> CodedLists:
        """Lists in any form that :func:`aspectrum.evaluate` takes, under the codes of this plan.

        Items and users that the truth does not know are added.
        """
        lists = build_lists(read_lists(given, name), self.tables, self.truth.reading)
        return with_notices(lists, self.tables, self.truth, (k for metric in self.metrics for k in metric.cutoffs))

    def observe(
        self,
        lists: Any,
        *,
        progress: Progress | None = None,
        scores: ScoresFile | None = None,
        system: str | None = None,
        memory: str | int | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> Partial:
        """What the metrics remember of the users of some lists.

        Args:
            lists: Lists of any complete users of one system, in any form that :func:`aspectrum.evaluate` takes.
            progress: Called with users done and users in all, after each batch and while exact ideals are looked for; of lists that are
                read piece by piece, with rows.
            scores: A file that the scores of users go to.
            system: What the system is called; parts of systems with different names do not add up.
            memory, resume: As for :func:`aspectrum.evaluate`.
        """
        _check_scores(scores)
        check_progress(progress)
        if self._groups[0].choice == "common" and self._groups[0].averaged is None:
            raise InputError("users='common' needs every system: use plan.evaluate or evaluate_systems")
        stream = lists if isinstance(lists, Stream) else streamed(lists, "rankings", memory, resume)
        if stream is not None:
            return self._observe_stream(stream, progress, scores, system)
        coded = self._as_coded(lists)
        world = World.of_lists(coded, self.truth, self.tables, self.memory)
        return Partial(self, self._observe(world, progress, scores, system), coded.input, system)

    def _observe_stream(self, stream: Stream, progress: Progress | None, scores: ScoresFile | None, system: str | None) -> Partial:
        """What the metrics remember of lists that come piece by piece."""
        keeping = self if stream.resume is None or scores is None else self._keeping_scores()
        with ExitStack() as stack:
            finished = None
            if stream.resume is not None:
                finished = stack.enter_context(
                    Finished(stream.resume, keeping.identity, stream.pieces.paths, stream.pieces.reading, stream.is_grouped)
                )
                stream.is_grouped = finished.grouped
            mark = None if scores is None else scores.mark()
            try:
                return self._gathered(stream, keeping, finished, progress, scores, system)
            except NotGrouped:
                stream.is_grouped = False
                if finished is not None:
                    finished.begin_anew(grouped=False)
                if scores is not None and mark is not None:
                    scores.back_to(mark)
            return self._gathered(stream, keeping, finished, progress, scores, system)

    def _gathered(
        self,
        stream: Stream,
        keeping: Plan,
        finished: Finished | None,
        progress: Progress | None,
        scores: ScoresFile | None,
        system: str | None,
    ) -> Partial:
        adding, start, n_before = Adding(), Position(), 0

        def add(part: Partial) -> None:
            if keeping is not self:
                blocks = [group.scores for group in part.parts if group.scores is not None]
                if scores is not None and blocks:
                    scores.add(blocks, self.how, system)
                kept = part.parts if self.per_user else tuple(replace(group, scores=None) for group in part.parts)
                part = replace(part, plan=self, parts=kept)
            adding.add(part)

        stream.know_again(self.tables)
        for part, end in finished.parts(keeping.read) if finished is not None else ():
            add(part)
            start, n_before = end, n_before + part.lists.n_rows
        stream.only = None
        if finished is not None and finished.is_whole():
            return adding.whole()
        cutoffs = [k for metric in self.metrics for k in metric.cutoffs]
        looks_at_all = self.truth.history is not None or self.truth.baseline is not None  # whether lists hold what they say
        whole_groups = self.truth.reading.ties == "expected"  # which a cutoff may cut
        depth = -1 if looks_at_all or whole_groups else self._depth
        for number, found in enumerate(stream.lists(self.tables, self.truth.reading, adding.users, start, depth)):
            lists = with_notices(found.lists, self.tables, self.truth, cutoffs, quickly=number > 0)
            stream.only = lists if number == 0 and not n_before else None
            world = World.of_lists(lists, self.truth, self.tables, self.memory)
            part = Partial(keeping, keeping._observe(world, None, scores if keeping is self else None, system), lists.input, system)
            if finished is not None:
                finished.keep(part, found.end())
            add(part)
            if number == 0 and len(lists.input.ids["user"]) >= _ENOUGH_USERS:
                self._check_early(part)
            if progress is not None:
                done = n_before + found.n_rows
                progress(done, max(done, round(done / found.done)) if found.done else done)
        if finished is not None:
            finished.close()
        return adding.whole()

    def _keeping_scores(self) -> Plan:
        """The same plan, whose parts hold the scores of users."""
        plan = copy(self)
        plan.__dict__.pop("identity", None)
        plan.per_user = True
        return plan

    def _check_early(self, part: Partial) -> None:
        """What makes every number meaningless, for a reason that others share, is said after the first lists, not after the last."""
        notices_on(Inputs(self.truth, self.tables, self.inputs, {"rankings": part.lists}), self.use, whole=True, early=True)

    def evaluate(
        self,
        systems: Mapping[str, Any],
        progress: SystemProgress | None = None,
        scores: ScoresFile | None = None,
        named: Callable[[str], str] = str,
    ) -> dict[str, Results]:
        """The results of whole systems, without notes. Items that one of them names are seen for all.

        Args:
            systems: Lists of each system, by name.
            progress: Called with the name of a system, its users done and its users in all.
            scores: A file that the scores of users go to.
            named: What systems are called there.
        """
        coded = {name: lists if isinstance(lists, Stream) else self._as_coded(lists) for name, lists in systems.items()}
        plan = self
        if self._groups[0].choice == "common":
            for lists in coded.values():
                if isinstance(lists, Stream):
                    raise InputError(Option("users", "common"), f" needs all lists at once, and {lists.name} is read piece by piece")
            plan = self.of_common_users([lists for lists in coded.values() if isinstance(lists, CodedLists)])
        parts = {}
        for name, lists in coded.items():
            part = plan.observe(lists, progress=None if progress is None else partial(progress, name), scores=scores, system=named(name))
            parts[name] = replace(part, system=None)  # a name here need not be the system's own
        among = tuple(part.lists for part in parts.values())
        found = {name: plan.finish(part, notices=(), scores=scores, system=named(name), among=among) for name, part in parts.items()}
        if not self.per_user:
            return found
        whole = {name: lists.only if isinstance(lists, Stream) else lists for name, lists in coded.items()}
        behind = {name: plan.evidence(lists, among) for name, lists in whole.items() if lists is not None}
        return {name: replace(result, evidence=behind.get(name)) for name, result in found.items()}

    def evidence(self, lists: CodedLists, among: Iterable[Input] = ()) -> Evidence:
        """The lists of a system, to be kept with its results."""
        users = lists.input.ids["user"].within(self.tables.user)
        averaged = np.any([group.averages(users, True) for group in self._groups], axis=0)
        return Evidence(self, lists, tuple(among), None if averaged.all() else averaged)

    def _as_coded(self, lists: Any) -> CodedLists:
        if isinstance(lists, World | Rankings):
            return self._coded(lists if isinstance(lists, World) else World(lists, self.truth))
        coded = lists if isinstance(lists, CodedLists) else self.lists(lists)
        if not self.tables.item.has_codes_of(coded.input.ids["item"].table):
            raise InputError("these lists were coded by another plan")
        return coded

    def of_common_users(self, systems: Collection[CodedLists]) -> Plan:
        """The same plan for the users who have a list of every system."""
        named = [lists.input.ids["user"].within(self.tables.user) for lists in systems]
        times = np.bincount(np.concatenate([np.empty(0, np.int32), *named]), minlength=len(self.tables.user))
        if not (times == len(systems)).any():
            raise InputError(Option("users", "common"), ": no user has a list of every system")
        plan = copy(self)
        plan.__dict__.pop("identity", None)
        plan._groups = tuple(replace(group, averaged=times == len(systems)) for group in self._groups)
        return plan

    def finish(
        self,
        part: Partial,
        *,
        notices: Sequence[Notice] | None = None,
        scores: ScoresFile | None = None,
        system: str | None = None,
        among: Iterable[Input] = (),
        said: Collection[str] = (),
    ) -> Results:
        """The results of everybody: users without a list are settled here, once.

        Args:
            notices: What a reader of the numbers should know of the inputs; by default what there is to say of these lists.
            scores, system: As for :meth:`observe`, for users without a list.
            among: Lists of other systems; the users and items that they name are known, too.
            said: Kinds of warnings that have been said; the results still hold them.
        """
        if not isinstance(part, Partial):
            raise InputError(f"part is {type(part).__name__}, expected a Partial, as from plan.observe(...); add several with +")
        check_same(self, part.plan)
        _check_scores(scores)
        if notices is None and self.truth.everybody is not None:
            raise InputError("this plan has no users of its own; pass notices=plan.notices_on(..., counted=...)")
        read = [part.lists, *among]
        nothing = np.empty(0, np.int32)
        nobody = World(Rankings(np.zeros(1, np.int64), nothing), self.truth, codes=nothing, tables=self.tables, memory=self.memory)
        if any(not isinstance(task.resolved, UserMetric) for group in self._groups for task in group.tasks):
            nobody.seen_items = self._known("item", read, self.truth.n_items)
        rest = self._observe(nobody.and_without_lists(self._without_lists(read)), None, scores, system)
        settled = joined_parts(part.parts, rest)
        columns = {
            name: Column(metric, state, how)
            for group, whole in zip(self._groups, settled, strict=True)
            for task, states in zip(group.tasks, whole.states, strict=True)
            for (name, metric, how), state in zip(task.columns, states, strict=True)
        }
        ordered = {name: columns[name] for one in self._asked for name in one.names}
        kept = [whole.scores for whole in settled if whole.scores is not None]
        blocks = tuple(replace(block, users=self.tables.user.renamed(block.users)) for block in kept)
        if notices is None:
            notices = self._attention(said=said).draw(self.notices_on({"rankings": part.lists}))
        return Results(ordered, blocks, (*notices, *_open_ideals(ordered)), part)

    def _without_lists(self, read: Sequence[Input]) -> npt.NDArray[np.integer]:
        """Users who are averaged though the first of some lists has none of theirs."""
        known = self._known("user", read, self.truth.n_users)
        listed = flags_of(read[0].ids["user"].within(self.tables.user), len(self.tables.user))
        others = np.flatnonzero(known & ~listed)
        averaged = np.any([group.averages(others, False) for group in self._groups], axis=0)
        return others[averaged]

    def averaged_without_lists(self) -> Ids:
        """Users whom the truth knows, or who were named, and who are averaged even without a list."""
        known = np.flatnonzero(self.known_users)
        averaged = np.any([group.averages(known, False) for group in self._groups], axis=0)
        return self.tables.user.ids.take(known[averaged])

    def observe_without_lists(self, users: Iterable[Hashable]) -> Partial:
        """What the metrics remember of some of these, who have no list; :meth:`finish` finds them where a part has all lists."""
        rows = id_rows("users", "user", users)
        plan = self.apart()
        plan.tables.join([rows])
        given = plan.tables.input("rankings", rows)
        nothing = np.empty(0, np.int32)
        nobody = World(Rankings(np.zeros(1, np.int64), nothing), self.truth, codes=nothing, tables=plan.tables, memory=self.memory)
        return Partial(plan, plan._observe(nobody.and_without_lists(given.ids["user"].codes), None, None, None), given)

    def contributions(self, lists: CodedLists, columns: Mapping[str, Column], among: Iterable[Input] = ()) -> list[UserScores]:
        """What each user contributes to the numbers of metrics that score no users, where that is known.

        Args:
            lists: All lists of a system.
            columns: The results for them.
            among: As for :meth:`finish`.
        """
        everybody = World.of_lists(lists, self.truth, self.tables, self.memory).and_without_lists(
            self._without_lists([lists.input, *among])
        )
        blocks = []
        for group in self._groups:
            whole = [task for task in group.tasks if not isinstance(task.resolved, UserMetric)]
            if not whole:
                continue
            world = everybody.take(np.flatnonzero(group.averages(everybody.codes, everybody.listed)))
            for task in whole:
                found = task.resolved.contributions(world, [columns[name].state for name in task.asked.names])
                if found is not None:
                    blocks.append(UserScores(self.tables.user.renamed(world.users), tuple(task.asked.names), found))
        return blocks

    def _known(self, role: str, read: Iterable[Input], n_known: int) -> Flags:
        """Users or items that the truth, users that were named, or some lists know; not what other lists named before."""
        table: IdTable = getattr(self.tables, role)
        named = [lists.ids[role].within(table) for lists in (*read, *self.inputs.values()) if role in lists.ids]
        return flags_of(np.concatenate([np.arange(n_known), *named]), len(table))

    def notices_on(
        self,
        systems: Mapping[str, Input],
        *,
        from_files: bool | None = None,
        whole: bool = False,
        counted: Mapping[str, Counted] | None = None,
    ) -> list[Notice]:
        """What a reader of the numbers should know of the inputs.

        Args:
            systems: What was read as the lists of each system.
            from_files: Whether inputs come from files or frames, in which what makes numbers meaningless is an error; by default
                whether one of them does.
            whole: Whether these are all lists; items that are clearly others than those of the truth are then always an error.
            counted: By system, what there is to say of users, where this plan does not know them.
        """
        if counted is None:
            read = Inputs(self.truth, self.tables, self.inputs, systems)
        else:
            inputs = next(iter(counted.values())).inputs(self.inputs, self.tables)
            read = CountedInputs(self.truth, self.tables, inputs, systems, counted)
        found = notices_on(read, self.use, from_files, whole)
        return [*self._left_out, *found, *self._choices()]

    def _choices(self) -> list[Notice]:
        """Choices that were made for the user, and may surprise."""
        tasks = [task for group in self._groups for task in group.tasks]
        chosen = [task.asked.metric for task in tasks if task.how.get("of") == "aspects" and task.asked.metric.parameters["of"] is None]
        found = [Notice("features_from_aspects", detail={"metric": str(metric)}) for metric in chosen]
        subtopics, is_theirs = self.truth.subtopics, self.convention.names.get("CatalogueCoverage") == "Coverage"
        if subtopics is not None and subtopics.unserved is not None and not is_theirs:  # nuggets, whose coverage others call so
            others = [",".join(map(str, one.metric.cutoffs)) for one in self._asked if one.called.casefold() == "coverage"]
            found += [
                Notice("coverage_of_catalogue", detail={"instead": "NuggetCoverage" + ("" if cutoffs == "-1" else f"@{cutoffs}")})
                for cutoffs in others
            ]
        beyond = [task.ties.beyond(task.asked.metric) for task in tasks if task.ties is not None]
        named = [str(metric) for metric in beyond if metric is not None]
        return found + [Notice("beyond_tool", detail={"convention": self.convention.name, "metric": name}) for name in named]

    @property
    def use(self) -> Use:
        """What the metrics make of the inputs, where that decides what is to be said of them."""
        tasks = [task for group in self._groups for task in group.tasks]
        relative = [task.resolved for task in tasks if task.resolved.relative_inputs()]
        nuggets = self.truth.subtopics is not None and self.truth.subtopics.unserved is not None
        of_queries = [group.choice for group in self._groups if any(task.is_of_queries(nuggets) for task in group.tasks)]
        to_baseline = [k for task in tasks if _reads_baseline(task.resolved, self.truth) for k in ranks_of(task.resolved.cutoffs)]
        return Use(
            baseline_to=max(to_baseline, default=0),
            lengths=any(task.asked.of_several or _reads_lengths(task.resolved) for task in tasks),
            threshold=self.convention.name == "published" and any(task.uses_threshold for task in tasks),  # others mean theirs
            averages_lists=any(group.choice in ("lists", "both") for group in self._groups),
            queries=next((choice for choice in get_args(UserChoice) if choice in of_queries and choice != "common"), None),
            nuggets=nuggets,
            relative_to=frozenset(name for task in tasks for name in task.resolved.relative_inputs()),
            relative=_named(metric for metric in relative if not isinstance(metric, UserMetric)),
            relative_to_truth=_named(metric for metric in relative if isinstance(metric, UserMetric)),
        )

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What parts of an evaluation must have in common to add up, as plain data."""
        digest, averaged = None, self._groups[0].averaged
        if self._groups[0].choice in ("given", "common") and averaged is not None:
            named = sorted(map(str, self.tables.user.ids.take(np.flatnonzero(averaged))))
            digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=16).hexdigest()
        how = json.loads(json.dumps(self.how, default=str))
        reading = dict(vars(self.truth.reading)) if self.truth.inputs else {}  # codes are not read
        return {"columns": how, "per_user": self.per_user, "users": digest, "reading": reading, "truth": dict(self.truth.fingerprints)}

    def read(self, given: str | os.PathLike[str] | bytes) -> Partial:
        """A part that :meth:`Partial.write` or :meth:`Partial.to_bytes` wrote, of this plan in any process; others are refused."""
        if isinstance(given, bytes):
            return read_partial(given, self)
        with unless_lists(given):
            return read_partial(given, self)

    def apart(self) -> Plan:
        """The same plan with id tables of its own: what its lists name is forgotten with it."""
        plan = copy(self)
        plan.tables = self.tables.copy()
        return plan

    def of_users(self, truth: Truth, users: Input | None = None) -> Plan:
        """The same plan for some users, whom only this truth knows; every choice stays as it is.

        Args:
            truth: That of this plan with parts about some users.
            users: Those of them who are averaged, if these were named.
        """
        plan = copy(self)
        plan.truth, plan.tables = truth, truth.tables.copy()
        plan.inputs = {**truth.inputs} if users is None else {**truth.inputs, "users": users}
        named = None if users is None else flags_of(users.ids["user"].codes, truth.n_users)
        plan._groups = tuple(
            replace(group, averaged=named if group.choice == "given" else _averaged(truth, group.choice, group.judged_in))
            for group in self._groups
        )
        return plan

    def settled(self, part: Partial) -> Partial:
        """A part, with the users whom the truth knows and who have no list: those of :meth:`of_users`, of whom nobody else knows."""
        nothing = np.empty(0, np.int32)
        nobody = World(Rankings(np.zeros(1, np.int64), nothing), self.truth, codes=nothing, tables=self.tables, memory=self.memory)
        rest = self._observe(nobody.and_without_lists(self._without_lists([part.lists])), None, None, None)
        return replace(part, parts=joined_parts(part.parts, rest))

    @property
    def known_users(self) -> Flags:
        return self._known("user", (), self.truth.n_users)

    @property
    def averages_strangers(self) -> bool:
        """Whether users are averaged of whom nothing is known, and whom other systems may name."""
        return any(group.choice == "all" for group in self._groups)

    @property
    def computed(self) -> list[list[Metric]]:
        return [[task.resolved for task in group.tasks] for group in self._groups]

    @property
    def resolved(self) -> dict[str, Metric]:
        """Each metric as it is computed, by the names of its numbers."""
        return {name: task.resolved for group in self._groups for task in group.tasks for name in task.asked.names}

    @property
    def how(self) -> dict[str, Mapping[str, Any]]:
        """How each number is computed, by its name."""
        return {name: how for group in self._groups for task in group.tasks for name, _, how in task.columns}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"memory": {}}  # which is only there to save time

    def _coded(self, world: World) -> CodedLists:
        """The lists of a world, under the codes of this plan."""
        if world.truth.tables is not self.truth.tables:
            raise InputError("these lists belong to another truth")
        if len(self.tables.user) == self.truth.n_users and len(self.tables.item) == self.truth.n_items:
            self.tables = world.tables.copy()  # nobody else has been named yet, so its codes serve as well as others
        mine = world.take(np.flatnonzero(world.listed))
        users = SomeIds(self.tables.user, SomeIds(world.tables.user, mine.codes).within(self.tables.user))
        items = SomeIds(world.tables.item, np.arange(world.n_items, dtype=np.int32)).within(self.tables.item)
        rankings = mine.rankings
        if not self.tables.item.has_codes_of(world.tables.item):
            rankings = replace(rankings, items=items[rankings.items])
        named = SomeIds(self.tables.item, rankings.items, repeating=True)
        return CodedLists(
            rankings, Input("rankings", "rankings", len(rankings.items), {"user": users, "item": named}, ties_by=world.ties_by)
        )

    @property
    def _depth(self) -> int:
        """How many places of a list the metrics look at; -1 if at all of them."""
        depths = [metric.depth for group in self.computed for metric in group]
        if any(task.ties for group in self._groups for task in group.tasks):  # which tells who is at the end of a list
            return -1
        return -1 if -1 in depths else max(depths)

    def _observe(self, world: World, progress: Progress | None, scores: ScoresFile | None, system: str | None) -> tuple[GroupPart, ...]:
        """What the metrics remember of a world, batch by batch."""
        found, done = [], 0
        if self._depth >= 0 and world.rankings.lengths.max(initial=0) > self._depth:
            world = world.cut(self._depth)
        size = self._batch_size(world) if self.batch_size is None else self.batch_size
        with with_threads(self.threads):
            for batch in world.batches(size) if world.n_users else [world]:
                with reporting(_of_users(progress, done, batch.n_users, world.n_users)):
                    parts = [group.observe(batch, self.per_user or scores is not None) for group in self._groups]
                batch.forget_coverage()
                blocks = [part.scores for part in parts if part.scores is not None]
                if scores is not None and blocks:
                    scores.add(blocks, self.how, system)
                found.append(parts if self.per_user else [replace(part, scores=None) for part in parts])
                done += batch.n_users
                if progress is not None and done:
                    progress(done, world.n_users)
        return joined_parts(*found)

    def _batch_size(self, world: World) -> int:
        """How many users together have about two million places or scores, or four million weights where every aspect has one."""
        tasks = [task for group in self._groups for task in group.tasks]
        n_columns = sum(len(task.asked.metric.cutoffs) for task in tasks)
        n_aspects = len(world.aspect_ids) if any(_weighs_all_aspects(task.resolved, self.truth) for task in tasks) else 0
        by_places = max(256, _NUMBERS_PER_BATCH * world.n_users // max(1, len(world.rankings.items)))
        return max(1, min(65_536, by_places, _NUMBERS_PER_BATCH // n_columns, 2 * _NUMBERS_PER_BATCH // max(1, n_aspects)))


@dataclass(frozen=True, eq=False)
class _Task:
    """A metric as it was asked for and as it is computed, and how."""

    asked: Asked
    resolved: Metric
    undefined: float
    how: Mapping[str, Any]
    ties: TieOrder | None = None
    of_relevant_items: bool = False

    def is_of_queries(self, nuggets: bool) -> bool:
        """Whether it scores the queries that subtopics are for; with nuggets, relevance is for them, too."""
        return isinstance(self.resolved, UserMetric) and (nuggets or self.how.get("judged_by") == "subtopics")

    @property
    def uses_threshold(self) -> bool:
        """Whether the threshold of the evaluation says what is relevant, not a level of the metric's own."""
        return "threshold" in self.how and self.how.get("rel") is None

    @property
    def columns(self) -> list[tuple[str, Metric, Mapping[str, Any]]]:
        """By cutoff: its name, the metric as it was asked for, and how it is computed; a name of one's own does not say what it is."""
        found = self.asked.at_cutoffs()
        return [(name, one, self.how if name == str(one) else {"definition": str(one), **self.how}) for name, one in found]

    def observe(self, world: World) -> Summary:
        metric = self.resolved
        if self.ties is not None:
            world = self.ties.applied(world, metric.cutoffs)
        if self.of_relevant_items:
            world = world.of_relevant_items()
        return metric.summarise(world, self.undefined) if isinstance(metric, UserMetric) else Summary(metric.observe(world))


@dataclass(frozen=True, eq=False)
class _Group:
    """Metrics that average the same users.

    Args:
        choice: Who is averaged, in a word.
        averaged: Which users of the truth are; None means all of them, and those that only lists name.
        judged_in: The input that says who is judged, if one of several does.
    """

    choice: str
    averaged: Flags | None
    tasks: list[_Task] = field(default_factory=list)
    judged_in: str | None = None

    def averages(self, users: npt.NDArray[np.integer], have_list: Flags | bool) -> Flags:
        """Which of some users are averaged."""
        chosen = np.ones(len(users), np.bool_)
        if self.averaged is not None:
            chosen = np.append(self.averaged, False)[np.minimum(users, len(self.averaged))]
        return chosen & have_list if self.choice in ("lists", "both", "common") else chosen

    def observe(self, batch: World, keep_scores: bool) -> GroupPart:
        part = batch.take(np.flatnonzero(self.averages(batch.codes, batch.listed)))
        found = {task: task.observe(part) for task in self.tasks}
        scored = [(task.asked.names, summary) for task, summary in found.items() if summary.scores is not None]
        scores = None
        if keep_scores and scored:
            lower = [(names, summary.least.T) for names, summary in scored if summary.least is not None]
            weighed = [(names, summary.weights.T) for names, summary in scored if summary.weights is not None]
            low = [(names, summary.lowest.T) for names, summary in scored if summary.lowest is not None]
            high = [(names, summary.highest.T) for names, summary in scored if summary.highest is not None]
            beside = (
                {name: values for names, columns in some for name, values in zip(names, columns, strict=True)}
                for some in (lower, weighed, low, high)
            )
            all_names = tuple(name for names, _ in scored for name in names)
            scores = UserScores(part.users, all_names, np.hstack([summary.scores for _, summary in scored]), *beside)  # type: ignore[misc]
        if part is not batch:
            part.forget_coverage()
        return GroupPart(tuple(tuple(summary.states) for summary in found.values()), scores)


def plan_under(convention: Convention, asked: Sequence[Asked], truth: Truth, **options: Any) -> Plan | None:
    """The plan for those of some metrics that one of several conventions computes; None if it computes none.

    What may be spent on exact ideals is for the conventions that have them.
    """
    mine = computed_under(convention, asked)
    if not mine:
        return None
    exact = [one for one in asked if is_exact(one.metric)]
    unspent = {name: None for name in _SPENDING if exact and not computed_under(convention, exact)}
    return Plan(mine, truth, convention=convention, **{**options, **unspent})


def _open_ideals(columns: Mapping[str, Column]) -> list[Notice]:
    """Metrics whose ideals are not all proved optimal, unless they say themselves what is spent on them."""
    names = [name for name, one in columns.items() if one.state.counts.get("open") and one.metric.parameters.get("budget") is None]
    return [Notice("open_ideals", detail={"metrics": ", ".join(names)})] if names else []


def _averaged(truth: Truth, choice: str, judged_in: str | None) -> Flags | None:
    """Who is averaged, as for a group."""
    if choice not in get_args(UserChoice):
        known = ", ".join(map(repr, get_args(UserChoice)))
        raise MetricError(f"users is {choice!r}, expected {known} or a set of users; a file of users is asp.Source(path)")
    if choice in ("judged", "both"):
        return truth.judged(judged_in)
    return truth.with_relevant_items() if choice == "relevant" else None


def _check_scores(scores: Any) -> None:
    if scores is not None and not isinstance(scores, ScoresFile):
        raise InputError(f"scores is {scores!r}, expected an asp.ScoresFile")


def with_spending(metrics: Sequence[Metric], ideal_budget: float | None, ideal_seconds: float | None) -> list[Metric]:
    """The metrics with what may be spent on exact ideals, where they do not say so themselves; there must be one to spend it on."""
    given = {"budget": ideal_budget, "seconds": ideal_seconds}
    spending: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    exact = [metric for metric in metrics if is_exact(metric)]
    timed = [metric for metric in exact if not metric.budgets]  # HiGHS is for ideals of ranks
    for name, value in spending.items():
        option = Option(f"ideal_{name}", value)
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < math.inf:
            raise MetricError(f"{option.name} is {value!r}, expected a number from 0")
        if not (timed if name == "seconds" else exact):
            raise MetricError(option, " is for exact ideals, and no metric has one; expected such as AlphaNDCG(ideal=exact)@10")
    return [_spending(metric, {} if metric not in exact else spending) for metric in metrics]


def _spending(metric: Metric, spending: Mapping[str, Any]) -> Metric:
    mine = {name: value for name, value in spending.items() if name == "budget" or not metric.budgets}
    given = {name: value for name, value in mine.items() if getattr(metric, name) is None}
    if given and "ideal" in metric.parameters:
        given["ideal"] = "exact"
    return replace(metric, **given)


def is_exact(metric: Metric) -> bool:
    """Whether a metric searches for ideal lists, or best contexts."""
    chosen = metric.parameters
    in_tokens = bool(metric.budgets) and chosen.get("ideal") == "greedy"  # the best context is exact
    return chosen.get("ideal") == "exact" or chosen.get("denominator") == "best" or in_tokens


def _of_users(progress: Progress | None, done: int, users: int, total: int) -> Progress | None:
    """Progress within a batch: of ideal lists, told as that of users. It never goes back."""
    if progress is None:
        return None
    told = done

    def tell(found: int, of: int) -> None:
        nonlocal told
        told = max(told, done + users * found // (of + 1))
        progress(told, total)

    return tell


def _weighs_all_aspects(metric: Metric, truth: Truth) -> bool:
    """Whether a metric may need a weight for every aspect and user."""
    chosen = metric.parameters
    weighed = truth.weights is not None or isinstance(chosen.get("gamma"), tuple)
    listed = chosen.get("of") == "listed" or chosen.get("unjudged") == "full"  # which weights may say
    return chosen.get("intents") == "counts" or ((listed or chosen.get("judged_by") == "membership") and weighed)


def _how(resolved: Metric, truth: Truth, users: str, convention: Convention) -> dict[str, Any]:
    parameters = {name: value for name, value in resolved.parameters.items() if name not in resolved.idle}
    how = {"metric": type(resolved).__name__, **parameters, **resolved.details(truth)}
    if "popularity" in resolved.built_on and truth.popularity is not None:
        how["popularity"] = "given"
        how |= {} if truth.popularity.of_users is None else {"popularity_users": truth.popularity.of_users}
    if truth.weights is not None and "judged_by" in how and how.get("intents", "given") == "given":
        how["weights"] = "given"
    by_relevance = how.get("judged_by") == "relevance" or users == "relevant" or convention.history_above_threshold
    if truth.relevance is not None and by_relevance:
        how.setdefault("threshold", truth.relevance.threshold)  # a metric may have its own level
    elif how.get("judged_by") == "history" and truth.history is not None and truth.history.liked is not None:
        how["threshold"] = truth.reading.threshold
    over_orders = {"tied_scores": "expected"} if truth.reading.ties == "expected" else {}
    return {**how, **over_orders, "users": users, "convention": convention.name}


def _reads_baseline(metric: Metric, truth: Truth) -> bool:
    """Whether a metric looks at the lists of the baseline: nothing else that is given will do."""
    given = set(given_in(truth))
    return any("baseline" in names for names in metric.needs() if names <= given)


def _reads_lengths(metric: Metric) -> bool:
    return any("lengths" in names for names in metric.needs_at_cutoffs())


def _named(metrics: Iterable[Metric]) -> str:
    return ", ".join(dict.fromkeys(type(metric).__name__ for metric in metrics))


def given_in(truth: Truth) -> list[str]:
    """The inputs that a truth has."""
    found = [name for name in TRUTH if name != "items" and getattr(truth, name) is not None]
    counted = truth.popularity is not None and (truth.popularity.of_users is not None or truth.history is not None)
    return [*found, *(["popularity_users"] if counted else [])]


def _check_partial(metric: Metric) -> None:
    """What becomes of a document that does not fit is said only where there is a limit."""
    if metric.partial_document != "drop" and not metric.budgets:
        said = f"{type(metric).__name__}: partial goes with cutoffs in tokens only, such as {metric.at(Tokens(4000))}"
        raise UnusedParameter.of("partial", said)


def _resolved(asked: Metric, spent: Metric, truth: Truth) -> Metric:
    """A metric with its choices made; if the truth does not have what it needs, an error names what is missing."""
    resolved = spent.resolved(truth)
    if truth.reading.ties == "expected":
        resolved.check_orders(asked)
    given, needs = set(given_in(truth)), resolved.needs()
    if resolved.budgets:
        truth.need("lengths", str(asked.at(resolved.budgets[0])))
    if not any(names <= given for names in needs):
        lacked = min(needs, key=lambda names: names - given != {"popularity_users"}) - given
        if lacked == {"popularity_users"}:
            _ = truth.item_popularity.n_users  # an error that says what to do
        name = next(name for name in TRUTH if name in needs[0] - given)
        try:
            truth.need(name, str(asked.at(-1)))
        except MissingInput as error:
            raise MissingInput(*error.args, *_instead(name, [names - given for names in needs])) from None
    return resolved


def _instead(name: str, lacked: Iterable[frozenset[str]]) -> list[str | Option]:
    """What else would do in place of an input, as part of a message."""
    others = [[other for other in (*TRUTH, "popularity_users") if other in names] for names in lacked if name not in names]
    ways = [parts(" with ", [[Option(other)] for other in names]) for names in others[:2]]
    return [", or ", *parts(", or ", ways)] if ways else []


def read_lists(given: Any, name: str = "rankings", *, several: bool = False) -> Rows:
    """The rows of lists in any form; `name` is what errors call plain objects, and a file may hold `several` systems."""
    path = given.data if isinstance(given, Source) else given
    takes = Either("from Partial.write; plan.read(path) takes it", "from --part; aspectrum merge takes it")
    with _unless(read_arrow, path, "is a part of an evaluation, ", takes):
        return read_input("rankings", given) if several else list_rows(given, name)


def unless_lists(path: Any) -> AbstractContextManager[None]:
    """If a file that cannot be read within holds lists, the error says so."""
    takes = Either("plan.observe(path) takes it", "aspectrum evaluate takes it")
    return _unless(list_rows, path, "holds lists, not a part of an evaluation; ", takes)


@contextmanager
def _unless(read: Callable[[Any], Any], path: Any, *said: str | Either) -> Iterator[None]:
    """If a file cannot be read within, but can be by `read`, the error says what it is."""
    try:
        yield
    except InputError:
        try:
            read(path)
        except (InputError, TypeError):
            pass
        else:
            raise InputError(f"{os.fspath(path)}: ", *said) from None
        raise


@contextmanager
def with_threads(n: int | None) -> Iterator[None]:
    """At most so many threads within; None leaves it at one per core."""
    before = None if n is None else kernels.set_threads(check_count(n, "threads", 1))
    try:
        yield
    finally:
        if before is not None:
            kernels.set_threads(before)


_SPENDING = ("ideal_budget", "ideal_seconds")

PLAN_OPTIONS = ("users", "threads", "batch_size", "per_user", *_SPENDING)
"""What may be said of a plan beside its metrics, its truth and the convention."""
