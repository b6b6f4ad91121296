"""Recommended contacts, from files to all of RELISON's metrics: in seconds, and linear in the links.

The network is made to the size of a public one (Twitch, Germany: 9,500 users, 250,000 train links, 456,000 recommended
links, 190,000 sparse features). RELISON itself is a Java program that is not run here.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars
from scipy import sparse

import aspectrum as asp
from benchmarks.timing import measure, report

USERS, LINKS, TOP, FEATURES, FEATURES_EACH, COMMUNITIES = 9_500, 250_000, 48, 2_500, 20, 120
CUTOFFS = "1,5,10"
SECONDS = 5.0
MOST_PER_LINK = 1.3


def write_network(folder: Path, times: int, seed: int = 0) -> dict[str, Path]:
    """A network `times` as large, as Parquet files."""
    random = np.random.default_rng(seed)
    n_users = USERS * times

    def pairs(n: int) -> polars.DataFrame:
        popular = (n_users * random.random(n) ** 3).astype(np.int64)
        return polars.DataFrame({"source": random.integers(0, n_users, n), "target": popular}).unique(maintain_order=True)

    lists = np.concatenate([random.permutation(n_users)[:TOP] for _ in range(200)])
    places = np.arange(n_users * TOP) % len(lists)
    candidates = (lists[places] + np.repeat(random.integers(0, n_users, n_users), TOP)) % n_users
    tables = {
        "train": pairs(LINKS * times),
        "test": pairs(LINKS * times // 4),
        "recs": polars.DataFrame({"user": np.repeat(np.arange(n_users), TOP), "candidate": candidates}),
        "communities": polars.DataFrame({"user": np.arange(n_users), "community": random.integers(0, COMMUNITIES, n_users)}),
        "features": polars.DataFrame(
            {
                "user": np.repeat(np.arange(n_users), FEATURES_EACH),
                "feature": (FEATURES * random.random(n_users * FEATURES_EACH) ** 2).astype(np.int64),
            }
        ).unique(maintain_order=True),
    }
    for name, table in tables.items():
        table.write_parquet(folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in tables}


def evaluated(files: dict[str, Path], metrics: list[str] | None = None) -> asp.Results:
    return asp.contacts.evaluate(
        files["recs"],
        metrics or [str(metric) for metric in asp.contacts.default_metrics(("test", "communities", "features"), CUTOFFS)],
        train=files["train"],
        test=files["test"],
        communities=files["communities"],
        features=files["features"],
        convention="relison",
        per_user=False,
    )


def pairs_in_scipy(files: dict[str, Path], k: int) -> float:
    """RELISON's ILD from the cosines of all pairs of a list, as a careful user of scipy would."""
    features = polars.read_parquet(files["features"])
    ones = np.ones(len(features))
    matrix = sparse.csr_array((ones, (features["user"].to_numpy(), features["feature"].to_numpy())))
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    units = sparse.csr_array(matrix.multiply(1 / norms[:, np.newaxis]))
    lists = polars.read_parquet(files["recs"])["candidate"].to_numpy().reshape(-1, TOP)[:, :k]
    total = 0.0
    for items in lists:
        chosen = units[items]
        total += k * k - (chosen @ chosen.T).sum()
    return total / k / (k * len(lists))


def run() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = (write_network(_folder(folder, str(times)), times) for times in (1, 4))
        once, four = measure(lambda: evaluated(small), 5), measure(lambda: evaluated(large), 3)
        n_links = USERS * TOP
        per_link = four.cpu / once.cpu / 4
        quick, linear = once.wall <= SECONDS, per_link <= MOST_PER_LINK
        print(
            f"Contacts from files, {len(once.result)} numbers\n"
            f"  {n_links:,} recommended links: {once.cpu:.2f} s CPU ({once.wall:.2f} s; aim: {SECONDS:g})   "
            f"{'reached' if quick else 'MISSED'}\n"
            f"  {4 * n_links:,} recommended links: {four.cpu:.2f} s CPU, {per_link:.2f} x as much for a link "
            f"(aim: {MOST_PER_LINK:g})   {'reached' if linear else 'MISSED'}",
            flush=True,
        )
        ours = measure(lambda: evaluated(small, ["ILD@10"]), 5)
        peer = measure(lambda: pairs_in_scipy(small, 10), 1)
        assert abs(ours.result["ILD@10"] - peer.result) < 1e-9
        whole = measure(lambda: evaluated(small, ["ILD@48"]), 5)
        print(f"    ILD@10 of sparse features, everything read: {ours.cpu:.2f} s CPU; ILD@48: {whole.cpu:.2f} s CPU", flush=True)
        faster = report("ILD@10 of sparse features, with all reading", ours, peer, "pairs by scipy", 5)
    return quick and linear and faster


def _folder(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name
