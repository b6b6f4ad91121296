"""``aspectrum contacts``: the numbers of the library from files, in every form; and one clear message where there are none."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import aspectrum as asp
from tests.cli.conftest import Call, Said
from tests.cli.contacts_data import (
    COMMUNITIES,
    FILES,
    INPUTS,
    LINKS,
    MEASURED,
    NEAR,
    POP,
    SYSTEMS,
    TEST,
    TEXTS,
    TRAIN,
    WEIGHTS,
    pairs,
    write_network,
    write_rows,
)
from tests.networks import EXAMPLE

Refused = Callable[..., str]
Rows = list[tuple[Any, ...]]
NDCG = ("-m", "nDCG@3")
RECALL = ("-m", "Community recall@5")

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<graph id="G" edgedefault="{kind}">
{nodes}
{edges}
</graph></graphml>
"""


@pytest.fixture(autouse=True)
def net(here: Path) -> Path:
    """A folder with the files of :mod:`tests.cli.contacts_data`, which is the current one."""
    write_network(here)
    return here


def values(said: Said) -> dict[str, dict[str, float]]:
    """Numbers by system and metric, of JSON."""
    assert (said.code, said.err) == (0, ""), said
    systems = json.loads(said.out)["systems"]
    return {name: {entry["metric"]: entry["value"] for entry in one["metrics"]} for name, one in systems.items()}


def notes(said: Said) -> str:
    """What the notes of JSON say, but for what stands everywhere."""
    assert (said.code, said.err) == (0, ""), said
    everywhere = ("lists are in input order", "lists are ordered by score, best first", "the graph is directed")
    return "\n".join(note for note in json.loads(said.out)["notes"] if note not in everywhere)


@pytest.fixture
def measured(call: Call) -> Call:
    """The numbers of one system ``near`` as JSON."""

    def measured(*arguments: str) -> Said:
        return call("contacts", "recs/near.tsv", *arguments, "--format", "json")

    return measured


def ours(lists: Any, metric: str, **inputs: Any) -> float:
    return float(asp.contacts.evaluate(lists, metric, **inputs)[metric])


def graphml(path: Path, links: dict[int, list[int]], kind: str = "directed", alone: tuple[int, ...] = ()) -> None:
    users = sorted({*links, *(other for others in links.values() for other in others), *alone})
    nodes = "\n".join(f'<node id="{user}"/>' for user in users)
    edges = "\n".join(f'<edge source="{one}" target="{other}"/>' for one, other in pairs(links))
    path.write_text(GRAPHML.format(kind=kind, nodes=nodes, edges=edges))


# What works


def test_files_of_relison_work_as_they_are(call: Call) -> None:
    said = call("contacts", "recs", *FILES, "--config", "relison.yaml", "--convention", "relison", "--format", "json")
    assert values(said) == {
        name: dict(asp.contacts.evaluate(lists, MEASURED.values(), convention="relison", **INPUTS)) for name, lists in SYSTEMS.items()
    }
    assert list(values(said)["near"]) == list(MEASURED.values())
    assert notes(said).splitlines() == [
        "the algorithms of the configuration are for RELISON to run; only its metrics are used here",
        "features.tsv: 4 of 12 feature values are not 1; only the presence of a feature counts",
    ]


@pytest.mark.parametrize("convention", ["published", "relison"])
def test_the_table_of_relison(call: Call, convention: str) -> None:
    said = call("contacts", "recs", *FILES, "--config", "relison.yaml", "--convention", convention, "--format", "relison")
    assert said.code == 0
    head, *rows = csv.reader(io.StringIO(said.out), delimiter="\t")
    assert head == ["Variant", *MEASURED]
    assert [row[0] for row in rows] == ["near", "pop"]
    for name, *cells in rows:
        expected = asp.contacts.evaluate(SYSTEMS[name], MEASURED.values(), convention=convention, **INPUTS)
        assert [float(cell) for cell in cells] == [expected[metric] for metric in MEASURED.values()]


def test_the_table_of_relison_has_no_room_for_notes_which_are_not_lost(call: Call, net: Path) -> None:
    write_rows(net / "more.tsv", [*pairs(TEST), (1, 1), (1, 99)])
    said = call("contacts", "recs", *LINKS[:2], "--test", "more.tsv", *NDCG, "--format", "relison")
    assert len(said.out.splitlines()) == 3
    assert "8 of 10 links are left to predict" in said.err
    assert "more.tsv: 1 of 10 links are self-links and are excluded" in said.err


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_says_what_was_left_out(call: Call, net: Path, form: str) -> None:
    write_rows(net / "more.tsv", [*pairs(TEST), (1, 1), (1, 99), (1, 2), (3, 1)])
    ask = ("contacts", "recs", "--train", "train.tsv", "--test", "more.tsv", "-m", "NDCG@3")
    said = call(*ask, "--format", form)
    assert (said.code, said.err) == (0, "")
    for system, lists in SYSTEMS.items():
        value = ours(lists, "NDCG@3", train=TRAIN, test=TEST)
        assert system in said.out
        assert (repr(value) if form in ("json", "csv") else f"{value:.4f}") in said.out
    for note in (
        "more.tsv: 1 of 12 links have an end outside the train graph and are excluded (such as 1 to 99)",
        "more.tsv: 1 of 12 links are self-links and are excluded (such as 1 to 1)",
        "more.tsv: 1 of 12 links are in the train graph and are excluded (such as 1 to 2)",
        "more.tsv: 1 of 12 links have their reverse in the train graph and are excluded (such as 3 to 1)",
        "more.tsv: 8 of 12 links are left to predict",
    ):
        assert note in said.out


@pytest.mark.parametrize("name", ["out.txt", "out.json", "out.csv", "out.md", "out.tex", "out"])
def test_outputs_are_what_is_printed(call: Call, net: Path, name: str) -> None:
    forms = {"out.txt": "table", "out.json": "json", "out.csv": "csv", "out.md": "markdown", "out.tex": "latex", "out": "relison"}
    ask = ("contacts", "recs", *FILES, "-m", "usual@3")
    printed = call(*ask, "--format", forms[name]).out
    said = call(*ask, "--quiet", "-o", name, *(("--format", "relison") if name == "out" else ()))
    assert (said.code, said.out) == (0, "")
    assert (net / name).read_text() == printed


@pytest.mark.parametrize("spelled", [["published,relison"], ["published", "--convention", "relison"]])
def test_both_conventions_by_name(call: Call, spelled: list[str]) -> None:
    ask = ("contacts", "recs", *FILES, "-m", "ERRIA@3", "--format", "json", "--convention")
    assert call(*ask, *spelled).out == call(*ask, "both").out


def test_both_conventions_side_by_side(call: Call) -> None:
    said = call("contacts", "recs", *FILES, "-m", "ERRIA@3", "-m", "ILD@3", "--convention", "both", "--format", "json")
    found = values(said)
    assert list(found) == ["near (published)", "near (relison)", "pop (published)", "pop (relison)"]
    for name, numbers in found.items():
        system, _, convention = name.rstrip(")").partition(" (")
        assert numbers == dict(asp.contacts.evaluate(SYSTEMS[system], ["ERRIA@3", "ILD@3"], convention=convention, **INPUTS))


