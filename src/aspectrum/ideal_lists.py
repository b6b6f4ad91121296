"""Ideal lists themselves: the best list of one user beside the greedy one, and how far greedy falls short over all users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.coding.ids import quoted
from aspectrum.conventions import convention_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.findings import Use, notices_on_truth
from aspectrum.errors import MetricError
from aspectrum.formats import as_json, plain_table
from aspectrum.gain import place_gains
from aspectrum.html_table import html_table
from aspectrum.ideal import HasIdeal, Ideal, IdealRequest, budget_of, exact_ideals, greedy_lists, greedy_sums, reporting
from aspectrum.ideal.exact import problems_of, solve_one
from aspectrum.ideal.gains import user_code
from aspectrum.ideal.greedy import items_at
from aspectrum.judging import OwnPools
from aspectrum.metric import Metric, parse, registered
from aspectrum.plan import with_spending
from aspectrum.world import Rankings, World


@dataclass(frozen=True)
class Rank:
    """A place of an ideal list: its item, what the item gains there, and the discounted sum so far."""

    item: Hashable
    aspects: tuple[Hashable, ...]
    gain: float
    total: float


@dataclass(frozen=True)
class IdealList:
    """The best list of one user at one cutoff, beside the greedy one.

    No list gains more than ``upper``; ``proved_by`` says what has proved that this is ``best``, None that nothing has.
    """

    user: Hashable
    metric: str
    judged_by: str
    pool: str
    n_items: int
    exact: tuple[Rank, ...]
    greedy: tuple[Rank, ...]
    best: float
    upper: float
    proved_by: str | None
    work: float

    @property
    def greedy_total(self) -> float:
        return self.greedy[-1].total if self.greedy else 0.0

    @property
    def shortfall(self) -> float:
        """The share of the best list's gains that the greedy list misses."""
        return shortfall(self.greedy_total, self.best)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; ``greedy`` is what the greedy list gains."""
        called = {"n_items": "items_in_pool"}
        facts = {called.get(name, name): value for name, value in vars(self).items() if name not in ("exact", "greedy")}
        lists = {"exact_list": [vars(rank) for rank in self.exact], "greedy_list": [vars(rank) for rank in self.greedy]}
        return {**facts, "greedy": self.greedy_total, "shortfall": self.shortfall, **lists}

    @property
    def _about(self) -> str:
        return f"user {quoted(self.user)}: {self.metric}, judged by {self.judged_by}, {self.n_items} items in the pool ({self.pool})"

    def _rows(self, most: int | None = None) -> list[list[str]]:
        pairs = zip_longest(self.exact[:most], self.greedy[:most])
        return [[str(place), *_cells(exact), *_cells(greedy)] for place, (exact, greedy) in enumerate(pairs, 1)]

    @property
    def _verdicts(self) -> tuple[str, str]:
        """What the ideal and the greedy list gain, and what is known of each."""
        spent = f" (work {self.work:.2g})" if self.work >= 0.01 else ""
        proof = f"proved by {self.proved_by}{spent}: no list gains more"
        if self.proved_by is None:
            proof = f"not proved{spent}: no list gains more than {self.upper:.6f}, {100 * (self.upper / self.best - 1):.2g} % above"
        says = "as good" if self.best > 0 else "nothing to gain"
        if self.shortfall > 0:
            says = f"{100 * self.shortfall:.4f} % short: a list can score {self.best / self.greedy_total:.4f} against it"
        return f"ideal   {self.best:.6f}  {proof}", f"greedy  {self.greedy_total:.6f}  {says}"

    def _repr_html_(self) -> str:
        """The same table, for notebooks."""
        return html_table(_HEAD, self._rows(), caption=self._about, below=self._verdicts)

    def __str__(self) -> str:
        rows = self._rows(_MOST_PRINTED)
        if len(self.exact) > _MOST_PRINTED or len(self.greedy) > _MOST_PRINTED:
            rows.append(["...", f"{len(self.exact)} ranks in all", "", "", f"{len(self.greedy)} ranks in all", "", ""])
        table = plain_table(_HEAD, rows) if rows else "no item of the pool gains anything"
        return "\n".join([self._about, "", table, "", *self._verdicts])


_HEAD = ["Rank", "Ideal item", "Gain", "Sum", "Greedy item", "Gain", "Sum"]
_TINY = 1e-12
_MOST_PRINTED = 50
"""Ranks that are printed; the JSON has all."""


def _cells(rank: Rank | None) -> list[str]:
    return ["", "", ""] if rank is None else [str(rank.item), f"{rank.gain:.4f}", f"{rank.total:.4f}"]


@dataclass(frozen=True)
class IdealSummary:
    """Ideal lists of all users for one metric at one cutoff: what was proved, and how far greedy lists fall short."""

    metric: str
    users: int
    distinct: int
    proved_by_search: int
    proved_by_highs: int
    open: int
    widest_gap: float
    work: float
    greedy_short: int
    mean_shortfall: float
    largest_shortfall: float
    worst_user: Hashable

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def _cells(self) -> list[str]:
        counts = (self.users, self.distinct, self.proved_by_search + self.proved_by_highs, self.proved_by_highs, self.open)
        shares = (f"{100 * share:.4f} %" for share in (self.mean_shortfall, self.largest_shortfall))
        worst = "" if self.worst_user is None else str(self.worst_user)
        return [self.metric, *map(str, counts), f"{100 * self.widest_gap:.2g} %", str(self.greedy_short), *shares, worst]


@dataclass(frozen=True)
class IdealSummaries:
    """How far greedy falls short, a row for each metric and cutoff."""

    rows: tuple[IdealSummary, ...]

    def to_json(self) -> str:
        return as_json([row.to_dict() for row in self.rows])

    def _repr_html_(self) -> str:
        """The same table, for notebooks."""
        return html_table(_SUMMARY_HEAD, [row._cells() for row in self.rows])

    def __str__(self) -> str:
        return plain_table(_SUMMARY_HEAD, [row._cells() for row in self.rows])


_SUMMARY_HEAD = ["Metric", "Users", "Ideals", "Proved", "by HiGHS", "Open", "Widest gap", "Greedy short", "Mean", "Largest", "User"]


def ideal_list(
    user: Hashable = None,
    metric: str | Metric = "AlphaNDCG@10",
    *,
    rankings: Any = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
    **inputs: Any,
) -> IdealList:
    """The best list of one user, beside the greedy one, with a proof.

    Args:
        user: Whose; may be left out if there is one user only.
        metric: AlphaNDCG, ERRIA or NRBP, at one cutoff; the ideal of the latter is that of ``normalize="ideal"``.
        rankings: Lists, if the pool is to be the list; else they do not matter.
        ideal_budget, ideal_seconds, inputs: As for :func:`aspectrum.evaluate`; with ``strict`` and ``ignore``, too.

    Examples:
        >>> pool = {"a": [1, 3], "b": [2, 4], "c": [3, 4]}
        >>> print(ideal_list("q", "AlphaNDCG@2", subtopics={"q": pool}))
        user 'q': AlphaNDCG@2, judged by subtopics, 3 items in the pool (judged)
        <BLANKLINE>
        Rank  Ideal item    Gain     Sum  Greedy item    Gain     Sum
        ----  ----------  ------  ------  -----------  ------  ------
           1  a           2.0000  2.0000  c            2.0000  2.0000
           2  b           2.0000  3.2619  b            1.5000  2.9464
        <BLANKLINE>
        ideal   3.261860  proved by search: no list gains more
        greedy  2.946395  9.6713 % short: a list can score 1.1071 against it
    """
    (chosen,) = _exact([metric], ideal_budget, ideal_seconds)
    if len(chosen.cutoffs) != 1:
        raise MetricError(f"{metric}: an ideal list has one cutoff, expected such as {chosen.at(chosen.cutoffs[0])}")
    world = read_truth(rankings, **inputs)
    code = user_code(world, user)
    request = chosen.resolved(world.truth).ideal_request(world.slice(code, code + 1))
    problem, cutoff = problems_of(request).of(0), chosen.cutoffs[0]
    found, sets = solve_one(problem, cutoff, request, budget_of(chosen))
    pool = _Pool(request)
    exact, greedy, best = pool.exact(problem.rows[sets]), pool.greedy(cutoff), found.best
    if not found.proved and greedy and greedy[-1].total > best:  # the search breaks ties differently
        exact, best = greedy, min(greedy[-1].total, found.upper)
    name, judged_by, user = _name(chosen, cutoff), request.coverage.judging.name, world.users[code]
    proof = (found.upper, found.proved_by, found.work)
    return IdealList(user, name, judged_by, request.pool_name, len(pool.items), exact, greedy, best, *proof)


def summarise_ideals(
    metrics: Iterable[str | Metric] | str | Metric = "AlphaNDCG@10",
    *,
    rankings: Any = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **inputs: Any,
) -> IdealSummaries:
    """How far greedy lists fall short of the best ones, over all users who have something to gain.

    Args:
        metrics: AlphaNDCG, ERRIA or NRBP, at any cutoffs.
        progress: Called with lists found and lists to find, for each metric.
        rankings, ideal_budget, ideal_seconds, inputs: As for :func:`ideal_list`.

    Examples:
        >>> pool = {"a": [1, 3], "b": [2, 4], "c": [3, 4]}
        >>> summary, = summarise_ideals("AlphaNDCG@2", subtopics={"q": pool}).rows
        >>> summary.open, summary.greedy_short, round(summary.largest_shortfall, 4)
        (0, 1, 0.0967)
    """
    world = read_truth(rankings, **inputs)
    rows = []
    for metric in _exact([metrics] if isinstance(metrics, str | Metric) else metrics, ideal_budget, ideal_seconds):
        request = metric.resolved(world.truth).ideal_request(world)
        with reporting(progress):
            ideals = exact_ideals(request, metric.cutoffs, budget_of(metric))
        greedy = greedy_sums(request, metric.cutoffs)
        best = np.maximum(ideals.best, greedy)
        for place, cutoff in enumerate(metric.cutoffs):
            rows.append(_summary(_name(metric, cutoff), world, [row[place] for row in ideals.found], best[:, place], greedy[:, place]))
    return IdealSummaries(tuple(rows))


def _summary(name: str, world: World, found: Sequence[Ideal], best: Any, greedy: Any) -> IdealSummary:
    gaining = np.flatnonzero(best > 0)
    short = np.array([shortfall(float(greedy[user]), float(best[user])) for user in gaining])
    distinct = [ideal for ideal in found if ideal.best > 0]
    proved = Counter(ideal.proved_by for ideal in distinct)
    return IdealSummary(
        metric=name,
        users=len(gaining),
        distinct=len(distinct),
        proved_by_search=proved["search"],
        proved_by_highs=proved["HiGHS"],
        open=proved[None],
        widest_gap=max((ideal.upper / ideal.best - 1.0 for ideal in distinct), default=0.0),
        work=sum(ideal.work for ideal in distinct),
        greedy_short=int((short > 0).sum()),
        mean_shortfall=float(short.mean()) if len(short) else 0.0,
        largest_shortfall=float(short.max(initial=0.0)),
        worst_user=world.users[int(gaining[short.argmax()])] if short.any() else None,
    )


def shortfall(greedy: float, best: float) -> float:
    """The share of `best` that `greedy` misses; 0 where only rounding tells them apart."""
    short = 1.0 - greedy / best if best > 0 else 0.0
    return short if short > _TINY else 0.0


def read_truth(rankings: Any = None, *, strict: bool = False, ignore: str | Iterable[str] = (), **inputs: Any) -> World:
    """What is known of users and items, in any form that :func:`aspectrum.evaluate` takes; a world is left as it is."""
    attention = Attention(strict, ignore)
    if isinstance(rankings, World):
        return World.of(rankings, **inputs)
    convention = convention_named(inputs.pop("convention", None))
    world = World.read({} if rankings is None else rankings, convention.truth(**inputs))
    by_relevance = world.truth.subtopics is None and world.truth.history is None
    attention.draw(notices_on_truth(world.truth, Use(threshold=by_relevance)))
    return world


def _exact(metrics: Iterable[str | Metric], ideal_budget: float | None, ideal_seconds: float | None) -> list[Any]:
    """The metrics with exact ideals, whatever they say of their own, and what may be spent on them."""
    chosen: list[Metric] = []
    for given in metrics:
        metric = parse(given) if isinstance(given, str) else given
        if not isinstance(metric, HasIdeal):
            having = ", ".join(name for name, kind in registered().items() if hasattr(kind, "ideal_request"))
            raise MetricError(f"{type(metric).__name__} has no ideal list; expected one of {having}")
        if metric.budgets:
            raise MetricError(
                f"{metric}: ideal lists are for ranks, expected such as {metric.at(10)}; evaluate finds the best context by itself"
            )
        changed: dict[str, Any] = {"ideal": "exact", **({"normalize": "ideal"} if "normalize" in metric.parameters else {})}
        chosen.append(replace(metric, **changed))
    return with_spending(chosen, ideal_budget, ideal_seconds)


def _name(metric: Metric, cutoff: int) -> str:
    """The metric by the parameters that shape its ideal."""
    others = ("ideal", "normalize", "judged_by", "pool", "budget", "seconds")
    usual: dict[str, Any] = {parameter.name: parameter.default for parameter in fields(metric) if parameter.name in others}
    return str(replace(metric.at(cutoff), **usual))


class _Pool:
    """The pool of the only user of a request, item by item."""

    def __init__(self, request: IdealRequest) -> None:
        self._request = request
        coverage, pool = request.coverage, request.pool
        if isinstance(pool, OwnPools):
            self._rows = pool.rows[pool.rows >= 0]
            self.items = self._rows if coverage.row_items is None else coverage.row_items[self._rows]
        else:
            left = np.isin(pool.member_heads, [] if pool.excluded_heads is None else pool.excluded_heads, invert=True)
            self._rows = np.repeat(pool.sets, np.diff(pool.member_offsets))[left]
            self.items = items_at(coverage.world, pool.member_heads[left])
        attainable, wanted = coverage.judging.attainable_aspects(), coverage.wanted
        # The aspects that count, with the world's codes.
        self._counted = dict(zip(attainable.codes.tolist(), coverage.judging.world_codes(attainable).tolist(), strict=True))
        if wanted is not None and wanted.weights is not None:
            weighty = set(wanted.codes[wanted.weights > 0].tolist())
            self._counted = {code: own for code, own in self._counted.items() if code in weighty}

    def _entries(self, row: int) -> list[tuple[int, float]]:
        """The aspects of a row that count, with their strengths, by ascending code."""
        sets = self._request.coverage.sets
        entries = slice(sets.offsets[row], sets.offsets[row + 1])
        codes = sets.codes[entries].tolist()
        strengths = [1.0] * len(codes) if sets.strengths is None else sets.strengths[entries].tolist()
        return [(code, strength) for code, strength in zip(codes, strengths, strict=True) if code in self._counted]

    def exact(self, rows: Codes) -> tuple[Rank, ...]:
        """A list of rows, with an item of the pool for each: one that counts the same, of these the largest id first."""
        by_id = np.argsort(self._request.coverage.world.truth.items.heads[self.items])
        waiting: dict[tuple[tuple[int, float], ...], list[int]] = {}
        for row, item in zip(self._rows[by_id].tolist(), self.items[by_id].tolist(), strict=True):
            waiting.setdefault(tuple(self._entries(row)), []).append(item)
        return self._ranks(rows, [waiting[tuple(self._entries(row))].pop() for row in rows.tolist()])

    def greedy(self, cutoff: int) -> tuple[Rank, ...]:
        (rows,), (items,) = greedy_lists(self._request, cutoff)
        return self._ranks(rows[rows >= 0], items[items >= 0].tolist())

    def _ranks(self, rows: Codes, items: Sequence[int]) -> tuple[Rank, ...]:
        """A list with the gain of each rank."""
        coverage, n = self._request.coverage, len(items)
        listed = replace(coverage, rankings=Rankings(np.array([0, n]), np.array(items, dtype=np.int32)), rows=rows, kept=None)
        gains = place_gains(listed, self._request.rule, listed.stops((-1,)))
        totals = np.cumsum(gains * self._request.discount.first(n)[:n])
        ids, aspect_ids = coverage.world.items, coverage.world.aspect_ids
        return tuple(
            Rank(ids[item], tuple(aspect_ids[self._counted[code]] for code, _ in self._entries(row)), gain, total)
            for row, item, gain, total in zip(rows.tolist(), items, gains.tolist(), totals.tolist(), strict=True)
        )
