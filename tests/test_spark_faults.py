"""What happens when Spark loses processes, files or memory: the same result or a clear error, and nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.test_cluster import QUICK_JVM

pytestmark = [pytest.mark.spark, pytest.mark.slow]
SCRIPT = """
import json, os, signal, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
import xpubsub

FORM, FOLDER = "id string, xml string", Path(sys.argv[1])
CORRELATION = "SELECT <p/> FROM S//a AS $x [b AS $v] FOLLOWED BY { $v = $w, 100s } S//z AS $y [b AS $w]"
SETTINGS = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.task.maxFailures": "2"}

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

def executor():
    pid = parent(os.getpid())
    while "java" not in os.readlink(f"/proc/{pid}/exe"):
        pid = parent(pid)
    return pid

def killing(batches):
    for batch in batches:
        first = batch["id"][0].as_py()
        victim = {"m0": os.getpid, "m30": executor}.get(first)
        if victim and not (FOLDER / first).exists():
            (FOLDER / first).write_text("")
            os.kill(victim(), signal.SIGKILL)
            time.sleep(60)
        yield batch

def pairs(rows):
    return sorted([row["message_id"], row["subscription_id"]] for row in rows)

def say(name, value):
    print(json.dumps([name, value]), flush=True)

builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for name, value in SETTINGS.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
session.sparkContext.setLogLevel("OFF")
messages = [(f"m{n}", f"<a><b>{n % 12}</b><c/></a>") for n in range(60)]
given = session.sparkContext.parallelize(messages, 2).toDF(FORM)
with xpubsub.connect(FOLDER / "store", spark=session) as broker:
    broker.subscribe_many([(f"s{n}", f"//a[b = {n}]/c") for n in range(10)])
    broker.subscribe("c", CORRELATION)
    killed = broker.publish_frame(given.mapInArrow(killing, FORM)).toArrow().to_pylist()
    say("killed", [pairs(killed), sorted(path.name for path in FOLDER.glob("m*"))])
    for path in (FOLDER / "store" / "_snapshots").iterdir():
        path.unlink()
    say("lost", pairs(broker.publish([("z", "<z><b>3</b></z>")]).notifications.to_pylist()))
    before = broker.stats()
    try:
        broker.publish_frame(session.range(1).selectExpr("'big' as id", "repeat(concat('<a/>', id), 300000000) as xml"))
    except xpubsub.EngineError as error:
        say("memory", [str(error)[:3000], before == broker.stats()])
os._exit(0)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script says, which has a cluster of two executors to itself."""
    folder = tmp_path_factory.mktemp("faults")
    environment = {**os.environ, **QUICK_JVM, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path(__file__).parent.parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "out").open("w") as out, (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder)], env=environment, stdout=out, stderr=log, start_new_session=True, cwd=folder)
    try:
        process.wait(timeout=300)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    lines = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
    assert len(lines) == 3, (folder / "log").read_text()[-3000:]
    return dict(lines)


def test_a_worker_and_an_executor_that_are_killed(said: dict[str, Any]) -> None:
    """One partition kills its Python worker, the other its executor."""
    found, killed = said["killed"]
    assert killed == ["m0", "m30"]
    assert found == sorted([f"m{n}", f"s{n % 12}"] for n in range(60) if n % 12 < 10)


def test_a_snapshot_in_the_store_that_is_deleted(said: dict[str, Any]) -> None:
    """It is written again; the new message is joined with each earlier one exactly once."""
    assert said["lost"] == [["z", "c"]] * 5


def test_an_executor_out_of_memory(said: dict[str, Any]) -> None:
    message, unchanged = said["memory"]
    assert "raise spark.executor.memory" in message and unchanged
