"""What to take away from a comparison: sentences that its tests allow."""

from __future__ import annotations

from collections.abc import Sequence

from aspectrum.comparison.comparison import Comparison
from aspectrum.comparison.differences import Difference
from aspectrum.comparison.gates import Gate, decided
from aspectrum.naming import readable_name
from aspectrum.report.content import Finding

_MOST_NAMED = 4
_ADJECTIVES = {"novelty": "novel", "coverage": "even exposure"}
"""What a system is more of, by the family of a metric; of others it is more diverse."""


def findings_of(
    comparison: Comparison, accuracy: str | None, diversity: Sequence[str], relevant_diversity: str | None
) -> tuple[Finding, ...]:
    """Up to three findings, each with value, relative change and interval.

    Args:
        comparison: What was tested.
        accuracy: The metric that stands for accuracy.
        diversity: Metrics of diversity, the preferred first.
        relevant_diversity: The metric of diversity that also asks for relevance.
    """
    if len(comparison.systems) == 1:
        return _facts(comparison)
    found = [
        None if accuracy is None else _leader(comparison, accuracy, "Most accurate"),
        None if accuracy is None else _more_diverse(comparison, accuracy, [name for name in diversity if name != accuracy]),
        None
        if relevant_diversity in (None, accuracy)
        else _leader(comparison, str(relevant_diversity), "Most diverse among relevant items"),
    ]
    return tuple(one for one in found if one is not None)


def _facts(comparison: Comparison) -> tuple[Finding, ...]:
    """Of one system: numbers, no claims."""
    (system,) = comparison.systems
    found = []
    for name in comparison.metrics[:3]:
        score = comparison.scores[name][system]
        if score.value == score.value:
            interval = (
                "" if score.interval is None else f"; {_level(comparison)} interval {score.interval[0]:.4f} to {score.interval[1]:.4f}"
            )
            users = "" if score.scored is None else f", {score.scored:,} users"
            found.append(Finding(_title(comparison, name), f"{score.value:.4f}", f"{system}{users}{interval}."))
    return tuple(found)


def _leader(comparison: Comparison, name: str, heading: str) -> Finding | None:
    standing, title = comparison.standings[name], _title(comparison, name)
    if standing.best is not None:
        value = comparison.scores[name][standing.best].value
        change = _change(comparison, name, standing.best)
        return Finding(heading, standing.best, f"{title} {value:.4f}{change}; significantly better than every other system.")
    if not standing.tie:
        return None
    shown = ", ".join(standing.tie[:_MOST_NAMED]) + (
        f" and {len(standing.tie) - _MOST_NAMED} more" if len(standing.tie) > _MOST_NAMED else ""
    )
    values = [comparison.scores[name][system].value for system in standing.tie]
    ends = dict.fromkeys(f"{end:.4f}" for end in (min(values), max(values)))
    return Finding(
        heading,
        f"{len(standing.tie)} systems tie",
        f"{title} {' to '.join(ends)}: {shown}. None is significantly better than all others.",
    )


def _more_diverse(comparison: Comparison, accuracy: str, diversity: Sequence[str]) -> Finding | None:
    """The system that gains the most diversity at no loss of accuracy that is shown, and what loss is excluded."""
    if comparison.baseline is None or not comparison.has_marks:
        return None
    for name in diversity:
        of_kind = [other for other in diversity if _kind(comparison, other) == _kind(comparison, name)]
        better = [one for one in _significant(comparison, [name], better=True) if not _is_denied(comparison, of_kind, one.system)]
        ranked = sorted(better, key=lambda one: (-abs(one.difference), one.system))
        kept = [one for one in ranked if _is_kept(comparison, accuracy, one.system)]
        for gain in kept[:1]:
            margin = f"{100 * comparison.procedure.margin:g} %"
            return Finding(
                f"More {_kind(comparison, name)}, accuracy kept",
                gain.system,
                f"{_title(comparison, name)} {comparison.scores[name][gain.system].value:.4f}{_change(comparison, name, gain.system)}; a loss of "
                f"{_title(comparison, accuracy)} of more than {margin} is excluded{_change(comparison, accuracy, gain.system)}.",
            )
        unclear = [one for one in ranked if comparison.difference(accuracy, one.system).significant is False]
        for gain in unclear[:1]:
            cost = comparison.difference(accuracy, gain.system)
            if cost.relative_interval is None:
                continue
            higher = comparison.results[gain.system].columns[accuracy].higher_is_better is not False
            loss = max(0.0, -cost.relative_interval[0] if higher else cost.relative_interval[1])
            if loss == 0:
                continue
            return Finding(
                f"More {_kind(comparison, name)}, no significant loss",
                gain.system,
                f"{_title(comparison, name)} {comparison.scores[name][gain.system].value:.4f}{_change(comparison, name, gain.system)}; "
                f"{_title(comparison, accuracy)}{_change(comparison, accuracy, gain.system)}: "
                f"a loss of up to {100 * loss:.1f} % is not excluded.",
            )
    return None


def _kind(comparison: Comparison, name: str) -> str:
    """What a system is more of, the better it is by a metric."""
    return _ADJECTIVES.get(next(iter(comparison.results.values())).columns[name].metric.family, "diverse")


def _significant(comparison: Comparison, names: Sequence[str], *, better: bool) -> list[Difference]:
    return [one for one in comparison.differences if one.metric in names and one.significant and _is_better(comparison, one) == better]


def _is_denied(comparison: Comparison, names: Sequence[str], system: str) -> bool:
    """Whether another metric of the same kind says that a system is worse: then nothing is claimed."""
    return any(one.system == system for one in _significant(comparison, names, better=False))


def _is_better(comparison: Comparison, one: Difference) -> bool:
    direction = comparison.results[one.system].columns[one.metric].higher_is_better
    return direction is not None and (one.difference > 0) == direction


def _is_kept(comparison: Comparison, accuracy: str, system: str) -> bool:
    """Whether a loss beyond the margin is excluded: non-inferiority, one-sided."""
    cost = comparison.difference(accuracy, system)
    direction = comparison.results[system].columns[accuracy].higher_is_better
    if not cost.tested or not cost.mean_a > 0 or direction is None:
        return False
    margin = comparison.procedure.margin
    gate = Gate(accuracy, not direction, -margin if direction else margin, relative=True, unless=True)
    return decided(comparison, gate, system, comparison.procedure.alpha).decision == "pass"


def _change(comparison: Comparison, name: str, system: str) -> str:
    """The change against the baseline with its interval, to follow a value."""
    if comparison.baseline is None or system == comparison.baseline:
        return ""
    one = comparison.difference(name, system)
    if one.relative is None:
        return f", {_signed(one.difference, 4)} against {comparison.baseline}"
    interval = ""
    if one.relative_interval is not None:
        low, high = one.relative_interval
        interval = f", {_level(comparison)} interval {_signed(100 * low)} to {_signed(100 * high)} %"
    return f" ({_signed(100 * one.relative)} % against {comparison.baseline}{interval})"


def _signed(value: float, digits: int = 1) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.procedure.level:g} %"


def _title(comparison: Comparison, name: str) -> str:
    return readable_name(next(iter(comparison.results.values())).columns[name].metric, name)
