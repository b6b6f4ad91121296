"""Who is marked: the best of a metric, those who tie with it, the second; and who is worth considering on two metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Beats = Callable[[str, str], bool]
"""Whether the first system is significantly better than the second."""


@dataclass(frozen=True)
class Standing:
    """Who is marked on a metric: the best alone, or everybody who ties with the leader; and who is second."""

    best: str | None = None
    tie: tuple[str, ...] = ()
    second: str | None = None


def standing(means: Mapping[str, float], beats: Beats, *, higher_is_better: bool = True) -> Standing:
    """The marks of one metric.

    The leader has the best mean. It is the best if it is significantly better than every other system; otherwise it ties with all
    that are not significantly worse than it, whatever they are to one another. There is a second only below a best.

    >>> standing({"A": 0.5, "B": 0.4, "C": 0.1}, lambda one, other: other == "C")
    Standing(best=None, tie=('A', 'B'), second=None)
    """
    ordered = sorted(
        (name for name in means if means[name] == means[name]), key=lambda name: -means[name] if higher_is_better else means[name]
    )
    if len(ordered) < 2:
        return Standing()
    leader, *others = ordered
    tied = [name for name in others if means[name] == means[leader] or not beats(leader, name)]
    if tied:
        return Standing(tie=tuple(name for name in means if name == leader or name in tied))
    runner_up, *rest = others
    is_second = bool(rest) and all(beats(runner_up, name) for name in rest)
    return Standing(best=leader, second=runner_up if is_second else None)


@dataclass(frozen=True)
class Pareto:
    """Systems by two metrics: those that no other dominates; those that some system is significantly better than on both; the rest.

    ``front`` is in the order of the first metric, best first. ``open`` are dominated as points, though no test shows it.
    """

    front: tuple[str, ...]
    clearly_dominated: tuple[str, ...]
    open: tuple[str, ...]


def pareto(points: Mapping[str, tuple[float, float]], beats_on_both: Beats) -> Pareto:
    """Systems worth considering, by two numbers each, of which higher is better.

    >>> pareto({"A": (1, 0), "B": (0, 1), "C": (0, 0.5)}, lambda one, other: False)
    Pareto(front=('A', 'B'), clearly_dominated=(), open=('C',))
    """

    def dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] >= other[0] and one[1] >= other[1] and one != other

    drawn = {name: point for name, point in points.items() if point == point and point[0] == point[0] and point[1] == point[1]}
    front = [name for name, point in drawn.items() if not any(dominates(other, point) for other in drawn.values())]
    clearly = [name for name in drawn if any(beats_on_both(other, name) for other in drawn if other != name)]
    return Pareto(
        tuple(sorted((name for name in front), key=lambda name: (-drawn[name][0], -drawn[name][1]))),
        tuple(name for name in clearly if name not in front),
        tuple(name for name in drawn if name not in front and name not in clearly),
    )
