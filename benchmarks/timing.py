"""CPU time, minimum of several runs: the machines are noisy, and threads must not look free."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_APART = """
import json, re, sys, time
numbers = []
{imports}
cpu, wall = time.process_time(), time.perf_counter()
{work}
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])  # unlike ru_maxrss, not that of who started it
print(json.dumps([cpu, wall, peak / 1024, numbers]))
"""


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


def measure_apart(contender: tuple[str, str], repeats: int, *paths: Path) -> tuple[Timing, float, list[float]]:
    """Imports and work of a contender in processes of their own: the time of the work, the peak memory in MB, and its `numbers`."""
    imports, work = contender
    best, memory, numbers = Timing(float("inf"), float("inf"), None), 0.0, []
    for _ in range(repeats):
        script = _APART.format(imports=imports, work=work)
        shown = subprocess.run([sys.executable, "-c", script, *map(str, paths)], capture_output=True, text=True, check=True)
        cpu, wall, peak, numbers = json.loads(shown.stdout.splitlines()[-1])
        best, memory = Timing(min(best.cpu, cpu), min(best.wall, wall), None), max(memory, peak)
    return best, memory, numbers


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
