"""When a message takes the place of one that is kept for correlations."""

from __future__ import annotations

from collections.abc import Callable

import xpubsub

SAME = "FROM S/a AS $a [b AS $b] FOLLOWED BY { $b = $c, 1h } S/c AS $d [b AS $c] PUBLISH pairs"


def test_an_equal_id_replaces_unless_told_otherwise(connect: Callable[..., xpubsub.Broker], engine: str) -> None:
    broker = connect(engine)
    broker.subscribe("c", SAME)
    broker.subscribe("p", "/match", stream="pairs")
    broker.publish([("m", "<a><b>1</b></a>", 0)])
    broker.publish([("m", "<a><b>1</b></a>", 1)])
    broker.publish([("m", "<a><b>1</b></a>", 2)], replace=False)
    broker.publish([("m", "<a><b>1</b></a>", 3)], replace=False)
    result = broker.publish([("m", "<c><b>1</b></c>", 4)], replace=False)
    found = [row["subscription_id"] for row in result.notifications.to_pylist()]
    assert sorted(found) == ["c", "c", "c", "p", "p", "p"], "the first was replaced by the second, and no other"
    assert result.rejected.num_rows == 0
