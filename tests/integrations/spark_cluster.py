"""A real standalone cluster on loopback: a master and two workers, each a process, from PySpark's own package."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
}


class Cluster:
    """Its processes, which end with it; `memory` is what each worker may give to executors."""

    def __init__(self, folder: Path, memory: str) -> None:
        import pyspark

        self._home, self._folder, self._memory = Path(pyspark.__file__).parent, folder, memory
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        master = "org.apache.spark.deploy.master.Master"
        self.url = self._start("master", r"(spark://127\.0\.0\.1:\d+)", master, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        for name in ("one", "two"):
            self.start_worker(name)

    def start_worker(self, name: str) -> None:
        options = ["--host", "127.0.0.1", "--cores", "2", "--memory", self._memory, "--webui-port", "0"]
        options += ["--work-dir", str(self._folder / name)]
        self._start(name, "(Successfully registered)", "org.apache.spark.deploy.worker.Worker", *options, self.url)

    def _start(self, name: str, sign: str, *command: str) -> str:
        log = self._folder / f"{name}.log"
        environment = {**os.environ, "SPARK_HOME": str(self._home), "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"}
        with open(log, "wb") as file:
            self._processes[name] = subprocess.Popen(
                [self._home / "bin" / "spark-class", *command], stdout=file, stderr=file, env=environment, start_new_session=True
            )
        for _ in range(600):
            if found := re.search(sign, log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.1)
        raise AssertionError(f"{name} did not start:\n{log.read_text(errors='replace')}")

    def kill(self, name: str) -> None:
        """A process and its executors, at once."""
        process = self._processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for name in list(self._processes):
            self.kill(name)


@contextmanager
def cluster(folder: Path, memory: str = "2g") -> Iterator[Cluster]:
    started = Cluster.__new__(Cluster)
    started._processes = {}
    try:
        started.__init__(folder, memory)  # type: ignore[misc]
        yield started
    finally:
        started.stop()


@contextmanager
def session(master: str, **settings: str) -> Iterator[Any]:
    """A session, whose Java process ends with it."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("aspectrum tests")
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
        gateway: Any = SparkContext._gateway
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.kill()
            gateway.proc.wait()
            SparkContext._gateway = SparkContext._jvm = None
