"""The demo shows its trade-off, writes its report, and is the same every time."""

from pathlib import Path

import pytest

from aspectrum import demo
from aspectrum.results import SystemResults


@pytest.fixture(scope="module")
def results() -> SystemResults:
    return demo.evaluate_demo()


def test_accuracy_and_diversity_pull_apart(results: SystemResults) -> None:
    def best(metric: str) -> str:
        return max(results, key=lambda system: float(results[system][metric]))

    assert best("NDCG@10") == "Accurate"
    assert best("AlphaNDCG(judged_by=relevance)@10") == "Diverse"
    assert best("ILD@10") == best("AspectRecall@10") == best("GiniComplement@10") == "Random"
    for metric in ("AspectRecall@10", "ILD@10"):
        assert min(results, key=lambda system: results[system][metric]) == "One genre"
        assert results["Diverse"][metric] > results["Accurate"][metric]
    assert min(results, key=lambda system: results[system]["GiniComplement@10"]) == "Popular"


def test_same_numbers_every_time(results: SystemResults) -> None:
    assert dict(demo.evaluate_demo()) == dict(results)


def test_report_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.md"
    report.write_text("old")
    assert demo.main([str(report)]) == 0
    assert "| NDCG@10 |" in report.read_text()
    assert "GiniComplement@10" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [report]


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--help"]) == 0
    assert demo.main(["a", "b"]) == 2
    assert "usage" in capsys.readouterr().err


def test_failed_report_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report.md"
    report.write_text("old")

    def full_disk(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        demo.write_atomically(report, "new")
    assert report.read_text() == "old"
    assert list(tmp_path.iterdir()) == [report]
