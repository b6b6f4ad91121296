"""Every instruction set gives the same bits, so that a mixed cluster agrees."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import aspectrum as asp
from aspectrum import kernels


@pytest.fixture(autouse=True)
def _default_instructions() -> Iterator[None]:
    yield
    kernels.use_instructions(kernels.instruction_sets()[0])


def world(width: int, kind: type, seed: int) -> asp.World:
    random = np.random.default_rng(seed)
    n_items, n_users = 200, 60
    lengths = random.integers(0, 40, n_users)
    items = np.concatenate([random.choice(n_items, length, replace=False) for length in lengths]).astype(np.int32)
    has = random.random((n_items, 37)) < 0.15
    features: npt.NDArray[Any] = random.standard_normal((n_items, width)).astype(kind)
    features[100:] = features[100] + (1e-4 * random.standard_normal((100, width))).astype(kind)
    return asp.World(
        asp.Rankings(np.concatenate(([0], np.cumsum(lengths))), items),
        aspects=asp.Aspects(np.concatenate(([0], np.cumsum(has.sum(1)))), np.nonzero(has)[1].astype(np.int32), 37),
        relevance=asp.Relevance(np.arange(n_users + 1) * n_items, np.tile(np.arange(n_items, dtype=np.int32), n_users)),
        history=asp.History(
            np.arange(n_users + 1) * 10,
            (np.arange(n_users * 10, dtype=np.int32) % 10 * 20 + np.repeat(np.arange(n_users), 10) % 20).astype(np.int32),
        ),
        features=asp.Features(features),
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64, 65, 130])
def test_same_bits(width: int, kind: type) -> None:
    metrics = [
        asp.ILD(k=(2, 5, 20, -1)),
        asp.ILD(k=(2, 20), distance="squared_euclidean"),
        asp.ILD(k=(2, 20), aggregate="min"),
        asp.EPD(k=(2, 20, -1)),
        asp.EPD(k=20, to="nearest", distance="squared_euclidean"),
        asp.EILD(k=(2, 20, -1)),
        asp.VendiScore(k=(2, 20, -1)),
        asp.Calibration(k=(2, 20, -1), divergence="js"),
        asp.Calibration(k=(2, 20, -1)),
        asp.AlphaNDCG(k=(1, 5, 20, -1), alpha=0.3),
        asp.AlphaNDCG(k=(5, 20)),
        asp.AlphaNDCG(k=(5, 20), judged_by="membership"),
    ]
    data = world(width, kind, width)
    seen = []
    for name in kernels.instruction_sets():
        kernels.use_instructions(name)
        features = asp.Features(data.features.matrix)  # type: ignore[union-attr]
        fresh = asp.World(data.rankings, aspects=data.aspects, relevance=data.relevance, history=data.history, features=features)
        seen.append([metric.scores(fresh).tobytes() for metric in metrics])
    assert all(scores == seen[0] for scores in seen)


def test_the_plain_build_is_always_there() -> None:
    assert kernels.instruction_sets()[-1] == "plain"
    with pytest.raises(ValueError, match="cannot run sse9"):
        kernels.use_instructions("sse9")
