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
    demo.show(report)
    assert "| NDCG@10 |" in report.read_text()
    assert "GiniComplement@10" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [report]
