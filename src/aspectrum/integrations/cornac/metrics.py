"""Our metrics as Cornac's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from cornac.metrics import RankingMetric

from aspectrum import metrics
from aspectrum.conventions import Convention, convention_named
from aspectrum.errors import AspectrumError, InputError, MetricError, MissingInput
from aspectrum.evaluation import is_enough
from aspectrum.integrations.cornac.recording import Split
from aspectrum.io import is_external, read_input
from aspectrum.metric import Metric as OurMetric
from aspectrum.metric import parse
from aspectrum.world.ids import shown
from aspectrum.world.objects import aspect_rows, feature_rows
from aspectrum.world.rows import IdColumn, Rows

_INPUTS = ("aspects", "features", "weights", "items")
_BY_INDEX = {"item_genre": "aspects", "item_feature": "features"}


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
        higher_better: Which way a search looks.
        inputs: ``aspects``, ``features``, ``weights`` or ``items`` in any form that :func:`aspectrum.evaluate` takes, with
            the items' own ids.

    Examples:
        >>> [column for column in Metric("PrecisionIA@5,10", item_genre={0: np.array([1, 0])}).names]
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
        higher_better: bool = True,
        **inputs: Any,
    ) -> None:
        self.metric = parse(metric) if isinstance(metric, str) else metric
        if not isinstance(self.metric, OurMetric):
            raise MetricError(f"{metric!r} is not a metric; give its text form, or an object such as aspectrum.AlphaNDCG(k=10)")
        self.convention = convention_named(convention)
        self.called = name or type(self.metric).__name__
        named = {"item_genre": item_genre, "item_feature": item_feature, **inputs}
        self.given = {input: value for input, value in named.items() if value is not None}
        self._check_given()
        self._read = {input: self._rows(input, value) for input, value in self.given.items()}
        self._check_enough()
        super().__init__(name=", ".join(self.names), k=-1, higher_better=higher_better)

    def _check_given(self) -> None:
        for input in self.given:
            if input in ("rankings", "history", "relevance", "catalogue"):
                raise InputError(f"{self.called}: the {input} is what Cornac's data sets say, and cannot be given")
            if input not in (*_BY_INDEX, *_INPUTS):
                raise InputError(f"{self.called}: there is no input {input!r}, only {', '.join((*_BY_INDEX, *_INPUTS))}")
            if _BY_INDEX.get(input) in self.given:
                raise InputError(f"{self.called}: both {input} and {_BY_INDEX[input]} are given, expected one of them")

    def _rows(self, input: str, value: Any) -> Any:
        """What can be read once is read here; the rest when the items' own ids are known."""
        if input == "item_feature":
            return feature_rows(value)
        if input == "item_genre":
            if not isinstance(value, Mapping):
                raise InputError(f"{self.called}: item_genre is {type(value).__name__}, expected {{item idx: 0/1 array}}")
            return aspect_rows(value)
        return read_input(input, value) if is_external(value) else value

    def _check_enough(self) -> None:
        there = ["history", "relevance", *(_BY_INDEX.get(input, input) for input in self.given)]
        if not is_enough(there, self.metric, self.convention):
            lacking = [option for option, input in _BY_INDEX.items() if is_enough([*there, input], self.metric, self.convention)]
            raise MissingInput(
                f"{self.called} needs {' or '.join(f'{option}= (or {_BY_INDEX[option]}=)' for option in lacking)}"
                if lacking
                else f"{self.metric} cannot be computed from what Cornac knows"
            )

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for metrics that can be computed together."""
        return (id(self.convention), *((input, id(value)) for input, value in sorted(self.given.items())))

    @property
    def names(self) -> list[str]:
        """What the columns are called, one for each cutoff."""
        own = type(self.metric).__name__
        suffix = "" if self.convention.name == "published" else f" ({self.convention.name})"
        return [str(self.metric.at(cutoff)).replace(own, self.called, 1) + suffix for cutoff in self.metric.cutoffs]

    @property
    def by_index(self) -> bool:
        """Whether an input goes by Cornac's index of an item."""
        return not _BY_INDEX.keys().isdisjoint(self.given)

    @property
    def depth(self) -> int:
        """How many items of a list count; -1 is all."""
        return self.metric.cutoffs[-1]

    def inputs_for(self, split: Split) -> dict[str, Any]:
        """The inputs with the items' own ids."""
        return {
            _BY_INDEX.get(input, input): self._named(input, rows, split) if input in _BY_INDEX else rows
            for input, rows in self._read.items()
        }

    def doubts(self, split: Split) -> list[str]:
        """Where the items' own ids may have been meant instead of Cornac's index: whole numbers can be both."""
        lines = []
        for option in _BY_INDEX.keys() & self._read.keys():
            keys = self._read[option].ids["item"].ids
            if all(key in split.index_of_item for key in keys) and any(split.items[key] != key for key in keys):
                lines.append(
                    f"{option} goes by Cornac's index, and its keys are ids of items as well: if these are meant, say {_BY_INDEX[option]}="
                )
        return lines

    def _named(self, option: str, rows: Rows, split: Split) -> Rows:
        column = rows.ids["item"]
        for index in column.ids:
            if isinstance(index, bool) or not isinstance(index, int | np.integer) or not 0 <= index < len(split.items):
                raise InputError(
                    f"{self.called}: {option} has the key {shown(index)}, expected Cornac's index of an item, 0 to {len(split.items) - 1}; "
                    f"if these are the items' own ids, say {_BY_INDEX[option]}=..."
                )
        items = [split.items[index] for index in column.ids]
        return replace(rows, ids={**rows.ids, "item": IdColumn(column.codes, items)})

    def compute(self, **_: Any) -> float:
        raise AspectrumError(
            f"{self.name} needs to know the user, whom Cornac does not tell a metric: run it with Experiment, GridSearch or RandomSearch "
            "from aspectrum.integrations.cornac instead of Cornac's own"
        )


