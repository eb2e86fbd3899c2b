"""The streaming job: messages a second and delays, on DuckDB and Spark, from a directory and from Kafka.

    python benchmarks/streaming_job.py                 1,000 and 100,000 subscriptions; about half an hour
    python benchmarks/streaming_job.py --quick         small sizes; a few minutes
    python benchmarks/streaming_job.py --engines duckdb --sources kafka --rates 0,500,2000 --subscriptions 100000

Rate 0: all messages are there at the start, and the job takes them as fast as it can. Any other rate: that many are
sent per second while the job runs; the delay of a notification is counted from its message's arrival to its delivery.
The loop is what one would write by hand, with confluent-kafka and lxml, one compiled XPath after the other; it delivers
at least once and stores nothing. A real broker is started on loopback; its jars come from Maven Central.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import xpubsub
from benchmarks.baselines import kafka_loop
from benchmarks.workloads.stock import Stock, stock
from tests.kafka_server import KafkaServer, connector_jars

_SELECTIVE = 1e-5
"""The chance that a subscription matches a message."""
_LONGEST = 600.0
"""Seconds after which a measurement ends, with what it has done by then."""


@dataclass(frozen=True)
class Case:
    """What to measure."""

    engine: str
    source: str
    rate: int
    work: Stock

    def row(self, measured: Measured) -> str:
        """The case as a row of a table."""
        rate = f"{self.rate:,}/s" if self.rate else "all at once"
        return (f"| {self.engine} | {self.source} | {len(self.work.conditions):,} | {rate} | {measured.messages:,} |"
                f" {measured.messages / measured.seconds:,.0f} | {_delay(measured.half)} | {_delay(measured.most)} |")


@dataclass(frozen=True)
class Measured:
    """What came out: messages, seconds, and the delays that half and 99% of the notifications did not exceed."""

    messages: int
    seconds: float
    half: float | None
    most: float | None


class Place:
    """Where a case runs: a folder and two topics of its own."""

    count = 0

    def __init__(self, case: Case, folder: Path, kafka: KafkaServer | None, session: Any) -> None:
        Place.count += 1
        self.case, self.kafka, self.session = case, kafka, session
        self.folder = folder / f"case-{Place.count}"
        (self.folder / "in").mkdir(parents=True)
        self.topics = [f"{name}-{Place.count}" for name in ("in", "out")]
        if kafka is not None:
            kafka.create(*self.topics)

    def end(self, inwards: bool) -> str:
        """The source or the sink, as the job takes it."""
        if self.case.source == "dir" or self.kafka is None:
            return f"dir:{self.folder}/{'in' if inwards else 'out'}"
        return f"kafka:{self.kafka.servers}/{self.topics[0 if inwards else 1]}"

    def send(self, per_second: int) -> None:
        """Send all messages, at a rate or at once."""
        started, send = time.monotonic(), self._sender()
        for number, (name, xml) in enumerate(self.case.work.messages):
            if per_second and (ahead := started + number / per_second - time.monotonic()) > 0:
                time.sleep(ahead)
            send(name, xml)
        send("", None)

    def _sender(self) -> Any:
        if self.case.source == "dir" or self.kafka is None:
            return self._write
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.kafka.servers, "linger.ms": 5, "log_level": 0})

        def produce(name: str, xml: str | None) -> None:
            if xml is None:
                producer.flush()
                return
            producer.produce(self.topics[0], xml)
            producer.poll(0)
        return produce

    def _write(self, name: str, xml: str | None) -> None:
        if xml is not None:
            partial = self.folder / "partial"
            partial.write_text(xml)
            partial.rename(self.folder / "in" / f"{name}.xml")

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Send all messages before the block, or at the rate while it runs."""
        if not self.case.rate:
            self.send(0)
            yield
            return
        sender = Thread(target=self.send, args=(self.case.rate,), daemon=True)
        sender.start()
        yield
        sender.join(_LONGEST)

    def measure(self) -> Measured:
        """Run the job until all messages are published."""
        if self.case.engine == "loop":
            return self._measure_loop()
        options: dict[str, Any] = {"spark": self.session} if self.case.engine == "spark" else {}
        amount = len(self.case.work.messages)
        with xpubsub.connect(self.folder / "store", **options) as broker:
            broker.subscribe_many(self.case.work.subscriptions)
            broker.publish([("warm", self.case.work.messages[0][1])])
            stop, until = Event(), time.monotonic() + _LONGEST

            def told(figures: Any) -> None:
                if figures.messages >= amount or time.monotonic() > until:
                    stop.set()

            with self.sending():
                started = time.perf_counter()
                figures = broker.stream(self.end(True), self.end(False), stop=stop, progress=told)
                seconds = time.perf_counter() - started
        delays = [figures.delays.quantile("any", share) if figures.delays.classes and self.case.rate else None
                  for share in (0.5, 0.99)]
        return Measured(figures.messages, seconds, delays[0], delays[1])

    def _measure_loop(self) -> Measured:
        assert self.kafka is not None
        texts = self.case.work.subscriptions["text"].to_pylist()
        with self.sending():
            looped = kafka_loop.run(
                self.kafka.servers, self.topics[0], self.topics[1], texts, len(self.case.work.messages), seconds=60.0)
        delays = sorted(looped.delays) if self.case.rate else []
        return Measured(looped.messages, looped.seconds, _quantile(delays, 0.5), _quantile(delays, 0.99))


