"""Memory follows the data, not a number that somebody writes: a cutoff, a width, a number of aspects."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.discounts import LOG2, NONE, RECIPROCAL, Discount, discount_sums, geometric

LIMITED = """
import resource
import numpy as np
import scipy.sparse
import aspectrum as asp
from aspectrum import metrics

def allow(megabytes):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + megabytes * 2**20, resource.RLIM_INFINITY))
"""
LARGEST_CUTOFF = """
inputs = dict(
    aspects={"a": ["x"], "b": ["x", "y"], "c": ["y"]}, relevance={"u": ["a", "b"]}, history={"u": ["c"]}, subtopics={"u": {"a": ["x"], "b": ["y"]}},
    features={"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}, baseline={"u": ["a"]}, graph={"u": ["a"], "a": ["b"]},
    lengths={"a": 1, "b": 2, "c": 3},
)
names = [*(f"{name}" for name in asp.registered() if name != "Serendipity"), "Serendipity(unexpected=popularity)", "SelfInformation(over=k)", "AlphaDCG(normalize=perfect)", "AlphaDCG(normalize=perfect, discount=none)"]
names += ["ERRIA(normalize=perfect)", "ERRIA(normalize=ideal)", "AlphaNDCG(ideal=exact)", "AlphaNDCG(ideal=sorted)", "NRBP(normalize=ideal)"]
found = {}
asp.evaluate({"u": ["a", "b", "c"]}, [f"{name}@3" for name in names], threads=1, **inputs)  # everything is loaded now
allow(200)
for convention in (None, "ndeval", "pyndeval"):
    some = [name for name in names if asp.CONVENTIONS[convention or "published"].has(asp.parse(name))]
    results = asp.evaluate({"u": ["a", "b", "c"]}, [f"{name}@2147483647" for name in some], threads=1, convention=convention, **inputs)
    assert len(results) == len(some) >= 16
for name in ("AlphaDCG(alpha=0, normalize=perfect)", "EPC(over=k)"):
    assert asp.evaluate({"u": ["a", "b", "c"]}, f"{name}@10000000", threads=1, **inputs).values()
"""
WIDE_VECTORS = """
places = np.array([[0, 5], [5, 2**31 - 2], [0, 7]])
wide = scipy.sparse.csr_matrix((np.array([1.0, 2.0, 3.0, 1.0, 0.5, 2.0]), places.ravel(), [0, 2, 4, 6]), shape=(3, 2**31 - 1))
dense = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 1.0], [0.5, 0.0, 2.0, 0.0]])
lists = {"u": ["a", "b", "c"]}
metrics = [f"ILD(distance={distance})@2,3" for distance in ("cosine", "squared_euclidean", "euclidean", "jaccard")]
expected = asp.evaluate(lists, metrics, features=(list("abc"), scipy.sparse.csr_matrix(dense)), threads=1)
allow(200)
found = asp.evaluate(lists, metrics, features=(list("abc"), wide), threads=1)
assert {name: value.hex() for name, value in found.items()} == {name: value.hex() for name, value in expected.items()}
hamming = asp.evaluate(lists, "ILD(distance=hamming)@2", features=(list("abc"), wide), threads=1)
assert hamming["ILD(distance=hamming)@2"] == 3 / (2**31 - 1)
"""
MANY_ASPECTS = """
n_aspects, n_users = 200_000, 120
aspects = asp.Aspects(np.arange(101), np.arange(100, dtype=np.int32) * 1999, n_aspects)
lists = asp.Rankings(np.arange(n_users + 1) * 2, np.tile(np.array([3, 5], np.int32), n_users))
weights = asp.Weights(np.ones(n_aspects))
allow(500)
assert asp.evaluate(lists, "AspectRecall@2", aspects=aspects, weights=weights, threads=1)["AspectRecall@2"] == 2 / n_aspects
"""
MANY_CUTOFFS = """
n_users = 10_000
lists = asp.Rankings(np.arange(n_users + 1) * 3, np.tile(np.arange(3, dtype=np.int32), n_users))
relevance = asp.Relevance(np.arange(n_users + 1), np.full(n_users, 1, np.int32))
allow(300)
found = asp.evaluate(lists, asp.NDCG(k=tuple(range(1, 1001))), relevance=relevance, per_user=False, threads=1)
assert found["NDCG@1"] == 0.0 and found["NDCG@2"] == found["NDCG@1000"] > 0.5
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures by /proc")
@pytest.mark.parametrize(
    "job",
    [LARGEST_CUTOFF, WIDE_VECTORS, MANY_ASPECTS, MANY_CUTOFFS],
    ids=["the largest cutoff", "wide vectors", "many aspects", "many cutoffs"],
)
def test_memory_follows_the_data(job: str) -> None:
    subprocess.run([sys.executable, "-c", LIMITED + job], check=True)


@pytest.mark.parametrize("discount", [LOG2, NONE, RECIPROCAL])
@pytest.mark.parametrize("alpha", [0.0, 1e-5, 0.5, 1.0])
def test_sums_of_a_perfect_list_are_those_of_all_ranks_one_after_the_other(discount: Discount, alpha: float) -> None:
    n = 200_000
    depths = np.array([1, 2, 10, 65_535, 65_536, 65_537, 131_072, 150_000, n])
    whole = np.cumsum(discount.first(n)[:n] * geometric(n, 1.0 - alpha))
    assert discount_sums(discount, depths, 1.0 - alpha).tolist() == whole[depths - 1].tolist()
    assert discount_sums(discount, depths[:0], 1.0 - alpha).tolist() == []


def test_sums_of_a_geometric_discount() -> None:
    patient = Discount("geometric", 0.99999)
    depths = np.array([1, 65_536, 150_000])
    assert discount_sums(patient, depths).tolist() == pytest.approx((1 - 0.99999**depths) / (1 - 0.99999))


def test_tables_of_discounts_are_not_kept_for_ever() -> None:
    Discount("geometric", 0.5).first(1)
    tracemalloc.start()
    try:
        for step in range(60):
            assert len(Discount("geometric", 1.0 / (step + 2)).first(2**18)) == 2**18
        assert tracemalloc.get_traced_memory()[0] < 20e6  # all tables are 126 MB
    finally:
        tracemalloc.stop()
    assert Discount("geometric", 0.25).first(3)[:3].tolist() == [1.0, 0.25, 0.0625]


def test_batches_are_small_where_a_user_takes_much_room() -> None:
    sizes: list[int] = []
    lists = {user: ["a"] for user in range(3000)}
    many = asp.Precision(k=tuple(range(1, 1001)))
    asp.evaluate(lists, many, relevance={0: ["a"]}, per_user=False, progress=lambda done, _: sizes.append(done))
    assert sizes == [2000, 3000]
