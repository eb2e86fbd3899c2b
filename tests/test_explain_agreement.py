"""`explain` and `publish` agree: random subscriptions of all kinds × random messages, streams and times."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import xpubsub
from tests.correlation_generate import FINITE, WINDOWS, Streams
from tests.flwr_generate import Documents, Transformations
from tests.generate import NAMESPACES, Expressions, Messages

STREAMS = ("S", "T")
FEW = settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.explicit, Phase.generate])
SEEDS = st.integers(0, 10**9)
Timed = list[tuple[str, str, float | None]]
"""(stream, XML, time) of messages in the order of arrival."""


def check_explanations(
    subscriptions: list[tuple[str, str]], messages: list[str], random: Random, limits: xpubsub.Limits, **form: Any
) -> None:
    """Explain each message for each subscription on each stream, and compare with what is published."""
    with xpubsub.connect(":memory:", limits=limits) as broker:
        subscriptions = [each for each in subscriptions if _subscribed(broker, *each, random.choice(STREAMS), form)]
        for stream in STREAMS:
            result = broker.publish([(str(number), xml) for number, xml in enumerate(messages)], stream=stream)
            notified = {(row["subscription_id"], int(row["message_id"])) for row in result.notifications.to_pylist()}
            refused = {int(row["message_id"]): row["code"] for row in result.rejected.to_pylist()}
            for subscription_id, text in subscriptions:
                for number, xml in enumerate(messages):
                    explanation = broker.explain(subscription_id, xml, stream=stream)
                    assert explanation.matches == ((subscription_id, number) in notified), (text, xml, str(explanation))
                    why = explanation.unreadable and explanation.unreadable.code
                    assert why == refused.get(number), (text, xml, str(explanation))


def _subscribed(broker: xpubsub.Broker, subscription_id: str, text: str, stream: str, form: dict[str, Any]) -> bool:
    try:
        broker.subscribe(subscription_id, text, stream=stream, **form)
    except xpubsub.UnsupportedError:
        return False
    return True


@FEW
@given(SEEDS)
def test_filters_are_explained_as_they_are_published(seed: int) -> None:
    random = Random(seed)
    source, expressions = Messages(random), Expressions(random)
    messages = [*(source.message() for _ in range(5)), "<a><b></a>", "<a>" * 9 + "</a>" * 9]
    texts = [(f"q{n}", expressions.expression()[0]) for n in range(5)]
    check_explanations(texts, messages, random, xpubsub.Limits(max_depth=8), namespaces=NAMESPACES)


@FEW
@given(SEEDS)
def test_transformations_are_explained_as_they_are_published(seed: int) -> None:
    random = Random(seed)
    source, queries = Documents(random), Transformations(random)
    messages = [source.document(), "<a><b></a>"]
    texts = [(f"q{n}", queries.transformation()[0]) for n in range(2)]
    check_explanations(texts, messages, random, xpubsub.Limits())


def check_correlation(text: str, messages: Timed, limits: xpubsub.Limits) -> None:
    """Explain messages for a correlation, and publish them one by one to a store of the same correlation."""
    with xpubsub.connect(":memory:", limits=limits) as broker:
        broker.subscribe("q", text)
        streams, xmls, times = zip(*messages, strict=True)
        explanation = broker.explain("q", *xmls, stream=streams, times=times)
        results = [broker.publish([(str(number), xml, time)], stream=stream)
                   for number, (stream, xml, time) in enumerate(messages)]
    outputs = [output for result in results for output in result.notifications["output"].to_pylist()]
    shown = text, messages, str(explanation)
    assert explanation.matches == bool(outputs), shown
    assert sorted(explanation.outputs) == sorted(outputs), shown
    assert (explanation.unreadable is not None) == any(result.rejected.num_rows for result in results), shown
    holding = [report for report in explanation.queries if report.matches]
    assert all(branch.holds for report in holding for branch in report.branches), shown
    if len(messages) > 1 and not explanation.unreadable:
        assert any("as block 1" in (report.title or "") for report in holding) == explanation.matches, shown
    assert explanation.matches or explanation.unreadable or explanation.notes or any(
        report.first_failure for report in explanation.queries), shown


@FEW
@given(SEEDS, st.sampled_from([WINDOWS, FINITE]), st.sampled_from([None, 0.0, 3.0]))
def test_pairs_are_explained_as_they_are_published(
    seed: int, windows: tuple[tuple[str, float], ...], lateness: float | None
) -> None:
    """Pairs in both orders; the first correlation makes something of its pair, if their times allow it."""
    random = Random(seed)
    source = Streams(random, windows=windows)
    drawn = source.messages(8)
    queries = [*source.queries(1, drawn, least=1), source.query()]
    for query in queries:
        found = _found(query, drawn, random)
        for messages in (found, found[::-1]):
            check_correlation(query.text, messages, xpubsub.Limits(lateness=lateness))


def _found(query: Any, drawn: Any, random: Random) -> Timed:
    """Two messages of which a correlation makes something, if there are any; sometimes with other times."""
    pairs = [[one, other] for one in drawn for other in drawn if one is not other and query.results([one, other])]
    chosen = random.choice(pairs or [drawn[:2]])
    return [(stream, xml, random.choice((time, time, 5.0, None))) for stream, (_, xml, time) in chosen]


@pytest.mark.parametrize("seed", range(2))
def test_three_messages_are_explained_as_they_are_published(seed: int) -> None:
    random = Random(seed)
    source = Streams(random)
    drawn = source.messages(7)
    query = (source.queries(1, drawn, 1, 200, 3) or [source.query(3)])[0]
    triples = [[a, b, c] for a in drawn for b in drawn for c in drawn
               if len({a[1][0], b[1][0], c[1][0]}) == 3 and query.results([a, b, c])]
    for chosen in (random.choice(triples) if triples else drawn[:3], random.sample(drawn, 3)):
        check_correlation(query.text, [(stream, xml, time) for stream, (_, xml, time) in chosen], xpubsub.Limits())


@FEW
@given(SEEDS)
def test_one_message_is_explained_as_it_is_published(seed: int) -> None:
    """A correlation of one block notifies of one message; one of several never does."""
    random = Random(seed)
    source = Streams(random)
    one = f"SELECT * FROM {random.choice(STREAMS)}{source.query().blocks[0].text()}"
    [(stream, (_, xml, time))] = source.messages(1)
    check_correlation(one, [(stream, xml, time)], xpubsub.Limits())
    check_correlation(source.query().text, [(stream, xml, None)], xpubsub.Limits())
