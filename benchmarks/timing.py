"""CPU time, minimum of several runs: the machines are noisy, and threads must not look free."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timing:
    cpu: float
    wall: float
    result: Any


def measure(run: Callable[[], Any], repeats: int = 3) -> Timing:
    best = Timing(float("inf"), float("inf"), None)
    for _ in range(repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        result = run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        best = Timing(min(cpu, best.cpu), min(wall, best.wall), result)
    return best


def report(what: str, ours: Timing, peer: Timing, peer_name: str, target: float) -> bool:
    ratio = peer.cpu / ours.cpu
    reached = ratio >= target
    print(
        f"{what}\n"
        f"  aspectrum {ours.cpu:8.3f} s CPU ({ours.wall:.3f} s)   {peer_name} {peer.cpu:8.3f} s CPU ({peer.wall:.3f} s)   "
        f"{ratio:6.1f} x less CPU (aim: {target:g})   {'reached' if reached else 'MISSED'}",
        flush=True,
    )
    return reached
