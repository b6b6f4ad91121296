"""ir_measures with our numbers: ``aspectrum.integrations.ir_measures.register()`` is all it takes.

``python -m aspectrum.integrations.ir_measures QRELS RUN MEASURE...`` is the command line of ir_measures with us registered.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from aspectrum.extras import needed

needed("ir_measures", "ir-measures", "measures are computed", versions=("0.4.3", "0.5"))

import ir_measures  # noqa: E402
from ir_measures import measures as their_measures  # noqa: E402
from ir_measures import providers  # noqa: E402
from ir_measures.providers.base import NOT_PROVIDED  # noqa: E402
from ir_measures.providers.base import Any as AnyValue  # noqa: E402
from ir_measures.util import QrelsConverter, RunConverter  # noqa: E402

from aspectrum import metrics  # noqa: E402, F401  so that their names are known
from aspectrum.coding.objects import ranking_rows, subtopic_rows  # noqa: E402
from aspectrum.coding.rows import IdColumn, Rows, code_series  # noqa: E402
from aspectrum.conventions import CONVENTIONS  # noqa: E402
from aspectrum.errors import AspectrumError, InputError  # noqa: E402
from aspectrum.metric import Metric, parse  # noqa: E402
from aspectrum.plan import Plan  # noqa: E402
from aspectrum.world import Truth  # noqa: E402

__all__ = ["AspectrumProvider", "main", "register", "unregister"]

_OURS = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")

# Documents in pyndeval's order, with the numbers of ndeval: pyndeval forgets to normalise at k = 1.
_CONVENTION = replace(CONVENTIONS["ndeval"], reads=CONVENTIONS["pyndeval"].reads)


class AspectrumProvider(providers.Provider):
    """Measures of diversity by aspectrum: any cutoff, any number of settings in one call, ids of any kind.

    The numbers are those of ndeval. Documents with equal scores are ordered by ascending id. Where a topic has no value, it is
    0, as everywhere in ir_measures.
    """

    NAME = "aspectrum"
    SUPPORTED_MEASURES = [  # noqa: RUF012  as its base class has it
        type(their_measures.registry[name])(**dict.fromkeys(their_measures.registry[name].SUPPORTED_PARAMS, AnyValue())) for name in _OURS
    ]

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        asked = list(dict.fromkeys(measures))
        for measure in asked:
            if not self.supports(measure):
                raise ValueError(f"unsupported measure {measure}: aspectrum has {', '.join(_OURS)}")
        judgments = []
        for row in QrelsConverter(qrels).as_namedtuple_iter():  # of ir_measures, for diversity from ir_datasets, or without subtopics
            subtopic = getattr(row, "iteration", getattr(row, "subtopic_id", "0"))
            judgments.append((row.query_id, subtopic, row.doc_id, row.relevance))
        return _Evaluator(asked, judgments)


class _Evaluator(providers.Evaluator):
    """Judgments that are read once, for any number of runs."""

    def __init__(self, measures: Sequence[Any], judgments: Sequence[tuple[Any, Any, Any, Any]]) -> None:
        super().__init__(measures, {topic for topic, *_ in judgments})
        rows = _rows("subtopics", judgments, ("user", "aspect", "item", "grade")) or subtopic_rows(judgments)
        self._asked: dict[int, dict[Metric, list[Any]]] = {}  # by level of relevance
        for measure in measures:
            self._asked.setdefault(measure["rel"], {}).setdefault(_metric(measure), []).append(measure)
        self._truths = {}
        for level in self._asked:
            relevant = (rows.numbers["grade"] >= level).astype(np.float64)
            self._truths[level] = Truth.read(subtopics=replace(rows, numbers={**rows.numbers, "grade": relevant}))
        topics, subtopics = (rows.ids[role].codes.astype(np.int64) for role in ("user", "aspect"))
        if len(topics) and len(np.unique(topics << 32 | subtopics)) == len(np.unique(topics)):
            logging.getLogger("ir_measures").warning(
                "no topic has more than one subtopic: are these judgments for diversity? The subtopic of a judgment is its iteration"
            )

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        given = list(RunConverter(run).as_namedtuple_iter())
        scores = _in_order([row.score for row in given])
        ranked = [(row.query_id, row.doc_id, score) for row, score in zip(given, scores, strict=True)]
        lists = _rows("run", ranked, ("user", "item", "score")) or ranking_rows("run", ranked)
        for level, asked in self._asked.items():
            plan = Plan(list(asked), self._truths[level], users="judged", convention=_CONVENTION)
            results = plan.finish(plan.observe(plan.lists(lists)), notices=())
            (block,) = results.blocks
            measures = [asked[results.columns[name].metric] for name in block.names]
            for topic, scores in zip(block.users, block.scores.tolist(), strict=True):
                for same, value in zip(measures, scores, strict=True):
                    for measure in same:
                        yield ir_measures.Metric(query_id=topic, measure=measure, value=value)  # type: ignore[arg-type]  # of any kind


def _metric(measure: Any) -> Metric:
    """Our metric for a measure of ir_measures, whose name is one of ours, too."""
    given = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    parameters: dict[str, Any] = {name: given[name] for name in ("alpha", "beta") if name in given}
    if given.get("judged_only"):
        parameters["unjudged"] = "condense"
    if given.get("cutoff", NOT_PROVIDED) is not NOT_PROVIDED:
        parameters["k"] = given["cutoff"]
    return replace(parse(measure.NAME), **parameters)


def _in_order(scores: list[Any]) -> list[Any]:
    """Finite numbers in the order of scores, of which only the order counts: infinite ones are fine, and NaN is the smallest."""
    numbers = np.asarray(scores)
    if numbers.dtype.kind != "f" or np.isfinite(numbers).all():
        return scores
    found: list[Any] = np.where(np.isnan(numbers), -1, np.unique(numbers, return_inverse=True)[1]).tolist()
    return found


def _rows(source: str, rows: Sequence[tuple[Any, ...]], roles: Sequence[str]) -> Rows | None:
    """Rows whose ids are text, column by column, which is quick; None if there is anything else to look at."""
    import polars

    columns = list(zip(*rows, strict=True))
    if not columns or any(set(map(type, column)) != {str} for column in columns[:-1]):
        return None
    numbers = np.asarray(columns[-1])
    if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        return None
    try:
        ids = [polars.Series(column, dtype=polars.String) for column in columns[:-1]]
    except (UnicodeError, polars.exceptions.PolarsError):
        return None
    named = {role: IdColumn(*code_series(column)) for role, column in zip(roles, ids, strict=False)}
    return Rows(source, named, {roles[-1]: numbers.astype(np.float64)})


_provider = AspectrumProvider()


def register() -> None:
    """From now on, ir_measures asks us for its measures of diversity.

    Examples:
        >>> import aspectrum as asp, ir_measures
        >>> from ir_measures import Qrel, ScoredDoc, alpha_nDCG
        >>> asp.integrations.ir_measures.register()
        >>> qrels = [Qrel("1", "a", 1, "x"), Qrel("1", "a", 1, "y"), Qrel("1", "b", 1, "x")]
        >>> run = [ScoredDoc("1", "b", 2.0), ScoredDoc("1", "a", 1.0)]
        >>> asked = [alpha_nDCG(alpha=0.5) @ 50, alpha_nDCG(alpha=0.9) @ 50]
        >>> found = ir_measures.calc_aggregate(asked, qrels, run)
        >>> [round(found[measure], 4) for measure in asked]
        [0.8406, 0.8211]
        >>> asp.integrations.ir_measures.unregister()
    """
    providers.registry[_provider.NAME] = _provider
    pipeline = ir_measures.DefaultPipeline.providers
    if _provider not in pipeline:
        pipeline.insert(0, _provider)


def unregister() -> None:
    """From now on, ir_measures computes as if we were not there."""
    providers.registry.pop(_provider.NAME, None)
    pipeline = ir_measures.DefaultPipeline.providers
    if _provider in pipeline:
        pipeline.remove(_provider)


def main() -> None:
    """The command line of ir_measures, with us registered while it runs."""
    from ir_measures.__main__ import main_cli

    was_registered = _provider.NAME in providers.registry
    theirs = ir_measures.parse_measure, ir_measures.read_trec_qrels, ir_measures.read_trec_run
    register()
    ir_measures.parse_measure = partial(_checked, theirs[0])
    ir_measures.read_trec_qrels = partial(_counted, theirs[1])
    ir_measures.read_trec_run = partial(_counted, theirs[2])
    try:
        main_cli()
    except BrokenPipeError:  # who read the numbers has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (AspectrumError, AssertionError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    finally:
        ir_measures.parse_measure, ir_measures.read_trec_qrels, ir_measures.read_trec_run = theirs
        if not was_registered:
            unregister()


def _checked(parse: Callable[[str], Any], text: str) -> Any:
    """A measure, or an error that says which of its parameters cannot be."""
    measure = parse(text)
    try:
        measure.validate_params()
    except AssertionError as error:
        raise AspectrumError(f"{text}: {error}") from None  # a ValueError would be called a mistake of syntax
    return measure


def _counted(read: Callable[[str], Iterable[Any]], path: str) -> Iterator[Any]:
    """The rows of a file, or an error that says which of them cannot be read."""
    n = 0
    try:
        for row in read(path):
            yield row if n else row._replace(query_id=row.query_id.removeprefix("\ufeff"))  # what some editors put in front of a file
            n += 1
    except (EOFError, ValueError) as error:
        raise InputError(f"{path}: row {n + 1} cannot be read: {error}") from None


if __name__ == "__main__":
    main()
