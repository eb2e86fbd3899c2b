"""Explanations of what `publish` would do: streams, times, and pairs of messages for correlations."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

import xpubsub
from xpubsub.jobs.explain.explanation import Explanation
from xpubsub.step import Step
from xpubsub.store.gc import DERIVED, KEPT

PAIR = ("SELECT <o>{ $i }</o> FROM S//a AS $x [./k AS $i] [n > 5] FOLLOWED BY { $i = $j AND $x/@d <= $y/@d, 10s }"
        " T//b AS $y [./k AS $j]")
A, B = '<a d="1"><k>1</k><k>2</k><n>9</n></a>', '<b d="2"><k>2</k></b>'
STREAMS = ("S", "T")


@pytest.fixture(scope="module")
def broker() -> Any:
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_depth=20)) as opened:
        opened.subscribe("f", "/a[k = 1]", stream="stocks")
        opened.subscribe("t", "for $k in //k return $k", stream="stocks")
        opened.subscribe("pair", PAIR)
        opened.subscribe("join", "S//a AS $x [k AS $i] JOIN { $i = $j, 10s } S//a AS $y [k AS $j]")
        opened.subscribe("one", "SELECT * FROM S//a")
        yield opened


def lines(explanation: Explanation) -> list[str]:
    """The lines below the heading, without indentation and marks."""
    text = str(explanation).removeprefix(f"{explanation.subscription_id} ").partition(explanation.text)[2]
    return [line.split("   <--")[0].strip() for line in text.splitlines()[1:]]


def pair(broker: xpubsub.Broker, *xmls: str, times: Any = (0, 5), stream: Any = STREAMS) -> Explanation:
    return broker.explain("pair", *xmls, times=times, stream=stream)


@pytest.mark.parametrize("subscription_id", ["f", "t"])
def test_another_stream_does_not_match(broker: xpubsub.Broker, subscription_id: str) -> None:
    assert broker.explain(subscription_id, A, stream="stocks").matches
    explanation = broker.explain(subscription_id, A)
    assert not explanation.matches, "published to S, as by default"
    assert lines(explanation)[:2] == [
        "✗ reads stream 'stocks'; the message was published to 'S'", "on stream 'stocks' it would match:"]
    assert str(explanation).count("<-- this fails first") == 1
    assert "it would not match either:" in str(broker.explain(subscription_id, "<b/>"))
    assert "cannot be read" in str(broker.explain(subscription_id, "<b>"))


def test_a_pair_that_matches(broker: xpubsub.Broker) -> None:
    explanation = pair(broker, A, B)
    assert explanation.matches and explanation.outputs == ("<o><k>2</k></o>",)
    assert lines(explanation)[-5:] == [
        "message 1 as block 1, message 2 as block 2, match:", "✓ $i = $j: '2' in both", "✓ $x/@d <= $y/@d: '1' and '2'",
        "✓ FOLLOWED BY within 10 s: message 2 is 5 s later than message 1", "output: <o><k>2</k></o>",
    ]
    assert pair(broker, B, A, times=[5, 0], stream=["T", "S"]).matches, "the order of arrival does not matter"


@pytest.mark.parametrize(("other", "times", "line"), [
    ('<b d="2"><k>3</k></b>', (0, 5), "✗ $i = $j: message 1 has '1', '2'; message 2 has '3'"),
    ('<b d="0"><k>2</k></b>', (0, 5), "✗ $x/@d <= $y/@d: message 1 has '1'; message 2 has '0'"),
    ('<b d="x"><k>2</k></b>', (0, 5), "✗ $x/@d <= $y/@d: message 1 has '1'; message 2 has 'x'; 'x' is not a number"),
    (B, (0, 10.5), "✗ FOLLOWED BY within 10 s: message 2 is 10.5 s later than message 1"),
    (B, (5, 5), "✗ FOLLOWED BY within 10 s: message 2 is at the same time as message 1, but must be later"),
    (B, (5, 3), "✗ FOLLOWED BY within 10 s: message 2 is 2 s earlier than message 1, but must be later"),
    ("<b><k>2</k></b>", (0, 5), "✗ //b/@d: no such node — //b exists, but it has no @d; it has: k"),
])
def test_a_pair_that_fails(broker: xpubsub.Broker, other: str, times: tuple[float, float], line: str) -> None:
    explanation = pair(broker, A, other, times=times)
    assert not explanation.matches and not explanation.outputs
    assert line in lines(explanation)


def test_which_block_a_message_could_be(broker: xpubsub.Broker) -> None:
    low = A.replace("9", "4")
    found = lines(pair(broker, low, B, stream=["S", "S"]))
    assert "message 1 cannot be block 1, S//a:" in found
    assert "✗ //a/n > 5: found 1 node, none passes (seen: '4')" in found
    place = found.index("message 2 cannot be block 2, T//b:")
    assert found[place + 1] == "✗ reads stream 'T'; message 2 was published to 'S'"
    assert found[place + 2].startswith("✓ //b/"), "what it would be on its own stream"
    assert not any("as block 1" in line for line in found)


def test_one_message_needs_a_partner(broker: xpubsub.Broker) -> None:
    explanation = broker.explain("pair", A)
    assert not explanation.matches
    assert "the message could be block 1, S//a:" in lines(explanation)
    assert lines(explanation)[-1].startswith("a match takes 2 messages, one for each block")
    assert not broker.explain("join", A).matches, "it could be both blocks, but not at once"
    assert broker.explain("one", A).matches and not broker.explain("one", A, stream="T").matches


def test_messages_that_could_be_both_blocks(broker: xpubsub.Broker) -> None:
    explanation = broker.explain("join", A, A, times=[1, 1])
    titles = [report.title for report in explanation.queries if "as block 1" in (report.title or "")]
    assert explanation.matches and len(titles) == 2
    broker.subscribe("apart", "S//a AS $x [p AS $p [k AS $i] [l AS $l]] JOIN { $i = $j AND $l = $m, INF }"
                     " S/b AS $y [k AS $j] [l AS $m]")
    split = "<a><p><k>1</k><l>3</l></p><p><k>4</k><l>2</l></p></a>"
    explanation = broker.explain("apart", split, "<b><k>1</k><l>2</l></b>")
    assert not explanation.matches
    assert lines(explanation)[-1] == "✗ each comparison holds for some nodes, but not for nodes that belong together"


def test_messages_without_a_time_arrive_one_after_the_other(broker: xpubsub.Broker) -> None:
    explanation = pair(broker, A, B, times=None)
    assert explanation.matches and "(without a time, that of arrival counts)" in str(explanation)
    assert not pair(broker, B, A, times=None, stream=["T", "S"]).matches
    stamps = [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 7, tzinfo=UTC)]
    assert "message 2 is 7 s later than message 1" in str(pair(broker, A, B, times=stamps))


def test_a_message_that_is_rejected(broker: xpubsub.Broker) -> None:
    explanation = pair(broker, A, "<b>\n<k></b>")
    assert not explanation.matches
    assert lines(explanation) == ["message 2 cannot be read: mismatched tag [not-well-formed] at line 2, column 6"]
    deep = "<a>" * 21 + "</a>" * 21
    for subscription_id in ("f", "t", "one"):
        refused = broker.explain(subscription_id, deep, stream="S").unreadable
        assert refused is not None and refused.code == "limit-depth"
    assert broker.explain("f", None).unreadable.code == "not-text"  # type: ignore[arg-type, union-attr]


@pytest.mark.parametrize(("call", "reason"), [
    (lambda broker: broker.explain("nobody", A), "there is no subscription 'nobody'"),
    (lambda broker: broker.explain("f", A, B), "'f' is a filter: give 1 message to explain, not 2"),
    (lambda broker: broker.explain("t", A, B), "'t' is a transformation: give 1 message"),
    (lambda broker: broker.explain("pair", A, B, A), "'pair' has 2 blocks: give 1 message or 2 to explain, not 3"),
    (lambda broker: broker.explain("one", A, B), "'one' has 1 block: give 1 message to explain, not 2"),
    (lambda broker: broker.explain("pair", A, B, times=[1]), "times: give one for each message; there are 1 for 2 messages"),
    (lambda broker: broker.explain("pair", A, times=[1, 2]), "there are 2 for 1 message"),
    (lambda broker: broker.explain("pair", A, B, times=5), "times"),
    (lambda broker: broker.explain("pair", A, B, times=[1, float("nan")]), "a message's time"),
    (lambda broker: broker.explain("pair", A, B, stream=["S"]), "streams: give one for each message"),
    (lambda broker: broker.explain("pair", A, B, stream=["S", ""]), "a stream's name is empty"),
    (lambda broker: broker.explain("f", A, stream=""), "a stream's name is empty"),
    (lambda broker: broker.explain("f", A, stream=5), "streams"),
])
def test_what_cannot_be_explained(broker: xpubsub.Broker, call: Any, reason: str) -> None:
    with pytest.raises(xpubsub.Error) as error:
        call(broker)
    assert reason in str(error.value)


def test_times_of_filters_are_checked_too(broker: xpubsub.Broker) -> None:
    assert broker.explain("f", A, stream="stocks", times=[sys.float_info.epsilon]).matches
    with pytest.raises(xpubsub.Error):
        broker.explain("f", A, times=[float("inf")])


TWO = "S/a AS $x [b AS $u] FOLLOWED BY {$u = $v, 10s} S/c AS $y [d AS $v]"
LEFT, RIGHT = "<a><b>1</b></a>", "<c><d>1</d></c>"


def test_explanations_know_nothing_of_one_another() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("pair", TWO), ("for", "for $x in /c where $x/d = 1 return $x")])
        assert broker.explain("pair", LEFT, RIGHT, times=[1, 2]).matches
        assert not broker.explain("pair", RIGHT, times=[3]).matches
        assert broker.explain("for", RIGHT).matches and not broker.explain("for", LEFT).matches
        assert not broker.explain("pair", RIGHT, times=[3]).matches
        assert broker.explain("pair", LEFT, RIGHT, times=[0, 1]).matches, "no clock is left that makes it late"


def test_several_threads_explain_at_once() -> None:
    with xpubsub.connect(":memory:") as broker, ThreadPoolExecutor(2) as pool:
        broker.subscribe_many([(f"s{n}", f"for $x in /a where $x/b = {n % 2} return $x") for n in range(4)])
        found = pool.map(lambda n: broker.explain(f"s{n}", LEFT).matches, range(4))
        assert list(found) == [n % 2 == 1 for n in range(4)]


def test_every_table_is_emptied_for_another_subscription() -> None:
    with xpubsub.connect(":memory:") as broker:
        tables = broker.store.rows(Step("tables", "select table_name from information_schema.tables"))
    jobs = {"stream_batch", "stream_item"}
    """What streaming jobs write, which a store for explanations never has."""
    assert {row["table_name"] for row in tables} == {*KEPT, *DERIVED, *jobs, "setting", "schema_migration"}