def test_scores_of_users(call: Call, net: Path) -> None:
    ask = ("contacts", "recs", *FILES, "-m", "ERRIA@3", "-m", "Community recall@5", "-m", "Predicted Gini complement@5")
    assert call(*ask, "--per-user", "scores.parquet").code == 0
    found = polars.read_parquet(net / "scores.parquet")
    assert found.columns == ["system", "user", "ERRIA@3", "AspectRecall@5", "GiniComplement@5 contribution"]
    for name, lists in SYSTEMS.items():
        own = asp.contacts.evaluate(lists, ["ERRIA@3", "AspectRecall@5"], **INPUTS).per_user
        mine = found.filter(polars.col("system") == name).drop("system", "GiniComplement@5 contribution")
        assert (
            mine.with_columns(polars.col("user").cast(polars.String))
            .sort("user")
            .equals(own.with_columns(polars.col("user").cast(polars.String)).sort("user"))
        )


UNEXPECTEDNESS = "EPD(missing=zero, discount='none', relevance='none', average=links)@10"
"""What RELISON calls Unexpectedness."""


def test_the_usual_metrics_are_those_that_the_inputs_allow(call: Call) -> None:
    def names(*arguments: str) -> list[str]:
        return list(values(call("contacts", "recs/near.tsv", *arguments, "--format", "json"))["near"])

    novel, unexpected, far = (str(asp.parse(one)) for one in ("LTN@10", UNEXPECTEDNESS, "Mean prediction distance@10"))
    assert names("--train", "train.tsv") == ["GiniComplement@10", novel, far]
    ranked = ["GiniComplement@10", "NDCG@10", "Precision@10", "Recall@10", "MAP@10", novel]
    assert names(*LINKS) == [*ranked, far]
    assert names(*FILES) == ["AspectRecall@10", "ERRIA@10", "IntraListDiversity@10", *ranked, unexpected, far]
    assert names(*LINKS, "--texts", "texts.tsv") == ["IntraListDiversity@10", *ranked, unexpected, far]
    assert names(*LINKS, "-m", "usual@2,3")[:2] == ["GiniComplement@2", "GiniComplement@3"]
    assert names(*LINKS, "-m", "usual")[0] == "GiniComplement"
    for asked in ("usual@10", "all@10"):  # communities are no features
        assert "IntraListDiversity@10" not in names(*LINKS, "--communities", "communities.tsv", "-m", asked)


def test_systems_by_name_and_from_directories(call: Call, net: Path) -> None:
    (net / "recs" / ".hidden").write_text("not a list")
    assert list(values(call("contacts", "A=recs/pop.tsv", "recs/near.tsv", *LINKS, *NDCG, "--format", "json"))) == ["A", "near"]
    found = values(call("contacts", "Other=recs/pop.tsv", "recs/", *LINKS, *NDCG, "--format", "json"))
    assert list(found) == ["Other", "near", "pop"]
    assert found["Other"] == found["pop"] == {"NDCG@3": ours(POP, "NDCG@3", train=TRAIN, test=TEST)}


DIRTY: Rows = [*pairs(TEST), (1, 1), (1, 99), (99, 1), (4, 6), (3, 1)]


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ((), ()),
        (("--keep", "strangers"), ("strangers",)),
        (("--keep", "self"), ("self",)),
        (("--keep", "known"), ("known",)),
        (("--keep", "reciprocal"), ("reciprocal",)),
        (("--keep", "self,known"), ("self", "known")),
        (("--keep", "self, known", "--keep", "reciprocal"), ("self", "known", "reciprocal")),
        (("--keep", "strangers,self,known,reciprocal"), ("strangers", "self", "known", "reciprocal")),
    ],
)
def test_links_to_keep(measured: Call, net: Path, written: tuple[str, ...], rules: tuple[Any, ...]) -> None:
    write_rows(net / "test.tsv", DIRTY)
    counts = {"strangers": 2, "self": 1, "known": 1, "reciprocal": 1}
    why = {
        "strangers": "have an end outside the train graph",
        "self": "are self-links",
        "known": "are in the train graph",
        "reciprocal": "have their reverse in the train graph",
    }
    said = measured(*LINKS, *written, "-m", "nDCG@3", "-m", "Predicted Gini complement@3")
    expected = asp.contacts.evaluate(NEAR, ["NDCG@3", "GiniComplement@3"], train=TRAIN, test=DIRTY, keep=rules)
    assert values(said)["near"] == dict(expected)
    for rule, reason in why.items():
        done = "are kept, as requested" if rule in rules else "are excluded"
        assert f"test.tsv: {counts[rule]} of 13 links {reason} and {done}" in notes(said)


@pytest.mark.parametrize(
    ("option", "link"),
    [
        ("--directed", (1, 2)),  # its reverse is there as well
        ("--undirected", (4, 6)),  # without directions every link is its own reverse
    ],
)
def test_a_known_link_that_is_kept_is_not_left_out_for_its_reverse(measured: Call, net: Path, option: str, link: tuple[int, int]) -> None:
    write_rows(net / "test.tsv", [(1, 4), link])
    said = notes(measured(*LINKS, option, "--keep", "known", *NDCG))
    assert "are in the train graph and are kept, as requested" in said
    assert "left out" not in said


def test_rules_of_a_configuration_give_way_to_options(measured: Call, net: Path) -> None:
    write_rows(net / "test.tsv", DIRTY)
    (net / "keep.yaml").write_text("contacts: {keep: [self, known]}\n")
    assert notes(measured(*LINKS, "--config", "keep.yaml", *NDCG)).count("are kept") == 2
    (net / "one.yaml").write_text("contacts: {keep: self}\n")
    assert notes(measured(*LINKS, "--config", "one.yaml", *NDCG)).count("are kept") == 1
    said = notes(measured(*LINKS, "--config", "keep.yaml", "--keep", "reciprocal", *NDCG))
    assert said.count("are kept") == 1
    assert "have their reverse in the train graph and are kept" in said


CONFIG = """\
systems: {Near: recs/near.tsv, Pop: {path: pop.txt, columns: {user: 2, item: 1}, header: false}}
inputs:
  train: train.tsv
  test: {path: weights.csv, columns: {source: who, target: whom, weight: w}}
  communities: communities.tsv
  features: features.tsv
metrics:
  nDCG: {cutoff: [2, 3]}
  Community recall: {cutoff: 3}
  ILD: {cutoff: 3}
convention: relison
contacts: {directed: false, weighted: true, keep: [reciprocal]}
users: all
duplicates: first
order: input
threads: 1
outputs: [out.json, {path: out.tsv, format: relison}]
per_user: scores.parquet
systems_as: rows
"""


