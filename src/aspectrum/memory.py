"""A bounded memory of results."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memory:
    """Results kept for later, at most `limit` of them (large ones count as several); the oldest are dropped first. Threads may share one.

    A dropped result is computed again, so nothing depends on what is kept but time.
    """

    def __init__(self, limit: int = 2**17) -> None:
        self._limit = limit
        self._kept: dict[tuple[str, Any], tuple[Any, int]] = {}  # with their sizes
        self._total = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, kind: str, keys: Sequence[K], compute: Callable[[list[K]], Iterable[V]], size: int = 1) -> dict[K, V]:
        """The results of one kind for all keys; `compute` gets the keys whose results are not kept. Each counts as `size`."""
        with self._lock:
            found: dict[K, V] = {key: self._kept[kind, key][0] for key in keys if (kind, key) in self._kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            fresh = dict(zip(missing, compute(missing), strict=True))
            found |= fresh
            with self._lock:
                for key, result in fresh.items():
                    self._total += size - self._kept.get((kind, key), (None, 0))[1]
                    self._kept[kind, key] = (result, size)
                while self._total > self._limit:
                    self._total -= self._kept.pop(next(iter(self._kept)))[1]
        return found
