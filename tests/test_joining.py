"""Truth that comes with its users: the numbers of the whole truth to the bit, however the users are spread."""

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import Rows
from aspectrum.conventions import convention_named
from aspectrum.diagnostics.counted import Counted
from aspectrum.io import read_input
from aspectrum.joining import JOINED, NO_USERS, Survey, check_joinable, observe_joined
from aspectrum.plan import PLAN_OPTIONS
from tests.plain import PlainWorld
from tests.strategies import checked, inputs_of
from tests.test_laws import CHUNKS, EACH_CHUNK, EVERY, LAW_WORLDS, USERS, as_relison_reads, computable, crowd, odd_crowd, usable

Frames = Mapping[str, polars.DataFrame]


def frames_of(world: PlainWorld, chance: random.Random) -> dict[str, polars.DataFrame]:
    """The lists and what is known of users, as tables; items of the history sometimes with grades and counts, and more than once."""
    items = polars.Int64 if all(isinstance(item, int) for item in world.seen_items) else polars.String
    own_weights = isinstance(next(iter((world.weights or {}).values()), None), dict)
    weighed: Any = [aspect for own in world.weights.values() for aspect in own] if own_weights else (world.weights or ())  # type: ignore[union-attr]
    aspects = polars.Int64 if all(isinstance(aspect, int) for aspect in (*world.place_of_aspect, *weighed)) else polars.String
    user, item, aspect = {"user": polars.Int64}, {"item": items}, {"aspect": aspects}

    def frame(rows: Sequence[Any], **columns: Any) -> polars.DataFrame:
        return polars.DataFrame(rows, schema=columns, orient="row")

    def ranks(lists: Mapping[Any, Sequence[Any]] | None) -> list[Any]:
        return [(user, item, rank) for user, ranked in (lists or {}).items() for rank, item in enumerate(ranked)]

    earlier = [(user, item) for user, had in world.history.items() for item in sorted(had, key=str)]
    own: dict[str, Any] = chance.choice(
        [{}, {"grade": polars.Float64}, {"grade": polars.Float64, "count": polars.Int64}, {"count": polars.Int64}]
    )
    numbers: dict[str, list[float]] = {"grade": [1.0, 0.0, 3.0], "count": [1, 2, 5]}
    repeats = chance.sample(earlier, len(earlier) // 2) if chance.random() < 0.5 else []
    history = [(*row, *(chance.choice(numbers[name]) for name in own)) for row in (*earlier, *repeats)]
    judged = [(user, item, grade) for user, has in world.relevance.items() for item, grade in has.items()]
    subtopics = [
        (user, aspect, item, *numbers)
        for user, has in world.subtopics.items()
        for item, of_item in has.items()
        for aspect, numbers in of_item.items()
    ]
    found = {
        "rankings": frame(ranks(world.rankings), **user, **item, rank=polars.Int64),
        "relevance": frame(judged, **user, **item, grade=polars.Float64),
        "history": frame(history, **user, **item, **own),
        "subtopics": frame(subtopics, **user, **aspect, **item, grade=polars.Float64, strength=polars.Float64),
    }
    if world.baseline is not None:
        found["baseline"] = frame(ranks(world.baseline), **user, **item, rank=polars.Int64)
    if own_weights and world.weights is not None:
        weights = [(user, aspect, weight) for user, own in world.weights.items() for aspect, weight in own.items()]  # type: ignore[union-attr]
        found["weights"] = frame(weights, **user, **aspect, weight=polars.Float64)
    return found


def of_items(world: PlainWorld, frames: Frames) -> dict[str, Any]:
    """Inputs that are not about users, and options."""
    others = {name: value for name, value in inputs_of(world).items() if name not in (*frames, "graph")}
    return {name: value for name, value in others.items() if value is not None}


def parts_of(frames: Frames, n_parts: int, chance: random.Random) -> list[dict[str, Rows]]:
    """Each user in one of some parts, with all rows of theirs in any order."""
    users = sorted({user for frame in frames.values() for user in frame["user"]})
    place = {user: chance.randrange(n_parts) for user in users}
    shuffled = {name: frame.sample(fraction=1.0, shuffle=True, seed=chance.randrange(99)) for name, frame in frames.items()}
    return [
        {
            name: read_input(name, frame.filter(polars.Series([place[user] == part for user in frame["user"]], dtype=polars.Boolean)))
            for name, frame in shuffled.items()
        }
        for part in range(n_parts)
    ]


def joined(
    parts: Sequence[Mapping[str, Rows]], metrics: Any, chance: random.Random, **options: Any
) -> tuple[asp.Plan, asp.Partial, Counted]:
    """A plan without users, and all parts, each by itself, through bytes and back; then together."""
    convention = convention_named(options.pop("convention", None))
    of_plan = {name: options.pop(name) for name in PLAN_OPTIONS if name in options}
    reading = convention.reading_of(options)
    known = [{name: rows for name, rows in part.items() if name in JOINED} for part in parts]
    survey = sum_of(Survey.of(part, reading) for part in chance.sample(known, len(known)))
    if "users" in parts[0]:
        of_plan["users"] = NO_USERS
    plan = asp.Plan(metrics, survey.truth(options, known[0], reading), convention=convention, **of_plan)
    check_joinable(plan, known[0].keys())
    found = []
    for part in chance.sample(parts, len(parts)):
        partial, counted = observe_joined(plan, part["rankings"], {name: rows for name, rows in part.items() if name != "rankings"})
        found.append((plan.read(partial.to_bytes()).counting_strangers(), counted))
    return plan, sum_of(partial for partial, _ in found), sum_of(counted for _, counted in found)


def sum_of(several: Iterable[Any]) -> Any:
    return reduce(add, several)


def evaluate(parts: Sequence[Mapping[str, Rows]], metrics: Any, chance: random.Random, **options: Any) -> asp.Results:
    plan, part, _ = joined(parts, metrics, chance, **options)
    return plan.finish(part, notices=())


def whole(frames: Frames, metrics: Any, **options: Any) -> asp.Results:
    """The numbers of the whole truth."""
    convention = convention_named(options.pop("convention", None))
    of_plan = {name: options.pop(name) for name in PLAN_OPTIONS if name in options}
    known = {name: frame for name, frame in frames.items() if name in JOINED}
    of_plan |= {"users": frames["users"]} if "users" in frames else {}
    plan = asp.Plan(metrics, convention.truth(**known, **options), convention=convention, **of_plan)
    return plan.finish(plan.observe(frames["rankings"]), notices=())


def check_same(found: asp.Results, expected: asp.Results) -> None:
    assert list(found.columns) == list(expected.columns)
    for name, column in expected.columns.items():
        assert found.columns[name].value.hex() == column.value.hex(), name
        assert found.details[name] == column.details, name
    assert by_user(found) == by_user(expected)


def by_user(results: asp.Results) -> dict[tuple[Any, str], str]:
    return {
        (user, name): score.hex()
        for block in results.blocks
        for user, scores in zip(block.users, block.scores.tolist(), strict=True)
        for name, score in zip(block.names, scores, strict=True)
    }


def joinable(world: PlainWorld, metrics: Iterable[asp.Metric]) -> list[asp.Metric]:
    """Settings whose inputs the world has, and that need no graph and no order of the history."""
    found = [metric for metric in usable(world, metrics) if any("graph" not in needed for needed in metric.needs())]
    return [metric for metric in found if metric.parameters.get("history_discount", "none") == "none"]


def fits_to(metric: asp.Metric, known: Collection[str]) -> bool:
    """Whether a metric, as it is computed, has what it needs."""
    ordered = metric.parameters.get("history_discount", "none") != "none"
    weighed = metric.parameters.get("intents") != "given" or "weights" in known
    return weighed and not ordered and metric.parameters.get("judged_by") in (None, *known, "membership") and _has_needs(metric, known)


def _has_needs(metric: asp.Metric, known: Collection[str]) -> bool:
    by_default = metric.inputs if "subtopics" not in known and "judged_by" in metric.parameters else ()
    return any(needed <= set(known) for needed in metric.needs()) and set(by_default) <= set(known)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, st.one_of(USERS, st.just("given")), st.integers(1, 4), st.randoms(use_true_random=False), st.sampled_from([None, 2.0]))