def test_everything_in_a_configuration_and_options_on_top(call: Call, net: Path) -> None:
    (net / "configuration").mkdir()
    for name in ("train.tsv", "communities.tsv", "features.tsv", "recs"):
        (net / "configuration" / name).symlink_to(net / name)
    folder = net / "configuration"
    write_rows(folder / "pop.txt", [(other, one) for one, other in pairs(POP)])
    rows = [(w, t, s) for s, own in WEIGHTS.items() for t, w in own.items()]
    (folder / "weights.csv").write_text("w,whom,who\n" + "".join(f"{w},{t},{s}\n" for w, t, s in rows))
    (folder / "all.yaml").write_text(CONFIG)
    metrics = ["NDCG@2", "NDCG@3", "AspectRecall@3", "IntraListDiversity@3"]
    inputs = {**INPUTS, "test": WEIGHTS}
    social: dict[str, Any] = {"directed": False, "weighted": True, "keep": ["reciprocal"], "users": "all"}

    said = call("contacts", "--config", "configuration/all.yaml")
    assert (said.code, said.err) == (0, "")
    assert re.sub(r" \(by \w+\)", "", said.out.splitlines()[0]).split() == ["System", *metrics]
    found = json.loads((folder / "out.json").read_text())["systems"]
    for name, lists in (("Near", NEAR), ("Pop", POP)):
        expected = asp.contacts.evaluate(lists, metrics, convention="relison", **social, **inputs)
        assert {entry["metric"]: entry["value"] for entry in found[name]["metrics"]} == dict(expected)
    assert (folder / "out.tsv").read_text().startswith("Variant\tnDCG@2\tnDCG@3\tCommunity recall@3\tILD@3\nNear\t")
    assert polars.read_parquet(folder / "scores.parquet")["system"].unique(maintain_order=True).to_list() == ["Near", "Pop"]

    on_top = ("--directed", "--unweighted", "--keep", "self", "--users", "lists", "--convention", "published", "-m", "nDCG@3")
    said = call("contacts", "X=recs/near.tsv", "--config", "configuration/all.yaml", "--test", "test.tsv", *on_top, "--format", "json")
    assert values(said) == {"X": {"NDCG@3": ours(NEAR, "NDCG@3", train=TRAIN, test=TEST, users="lists")}}


def test_a_configuration_may_hold_a_directory(call: Call, net: Path) -> None:
    (net / "all.yaml").write_text("systems: [recs]\ninputs: {train: train.tsv, test: test.tsv}\nmetrics: [NDCG@3]\n")
    assert list(values(call("contacts", "--config", "all.yaml", "--format", "json"))) == ["near", "pop"]


def test_undirected(measured: Call) -> None:
    for option, directed in (("--undirected", False), ("--directed", True)):
        found = values(measured(*LINKS, option, *NDCG, "-m", "ERRIA@3", "--communities", "communities.tsv", "--convention", "relison"))
        given = {"train": TRAIN, "test": TEST, "communities": COMMUNITIES, "directed": directed, "convention": "relison"}
        assert found["near"] == {name: ours(NEAR, name, **given) for name in ("NDCG@3", "ERRIA@3")}
    assert (
        values(measured(*LINKS, *NDCG)) == values(measured(*LINKS, "--directed", *NDCG)) != values(measured(*LINKS, "--undirected", *NDCG))
    )


def test_weights_are_grades_if_asked(measured: Call) -> None:
    ask = ("--train", "train.tsv", "--test", "weights.tsv", *NDCG)
    weighted = ours(NEAR, "NDCG@3", train=TRAIN, test=WEIGHTS, weighted=True)
    plain = ours(NEAR, "NDCG@3", train=TRAIN, test=TEST)
    assert weighted != plain
    assert values(measured(*ask, "--weighted"))["near"]["NDCG@3"] == weighted
    assert values(measured(*ask))["near"]["NDCG@3"] == values(measured(*ask, "--unweighted"))["near"]["NDCG@3"] == plain


def test_repeated_links_do_what_the_note_says(measured: Call, net: Path) -> None:
    write_rows(net / "again.tsv", [*pairs(TEST), (1, 4), (2, 6)])
    ask = ("--train", "train.tsv", "--test", "again.tsv", *NDCG)
    assert "again.tsv: 2 repeated links ignored" in notes(measured(*ask))
    assert values(measured(*ask))["near"]["NDCG@3"] == ours(NEAR, "NDCG@3", train=TRAIN, test=TEST)
    rows = [(one, other, weight) for one, own in WEIGHTS.items() for other, weight in own.items()]
    write_rows(net / "again.tsv", [*rows, (1, 4, 2.0)])
    said = measured(*ask, "--weighted")
    assert "again.tsv: 1 repeated link; weights are summed" in notes(said)
    assert "weights" in notes(said)  # are added
    assert "count once" not in notes(said)
    more = {**WEIGHTS, 1: {4: 5.0, 5: 0.5}}
    assert values(said)["near"]["NDCG@3"] == ours(NEAR, "NDCG@3", train=TRAIN, test=more, weighted=True)


@pytest.mark.parametrize("convention", ["published", "relison"])
def test_texts(measured: Call, convention: str) -> None:
    for of in ("own", "followees", "followers", "all"):
        found = values(measured(*LINKS, "--texts", "texts.tsv", "--of", of, "-m", "ILD@3", "--convention", convention))
        assert found["near"]["IntraListDiversity@3"] == ours(
            NEAR, "IntraListDiversity@3", train=TRAIN, texts=TEXTS, texts_of=of, convention=convention
        )
    own = values(measured(*LINKS, "--texts", "texts.tsv", "-m", "ILD@3", "--convention", convention))
    assert own == values(measured(*LINKS, "--texts", "texts.tsv", "--of", "own", "-m", "ILD@3", "--convention", convention))
    by_weighting = {
        weighting: values(
            measured("--train", "train.tsv", "--texts", "texts.tsv", "--weighting", weighting, "-m", "ILD@3", "--convention", convention)
        )
        for weighting in ("tf-idf", "relison", "counts")
    }
    assert len({json.dumps(one) for one in by_weighting.values()}) == 3
    assert by_weighting["relison" if convention == "relison" else "tf-idf"] == own


def test_texts_of_a_configuration(call: Call, net: Path) -> None:
    (net / "all.yaml").write_text(
        "systems: [recs/near.tsv]\ninputs: {train: train.tsv, texts: texts.tsv}\nmetrics: [ILD@3]\n"
        "contacts: {texts_of: followees, weighting: counts}\n"
    )
    found = values(call("contacts", "--config", "all.yaml", "--format", "json"))["near"]["IntraListDiversity@3"]
    given: dict[str, Any] = {"train": TRAIN, "texts": TEXTS}
    assert found == ours(NEAR, "IntraListDiversity@3", texts_of="followees", weighting="counts", **given)
    on_top = call("contacts", "--config", "all.yaml", "--of", "own", "--weighting", "tf-idf", "--format", "json")
    assert values(on_top)["near"]["IntraListDiversity@3"] == ours(NEAR, "IntraListDiversity@3", **given)


def test_an_index_of_texts_is_features(measured: Call, net: Path) -> None:
    asp.contacts.index_texts(TEXTS, weighting="relison").save(net / "index.npz")
    ask = ("--train", "train.tsv", "-m", "ILD@3", "--convention", "relison")
    assert values(measured(*ask, "--features", "index.npz")) == values(measured(*ask, "--texts", "texts.tsv"))


def test_users_whose_texts_are_unknown_are_counted(measured: Call, net: Path) -> None:
    write_rows(net / "few.tsv", [*list(TEXTS.items())[:5], (77, "blue sky")])
    said = notes(measured("--train", "train.tsv", "--texts", "few.tsv", "--no-header", "-m", "ILD@3"))
    assert "few.tsv: 1 of 6 users are not in train.tsv" in said
    assert "3 of 8 users of train.tsv have no" in said