class _Named(Metric):
    """A metric with the arguments that users of Cornac know."""

    kind: type[OurMetric]

    def __init__(self, options: Mapping[str, Any], **given: Any) -> None:
        said = {"name": type(self).__name__, **given, **options}
        parameters = {parameter.name: said.pop(parameter.name) for parameter in fields(self.kind) if parameter.name in said}
        super().__init__(self.kind(**parameters), **said)


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


class NDCGScore(_Named):
    """nDCG with the test ratings as grades, where Cornac's own NDCG knows relevant and not.

    Args:
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        options: Other parameters of :class:`aspectrum.NDCG`, and what :class:`Metric` takes.

    Examples:
        >>> NDCGScore(k=10).names
        ['NDCGScore@10']
    """

    kind = metrics.NDCG

    def __init__(self, k: Any = -1, **options: Any) -> None:
        super().__init__(options, k=k)


class IntraListDiversity(_Named):
    """Mean distance of the items of a list; :class:`aspectrum.IntraListDiversity` says what it is.

    Args:
        item_feature: ``{item idx: vector}`` by Cornac's index, or a matrix; or `features` with the items' own ids.
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        options: Other parameters of :class:`aspectrum.IntraListDiversity`, and what :class:`Metric` takes.

    Examples:
        >>> IntraListDiversity(np.eye(3), k=2).names
        ['IntraListDiversity@2']
    """

    kind = metrics.IntraListDiversity

    def __init__(self, item_feature: Any = None, k: Any = -1, **options: Any) -> None:
        super().__init__(options, item_feature=item_feature, k=k)


class ERRIA(_Named):
    """ERR-IA, judged by test ratings and the genres of items; :class:`aspectrum.ERRIA` says what it is.

    Args:
        item_genre: ``{item idx: 0/1 array}`` by Cornac's index of an item; or `aspects` with the items' own ids.
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        options: Other parameters of :class:`aspectrum.ERRIA`, and what :class:`Metric` takes.

    Examples:
        >>> ERRIA({0: np.array([1, 0])}, k=10).names
        ['ERRIA@10']
    """

    kind = metrics.ERRIA

    def __init__(self, item_genre: Any = None, k: Any = -1, **options: Any) -> None:
        super().__init__(options, item_genre=item_genre, k=k)


class AspectRecall(_Named):
    """Share of the aspects that a list shows; :class:`aspectrum.AspectRecall` says what it is.

    Args:
        item_genre: ``{item idx: 0/1 array}`` by Cornac's index of an item; or `aspects` with the items' own ids.
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        options: Other parameters of :class:`aspectrum.AspectRecall`, and what :class:`Metric` takes.

    Examples:
        >>> AspectRecall({0: np.array([1, 0])}, k=10, judged_by="history").names
        ['AspectRecall(judged_by=history)@10']
    """

    kind = metrics.AspectRecall

    def __init__(self, item_genre: Any = None, k: Any = -1, **options: Any) -> None:
        super().__init__(options, item_genre=item_genre, k=k)


class GiniComplement(_Named):
    """How evenly a model recommends the items that it may; :class:`aspectrum.GiniComplement` says what it is.

    It is a number of the whole model: there are no scores of users.

    Args:
        k: Ranks that count, or a list of such cutoffs; -1 is the whole list.
        options: Other parameters of :class:`aspectrum.GiniComplement`, and what :class:`Metric` takes.

    Examples:
        >>> GiniComplement(k=10).names
        ['GiniComplement@10']
    """

    kind = metrics.GiniComplement

    def __init__(self, k: Any = -1, **options: Any) -> None:
        super().__init__(options, k=k)