def test_every_metric_has_the_numbers_of_the_whole_truth(
    chunk: int, world: PlainWorld, users: str, n_parts: int, chance: random.Random, threshold: float | None
) -> None:
    frames = frames_of(world, chance)
    metrics = joinable(world, CHUNKS[chunk])
    others = of_items(world, frames) | ({} if threshold is None else {"threshold": threshold})
    options = {**others, "ties": "ascending", "users": users}
    if users == "given":
        frames["users"] = polars.DataFrame({"user": chance.sample([*range(10, 18)], 4)})
        del options["users"]
    found = evaluate(parts_of(frames, n_parts, chance), metrics, chance, **options)
    check_same(found, whole(frames, metrics, **options))


@pytest.mark.parametrize("convention", sorted(asp.CONVENTIONS))
@pytest.mark.parametrize("seed", [1, 2])
def test_every_convention_has_the_numbers_of_the_whole_truth(convention: str, seed: int) -> None:
    """Also with sums that are rounded, and dozens of users."""
    chance, world = random.Random(seed), odd_crowd(seed) if convention != "relison" else crowd(seed)
    frames = frames_of(world, chance)
    reading = asp.CONVENTIONS[convention].reading_of({})
    if reading.aspects_in_order or reading.last_subtopic_only:
        for name in ("subtopics", "weights"):  # which come in no order
            frames.pop(name, None)
    others = of_items(world, frames)
    for name in ("subtopics", "weights"):
        if name not in frames and (name == "subtopics" or seed % 2):
            others.pop(name, None)
    if convention == "relison":
        others = as_relison_reads({"aspects": {}, "features": {}, **others})
    order = {"order": "rank"} if convention in ("relison", "rankings") else {}
    options = {**others, **order, "ties": "ascending", "convention": convention}
    known = {name for name in (*frames, *others) if name != "rankings"}
    tool = asp.CONVENTIONS[convention]
    metrics = [one for one in computable(joinable(world, EVERY[seed::18]), convention) if fits_to(tool.applied(one), known)]
    if not metrics:
        return
    found = evaluate(parts_of(frames, 3, chance), metrics, chance, **options)
    check_same(found, whole(frames, metrics, **options))