# Files of all kinds


@pytest.fixture
def plain(measured: Call) -> dict[str, dict[str, float]]:
    """What the plain files give."""
    return values(measured(*LINKS, "--communities", "communities.tsv", *NDCG, *RECALL))


@pytest.mark.parametrize(
    ("end", "before"),
    [("\r\n", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff"), ("\n", "# a\tcomment\n# FromNodeId\tToNodeId\n"), ("\n", "% sym\n")],
)
def test_text_of_all_kinds(measured: Call, net: Path, plain: dict[str, dict[str, float]], end: str, before: str) -> None:
    write_rows(net / "train.tsv", pairs(TRAIN), end=end, before=before)
    write_rows(net / "test.tsv", pairs(TEST), end=end, before=before)
    if "#" not in before and "%" not in before:  # comments are for links
        write_rows(net / "communities.tsv", COMMUNITIES.items(), end=end, before=before)
        write_rows(net / "recs" / "near.tsv", pairs(NEAR), end=end, before=before)
    said = measured(*LINKS, "--communities", "communities.tsv", *NDCG, *RECALL)
    assert values(said) == plain
    assert notes(said) == ""


def test_lines_are_counted_with_comments(refused: Refused, net: Path) -> None:
    write_rows(net / "train.tsv", [*pairs(TRAIN), (1,)], before="# one\n# two\n")
    assert refused(1, "contacts", "recs", *LINKS, *NDCG).startswith("error: train.tsv, line 14: has 1 field, expected 2")


@pytest.mark.parametrize("head", ["source\ttarget", "follower\tfollowee", "FromId\tToId", "user\tfriend", "src\tdst"])
def test_names_of_columns(measured: Call, net: Path, plain: dict[str, dict[str, float]], head: str) -> None:
    write_rows(net / "train.tsv", pairs(TRAIN), before=f"{head}\n")
    assert values(measured(*LINKS, "--communities", "communities.tsv", *NDCG, *RECALL)) == plain
    turned = "\t".join(reversed(head.split("\t")))
    write_rows(net / "train.tsv", [(other, one) for one, other in pairs(TRAIN)], before=f"{turned}\n")
    assert values(measured(*LINKS, "--communities", "communities.tsv", *NDCG, *RECALL)) == plain


def test_columns_by_option(measured: Call, net: Path, plain: dict[str, dict[str, float]]) -> None:
    write_rows(net / "train.tsv", [("x", other, one) for one, other in pairs(TRAIN)])
    said = measured(*LINKS, "--communities", "communities.tsv", *NDCG, *RECALL, "--columns", "train:source=3,target=2")
    assert values(said) == plain


def test_packed(call: Call, net: Path, plain: dict[str, dict[str, float]]) -> None:
    for name in ("train.tsv", "test.tsv", "communities.tsv", "recs/near.tsv"):
        (net / f"{name}.gz").write_bytes(gzip.compress((net / name).read_bytes()))
    files = ("--train", "train.tsv.gz", "--test", "test.tsv.gz", "--communities", "communities.tsv.gz")
    assert values(call("contacts", "recs/near.tsv.gz", *files, *NDCG, *RECALL, "--format", "json")) == plain


def test_parquet(call: Call, net: Path, plain: dict[str, dict[str, float]]) -> None:
    for name, (one, other), links in (
        ("train", ("source", "target"), TRAIN),
        ("test", ("source", "target"), TEST),
        ("near", ("user", "item"), NEAR),
    ):
        sides = list(zip(*pairs(links), strict=True))
        polars.DataFrame({one: sides[0], other: sides[1]}).write_parquet(net / f"{name}.parquet")
    files = ("--train", "train.parquet", "--test", "test.parquet", "--communities", "communities.tsv")
    assert values(call("contacts", "near.parquet", *files, *NDCG, *RECALL, "--format", "json")) == plain


def test_graphml(measured: Call, net: Path, plain: dict[str, dict[str, float]]) -> None:
    graphml(net / "train.graphml", TRAIN)
    graphml(net / "test.graphml", TEST)
    (net / "train.graphml.gz").write_bytes(gzip.compress((net / "train.graphml").read_bytes()))
    for train in ("train.graphml", "train.graphml.gz"):
        for test in ("test.graphml", "test.tsv"):
            said = measured("--train", train, "--test", test, "--communities", "communities.tsv", *NDCG, *RECALL)
            assert values(said) == plain


def test_graphml_says_whether_links_lead_one_way(measured: Call, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN, "undirected")
    graphml(net / "test.graphml", TEST, "undirected")
    expected = values(measured(*LINKS, "--undirected", *NDCG))
    assert values(measured("--train", "train.graphml", "--test", "test.graphml", *NDCG)) == expected
    assert values(measured("--train", "train.graphml", "--test", "test.tsv", *NDCG)) == expected


def test_a_user_of_graphml_without_links_is_a_user(measured: Call, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN, alone=(9,))
    found = values(measured("--train", "train.graphml", "-m", "Predicted Gini complement@3"))["near"]["GiniComplement@3"]
    write_rows(net / "more.tsv", [*pairs(TRAIN), (9, 9)])
    assert found == values(measured("--train", "more.tsv", "-m", "Predicted Gini complement@3"))["near"]["GiniComplement@3"]


def test_standard_input(start: Any, plain: dict[str, dict[str, float]]) -> None:
    with open("train.tsv", "rb") as file:
        process = start("contacts", "recs/near.tsv", "--train", "-", "--test", "test.tsv", *NDCG, "--format", "json", stdin=file)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["systems"]["near"]["metrics"][0]["value"] == plain["near"]["NDCG@3"]


def test_any_letters_in_ids(call: Call, net: Path) -> None:
    names = {1: "ünï", 2: "日本", 3: "😀", 4: "ann", 5: "a b", 6: "'q'", 7: "-", 8: "null"}

    def named(links: dict[int, list[int]]) -> dict[str, list[str]]:
        return {names[one]: [names[other] for other in others] for one, others in links.items()}

    for name, links in (("train", TRAIN), ("test", TEST), ("near", NEAR)):
        write_rows(net / f"{name}.tsv", pairs(named(links)))
    write_rows(net / "communities.tsv", [(names[user], community) for user, community in COMMUNITIES.items()])
    ask = ("contacts", "near.tsv", *LINKS, "--communities", "communities.tsv", "--no-header", *NDCG, *RECALL)
    found = values(call(*ask, "--per-user", "scores.parquet", "--format", "json"))["near"]
    given = {"train": TRAIN, "test": TEST, "communities": COMMUNITIES}
    assert found == {name: ours(NEAR, name, **given) for name in ("NDCG@3", "AspectRecall@5")}
    assert set(polars.read_parquet(net / "scores.parquet")["user"]) == {names[user] for user in NEAR}


def test_one_user(call: Call, net: Path) -> None:
    write_rows(net / "one.tsv", [(1, 2)])
    write_rows(net / "list.tsv", [(2, 1)])
    ask = ("contacts", "list.tsv", "--train", "one.tsv", "--test", "list.tsv", "--keep", "reciprocal", "--no-header", "--format", "json")
    assert values(call(*ask, *NDCG, "-m", "Predicted Gini complement@3"))["list"] == {"NDCG@3": 1.0, "GiniComplement@3": 0.0}


def test_who_is_averaged(measured: Call, net: Path) -> None:
    (net / "some.txt").write_text("1\n8\n")
    for who, python in (("all", "all"), ("relevant", "relevant"), ("some.txt", [1, 8])):
        assert values(measured(*LINKS, "--users", who, *NDCG))["near"]["NDCG@3"] == ours(
            NEAR, "NDCG@3", train=TRAIN, test=TEST, users=python
        )


def test_threads_do_not_change_a_bit(call: Call) -> None:
    ask = ("contacts", "recs", *FILES, "--convention", "both", "--format", "json")
    assert call(*ask, "--threads", "1").out == call(*ask, "--threads", "3").out


# What is said in notes


@pytest.mark.parametrize(
    ("lists", "note"),
    [
        (
            [(1, 4), (1, 5), (99, 2)],
            "lists.tsv: 1 of 2 users with recommendations are not in train.tsv (such as 99); their recommendations are ignored",
        ),
        ([(1, 99), (1, 4), (1, 5)], "lists.tsv: 1 of 3 candidates are not in train.tsv (such as 99); coverage and Gini ignore them"),
        ([(1, 2), (1, 4), (1, 5)], "lists.tsv: 1 of 3 rows recommend a contact that the user already has in train.tsv (such as 1 to 2)"),
        ([(1, 1), (1, 4), (1, 5)], "lists.tsv: 1 of 3 rows recommend users to themselves (such as 1 to 1)"),
    ],
)
@pytest.mark.parametrize("convention", ["published", "relison"])
def test_odd_lists_are_noted(call: Call, net: Path, lists: Rows, note: str, convention: str) -> None:
    write_rows(net / "lists.tsv", lists)
    ask = ("contacts", "lists.tsv", *FILES, "--no-header", "-m", "usual@3", "--convention", convention, "--format", "json")
    said = call(*ask)
    assert note in notes(said)
    expected: dict[int, list[int]] = {}
    for row in lists:
        expected.setdefault(row[0], []).append(row[1])
    own = asp.contacts.evaluate(expected, list(values(said)["lists"]), convention=convention, **INPUTS)
    assert values(said)["lists"] == pytest.approx(dict(own), nan_ok=True, abs=0, rel=0)


def test_relison_takes_rows_as_they_stand_and_says_so_where_scores_or_ranks_disagree(call: Call, net: Path) -> None:
    best_first = ours({1: [5, 6, 7]}, "NDCG@1", train=TRAIN, test=TEST)
    by_relison = {order: ours({1: list(order)}, "NDCG@1", train=TRAIN, test=TEST, convention="relison") for order in ((7, 5, 6), (5, 6, 7))}
    assert by_relison[7, 5, 6] == 0 < by_relison[5, 6, 7]
    for name, numbers, note in (
        ("score", (0.1, 0.9, 0.5), "1 of 3 scores are higher than the one before; input order is used"),
        ("rank", (3, 1, 2), "1 of 3 ranks are lower than the one before; input order is used"),
    ):
        rows = zip((1, 1, 1), (7, 5, 6), numbers, strict=True)
        write_rows(net / "lists.tsv", [("user", "candidate", name), *rows])
        ask = ("contacts", "lists.tsv", *LINKS, "-m", "nDCG@1", "--format", "json")
        said = call(*ask, "--convention", "both")
        assert values(said) == {"lists (published)": {"NDCG@1": best_first}, "lists (relison)": {"NDCG@1": 0.0}}
        assert f"relison: lists.tsv: {note}" in notes(said)
        assert f"published: lists are ordered by {name}" in notes(said)
        assert "input order is used" not in notes(call(*ask))
        assert values(call(*ask, "--convention", "relison", "--order", name)) == {"lists": {"NDCG@1": by_relison[5, 6, 7]}}


@pytest.mark.parametrize(
    ("option", "rows", "note"),
    [
        ("communities", list(COMMUNITIES.items())[:-1], "changed.tsv: 1 of 8 users of train.tsv have no community (such as 8)"),
        ("communities", [*list(COMMUNITIES.items())[:-1], (8, "")], "changed.tsv: 1 of 8 users of train.tsv have no community (such as 8)"),
        ("communities", [*COMMUNITIES.items(), (77, 0)], "changed.tsv: 1 of 9 users are not in train.tsv"),
        ("communities", [*COMMUNITIES.items(), (1, 2)], "1 of 9 rows are ignored"),
        ("features", [(user, "a", 1) for user in range(1, 8)], "changed.tsv: 1 of 8 users of train.tsv have no features (such as 8)"),
        ("features", [(user, "a", 1) for user in [*range(1, 9), 77]], "changed.tsv: 1 of 9 users are not in train.tsv"),
    ],
)
def test_odd_users_are_noted(measured: Call, net: Path, option: str, rows: Rows, note: str) -> None:
    write_rows(net / "changed.tsv", rows)
    ask = (*LINKS, f"--{option}", "changed.tsv", "-m", "ILD@3" if option == "features" else "ERRIA@3")
    assert note in notes(measured(*ask, "--convention", "relison"))


def test_without_features_relison_takes_every_distance_for_none(call: Call) -> None:
    said = call("contacts", "recs/near.tsv", *LINKS, "-m", "ILD@3", "--convention", "relison", "--format", "json")
    assert [one["value"] for one in json.loads(said.out)["systems"]["near"]["metrics"]] == [0.0]
    assert (
        said.err
        == "warning: there are no features; RELISON then takes every distance as 0, and so are ILD and Unexpectedness [no_features]\n"
    )


def test_train_with_links_to_oneself_only(measured: Call, net: Path) -> None:
    write_rows(net / "selves.tsv", [(user, user) for user in range(1, 9)])
    said = measured("--train", "selves.tsv", "--test", "test.tsv", *NDCG)
    assert "selves.tsv: 8 of 8 links are self-links and are excluded" in notes(said)
    assert values(said)["near"]["NDCG@3"] == ours(NEAR, "NDCG@3", train=[(u, u) for u in range(1, 9)], test=TEST)


def test_undirected_over_a_directed_graph_is_noted(measured: Call, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN)
    said = notes(measured("--train", "train.graphml", "--test", "test.tsv", "--undirected", *NDCG))
    assert "train.graphml: " in said
    assert "directed" in said


def test_test_links_may_not_lead_one_way_if_train_links_do_not(measured: Call, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN, "undirected")
    graphml(net / "test.graphml", TEST)
    said = measured("--train", "train.graphml", "--test", "test.graphml", *NDCG)
    assert "test.graphml: " in (said.err if said.code else notes(said))


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recs", "--test", "test.tsv"), "there is no train graph: name its file by --train, or in a --config as inputs.train"),
        (LINKS, "there are no lists to measure"),
        (("nothing", *LINKS), "nothing: there is no file in this directory, expected one for each system"),
        (("recs", "recs/pop.tsv", *LINKS), "two systems are called 'pop'"),
        (
            ("recs", *LINKS, "--keep", "selfs"),
            "there is no rule 'selfs'; did you mean 'self'? Expected strangers, self, known or reciprocal",
        ),
        (("recs", *LINKS, "--keep", ""), "--keep"),
        (("recs", *LINKS, "--keep", "self,"), "--keep"),
        (("recs", "--train", "train.tsv", "--keep", "self"), "--keep goes with --test"),
        (("recs", "--train", "train.tsv", "--weighted"), "--weighted goes with --test"),
        (("recs", *FILES, "--texts", "texts.tsv"), "--texts"),
        (("recs", *FILES, "--of", "followees"), "--of goes with --texts"),
        (("recs", *FILES, "--of", "own"), "--of goes with --texts"),
        (("recs", *FILES, "--weighting", "counts"), "--weighting goes with --texts"),
        (("recs", *LINKS, "--of", "friends", "--texts", "texts.tsv"), "'--of'"),
        (("recs", *LINKS, "--convention", "ndeval"), "'--convention'"),
        (("recs", *LINKS, "--split", "|"), "--split goes with --features or --communities"),
        (("recs", *LINKS, "--feature-ids", "train.tsv"), "--feature-ids goes with --features"),
        (("recs", *LINKS, "--columns", "communities:user=1"), "but --communities is not given"),
        (("recs", *LINKS, "--columns", "aspects:item=1"), "there is no input 'aspects'"),
        (("recs", *LINKS, "--aspects", "communities.tsv"), "--aspects"),
        (("recs", *LINKS, "--threshold", "1"), "--threshold"),
        (("recs", *LINKS, "-m", "Comunity recall@5"), "unknown metric 'Comunity recall'; did you mean "),
        (("recs", *LINKS, "-m", "usual@ten"), "'usual@ten': "),
        (("recs", *LINKS, "-m", "usual@0"), "'usual@0': "),
        (("recs", *LINKS, "-m", "ERRIA@3"), "ERRIA@3 needs more: pass --communities"),
        (("recs", *LINKS[:2], "--communities", "communities.tsv", "-m", "ERRIA@3"), "--test"),
        (("recs", *LINKS[:2], "--communities", "communities.tsv", "-m", "ERRIA@3", "--convention", "relison"), "pass --test"),
        (("recs", *LINKS, "-m", "Community recall@3"), "pass --communities"),
        (("recs", *LINKS[:2], *NDCG), "NDCG@3 needs more: pass --test"),
        (("recs", *LINKS, "-m", "ILD@3"), "pass --features or --texts"),
        (("recs", *LINKS, "-m", "ILD@3", "--convention", "both"), "pass --features or --texts"),
        (("recs", *LINKS, *NDCG, "-o", "train.tsv", "--format", "relison"), "train.tsv: is also an input"),
        (("recs", *LINKS, *NDCG, "-o", "recs/pop.tsv", "--format", "relison"), "recs/pop.tsv: is also an input"),
        (("recs", *LINKS, "-m", "Reciprocity@3", "--per-user", "x.parquet"), "none of the metrics has scores of users"),
        (("-", "--train", "-"), "the standard input (-) is given twice"),
    ],
)
def test_wrong_use(refused: Refused, net: Path, arguments: tuple[str, ...], message: str) -> None:
    (net / "nothing").mkdir()
    assert message in refused(2, "contacts", *arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics:\n  ERRIA:\n    cutoff:\n      type: int\n      range: [{start: 1, end: 5, step: 0}]\n", ":5:40: "),
        ("metrics:\n  ERRIA:\n    cutoff:\n      type: int\n      range: [{start: 1, end: 5, step: -1}]\n", ":5:40: "),
        ("metrics:\n  ERRIAS:\n    cutoff: {type: int, values: 5}\n", ":2:3: metrics: unknown metric 'ERRIAS'; did you mean 'ERRIA'?"),
        ("metrics:\n  ERRIA:\n    cutoff: {type: integer, values: 5}\n", ":3:20: metrics.ERRIA.cutoff.type: found 'integer', expected int"),
        ("metrics:\n  ERRIA:\n    cutoff: {type: int, values: five}\n", ":3:33: "),
        ("metrics:\n  ERRIA:\n    stop: {type: double, values: 0.5}\n", ":2:3: metrics.ERRIA: has no cutoff"),
        ("contacts:\n  keep: [self, knwon]\n", ":2:16: contacts.keep: found 'knwon', expected strangers, self, known or reciprocal"),
        ("contacts:\n  keep: self,known\n", ":2:9: contacts.keep: found 'self,known', expected strangers, self, known or reciprocal"),
        ("contacts:\n  directd: true\n", ":2:3: contacts: unknown key 'directd', expected directed"),
        ("contacts:\n  directed: 1\n", ":2:13: contacts.directed: found the number 1, expected true or false"),
        ("contacts:\n  texts_of: friends\n", ":2:13: contacts.texts_of: found 'friends', expected own, followees, followers or all"),
        ("contacts:\n  texts_of: followees\n", "texts_of"),
        ("contacts:\n  weighting: counts\n", "weighting"),
        ("contacts: [directed]\n", ":1:11: contacts: found a list, expected a mapping"),
        ("inputs: {aspects: communities.tsv}\n", ": inputs.aspects is not for aspectrum contacts, which has train, test"),
        ("inputs: {trian: train.tsv}\n", ":1:10: inputs: unknown key 'trian'"),
        ("convention: ndeval\n", "convention"),
        ("threshold: 2\n", "threshold"),
    ],
)
def test_wrong_configuration(refused: Refused, net: Path, text: str, message: str) -> None:
    (net / "wrong.yaml").write_text(text)
    said = refused(2, "contacts", "recs", *LINKS, "--config", "wrong.yaml")
    assert "wrong.yaml" in said
    assert message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs: {communities: communities.tsv}\n", "inputs.communities is not for aspectrum {command}, which has aspects"),
        ("contacts: {keep: [self]}\n", "contacts"),
        ("contacts: {directed: false}\n", "contacts"),
        ("convention: both\n", "both"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_what_is_for_contacts_only(refused: Refused, net: Path, command: str, text: str, message: str) -> None:
    (net / "wrong.yaml").write_text(f"systems: [recs/near.tsv]\nmetrics: [GiniComplement@3]\n{text}")
    assert message.format(command=command) in refused(2, command, "--config", "wrong.yaml")


# Checking


def test_check_says_what_an_evaluation_says(call: Call, net: Path) -> None:
    write_rows(net / "lists.tsv", [(1, 4, 0.5), (1, 5, 0.5), (1, 2, 0.1), (2, 99, 0.3), (98, 2, 0.2)])
    ask = ("lists.tsv", *FILES, "--no-header", "--convention", "both")
    checked = call("check", *ask, "--json")
    assert (checked.code, checked.err) == (0, "")
    report = json.loads(checked.out)
    assert report["valid"]
    found = [finding for finding in report["findings"] if finding["level"] != "fact"]
    told = [": ".join(filter(None, (one.get("only"), one.get("source"), one["message"]))) for one in found]
    assert sorted(told) == sorted(json.loads(call("contacts", *ask, "--format", "json").out)["notes"])
    text = call("check", *ask).out
    assert text.startswith("lists.tsv\n  5 rows\n")
    assert "relison: lists are in input order" in text
    assert "lists are shorter than the cutoff of 10" in text


def test_check_of_a_configuration_with_a_train_graph(call: Call, net: Path) -> None:
    (net / "mine.yaml").write_text(
        "systems: [recs/near.tsv]\ninputs: {train: train.tsv, test: test.tsv}\ncontacts: {keep: [known]}\nmetrics: [NDCG@3]\n"
    )
    assert call("check", "--config", "mine.yaml").code == 0
    said = call("check", "--config", "mine.yaml", "--metric", "Community recall@3")
    assert (said.code, "pass --communities" in said.out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recs", "--relevance", "test.tsv", "--communities", "communities.tsv"), "--communities goes with --train, which is not given"),
        (("recs", "--relevance", "test.tsv", "--undirected"), "--undirected goes with --graph, which is not given"),
        (("recs", "--relevance", "test.tsv", "--of", "own"), "--of goes with --train, which is not given"),
        (("recs", *LINKS, "--aspects", "communities.tsv"), "--aspects is not for contacts, which --train stands for"),
        (("recs", *LINKS, "--threshold", "2"), "--threshold is not for contacts"),
        (("recs", *LINKS, "--keep", "everything"), "there is no rule 'everything'"),
    ],
)
def test_options_of_check_that_do_not_go_together(refused: Refused, net: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(2, "check", *arguments)


BAD: dict[str, tuple[str, Rows, str]] = {
    "users all unknown": ("recs", [(98, 1), (99, 2)], "2 of 2 users with recommendations are not in train.tsv (such as 98, 99)"),
    "candidates all unknown": ("recs", [(1, 98), (2, 99)], "2 of 2 candidates are not in train.tsv (such as 98, 99)"),
    "two blocks": ("recs", [(1, 4), (2, 5), (1, 5)], ", line 3: the rows of user 1 are in two blocks, expected one"),
    "twice in a list": ("recs", [(1, 4), (1, 5), (1, 4)], ", line 3: the list of user 1 names item 4 twice"),
    "zeros in front": ("recs", [("01", "04"), ("02", "05")], "they differ in leading zeros: '01' here, '1' there"),
    "names for numbers": ("recs", [("ann", "bob"), ("bob", "ann")], "2 of 2 users with recommendations are not in train.tsv"),
    "a text for a score": ("recs", [(1, 4, 0.5), (1, 5, "x")], ", line 2: the score is 'x', expected a finite number"),
    "no user": ("recs", [("", 4), (1, 5)], ", line 1: the user is missing"),
    "no target": ("train", [(1, 4), (1, "")], ", line 2: the target is missing"),
    "four columns": ("train", [(1, 4, 1, 1), (1, 5, 1, 1)], "has 4 columns without names, expected source, target[, weight]"),
    "one column": ("train", [(1,), (2,)], "has 1 column, expected source, target[, weight]; are they separated by something other than"),
    "weight below 0": ("test", [(1, 4, 1), (1, 5, -1)], ", line 2: the weight of the link from '1' to '5' is -1, expected above 0"),
    "weight 0": ("test", [(1, 4, 1), (1, 5, 0)], ", line 2: the weight of the link from '1' to '5' is 0, expected above 0"),
    "weights 0 in train": (
        "train",
        [(1, 4, 0), (1, 5, 0)],
        ", line 1: the weight of the link from '1' to '4' is 0 (and of 1 more), expected above 0",
    ),
    "no weight": ("test", [(1, 4, 1), (1, 5, "")], ", line 2: the weight is missing, expected a finite number"),
    "a text for a weight": ("test", [(1, 4, 1), (1, 5, "x")], ", line 2: the weight is 'x', expected a finite number"),
    "an infinite weight": ("test", [(1, 4, 1), (1, 5, "inf")], ", line 2: the weight is 'inf', expected a finite number"),
    "test is train": ("test", pairs(TRAIN), "0 of 11 links are left to predict; 11 are in the train graph"),
    "test of strangers": ("test", [(98, 99)], "0 of 1 links are left to predict; 1 have an end outside the train graph"),
    "communities of strangers": ("communities", [(98, 0), (99, 1)], "2 of 2 users are not in train.tsv (such as 98, 99)"),
    "communities without any": ("communities", [(user, "") for user in range(1, 9)], "communit"),
    "features of strangers": ("features", [(98, "a", 1), (99, "b", 1)], "2 of 2 users are not in train.tsv (such as 98, 99)"),
    "a text for a value": ("features", [(1, "a", 1), (2, "a", "x")], ", line 2: the value is 'x', expected a finite number"),
    "texts of strangers": ("texts", [(98, "blue sky"), (99, "sea")], "2 of 2 users"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data(call: Call, refused: Refused, net: Path, case: str) -> None:
    option, rows, message = BAD[case]
    write_rows(net / "bad.tsv", rows)
    lists, given = (
        ("bad.tsv", FILES) if option == "recs" else ("recs", (*(FILES if option != "texts" else LINKS), f"--{option}", "bad.tsv"))
    )
    said = refused(1, "contacts", lists, *given, "--no-header")
    assert said.startswith("error: bad.tsv")
    assert message in said
    assert said.count("\n") == 1
    checked = call("check", lists, *given, "--no-header")
    assert (checked.code, checked.err) == (1, ""), checked
    assert message.removeprefix(", ") in checked.out, "check finds what an evaluation refuses"


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "# no end", "source\ttarget\n", "# comments\nsource\ttarget\n"])
@pytest.mark.parametrize("option", ["train", "test", "communities", "features", "texts", "recs"])
def test_nothing_in_a_file(call: Call, refused: Refused, net: Path, option: str, text: str) -> None:
    (net / "bad.tsv").write_text(text)
    lists, given = (
        ("bad.tsv", FILES) if option == "recs" else ("recs", (*(FILES if option != "texts" else LINKS), f"--{option}", "bad.tsv"))
    )
    assert refused(1, "contacts", lists, *given).startswith("error: bad.tsv")
    assert call("check", lists, *given).code == 1


def test_files_that_are_cut_short(refused: Refused, net: Path) -> None:
    polars.DataFrame({"source": list(range(1000)), "target": list(range(1000))}).write_parquet(net / "whole.parquet")
    (net / "cut.parquet").write_bytes((net / "whole.parquet").read_bytes()[:2000])
    assert refused(1, "contacts", "recs", *LINKS, "--train", "cut.parquet").startswith(
        "error: cut.parquet: cannot be read as a Parquet file"
    )
    (net / "cut.tsv.gz").write_bytes(gzip.compress((net / "train.tsv").read_bytes())[:-12])
    assert refused(1, "contacts", "recs", *LINKS, "--train", "cut.tsv.gz").startswith("error: cut.tsv.gz")
    graphml(net / "whole.graphml", TRAIN)
    (net / "cut.graphml").write_text((net / "whole.graphml").read_text()[:200])
    said = refused(1, "contacts", "recs", *LINKS, "--train", "cut.graphml")
    assert said.startswith("error: cut.graphml: cannot be read as GraphML")
    assert ".c:" not in said  # where in igraph is of no use


def test_numbers_and_names(refused: Refused, net: Path) -> None:
    sides = list(zip(*pairs(TRAIN), strict=True))
    polars.DataFrame({"source": sides[0], "target": sides[1]}).write_parquet(net / "train.parquet")
    write_rows(net / "names.tsv", [("ann", "bob"), ("bob", "ann")])
    ask = ("--train", "train.parquet", *LINKS[2:], "--communities", "communities.tsv", "--no-header")
    said = refused(1, "contacts", "names.tsv", *ask)
    assert "user ids have different types" in said
    assert "in train.parquet" in said
    assert "in names.tsv ('ann')" in said
    polars.DataFrame({"user": ["1", "1"], "item": ["4", "5"]}).write_parquet(net / "texts.parquet")
    said = refused(1, "contacts", "texts.parquet", *ask)
    assert "in train.parquet" in said
    assert "in texts.parquet" in said  # not in communities.tsv, whose ids can be either


def test_weights_that_are_not_there(refused: Refused) -> None:
    said = refused(1, "contacts", "recs", *LINKS, "--weighted", *NDCG)
    assert said.startswith("error: test.tsv")
    assert "weight" in said


def test_a_graph_is_not_what_it_is_said_to_be(refused: Refused, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN, "undirected")
    graphml(net / "test.graphml", TEST, "undirected")
    said = refused(1, "contacts", "recs", "--train", "train.graphml", *LINKS[2:], "--directed")
    assert said.startswith("error: train.graphml: the graph is undirected")
    said = refused(1, "contacts", "recs", *LINKS[:2], "--test", "test.graphml")
    assert said.startswith("error: test.graphml: the graph is undirected")
    assert "train.graphml: is a graph" in refused(1, "contacts", "train.graphml", *LINKS)
    assert "train.graphml: is a graph" in refused(1, "contacts", "recs", *LINKS, "--communities", "train.graphml")


def test_graphml_has_no_columns(call: Call, net: Path) -> None:
    graphml(net / "train.graphml", TRAIN)
    said = call("contacts", "recs", "--train", "train.graphml", *LINKS[2:], "--columns", "train:source=nope")
    assert (said.code, said.out) in ((1, ""), (2, ""))
    assert "train.graphml" in said.err


def test_unknown_users_are_named_with_their_file(refused: Refused, net: Path) -> None:
    (net / "some.txt").write_text("1\n77\n")
    said = refused(1, "contacts", "recs", *LINKS, "--users", "some.txt", *NDCG)
    assert said.startswith("error: some.txt")
    assert "77" in said


def test_a_link_to_nowhere_in_a_directory_is_not_passed_over(refused: Refused, net: Path) -> None:
    (net / "recs" / "third.tsv").symlink_to("nowhere.tsv")
    assert "third.tsv: is a link to nowhere.tsv, which is not there" in refused(1, "contacts", "recs", *LINKS, *NDCG)


def test_missing_files(refused: Refused) -> None:
    assert "trian.tsv: file not found; did you mean 'train.tsv'?" in refused(1, "contacts", "recs", "--train", "trian.tsv")
    assert "recs: is a directory, expected a file" in refused(1, "contacts", "recs", "--train", "recs")
    assert "rec: file not found" in refused(1, "contacts", "rec", *LINKS)


def test_novelty_and_distance_have_the_names_of_relison(call: Call, net: Path) -> None:
    (net / "links.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in sorted(EXAMPLE.links)))
    (net / "recs.tsv").write_text("".join(f"{user}\t{one}\n" for user, shown in EXAMPLE.lists.items() for one in shown))
    names = ("LTN", "Unexpectedness", "Mean prediction distance")
    cutoff = "    cutoff:\n      type: int\n      values: [1, 2]\n"
    (net / "novelty.yaml").write_text("metrics:\n" + "".join(f"  {name}:\n{cutoff}" for name in names))
    files = ("--train", "links.tsv", "--features", "features.tsv")
    ask = ("contacts", "recs.tsv", *files, "--config", "novelty.yaml", "--convention", "relison")
    head, row = call(*ask, "--format", "relison").out.splitlines()
    assert head.split("\t") == ["Variant", *(f"{name}@{k}" for name in names for k in (1, 2))]
    assert float(row.split("\t")[-1]) == pytest.approx(1.272727, abs=5e-7)
    found = list(values(call(*ask, "--format", "json"))["recs"])
    assert found[-1] == "MeanPredictionDistance@2"
    assert asp.parse(found[2]) == asp.EPD(k=1, missing="zero", discount="none", relevance="none", average="links")
    by_name = ("contacts", "recs.tsv", *files, "-m", "Unexpectedness@1", "--format", "json")
    assert list(values(call(*by_name, "--convention", "relison"))["recs"]) == found[2:3]


def _heads(call: Call, *ask: str) -> dict[str, float]:
    """A row of the table of RELISON, in which no two columns have the same name."""
    said = call("contacts", "recs/near.tsv", *FILES, "--baseline-lists", "recs/pop.tsv", *ask, "--format", "relison")
    assert said.code == 0, said
    (_, *head), (_, *row) = csv.reader(io.StringIO(said.out), delimiter="\t")
    assert len({*head}) == len(head)
    return dict(zip(head, map(float, row), strict=True))


def test_names_of_relison_are_those_of_its_metrics_alone(call: Call) -> None:
    found = _heads(call, "-m", "all@2", "-m", "Unexpectedness@2", "-m", "LTN@2")
    meant = {
        "Unexpectedness@2": "EPD(discount='none', relevance='none', missing=zero, average=links)@2",
        "EPD@2": "EPD@2",
        "LTN@2": "EPC(discount='none', relevance='none', average=links)@2",
        "EPC@2": "EPC@2",
        "ILD@2": "IntraListDiversity@2",
    }
    ours = asp.contacts.evaluate(SYSTEMS["near"], ["novelty@2", *meant.values()], **INPUTS, baseline=SYSTEMS["pop"])
    of_baseline = "Unexpectedness(over=list, average=users)@2"
    assert {name: found[name] for name in meant} == {name: ours[metric] for name, metric in meant.items()}
    assert found[of_baseline] == ours.columns[of_baseline].value
    again = asp.contacts.evaluate(SYSTEMS["near"], of_baseline, **INPUTS, baseline=SYSTEMS["pop"])  # by the name that is printed
    assert again.columns[of_baseline].value == found[of_baseline]
    assert len({found[name] for name in ("Unexpectedness@2", "EPD@2", of_baseline)}) == 3


def test_metrics_that_relison_calls_alike(call: Call) -> None:
    by_relison = "ILD(pairs=all, average=links, featureless=near, of=features)@2"
    found = _heads(call, "-m", "ILD@2", "-m", by_relison, "-m", "ILD(pairs=all)@2")
    assert list(found) == ["IntraListDiversity@2", "ILD@2", "ILD(pairs=all)@2"]
    exact = "ERRIA(judged_by=relevance, intents=counts)@2"
    assert list(_heads(call, "-m", exact, "-m", "ERRIA@2")) == [exact, "ERRIA@2"]
    found = _heads(call, "-m", "EPD@2", "-m", "Unexpectedness@2", "-m", "EPC@2", "--convention", "relison")
    other = "EPD(discount='none', relevance='none', missing=zero, average=links)@2"
    assert list(found) == ["Unexpectedness@2", other, "LTN@2"]
    assert found["Unexpectedness@2"] == found[other]
