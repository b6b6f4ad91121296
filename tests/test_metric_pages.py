"""Pages of metrics: they are those of the code, and the numbers of other tools on them are true."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import aspectrum as asp
from aspectrum.documentation import docstring_parts
from aspectrum.metric_pages import QUESTIONS, file_name, pages
from aspectrum.peers import PEERS, Peer
from aspectrum.toy_world import VARIANTS

FOLDER = Path(__file__).parent.parent / "docs" / "metrics"
OURS = {name: metric for name, metric in asp.registered().items() if metric.__module__.startswith("aspectrum.")}


@pytest.fixture(name="found", scope="module")
def _found() -> Mapping[str, str]:
    return pages()


def test_the_pages_are_those_of_the_code(found: Mapping[str, str]) -> None:
    assert {path.name for path in FOLDER.glob("*.md")} == found.keys()
    for name, text in found.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"run python -m aspectrum.metric_pages docs/metrics: {name} has changed"


def test_every_metric_answers_a_question() -> None:
    answering = [name for answers in QUESTIONS.values() for name in answers]
    assert sorted(answering) == sorted(OURS)


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_page_tells_all(name: str, found: Mapping[str, str]) -> None:
    metric, text = OURS[name], found[f"{file_name(OURS[name])}.md"]
    parts = docstring_parts(metric)
    for section in ("Range", "Undefined", "References", "Examples"):
        assert parts[section], section
        assert parts[section].split("\n")[0].replace("|", "\\|") in text or parts[section] in text, section
    assert parts["formula"] in text
    for alias in metric.aliases:
        assert f"`{alias}`" in text


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.tool} {peer.name} {peer.metric} {peer.world}")
def test_the_numbers_of_other_tools(peer: Peer) -> None:
    lists, inputs = VARIANTS[peer.world]
    results = asp.evaluate(lists, peer.metric, convention=peer.convention, **inputs)
    assert next(iter(results.values())) == pytest.approx(peer.value, abs=0.5000001 * 10.0**-peer.digits)
