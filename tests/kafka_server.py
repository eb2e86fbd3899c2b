"""A real Kafka broker for tests: the jars come from Maven Central, the broker is a process on loopback."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

KAFKA = "4.1.0"
BROKER = [f"org.apache.kafka:kafka_2.13:{KAFKA}"]
CONNECTORS = [
    [f"org.apache.spark:spark-sql-kafka-0-10_2.13:{connector}",
     f"org.apache.spark:spark-token-provider-kafka-0-10_2.13:{tokens}",
     "org.apache.kafka:kafka-clients:3.9.2", "org.apache.commons:commons-pool2:2.13.1"]
    for connector, tokens in [("4.3.0", "4.3.0"), ("4.2.0", "4.0.0")]
]
"""Spark's connector for Kafka; the first set that can be had is taken."""
SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={data}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.cleaner.enable=false
initial.broker.registration.timeout.ms=60000
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>xpubsub</groupId><artifactId>tests</artifactId><version>1</version><dependencies>{dependencies}</dependencies>
</project>"""
JAVA = ("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
NO_SERVERS = "no Kafka broker for tests"


def cache() -> Path:
    """Where jars are kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xpubsub"


def jars(name: str, wanted: list[str], *, alone: bool = False) -> list[Path]:
    """Get jars from Maven Central, once; `alone`: without what they depend on. Skip the test if they cannot be had."""
    folder = cache() / name
    if not (folder / "complete").exists():
        if shutil.which("mvn") is None:
            pytest.skip(f"{NO_SERVERS}: it needs mvn on PATH, to get {', '.join(wanted)} from Maven Central")
        _download(folder, wanted, alone)
    return sorted(folder.glob("*.jar"))


def _download(folder: Path, wanted: list[str], alone: bool) -> None:
    partial = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / "pom.xml").write_text(POM.format(dependencies="".join(_dependency(each, alone) for each in wanted)))
    command = ["mvn", "-q", "-B", "-f", str(partial / "pom.xml"), "dependency:copy-dependencies", f"-DoutputDirectory={partial}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        said = done.stdout.strip().splitlines()[:1] if done.returncode else []
    except subprocess.TimeoutExpired:
        said = ["it took longer than 300 s"]
    if said or not list(partial.glob("*.jar")):
        shutil.rmtree(partial)
        pytest.skip(f"{NO_SERVERS}: mvn could not get {', '.join(wanted)}: {' '.join(said)}")
    (partial / "complete").touch()
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def _dependency(coordinates: str, alone: bool) -> str:
    group, artifact, version = coordinates.split(":")
    without = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    return (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
            f"{without if alone else ''}</dependency>")


def connector_jars() -> list[Path]:
    """Return the jars of Spark's connector for Kafka; skip the test if there are none."""
    for place, wanted in enumerate(CONNECTORS):
        last = place == len(CONNECTORS) - 1
        folder = f"spark-kafka-{wanted[0].rpartition(':')[2]}"
        missing = cache() / f"{folder}.missing"
        if missing.exists() and not last:
            continue
        try:
            return jars(folder, wanted, alone=True)
        except pytest.skip.Exception:
            if last:
                raise
            if shutil.which("mvn"):
                missing.touch()
    raise AssertionError


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None) or shutil.which("java")
    if found is None:
        pytest.skip(f"{NO_SERVERS}: it needs java on PATH, or JAVA_HOME")
    return found


def free_ports(amount: int) -> list[int]:
    held = [socket.socket() for _ in range(amount)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return ports


@dataclass
class KafkaServer:
    """One broker; `stop` and `start` again keep its data."""

    folder: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = None
    _java: list[str] = field(default_factory=list)

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    def prepare(self) -> None:
        """Write the settings and format the directory of the data."""
        path = ":".join(str(jar) for jar in jars(f"kafka-{KAFKA}", BROKER))
        self._java = [java(), *JAVA, "-cp", path]
        self.port, controller = free_ports(2)
        settings = SETTINGS.format(port=self.port, controller=controller, data=self.folder / "data")
        (self.folder / "server.properties").write_text(settings)
        tool = ["kafka.tools.StorageTool", "format", "-t", "xpubsubtests0000000001", "-c", "server.properties"]
        subprocess.run([*self._java, *tool], cwd=self.folder, check=True, capture_output=True, timeout=120)

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self._java, "kafka.Kafka", "server.properties"], cwd=self.folder, stdout=log, stderr=log)
        until = time.monotonic() + 120
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"the broker does not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)

    def _answers(self) -> bool:
        from confluent_kafka import KafkaException

        try:
            return bool(self.admin().list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop the broker by its process id."""
        if self.process is not None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def admin(self) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def create(self, *topics: str, partitions: int = 2, **settings: str) -> None:
        """Create topics and wait until they are there."""
        from confluent_kafka.cimpl import NewTopic

        given = {name.replace("_", "."): value for name, value in settings.items()}
        admin = self.admin()
        made = admin.create_topics([NewTopic(each, partitions, 1, config=given) for each in topics])
        for each in made.values():
            each.result(20)