def said(notices: Iterable[Any]) -> list[str]:
    """Notices; of users that are examples, others may be named."""
    return sorted(re.sub(r" \(such as .*?\)", "", f"{getattr(one, 'level', 'error')}: {one}") for one in notices)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("users", ["lists", "given"])
def test_what_is_said_of_users_is_what_is_said_of_all(seed: int, users: str) -> None:
    chance, world = random.Random(seed), crowd(seed)
    frames = frames_of(world, chance)
    if seed == 1:  # with a reason, and none of them matching
        frames["relevance"] = frames["relevance"].with_columns(polars.col("user") + 1000)
    if seed == 2:  # ratings
        frames["relevance"] = frames["relevance"].with_columns(grade=(polars.col("item") % 5 + 1).cast(float))
    others = {**of_items(world, frames), "ties": "ascending"}
    others.pop("threshold", None)
    options: dict[str, Any] = {"users": users}
    if users == "given":
        frames["users"] = polars.DataFrame({"user": [*range(100, 130), 999]})
        options = {}
    metrics = ["NDCG@5", "Unexpectedness@5", "GiniComplement@5", "EPC@5"]
    plan, part, counted = joined(parts_of(frames, 3, chance), metrics, chance, **others, **options)
    known: dict[str, Any] = {name: frame for name, frame in frames.items() if name in JOINED}
    same = asp.Plan(metrics, asp.Truth.read(**known, **others), users=frames.get("users", users))
    expected = same.observe(frames["rankings"])
    assert told(plan, part, counted) == told(same, expected)


def told(plan: asp.Plan, part: asp.Partial, counted: Counted | None = None) -> list[str]:
    """What a plan says of all lists, be it an error."""
    try:
        return said(
            plan.notices_on(
                {"rankings": part.lists}, from_files=True, whole=True, counted=None if counted is None else {"rankings": counted}
            )
        )
    except asp.InputError as error:
        return said(part for part in error.args if not isinstance(part, str))


def test_what_has_no_order_is_refused() -> None:
    chance, world = random.Random(3), crowd(3)
    frames = {name: frame for name, frame in frames_of(world, chance).items() if name in ("rankings", "history", "subtopics")}
    parts, aspects = parts_of(frames, 2, chance), {"aspects": {1: [1]}}
    with pytest.raises(asp.InputError, match="looks at the history in the order of its rows"):
        joined(parts, "Calibration(history_discount=log)@5", chance, **aspects)
    with pytest.raises(asp.InputError, match="adds up aspects in the order of the rows of subtopics"):
        joined(parts, "AlphaNDCG@5", chance, convention="ndeval", **aspects)
    with pytest.raises(asp.InputError, match="takes the last aspect of an item in the order of the rows of subtopics"):
        joined(parts, "AlphaNDCG@5", chance, convention="brightpro", **aspects)
    with pytest.raises(asp.InputError, match="weights are those of users"):
        joined(parts, "AlphaNDCG@5", chance, weights={100: {1: 0.5}})


def test_an_input_that_changes_between_two_looks_is_refused() -> None:
    chance = random.Random(3)
    frames = {name: frame for name, frame in frames_of(crowd(3), chance).items() if name in ("rankings", "relevance")}
    (part,) = parts_of(frames, 1, chance)
    known = {"relevance": part["relevance"]}
    plan = asp.Plan("NDCG@5", Survey.of(known, Reading()).truth({}, known))
    other = read_input("relevance", polars.DataFrame({"user": [100], "item": [12345]}))
    with pytest.raises(asp.InputError, match="changed while it was read"):
        observe_joined(plan, part["rankings"], {"relevance": other})


def test_what_is_stated_twice_has_no_first() -> None:
    frame = polars.DataFrame({"user": [1, 1], "item": [2, 2], "grade": [1.0, 2.0]})
    with pytest.raises(asp.InputError, match="user 1 and item 2 have two grades"):
        Survey.of({"relevance": read_input("relevance", frame)}, Reading(duplicates="first"))
