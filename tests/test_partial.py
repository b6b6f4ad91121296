"""Parts of an evaluation: what adds up, what is refused, and what a file holds."""

import pickle
import shutil
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import aspectrum as asp

RELEVANCE = {"ann": {"x": 2, "y": 1}, "bob": {"y": 1}, "eve": {"x": 1}}
ANN, BOB = {"ann": ["y", "x"]}, {"bob": ["x", "y", "p"]}
METRICS = ["NDCG@2", "GiniComplement@2", "AlphaNDCG(ideal=exact)@2"]
ASPECTS = {"x": ["a", "b"], "y": ["b"]}


def plan(metrics: Any = METRICS, relevance: Any = RELEVANCE, aspects: Any = ASPECTS, **options: Any) -> asp.Plan:
    catalogue = options.pop("catalogue", None)
    return asp.Plan(metrics, asp.Truth.read(relevance=relevance, aspects=aspects, catalogue=catalogue), **options)


WHOLE = plan().observe({**ANN, **BOB}).finish()


def test_parts_add_in_any_order_and_stay_as_they_are() -> None:
    ann, bob = plan().observe(ANN), plan().observe(BOB)
    alone = ann.finish()
    assert (ann + bob).finish() == (bob + ann).finish() == WHOLE
    assert ann.finish()["NDCG@2"] == alone["NDCG@2"]


def test_results_add_like_parts() -> None:
    results = plan().observe(ANN).finish() + plan().observe(BOB).finish()
    assert results == WHOLE
    assert results.per_user.sort("user").equals(WHOLE.per_user.sort("user"))


def test_an_empty_part_changes_nothing() -> None:
    empty: list[Any] = [{}, []]
    for nothing in empty:
        assert (plan().observe(nothing) + plan().observe({**ANN, **BOB})).finish() == WHOLE
    nobody = plan().observe({}) + plan().observe({})
    assert nobody.finish().details["NDCG@2"]["scored"] == 0


@pytest.mark.parametrize("one_plan", [True, False])
@pytest.mark.parametrize("from_file", [True, False])
def test_a_user_seen_twice_is_refused(one_plan: bool, from_file: bool, tmp_path: Path) -> None:
    first = plan()
    second = first if one_plan else plan()
    one, other = first.observe({**ANN, **BOB}), second.observe({"new": ["x"], "bob": ["y"]})
    if from_file:
        other.write(tmp_path / "part.arrow")
        other = second.read(tmp_path / "part.arrow")
    for two in ((one, other), (other, one)):
        with pytest.raises(asp.InputError, match="user 'bob' is in both parts: a user must be scored once"):
            two[0] + two[1]
    with pytest.raises(asp.InputError, match="is in both parts"):
        one + one


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"metrics": ["NDCG@2"]}, "results of different metrics cannot be added"),
    ({"metrics": [*METRICS[:2], "AlphaNDCG(ideal=exact)@3"]}, "results of different metrics cannot be added"),
    ({"relevance": {**RELEVANCE, "bob": {"y": 2}}}, "different truths, which differ in relevance"),
    ({"relevance": {**RELEVANCE, "joe": {"y": 1}}}, "different truths, which differ in"),
    ({"aspects": {"x": ["a"], "y": ["b", "a"]}}, "different truths, which differ in"),
    ({"catalogue": ["x", "y", "p"]}, "catalogue"),
    ({"users": "judged"}, "NDCG@2 was computed in two ways: users is 'lists' in one part, 'judged' in the other"),
    ({"users": ["ann", "bob"]}, "NDCG@2 was computed in two ways: users is 'lists' in one part, 'given' in the other"),
    ({"per_user": False}, "scores of users were kept in one of them only"),
    ({"ideal_budget": 0.5}, "budget is 2.0 in one part, 0.5 in the other"),
]


