"""``aspectrum ndeval`` on small files, against numbers computed by hand; tests/peers compares with pyndeval."""

import csv
import gzip
import io
import math
from pathlib import Path

import pytest

from tests.cli.conftest import Call

HEAD = (
    "runid,topic,ERR-IA@5,ERR-IA@10,ERR-IA@20,nERR-IA@5,nERR-IA@10,nERR-IA@20,alpha-DCG@5,alpha-DCG@10,alpha-DCG@20,"
    "alpha-nDCG@5,alpha-nDCG@10,alpha-nDCG@20,NRBP,nNRBP,MAP-IA,P-IA@5,P-IA@10,P-IA@20,strec@5,strec@10,strec@20"
)


def scored(call: Call, *arguments: str) -> dict[str, dict[str, str]]:
    """Rows by topic."""
    said = call("ndeval", *arguments)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == HEAD
    return {row["topic"]: row for row in csv.DictReader(io.StringIO(said.out))}


def write(here: Path, qrels: str, run: str) -> tuple[str, str]:
    (here / "q").write_text(qrels)
    (here / "r").write_text(run)
    return "q", "r"


def perfect(discount: list[float], alpha: float = 0.5) -> float:
    return sum((1 - alpha) ** place * weight for place, weight in enumerate(discount))


LOG = [1 / math.log2(rank + 1) for rank in range(1, 21)]
RECIPROCAL = [1 / rank for rank in range(1, 21)]


def test_one_relevant_document_by_hand(call: Call, here: Path) -> None:
    """Two subtopics; the only relevant document covers one of them, and is second."""
    files = write(here, "7 1 a 1\n7 2 z 1\n", "7 Q0 x 1 9 mine\n7 Q0 a 2 8 mine\n")
    (row, mean) = scored(call, *files).values()
    assert row["runid"] == "mine"
    for k in (5, 10, 20):
        # Ideal: a and z at the top, each a new subtopic.
        assert row[f"ERR-IA@{k}"] == f"{(1 / 2) / 2 / perfect(RECIPROCAL[:k]):.6f}"
        assert row[f"nERR-IA@{k}"] == f"{(1 / 2) / (1 + 1 / 2):.6f}"
        assert row[f"alpha-DCG@{k}"] == f"{LOG[1] / 2 / perfect(LOG[:k]):.6f}"
        assert row[f"alpha-nDCG@{k}"] == f"{LOG[1] / (1 + LOG[1]):.6f}"
        assert row[f"P-IA@{k}"] == f"{(1 / k) / 2:.6f}"
        assert row[f"strec@{k}"] == "0.500000"
    assert row["NRBP"] == f"{(1 - 0.5 * 0.5) * 0.5 / 2:.6f}"
    assert row["nNRBP"] == f"{0.5 / 1.5:.6f}"
    assert row["MAP-IA"] == f"{(1 / 2) / 2:.6f}"
    assert {**mean, "topic": "7"} == row


def test_alpha_and_beta(call: Call, here: Path) -> None:
    files = write(here, "7 1 a 1\n7 1 b 1\n", "7 Q0 a 1 9 mine\n7 Q0 b 2 8 mine\n")
    row = scored(call, "-alpha", "0.9", "-beta", "0.8", *files)["7"]
    assert row["alpha-DCG@5"] == f"{(1 + 0.1 * LOG[1]) / perfect(LOG[:5], 0.9):.6f}"
    assert row["NRBP"] == f"{(1 - 0.1 * 0.8) * (1 + 0.1 * 0.8):.6f}"
    assert scored(call, "-alpha", "1", *files)["7"]["alpha-DCG@5"] == "1.000000"


QRELS = "10 1 a 1\n10 2 b 1\n9 1 c 1\n100 1 d 1\n"
RUN = "100 Q0 x 1 3 first\n10 Q0 a 1 9 second\n10 Q0 b 2 8 second\n11 Q0 a 1 9 second\n9 Q0 x 1 9 third\n9 Q0 c 2 8 third\n"


def test_topics_by_number_and_the_run_by_its_first_line(call: Call, here: Path) -> None:
    rows = scored(call, *write(here, QRELS, RUN))
    assert list(rows) == ["9", "10", "11", "100", "amean"]
    assert {row["runid"] for row in rows.values()} == {"first"}


def test_topics_without_judgments_are_0_and_not_averaged(call: Call, here: Path) -> None:
    rows = scored(call, *write(here, QRELS, RUN))
    assert {value for name, value in rows["11"].items() if name not in ("runid", "topic")} == {"0.000000"}
    strec = [float(rows[topic]["strec@5"]) for topic in ("9", "10", "100")]
    assert strec == [1, 1, 0]
    assert rows["amean"]["strec@5"] == f"{2 / 3:.6f}"


def test_every_judged_topic_is_averaged_if_asked_for(call: Call, here: Path) -> None:
    files = write(here, QRELS + "12 1 a 1\n13 1 a 0\n", RUN)
    assert scored(call, *files)["amean"]["strec@5"] == f"{2 / 3:.6f}"
    rows = scored(call, "-c", *files)
    assert list(rows) == ["9", "10", "11", "100", "amean"]
    assert rows["amean"]["strec@5"] == f"{2 / 5:.6f}"


