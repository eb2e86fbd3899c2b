"""The streaming job with a real Kafka broker: killed at any moment, it delivers what an undisturbed run delivers."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from threading import Event, Thread, Timer
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import xpubsub
from tests.crashing import Crash, crashing
from tests.forks import FORKS
from tests.kafka_child import main
from tests.kafka_server import KafkaServer, connector_jars, free_ports
from tests.kafka_topics import Row, notified, produce, records
from xpubsub.cli.program import program
from xpubsub.jobs.stream import kafka_sink, kafka_source
from xpubsub.jobs.stream.commits import Commits
from xpubsub.jobs.stream.deliveries import Deliveries
from xpubsub.jobs.stream.kafka_sink import KafkaSink
from xpubsub.jobs.stream.kafka_source import KafkaSource
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.rows import NOTIFICATIONS

MESSAGES = 40
SUBSCRIPTIONS = [
    ("price", "//price > 50"),
    ("copy", "for $t in //tick where $t/price > 20 return <p>{ $t/price }</p>"),
]
PAIR = "pair", "S//tick AS $a [./symbol AS $x] JOIN {$x = $y, INF} S//tick AS $b [./symbol AS $y]"


def ticks(amount: int = MESSAGES) -> list[str]:
    """Messages; each seventh is no XML."""
    texts = [f"<tick><symbol>s{n % 15}</symbol><price>{n * 4}</price></tick>" for n in range(amount)]
    return [text if number % 7 else text[:-3] for number, text in enumerate(texts)]


class Places:
    """A store with subscriptions, a filled source and an empty sink; Kafka's topics get names of their own."""

    count = 0

    def __init__(self, folder: Path, kafka: KafkaServer, source: str, sink: str) -> None:
        folder.mkdir()
        Places.count += 1
        self.kafka, self.folder = kafka, folder
        self.topics = [f"{name}-{Places.count}" for name in ("in", "out")]
        kafka.create(*self.topics)
        self.source = f"kafka:{kafka.servers}/{self.topics[0]}" if source == "kafka" else f"dir:{folder}/in"
        self.sink = f"kafka:{kafka.servers}/{self.topics[1]}" if sink == "kafka" else f"dir:{folder}/out"
        with xpubsub.connect(folder / "store") as broker:
            broker.subscribe_many(SUBSCRIPTIONS)
        self._fill()

    def _fill(self) -> None:
        if self.source.startswith("kafka:"):
            return produce(self.kafka, self.topics[0], ticks())
        (self.folder / "in").mkdir()
        for number, text in enumerate(ticks()):
            (self.folder / "in" / f"{number:03d}.xml").write_text(text)
        return None

    def run(self, **options: Any) -> None:
        with xpubsub.connect(self.folder / "store") as broker:
            broker.stream(self.source, self.sink, **{"once": True, "max_messages": 5, **options})

    def found(self) -> Counter[Row]:
        """The notifications in the sink; one that is there twice counts twice."""
        if self.sink.startswith("kafka:"):
            return notified(self.kafka, self.topics[1])
        table = pq.read_table(self.folder / "out")
        return Counter((row["message_id"], row["subscription_id"], row["output"]) for row in table.to_pylist())

    def expected(self) -> Counter[Row]:
        """What an undisturbed run delivers, worked out by hand."""
        good = {number: number * 4 for number in range(MESSAGES) if number % 7}
        if self.source.startswith("kafka:"):
            names = {number: f"{self.topics[0]}/{number % 2}/{number // 2}" for number in good}
        else:
            names = {number: f"{number:03d}.xml" for number in good}
        rows: Counter[Row] = Counter((names[n], "price", None) for n, price in good.items() if price > 50)
        rows.update((names[n], "copy", f"<p><price>{price}</price></p>") for n, price in good.items() if price > 20)
        return rows


