"""Our metrics as Cornac's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import fields, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from cornac.data import Modality
from cornac.metrics import RankingMetric, RatingMetric

from aspectrum import metrics
from aspectrum.asked import is_enough
from aspectrum.coding.ids import quoted
from aspectrum.coding.objects import aspect_rows
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.conventions import Convention, conventions_named
from aspectrum.errors import AspectrumError, InputError, MetricError, MissingInput
from aspectrum.integrations.cornac.recording import Split
from aspectrum.io import is_external, read_input
from aspectrum.metric import Metric as OurMetric
from aspectrum.metric import parse
from aspectrum.wording import did_you_mean
from aspectrum.world.building import OBJECTS

_BY_INDEX = {"item_genre": "aspects", "item_feature": "features"}
_INPUTS = (*_BY_INDEX, "aspects", "features", "weights", "groups", "baseline", "items")


class Metric(RankingMetric):
    """Any metric of ours among Cornac's, run by this package's :class:`Experiment`, :class:`GridSearch` or :class:`RandomSearch`.

    The history of a user is what they rated in the train set, the truth what they rated in the test set, grade by grade;
    in both, a rating counts as relevant from the ``rating_threshold`` of the evaluation method on. The catalogue is what
    Cornac may recommend. A score without a meaning is NaN and leaves the mean.

    Args:
        metric: A metric or its text form, such as ``"PrecisionIA@5,10"``.
        item_genre: What items are about, by Cornac's index of an item: ``{item idx: 0/1 array}``.
        item_feature: Their features in the same way: ``{item idx: vector}``, or a matrix with a row for each index.
        convention: Whose way of computing; by default the published definitions.
        name: What the column is called instead of the metric.
        higher_better: Which way a search looks. Default: as the metric says.
        inputs: ``aspects``, ``features``, ``weights``, ``groups``, ``baseline`` or ``items`` in any form that :func:`aspectrum.evaluate`
            takes, with the items' own ids.

    Examples:
        >>> Metric("PrecisionIA@5,10", item_genre={0: np.array([1, 0])}).names
        ['PrecisionIA@5', 'PrecisionIA@10']
    """

    def __init__(
        self,
        metric: str | OurMetric,
        *,
        item_genre: Any = None,
        item_feature: Any = None,
        convention: str | Convention | None = None,
        name: str | None = None,
        higher_better: bool | None = None,
        **inputs: Any,
    ) -> None:
        self.metric = parse(metric) if isinstance(metric, str) else metric
        if not isinstance(self.metric, OurMetric):
            raise MetricError(f"{metric!r} is not a metric; give its text form, or an object such as aspectrum.AlphaNDCG(k=10)")
        ways = conventions_named(convention)
        if len(ways) > 1:
            raise MetricError(f"convention is {convention!r}, and a column has one: make a metric for each")
        self.convention = ways[0]
        self.called = name or type(self.metric).__name__
        named = {"item_genre": item_genre, "item_feature": item_feature, **inputs}
        given = {input: value for input, value in named.items() if value is not None}
        self._check_inputs(given)
        self._inputs = {input: self._rows(input, value) for input, value in given.items()}  # now, so that nobody changes them later
        self.key = (id(self.convention), *((input, _fingerprint(rows)) for input, rows in sorted(self._inputs.items())))
        self._numbering: dict[str, list[Any]] = {}
        self._check_enough()
        better = self.metric.higher_is_better is not False if higher_better is None else higher_better
        super().__init__(name=", ".join(self.names), k=-1, higher_better=better)

    def _check_inputs(self, given: Mapping[str, Any]) -> None:
        for input in given:
            if input in ("rankings", "history", "relevance", "catalogue", "popularity"):
                raise InputError(f"{self.called}: the {input} is what Cornac's data sets say, and cannot be given")
            if input not in _INPUTS:
                known = [*(parameter.name for parameter in fields(self.metric)), *_INPUTS]
                hint = did_you_mean(input, known) or f"; inputs are {', '.join(_INPUTS)}"
                raise InputError(f"{self.called}: there is no {input!r}{hint}")
            if _BY_INDEX.get(input) in given:
                raise InputError(f"{self.called}: both {input} and {_BY_INDEX[input]} are given, expected one of them")

    def _rows(self, input: str, value: Any) -> Rows:
        if input == "item_genre":
            if not isinstance(value, Mapping):
                raise InputError(f"{self.called}: item_genre is {type(value).__name__}, expected {{item idx: 0/1 array}}")
            return aspect_rows({index: _as_array(has) for index, has in value.items()})
        if input == "item_feature" and (is_external(value) or isinstance(value, Modality)):
            vectors = "its .features, once a split has ordered them" if isinstance(value, Modality) else "{item idx: vector} or a matrix"
            raise InputError(f"{self.called}: item_feature is {type(value).__name__}, expected {vectors}")
        rows = read_input(input, value) if is_external(value) else OBJECTS[_BY_INDEX.get(input, input)](value)
        return replace(rows, matrix=deepcopy(rows.matrix))

    def _check_enough(self) -> None:
        there = ["history", "relevance", *(_BY_INDEX.get(input, input) for input in self._inputs)]
        if is_enough(there, self.metric, self.convention):
            return
        lacking = [(option, own) for option, own in _BY_INDEX.items() if is_enough([*there, own], self.metric, self.convention)]
        if lacking:
            raise MissingInput(f"{self.called} needs {' or '.join(f'{option}= (or {own}=)' for option, own in lacking)}")
        raise MissingInput(f"{self.metric} cannot be computed from what Cornac knows, by the convention {self.convention.name}")

    @property
    def names(self) -> list[str]:
        """What the columns are called, one for each cutoff."""
        own = type(self.metric).__name__
        suffix = "" if self.convention.name == "published" else f" ({self.convention.name})"
        return [str(self.metric.at(cutoff)).replace(own, self.called, 1) + suffix for cutoff in self.metric.cutoffs]

    @property
    def by_index(self) -> bool:
        """Whether an input goes by Cornac's index of an item."""
        return not _BY_INDEX.keys().isdisjoint(self._inputs)

    def inputs_for(self, split: Split) -> dict[str, Rows]:
        """The inputs with the items' own ids; how the first split numbers them is remembered."""
        found = {}
        for input, rows in self._inputs.items():
            if input in _BY_INDEX:
                self._numbering.setdefault(input, self._items(input, split))
            found[_BY_INDEX.get(input, input)] = self._named(input, rows, split) if input in _BY_INDEX else rows
        return found

    def check_items(self, split: Split) -> None:
        """Whether the inputs know any item of a split."""
        for input, rows in self.inputs_for(split).items():
            column = rows.ids.get("item")
            if column is None:
                continue
            ids = list(column.ids) if column.named is None else [column.ids[index] for index in column.named]
            # Ids from a file are untyped: 7 may be a number or text.
            known = set(split.items if column.untyped is None else map(str, split.items))
            if ids and known.isdisjoint(ids):
                mine, theirs = quoted(ids[0]), quoted(split.items[0])
                raise InputError(f"{self.called}: none of the items of {input} (such as {mine}) is among Cornac's (such as {theirs})")

    def doubts(self, split: Split) -> list[str]:
        """Where an index may be meant in another way."""
        lines: list[str] = []
        if not self.by_index:
            return lines
        # Items that are called by whole numbers, nearly all of which could be an index
        called = [str(item) for item in split.items]
        like_indices = sum(name.isdecimal() and int(name) < len(called) for name in called) >= 0.9 * len(called)
        for option, own in [(option, own) for option, own in _BY_INDEX.items() if option in self._inputs]:
            ids = self._inputs[option].ids["item"].ids
            keys = [key for key in ids if key < len(called)]
            if like_indices and [called[key] for key in keys] != list(map(str, keys)):
                lines.append(f"{option} goes by Cornac's index, and items are called by such numbers, too: if these are meant, say {own}=")
            items = self._items(option, split)
            if self._numbering.get(option, items) != items:
                lines.append(f"{option} goes by Cornac's index, and this split numbers the items in another way than the one before")
            if len(keys) < len(ids):
                lines.append(f"{option} has {len(ids)} rows for {len(called)} items; the first count")
        return lines

    def _items(self, option: str, split: Split) -> list[Any]:
        """What an index stands for, as far as it is one."""
        keys = self._inputs[option].ids["item"].ids
        return [split.items[key] if isinstance(key, int) and 0 <= key < len(split.items) else None for key in keys]

    def _named(self, option: str, rows: Rows, split: Split) -> Rows:
        column, n_items = rows.ids["item"], len(split.items)
        is_matrix = rows.matrix is not None and list(column.ids) == list(range(len(column.ids)))
        for index in column.ids:
            is_index = isinstance(index, int | np.integer) and not isinstance(index, bool)
            if not is_index or index < 0 or (index >= n_items and not is_matrix):
                raise InputError(
                    f"{self.called}: {option} has the key {quoted(index)}, expected Cornac's index of an item, 0 to {n_items - 1}; "
                    f"if these are the items' own ids, say {_BY_INDEX[option]}=..."
                )
        if is_matrix and len(column.ids) > n_items:  # of a modality that knows more items than the split
            matrix = rows.matrix.tocsr() if hasattr(rows.matrix, "tocsr") else rows.matrix
            first = IdColumn(column.codes[:n_items], split.items, named=np.arange(n_items))
            return replace(rows, ids={"item": first}, matrix=matrix[:n_items])
        indices = np.array(column.ids, dtype=np.int32)
        return replace(rows, ids={**rows.ids, "item": IdColumn(indices[column.codes], split.items, named=indices)})

    def compute(self, **_: Any) -> float:
        raise AspectrumError(
            f"{self.name} needs the user id, which Cornac does not pass to metrics: run it with Experiment, GridSearch or RandomSearch "
            "from aspectrum.integrations.cornac instead of Cornac's own"
        )


