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

KILLS = int(os.environ.get("XPUBSUB_SPARK_KILLS", "2"))
"""How many executors of a streaming job are killed; each is a Java process that starts again."""
pytestmark = [pytest.mark.spark, pytest.mark.slow]
SCRIPT = """
import json, os, random, signal, sys, threading, time
from pathlib import Path
from pyspark.sql import SparkSession
import xpubsub

FORM, FOLDER, KILLS = "id string, xml string", Path(sys.argv[1]), int(sys.argv[2])
MESSAGES = 6 * KILLS
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

def executors():
    mine = [path for path in Path("/proc").glob("[0-9]*/cmdline") if os.getsid(0) == session_of(int(path.parent.name))]
    commands = {int(path.parent.name): path.read_bytes().split(b"\\0") for path in mine}
    return [pid for pid, command in commands.items() if command[0].endswith(b"java") and b"CoarseGrainedExecutorBackend" in b" ".join(command)]

def session_of(pid):
    try:
        return os.getsid(pid)
    except OSError:
        return None

def killer(ended, kills):
    drawn = random.Random(KILLS)
    while len(kills) < KILLS and not ended.wait(drawn.uniform(0.3, 1.5)):
        try:
            kills += [os.kill(drawn.choice(executors()), signal.SIGKILL)]
        except (OSError, IndexError):
            pass

def streamed():
    inbox, kills, ended = FOLDER / "in", [], threading.Event()
    inbox.mkdir()
    for number in range(MESSAGES):
        (inbox / f"{number:03d}.xml").write_text(f"<a><b>{number % 12}</b><c/></a>" if number % 5 else "<a>")
    threading.Thread(target=killer, args=(ended, kills), daemon=True).start()
    for _ in range(KILLS):
        try:
            broker.stream(f"dir:{inbox}", f"dir:{FOLDER}/notified", format="jsonl", dead_letters=f"dir:{FOLDER}/dead", once=True, max_messages=2)
            break
        except xpubsub.EngineError:
            pass
    ended.set()
    found = [[json.loads(line) for path in (FOLDER / name).glob("*.jsonl") for line in path.open()] for name in ("notified", "dead")]
    say("stream", [pairs(row for row in found[0] if row["subscription_id"] != "c"), sorted(row["message_id"] for row in found[1]), len(kills)])

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
    streamed()
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
            [sys.executable, "-c", SCRIPT, str(folder), str(KILLS)], env=environment, stdout=out, stderr=log, start_new_session=True, cwd=folder)
    try:
        process.wait(timeout=300 + 30 * KILLS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    lines = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
    assert len(lines) == 4, (folder / "log").read_text()[-3000:]
    return dict(lines)


def test_a_worker_and_an_executor_that_are_killed(said: dict[str, Any]) -> None:
    """One partition kills its Python worker, the other its executor."""
    found, killed = said["killed"]
    assert killed == ["m0", "m30"]
    assert found == sorted([f"m{n}", f"s{n % 12}"] for n in range(60) if n % 12 < 10)


def test_a_streaming_job_of_which_executors_are_killed(said: dict[str, Any]) -> None:
    found, dead, kills = said["stream"]
    numbers = range(6 * KILLS)
    assert found == sorted([f"{n:03d}.xml", f"s{n % 12}"] for n in numbers if n % 5 and n % 12 < 10)
    assert dead == [f"{n:03d}.xml" for n in numbers if n % 5 == 0]
    assert kills


def test_a_snapshot_in_the_store_that_is_deleted(said: dict[str, Any]) -> None:
    """It is written again; the new message is joined with each earlier one exactly once."""
    assert said["lost"] == [["z", "c"]] * 5


def test_an_executor_out_of_memory(said: dict[str, Any]) -> None:
    message, unchanged = said["memory"]
    assert "raise spark.executor.memory" in message and unchanged