def test_what_goes_in_and_what_comes_out(kafka: KafkaServer, tmp_path: Path) -> None:
    from confluent_kafka import Producer

    places = Places(tmp_path / "job", kafka, "kafka", "kafka")
    kafka.create("letters")
    with xpubsub.connect(places.folder / "store") as broker:
        broker.subscribe(*PAIR)
    delivered = list[Any]()
    aborted = Producer({"bootstrap.servers": kafka.servers, "transactional.id": "other", "log_level": 0})
    aborted.init_transactions(30)
    aborted.begin_transaction()
    aborted.produce(places.topics[0], ticks()[1], partition=0, on_delivery=lambda *told: delivered.append(told[0]))
    assert aborted.flush(30) == 0 and delivered == [None]
    aborted.abort_transaction(30)
    produce(kafka, places.topics[0], [None])
    places.run(dead_letters=f"kafka:{kafka.servers}/letters", max_messages=15)
    rows = places.found()
    pairs = Counter({row: count for row, count in rows.items() if row[1] == "pair"})
    assert rows - pairs == places.expected()
    good = [number for number in range(MESSAGES) if number % 7]
    joined = Counter(tuple(re.findall(r"<price>(\d+)", row[2] or "")) for row in pairs.elements())
    assert joined == Counter((str(4 * a), str(4 * b)) for a in good for b in good if a != b and a % 15 == b % 15)
    found = records(kafka, places.topics[1])
    assert all(record.key().decode() == json.loads(record.value())["subscription_id"] for record in found)
    batches = {int(dict(record.headers())["xpubsub-batch"]) for record in found}
    assert batches <= {1, 2, 3, 4, 5} and len(batches) > 2
    letters = [json.loads(record.value()) for record in records(kafka, "letters")]
    bad = {f"{places.topics[0]}/{n % 2}/{n // 2}" for n in range(0, MESSAGES, 7)}
    [empty] = [each for each in letters if each["code"] == "not-text"]
    assert {each["message_id"] for each in letters} == bad | {empty["message_id"]}
    assert empty["message_id"] in [f"{places.topics[0]}/0/{n}" for n in (21, 22)], "after the aborted record"
    assert all(each["raw"] and each["position"] == each["message_id"] and each["time"] for each in letters if each != empty)


POINTS: list[tuple[str, Any, str]] = [
    ("outbox", NumberedFiles, "write"), ("commit", Commits, "add"), ("delivery", Deliveries, "deliver"),
    ("sent", KafkaSink, "_produce"), ("transaction", KafkaSink, "_send"), ("delivered", NumberedFiles, "remove"),
]


