"""Every metric is listed and described, from its own docstring."""

import json
import re
import shlex
import sys
from dataclasses import fields
from typing import Any
from xml.etree import ElementTree

import pytest

import aspectrum as asp
from aspectrum.coding.reading import Reading
from aspectrum.documentation import describe_metric, explained, formula_mathml, list_metrics, metrics_as_data, needed_inputs
from aspectrum.inputs import OPTIONS
from aspectrum.metric import parse

OURS = {name: metric for name, metric in asp.registered().items() if metric.__module__.startswith("aspectrum.")}


def section(text: str, head: str) -> list[str]:
    lines = text.splitlines()
    start = lines.index(f"{head}:") + 1
    stop = next((place for place in range(start, len(lines)) if not lines[place].startswith("  ")), len(lines))
    return [line[2:] for line in lines[start:stop]]


def test_every_metric_is_listed() -> None:
    assert len(OURS) >= 11
    lines = list_metrics().splitlines()
    for name, metric in OURS.items():
        row = next(line for line in lines if line.startswith(f"{name} "))
        summary = (metric.__doc__ or "").split()[:4]
        assert " ".join(summary) in row
    flowing = " ".join(list_metrics(10_000).split())
    assert "AlphaNDCG alpha_nDCG, α_nDCG, alpha-nDCG, Discounted gain" in flowing  # the names go on in the next line
    assert "StRecall, strec" in flowing


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_tables_and_texts_fit(width: int) -> None:
    assert max(map(len, list_metrics(width).splitlines())) <= max(width, 90)
    for name in OURS:
        text = describe_metric(name, width)
        raw = {*section(text, "Formula (TeX)"), *section(text, "Example"), *section(text, "Command line"), *section(text, "Parameters")}
        assert all(len(line) <= width for line in text.splitlines() if line[2:] not in raw)


@pytest.mark.parametrize("name", OURS)
def test_every_metric_is_described(name: str) -> None:
    metric, text = OURS[name], describe_metric(name)
    doc = metric.__doc__ or ""
    assert text.startswith(f"{name}: ")
    for alias in metric.aliases:
        assert alias in " ".join(section(text, "Other names"))
    formula = " ".join(section(text, "Formula (TeX)"))
    assert formula in " ".join(doc.split())
    parameters = section(text, "Parameters")
    for parameter in fields(metric):
        place = next(place for place, line in enumerate(parameters) if line.startswith(f"{parameter.name} = "))
        assert parameters[place + 1].startswith("    "), f"{parameter.name} is not explained"
    for head in ("Undefined", "References"):
        assert section(text, head)
    examples = [line for line in section(text, "Example") if line.startswith(">>> ")]
    assert examples
    assert all(line in doc for line in examples)
    conventions = section(text, "Conventions")
    having = [name for name, convention in asp.CONVENTIONS.items() if convention.has(metric)]
    assert [line.partition(":")[0] for line in conventions if not line.startswith(" ")] == having
    for mark in ("``", ".. math", "Args:", "\t"):
        assert mark not in text


@pytest.mark.parametrize("name", OURS)
def test_command_lines_name_inputs_that_are_enough(name: str) -> None:
    inputs: dict[str, Any] = {
        "aspects": {"a": ["x"], "b": ["y"]},
        "relevance": {"u": ["a"]},
        "history": {"u": ["b"]},
        "subtopics": {"u": {"a": ["x"]}},
        "features": {"a": [1, 0], "b": [0, 1]},
        "catalogue": ["a", "b"],
        "groups": {"a": "P", "b": "Q"},
        "graph": {"u": ["a"], "a": ["b"]},
        "popularity": {"a": 1, "b": 2},
        "lengths": {"a": 3, "b": 4},
        "baseline": {"u": ["b", "c"]},
        "popularity_users": 2,
    }
    lines = section(describe_metric(name), "Command line")
    assert lines
    for line in lines:
        words = shlex.split(line)
        assert words[:4] == ["aspectrum", "evaluate", "RECS", "-m"]
        assert parse(words[4]) == OURS[name](k=10)
        options = [word.removeprefix("--").replace("-", "_") for word in words[5::2]]
        given = [next((name for name, option in OPTIONS.items() if option == word), word) for word in options]
        asp.evaluate({"u": ["a", "b"]}, words[4], **{name: inputs[name] for name in given})