@pytest.mark.parametrize(("other", "message"), OTHERS, ids=[str(number) for number in range(len(OTHERS))])
def test_parts_of_other_plans_are_refused(other: dict[str, Any], message: str, tmp_path: Path) -> None:
    mine, theirs = plan(), plan(**other)
    ann, bob = mine.observe(ANN), theirs.observe(BOB)
    with pytest.raises(asp.InputError, match=message):
        ann + bob
    with pytest.raises(asp.InputError, match=message):
        mine.finish(bob)
    bob.write(tmp_path / "bob.arrow")
    with pytest.raises(asp.InputError, match=f"{tmp_path / 'bob.arrow'}: .*{message}"):
        mine.read(tmp_path / "bob.arrow")


def test_parts_under_another_convention_are_refused() -> None:
    message = "NDCG@2 was computed in two ways: convention is 'published' in one part, 'informfully' in the other"
    with pytest.raises(asp.InputError, match=message):
        plan("NDCG@2").observe(ANN) + plan("NDCG@2", convention="informfully").observe(BOB)


def test_parts_averaged_over_other_named_users_are_refused() -> None:
    with pytest.raises(asp.InputError, match="averaged over different users"):
        plan(users=["ann"]).observe(ANN) + plan(users=["bob"]).observe(BOB)
    assert (plan(users=["bob", "ann"]).observe(ANN) + plan(users=["ann", "bob"]).observe(BOB)).finish()["NDCG@2"] == WHOLE["NDCG@2"]


def test_threads_and_batches_do_not_make_another_plan() -> None:
    assert (plan(threads=1).observe(ANN) + plan(batch_size=1).observe(BOB)).finish() == WHOLE


# Files


@pytest.fixture
def part(tmp_path: Path) -> Path:
    plan().observe(BOB).write(tmp_path / "bob.arrow")
    return tmp_path / "bob.arrow"


def test_a_part_reads_back(part: Path) -> None:
    mine = plan()
    bob = mine.read(part)
    assert bob.finish() == plan().observe(BOB).finish()
    assert bob.finish().per_user.equals(plan().observe(BOB).finish().per_user)
    assert (mine.observe(ANN) + bob).finish() == WHOLE
    assert bob.lists.n_rows == 3
    assert list(bob.lists.ids["user"].ids) == ["bob"]


def test_a_part_that_was_read_can_be_written_again(part: Path, tmp_path: Path) -> None:
    mine = plan()
    (mine.read(part) + mine.observe(ANN)).write(tmp_path / "both.arrow")
    assert plan().read(tmp_path / "both.arrow").finish() == WHOLE


def test_a_part_is_an_arrow_file(part: Path) -> None:
    assert part.read_bytes().startswith(b"ARROW1")
    assert polars.read_ipc(part.read_bytes()).columns == ["numbers", "integers", "texts"]


def test_damage_is_noticed_wherever_it_is(part: Path, tmp_path: Path) -> None:
    """Any byte may be wrong, and the file may end anywhere: an error that names the file, never another number."""
    whole, expected = part.read_bytes(), plan().observe(BOB).finish()
    damaged = tmp_path / "damaged.arrow"
    random = np.random.default_rng(3)
    cases = [bytes(whole[:end]) for end in random.integers(0, len(whole), 60)]
    for place in random.integers(0, len(whole), 150):
        changed = bytearray(whole)
        changed[place] ^= int(random.integers(1, 256))
        cases.append(bytes(changed))
    refused = []
    for content in cases:
        damaged.write_bytes(content)
        try:
            found = plan().read(damaged).finish()
        except asp.InputError as error:
            refused.append(str(error))
        else:
            assert found == expected  # padding
    assert len(refused) > len(cases) // 2
    assert all(str(damaged) in message for message in refused)


