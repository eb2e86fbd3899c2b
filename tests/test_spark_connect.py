"""A session over Spark Connect, in a process of its own: it has no SparkContext."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.test_cluster import QUICK_JVM

pytestmark = [pytest.mark.spark, pytest.mark.slow]
SCRIPT = """
import os
import sys
from pyspark.sql import SparkSession
import xpubsub

builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
for name in ("spark.sql.shuffle.partitions", "spark.default.parallelism"):
    builder = builder.config(name, "2")
spark = builder.getOrCreate()
messages = [(f"m{n}", f"<a><b>{n % 12}</b><c/></a>", n) for n in range(60)]
frame = spark.createDataFrame([*messages, ("bad", "<a", 60)], "id string, xml string, k int")
with xpubsub.connect(sys.argv[1] + "/store", spark=spark) as broker:
    broker.subscribe_many([(f"s{n}", f"//a[b = {n}]/c") for n in range(10)])
    for plan in ("partition", "sql"):
        result = broker.publish([message[:2] for message in messages], plan=plan)
        assert result.notifications.num_rows == 50 and result.choice.plan.startswith(plan)
        notifications, rejected = broker.publish_frames(frame, plan=plan, keep=["k"])
        assert notifications.columns == ["message_id", "subscription_id", "output", "k"] and notifications.count() == 50
        assert [(row.message_id, row.code, row.k) for row in rejected.collect()] == [("bad", "not-well-formed", 60)]
    frame.write.parquet(sys.argv[1] + "/in")
    stream = broker.publish_frame(spark.readStream.schema(frame.schema).parquet(sys.argv[1] + "/in"))
    writer = stream.writeStream.option("checkpointLocation", sys.argv[1] + "/marks").option("path", sys.argv[1] + "/out")
    query = writer.format("parquet").trigger(availableNow=True).start()
    assert query.awaitTermination(120) and spark.read.parquet(sys.argv[1] + "/out").count() == 50
print("as expected", flush=True)
os._exit(0)
"""


def test_frames_and_batches_over_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    environment = {**os.environ, **QUICK_JVM, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path(__file__).parent.parent)}
    said = tmp_path / "said"
    with said.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        process.wait(timeout=600)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert "as expected" in said.read_text(), said.read_text()[-3000:]
