"""What the source and the sink for Kafka share: the address, the settings, and patience with a broker that is down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xpubsub.errors import Error

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

SAYS = logging.getLogger("xpubsub.stream")
"""Says that a job waits for a broker, and that it goes on; by default on standard error."""
GRACE = 5.0
"""Seconds within which a topic that was just created, or a broker that was just started, must know the topic."""
_LONGEST_PAUSE = 5.0
_AGAIN = 60.0
"""Seconds after which a job that still waits says so again."""
_FORM = "kafka:SERVERS/TOPIC"
_T = TypeVar("_T")


@dataclass(frozen=True)
class KafkaAddress:
    """A topic, its brokers, and further settings of the client."""

    servers: str
    topic: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> KafkaAddress:
        """Read `SERVERS/TOPIC` or `SERVERS/TOPIC?config=FILE`; the file has a setting `name=value` in each line."""
        place, question, query = text.partition("?")
        servers, _, topic = place.rpartition("/")
        if not servers or not topic or "/" in servers:
            raise Error(f"kafka:{text} is not the address of a topic: write {_FORM}, such as"
                        " kafka:localhost:9092/orders, with commas between several servers")
        if question and not query.startswith("config="):
            raise Error(f"kafka:{text}: unknown option {query!r}: write {_FORM}?config=FILE")
        return KafkaAddress(servers, topic, _read_settings(query.removeprefix("config=")) if query else {})


def _read_settings(path: str) -> dict[str, str]:
    """Read a file of settings, as Kafka's own tools take them."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise Error(f"the Kafka settings {path} cannot be read: {error}") from error
    settings = {}
    for number, line in enumerate(lines, start=1):
        name, equals, value = (part.strip() for part in line.partition("="))
        if name and not name.startswith(("#", "!")):
            if not equals:
                raise Error(f"{path}, line {number}: write name=value")
            settings[name] = value
    return settings


def client(kind: str, address: KafkaAddress, settings: Mapping[str, Any], said: Callable[[KafkaError], None]) -> Any:
    """Return a `Consumer` or a `Producer` of confluent-kafka; `said` is called with its errors."""
    try:
        import confluent_kafka
    except ImportError as error:
        raise Error("the Kafka client is not installed: pip install 'xpubsub[kafka]'") from error
    common = {"bootstrap.servers": address.servers, "log_level": 0, "error_cb": said, "client.id": "xpubsub",
              "reconnect.backoff.max.ms": 2_000}
    try:
        return getattr(confluent_kafka, kind)({**common, **address.settings, **settings})
    except (confluent_kafka.KafkaException, ValueError, TypeError) as error:
        raise Error(f"the Kafka client refuses its settings: {_reason(error)}") from error


class Patience:
    """Waits while a broker does not answer: longer from time to time, and says so."""

    def __init__(self, address: KafkaAddress) -> None:
        self._address = address
        self._waiting_since: float | None = None
        self._said_at = 0.0
        self._pause = 0.1

    def trouble(self, reason: object) -> None:
        """Take note that the broker does not answer."""
        now = time.monotonic()
        if self._waiting_since is None:
            self._waiting_since = now
        if not self._said_at or now - self._said_at > _AGAIN:
            self._said_at = now
            SAYS.warning("waiting for Kafka at %s, topic %s: %s", self._address.servers, self._address.topic,
                         _text(reason))

    def fine(self) -> None:
        """Take note that the broker answers."""
        if self._waiting_since is not None:
            SAYS.warning("Kafka at %s answers again, after %.0f s",
                         self._address.servers, time.monotonic() - self._waiting_since)
        self._waiting_since, self._said_at, self._pause = None, 0.0, 0.1

    def pause(self, most: float = _LONGEST_PAUSE) -> None:
        """Wait before the next attempt."""
        time.sleep(min(self._pause, most))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def insist(self, attempt: Callable[[], _T]) -> _T:
        """Return the result of an attempt; try again while the broker does not answer."""
        from confluent_kafka import KafkaException

        while True:
            try:
                result = attempt()
            except KafkaException as error:
                if not transient(error):
                    raise
                self.trouble(error_of(error))
                self.pause()
                continue
            self.fine()
            return result


def error_of(exception: Exception) -> Any:
    """Return the `KafkaError` of a `KafkaException`."""
    return exception.args[0] if exception.args else exception


def transient(exception: Exception) -> bool:
    """Whether the same call may succeed later."""
    from confluent_kafka import KafkaError

    error = error_of(exception)
    if not isinstance(error, KafkaError) or error.fatal() or error.txn_requires_abort():
        return False
    waits = (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError._RESOLVE,
             KafkaError._WAIT_COORD, KafkaError._TIMED_OUT_QUEUE, KafkaError.COORDINATOR_NOT_AVAILABLE,
             KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.NOT_COORDINATOR, KafkaError.REQUEST_TIMED_OUT,
             KafkaError.LEADER_NOT_AVAILABLE, KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.BROKER_NOT_AVAILABLE,
             KafkaError.NETWORK_EXCEPTION, KafkaError.UNSTABLE_OFFSET_COMMIT)
    return bool(error.retriable()) or error.code() in waits


def partitions(client_: Any, address: KafkaAddress, timeout: float) -> list[int] | None:
    """Return the partitions of a topic; None if the broker does not know the topic (yet)."""
    from confluent_kafka import KafkaError, KafkaException

    topic = client_.list_topics(address.topic, timeout).topics[address.topic]
    if topic.error is not None and topic.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
        return None
    if topic.error is not None:
        raise KafkaException(topic.error)
    return sorted(topic.partitions)


def no_topic(address: KafkaAddress) -> Error:
    """Return the error for a topic that does not exist."""
    return Error(f"there is no topic {address.topic!r} at {address.servers}: create it, for instance with kafka-topics"
                 f" --bootstrap-server {address.servers} --create --topic {address.topic}")


def refused(address: KafkaAddress, exception: Exception) -> Error:
    """Return the error for what Kafka refuses for good."""
    return Error(f"Kafka at {address.servers} refuses topic {address.topic!r}: {_reason(exception)}")


def _reason(exception: Exception) -> str:
    return _text(error_of(exception))


def _text(error: object) -> str:
    said = getattr(error, "str", None)
    return str(said() if callable(said) else error)