def test_what_metrics_need() -> None:
    assert needed_inputs(asp.AlphaNDCG) == [("subtopics",), ("aspects", "history"), ("aspects", "relevance")]
    assert needed_inputs(asp.AspectRecall) == [("subtopics",), ("aspects",)]
    assert needed_inputs(asp.NDCG) == [("relevance",)]
    assert needed_inputs(asp.ILD) == [("aspects",), ("features",)]
    assert needed_inputs(asp.GiniComplement) == [()]
    assert section(describe_metric("GiniComplement"), "Command line") == ['aspectrum evaluate RECS -m "GiniComplement@10" --catalogue FILE']


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("alpha_nDCG", "AlphaNDCG"),
        ("α-nDCG", "AlphaNDCG"),
        ("community recall", "AspectRecall"),
        ("ild", "IntraListDiversity"),
        (" NDCG ", "NDCG"),
    ],
)
def test_any_spelling(spelling: str, name: str) -> None:
    assert describe_metric(spelling) == describe_metric(name)


def test_a_name_that_stands_for_parameters() -> None:
    text = describe_metric("nNRBP")
    assert text.startswith("NRBP: ")
    assert "\nnNRBP stands for NRBP(normalize=ideal)\n" in text
    assert section(text, "Other names") == ["nNRBP (normalize=ideal)"]
    assert '-m "NRBP(normalize=ideal)@10"' in text
    assert '-m "NDCG@5"' in describe_metric("NDCG@5")
    quoted = section(describe_metric("AlphaDCG(gain=probabilistic, gamma={'$x': 0.5})"), "Command line")[0]
    assert parse(shlex.split(quoted)[4]) == asp.AlphaDCG(k=10, gain="probabilistic", gamma={"$x": 0.5})


def test_metrics_of_listed_aspects_name_what_lists_them() -> None:
    """Subtopics alone do not: the command would be refused."""
    subtopics = {"u": {"a": ["x"]}}
    truth: list[dict[str, Any]] = [
        {"subtopics": asp.Nuggets.of({"u": {"x": ["a"]}})},
        {"subtopics": subtopics, "weights": {"u": {"x": 1.0}}},
    ]
    lines = section(describe_metric("NuggetCoverage"), "Command line")
    assert [line.partition('@10" ')[2] for line in lines] == ["--nuggets FILE", "--subtopics FILE --weights FILE"]
    for line, given in zip(lines, truth, strict=True):
        assert list(asp.evaluate({"u": ["a", "b"]}, shlex.split(line)[4], **given).values()) == [1.0]
    assert "--nuggets FILE" in describe_metric("AlphaNDCG")
    assert "--nuggets" not in describe_metric("NDCG")
    assert section(describe_metric("AlphaNDCG@400t"), "Command line")[0].endswith('-m "AlphaNDCG@400t" --subtopics FILE --lengths FILE')


def test_texts_hold_for_what_other_names_stand_for() -> None:
    listed, holes = explained(parse("NuggetCoverage")), explained(parse("Hole"))
    assert "listed" in listed.meaning and "listed" in listed.tex
    assert "not judged" in holes.meaning and "not judged" in holes.tex
    assert "4000t" in describe_metric("AlphaNDCG") and "4000t" not in describe_metric("GiniComplement")


def test_an_unknown_name() -> None:
    with pytest.raises(asp.MetricError, match="unknown metric 'AlfaNDCG'; did you mean 'AlphaNDCG'"):
        describe_metric("AlfaNDCG")


def test_parameters_say_default_and_what_is_allowed() -> None:
    parameters = section(describe_metric("AlphaDCG"), "Parameters")
    for line in (
        "k = -1    (a whole number from 1 | several: @5,10 | -1 for the whole list)",
        "alpha = 0.5    (a number)",
        "judged_by = none    (subtopics | history | relevance | membership | none)",
        "gamma = 1.0    (a number | {key: number, ...})",
        "discount = log2    (log2 | 'none' | tokens)",  # in quotes, because none without them is no value
        "normalize = none    (perfect | pyndeval | none)",
    ):
        assert line in parameters
    assert "grades = false    (true | false | linear)" in section(describe_metric("ERRIA"), "Parameters")
    place = parameters.index("normalize = none    (perfect | pyndeval | none)")
    assert " ".join(" ".join(parameters[place + 1 : place + 3]).split()) == (
        "perfect divides by a list that shows every attainable aspect at every rank; pyndeval does so except at k = 1."
    )


def test_conventions_say_what_they_change() -> None:
    text = " ".join(" ".join(section(describe_metric("ERRIA", 1000), "Conventions")).split())
    assert "published: users averaged: lists " in text
    assert "ndeval: judged_by=subtopics, normalize=perfect; users averaged: both; an undefined score counts as 0; " in text
    assert "relison: judged_by=relevance, intents=counts; users averaged: all; " in text
    assert "relison: users averaged: relevant; " in " ".join(section(describe_metric("NDCG", 1000), "Conventions"))