def _as_array(has: Any) -> Any:
    """A row of 0 and 1, whatever holds it, as an array; anything else as it is."""
    if isinstance(has, Mapping | str | bytes | set | frozenset) or not hasattr(has, "__len__"):
        return has
    array = np.asarray(has)
    return array if array.dtype.kind in "biuf" else has


def _fingerprint(rows: Rows) -> str:
    """The same for inputs that say the same."""
    matrix = rows.matrix
    is_array = isinstance(matrix, np.ndarray)
    ids = [(role, column.untyped, list(column.ids)) for role, column in rows.ids.items()]
    said = (ids, list(rows.numbers), len(rows), (matrix.shape, matrix.dtype) if is_array else id(matrix))
    digest = blake2b(repr(said).encode("utf-8", "surrogatepass"))
    for values in (*(column.codes for column in rows.ids.values()), *rows.numbers.values(), *([matrix] if is_array else [])):
        digest.update(np.ascontiguousarray(values).view(np.uint8).data if values.size else b"")
    return digest.hexdigest()


def deepest(metrics: Iterable[Metric]) -> int:
    """How many items of a list some metrics need; -1 is all."""
    depths = [-1 if metric.metric.budgets else metric.metric.cutoffs[-1] for metric in metrics]
    return -1 if -1 in depths else max(depths)


