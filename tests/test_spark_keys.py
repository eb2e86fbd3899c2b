"""The keys of all kinds of filters on Spark: the workers' snapshot and Spark SQL say what lxml, Saxon and DuckDB say."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import xpubsub
from tests import inside, test_computed, test_path_comparisons, test_ranges, test_xpath2
from tests.generate import NAMESPACES, Messages
from tests.judge import pairs, verdicts
from tests.test_duel import FOUND
from tests.xpath1_generate import WholeGrammar

POSITIONS = ["//a[2]", "//a[last()]/b", "//b[position() > 1] = 2", "(//a)[3]", "//a[b][2]/@x", "count(//a[2]) = 1", "//r/a[1]/b = 1"]
URIS = {**NAMESPACES, **test_path_comparisons.NAMESPACES}
OTHERS = [
    *test_computed.NAMED.values(), *test_path_comparisons.NAMED.values(), *POSITIONS, *FOUND, *test_ranges.given(3, 40, 0)[0].values(),
]
"""What lxml judges, beside what is drawn."""


@pytest.fixture(scope="module")
def messages() -> dict[str, str]:
    drawn, quotes = Messages(Random(3)), test_ranges.given(3, 0, 5)[1]
    sent = [*test_computed.SENT.values(), *test_path_comparisons.SENT.values(), *test_xpath2.MESSAGES.values(), *FOUND.values(), *quotes.values()]
    return {f"m{n}": xml for n, xml in enumerate([*sent, *(drawn.message() for _ in range(15))])}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    grammar = WholeGrammar(Random(8))
    whole = [*OTHERS, *(grammar.expression() for _ in range(150)), *test_xpath2.EXPRESSIONS]
    return {f"s{n}": text for n, text in enumerate(dict.fromkeys(whole))}


@pytest.fixture(scope="module")
def wanted(messages: dict[str, str], texts: dict[str, str]) -> set[tuple[str, str]]:
    """What DuckDB says; of filters in XPath 1.0, lxml says the same."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(texts.items(), namespaces=URIS)
        found = pairs(broker.publish(messages.items()).notifications.to_pylist())
    of_lxml = {key: text for key, text in texts.items() if text not in test_xpath2.EXPRESSIONS}
    assert {(m, s) for m, s in found if s in of_lxml} == verdicts(messages, of_lxml, URIS)
    return found


def test_all_kinds_of_keys_on_spark(
    connect: Callable[..., xpubsub.Broker], spark_session: Any, messages: dict[str, str], texts: dict[str, str], wanted: set[tuple[str, str]],
) -> None:
    broker = connect("spark", limits=inside.TABLES_IN_SPARK_SQL, slots=2)
    broker.subscribe_many([*texts.items(), ("gone", "//a = //b")], namespaces=URIS)
    broker.unsubscribe(["gone"])

    def told(found: list[dict[str, Any]]) -> list[tuple[str, str, bool]]:
        return sorted((texts[s], messages[m], (m, s) in wanted) for m, s in pairs(found) ^ wanted)

    for plan in ("partition", "sql", "sql,share"):
        assert told(broker.publish(messages.items(), plan=plan).notifications.to_pylist()) == [], plan
    frame = spark_session.createDataFrame(list(messages.items()), "id string, xml string").repartition(3)
    assert told([row.asDict() for row in broker.publish_frame(frame).collect()]) == []
