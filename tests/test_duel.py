"""All of XPath 1.0 × random messages: each way that an expression can go agrees with lxml, and so with the others.

Each expression is subscribed as it goes by itself, as one that lxml decides, and as its necessary condition alone, which
may never miss a match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xpubsub
from tests import inside
from tests.generate import NAMESPACES, Messages
from tests.judge import pairs, verdicts
from tests.xpath1_generate import AXES, WholeGrammar
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS
from xpubsub.language.xpath1.ways import CHECKED, EVERY_MESSAGE, INDEXED, FilterReader, FilterWay

MESSAGES, EXPRESSIONS = 70, 1500
FEATURES = {*CORE_FUNCTIONS, *(f"{axis}::" for axis in AXES), "and", "or", "|", "+", "-", "*", "div", "mod", "minus",
            "=", "!=", "<", "<=", ">", ">=", "filter expression", "predicate", "..", ".", "(/)", "//.", "text()",
            "node()", "comment()", "processing-instruction()", "processing-instruction('i')", "p:*", "name"}


def draw(seed: int, messages: int, expressions: int) -> tuple[dict[str, str], dict[str, str], Counter[str]]:
    random = Random(seed)
    source, make = WholeGrammar(random), Messages(random)
    drawn = {f"s{n}": source.expression() for n in range(expressions)}
    return {f"m{n}": make.message() for n in range(messages)}, drawn, source.features


def checked(reader: FilterReader, text: str, *, strict: bool = False) -> FilterWay:
    return FilterReader.checked(reader, text)


def necessary(reader: FilterReader, text: str, *, strict: bool = False) -> FilterWay:
    return replace(FilterReader.checked(reader, text), check=None)


@contextmanager
def forced(way: Callable[..., FilterWay]) -> Iterator[None]:
    """Subscribe by one way only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FilterReader, "way", way)
        yield


def subscribe_all_ways(broker: xpubsub.Broker, expressions: dict[str, str]) -> None:
    broker.subscribe_many(list(expressions.items()), namespaces=NAMESPACES)
    with forced(checked):
        broker.subscribe_many([(f"c{key}", text) for key, text in expressions.items()], namespaces=NAMESPACES)
    with forced(necessary):
        broker.subscribe_many([(f"n{key}", text) for key, text in expressions.items()], namespaces=NAMESPACES)


def disagreements(found: set[tuple[str, str]], wanted: set[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    """The pairs on which one way disagrees with lxml."""
    of_way = {(m, s[len(kind):]) for m, s in found if s[0] == (kind or "s")}
    return sorted(wanted - of_way if kind == "n" else of_way ^ wanted)


def compare(broker: xpubsub.Broker, messages: dict[str, str], expressions: dict[str, str], **options: Any) -> None:
    plan, in_sql = options.get("plan", "auto"), options.get("branches_in_sql", True)
    result = inside.publish(broker, messages.items(), plan, branches_in_sql=in_sql)
    found = pairs(result.notifications.to_pylist())
    wanted = verdicts(messages, expressions, NAMESPACES)
    for kind in ("", "c", "n"):
        wrong = disagreements(found, wanted, kind)
        assert not wrong, [(kind, len(wrong), expressions[s], messages[m], (m, s) in wanted) for m, s in wrong[:4]]


@pytest.fixture(scope="module")
def drawn() -> tuple[dict[str, str], dict[str, str], Counter[str]]:
    return draw(19_991_116, MESSAGES, EXPRESSIONS)


@pytest.fixture(scope="module")
def broker(drawn: Any) -> Iterator[xpubsub.Broker]:
    with xpubsub.connect(":memory:") as broker:
        subscribe_all_ways(broker, drawn[1])
        yield broker


def test_every_production_takes_part(drawn: Any, broker: xpubsub.Broker) -> None:
    messages, expressions, features = drawn
    assert len(messages) * len(expressions) >= 100_000
    assert {name for name in FEATURES if features[name] < 5} == set()
    ways = Counter(row["way"] for row in broker.list().to_pylist() if row["subscription_id"] in expressions)
    assert all(ways[way] >= 100 for way in (INDEXED, CHECKED, EVERY_MESSAGE)), ways


@pytest.mark.parametrize(("plan", "branches_in_sql"), [("unroll", True), ("share", False)])
def test_all_ways_agree_with_lxml(broker: xpubsub.Broker, drawn: Any, plan: str, branches_in_sql: bool) -> None:
    compare(broker, drawn[0], drawn[1], plan=plan, branches_in_sql=branches_in_sql)


def test_single_messages_agree_with_lxml(broker: xpubsub.Broker, drawn: Any) -> None:
    for message in list(drawn[0].items())[:5]:
        compare(broker, dict([message]), drawn[1])


@pytest.mark.spark
def test_all_ways_agree_with_lxml_on_spark(connect: Callable[..., xpubsub.Broker]) -> None:
    messages, expressions, _ = draw(7, 25, 120)
    broker = connect("spark", limits=inside.TABLES_IN_SPARK_SQL)
    subscribe_all_ways(broker, expressions)
    compare(broker, messages, expressions, branches_in_sql=False)
    found = pairs(broker.publish(messages.items()).notifications.to_pylist())
    assert not disagreements(found, verdicts(messages, expressions, NAMESPACES), "")


FOUND = {
    "(.)[position() > 2]": "<a/>", "count(.) > 1": "<a/>", "number(//c)": "<c>x</c>", "count(//a/@x) = 2": "<a x='1'/>",
    "string(//a) = 'x'": "<r><a>y</a><a>x</a></r>", "//r[string(a) = 'x']": "<r><a>y</a><a>x</a></r>",
    "//a[2]": "<r><a/><b><a/></b></r>", "count(//a) = 2": "<a><a/><a/></a>", "//a[not(self::a)]": "<a/>",
    "not(count(//b) = //a)": "<r><b/></r>", "not(count(//b) < 'abc')": "<r><b/></r>",
    "//b[//preceding::c[2]]": "<a><c/><b><c/>x<b/></b></a>", "//preceding::b[2]": "<r><b/><b/>x</r>",
}
"""Expressions, each with a message, on which a way has disagreed once, or could have."""


def test_what_was_found_before() -> None:
    expressions = {f"s{n}": text for n, text in enumerate(FOUND)}
    messages = {f"m{n}": xml for n, xml in enumerate(dict.fromkeys(FOUND.values()))}
    with xpubsub.connect(":memory:") as broker:
        subscribe_all_ways(broker, expressions)
        compare(broker, messages, expressions)
        compare(broker, messages, expressions, branches_in_sql=False)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**9))
def test_small_draws_agree_with_lxml(seed: int) -> None:
    messages, expressions, _ = draw(seed, 6, 25)
    with xpubsub.connect(":memory:") as broker:
        subscribe_all_ways(broker, expressions)
        compare(broker, messages, expressions)