def check_metrics(metrics: Any) -> None:
    """Whether these are metrics that Cornac takes; it would leave out others without a word."""
    if not isinstance(metrics, list | tuple):
        raise InputError(f"metrics is {type(metrics).__name__}, expected a list")
    for metric in metrics:
        if not isinstance(metric, RankingMetric | RatingMetric):
            raise MetricError(f"{metric!r} is not a Cornac metric; wrap aspectrum metrics as Metric({str(metric)!r}, ...)")


class _Named(Metric):
    """A metric with the arguments that users of Cornac know."""

    kind: type[OurMetric]

    def __init__(self, options: Mapping[str, Any], **given: Any) -> None:
        said = {"name": type(self).__name__, **given, **options}
        parameters = {parameter.name: said.pop(parameter.name) for parameter in fields(self.kind) if parameter.name in said}
        super().__init__(self.kind(**parameters), **said)


class _OfLists(_Named):
    def __init__(self, k: Any = -1, **options: Any) -> None:
        super().__init__(options, k=k)


class _OfGenres(_Named):
    def __init__(self, item_genre: Any = None, k: Any = -1, **options: Any) -> None:
        super().__init__(options, item_genre=item_genre, k=k)


class AlphaNDCG(_Named):
    r"""Alpha-nDCG, judged by the genres of the user's history; :class:`aspectrum.AlphaNDCG` says what it is.

    Args:
        item_genre: ``{item idx: 0/1 array}`` by Cornac's index of an item; or `aspects` with the items' own ids.
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        alpha: How little a genre counts that was seen before.
        options: Other parameters of :class:`aspectrum.AlphaNDCG`, such as ``judged_by`` or ``pool``, and what
            :class:`Metric` takes, such as ``convention="informfully"``.

    Examples:
        >>> AlphaNDCG({0: np.array([1, 0]), 1: np.array([1, 1])}, k=[5, 10]).names
        ['AlphaNDCG@5', 'AlphaNDCG@10']
    """

    kind = metrics.AlphaNDCG

    def __init__(self, item_genre: Any = None, k: Any = -1, alpha: float = 0.5, **options: Any) -> None:
        super().__init__(options, item_genre=item_genre, k=k, alpha=alpha)


