"""D-nDCG: nDCG of gains that are added over intents."""

from dataclasses import dataclass
from typing import ClassVar

from aspectrum.blocks.intents import GradedIntentMetric
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class DNDCG(GradedIntentMetric):
    r"""Discounted global gain over that of the ideal order; an item's global gain is the weighted sum of its gains for all intents.

    .. math:: \frac{\sum_{j \le k} GG(d_j) / \log_2(1+j)}{\sum_{j \le k} GG^*_j / \log_2(1+j)}, \quad GG(d) = \sum_c P(c|u) \, g_c(d)

    where P(c|u) is the weight of aspect c (1 without weights), g_c(d) the grade of item d for it, times the strength of the judgment
    if it has one, and GG* are the global gains of all judged items, largest first. Unlike that of alpha-nDCG, this ideal is exact.

    Args:
        k: Ranks that count; one number or several. Without a cutoff the ideal holds all judged items.
        gain: ``linear`` is the grade, as in NTCIREVAL, ``exponential`` is 2^grade - 1.
        judged_by: Which aspects of an item count for a user. By relevance, every aspect has the grade of the item; by history or
            membership, where there are no grades, the ideal chooses from the catalogue. Default: subtopics if given, else
            relevance.
        unjudged: As for AlphaNDCG.

    Range:
        0 to 1.

    Undefined:
        For a user with no judged item of positive gain.

    References:
        Sakai and Song, SIGIR 2011.

    Examples:
        >>> grades = {"a": {1: 1}, "b": {2: 1}, "c": {1: 2, 3: 1}, "e": {3: 3}}
        >>> world = World.of({"q": ["a", "b", "c"]}, subtopics={"q": grades}, weights={1: 0.5, 2: 0.3, 3: 0.2})
        >>> DNDCG(k=3).scores(world).round(6)
        array([[0.70508]])
    """

    symbol = "D-nDCG"
    cites = ("sakai2011evaluating",)
    aliases: ClassVar[Aliases] = {"D-nDCG": {}}

    def fractions(self, world: World) -> Fractions:
        return Fractions(*self.global_sums(world))
