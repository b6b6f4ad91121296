"""Comparisons: 20,000 and 200,000 users, ten systems, twelve metrics, against SciPy's permutation test of one pair of one metric."""

import math
import resource

import numpy as np
from scipy import stats

import aspectrum as asp
from aspectrum.coding import Ids
from aspectrum.report.building import report_of
from aspectrum.report.page import page
from aspectrum.results import Column
from aspectrum.states import Saved
from aspectrum.user_scores import UserScores
from benchmarks.timing import measure, report

SYSTEMS, CPU_AIM, MEMORY_AIM = 10, 30.0, 2.0
METRICS = [f"{metric}@{k}" for metric in ("NDCG", "Precision", "Recall", "MAP", "DCG", "AspectRecall") for k in (5, 10)]


def run() -> bool:
    small, large = _results(20_000), _results(200_000)
    ours = measure(lambda: asp.compare(small, "system 0"), 1)
    differences = np.subtract(*(small[f"system {place}"].blocks[0].scores[:, 0] for place in (1, 0)))
    flips = 99
    theirs = measure(
        lambda: stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=flips, vectorized=True, rng=np.random.default_rng(0)
        ),
        1,
    )
    pairs = len(METRICS) * math.comb(SYSTEMS, 2)
    print(f"SciPy ran one of {pairs} pairs with {flips} of 9,999 flips; its time is multiplied accordingly")
    factor = pairs * 9_999 / flips
    scaled = type(theirs)(theirs.cpu * factor, theirs.wall * factor, None)
    reached = report("540 paired comparisons of 20,000 users, 9,999 flips", ours, scaled, "scipy.stats.permutation_test", 100)
    whole = measure(lambda: page(report_of(asp.compare(large, "system 0"))), 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    fits = whole.cpu < CPU_AIM and memory < MEMORY_AIM
    print(
        f"comparison and page of 200,000 users: {whole.cpu:.1f} s CPU (aim: {CPU_AIM:g}), {memory:.2f} GB (aim: {MEMORY_AIM:g}), "
        f"page {len(whole.result.encode()) / 1e6:.2f} MB   {'reached' if fits else 'MISSED'}"
    )
    return reached and fits


def _results(users: int) -> asp.SystemResults:
    """Scores that differ for six users in ten."""
    random = np.random.default_rng(0)
    base, ids = random.random((users, len(METRICS))), Ids(np.arange(users))
    found = {}
    for place in range(SYSTEMS):
        noise = 0.1 * random.standard_normal(base.shape) * (random.random(base.shape) < 0.6)
        scores = np.clip(base + noise + 0.0005 * place, 0, 1)
        columns = {
            name: Column(asp.parse(name), Saved(float(scores[:, column].mean()), {"scored": users}), {})
            for column, name in enumerate(METRICS)
        }
        found[f"system {place}"] = asp.Results(columns, (UserScores(ids, tuple(METRICS), scores),))
    return asp.SystemResults(found)
