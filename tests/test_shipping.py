"""A plan that went to another process, and parts that came back: the same numbers to the bit."""

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import aspectrum as asp
from aspectrum.shipping import pack, packed, unpack, unpacked

N_USERS, N_ITEMS = 5_000, 9_000


def links(n: int, seed: int) -> polars.DataFrame:
    random = np.random.default_rng(seed)
    users = [f"u{code}" for code in np.repeat(np.arange(N_USERS), n)]
    return polars.DataFrame({"user": users, "item": random.integers(0, N_ITEMS, N_USERS * n)}).unique(maintain_order=True)


@pytest.fixture(scope="module")
def inputs() -> dict[str, Any]:
    random = np.random.default_rng(0)
    aspects = polars.DataFrame({"item": random.integers(0, N_ITEMS, 20_000), "aspect": random.integers(0, 20, 20_000)})
    vectors = (list(range(N_ITEMS)), random.random((N_ITEMS, 4)))
    return {
        "relevance": links(4, 1),
        "history": links(6, 2),
        "aspects": aspects.unique(maintain_order=True),
        "features": vectors,
    }


def test_every_metric_works_on_arrays_that_cannot_be_written_to(inputs: dict[str, Any], tmp_path: Path) -> None:
    plan = asp.Plan("all@3", asp.Truth.read(**inputs), per_user=False)
    lists = links(5, 3)
    path = tmp_path / "plan.arrow"
    message = pack(plan, path)
    assert len(message) < path.stat().st_size / 5
    same = unpack(message, path)
    assert same.truth.relevance is not None and not same.truth.relevance.items.flags.writeable
    back = plan.read(same.observe(lists).to_bytes())
    numbers = [plan.finish(part, notices=()) for part in (back, plan.observe(lists))]  # notices may have other examples
    assert numbers[0].to_json() == numbers[1].to_json()


def test_arrays_lie_in_the_file(inputs: dict[str, Any]) -> None:
    message, arrays = packed(asp.Plan("NDCG@3", asp.Truth.read(**inputs)))
    plan = unpacked(message, arrays)
    assert plan.truth.features is not None
    at = plan.truth.features.matrix.__array_interface__["data"][0]
    assert arrays.address <= at < arrays.address + arrays.size


def test_damaged_arrays_are_refused(inputs: dict[str, Any]) -> None:
    message, arrays = packed(asp.Plan("NDCG@3", asp.Truth.read(**inputs)))
    with pytest.raises(asp.InputError, match="the arrays of a plan are damaged"):
        unpacked(message, arrays.to_pybytes()[:-20])


def test_a_file_that_is_mapped_may_be_deleted(inputs: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "plan.arrow"
    plan = unpack(pack(asp.Plan("NDCG@3", asp.Truth.read(**inputs)), path), path)
    path.unlink()
    assert plan.observe({"u1": [1, 2]}).finish()["NDCG@3"] >= 0


def test_parts_as_bytes_are_those_of_files(tmp_path: Path) -> None:
    plan = asp.Plan(["NDCG@2", "GiniComplement@2"], asp.Truth.read(relevance={"ann": ["x"], "bob": ["y"]}))
    part = plan.observe({"ann": ["x", "new"], "eve": ["y"]})
    part.write(tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == part.to_bytes()
    assert plan.read(part.to_bytes()).finish() == part.finish()
    damaged = part.to_bytes()[:-30]
    with pytest.raises(asp.InputError, match=r"^bytes: "):
        plan.read(damaged)
    with pytest.raises(asp.InputError, match="the file is empty"):
        plan.read(b"")


@pytest.mark.parametrize("users", ["lists", "judged", ["u1", "extra"]])
def test_users_nobody_knows_are_only_counted(users: Any) -> None:
    """A part of a million strangers is small, and says the same."""
    truth: dict[str, Any] = {"relevance": {f"u{n}": ["x", "y"] for n in range(20)}}
    lists = {f"s{n:04}": ["x"] for n in range(3_000)} | {"u1": ["y"], "extra": ["x"]}
    plan = asp.Plan(["NDCG@2", "GiniComplement@2"], asp.Truth.read(**truth), users=users, per_user=False)
    whole = plan.observe(lists)
    counted = plan.observe(lists).counting_strangers()
    assert len(counted.lists.ids["user"]) == len(lists)
    assert len(counted.lists.ids["user"].codes) < 600
    assert repr(counted.counting_strangers()) == repr(counted)
    with pytest.warns(asp.AspectrumWarning) if users == ["u1", "extra"] else nullcontext():
        assert _numbers_said(plan.read(counted.to_bytes())) == _numbers_said(whole)
    some, others = ({user: lists[user] for user in list(lists)[start::2]} for start in (0, 1))
    both = plan.read((plan.observe(some).counting_strangers() + plan.observe(others).counting_strangers()).to_bytes())
    assert both.finish() == whole.finish()


def _numbers_said(part: asp.Partial) -> str:
    return re.sub(r"\(such as .*?\)", "", part.finish().to_json())


def test_a_plan_apart_forgets_what_its_lists_name() -> None:
    plan = asp.Plan("GiniComplement@2", asp.Truth.read(relevance={"ann": ["x"]}))
    parts = [plan.apart().observe({user: [item]}) for user, item in (("bob", "y"), ("cyd", "z"), ("dan", "y"))]
    assert len(plan.tables.user) == len(plan.tables.item) == 1
    assert sum(parts).finish() == plan.observe({"bob": ["y"], "cyd": ["z"], "dan": ["y"]}).finish()  # type: ignore[union-attr]
