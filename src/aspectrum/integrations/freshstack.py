"""The evaluation call of the freshstack package with our numbers: same arguments, same keys, same rounding.

It takes one import, and freshstack need not be installed::

    from aspectrum.integrations.freshstack import EvaluateRetrieval  # instead of freshstack.retrieval.evaluation
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from aspectrum.coding.ids import described
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError
from aspectrum.metrics.alpha_ndcg import AlphaNDCG
from aspectrum.metrics.aspect_recall import AspectRecall
from aspectrum.metrics.judged import Judged
from aspectrum.metrics.ndcg import NDCG
from aspectrum.metrics.recall import Recall
from aspectrum.nuggets import Nuggets
from aspectrum.plan import Plan
from aspectrum.results import Results
from aspectrum.world import Truth

__all__ = ["EvaluateRetrieval"]

Grades = Mapping[str, Mapping[str, int]]
"""Grades of documents by query."""

Run = Mapping[str, Mapping[str, float]]
"""Scores of documents by query."""


class EvaluateRetrieval:
    """Measures runs as ``freshstack.retrieval.evaluation.EvaluateRetrieval`` of freshstack 0.0.6 does.

    Differences: alpha-nDCG is there for all cutoffs, not only up to 20. Queries without nuggets are left out instead of raising
    ZeroDivisionError. A query without documents in the run scores 0 instead of raising KeyError. Ids that match nowhere are a warning.

    Args:
        k_values: Cutoffs.

    Examples:
        >>> nuggets = {"q_0": {"a": 1, "b": 0}, "q_1": {"c": 1}}
        >>> alpha_ndcg, coverage, recall = EvaluateRetrieval([1, 2]).evaluate(
        ...     nuggets, {"q": ["q_0", "q_1"]}, {"q": {"a": 1, "c": 1}}, {"q": {"a": 0.9, "b": 0.7}}
        ... )
        >>> alpha_ndcg, coverage, recall
        ({'alpha-nDCG@1': 1.0, 'alpha-nDCG@2': 0.6131}, {'Coverage@1': 0.5, 'Coverage@2': 0.5}, {'Recall@1': 0.5, 'Recall@2': 0.5})
    """

    def __init__(self, k_values: Sequence[int] = (1, 3, 5, 10, 100, 1000)) -> None:
        self.k_values = list(k_values)

    def evaluate(
        self,
        qrels_nuggets: Grades,
        query_to_nuggets: Mapping[str, Sequence[str]],
        qrels_query: Grades,
        results: Run,
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """Alpha-nDCG, coverage and recall, averaged over queries and rounded to 4 digits.

        Args:
            qrels_nuggets: For each nugget, the grades of documents: 1 supports it, 0 does not.
            query_to_nuggets: The nuggets of each query.
            qrels_query: For each query, the grades of documents, for recall.
            results: The run.
        """
        run = _asked(results, qrels_query)
        nuggets = Nuggets.of_freshstack(qrels_nuggets, query_to_nuggets)
        k = tuple(self.k_values)
        if not any(run.values()):  # nothing was found
            zeros = [{f"{name}@{cutoff}": 0.0 for cutoff in self.k_values} for name in ("alpha-nDCG", "Coverage", "Recall")]
            return zeros[0], zeros[1], zeros[2]
        covering = _measured(run, [AlphaNDCG(k=k), AspectRecall(k=k)], "freshstack", subtopics=nuggets)
        recalled = self._single(run, Recall(k=k), qrels_query)
        return (
            self._means("alpha-nDCG", covering, "AlphaNDCG"),
            self._means("Coverage", covering, "AspectRecall", digits=5),
            self._means("Recall", recalled, "Recall", n_queries=len(qrels_query)),
        )

    def evaluate_custom(
        self, qrels_query: Grades, results: Run, metric: Literal["ndcg", "hole"] = "ndcg"
    ) -> dict[str, float] | dict[str, dict[str, float]]:
        """``ndcg`` averaged over queries, or for each query the share of documents that are judged for no query (``hole``)."""
        run, k = _asked(results, qrels_query), tuple(self.k_values)
        found_nothing = not any(run.values())
        if metric.lower() == "ndcg":
            if found_nothing:
                return {f"NDCG@{cutoff}": 0.0 for cutoff in self.k_values}
            found = self._single(run, NDCG(k=k, gain="linear"), qrels_query)
            means = self._means("NDCG", found, "NDCG", n_queries=len(qrels_query), mean_digits=5)
            return {name: round(mean, 4) for name, mean in means.items()}  # rounded twice, as there
        if metric.lower() != "hole":
            raise InputError(f"metric is {metric!r}, expected 'ndcg' or 'hole'")
        if found_nothing:
            return {query: {f"Hole@{cutoff}": 0.0 for cutoff in sorted(set(k))} for query in run}
        holes = _measured(run, Judged(k=k, by="anybody", over="k", complement=True), relevance=qrels_query)
        rows = {row["user"]: row for row in holes.per_user.iter_rows(named=True)}
        names = [str(name) for name in holes]
        return {query: {f"Hole@{cutoff}": rows[query][name] for cutoff, name in zip(sorted(set(k)), names, strict=True)} for query in run}

    def _single(self, run: Run, metric: Recall | NDCG, qrels_query: Grades) -> Results:
        """A metric that freshstack leaves to trec_eval, which keeps scores in single precision and puts the larger of tied ids first."""
        single = {query: {document: float(np.float32(score)) for document, score in scores.items()} for query, scores in run.items()}
        return _measured(single, metric, users="judged", relevance=qrels_query, ties="descending")

    def _means(
        self, name: str, results: Results, metric: str, *, digits: int | None = None, mean_digits: int = 4, n_queries: int | None = None
    ) -> dict[str, float]:
        """Sums of scores, rounded to `digits`, over the number of queries; undefined is 0."""
        scores = results.per_user
        found = {}
        for cutoff in self.k_values:
            column = next(one for one in scores.columns if one.startswith(metric) and one.endswith(f"@{cutoff}"))
            values = [0.0 if value is None or value != value else value for value in scores[column].to_list()]
            if digits is not None:
                values = [round(value, digits) for value in values]
            found[f"{name}@{cutoff}"] = round(sum(values) / (n_queries or len(values)), mean_digits)
        return found


def _measured(run: Run, metrics: Any, convention: str | None = None, users: str | None = None, **truth: Any) -> Results:
    """Results of lists. Where nothing that was found is judged, the numbers are what they are, as there, with a warning."""
    plan = Plan(metrics, Truth.read(**truth), convention=convention, users=users)
    part = plan.observe(run)
    return plan.finish(part, notices=Attention().draw(plan.notices_on({"rankings": part.lists}, from_files=False)))


def _asked(results: Run, queries: Iterable[str]) -> dict[str, Any]:
    """The lists of queries that are judged."""
    for query, scores in results.items():
        if not isinstance(scores, Mapping):
            raise InputError(f"results: query {query!r} has {described(scores)}, expected {{document: score}}")
    wanted = dict.fromkeys(queries)
    if not wanted or not results:
        raise InputError("judgments and results are empty, expected at least one query with documents")
    found = {query: scores for query, scores in results.items() if query in wanted}
    if not found:
        there, asked = next(iter(results)), next(iter(wanted))
        Attention().draw([Notice("foreign_queries", detail={"here": repr(there), "there": repr(asked)})])
    return found