@pytest.mark.parametrize("name", OURS)
def test_how_conventions_read_is_said_in_words(name: str) -> None:
    text = " ".join(" ".join(section(describe_metric(name), "Conventions")).split())
    by_scores = ("pyndeval", "freshstack", "brightpro")
    assert ("scores order a list that also has ranks" in text) == any(asp.CONVENTIONS[one].has(OURS[name]) for one in by_scores)
    for option in vars(Reading()):
        assert f"{option}=" not in text
    by_features = any("features" in needed for needed in OURS[name]().needs())
    assert ("only the presence of a feature counts" in text) == (by_features and asp.CONVENTIONS["relison"].has(OURS[name]))


def test_data_is_plain_and_complete() -> None:
    data = {entry["name"]: entry for entry in metrics_as_data()}
    for name, metric in OURS.items():
        entry = data[name]
        assert json.loads(json.dumps(entry)) == entry
        assert list(entry["aliases"]) == list(metric.aliases)
        assert [parameter["name"] for parameter in entry["parameters"]] == [parameter.name for parameter in fields(metric)]
        assert all(parameter["allowed"] and parameter["description"] for parameter in entry["parameters"])
        assert entry["summary"] and entry["formula"] and entry["references"] and entry["undefined"]
    assert data["NRBP"]["aliases"] == {"nNRBP": {"normalize": "ideal"}}
    gain = data["NDCG"]["parameters"][1]
    assert gain["description"].startswith("linear is the grade, exponential is 2^grade - 1; binary is 1 for an item")
    assert gain | {"description": ""} == {
        "name": "gain",
        "default": "linear",
        "allowed": ["linear", "exponential", "binary"],
        "description": "",
    }
    assert data["NDCG"]["needs"] == [["relevance"]]


MATHML = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("name", OURS)
def test_every_formula_becomes_mathml(name: str) -> None:
    markup = formula_mathml(OURS[name])
    assert markup == formula_mathml(OURS[name](k=10))
    formula = ElementTree.fromstring(markup)
    assert formula.tag == f"{MATHML}math"
    assert formula.get("display") == "block"
    for element in formula.iter():
        assert element.tag.startswith(MATHML)
        assert element.tag != f"{MATHML}merror"
        assert not set(element.attrib) - {"display", "stretchy", "fence", "form", "width"}
        assert not re.search(r"[\\$_^]", element.text or "")
        if element.tag == f"{MATHML}mtext":
            assert re.fullmatch(r"[a-z\xa0]+", element.text or "")
        if element.tag == f"{MATHML}mfrac":
            assert len(element) == 2
    tex = metrics_by_name()[name]["formula"]
    assert len(list(formula.iter(f"{MATHML}mfrac"))) == tex.count(r"\frac")
    assert sum(element.text == "∑" for element in formula.iter()) == tex.count(r"\sum")


def metrics_by_name() -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in metrics_as_data()}


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"\href{javascript:alert(1)}{x}", "<mi>x</mi>"),
        (r"\text{<script>alert(1)</script>} + x", "<mi>x</mi>"),
        (r"\unheard{x}", None),
        (r"\frac{", None),
        ("", None),
    ],
)
def test_formulas_of_others_are_harmless(tex: str, found: str | None) -> None:
    class Theirs(asp.NDCG):
        __doc__ = f"A metric.\n\n    .. math:: {tex}\n"
        abstract = True

    markup = formula_mathml(Theirs)
    assert (found in markup) if found else markup == ""
    assert "javascript" not in markup
    assert "<script" not in markup


def test_without_the_library_there_is_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    definition = explained(asp.NDCG(k=10))
    assert definition.formula == ""
    assert definition.tex.startswith(r"\frac{\sum_{j \le k} g_{u, d_j}")


def test_metrics_are_explained() -> None:
    definition = explained(asp.UnseenShare(k=5))
    assert definition.meaning == "Share of the top k that is not in the user's history."
    assert definition.parameters == {"without_list": "zero"}
    assert definition.undefined == "For an empty list, unless it scores 1."
    assert definition.reference.startswith("Novelty in RePlay (Vasilev et al., RecSys 2024)")
    assert definition.formula == formula_mathml(asp.UnseenShare)
    parameters = explained(asp.AlphaDCG(k=5, discount="none", judged_by="history")).parameters
    assert parameters["discount"] == "none (default: log2)"
    assert parameters["judged_by"] == "history"
    assert parameters["normalize"] == "default"


@pytest.mark.parametrize("name", OURS)
def test_every_metric_is_explained(name: str) -> None:
    definition = explained(OURS[name](k=10))
    assert definition.meaning.endswith(".") and definition.undefined and definition.reference and definition.formula and definition.tex
    assert list(definition.parameters) == [parameter.name for parameter in fields(OURS[name]) if parameter.name != "k"]
