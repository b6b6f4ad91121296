"""Scores of users: in memory, as a frame, or on their way to a file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from aspectrum import formats
from aspectrum.arrays import Floats
from aspectrum.coding import Ids
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.forks import check_polars
from aspectrum.output_files import replacing

if TYPE_CHECKING:
    import polars

AT_LEAST, WEIGHT, CONTRIBUTION = " at least", " weight", " contribution"
"""What columns beside that of a score are called after its name: the least it can be, its weight in a ratio of sums, and for a metric
of a whole system, which has no scores, what a user contributes."""

LEAST, GREATEST = " least", " greatest"
"""The same for the least and the greatest score over orders of items with equal scores."""

BESIDE = (AT_LEAST, LEAST, GREATEST, WEIGHT)
"""Columns that accompany scores."""

_ROWS_PER_PIECE = 500_000


@dataclass(frozen=True, eq=False)
class UserScores:
    """Scores of users, (users, names); NaN is undefined.

    ``least`` has, by name, what scores that may not be proved are at least; ``weights`` what scores weigh in a ratio of sums; ``lowest`` and
    ``highest`` the ends of scores that are averages over orders of items with equal scores.
    """

    users: Ids
    names: tuple[str, ...]
    scores: Floats
    least: Mapping[str, Floats] = field(default_factory=dict)
    weights: Mapping[str, Floats] = field(default_factory=dict)
    lowest: Mapping[str, Floats] = field(default_factory=dict)
    highest: Mapping[str, Floats] = field(default_factory=dict)

    @staticmethod
    def joined(several: Sequence[UserScores]) -> UserScores:
        """Scores of different users, one part after the other. Users without a list score 0 for sure."""
        names = several[0].names
        least = {
            name: np.concatenate([part.least.get(name, part.scores[:, place]) for part in several])
            for place, name in enumerate(names)
            if any(name in part.least for part in several)
        }
        weights, lowest, highest = (
            {name: np.concatenate([getattr(part, kind)[name] for part in several]) for name in getattr(several[0], kind)}
            for kind in ("weights", "lowest", "highest")
        )
        scores = np.concatenate([part.scores for part in several])
        return UserScores(Ids.joined([part.users for part in several]), names, scores, least, weights, lowest, highest)

    def columns(self) -> Iterator[tuple[str, Floats]]:
        """Scores by name, those of ends and weights after them."""
        for place, name in enumerate(self.names):
            yield name, self.scores[:, place]
            if name in self.least:
                yield name + AT_LEAST, self.least[name]
            for kind, values in ((LEAST, self.lowest), (GREATEST, self.highest), (WEIGHT, self.weights)):
                if name in values:
                    yield name + kind, values[name]


def scores_frame(blocks: Sequence[UserScores], names: Iterable[str], *, whole: bool = False) -> polars.DataFrame:
    """One row per user: NaN where a score is undefined, null where the user is not averaged.

    Args:
        whole: Whether to have all that a comparison needs: also weights, and contributions to metrics that score no users.
    """
    import polars

    users = blocks[0].users
    if any(block.users != users for block in blocks):
        users = Ids(list(dict.fromkeys(user for block in blocks for user in block.users)))
    columns: dict[str, polars.Series] = {}
    for block in blocks:
        everybody = block.users == users
        rows = None if everybody else polars.Series([block.users.code(user) for user in users], dtype=polars.Int64)
        for name, scores in block.columns():
            columns[name] = polars.Series(name, scores) if rows is None else polars.Series(name, scores).gather(rows)
    kinds = ("", AT_LEAST, LEAST, GREATEST, *((WEIGHT, CONTRIBUTION) if whole else ()))
    ordered = [own + kind for own in names for kind in kinds if own + kind in columns]
    return polars.DataFrame([users.to_series("user"), *(columns[name] for name in ordered)])


class ScoresFile:
    """A file that scores of users are written to as they come, instead of staying in memory.

    Use it as a context. The file is there, whole, at the end; after an error it is not.

    Args:
        path: The file: ``.parquet``, ``.pq``, ``.csv`` or ``.tsv``.
        with_system: Whether its first column is the system.

    Examples:
        >>> import os, tempfile
        >>> import aspectrum as asp
        >>> plan = asp.Plan("NDCG@2", asp.Truth.read(relevance={"ann": ["x"], "bob": ["y"]}), per_user=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with ScoresFile(os.path.join(folder, "scores.parquet")) as scores:
        ...         parts = [plan.observe(day, scores=scores) for day in ({"ann": ["x"]}, {"bob": ["x", "y"]})]
        ...         results = plan.finish(parts[0] + parts[1], scores=scores)
        ...     sorted(os.listdir(folder))
        ['scores.parquet']
    """

    def __init__(self, path: str | os.PathLike[str], *, with_system: bool = False) -> None:
        self.path, self.with_system, self._separator = path, with_system, formats.scores_separator(path)
        self._frames: list[polars.DataFrame] = []
        self._least: set[str] = set()
        self._systems: set[str | None] = set()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        check_polars()
        self._folder = tempfile.TemporaryDirectory(prefix="aspectrum-scores-")
        return self

    def add(self, blocks: Sequence[UserScores], names: Iterable[str], system: str | None = None) -> None:
        """Scores of some users."""
        import polars

        if self._folder is None:
            raise InputError(f'{os.fspath(self.path)}: scores can be added only inside "with asp.ScoresFile(...) as scores:"')
        self._systems.add(system)
        frame = scores_frame(blocks, names, whole=True)
        frame = frame if self._separator is None else formats.with_plain_users(frame)
        self._least |= {name for name in frame.columns if name.endswith(AT_LEAST)}
        sure = [name for name in self._least if name not in frame.columns and name.removesuffix(AT_LEAST) in frame.columns]
        frame = frame.with_columns(polars.col(name.removesuffix(AT_LEAST)).alias(name) for name in sure)  # 0 without a list, for sure
        if self.with_system:
            frame = frame.select(polars.lit(system, polars.String).alias("system"), polars.all())
        self._frames.append(frame)
        if sum(map(len, self._frames)) >= _ROWS_PER_PIECE:
            self._write_piece(self._folder.name)

    def mark(self) -> int:
        """Where it is now, to come back to."""
        if self._folder is not None and self._frames:
            self._write_piece(self._folder.name)
        return 0 if self._folder is None else len(os.listdir(self._folder.name))

    def back_to(self, mark: int) -> None:
        """Forget the scores that were added after a mark."""
        self._frames = []
        if self._folder is not None:
            for name in sorted(os.listdir(self._folder.name))[mark:]:
                os.remove(os.path.join(self._folder.name, name))

    def _write_piece(self, folder: str) -> None:
        import polars

        piece = os.path.join(folder, f"{len(os.listdir(folder)):08}.parquet")
        polars.concat(self._frames, how="diagonal_relaxed").write_parquet(piece)
        self._frames = []

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        import polars

        assert self._folder is not None
        folder, self._folder = self._folder, None
        row = ["system", "user"] if self.with_system else ["user"]
        with folder:
            if kind is not None:
                return
            if self._frames or not os.listdir(folder.name):
                self._frames = self._frames or [polars.DataFrame({name: [] for name in row})]
                self._write_piece(folder.name)
            pieces = [polars.scan_parquet(os.path.join(folder.name, name)) for name in sorted(os.listdir(folder.name))]
            whole = os.path.join(folder.name, "whole")
            scores = polars.concat(pieces, how="diagonal_relaxed")  # ids may have turned out to be text on the way
            twice = scores.group_by(row).len().filter(polars.col("len") > 1).head(1).collect(engine="streaming")
            if len(twice):
                several = len(self._systems) > 1 and not self.with_system
                hint = "with_system=True tells systems apart" if several else "was a part observed, or finished, twice?"
                raise InputError(f"{os.fspath(self.path)}: the scores of user {quoted(twice['user'][0])} were written twice; {hint}")
            if self._separator is None:
                scores.sink_parquet(whole)
            else:
                scores.sink_csv(whole, separator=self._separator)
            with replacing(self.path) as target, open(whole, "rb") as source:
                shutil.copyfileobj(source, target)
