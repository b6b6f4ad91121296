"""Every metric cites papers that are known, and its docstring names the same ones."""

import re
from typing import ClassVar

import pytest

import aspectrum as asp
from aspectrum.documentation import metrics_as_data
from aspectrum.metric import Family, UserMetric
from aspectrum.references import REFERENCES, bibtex

OURS = {name: metric for name, metric in asp.registered().items() if metric.__module__.startswith("aspectrum.")}
HUMAN = {entry["name"]: entry["references"] for entry in metrics_as_data()}
ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}")


@pytest.mark.parametrize("name", OURS)
def test_every_metric_cites_what_its_docstring_names(name: str) -> None:
    assert OURS[name].cites, f"{name} has no cites"
    for key in OURS[name].cites:
        reference = REFERENCES[key]
        assert str(reference.year) in HUMAN[name]
        assert reference.authors[0].partition(",")[0] in HUMAN[name]


def test_every_reference_is_cited() -> None:
    assert {key for metric in OURS.values() for key in metric.cites} == set(REFERENCES)


@pytest.mark.parametrize("key", REFERENCES)
def test_entries_are_whole(key: str) -> None:
    reference = REFERENCES[key]
    text = reference.bibtex(key)
    assert text.isascii()
    assert text.count("{") == text.count("}")
    found = ENTRY.fullmatch(text)
    assert found is not None
    fields = dict(re.findall(r"  (\w+) = \{(.*)\},", found[3]))
    assert {"author", "title", "year"} <= set(fields)
    assert "journal" in fields or "booktitle" in fields
    assert all(fields.values())
    assert all(re.fullmatch(r"[^,]+, .+|others", author) for author in reference.authors)
    assert re.fullmatch(r"10\.\d{4,5}/\S+", fields.get("doi", "10.1145/1"))
    surname = reference.authors[0].partition(",")[0].lower().replace("ä", "a").replace("-", "")
    assert key.startswith(f"{surname}{reference.year}")


def test_entries_are_sorted_and_once_each() -> None:
    text = bibtex([asp.NDCG(k=10), asp.AlphaNDCG(k=5), asp.AlphaNDCG(k=10), asp.DCG])
    assert re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE) == ["clarke2008novelty", "jarvelin2002cumulated"]
    assert r"J{\"a}rvelin, Kalervo and Kek{\"a}l{\"a}inen, Jaana" in text
    assert bibtex([]) == ""


def test_an_unknown_key_is_named() -> None:
    class Citing(UserMetric):
        abstract: ClassVar[bool] = True
        family: ClassVar[Family] = "relevance"
        cites: ClassVar[tuple[str, ...]] = ("clark2008novelty",)

    with pytest.raises(asp.MetricError, match="unknown reference 'clark2008novelty'; did you mean 'clarke2008novelty'"):
        bibtex([Citing])
