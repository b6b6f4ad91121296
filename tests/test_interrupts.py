"""Ctrl-C and a polite kill end long kernels, not only what Python does between them."""

import signal
import subprocess
import sys

import pytest

JOBS = {  # each takes minutes
    "greedy lists": """
import numpy as np
random = np.random.default_rng(0)
aspects = {item: random.integers(0, 1000, 10).tolist() for item in range(40_000)}
lists = {user: [user] for user in range(40_000)}
inputs = dict(aspects=aspects, history={user: random.integers(0, 40_000, 100).tolist() for user in lists})
metric = "AlphaNDCG(pool=unseen)@100"
""",
    "pairs of one long list": """
import numpy as np
lists = {"ann": list(range(100_000))}
inputs = dict(features=(range(100_000), np.random.default_rng(0).random((100_000, 64))))
metric = "ILD(distance=jaccard)"
""",
    "orders of equal scores": """
import numpy as np, polars
random = np.random.default_rng(0)
rows = {"user": ["q"] * 600_000, "aspect": random.permutation(600_000) % 10, "item": np.arange(600_000) % 60_000, "strength": random.random(600_000)}
lists = {"q": dict.fromkeys(range(60_000), 1.0)}
inputs = dict(subtopics=polars.DataFrame(rows).unique(["item", "aspect"]), ties="expected")
metric = "AlphaDCG"
""",
}
RUN = """
import signal, sys
import aspectrum as asp

def terminated(*_):
    sys.exit(143)

signal.signal(signal.SIGTERM, terminated)
plan = asp.Plan(metric, asp.Truth.read(**inputs))
coded = plan.lists(lists)
print("ready", flush=True)
try:
    plan.observe(coded)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_kernel_is_interrupted(job: str, sent: signal.Signals, status: int) -> None:
    with subprocess.Popen([sys.executable, "-c", JOBS[job] + RUN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)  # by then a kernel runs
        process.send_signal(sent)
        try:
            assert process.wait(20) == status
        finally:
            process.kill()
