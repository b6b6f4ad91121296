"""After each round every metric is what it is of the lists as they were then, whatever was found later."""

import random
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.metric import Family, Fractions
from tests.strategies import inputs_of
from tests.test_laws import CHUNKS, EACH_CHUNK, crowd, usable

N_ROUNDS = 3
WORLD = crowd(5, n_users=12, n_items=16)
INPUTS = {name: given for name, given in inputs_of(WORLD).items() if name != "rankings"} | {"catalogue": list(range(16))}


def rounds_of_some() -> dict[Any, list[list[Any]]]:
    chance = random.Random(7)
    return {user: [chance.sample(range(16), chance.randint(0, 4)) for _ in range(N_ROUNDS)] for user in list(WORLD.rankings)}


def check_rounds_are_cut_lists(metrics: Sequence[asp.Metric]) -> None:
    rounds = asp.Rounds(rounds_of_some())
    found = asp.evaluate_rounds(rounds, metrics, **INPUTS).per_user
    for number in range(1, N_ROUNDS + 1):
        lists = rounds.lists(number)
        rows = found.filter(found["round"] == number)
        assert rows["user"].to_list() == list(lists)
        for k in {max(1, len(own)) for own in lists.values()}:
            mine = [user for user, own in lists.items() if max(1, len(own)) == k]
            asked = {str(metric): metric if metric.budgets else metric.at(k) for metric in metrics}
            expected = asp.evaluate({user: lists[user] for user in mine}, asked, **INPUTS).per_user
            for name in asked:
                scores = rows.filter(rows["user"].is_in(mine))[name].to_numpy()
                np.testing.assert_array_equal(scores, expected[name].to_numpy(), err_msg=f"{name}, round {number}, k={k}")


@EACH_CHUNK
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_later_rounds_do_not_show(chunk: int) -> None:
    of_users = [metric for metric in usable(WORLD, CHUNKS[chunk]) if isinstance(metric, asp.UserMetric) and not metric.pooled]
    check_rounds_are_cut_lists(
        list({str(own): own for own in (one.at(one.budgets[0] if one.budgets else -1) for one in of_users)}.values())
    )


class LengthOfList(asp.UserMetric):
    """Looks at more than its cutoff says."""

    abstract: ClassVar[bool] = True  # so that no name is taken
    family: ClassVar[Family] = "novelty"

    def fractions(self, world: asp.World) -> Fractions:
        lengths = np.repeat(world.rankings.lengths[:, np.newaxis].astype(np.float64), len(self.cutoffs), axis=1)
        return Fractions(lengths, np.ones_like(lengths))


def test_later_rounds_do_not_show_in_a_metric_of_ones_own() -> None:
    check_rounds_are_cut_lists([LengthOfList()])


def test_unjudged_items_that_are_removed_make_room_for_what_was_found_already() -> None:
    rounds, subtopics = {"q": [["h1", "h2", "a"], ["b", "c"]]}, {"q": {"a": [1], "b": [2], "c": [3]}}
    metric = "AspectRecall(unjudged=condense)"
    assert asp.evaluate_rounds(rounds, metric, subtopics=subtopics)[metric] == (1 / 3, 1.0)