def _quantile(delays: list[float], share: float) -> float | None:
    return delays[min(len(delays) - 1, int(share * len(delays)))] if delays else None


def _delay(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:,.0f} ms"


def main(given: list[str] | None = None) -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--engines", default="duckdb,spark,loop")
    parser.add_argument("--sources", default="dir,kafka")
    parser.add_argument("--subscriptions", help="1,000 and 100,000; quick: 1,000")
    parser.add_argument("--messages", type=int, help="50,000; quick: 1,000")
    parser.add_argument("--rates", help="0, 500 and 2,000; quick: 0 and 200")
    parser.add_argument("--seconds", type=int, help="how long messages are sent at a rate: 30; quick: 3")
    options = parser.parse_args(given)
    quick = options.quick
    counts = _numbers(options.subscriptions or ("1000" if quick else "1000,100000"))
    rates = _numbers(options.rates or ("0,200" if quick else "0,500,2000"))
    messages = options.messages or (1_000 if quick else 50_000)
    seconds = options.seconds or (3 if quick else 30)
    print("| engine | source and sink | subscriptions | sent | messages | messages/s | delay, half | delay, 99% |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder, servers(options, Path(folder)) as (kafka, session):
        for count in counts:
            for rate in rates:
                work = stock(count, rate * seconds or messages, _SELECTIVE * 1_000 / min(count, 1_000), seed=1)
                for source in options.sources.split(","):
                    for engine in options.engines.split(","):
                        if (engine, source) != ("loop", "dir"):
                            case = Case(engine, source, rate, work)
                            print(case.row(Place(case, Path(folder), kafka, session).measure()), flush=True)


@contextmanager
def servers(options: argparse.Namespace, folder: Path) -> Iterator[tuple[KafkaServer | None, Any]]:
    """Start the servers that the cases need: a Kafka broker, a Spark session."""
    kafka, session = None, None
    try:
        if "kafka" in options.sources:
            (folder / "kafka").mkdir()
            kafka = KafkaServer(folder / "kafka")
            kafka.prepare()
            kafka.start()
        if "spark" in options.engines:
            session = _session("kafka" in options.sources)
        yield kafka, session
    finally:
        if session is not None:
            session.stop()
        if kafka is not None:
            kafka.stop()


def _session(with_kafka: bool) -> Any:
    from xpubsub.engines.spark_session import start_session

    session = start_session(None)
    for jar in connector_jars() if with_kafka else ():
        session.sql(f"ADD JAR '{jar}'")
    return session


def _numbers(text: str) -> list[int]:
    return [int(each.replace("_", "")) for each in text.split(",")]


if __name__ == "__main__":
    main()
