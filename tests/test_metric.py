"""A metric is a value, and its text form reads back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import metric as metric_module
from aspectrum.documentation import parameters_of
from aspectrum.metric import Family, Fractions


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("AlphaNDCG", asp.AlphaNDCG()),
        ("AlphaNDCG@10", asp.AlphaNDCG(k=10)),
        ("AlphaNDCG(alpha=0.9)@5,10", asp.AlphaNDCG(k=(5, 10), alpha=0.9)),
        (" AlphaNDCG ( alpha = 0.9 , ideal = sorted ) @ 5 , 10 ", asp.AlphaNDCG(k=(5, 10), alpha=0.9, ideal="sorted")),
        ("alpha_nDCG@20", asp.AlphaNDCG(k=20)),
        ("α_nDCG(alpha=1)@20", asp.AlphaNDCG(k=20, alpha=1)),
        ("alpha-nDCG@5", asp.AlphaNDCG(k=5)),
        ("ERR_IA@5", asp.ERRIA(k=5)),
        ("ERR-IA@5", asp.ERRIA(k=5)),
        ("nERR_IA@5", asp.ERRIA(k=5, normalize="ideal")),
        ("ERRIA(grades=true, intents='counts')@5", asp.ERRIA(k=5, grades=True, intents="counts")),
        ("StRecall@10", asp.AspectRecall(k=10)),
        ("Community recall@5", asp.AspectRecall(k=5)),
        ("SubtopicRecall@5", asp.AspectRecall(k=5)),
        ("nDCG@10", asp.NDCG(k=10)),
        ("ILD@5", asp.IntraListDiversity(k=5)),
        ("Predicted Gini complement@5", asp.GiniComplement(k=5)),
        ("nNRBP", asp.NRBP(normalize="ideal")),
        ("P_IA@5", asp.PrecisionIA(k=5)),
        ("AP_IA", asp.MAPIA()),
        ("alpha_CG@3", asp.AlphaDCG(k=3, discount="none")),
        ("GiniComplement(empty=1)@3", asp.GiniComplement(k=3, empty=1.0)),
        ("AlphaNDCG(judged_by=none)@3", asp.AlphaNDCG(k=3)),
        (
            "AlphaDCG(gain=probabilistic, gamma={Action: 0.5, 'a, b@(c)': 0.25, 7: 1})",
            asp.AlphaDCG(gain="probabilistic", gamma={"Action": 0.5, "a, b@(c)": 0.25, 7: 1}),
        ),
        ("AlphaNDCG@-1", asp.AlphaNDCG()),
        ("alphandcg@3", asp.AlphaNDCG(k=3)),
    ],
)
def test_text_forms(text: str, metric: asp.Metric) -> None:
    assert asp.parse(text) == metric
    assert asp.parse(str(metric)) == metric


def test_defaults_are_not_printed() -> None:
    assert str(asp.AlphaNDCG(k=10, alpha=0.5)) == "AlphaNDCG@10"
    assert str(asp.AlphaNDCG(k=(10, 5, 10, -1), alpha=0.25)) == "AlphaNDCG(alpha=0.25)@5,10,-1"
    assert str(asp.ERRIA(grades=True)) == "ERRIA(grades=true)"


@given(
    names=st.dictionaries(st.one_of(st.text(min_size=1), st.integers()), st.floats(0, 1), min_size=1, max_size=5),
    alpha=st.floats(0, 1),
    k=st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
)
def test_any_value_reads_back(names: dict[Any, float], alpha: float, k: list[int]) -> None:
    metric = asp.AlphaDCG(k=tuple(k), alpha=alpha, gain="probabilistic", gamma=names)
    assert asp.parse(str(metric)) == metric
    assert hash(asp.parse(str(metric))) == hash(metric)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AlfaNDCG@5", "unknown metric 'AlfaNDCG'; did you mean 'AlphaNDCG'"),
        (f"AlphaNDCG(alpha={'9' * 400})", "AlphaNDCG: alpha is inf, expected a finite number"),
        ("AlphaNDCG(gamma={{a: 1}: 2}, gain=probabilistic)", "is not of the form {key: value, ...}"),
        ("Precision at five", "unknown metric"),
        ("AlphaNDCG(alfa=0.5)", "no parameter 'alfa'; did you mean 'alpha'"),
        ("AlphaNDCG(alpha=0.5", "closing bracket"),
        ("AlphaNDCG(alpha)", "not of the form parameter=value"),
        ("AlphaNDCG(alpha=0.5, alpha=0.6)", "given twice"),
        ("AlphaNDCG(alpha=high)", "alpha is 'high', expected a number"),
        ("AlphaNDCG(alpha=1.5)", "alpha is 1.5, expected 0 to 1"),
        ("AlphaNDCG(alpha=nan)", "finite"),
        ("AlphaNDCG(ideal=best)", "ideal is 'best', expected 'greedy' or 'exact' or 'sorted'"),
        ("AlphaNDCG(judged_by=genres)", "judged_by is 'genres', expected"),
        ("AlphaNDCG@ten", "invalid cutoff"),
        ("AlphaNDCG@0", "expected a whole number from 1"),
        ("AlphaNDCG@-2", "expected a whole number from 1"),
        ("AlphaNDCG@5,", "invalid cutoff"),
        ("NDCG(base=1)", "base is 1, expected above 1"),
        ("ERRIA(grades=1)", "grades is 1, expected 'linear' or true or false"),
        ("ERRIA(intents='counts)", "a quote is missing"),
        ("AlphaDCG(gain=probabilistic, normalize=perfect)", "AlphaDCG: normalize goes with gain=linear only"),
        ("AlphaNDCG(gamma=0.5)", "gamma goes with gain=probabilistic only"),
        ("AlphaNDCG(ideal=sorted, pool=list)", "pool goes with ideal=greedy or exact only"),
        ("ERRIA(pool=catalogue)", "pool goes with normalize=ideal only"),
        ("ERRIA(max_grade=4)", "max_grade goes with grades=true or linear only"),
        ("NRBP(pool=catalogue, normalize=none)", "pool goes with normalize=ideal only"),
        ("AlphaDCG(gain=probabilistic, gamma=5)", "gamma is 5.0, expected 0 to 1"),
        ("AlphaNDCG(gain=probabilistic, gamma={x: 0.5, y: -1})", "gamma is -1.0, expected 0 to 1"),
        ("NDCG@", "invalid cutoff"),
        ("", "unknown metric ''"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse(text)
    assert message in str(error.value)


def test_cutoffs_are_whole_numbers() -> None:
    for k in (0, -2, 1.5, True, "5", (), (5, 0)):
        with pytest.raises(asp.MetricError):
            asp.AlphaNDCG(k=k)  # type: ignore[arg-type]


def test_metrics_are_values() -> None:
    assert asp.AlphaNDCG(k=[5, 10]) == asp.AlphaNDCG(k=(10, 5))  # type: ignore[arg-type]
    assert len({asp.AlphaNDCG(k=5), asp.AlphaNDCG(k=5), asp.AlphaNDCG(k=6)}) == 2
    with pytest.raises(AttributeError):
        asp.AlphaNDCG().alpha = 0.1  # type: ignore[misc]


# The registry


def define(name: str, module: str, aliases: Mapping[str, Mapping[str, Any]] | None = None) -> type[asp.Metric]:
    """As a user's file defines a class."""
    content = {"__module__": module, "__qualname__": name, "family": "relevance", "aliases": aliases or {}}
    made: Any = type(name, (asp.UserMetric,), content)
    return dataclass(frozen=True)(made)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry that forgets what a test defines."""
    monkeypatch.setattr(metric_module, "_registry", dict(metric_module._registry))


@pytest.mark.usefixtures("registry")
def test_a_name_that_is_taken_is_refused() -> None:
    taken: list[tuple[str, Any]] = [("NDCG", {}), ("ILD", {}), ("MyMetric", {"NDCG": {}}), ("MyOther", {"alpha_nDCG": {}})]
    for name, aliases in taken:
        with pytest.raises(asp.MetricError, match=r"there is a metric \S+ already, aspectrum\.metrics\.\S+; give yours another name"):
            define(name, "my_metrics", aliases)
    assert asp.parse("NDCG@5") == asp.NDCG(k=5)
    assert asp.registered()["NDCG"] is asp.NDCG


@pytest.mark.usefixtures("registry")
def test_a_metric_that_is_refused_leaves_no_name_behind() -> None:
    with pytest.raises(asp.MetricError, match="there is a metric NDCG already"):
        define("LeavesNothing", "my_metrics", {"NDCG": {}})
    assert "LeavesNothing" not in asp.registered()


@pytest.mark.usefixtures("registry")
def test_a_definition_may_be_executed_again() -> None:
    """As in a notebook, or when a module is reloaded: the newer class counts."""
    first = define("MyMetric", "__main__", {"mine": {}})
    again = define("MyMetric", "__main__", {"mine": {}})
    assert first is not again
    assert type(asp.parse("MyMetric")) is again
    assert type(asp.parse("mine@5")) is again
    with pytest.raises(asp.MetricError, match=r"there is a metric MyMetric already, __main__\.MyMetric"):
        define("MyMetric", "another_module")


def test_abstract_metrics_take_no_name() -> None:
    assert not {"Metric", "UserMetric", "AspectMetric"} & set(asp.registered())


def test_words_that_read_as_nothing() -> None:
    """`none` is a word of some parameters and the missing value of others; both read back."""
    for text in ("EPC(discount=none)@3", "EPC(discount='none')@3", "EPC(discount=None, relevance=none)"):
        metric = asp.parse(text)
        assert metric.parameters["discount"] == "none"
        assert asp.parse(str(metric)) == metric
    assert asp.parse("AlphaDCG(discount=none)") == asp.AlphaDCG(discount="none")
    assert asp.parse("ERRIA(normalize=none)") == asp.ERRIA()


@pytest.mark.parametrize("text", ["NDGC@x", "NDGC(gain)@5"])
def test_a_wrong_name_is_told_before_anything_else(text: str) -> None:
    with pytest.raises(asp.MetricError, match="unknown metric 'NDGC'; did you mean 'NDCG'"):
        asp.parse(text)


# Parameters of metrics that users write


@pytest.fixture
def own(registry: None) -> type[asp.Metric]:
    """A metric with a parameter of every plain type."""

    @dataclass(frozen=True)
    class OfEveryType(asp.UserMetric):
        most: int = 5
        least: int | None = None
        label: str = "any"
        other: str | None = None
        either: int | float = 1
        shares: Mapping[str, float] | None = None

        family: ClassVar[Family] = "novelty"

        def fractions(self, world: asp.World) -> Fractions:
            shape = world.n_users, len(self.cutoffs)
            return Fractions(np.full(shape, float(self.most)), np.full(shape, float(len(self.label))))

    return OfEveryType


@pytest.mark.parametrize(
    "parameters",
    [
        {"most": 7},
        {"most": np.int64(-7), "least": 0},
        {"label": "two words"},
        {"label": "5", "other": "none"},
        {"label": "true", "other": ""},
        {"label": "it's (a, b) = {c}", "other": 'say "x" \\'},
        {"label": "x@5, y", "other": "x@5 y"},
        {"either": 2},
        {"either": 2.5},
        {"shares": {"a": 1, "b c": 0.5}},
    ],
)
def test_parameters_of_every_type_read_back(own: Any, parameters: dict[str, Any]) -> None:
    metric = own(k=(2, 5), **parameters)
    assert asp.parse(str(metric)) == metric
    assert asp.parse(metric.in_full) == metric
    assert hash(asp.parse(str(metric))) == hash(metric)
    assert replace(metric, k=(5, 2)) == metric
    assert {type(value) for value in metric.parameters.values()} <= {int, float, str, tuple, type(None)}


@given(label=st.text(), other=st.none() | st.text(), most=st.integers(-(10**30), 10**30))
def test_any_text_and_whole_number_reads_back(label: str, other: str | None, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric_module, "_registry", dict(metric_module._registry))

        @dataclass(frozen=True)
        class AnyText(asp.UserMetric):
            label: str = ""
            other: str | None = None
            most: int = 0

            family: ClassVar[Family] = "novelty"

        metric = AnyText(label=label, other=other, most=most)
        assert asp.parse(str(metric)) == metric


def test_parameters_of_every_type_are_evaluated_and_described(own: Any) -> None:
    result = asp.evaluate({"u": ["a"], "v": ["b"]}, ["OfEveryType(most=6, label=abc)@1", own(k=2, label="ab")])
    assert dict(result) == {"OfEveryType(most=6, label=abc)@1": 2.0, "OfEveryType(label=ab)@2": 2.5}
    allowed = {one["name"]: one["allowed"] for one in parameters_of(own)}
    assert allowed["least"] == ["a whole number", "none"]
    assert allowed["label"] == ["text"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"most": 2.5}, "OfEveryType: most is 2.5, expected a whole number"),
        ({"most": True}, "OfEveryType: most is True, expected a whole number"),
        ({"most": "5"}, "OfEveryType: most is '5', expected a whole number"),
        ({"least": "x"}, "OfEveryType: least is 'x', expected None or a whole number"),
        ({"label": 5}, "OfEveryType: label is 5, expected text (in quotes if it looks like a number, true, false or none)"),
        ({"label": None}, "OfEveryType: label is None, expected text"),
        ({"either": "x"}, "OfEveryType: either is 'x', expected a number"),
        ({"shares": 1}, "OfEveryType: shares is 1, expected None or {key: number, ...}"),
    ],
)
def test_values_of_another_type_are_refused(own: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        own(**parameters)
    assert message in str(error.value)


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("hint", "default", "shown"),
    [
        (tuple, (), "tuple"),
        (tuple[int, ...], (1, 2), "tuple[int, ...]"),
        (list[str], None, "list[str]"),
        (Mapping[str, str], None, "Mapping[str, str]"),
        (bytes | None, None, "bytes | None"),
        (complex, 1j, "complex"),
    ],
)
def test_types_that_are_not_supported(hint: Any, default: Any, shown: str) -> None:
    content = {"__annotations__": {"most": hint}, "most": default, "family": "novelty", "__module__": "my_metrics"}
    cls: Any = dataclass(frozen=True)(type("FreshShare", (asp.UserMetric,), content))
    for make in (cls, lambda: asp.parse("FreshShare@5")):
        with pytest.raises(asp.MetricError) as error:
            make()
        assert "FreshShare: parameter most has type " in str(error.value)
        assert f"{shown}, which is not supported; expected bool, int, float, str, Literal, Mapping[str, float]" in str(error.value)


@pytest.mark.usefixtures("registry")
def test_a_family_that_is_misspelt() -> None:
    with pytest.raises(asp.MetricError, match="FreshShare: family is 'diversty', expected one of 'relevance', 'aspects', 'distance'"):
        type("FreshShare", (asp.UserMetric,), {"family": "diversty"})
    assert "FreshShare" not in asp.registered()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "NuggetCoverage(denominator=best)@2000t",
            "of goes with denominator=attainable only; NuggetCoverage stands for AspectRecall(of=listed)",
        ),
        ("hole@2000t", "expected list; hole stands for Judged(by=anybody, over=k, complement=true)"),
        ("Judged(over=k)@2000t", "over=k does not go with cutoffs in tokens, expected list"),
    ],
)
def test_errors_say_what_another_name_stands_for(text: str, said: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse(text)
    assert str(error.value).endswith(said)


def test_a_name_that_stands_for_parameters_in_python() -> None:
    assert asp.NuggetCoverage(k=asp.Tokens(400)) == asp.parse("NuggetCoverage@400t") == asp.AspectRecall(k=asp.Tokens(400), of="listed")
    assert "NuggetCoverage" in dir(asp)
