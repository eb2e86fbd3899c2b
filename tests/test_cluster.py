"""The batch job as Spark's users run it: spark-submit to a cluster of one master and two workers on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xpubsub

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).parent.parent
MESSAGES = {f"m{n}": f"<a><b>{n % 12}</b><c/></a>" for n in range(3000)}
FOUND = sorted((f"m{n}", f"s{n % 12}") for n in range(3000) if n % 12 < 10)


def spark_bin(name: str) -> str:
    import pyspark

    return str(Path(pyspark.__file__).parent / "bin" / name)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def until(holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.1)


@contextmanager
def started(folder: Path, name: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the cluster, which ends with the block, and its children with it."""
    environment = {**os.environ, **QUICK_JVM, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [spark_bin("spark-class"), *command], stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of the master, and two workers with a core each."""
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    where = ("--host", "127.0.0.1", "--webui-port", "0")
    with started(folder, "master", f"{deploy}.master.Master", *where, "--port", str(port)):
        until(lambda: "I have been elected leader" in (folder / "master.log").read_text(), "the master")
        with (
            started(folder, "one", f"{deploy}.worker.Worker", *where, "--cores", "1", "--memory", "1g", "-d", str(folder / "1"), master) as one,
            started(folder, "two", f"{deploy}.worker.Worker", *where, "--cores", "1", "--memory", "1g", "-d", str(folder / "2"), master) as two,
        ):
            until(lambda: (folder / "master.log").read_text().count("Registering worker") == 2, "the workers")
            yield master, [one, two]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as an archive, laid out as in a wheel."""
    archive = tmp_path_factory.mktemp("package") / "xpubsub.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for folder, inside in (("xpubsub", "xpubsub"), ("sql", "xpubsub/sql"), ("migrations", "xpubsub/migrations")):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".py", ".sql"):
                    packed.write(path, f"{inside}/{path.relative_to(ROOT / folder)}")
    return archive


def test_a_job_on_a_cluster_that_loses_a_worker(tmp_path: Path, package: Path) -> None:
    rows = pa.table({"id": list(MESSAGES), "xml": list(MESSAGES.values()), "k": list(range(len(MESSAGES)))})
    for part in range(12):
        pq.write_table(rows.slice(part * 250, 250), tmp_path / f"part-{part}.parquet")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for path in tmp_path.glob("part-*.parquet"):
        path.rename(inbox / path.name)
    with xpubsub.connect(tmp_path / "store", engine="spark") as broker:
        broker.subscribe_many([(f"s{n}", f"//a[b = {n}]/c") for n in range(10)])
    output = tmp_path / "found.parquet"
    with cluster(tmp_path) as (master, workers), (tmp_path / "submit.log").open("wb") as log:
        submit = subprocess.Popen(
            [spark_bin("spark-submit"), "--master", master, "--py-files", str(package),
             *(each for name, value in SETTINGS.items() for each in ("--conf", f"{name}={value}")),
             str(ROOT / "xpubsub" / "jobs" / "batch.py"), "--store", str(tmp_path / "store"), "--input", str(inbox), "--format", "parquet",
             "--output", str(output), "--rejects", str(tmp_path / "rejects.parquet"), "--keep", "k"],
            stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path,
            env={**os.environ, **QUICK_JVM, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
        )
        try:
            until(lambda: (output / "_temporary").exists() or submit.poll() is not None, "the job")
            end(workers[0])
            status = submit.wait(timeout=240)
        finally:
            submit.kill()
    assert status == 0, (tmp_path / "submit.log").read_text()[-3000:]
    found = pq.read_table(output).to_pylist()
    assert sorted((row["message_id"], row["subscription_id"]) for row in found) == FOUND
    assert all(row["message_id"] == f"m{row['k']}" for row in found)


QUICK_JVM = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Processes that live for seconds are compiled quickly rather than well."""
SETTINGS = {
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "600m", "spark.sql.files.maxPartitionBytes": "4000", "spark.task.maxFailures": "8",
}
