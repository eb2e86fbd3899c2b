"""Plans that narrow tables to what a batch needs give the same answers, as DuckDB shows, which would not need it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.flwr_generate import Documents, Transformations
from tests.generate import NAMESPACES, Expressions, Messages
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.plan import summary

CORRELATION = "SELECT <p>{ $x }</p> FROM S//a[not(c)] AS $x [b AS $v] JOIN { $v = $w, 100s } S//a AS $y [.//b AS $w]"


@pytest.fixture(scope="module")
def random_sets() -> Iterator[tuple[xpubsub.Broker, list[tuple[str, str, int]]]]:
    """Filters, some of them checked by lxml, transformations and a correlation, some removed; few slots, so that chains are walked."""
    random = Random(14)
    expressions, transformations, documents = Expressions(random), Transformations(random), Documents(random)
    with xpubsub.connect(":memory:", slots=2) as broker:
        texts = {f"x{n}": expressions.expression()[0] for n in range(200)} | {f"t{n}": transformations.transformation()[0] for n in range(40)}
        try:
            broker.subscribe_many(texts.items(), namespaces=NAMESPACES)
        except xpubsub.RowErrors as error:
            broker.subscribe_many([row for row in texts.items() if f"({row[0]})" not in str(error)], namespaces=NAMESPACES)
        broker.subscribe("c", CORRELATION)
        broker.subscribe_many([("k1", "count(//b) > 1 and //a"), ("k2", "string-length(name(/*)) = 1"), ("k3", "count(//b) < 0")])
        broker.unsubscribe(list(texts)[::20])
        made = Messages(random)
        yield broker, [(f"m{n}", made.message() if n % 2 else documents.document(), n) for n in range(40)]


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("plan", ["unroll,fwr", "unroll,f", "share,fw", "bucket,fwr"])
def test_narrowed_tables_are_enough(random_sets: Any, monkeypatch: pytest.MonkeyPatch, plan: str, classes: bool) -> None:
    broker, messages = random_sets
    monkeypatch.setattr(summary, "MANY_PATHS", 0 if classes else 10**9)
    found = []
    for narrows in (False, True):
        monkeypatch.setattr(DuckDBEngine, "narrows", narrows)
        result = broker.publish(messages, plan=plan)
        assert ("subscriber" in result.timings) is narrows
        found.append(Counter(map(str, result.notifications.to_pylist())))
    assert found[0] == found[1] and {text.partition("subscription_id': '")[2][0] for text in found[0]} == set("xtck")
