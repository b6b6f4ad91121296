"""Gain vectors of one user, rank by rank: for teaching and debugging."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.coding.ids import quoted
from aspectrum.discounts import LOG2, NONE
from aspectrum.errors import InputError
from aspectrum.gain import GainRule, place_gains
from aspectrum.html_table import html_table
from aspectrum.ideal.greedy import greedy_sums
from aspectrum.ideal.request import IdealRequest
from aspectrum.judging import JUDGINGS, JudgedBy, PoolName, choose_judgment, cover
from aspectrum.wording import one_line
from aspectrum.world import World


@dataclass(frozen=True, eq=False)
class Gains:
    """What each rank of a list gains, and what the greedy ideal gains there.

    ``G`` gains, ``CG`` their sums, ``DCG`` their sums over log2(1 + rank); ``ideal_...`` the same of the ideal;
    ``nDCG`` = DCG / ideal_DCG.
    """

    user: Hashable
    items: list[Hashable]
    G: Floats
    CG: Floats
    DCG: Floats
    ideal_CG: Floats
    ideal_DCG: Floats
    judged_by: JudgedBy
    pool: PoolName

    @property
    def ideal_G(self) -> Floats:
        return np.diff(self.ideal_CG, prepend=0.0)

    @property
    def nDCG(self) -> Floats:
        ratios = np.full(len(self.DCG), np.nan)
        np.divide(self.DCG, self.ideal_DCG, out=ratios, where=self.ideal_DCG > 0)
        return ratios

    @property
    def _about(self) -> str:
        return f"user {quoted(self.user)}, judged by {self.judged_by}, greedy ideal over {self.pool}"

    def _repr_html_(self) -> str:
        """The same table, for notebooks.

        >>> table = gains({"q": ["a"]}, subtopics={"q": {"a": [1]}})._repr_html_()
        >>> table.partition("<tbody>")[2].partition("</td>")[0]
        '<tr><th scope="row" class="number">1</th><td>a'
        """
        columns = (self.G, self.CG, self.DCG, self.ideal_G, self.ideal_DCG, self.nDCG)
        numbers = [["undefined" if np.isnan(value) else f"{value:.4f}" for value in values] for values in columns]
        rows = [
            [str(rank), str(item), *cells] for rank, item, *cells in zip(range(1, len(self.items) + 1), self.items, *numbers, strict=True)
        ]
        return html_table(["Rank", "Item", "G", "CG", "DCG", "ideal G", "ideal DCG", "nDCG"], rows, caption=self._about)

    def __str__(self) -> str:
        lines = [self._about]
        lines.append(f"{'rank':>4}  {'G':>8}  {'CG':>8}  {'DCG':>8}  {'ideal G':>8}  {'ideal DCG':>9}  {'nDCG':>6}  item")
        columns = zip(self.G, self.CG, self.DCG, self.ideal_G, self.ideal_DCG, self.nDCG, self.items, strict=True)
        for rank, (g, cg, dcg, ideal_g, ideal_dcg, ratio, item) in enumerate(columns, 1):
            lines.append(
                f"{rank:>4}  {g:>8.4f}  {cg:>8.4f}  {dcg:>8.4f}  {ideal_g:>8.4f}  {ideal_dcg:>9.4f}  {ratio:>6.4f}  {one_line(str(item))}"
            )
        return "\n".join(lines)


def gains(
    rankings: Any,
    user: Hashable = None,
    *,
    alpha: float = 0.5,
    gamma: float | None = None,
    judged_by: JudgedBy | None = None,
    pool: PoolName | None = None,
    **inputs: Any,
) -> Gains:
    """The gain vectors of one user's list (Clarke et al. 2008), rank by rank.

    Args:
        rankings: A world, or lists in any form that :func:`aspectrum.evaluate` takes, such as a frame or a file; the other inputs are
            then given by name, in any form, too.
        user: Whose list; may be left out if there is one user only.
        alpha: How much a repeated aspect loses.
        gamma: If given, gains follow the unsimplified eq. 6 with this probability.
        judged_by: Which aspects of an item count; by default as AlphaNDCG chooses.
        pool: What the ideal list may choose from.

    Examples:
        >>> lists = {"q": list("abcde")}
        >>> nuggets = {"a": [2, 4], "b": [2], "c": [2], "d": [], "e": [1, 6]}
        >>> gains(lists, subtopics={"q": nuggets}).G
        array([2.  , 0.5 , 0.25, 0.  , 2.  ])
    """
    world = World.of(rankings, **inputs)
    code = user_code(world, user)
    one = world.slice(code, code + 1)
    judged_by = judged_by or choose_judgment(one.truth, ("history", "relevance"), "gains")
    pool = pool or JUDGINGS[judged_by].default_pool
    coverage = cover(one, judged_by)
    items, rule = [world.items[item] for item in one.rankings.items.tolist()], GainRule(alpha, gamma)
    places = place_gains(coverage, rule, one.rankings.stops((-1,)))
    discounted = np.cumsum(places * LOG2.first(len(items))[: len(items)])
    ideal, discounted_ideal = (
        greedy_sums(IdealRequest(coverage, pool, rule, discount), range(1, len(items) + 1))[0] if items else np.empty(0)
        for discount in (NONE, LOG2)
    )
    return Gains(world.users[code], items, places, np.cumsum(places), discounted, ideal, discounted_ideal, judged_by, pool)


def user_code(world: World, user: Hashable) -> int:
    """The code of a user who is known; None is the only user."""
    if user is None and world.n_users == 1:
        return 0
    code = world.users.code(user)
    if code is None and isinstance(user, str) and re.fullmatch(r"-?[0-9]{1,100}", user):
        code = world.users.code(int(user))  # ids that are numbers come as text from a command line
    if user is None:
        raise InputError(f"there are {world.n_users} users; say whose list with user=")
    if code is None:
        raise InputError(f"user {quoted(user)} is not known; give one of the {world.n_users} users")
    return code
