"""Random messages × random transformations and filters × random spilled paths: merged, nothing differs from a run in
which nothing was spilled."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests.flwr_generate import NAMES, Documents, Transformations
from tests.generate import NAMESPACES, Expressions, Messages
from tests.judge import pairs, verdicts
from tests.xpath1_generate import WholeGrammar
from tests.xquery_generate import Queries

PREFIXES = {"p": "urn:p", "q": "urn:q"}


def spilled_paths(random: Random) -> list[str]:
    """One to three paths of elements."""
    steps = (*NAMES, *NAMES, *NAMES, "*", "*:a", "*:c", "p:a", "q:*")
    paths = []
    for _ in range(random.choice((1, 1, 2, 3))):
        start = random.choice(("//", "//", "/r/", "/r/", "/r//", "/*/"))
        more = [random.choice(("/", "//")) + random.choice(steps) for _ in range(random.choice((0, 0, 1, 1, 2)))]
        paths.append(start + random.choice(steps) + "".join(more))
    return paths if random.random() < 0.97 else ["/*"]


def rows(table: pa.Table) -> Counter[Any]:
    columns = ("message_id", "subscription_id", "output")
    return Counter(tuple(row[name] for name in columns) for row in table.to_pylist())


def failures(table: pa.Table) -> Counter[Any]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


def disturbed(broker: xpubsub.Broker, messages: Any, spill: list[str], namespaces: dict[str, str]) -> Counter[str]:
    """Check one batch; returns how many notifications there were of each part."""
    whole, first = broker.publish(messages), broker.publish(messages, spill=spill, namespaces=namespaces)
    rest = broker.complete()
    undisturbed, reduced, completed = whole.notifications, first.notifications, rest.notifications
    assert failures(first.failed) + failures(rest.failed) == failures(whole.failed)
    merged = xpubsub.spill.merge(reduced, completed)
    assert rows(merged) == rows(undisturbed), spill
    assert broker.complete().notifications.num_rows == 0
    return Counter([*reduced["part"].to_pylist(), *(f"completed {part}" for part in completed["part"].to_pylist())])


@pytest.mark.parametrize("seed", range(3))
def test_transformations(seed: int) -> None:
    """Forty transformations, and four batches of ten messages with a set of spilled paths each."""
    random = Random(seed)
    documents, texts = Documents(random), Transformations(random)
    seen: Counter[str] = Counter()
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(f"q{n}", texts.transformation()[0]) for n in range(40)])
        for _ in range(4):
            messages = [(f"m{n}", documents.document()) for n in range(10)]
            seen += disturbed(broker, messages, spilled_paths(random), PREFIXES)
    assert min(seen[part] for part in ("whole", "reduced", "completed filler", "completed whole")) > 5, seen


@pytest.mark.parametrize("seed", range(2))
def test_programs_wait_whole(seed: int) -> None:
    """Whatever is spilled of a message, what programs make of it goes out once, when the message is complete."""
    random = Random(seed)
    documents, texts = Documents(random), Queries(random)
    seen: Counter[str] = Counter()
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(f"q{n}", texts.query()[0]) for n in range(40)], strict=True)
        for _ in range(3):
            messages = [(f"m{n}", documents.document()) for n in range(8)]
            seen += disturbed(broker, messages, spilled_paths(random), PREFIXES)
    assert min(seen[part] for part in ("whole", "completed whole")) > 5 and not seen["reduced"], seen


def subscribe_some(broker: xpubsub.Broker, subscriptions: list[tuple[str, str]]) -> None:
    """Add filters, except those that are too large."""
    try:
        broker.subscribe_many(subscriptions, namespaces=NAMESPACES)
    except xpubsub.RowErrors as error:
        refused = {row["subscription_id"] for row in error.rows}
        assert len(refused) < 10
        broker.subscribe_many([each for each in subscriptions if each[0] not in refused], namespaces=NAMESPACES)


@pytest.mark.parametrize("seed", range(3))
def test_filters(seed: int) -> None:
    random = Random(seed)
    source, texts = Messages(random), Expressions(random)
    seen: Counter[str] = Counter()
    with xpubsub.connect(":memory:") as broker:
        subscribe_some(broker, [(f"q{n}", texts.expression()[0]) for n in range(60)])
        for _ in range(4):
            messages = [(f"m{n}", source.message()) for n in range(20)]
            spill = [random.choice(("//a", "//b", "/a/b", "//c", "//*:a/b", "/a/*", "//p:a", "/*/*/*", "//b//c", "/*"))]
            seen += disturbed(broker, messages, spill, NAMESPACES)
    assert seen["whole"] and seen["completed whole"]


def test_filters_that_lxml_checks() -> None:
    """lxml reads the message as it came; what SQL asks of it first is decided once nothing is missing."""
    texts = {"counted": "count(//b) = 2", "second": "//b[2]", "none": "count(//c) = 0", "sum": "sum(//b) > 2", "plain": "//a"}
    messages = [("m1", "<a><b>1</b><b>2</b></a>"), ("m2", "<a><c/><d><b>3</b></d></a>"), ("m3", "<a/>")]
    seen: Counter[str] = Counter()
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(texts.items())
        for spill in (["//b"], ["//d"], ["//c"], ["/a"]):
            seen += disturbed(broker, messages, spill, {})
    assert seen["whole"] and seen["completed whole"]


@pytest.mark.parametrize("seed", range(2))
def test_all_of_xpath_agrees_with_lxml_on_the_whole_message(seed: int) -> None:
    """Indexed, checked and every message; comparisons of paths, positions, computed values: nothing early is wrong."""
    random = Random(seed)
    source, grammar = Messages(random), WholeGrammar(random)
    texts = {f"s{n}": grammar.expression() for n in range(60)}
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(list(texts.items()), namespaces=NAMESPACES)
        for spill in ("//b", "/*/*", "//a//a", "//c"):
            messages = {f"m{n}": source.message() for n in range(12)}
            first = broker.publish(messages.items(), spill=[spill], namespaces=NAMESPACES).notifications
            wanted = verdicts(messages, texts, NAMESPACES)
            assert pairs(first.to_pylist()) <= wanted
            merged = xpubsub.spill.merge(first, broker.complete().notifications)
            assert pairs(merged.to_pylist()) == wanted, spill
