"""Expected exposure: distance from the exposure that items would have if equally relevant items shared it equally."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.arrays import Counts, Floats
from aspectrum.blocks.item_groups import group_details, group_names, membership, needs_groups
from aspectrum.blocks.relevant_items import place_sums, relevant_places
from aspectrum.blocks.system_metric import SystemMetric
from aspectrum.discounts import Discount
from aspectrum.metric import Aliases, check_unit
from aspectrum.states import Totals
from aspectrum.world import Truth, World

_LESS_IS_BETTER = ("loss", "disparity")


@dataclass(frozen=True)
class ExpectedExposure(SystemMetric):
    r"""Squared distance between the exposure of item groups and a target in which relevant items come first, in random order.

    .. math:: \sum_g (\epsilon_g - \epsilon^*_g)^2 \qquad \epsilon_g = \frac{1}{U} \sum_u \sum_{j \le k} \gamma^{j-1} a_{jg} \qquad \epsilon^*_g = \frac{1}{U} \sum_u \sum_{i \in R_u} a_{ig} \frac{1 - \gamma^{m_u}}{m_u (1 - \gamma)}

    where R_u are the m_u relevant items of user u, and a_ig is the membership of item i in group g: 1 in total per item, split evenly over
    its groups, unless shares are given. The target has no cutoff. Items without a group are left out and counted in the details, which also
    have the exposure and target of each group. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        part: ``loss``: the squared distance (EE-L), 0 at best. ``disparity``: the sum of squared exposures (EE-D); lower is more equal.
            ``relevance``: the sum of exposure times target (EE-R); higher is better. ``cross``: twice that, as in the expansion of the loss
            (EER of rank-fairness-metrics).
        by: Exposure of each ``group`` over all users, or of each ``item`` in each user's list, averaged over users (expeval with RBP and
            without normalization); with a single list per user, the latter says little.
        gamma: Patience: the probability of continuing to the next rank, 0 to 1.

    Range:
        From 0.

    Undefined:
        If no user has a relevant item (users without one are left out), or no recommended or relevant item has a group.

    References:
        Diaz, Mitra, Ekstrand, Biega and Carterette, CIKM 2020; of groups: Raj and Ekstrand, SIGIR 2022.

    Examples:
        >>> groups = {"a": "P", "b": "Q", "c": "Q"}
        >>> world = World.of({"u": ["a", "b"]}, groups=groups, relevance={"u": ["b"]})
        >>> ExpectedExposure(k=2).observe(world)[0].value
        1.25
    """

    part: Literal["loss", "disparity", "relevance", "cross"] = "loss"
    by: Literal["group", "item"] = "group"
    gamma: float = 0.5

    symbol = "Expected exposure"
    cites = ("diaz2020evaluating", "raj2022measuring")
    family = "fairness"
    higher_is_better = False
    truth = "relevance"
    aliases: ClassVar[Aliases] = {
        "EEL": {},
        "EE-L": {},
        "EED": {"part": "disparity"},
        "EE-D": {"part": "disparity"},
        "EER": {"part": "relevance"},
        "EE-R": {"part": "relevance"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, gamma=self.gamma)
        if self.part not in _LESS_IS_BETTER:
            object.__setattr__(self, "higher_is_better", True)

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the parameters
        return ("groups", "aspects") if self.by == "group" else ()

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_groups("relevance") if self.by == "group" else (frozenset({"relevance"}),)

    def details(self, truth: Truth) -> Mapping[str, Any]:
        threshold = truth.need("relevance", "ExpectedExposure").threshold
        return (group_details(truth) if self.by == "group" else {}) | {"threshold": threshold}

    def n_sums(self, truth: Truth) -> int:
        return 2 * truth.item_groups[0].n_aspects + 1 if self.by == "group" else 2

    def labels(self, truth: Truth) -> tuple[str, ...]:
        return group_names(truth) if self.by == "group" else ()

    def noticed(self, world: World) -> Mapping[str, Counts]:
        return membership(world).places_outside(world, self.cutoffs) if self.by == "group" else {}

    @property
    def _discount(self) -> Discount:
        return Discount("geometric", self.gamma)

    def terms(self, world: World) -> Floats:
        """The exposures and targets of the groups, or what all items of a list make; and 1, which counts users."""
        n_relevant = world.need_relevance("ExpectedExposure").n_relevant
        most = int(n_relevant.max(initial=0))
        # Of m items that share the first m ranks.
        means = np.cumsum(self._discount.first(most)[:most]) / np.arange(1.0, most + 1)
        wanted = np.append(0.0, means)[n_relevant][:, np.newaxis]
        terms = self._of_groups(world, wanted) if self.by == "group" else self._of_items(world, wanted, n_relevant)
        terms[n_relevant == 0] = np.nan
        return terms

    def _of_groups(self, world: World, wanted: Floats) -> Floats:
        groups, shape = membership(world), (world.n_users, len(self.cutoffs))
        exposure = groups.of_lists(world, self.cutoffs, self._discount).dense(*shape)
        targets = wanted[..., np.newaxis] * groups.of_relevant(world.need_relevance("ExpectedExposure")).dense(world.n_users, 1)
        return np.concatenate([exposure, np.broadcast_to(targets, exposure.shape), np.ones((*shape, 1))], axis=2)

    def _of_items(self, world: World, wanted: Floats, n_relevant: Counts) -> Floats:
        rankings = world.rankings
        relevant = relevant_places(rankings, world.need_relevance("ExpectedExposure")).astype(np.float64)
        exposure = self._discount.first(int(rankings.lengths.max(initial=0)))[rankings.ranks - 1]
        targets = np.repeat(wanted[:, 0], rankings.lengths) * relevant
        if self.part == "disparity":
            found = place_sums(rankings, exposure * exposure, self.cutoffs)
        elif self.part == "loss":
            apart = exposure - targets
            not_shown = n_relevant[:, np.newaxis] - place_sums(rankings, relevant, self.cutoffs)
            found = place_sums(rankings, apart * apart, self.cutoffs) + not_shown * wanted * wanted
        else:
            found = place_sums(rankings, exposure * targets, self.cutoffs) * (2.0 if self.part == "cross" else 1.0)
        return np.stack([found, np.ones(found.shape)], axis=2)

    def value_from(self, sums: Floats) -> Floats:
        n = sums[..., -1:]
        means = np.full(sums[..., :-1].shape, np.nan)
        np.divide(sums[..., :-1], n, out=means, where=n > 0)
        if self.by == "item":
            return means[..., 0]
        exposure, targets = np.split(means, 2, axis=-1)
        apart = exposure - targets
        terms = {"loss": apart * apart, "disparity": exposure * exposure}.get(self.part, exposure * targets)
        # From the least on, one after the other, so that the order of groups does not show.
        total = np.cumsum(np.sort(np.append(terms, np.zeros((*terms.shape[:-1], 1)), axis=-1), axis=-1), axis=-1)[..., -1]
        found = total * 2.0 if self.part == "cross" else total
        return np.where((means > 0).any(axis=-1), found, np.nan)

    def parts_of(self, state: Totals) -> Mapping[str, float]:
        """The exposure and the target of each group."""
        if self.by == "item" or not state.scored:
            return {}
        exposure, targets = np.split(state.rounded[:-1] / state.scored, 2)
        columns = {"exposure": exposure, "target": targets}
        return {f"{what} {name}": float(values[place]) for what, values in columns.items() for place, name in enumerate(state.labels)}