def test_topics_may_have_the_name_of_their_task_in_front(call: Call, here: Path) -> None:
    plain = scored(call, *write(here, QRELS, RUN))
    prefixed = "".join(f"wt09-{line}\n" for line in RUN.splitlines())
    assert scored(call, *write(here, QRELS, prefixed)) == plain


def test_order_by_rank_or_by_score(call: Call, here: Path) -> None:
    """Ranks count by default; -traditional takes scores, and of equal ones the larger name first."""
    files = write(here, "1 1 b 1\n", "1 Q0 a 1 5 x\n1 Q0 b 2 5 x\n1 Q0 c 3 9 x\n")
    assert scored(call, *files)["1"]["MAP-IA"] == "0.500000"
    assert scored(call, "-traditional", *files)["1"]["MAP-IA"] == "0.500000"
    files = write(here, "1 1 a 1\n", "1 Q0 a 1 5 x\n1 Q0 b 2 5 x\n1 Q0 c 3 9 x\n")
    assert scored(call, *files)["1"]["MAP-IA"] == "1.000000"
    assert scored(call, "-traditional", *files)["1"]["MAP-IA"] == f"{1 / 3:.6f}"


def test_rank_that_is_there_twice(call: Call, here: Path) -> None:
    files = write(here, QRELS, RUN.replace("10 Q0 b 2", "10 Q0 b 1"))
    said = call("ndeval", *files)
    assert (said.code, said.out) == (1, "")
    assert said.err == "error: r, line 3: topic 10 has rank 1 twice; -traditional orders by score\n"
    assert scored(call, "-traditional", *files)["10"]["strec@5"] == "1.000000"


def test_document_that_is_there_twice(call: Call, here: Path) -> None:
    said = call("ndeval", *write(here, QRELS, RUN + "9 Q0 c 3 7 third\n"))
    assert said.code == 1
    assert said.err.startswith("error: r, line 7: ")


def test_negative_grades_are_not_relevant(call: Call, here: Path) -> None:
    files = write(here, QRELS + "10 3 x -2\n10 1 c -1\n", RUN + "10 Q0 c 3 7 second\n10 Q0 x 4 6 second\n")
    rows = scored(call, *files)
    assert rows["10"]["strec@5"] == "1.000000"
    assert rows["10"]["P-IA@5"] == f"{1 / 5:.6f}"


def test_depth(call: Call, here: Path) -> None:
    files = write(here, QRELS, RUN)
    assert scored(call, "-M", "1", *files)["9"]["strec@5"] == "0.000000"
    assert scored(call, "-M", "2", *files) == scored(call, *files)


def test_baseline(call: Call, here: Path) -> None:
    """What is gained on the baseline; losses weigh 1 + riskAlpha."""
    files = write(here, QRELS, RUN)
    (here / "base").write_text("9 Q0 c 1 9 old\n10 Q0 a 1 5 old\n")
    base, mine = scored(call, "q", "base"), scored(call, *files)
    rows = scored(call, "-baseline", "base", *files)
    assert {row["runid"] for row in rows.values()} == {"first (rel to. old; rs=1+a; a=0)"}
    assert float(rows["9"]["MAP-IA"]) == float(mine["9"]["MAP-IA"]) - float(base["9"]["MAP-IA"]) == -0.5
    assert float(rows["10"]["MAP-IA"]) == (1 + 1 / 2) / 2 - 1 / 2
    risky = scored(call, "-baseline", "base", "-riskAlpha", "2", *files)
    assert {row["runid"] for row in risky.values()} == {"first (rel to. old; rs=1+a; a=2)"}
    assert float(risky["9"]["MAP-IA"]) == 3 * -0.5
    assert risky["10"]["MAP-IA"] == rows["10"]["MAP-IA"]


def test_packed_files(call: Call, here: Path) -> None:
    plain = scored(call, *write(here, QRELS, RUN))
    (here / "q.gz").write_bytes(gzip.compress(QRELS.encode()))
    (here / "r.gz").write_bytes(gzip.compress(RUN.encode()))
    assert scored(call, "q.gz", "r.gz") == plain


def test_standard_input(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = scored(call, *write(here, QRELS, RUN))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert scored(call, "q", "-") == plain


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS + "10 1 a\n", RUN, "q, line 5: "),
        (QRELS, RUN + "9 Q0 d 3 7\n", "r, line 7: "),
        (QRELS, RUN + "9 Q0 d three 7 x\n", "r, line 7: the rank is 'three'"),
        (QRELS + "10 1 z good\n", RUN, "q, line 5: the grade is 'good'"),
        (QRELS + "10 1 a 0\n", RUN, "q, line 5: "),
        (QRELS, "\n", "r: the file is empty"),
    ],
)
def test_bad_lines(call: Call, here: Path, qrels: str, run: str, message: str) -> None:
    said = call("ndeval", *write(here, qrels, run))
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"error: {message}")


def test_topics_and_subtopics_may_be_words(call: Call, here: Path) -> None:
    rows = scored(call, *write(here, "cats tabby a 1\ncats ² b 1\ndogs 1 a 1\n", "cats Q0 a 1 1 x\ndogs Q0 a 1 1 x\n"))
    assert list(rows) == ["cats", "dogs", "amean"]
    assert rows["cats"]["strec@5"] == "0.500000"
