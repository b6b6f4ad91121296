"""From a file of nuggets and a run to numbers, as whole processes: FreshStack rows of 700 queries, and of 20,000."""

import json
import random
import tempfile
from pathlib import Path

from benchmarks.timing import measure_apart

SMALL, LARGE, POOL, DEPTH, NUGGETS = 700, 20_000, 45, 50, 8
AIM, GROWTH = 1.0, 1.5  # seconds of CPU for the small file; how much more a query of the large one may cost

_WORK = """
import aspectrum as asp
nuggets = asp.Nuggets.read(sys.argv[1])
results = asp.evaluate(sys.argv[2], ["AlphaNDCG@10", "AspectRecall(of=listed)@20", "Recall@50"], subtopics=nuggets, threads=1)
numbers = [*results.values(), nuggets.n_listed, nuggets.n_judgments]
"""
_READ_ONLY = """
import aspectrum as asp
numbers = [asp.Nuggets.read(sys.argv[1]).n_judgments]
"""


def write(folder: Path, queries: int, seed: int = 1) -> tuple[Path, Path]:
    """Rows in which all nuggets of a query are judged for the same documents, as FreshStack has them, and a run."""
    choose = random.Random(seed)
    rows, run = folder / f"rows_{queries}.jsonl", folder / f"run_{queries}.trec"
    with rows.open("w") as nuggets_file, run.open("w") as run_file:
        for query in range(queries):
            pool = [f"repo/src/module_{choose.randrange(10**6)}.py_{place * 2000}_{place * 2000 + 2000}" for place in range(POOL)]
            nuggets = []
            for number in range(NUGGETS + (query % 25 == 0)):
                supporting = set(choose.sample(pool, choose.randrange(1, 6)))
                lists = {
                    "relevant_corpus_ids": sorted(supporting),
                    "non_relevant_corpus_ids": [one for one in pool if one not in supporting],
                }
                nuggets.append({"_id": f"{query}_{number}", "text": f"nugget {number}", **lists})
            nuggets_file.write(json.dumps({"query_id": str(query), "query_text": "x" * 500, "nuggets": nuggets}) + "\n")
            ranked = [*pool, *(f"repo/other_{query}_{place}" for place in range(DEPTH))]
            choose.shuffle(ranked)
            run_file.writelines(f"{query} Q0 {document} {rank} {DEPTH - rank} run\n" for rank, document in enumerate(ranked[:DEPTH], 1))
    return rows, run


def run() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        files = {queries: write(Path(folder), queries) for queries in (SMALL, LARGE)}
        found = {queries: measure_apart(("", _WORK), 3 if queries == SMALL else 1, *paths) for queries, paths in files.items()}
        alone = measure_apart(("import aspectrum", _READ_ONLY), 3, *files[SMALL])
    small, large = found[SMALL][0].cpu, found[LARGE][0].cpu
    listed, judgments = (int(number) for number in found[SMALL][2][-2:])
    reached = small <= AIM and large / LARGE <= GROWTH * small / SMALL
    print(
        f"FreshStack rows to numbers, whole process: {SMALL} queries, {listed:,} nuggets, {judgments:,} judgments\n"
        f"  aspectrum {small:8.3f} s CPU, of which reading {alone[0].cpu:.3f} s, {found[SMALL][1]:,.0f} MB (aim: {AIM:g} s)   "
        f"{LARGE:,} queries: {large:.3f} s CPU, {found[LARGE][1]:,.0f} MB   {'reached' if reached else 'MISSED'}",
        flush=True,
    )
    return reached
