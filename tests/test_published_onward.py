"""Messages that correlations publish onward, when a call fails before it has published them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from xpubsub.step import Step

PAIRS = "SELECT <pair>{ $x, $y }</pair> FROM S/a AS $x FOLLOWED BY { $x = $y, 5s } S/b AS $y PUBLISH pairs"
A, B = ("a", "<a>1</a>", 0.0), ("b", "<b>1</b>", 1.0)


@pytest.fixture
def broker() -> Any:
    with xpubsub.connect(":memory:") as opened:
        opened.subscribe("q", PAIRS)
        opened.subscribe("f", "/pair/a", stream="pairs")
        yield opened


def fail_once(broker: xpubsub.Broker, patch: pytest.MonkeyPatch) -> None:
    """The notifications of correlations cannot be read, after the batch has been kept."""
    fetch = broker.store.engine.fetch

    def failing(step: Step, *given: Any) -> pa.Table:
        if step.name == "notification_correlation":
            raise xpubsub.EngineError("disk full")
        return fetch(step, *given)

    patch.setattr(broker.store.engine, "fetch", failing)


def test_what_a_failed_call_would_have_published_is_not_published_by_a_later_one(
    broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fail_once(broker, patch)
        with pytest.raises(xpubsub.EngineError):
            broker.publish([A, B])
    broker.unsubscribe(["q"])
    broker.gc()
    assert broker.publish([("x", "<x/>")]).notifications.num_rows == 0


def test_a_failed_call_can_be_repeated(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        fail_once(broker, patch)
        with pytest.raises(xpubsub.EngineError):
            broker.publish([A, B])
    for _ in range(2):
        found = broker.publish([A, B]).notifications.to_pylist()
        assert sorted(row["subscription_id"] for row in found) == ["f", "q"]
