"""Files to numbers: a large diversity evaluation against ir_measures and pyndeval, and string ids against polars alone.

Every contender runs in a process of its own, which tells its CPU seconds (without imports) and its peak memory.
"""

import random
import tempfile
from pathlib import Path

from benchmarks.timing import measure_apart, report

TOPICS, DEPTH, JUDGED, SUBTOPICS, JUDGMENTS = 20_000, 100, 60, 20, 125
ROWS, USERS, ITEMS = 5_000_000, 50_000, 200_000
MEMORY_LIMIT_MB = 500

_OURS = (
    "import aspectrum as asp, aspectrum.api, polars",
    """
found = asp.evaluate(sys.argv[2], ["AlphaNDCG@10,20", "ERRIA@10,20", "AspectRecall@10"], subtopics=sys.argv[1],
                     convention="pyndeval", per_user=False)
numbers = list(found.values())
""",
)
_IR_MEASURES = (
    "import ir_measures\nfrom ir_measures import ERR_IA, StRecall, alpha_nDCG",
    """
asked = [alpha_nDCG @ 10, alpha_nDCG @ 20, ERR_IA @ 10, ERR_IA @ 20, StRecall @ 10]
found = ir_measures.calc_aggregate(asked, ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2]))
numbers = [found[one] for one in asked]
""",
)
_PYNDEVAL = (
    "import pyndeval",
    """
qrels = []
for line in open(sys.argv[1]):
    topic, subtopic, document, grade = line.split()
    qrels.append((topic, subtopic, document, int(grade)))
run = []
for line in open(sys.argv[2]):
    topic, _, document, _, score, _ = line.split()
    run.append((topic, document, float(score)))
names = ["alpha-nDCG@10", "alpha-nDCG@20", "ERR-IA@10", "ERR-IA@20", "strec@10"]
found = pyndeval.RelevanceEvaluator(qrels, names).evaluate(run)
numbers = [sum(topic[name] for topic in found.values()) / len(found) for name in names]
""",
)
_OUR_IDS = (
    "import aspectrum as asp, aspectrum.api, polars",
    'numbers = list(asp.evaluate(sys.argv[1], "GiniComplement@10", per_user=False).values())',
)
# The road that polars offers: distinct ids in order of first appearance, joined back to the rows.
_POLARS_IDS = (
    "import polars",
    """
frame = polars.read_csv(sys.argv[1]) if sys.argv[1].endswith("csv") else polars.read_parquet(sys.argv[1])
for column in ("user", "item"):
    ids = frame.select(column).unique(maintain_order=True).with_row_index(column + "_code")
    frame = frame.join(ids, on=column, how="left", maintain_order="left")
numbers = [frame["user_code"].max() + 1, frame["item_code"].max() + 1]
""",
)


def run() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return all([_diversity(Path(folder)), _string_ids(Path(folder))])


def _diversity(folder: Path) -> bool:
    qrels, lists = folder / "large.qrels", folder / "large.run"
    _write_diversity(qrels, lists)
    ours, memory, numbers = measure_apart(_OURS, 3, qrels, lists)
    reached = True
    what = f"{TOPICS * JUDGMENTS:,} judgments, {TOPICS * DEPTH:,} rows of a run, files to numbers"
    for name, contender, aim in (("ir_measures", _IR_MEASURES, 10), ("pyndeval", _PYNDEVAL, 5)):
        peer, peer_memory, theirs = measure_apart(contender, 1, qrels, lists)
        assert all(abs(a - b) < 1e-9 for a, b in zip(numbers, theirs, strict=True)), (numbers, theirs)
        reached &= report(what, ours, peer, name, aim)
        print(f"  means agree within 1e-9; peak memory {memory:.0f} MB, {name} {peer_memory:.0f} MB")
    small = memory < MEMORY_LIMIT_MB
    print(f"  peak memory {memory:.0f} MB (aim: under {MEMORY_LIMIT_MB})   {'reached' if small else 'MISSED'}")
    return reached and small


def _string_ids(folder: Path) -> bool:
    import polars

    choose = random.Random(1)
    per_user = ROWS // USERS
    users = [name for name in (f"user-{choose.randrange(10**9):09}-{user}" for user in range(USERS)) for _ in range(per_user)]
    names = [f"item-{choose.randrange(10**9):09}-{item}" for item in range(ITEMS)]
    items = [name for _ in range(USERS) for name in choose.sample(names, per_user)]
    scores = [float(per_user - place) for _ in range(USERS) for place in range(per_user)]
    frame = polars.DataFrame({"user": users, "item": items, "score": scores})
    reached = True
    for name in ("recs.csv", "recs.parquet"):
        path = folder / name
        frame.write_csv(path) if name.endswith("csv") else frame.write_parquet(path)
        ours, memory, _ = measure_apart(_OUR_IDS, 3, path)
        theirs, _, counts = measure_apart(_POLARS_IDS, 3, path)
        assert counts == [USERS, ITEMS], counts
        reached &= report(
            f"{ROWS:,} rows of string ids, {name}, to a number, against parsing and coding alone", ours, theirs, "polars", 0.5
        )
        print(f"  peak memory {memory:.0f} MB")
    return reached


def _write_diversity(qrels: Path, lists: Path, seed: int = 0) -> None:
    choose = random.Random(seed)
    pairs = [(document, subtopic) for document in range(JUDGED) for subtopic in range(SUBTOPICS)]
    with qrels.open("w") as judgments, lists.open("w") as run:
        for topic in range(1, TOPICS + 1):
            documents = [f"doc{number:07}" for number in choose.sample(range(1_000_000), DEPTH + JUDGED // 2)]
            judged = documents[-JUDGED:]
            for place, subtopic in sorted(choose.sample(pairs, JUDGMENTS)):
                judgments.write(f"{topic} {subtopic + 1} {judged[place]} {choose.randrange(2)}\n")
            choose.shuffle(documents)
            for rank, document in enumerate(documents[:DEPTH], 1):
                run.write(f"{topic} Q0 {document} {rank} {DEPTH - rank + 0.5} simulated\n")