def test_foreign_files_are_refused(tmp_path: Path, part: Path) -> None:
    path = tmp_path / "foreign.arrow"
    for frame in (polars.DataFrame({"user": ["a"], "of": [1]}), polars.DataFrame(), polars.read_ipc(part.read_bytes()).clear()):
        frame.write_ipc(path)
        with pytest.raises(asp.InputError, match=f"{path}: is not a part of an evaluation, or is damaged"):
            plan().read(path)
    for content in (b"", b"user,item\nann,x\n", b"ARROW1\0\0", b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(asp.InputError, match=str(path)):
            plan().read(path)
    with pytest.raises(asp.InputError, match=r"missing\.arrow"):
        plan().read(tmp_path / "missing.arrow")
    with pytest.raises(asp.InputError, match=str(tmp_path)):
        plan().read(tmp_path)


def test_lists_and_parts_in_each_other_s_place_are_told_apart(part: Path, tmp_path: Path) -> None:
    lists = polars.DataFrame({"user": ["a"], "item": ["x"]})
    lists.write_csv(tmp_path / "lists.csv")
    lists.write_parquet(tmp_path / "lists.parquet")
    lists.write_ipc(tmp_path / "lists.arrow")
    for name in ("lists.csv", "lists.parquet", "lists.arrow"):
        with pytest.raises(asp.InputError, match=rf"{name}: holds lists, not a part of an evaluation; plan\.observe\(path\) takes it"):
            plan().read(tmp_path / name)
    for given in (part, str(part), asp.Source(part)):
        with pytest.raises(asp.InputError, match=r"bob\.arrow: is a part of an evaluation, .*; plan\.read\(path\) takes it"):
            plan().observe(given)


def test_a_part_is_written_whole_or_not_at_all(part: Path, tmp_path: Path) -> None:
    before = part.read_bytes()
    mixed: dict[Any, list[Any]] = {("a", "tuple"): ["x"]}
    with pytest.raises(asp.OutputError, match=r"ids such as \('a', 'tuple'\) cannot be written"):
        asp.Plan("GiniComplement", asp.Truth.read()).observe(mixed).write(part)
    assert part.read_bytes() == before
    with pytest.raises(asp.OutputError):
        plan().observe(BOB).write(tmp_path / "no such folder" / "part.arrow")


def test_parts_do_not_depend_on_where_files_lie(part: Path, tmp_path: Path) -> None:
    shutil.copy(part, tmp_path / "copy.arrow")
    assert plan().read(tmp_path / "copy.arrow").finish() == plan().read(part).finish()


def test_parts_that_were_read_in_two_ways_do_not_add(tmp_path: Path) -> None:
    relevance = {"a": ["x"], "b": ["y"]}
    one, other = (asp.Plan("NDCG@1", asp.Truth.read(relevance=relevance, ties=ties)) for ties in ("ascending", "descending"))
    part = one.observe({"a": {"x": 1.0, "y": 1.0}})
    with pytest.raises(asp.InputError, match="read in two ways: ties is 'ascending' in one part, 'descending' in the other"):
        _ = part + other.observe({"b": {"x": 1.0, "y": 1.0}})
    part.write(tmp_path / "a.part")
    with pytest.raises(asp.InputError, match=r"a\.part: the inputs were read in two ways"):
        other.read(tmp_path / "a.part")


def test_systems_do_not_mix_and_many_parts_are_summed(tmp_path: Path) -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={user: ["x"] for user in "abc"}))
    parts = [plan.observe({user: ["x"]}, system="als") for user in "abc"]
    assert sum(parts).finish()["NDCG@1"] == 1.0  # type: ignore[union-attr]
    parts[0].write(tmp_path / "a.part")
    for als in (parts[0], plan.read(tmp_path / "a.part")):
        with pytest.raises(asp.InputError, match="parts of two systems cannot be added: 'als' and 'pop'"):
            _ = als + plan.observe({"b": ["x"]}, system="pop")
    with pytest.raises(asp.InputError, match="part is list, expected a Partial"):
        plan.finish(parts)  # type: ignore[arg-type]
    assert repr(parts[0]) == "Partial(1 users, 1 rows of rankings)"
    assert repr(plan) == "Plan(NDCG@1; users=lists, convention=published)"
    assert repr(plan.truth) == "Truth(3 users, 1 items; relevance)"


