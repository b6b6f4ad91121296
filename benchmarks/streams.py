"""Lists larger than memory: cost by rows, memory, against a scan by polars; and rows grouped by user on disk, against sorting them.

Every contender runs in a process of its own, which tells its CPU seconds (without imports) and its peak memory.
"""

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.timing import measure_apart

LIST, ITEMS, GENRES, RELEVANT = 100, 50_000, 20, 5
FEW, MANY, SHUFFLED = 1_000_000, 100_000_000, 20_000_000
LIMIT = 2_000_000_000

_OURS = (
    """
import aspectrum as asp, aspectrum.api, polars
lists, genres, relevance = sys.argv[1:4]
truth = asp.Truth.read(aspects=genres, relevance=relevance)
metrics = ["AlphaNDCG@10", "ERRIA@10", "AspectRecall@10", "NDCG@10", "GiniComplement@10", "CatalogueCoverage@10"]
plan = asp.Plan(metrics, truth, per_user=False)
""",
    'numbers = list(plan.finish(plan.observe(lists, memory="2GB")).values())',
)
_POLARS_SCAN = ("import polars", 'polars.scan_parquet(sys.argv[1]).select(polars.all().sum()).collect(engine="streaming")')
_SCAN = 'polars.scan_parquet(sys.argv[2]).select(polars.all().sum()).collect(engine="streaming")'
_POLARS_SORT = ("import polars", 'polars.scan_parquet(sys.argv[1]).sort("user", maintain_order=True).sink_parquet(sys.argv[2])\n' + _SCAN)
_DUCKDB_SORT = (
    "import duckdb",
    """
duckdb.sql("SET memory_limit = '1.5GB'")
duckdb.sql(f"COPY (SELECT * FROM '{sys.argv[1]}' ORDER BY \\"user\\") TO '{sys.argv[2]}' (FORMAT parquet)")
import polars
"""
    + _SCAN,
)
_OUR_GROUPING = (
    """
import tempfile
from pathlib import Path
import aspectrum as asp, polars
from aspectrum.coding.reading import Reading
from aspectrum.streams import Stream
from aspectrum.world.building import Tables
""",
    """
stream, tables = Stream(sys.argv[1], memory="2GB"), Tables()
with tempfile.TemporaryDirectory() as folder:
    buckets, _, _ = stream._distributed(Path(folder), tables, Reading(), stream.n_rows_at_once())
    for number in range(buckets.n):
        for rows in buckets.read(number, stream.n_rows_at_once()):
            pass
""",
)


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak: float


def run() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many = MANY if shutil.disk_usage(folder).free > 20e9 else MANY // 5
        genres, relevance = _write_truth(folder, many // LIST)
        few, large, shuffled = (folder / f"{name}.parquet" for name in ("few", "many", "shuffled"))
        _write_lists(few, FEW // LIST)
        _write_lists(large, many // LIST)
        _write_lists(shuffled, SHUFFLED // LIST, shuffled=True)
        reached = [*_by_rows(few, large, many, genres, relevance), *_grouping(shuffled, folder, genres, relevance)]
        return all(reached)


def _by_rows(few: Path, large: Path, many: int, genres: Path, relevance: Path) -> list[bool]:
    small, whole = _measured(_OURS, 3, few, genres, relevance), _measured(_OURS, 2, large, genres, relevance)
    scan = _measured(_POLARS_SCAN, 3, large)
    for n, cost in ((FEW, small), (many, whole)):
        print(
            f"{n:,} rows, six metrics: {cost.cpu:.2f} s CPU ({cost.wall:.2f} s), {1e9 * cost.cpu / n:.0f} ns a row, peak {cost.peak / 1e6:,.0f} MB"
        )
    print(f"polars scans and sums {many:,} rows: {scan.cpu:.2f} s CPU ({scan.wall:.2f} s), peak {scan.peak / 1e6:,.0f} MB")
    return [
        _told(f"time per row over that of {FEW:,} rows", (whole.cpu / many) / (small.cpu / FEW), 1.25),
        _told("over a scan by polars", whole.wall / scan.wall, 1.5),
        _told("peak memory in GB", whole.peak / 1e9, LIMIT / 1e9),
    ]


def _grouping(shuffled: Path, folder: Path, genres: Path, relevance: Path) -> list[bool]:
    grouping = _measured(_OUR_GROUPING, 2, shuffled)
    sorts = {
        name: _measured(how, 1, shuffled, folder / "sorted.parquet") for name, how in (("polars", _POLARS_SORT), ("DuckDB", _DUCKDB_SORT))
    }
    for name, cost in {
        "aspectrum, read, on disk by user and back": grouping,
        **{f"{name}, sorted to a file and scanned": cost for name, cost in sorts.items()},
    }.items():
        print(f"{SHUFFLED:,} shuffled rows, {name}: {cost.cpu:.2f} s CPU ({cost.wall:.2f} s), peak {cost.peak / 1e6:,.0f} MB")
    whole = _measured(_OURS, 1, shuffled, genres, relevance)
    print(f"  and measured: {whole.cpu:.2f} s CPU ({whole.wall:.2f} s), peak {whole.peak / 1e6:,.0f} MB")
    best = min(cost.wall for cost in sorts.values())
    return [
        _told("time over the faster of the two sorts", grouping.wall / best, 1.0),
        _told("peak memory in GB", whole.peak / 1e9, LIMIT / 1e9),
    ]


def _told(what: str, found: float, aim: float) -> bool:
    print(f"  {what}: {found:.2f} (aim: at most {aim:g})   {'reached' if found <= aim else 'MISSED'}", flush=True)
    return found <= aim


def _measured(contender: tuple[str, str], repeats: int, *paths: Path) -> Cost:
    timing, peak, _ = measure_apart(contender, repeats, *paths)
    return Cost(timing.cpu, timing.wall, 1e6 * peak)


def _write_truth(folder: Path, n_users: int) -> tuple[Path, Path]:
    import polars

    random = np.random.default_rng(1)
    genres, relevance = folder / "genres.parquet", folder / "relevance.parquet"
    aspects = {"item": np.repeat(np.arange(ITEMS), 2), "aspect": random.integers(0, GENRES, 2 * ITEMS)}
    polars.DataFrame(aspects).unique(maintain_order=True).write_parquet(genres)
    items = (random.integers(0, ITEMS, n_users)[:, None] + 701 * np.arange(RELEVANT)) % ITEMS
    polars.DataFrame({"user": np.repeat(np.arange(n_users), RELEVANT), "item": items.ravel()}).write_parquet(relevance)
    return genres, relevance


def _write_lists(path: Path, n_users: int, *, shuffled: bool = False) -> None:
    """Lists with random scores, in row groups of a million: user by user, or rank by rank, with the users in another order each time."""
    import pyarrow  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    random, writer = np.random.default_rng(0), None
    firsts, steps = random.integers(0, ITEMS, n_users), random.integers(1, 400, n_users)
    for start in range(0, LIST if shuffled else n_users, 1 if shuffled else 10_000):
        if shuffled:
            users = random.permutation(n_users)
            items, scores = (firsts[users] + steps[users] * start) % ITEMS, random.random(n_users)
        else:
            some = np.arange(start, min(start + 10_000, n_users))
            users, scores = np.repeat(some, LIST), -np.sort(-random.random((len(some), LIST)), axis=1).ravel()
            items = ((firsts[some, None] + steps[some, None] * np.arange(LIST)) % ITEMS).ravel()
        table = pyarrow.table({"user": users, "item": items, "score": scores})
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=1_000_000)
    assert writer is not None
    writer.close()