class NDCGScore(_OfLists):
    """nDCG with the test ratings as grades, where Cornac's own NDCG knows relevant and not.

    `k` and `options` are as for :class:`AlphaNDCG`, with the parameters of :class:`aspectrum.NDCG`.

    Examples:
        >>> NDCGScore(k=10).names
        ['NDCGScore@10']
    """

    kind = metrics.NDCG


class IntraListDiversity(_Named):
    """Mean distance of the items of a list; :class:`aspectrum.IntraListDiversity` says what it is.

    Args:
        item_feature: ``{item idx: vector}`` by Cornac's index, or a matrix; or `features` with the items' own ids.
        k, options: As for :class:`AlphaNDCG`, with the parameters of :class:`aspectrum.IntraListDiversity`.

    Examples:
        >>> IntraListDiversity(np.eye(3), k=2).names
        ['IntraListDiversity@2']
    """

    kind = metrics.IntraListDiversity

    def __init__(self, item_feature: Any = None, k: Any = -1, **options: Any) -> None:
        super().__init__(options, item_feature=item_feature, k=k)


class ERRIA(_OfGenres):
    """ERR-IA, judged by test ratings and the genres of items; :class:`aspectrum.ERRIA` says what it is.

    `item_genre`, `k` and `options` are as for :class:`AlphaNDCG`, with the parameters of :class:`aspectrum.ERRIA`.

    Examples:
        >>> ERRIA({0: np.array([1, 0])}, k=10).names
        ['ERRIA@10']
    """

    kind = metrics.ERRIA


class AspectRecall(_OfGenres):
    """Share of the aspects that a list shows; :class:`aspectrum.AspectRecall` says what it is.

    `item_genre`, `k` and `options` are as for :class:`AlphaNDCG`, with the parameters of :class:`aspectrum.AspectRecall`.

    Examples:
        >>> AspectRecall({0: np.array([1, 0])}, k=10, judged_by="history").names
        ['AspectRecall(judged_by=history)@10']
    """

    kind = metrics.AspectRecall


class GiniComplement(_OfLists):
    """How evenly a model recommends the items that it may; :class:`aspectrum.GiniComplement` says what it is.

    It is a number of the whole model: there are no scores of users. `k` and `options` are as for :class:`AlphaNDCG`, with the
    parameters of :class:`aspectrum.GiniComplement`.

    Examples:
        >>> GiniComplement(k=10).names
        ['GiniComplement@10']
    """

    kind = metrics.GiniComplement