def test_orders_that_differ_between_parts_are_said(tmp_path: Path) -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={"a": ["x"], "b": ["x"]}))
    (tmp_path / "a.csv").write_text("user,item,rank\na,x,1\n")
    (tmp_path / "b.csv").write_text("user,item,score\nb,x,1\n")
    ranked, scored = plan.observe(tmp_path / "a.csv"), plan.observe(tmp_path / "b.csv")
    assert (ranked + plan.observe({})).finish().notes == ("lists are ordered by rank",)
    assert "ordered in different ways" in " ".join((ranked + scored).finish().warnings)


def test_a_scores_file_is_used_as_a_context(tmp_path: Path) -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={"a": ["x"]}))
    scores = asp.ScoresFile(tmp_path / "scores.parquet")
    with pytest.raises(asp.InputError, match="scores can be added only inside"):
        plan.observe({"a": ["x"]}, scores=scores)
    with pytest.raises(asp.InputError, match=r"expected an asp\.ScoresFile"):
        plan.observe({"a": ["x"]}, scores="scores.parquet")  # type: ignore[arg-type]


def test_a_scores_file_has_a_user_of_a_system_once(tmp_path: Path) -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={"a": ["x"], "b": ["x"]}))
    path = tmp_path / "scores.parquet"
    for systems in ({"one": {"a": ["x"], "b": ["x"]}, "other": {"b": ["y"]}}, {"one": {"b": ["x"]}, "other": {"b": ["y"]}}):
        with pytest.raises(asp.InputError, match="scores of user 'b' were written twice; with_system=True"), asp.ScoresFile(path) as scores:
            plan.evaluate(systems, scores=scores)
        assert not path.exists()
    with asp.ScoresFile(path, with_system=True) as scores:
        plan.evaluate({"one": {"a": ["x"]}, "other": {"a": ["y"]}}, scores=scores)
    assert polars.read_parquet(path).rows() == [("one", "a", 1.0), ("other", "a", 0.0)]


def test_parts_of_plans_that_grew_apart_add_up(tmp_path: Path) -> None:
    truth, metric = asp.Truth.read(relevance={"u": ["x"]}), "GiniComplement@2"
    expected = asp.evaluate({"u": ["x"], "v": ["y"]}, metric, relevance={"u": ["x"]})
    one, other = asp.Plan(metric, truth), asp.Plan(metric, truth)
    one.observe({"k": ["m"]})
    other.observe({"k2": ["n"]})
    both = one.observe({"u": ["x"]}) + other.observe({"v": ["y"]})
    assert both.finish()[metric] == expected[metric] == 1.0
    one.observe({"w": ["w", "y"]})
    both.write(tmp_path / "both.part")
    assert asp.Plan(metric, truth).read(tmp_path / "both.part").finish()[metric] == 1.0
    late = other.observe({"v": ["y"]})
    assert asp.Plan(metric, truth).finish(late)[metric] == other.finish(late)[metric] == 0.0


def test_a_pickled_truth_is_not_read_in_another_way() -> None:
    truth = asp.Truth.read(relevance={"u": {"x": 1, "y": 2}}, history={"u": ["z"]}, aspects={"x": ["a", "b"], "y": ["b"], "z": ["c"]})
    copied = pickle.loads(pickle.dumps(truth))
    lists = {"u": ["x", "y"]}
    assert asp.Plan("ERRIA@2", copied).observe(lists).finish() == asp.Plan("ERRIA@2", truth).observe(lists).finish()
    with pytest.raises(asp.InputError, match="a truth that was pickled cannot be read in another way"):
        asp.Plan("ERRIA@2", copied, convention="relison")


