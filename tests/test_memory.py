"""A bounded memory of results: what it keeps, and that nothing depends on what it drops."""

import threading
from collections.abc import Iterator

import pytest

import aspectrum as asp
from aspectrum.memory import Memory
from tests.ideal.test_exact import bits, hard_world
from tests.strategies import build


def squares(missing: list[int]) -> Iterator[int]:
    return (key * key for key in missing)


def test_only_missing_results_are_computed_each_once() -> None:
    asked: list[list[int]] = []

    def compute(missing: list[int]) -> list[int]:
        asked.append(missing)
        return list(squares(missing))

    memory = Memory()
    assert memory.find("squares", [3, 1, 3], compute) == {3: 9, 1: 1}
    assert memory.find("squares", [1, 2], compute) == {1: 1, 2: 4}
    assert memory.find("squares", [1, 2, 3], compute) == {1: 1, 2: 4, 3: 9}
    assert memory.find("others", [1], compute) == {1: 1}
    assert asked == [[3, 1], [2], [1]]


def test_the_oldest_results_are_dropped() -> None:
    memory = Memory(limit=3)
    assert memory.find("squares", range(10), squares) == {key: key * key for key in range(10)}
    assert len(memory) == 3
    memory.find("squares", [7, 8, 9], lambda missing: pytest.fail(f"computed {missing} again"))
    memory.find("squares", [0], squares)
    assert memory.find("squares", [7], lambda missing: [-1 for _ in missing]) == {7: -1}


def test_large_results_count_as_several() -> None:
    memory = Memory(limit=10)
    memory.find("squares", [1, 2, 3], squares)
    memory.find("large", [1, 2], squares, size=4)
    assert len(memory) == 4
    memory.find("large", [1, 2], lambda missing: pytest.fail(f"computed {missing} again"), size=4)
    memory.find("squares", [2, 3], lambda missing: pytest.fail(f"computed {missing} again"))
    memory.find("huge", [1], squares, size=11)
    assert len(memory) == 0


def test_a_failure_keeps_nothing() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.find("inverses", [2, 0], lambda missing: [1 / key for key in missing])
    assert len(memory) == 0


def test_threads_share_a_memory() -> None:
    memory = Memory(limit=5)
    wrong: list[dict[int, int]] = []

    def work(start: int) -> None:
        for step in range(300):
            keys = range(start + step % 7, start + step % 7 + 9)
            found = memory.find("squares", keys, squares)
            if found != {key: key * key for key in keys}:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(memory) == 5


@pytest.mark.parametrize("ideal", ["greedy", "exact"])
@pytest.mark.parametrize("judged_by", ["history", "membership", "relevance"])
def test_scores_do_not_depend_on_what_is_dropped(ideal: str, judged_by: str) -> None:
    metrics = [f"AlphaNDCG(judged_by={judged_by}, ideal={ideal})@2,5", f"AlphaNDCG(alpha=0.9, judged_by={judged_by}, ideal={ideal})@2,5"]
    expected = bits(asp.evaluate(build(hard_world(4)), metrics))
    world = build(hard_world(4))
    world.memory["ideals",] = Memory(limit=1)
    assert bits(asp.evaluate(world, metrics, batch_size=3)) == expected
    assert bits(asp.evaluate(world, metrics)) == expected
    assert len(world.memory["ideals",]) <= 1
