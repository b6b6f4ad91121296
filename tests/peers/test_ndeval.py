"""``aspectrum ndeval`` live against pyndeval, which computes the same rows from the same files."""

import math
import random
from pathlib import Path

import pyndeval
import pytest

from aspectrum.cli import run
from aspectrum.ndeval import ndeval

MEASURES = [
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in (5, 10, 20)),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in (5, 10, 20)),
]


def write_topics(folder: Path, choose: random.Random, n_topics: int) -> tuple[Path, Path]:
    """Files whose ranks and scores say the same, with distinct scores; some topics without a list or judgments."""
    qrels, lists = [], []
    for topic in range(1, n_topics + 1):
        documents = [f"d{number}" for number in choose.sample(range(300), 40)]
        n_subtopics = choose.choice((1, 2, 5, 12, 90))
        if choose.random() < 0.9:
            judged = {
                (choose.choice(documents), choose.randint(1, n_subtopics)): choose.choice((-2, 0, 1, 1, 1, 2))
                for _ in range(choose.randint(1, 80))
            }
            qrels += [f"{topic} {subtopic} {document} {grade}\n" for (document, subtopic), grade in judged.items()]
        if choose.random() < 0.9:
            ranked = choose.sample(documents, choose.randint(1, 40)) + [f"x{number}" for number in range(choose.randrange(8))]
            choose.shuffle(ranked)
            rows = [f"{topic} Q0 {document} {rank} {100 - rank} tag\n" for rank, document in enumerate(ranked, 1)]
            lists += choose.sample(rows, len(rows))  # pyndeval wants the rows of a topic together
    (folder / "qrels").write_text("".join(qrels))
    (folder / "run").write_text("".join(lists))
    return folder / "qrels", folder / "run"


def theirs(qrels: Path, lists: Path, alpha: float, beta: float) -> dict[str, dict[str, float]]:
    judged = [
        (topic, subtopic, document, int(grade)) for topic, subtopic, document, grade in map(str.split, qrels.read_text().splitlines())
    ]
    ranked = [(topic, document, float(score)) for topic, _, document, _, score, _ in map(str.split, lists.read_text().splitlines())]
    scores: dict[str, dict[str, float]] = pyndeval.ndeval(judged, ranked, MEASURES, alpha=alpha, beta=beta)
    positive = {topic for topic, _, _, grade in judged if grade >= 1}
    for topic, own in scores.items():
        if topic not in positive:  # nNRBP alone divides 0 by 0 there; the program prints 0
            assert math.isnan(own["nNRBP"])
            own["nNRBP"] = 0.0
    return scores


@pytest.mark.peers
@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.0, 0.3), (0.9, 0.8), (1.0, 1.0)])
@pytest.mark.parametrize("traditional", [False, True], ids=["by rank", "by score"])
def test_every_number_of_every_topic(tmp_path: Path, alpha: float, beta: float, traditional: bool) -> None:
    files = write_topics(tmp_path, random.Random(f"{alpha} {beta}"), 150)
    expected = theirs(*files, alpha, beta)
    found = ndeval(*files, alpha=alpha, beta=beta, traditional=traditional)
    assert len(expected) > 100
    assert found.n_averaged == len(expected)
    assert len(found.topics) > len(expected), "topics without judgments have rows of zeros here, and none there"
    for topic, scores in found.topics.items():
        own = expected.get(str(topic), dict.fromkeys(MEASURES, 0.0))
        assert scores.tolist() == pytest.approx([own[measure] for measure in MEASURES], rel=1e-12, abs=1e-12)
    means = [math.fsum(own[measure] for own in expected.values()) / len(expected) for measure in MEASURES]
    assert found.mean.tolist() == pytest.approx(means, rel=1e-12)


@pytest.mark.peers
def test_rows_as_they_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_topics(tmp_path, random.Random("printed"), 60)
    expected = theirs(*files, 0.5, 0.5)
    assert run(["ndeval", *map(str, files)]) == 0
    head, *rows, mean = capsys.readouterr().out.splitlines()
    assert head == ",".join(("runid", "topic", *MEASURES))
    zeros = dict.fromkeys(MEASURES, 0.0)
    for row in rows:
        _, topic, *numbers = row.split(",")
        assert [float(number) for number in numbers] == pytest.approx(list(expected.get(topic, zeros).values()), abs=5.1e-7)
        assert all(len(number.partition(".")[2]) == 6 for number in numbers)
    assert [int(row.split(",")[1]) for row in rows] == sorted(int(row.split(",")[1]) for row in rows)
    assert mean.startswith("tag,amean,")
