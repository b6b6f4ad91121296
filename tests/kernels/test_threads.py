"""The number of threads is the calling thread's own."""

import threading

import aspectrum as asp
from aspectrum import kernels


def test_threads_do_not_disturb_one_another() -> None:
    limits = (1, 2, 3)
    together = threading.Barrier(len(limits))
    seen: dict[int, list[int]] = {}

    def run(limit: int) -> None:
        before = kernels.set_threads(limit)
        together.wait()  # all have set theirs ...
        within = kernels.threads()
        together.wait()  # ... and all have looked
        kernels.set_threads(before)
        seen[limit] = [before, within, kernels.set_threads(0)]

    before = kernels.set_threads(7)
    try:
        threads = [threading.Thread(target=run, args=(limit,)) for limit in limits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == {limit: [0, limit, 0] for limit in limits}
        assert kernels.threads() == 7
    finally:
        kernels.set_threads(before)


def test_no_limit_is_one_per_core() -> None:
    before = kernels.set_threads(-3)
    try:
        assert kernels.threads() >= 1
        assert kernels.set_threads(0) == 0
    finally:
        kernels.set_threads(before)


def test_evaluations_at_the_same_time_leave_the_limit_as_it_was() -> None:
    """They share one process; the last to end used to leave its own limit, or another's, for good."""
    before = kernels.threads()
    limits, together = (1, 2, 3), threading.Barrier(3)
    seen: dict[int, set[int]] = {limit: set() for limit in limits}

    def run(limit: int) -> None:
        def look(*_: int) -> None:
            together.wait()  # all are within an evaluation
            seen[limit].add(kernels.threads())

        asp.evaluate({"a": ["x"], "b": ["y"]}, "NDCG@1", relevance={"a": ["x"]}, threads=limit, batch_size=1, progress=look)
        seen[limit].add(-kernels.threads())

    threads = [threading.Thread(target=run, args=(limit,)) for limit in limits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {limit: {limit, -before} for limit in limits}
    assert kernels.threads() == before
