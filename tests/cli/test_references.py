"""Groups, popularity and baselines on the command line."""

from pathlib import Path

import pytest

from aspectrum.inputs import TRUTH
from tests.cli.conftest import Call

FILES = {
    "aspects": "item,aspect\n1,x\n2,y\n",
    "relevance": "user,item,grade\n1,2,1\n2,1,1\n",
    "history": "user,item\n1,3\n2,3\n",
    "subtopics": "user,aspect,item,grade\n1,x,2,1\n1,y,3,1\n",
    "features": "item,x,y\n1,0.5,2\n2,1,0.25\n3,0.1,1\n",
    "weights": "aspect,weight\nx,1\ny,2\n",
    "groups": "item,group\n1,P\n2,Q\n",
    "popularity": "item,count\n1,3\n2,1\n",
    "baseline": "user,item,rank\n1,3,1\n2,1,1\n",
    "lengths": "item,tokens\n1,300\n2,100\n3,50\n",
    "graph": "source,target,weight\n1,2,1\n2,3,1\n3,1,2\n",
    "catalogue": "item\n1\n2\n3\n",
    "items": "item\n1\n2\n3\n",
}


@pytest.mark.parametrize("name", TRUTH)
def test_every_input_can_be_checked(here: Path, call: Call, name: str) -> None:
    (here / "lists.csv").write_text("user,item,rank\n1,2,1\n1,3,2\n2,1,1\n2,3,2\n")
    (here / "input.csv").write_text(FILES[name])
    said = call("check", "lists.csv", f"--{'baseline-lists' if name == 'baseline' else name}", "input.csv")
    assert said.code == 0, said
    assert f"rows of {name}: " in said.out


def test_what_goes_with_popularity(call: Call) -> None:
    for command in ("evaluate", "check"):
        said = call(command, "als.csv", "--history", "history.csv", "--popularity-users", "9", "-m", "EPC@2")
        assert (said.code, "error: --popularity-users goes with --popularity, which is not given" in said.out + said.err) == (1, True)
        assert (said.out + said.err).count("--popularity-users") == 1


def test_words_of_missing_inputs(call: Call) -> None:
    said = call("evaluate", "als.csv", "--baseline", "popular.csv", "-m", "Unexpectedness@2")
    assert said.code != 0
    assert "--baseline-lists" in said.err
    assert "--baseline names the system that others are compared with" in said.err
    Path("counts.csv").write_text("item,count\na,3\nb,1\nc,2\nd,1\ne,1\n")
    assert "(no --popularity-users)" in call("evaluate", "als.csv", "--popularity", "counts.csv").out
    said = call("evaluate", "als.csv", "-m", "EPC@2")
    assert "EPC needs history: pass --history, (user, item) rows, or --popularity with --popularity-users" in said.err


def test_files_on_the_command_line(here: Path, call: Call) -> None:
    (here / "popular.csv").write_text("item,count\n1,3\n2,1\n")
    (here / "lists.csv").write_text("user,item\n7,2\n7,1\n")
    (here / "groups.csv").write_text("item,group\n1,P\n2,Q\n")
    said = call(
        "check",
        "lists.csv",
        "--popularity",
        "popular.csv",
        "--popularity-users",
        "4",
        "--groups",
        "groups.csv",
        "--baseline-lists",
        "lists.csv",
        "-m",
        "EPC@2",
    )
    assert said.code == 0, said.err
    for expected in ("popular.csv", "groups.csv", "baseline"):
        assert expected in said.out
    said = call(
        "evaluate", "A=lists.csv", "B=lists.csv", "--baseline", "popular.csv", "--popularity", "popular.csv", "-m", "GiniComplement@2"
    )
    assert said.code != 0
    assert "--baseline-lists" in said.err


def test_undirected_graphs(here: Path, call: Call) -> None:
    """On the command line, in a configuration, and for check."""
    (here / "lists.csv").write_text("user,item,rank\n1,3,1\n3,1,1\n")
    (here / "graph.csv").write_text("source,target\n1,2\n2,3\n")
    (here / "graph.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"><node id="1"/><node id="2"/><node id="3"/>'
        '<edge source="1" target="2"/><edge source="2" target="3"/></graph></graphml>'
    )
    (here / "evaluation.yaml").write_text(
        "systems: {lists: lists.csv}\ninputs: {graph: graph.csv}\ndirected: false\nmetrics: [MeanPredictionDistance@1]\n"
    )
    arguments = ("lists.csv", "--graph", "graph.csv", "-m", "MeanPredictionDistance@1")
    said = [
        call("evaluate", *arguments, "--undirected"),
        call("evaluate", "lists.csv", "--graph", "graph.graphml", "-m", "MeanPredictionDistance@1"),
        call("evaluate", "--config", "evaluation.yaml"),
    ]
    assert [one.code for one in said] == [0, 0, 0], said
    assert all("0.0000" in one.out and "the graph is undirected" in one.out + one.err for one in said)
    directed = call("evaluate", *arguments)
    assert "2.0000" in directed.out and "the graph is directed" in directed.out + directed.err
    checked = call("check", *arguments, "--undirected")
    assert (checked.code, "the graph is undirected" in checked.out) == (0, True)
    refused = call("evaluate", "lists.csv", "--undirected", "-m", "GiniComplement@1")
    assert (refused.code, "--undirected goes with --graph, which is not given" in refused.err) == (2, True)
    (here / "contacts.yaml").write_text("inputs: {train: graph.csv}\ndirected: false\nmetrics: [MeanPredictionDistance@1]\n")
    refused = call("contacts", "lists.csv", "--config", "contacts.yaml")
    assert (refused.code, "say it under contacts" in refused.err) == (2, True)
