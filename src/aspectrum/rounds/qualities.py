"""How good answers are, as judges say, and what is left of it after the effort of searching."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aspectrum.arrays import is_finite
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.io.files import printed
from aspectrum.io.json_runs import check_number
from aspectrum.io.json_values import JsonText, Place
from aspectrum.io.traces import id_text


@dataclass(frozen=True)
class Qualities:
    """Judged qualities of answers, by query; of the final answer, or of that of each round.

    Queries are kept as text, as the files of judges have them.

    Args:
        final: By query.
        by_round: By query and round.
        failed: How many answers a judge failed to judge.
    """

    final: Mapping[Any, float] = field(default_factory=dict)
    by_round: Mapping[tuple[Any, int], float] = field(default_factory=dict)
    failed: int = 0

    def __post_init__(self) -> None:
        texts: dict[str, Any] = {}
        for query in (*self.final, *(query for query, _ in self.by_round)):
            if texts.setdefault(str(query), query) != query:
                raise InputError(
                    f"qualities: query ids have different types: both {quoted(texts[str(query)])} and {quoted(query)} are there"
                )
        object.__setattr__(self, "final", {str(query): quality for query, quality in self.final.items()})
        object.__setattr__(self, "by_round", {(str(query), round): quality for (query, round), quality in self.by_round.items()})

    @classmethod
    def of(cls, given: Any) -> Qualities:
        """From ``{query: quality}``, or the path of a file in JSON Lines."""
        if isinstance(given, Qualities):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.read(given)
        if not isinstance(given, Mapping):
            raise InputError(f"qualities is {type(given).__name__}, expected {{query: quality}} or a path")
        for query, quality in given.items():
            if not is_finite(quality):
                raise InputError(f"qualities: that of {quoted(query)} is {quoted(quality)}, expected a finite number")
        return cls({query: float(quality) for query, quality in given.items()})

    @classmethod
    def read(cls, path: Any, *, task: str | None = None, retriever: str | None = None) -> Qualities:
        """From what a judge wrote: an object per line with ``qid`` and ``overall_quality``, and maybe ``status`` and ``round``.

        Args:
            path: The file.
            task, retriever: Only lines of these.
        """
        final: dict[str, float] = {}
        by_round: dict[tuple[str, int], float] = {}
        seen: dict[tuple[str, Any], tuple[Place, Any]] = {}
        failed = 0
        for place, value in JsonText.read(os.fspath(path)):
            for number, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                at = place if number is None else place.at(number)
                if not isinstance(one, dict) or "qid" not in one:
                    raise at.error('expected an object with "qid" and "overall_quality"', one)
                if (task is not None and one.get("task") != task) or (retriever is not None and one.get("retriever") != retriever):
                    continue
                if one.get("status", "ok") != "ok":
                    failed += 1
                    continue
                query, round = id_text(at.at("qid"), one["qid"]), one.get("round")
                if "overall_quality" not in one:
                    raise at.error('the key "overall_quality" is missing', one)
                quality = check_number(at.at("overall_quality"), one["overall_quality"])
                if round is not None and (isinstance(round, bool) or not isinstance(round, int) or round < 1):
                    raise at.at("round").error("expected a whole number from 1", round)
                whose = one.get("task"), one.get("retriever")
                before, others = seen.setdefault((query, round), (at, whose))
                if before is not at:
                    which = next(
                        (f"; choose one {what}" for what, a, b in zip(("task", "retriever"), whose, others, strict=True) if a != b), ""
                    )
                    raise InputError(f"{at}: the answer to {quoted(query)} is judged twice, first in {before}{which}")
                if round is None:
                    final[query] = quality
                else:
                    by_round[query, round] = quality
        if not seen:
            raise InputError(f"{printed(os.fspath(path))}: there is no quality in it")
        return cls(final, by_round, failed)

    @property
    def queries(self) -> list[str]:
        """Every query with a judged answer."""
        return list(dict.fromkeys((*self.final, *(query for query, _ in self.by_round))))

    def effort_adjusted(self, n_rounds: Mapping[Any, int], gamma: float) -> tuple[dict[Any, float], dict[tuple[Any, int], float]]:
        """``quality * exp(-gamma (R - 1))``: of each query after its R rounds, and after each round that was judged.

        Where a judge only judged rounds, that of a query is that of the last one.
        """
        n_of = {str(query): n for query, n in n_rounds.items()}
        of_rounds = {key: quality * math.exp(-gamma * (key[1] - 1)) for key, quality in self.by_round.items() if key[0] in n_of}
        found = {query: of_rounds[query, round] for query, round in sorted(of_rounds, key=lambda key: key[1])}
        found |= {query: quality * math.exp(-gamma * (max(1, n_of[query]) - 1)) for query, quality in self.final.items() if query in n_of}
        return found, of_rounds