def test_lists_that_another_plan_coded_are_refused() -> None:
    truth = asp.Truth.read(relevance={"u": ["x"]})
    one, other = asp.Plan("NDCG@1", truth), asp.Plan("NDCG@1", truth)
    other.lists({"u": ["m"]})
    with pytest.raises(asp.InputError, match="coded by another plan"):
        other.observe(one.lists({"u": ["n"]}))


@pytest.mark.parametrize("codes", [[0, 0], [0, -1], [0, 7], [0]])
def test_codes_of_a_world_are_users_each_once(codes: list[int]) -> None:
    truth = asp.Truth.read(relevance={"u": ["x"], "v": ["y"]})
    with pytest.raises(asp.InputError, match="codes"):
        asp.World(asp.Rankings(np.array([0, 1, 2]), np.array([0, 1])), truth, codes=np.array(codes, dtype=np.int32))


def test_a_file_without_any_scores(tmp_path: Path) -> None:
    for with_system, columns in ((False, ["user"]), (True, ["system", "user"])):
        with asp.ScoresFile(tmp_path / "scores.parquet", with_system=with_system):
            pass
        assert polars.read_parquet(tmp_path / "scores.parquet").columns == columns


def test_a_part_finished_twice(tmp_path: Path) -> None:
    measured = plan("NDCG@2", users="judged", per_user=False)
    with ExitStack() as open_files:
        scores = open_files.enter_context(asp.ScoresFile(tmp_path / "s.parquet"))
        part = measured.observe(ANN, scores=scores)
        for _ in range(2):
            measured.finish(part, scores=scores)
        with pytest.raises(asp.InputError, match="written twice; was a part observed, or finished, twice"):
            open_files.pop_all().close()


def test_a_part_is_no_list(tmp_path: Path) -> None:
    measured = plan("NDCG@2")
    measured.observe(ANN).write(tmp_path / "part.arrow")
    for evaluate in (asp.evaluate, lambda lists, *more, **inputs: asp.evaluate_systems({"A": lists}, *more, **inputs)):
        with pytest.raises(
            asp.InputError, match=r"part\.arrow: is a part of an evaluation, from Partial\.write; plan\.read\(path\) takes it"
        ):
            evaluate(tmp_path / "part.arrow", "NDCG@2", relevance={"ann": ["x"]})


def several(metrics: Any, **options: Any) -> asp.Plan:
    """A plan for users u0, u1 ... and v, v0, v1 ..., all of whom like x."""
    return plan(metrics, {f"{name}{user}": ["x"] for name in "uv" for user in ("", *range(60))}, **options)


def short_lists(n: int, first: int = 0) -> dict[str, list[str]]:
    return {f"u{user}": ["x"] for user in range(first, first + n)}


def test_what_holds_of_the_whole_alone_is_said_where_parts_are_added() -> None:
    """Six lists are too few to call them short; twelve are not."""
    parts = [several("P@2").observe(short_lists(6, first)).finish() for first in (0, 6)]
    assert [part.warnings for part in parts] == [(), ()]
    with pytest.warns(asp.AspectrumWarning, match="12 of 12 lists are shorter than the cutoff of 2"):
        whole = parts[0] + parts[1]
    assert len(whole.warnings) == 1
    with warnings.catch_warnings(action="error"):
        assert len((whole + several("P@2").observe({"v": ["x", "y"]}).finish()).warnings) == 1  # it has been said
    strict = [several("P@2", strict=True).observe(short_lists(6, first)).finish() for first in (0, 6)]
    with pytest.raises(asp.StrictError, match="12 of 12 lists"):
        strict[0] + strict[1]


def test_shares_are_of_the_whole() -> None:
    long = {f"v{user}": ["x", "y"] for user in range(40)}
    with warnings.catch_warnings(action="error"):
        parts = several("P@2").observe(short_lists(11)) + several("P@2").observe(long)
        assert parts.finish() == several("P@2").observe({**short_lists(11), **long}).finish()