def test_ended_at_any_point_nothing_is_lost_or_twice(
    kafka: KafkaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One job, started again and again; each run ends at another point of its second batch."""
    places = Places(tmp_path / "job", kafka, "kafka", "kafka")
    monkeypatch.setattr(KafkaSink, "close", lambda self: None)
    ended = 0
    for _, owner, name in POINTS:
        for after in (False, True):
            with monkeypatch.context() as patch:
                patch.setattr(owner, name, crashing(getattr(owner, name), 2, after=after))
                try:
                    places.run(max_messages=2)
                except Crash:
                    ended += 1
    assert ended > 8
    places.run()
    assert places.found() == places.expected()


WAYS = [("kafka", "kafka", 15), ("dir", "kafka", 5), ("kafka", "dir", 5)]


@pytest.mark.parametrize(("source", "sink", "times"), WAYS)
def test_killed_at_random_moments(kafka: KafkaServer, tmp_path: Path, source: str, sink: str, times: int) -> None:
    places = Places(tmp_path / "job", kafka, source, sink)
    random = Random(f"{source}{sink}")
    for _ in range(times):
        here, there = FORKS.Pipe(duplex=False)
        child = FORKS.Process(target=main, args=(str(places.folder / "store"), places.source, places.sink, there))
        child.start()
        for _ in range(random.randrange(1, 4)):
            assert here.poll(30) and here.recv(), "the job does not come to a batch"
        time.sleep(random.uniform(0.0, 0.1))
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
    places.run()
    assert places.found() == places.expected()


def test_the_broker_is_killed_and_started_again(
    kafka: KafkaServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    places = Places(tmp_path / "job", kafka, "kafka", "kafka")
    stop, failed = Event(), list[BaseException]()

    def run() -> None:
        try:
            places.run(max_messages=1, once=False, stop=stop)
        except BaseException as error:
            failed.append(error)

    job = Thread(target=run)
    with caplog.at_level(logging.WARNING, "xpubsub.stream"):
        job.start()
        while not notified(kafka, places.topics[1]):
            time.sleep(0.1)
        kafka.stop(signal.SIGKILL)
        time.sleep(1.0)
        kafka.start()
        until = time.monotonic() + 60
        while places.found() != places.expected() and job.is_alive() and time.monotonic() < until:
            time.sleep(0.3)
    stop.set()
    job.join(60)
    assert not failed
    assert places.found() == places.expected()
    assert "waiting for Kafka at" in caplog.text and "answers again" in caplog.text


def test_a_topic_is_read_no_faster_than_it_is_published(kafka: KafkaServer) -> None:
    kafka.create("large", partitions=1)
    produce(kafka, "large", (bytes([65 + number % 26]) * 900_000 for number in range(120)), partitions=1)
    source = KafkaSource(f"{kafka.servers}/large", max_bytes=2_000_000)
    source.seek(None, [])
    before = resident()
    offsets, first = list[int](), source.poll(10, 1_500_000, 20)
    assert first is not None and len(first.messages) <= 2, "no further message once there are enough bytes"
    time.sleep(1.0)
    assert resident() - before < 60e6, "the client has read most of the topic ahead"
    assert (source.backlog() or 0) > 50 and not source.drained
    polled: Any = first
    while polled is not None or not source.drained:
        offsets += [int(each.place.rpartition("/")[2]) for each in polled.messages] if polled else []
        polled = source.poll(10, 8_000_000, 1)
        assert polled is None or len(polled.messages) <= 10
    assert offsets == list(range(120)) and source.backlog() == 0
    source.close()


def resident() -> float:
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def position_of(topic: str, offset: int) -> dict[str, Any]:
    """A position at the same offset of both partitions."""
    return {"topic": topic, "next": {"0": offset, "1": offset}}


@pytest.mark.parametrize("position", [position_of("another", 1), {"run": "r", "line": 7}])
def test_a_checkpoint_of_another_source_is_refused(position: dict[str, Any]) -> None:
    source = KafkaSource("localhost:9/t", max_bytes=1)
    with pytest.raises(xpubsub.Error, match=r"the job of this checkpoint has read another.*'t': use another checkpoint"):
        source.seek(position, [])
    source.close()


def test_the_commands_of_the_docs(kafka: KafkaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parent.parent / "docs" / "streaming.md").read_text(encoding="utf-8")
    [command] = re.findall(r"xpubsub (stream .*?\S\n)```", page.partition("\n## Kafka\n")[2], re.DOTALL)[:1]
    kafka.create("ticks", "matches", "rejected")
    produce(kafka, "ticks", ticks(10))
    monkeypatch.chdir(tmp_path)
    given = shlex.split(command.replace("\\\n", " ").replace("localhost:9092", kafka.servers))
    for arguments in (["subscribe", given[1], "--id", "s", "//price > 10"], [*given, "--once"]):
        done = CliRunner().invoke(program, arguments)
    assert done.exit_code == 1 and "10 messages, 6 notifications, 2 rejected" in done.stderr
    assert sum(notified(kafka, "matches").values()) == 6 and len(records(kafka, "rejected")) == 2


def test_partitions_that_are_added_are_read(
    kafka: KafkaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confluent_kafka.admin import NewPartitions

    places = Places(tmp_path / "job", kafka, "kafka", "dir")
    places.run()
    monkeypatch.setattr(kafka_source, "_LOOK", 0.2)
    source = KafkaSource(places.source.removeprefix("kafka:"), max_bytes=1000)
    source.seek(position_of(places.topics[0], 20), [])
    assert source.poll(5, 1000, 0.5) is None
    admin = kafka.admin()
    for each in admin.create_partitions([NewPartitions(places.topics[0], 3)]).values():
        each.result(20)
    produce(kafka, places.topics[0], ["<a/>", "<b/>", "<c/>"], partitions=3)
    found, until = set[str](), time.monotonic() + 30
    while len(found) < 3 and time.monotonic() < until:
        polled = source.poll(5, 1000, 0.5)
        found |= {each.message_id.partition("/")[2] for each in polled.messages} if polled else set()
    source.close()
    assert found == {"0/20", "1/20", "2/0"}
    assert polled is not None and polled.position["next"] == {"0": 21, "1": 21, "2": 1}


def test_records_that_kafka_has_deleted_are_missed(kafka: KafkaServer, tmp_path: Path) -> None:
    from confluent_kafka import TopicPartition

    places = Places(tmp_path / "job", kafka, "kafka", "dir")
    source = KafkaSource(places.source.removeprefix("kafka:"), max_bytes=1000)
    source.seek(position_of(places.topics[0], 3), [])
    admin = kafka.admin()
    for each in admin.delete_records([TopicPartition(places.topics[0], 0, 10)]).values():
        each.result(20)
    with pytest.raises(xpubsub.Error, match=r"has no offset 3 of partition 0: Kafka has deleted records before"):
        for _ in range(20):
            source.poll(1, 1000, 1.0)
    source.close()


def test_a_record_that_the_topic_refuses(kafka: KafkaServer, tmp_path: Path) -> None:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "large.xml").write_text(f"<a>{'x' * 20_000}</a>")
    kafka.create("small", max_message_bytes="2000", compression_type="uncompressed")
    job = ("dir:" + str(tmp_path / "in"), f"kafka:{kafka.servers}/small?config={tmp_path}/client.properties")
    (tmp_path / "client.properties").write_text("# of the client\ncompression.type = none\n")
    with xpubsub.connect(tmp_path / "store") as broker:
        broker.subscribe("s", "for $a in /a return $a")
        with pytest.raises(xpubsub.Error, match=r"'small' refuses a record of 200.. bytes for s: raise its max.message"):
            broker.stream(*job, once=True)
        entry = ConfigEntry("max.message.bytes", "100000", incremental_operation=AlterConfigOpType.SET)
        admin = kafka.admin()
        changed = admin.incremental_alter_configs([ConfigResource("topic", "small", incremental_configs=[entry])])
        for each in changed.values():
            each.result(20)
        broker.stream(*job, once=True)
    assert sum(notified(kafka, "small").values()) == 1


def test_an_earlier_process_of_the_job_is_shut_out(kafka: KafkaServer) -> None:
    kafka.create("fenced")
    rows = pa.Table.from_pylist([{"message_id": "m", "subscription_id": "s", "output": None}], NOTIFICATIONS)
    sinks = [KafkaSink(f"{kafka.servers}/fenced") for _ in range(2)]
    sinks[0].open("job", NOTIFICATIONS)
    sinks[0].deliver(1, rows)
    sinks[1].open("job", NOTIFICATIONS)
    assert sinks[1].last() == 1
    with pytest.raises(xpubsub.Error, match="another process delivers the batches of this job"):
        sinks[0].deliver(2, rows)
    sinks[1].deliver(2, rows)
    for sink in sinks:
        sink.close()
    assert len(records(kafka, "fenced")) == 2


@pytest.mark.parametrize("side", ["source", "sink"])
def test_a_topic_that_does_not_exist(kafka: KafkaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str) -> None:
    for module in (kafka_source, kafka_sink):
        monkeypatch.setattr(module, "GRACE", 0.5)
    missing, other = f"kafka:{kafka.servers}/nowhere", f"dir:{tmp_path}"
    with xpubsub.connect(tmp_path / "store") as broker, pytest.raises(xpubsub.Error, match="there is no topic 'nowhere'"):
        broker.stream(*((missing, other) if side == "source" else (other, missing)), once=True)


def test_a_job_waits_for_a_broker_that_is_down(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    [port] = free_ports(1)
    stop = Event()
    Timer(1.5, stop.set).start()
    with xpubsub.connect(tmp_path / "store") as broker, caplog.at_level(logging.WARNING, "xpubsub.stream"):
        broker.stream(f"kafka:127.0.0.1:{port}/t", f"dir:{tmp_path}/out", stop=stop, once=True)
    assert caplog.text.count(f"waiting for Kafka at 127.0.0.1:{port}, topic t") == 1


@pytest.mark.parametrize("address", ["", "localhost:9092", "/t", "localhost/", "a/b/c", "localhost/t?x=1"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(xpubsub.Error, match="SERVERS/TOPIC"):
        KafkaSource(address, max_bytes=1)


def test_settings_that_cannot_be_used(tmp_path: Path) -> None:
    settings = tmp_path / "client.properties"
    with pytest.raises(xpubsub.Error, match="cannot be read"):
        KafkaSource(f"localhost:1/t?config={settings}", max_bytes=1)
    settings.write_text("no such\n")
    with pytest.raises(xpubsub.Error, match="line 1: write name=value"):
        KafkaSource(f"localhost:1/t?config={settings}", max_bytes=1)
    settings.write_text("no.such=1\n")
    with pytest.raises(xpubsub.Error, match=r"refuses its settings.*no.such"):
        KafkaSource(f"localhost:1/t?config={settings}", max_bytes=1)


def test_without_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(xpubsub.Error, match=r"pip install 'xpubsub\[kafka\]'"):
        KafkaSource("localhost:9092/t", max_bytes=1)


def test_spark_reads_a_topic_and_writes_one(kafka: KafkaServer, tmp_path: Path, spark_session: Any) -> None:
    for jar in connector_jars():
        spark_session.sql(f"ADD JAR '{jar}'")
    places = Places(tmp_path / "job", kafka, "kafka", "kafka")
    produce(kafka, places.topics[0], [None])
    store, letters = tmp_path / "spark", list[Any]()
    with xpubsub.connect(store, spark=spark_session) as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
        job = {"once": True, "max_messages": 16, "dead_letters": lambda batch: letters.extend(batch.rows.to_pylist())}
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Crash):
            patch.setattr(KafkaSink, "_send", crashing(KafkaSink._send, 2, after=True))
            broker.stream(places.source, places.sink, **job)
        broker.stream(places.source, places.sink, **job)
    assert places.found() == places.expected()
    assert {each["message_id"].partition("/")[2] for each in letters} == {
        *(f"{n % 2}/{n // 2}" for n in range(0, MESSAGES, 7)), "0/20"}
