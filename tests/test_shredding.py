"""Messages shredded in several processes: the same rows, whatever becomes of the processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.generate import NAMESPACES, Expressions, Messages
from tests.test_agreement import accepted
from xpubsub.jobs.publish import shredding
from xpubsub.limits import Limits

SUBSCRIPTIONS = [("a", "//a = 'x'"), ("b", "/m/b[c]/d > 3"), ("any", "//*[@k]"), ("deep", "/m//e[f][g]")]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is worth other processes, and cut into several slabs."""
    monkeypatch.setattr(shredding, "BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(shredding, "_SLAB", 400)
    monkeypatch.setattr(shredding, "cores", lambda: 3)


@pytest.fixture
def pair(small: None) -> Iterator[tuple[xpubsub.Broker, xpubsub.Broker]]:
    """Two stores with the same subscriptions, one with helpers that are ready and one without."""
    alone = xpubsub.connect(":memory:", limits=Limits(max_processes=1))
    helped = xpubsub.connect(":memory:")
    for broker in (alone, helped):
        broker.subscribe_many(SUBSCRIPTIONS)
    await_helpers(helped)
    yield alone, helped
    alone.close()
    helped.close()


def helpers(broker: xpubsub.Broker) -> list[Any]:
    return list(broker._publisher._shredding._helpers)  # type: ignore[union-attr]


def await_helpers(broker: xpubsub.Broker) -> None:
    broker.publish([("first", "<m/>")])
    deadline = time.monotonic() + 60
    while not all(helper.ready for helper in helpers(broker)):
        assert time.monotonic() < deadline, "the other processes did not start"
        time.sleep(0.02)


def batch(random: Random, size: int) -> list[tuple[str, object]]:
    """Messages of all sorts, some of them bad."""
    def xml() -> object:
        kind = random.randrange(12)
        if kind == 0:
            return random.choice(["<m><a></m>", b"\xff", None, 5, "", "<m>\ud800</m>"])
        name, value = random.choice("abcdefg"), random.choice(["x", "4", "2"])
        inner = f"<b><c/><d>{value}</d></b><{name} k='1'>{value}</{name}><e><f/><g/></e>"
        text = f"<m>{inner * random.randrange(4)}<z{random.randrange(40)}/></m>"
        return text if kind % 2 else text.encode()
    return [(f"m{number % 190}", xml()) for number in range(size)]


def outcome(broker: xpubsub.Broker, messages: list[Any]) -> tuple[list[Any], list[Any]]:
    result = broker.publish(messages)
    return sorted(map(str, result.notifications.to_pylist())), result.rejected.to_pylist()


def test_same_outcome_as_in_one_process(pair: tuple[xpubsub.Broker, xpubsub.Broker]) -> None:
    alone, helped = pair
    for seed in range(6):
        messages = batch(Random(seed), 200)
        assert outcome(helped, messages) == outcome(alone, messages)
        for broker in pair:
            broker.subscribe(f"new{seed}", f"//z{seed} or //z{seed + 20}")
    assert len(helpers(helped)) == 2
    assert helped.stats()["path matches"] == alone.stats()["path matches"]


def test_random_messages_and_subscriptions(small: None) -> None:
    random = Random(11)
    expressions, messages = Expressions(random), Messages(random)
    alone, helped = xpubsub.connect(":memory:", limits=Limits(max_processes=1)), xpubsub.connect(":memory:")
    drawn = [expressions.expression()[0] for _ in range(40)]
    texts = [(f"s{number}", text) for number, text in enumerate(drawn) if accepted(text, NAMESPACES, "xpath")]
    for broker in (alone, helped):
        broker.subscribe_many(texts, namespaces=NAMESPACES)
    await_helpers(helped)
    given = [(f"m{number}", messages.message()) for number in range(80)]
    assert outcome(helped, given) == outcome(alone, given)
    alone.close()
    helped.close()


def test_a_killed_process_loses_nothing(pair: tuple[xpubsub.Broker, xpubsub.Broker]) -> None:
    alone, helped = pair
    messages = batch(Random(7), 150)
    expected = outcome(alone, messages)
    os.kill(helpers(helped)[0]._process.pid, signal.SIGKILL)
    assert outcome(helped, messages) == expected
    os.kill(helpers(helped)[1]._process.pid, signal.SIGKILL)
    helpers(helped)[1]._process.wait()
    assert outcome(helped, messages) == expected


def test_a_process_killed_at_work_loses_nothing(
    pair: tuple[xpubsub.Broker, xpubsub.Broker], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, helped = pair
    messages = batch(Random(8), 150)
    asked = shredding._Helper.ask

    def ask_and_kill(self: Any, *arguments: Any) -> None:
        asked(self, *arguments)
        self._process.kill()
    monkeypatch.setattr(shredding._Helper, "ask", ask_and_kill)
    assert outcome(helped, messages) == outcome(alone, messages)


def test_an_error_under_way_leaves_no_process(pair: tuple[xpubsub.Broker, xpubsub.Broker]) -> None:
    helped = pair[1]
    before = helpers(helped)

    def interrupted() -> Iterator[tuple[str, str]]:
        yield from ((f"m{number}", f"<m><a>x{'y' * 300}</a></m>") for number in range(20))
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        helped.publish(interrupted())
    assert not any(helper.alive for helper in before)
    assert helped.publish([("m", "<m><a>x</a></m>")]).notifications.num_rows == 1


def test_close_stops_the_processes(small: None) -> None:
    broker = xpubsub.connect(":memory:")
    broker.subscribe_many(SUBSCRIPTIONS)
    await_helpers(broker)
    started = helpers(broker)
    assert started
    broker.close()
    assert not any(helper.alive for helper in started)


def test_no_process_can_be_started(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
        assert broker.publish([("m", "<m><a>x</a></m>")]).notifications.num_rows == 1
        assert not helpers(broker)


def test_one_process_if_so_asked(small: None) -> None:
    with xpubsub.connect(":memory:", limits=Limits(max_processes=1)) as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
        broker.publish(batch(Random(1), 50))
        assert not helpers(broker)
