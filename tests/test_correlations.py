"""Correlations (Hong 2007): the paper's example, what is kept, what is published, and what is refused."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

import xpubsub
from tests.forks import killed
from xpubsub.plan.request import CORRELATION_PLANS
from xpubsub.step import Step

BOOK = ("<book><author>Danny Ayers</author><author>Andrew Watt</author><title>Beginning RSS and Atom Programming</title>"
        "<category>Scripting &amp; Programming</category><category>Web Site Development</category></book>")
BLOG = ("<blog><author>Danny Ayers</author><title>Beginning RSS and Atom Programming</title>"
        "<category>Book Announcement</category><category>Scripting &amp; Programming</category></blog>")
PAPER = {
    "Q1": "S//book->x1[//author->x2][//title->x3] FOLLOWED BY {x2=x5 AND x3=x6, 10s} S//blog->x4[//author->x5][//title->x6]",
    "Q2": "S//book->x1[//author->x2][//category->x7] FOLLOWED BY {x2=x5 AND x7=x8, 10s}"
          " S//blog->x4[//author->x5][//category->x8]",
    "Q3": "S//blog->x4[//author->x5][//title->x6] FOLLOWED BY {x5=x5' AND x6=x6', 10s}"
          " S//blog->x4'[//author->x5'][//title->x6']",
}
MATCH = f"<match>{BOOK}{BLOG}</match>"
PAIR = "S//a AS $x [./k AS $i] {} {{ $i = $j, {} }} S//b AS $y [./k AS $j]"


@pytest.fixture
def broker() -> Any:
    with xpubsub.connect(":memory:") as opened:
        yield opened


def rows(broker: xpubsub.Broker, sql: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in broker.store.rows(Step("rows", sql)))


def notified(broker: xpubsub.Broker, *messages: tuple[str, str, float], stream: str = "S") -> list[tuple[str, str]]:
    found = broker.publish(messages, stream=stream).notifications.to_pylist()
    return sorted((row["subscription_id"], row["message_id"]) for row in found)


def test_the_paper_s_example(broker: xpubsub.Broker) -> None:
    broker.subscribe_many(PAPER.items())
    assert len(rows(broker, "select template_id from join_template")) == 1, "Figure 5: all three have one template"
    assert len(rows(broker, "select correlation_id from join_member")) == 3
    assert notified(broker, ("d1", BOOK, 1.0)) == []
    values = "select value from rdoc order by node"
    assert [value for value, in broker_values(broker, values)] == [
        "Danny Ayers", "Andrew Watt", "Beginning RSS and Atom Programming", "Scripting & Programming",
        "Web Site Development"], "Table 4(b), without the root, whose value is not compared"
    assert len(rows(broker, "select * from rbin")) == 5, "Table 4(c)"
    found = broker.publish([("d2", BLOG, 2.0)]).notifications.to_pylist()
    assert sorted((row["subscription_id"], row["message_id"], row["output"]) for row in found) == [
        ("Q1", "d2", MATCH), ("Q2", "d2", MATCH)], "Table 4(f)"


def broker_values(broker: xpubsub.Broker, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in broker.store.rows(Step("values", sql))]


WINDOWS = [
    ("FOLLOWED BY", "5s", 5.0, True), ("FOLLOWED BY", "5s", 5.5, False), ("FOLLOWED BY", "5s", 0.0, False),
    ("FOLLOWED BY", "5s", -1.0, False), ("JOIN", "5s", 0.0, True), ("JOIN", "5s", -5.0, True), ("JOIN", "5s", -6.0, False),
    ("FOLLOWED BY", "INF", 1e9, True), ("JOIN", "500ms", 0.5, True), ("FOLLOWED BY", "2m", 120.0, True),
    ("FOLLOWED BY", "1h", 3600.5, False), ("JOIN", "1d", -86400.0, True),
]


def test_windows() -> None:
    """Each case has elements of its own, so that one store and two batches do for all."""
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=1e10)) as broker:
        for n, (operator, window, _, _) in enumerate(WINDOWS):
            broker.subscribe(f"q{n}", PAIR.format(operator, window).replace("//a", f"//a{n}").replace("//b", f"//b{n}"))
        notified(broker, *((f"a{n}", f"<a{n}><k>1</k></a{n}>", 0.0) for n in range(len(WINDOWS))))
        found = notified(broker, *((f"b{n}", f"<b{n}><k>1</k></b{n}>", case[2]) for n, case in enumerate(WINDOWS)))
    assert found == sorted((f"q{n}", f"b{n}") for n, case in enumerate(WINDOWS) if case[3])


@pytest.mark.parametrize(("operator", "time"), [("FOLLOWED BY", 5.5), ("JOIN", -6.0)])
def test_a_message_outside_the_window_finds_nothing_alone_either(broker: xpubsub.Broker, operator: str, time: float) -> None:
    """With the default lateness what is before the window is late, and what it could have found is let go."""
    broker.subscribe("q", PAIR.format(operator, "5s"))
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    assert notified(broker, ("b", "<b><k>1</k></b>", time)) == []


def test_messages_of_one_batch_join_each_other_and_the_last_one_is_named(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    a, b = ("a", "<a><k>1</k></a>", 0.0), ("b", "<b><k>1</k></b>", 1.0)
    assert notified(broker, b, a) == [("q", "a")]


def test_a_late_message_finds_what_followed_it(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    assert notified(broker, ("b", "<b><k>1</k></b>", 1.0)) == []
    assert notified(broker, ("a", "<a><k>1</k></a>", 0.0)) == [("q", "a")]


def test_a_batch_that_is_repeated_gives_the_same_and_nothing_twice(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    for _ in range(3):
        assert notified(broker, ("b", "<b><k>1</k></b>", 1.0), ("b2", "<b><k>2</k></b>", 1.0)) == [("q", "b")]
    assert notified(broker, ("a2", "<a><k>1</k></a>", 0.5)) == [("q", "a2")]


def test_streams_are_joined_and_kept_apart(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s").replace("S//b", "T//b"))
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    assert notified(broker, ("b", "<b><k>1</k></b>", 1.0)) == []
    assert notified(broker, ("b", "<b><k>1</k></b>", 1.0), stream="T") == [("q", "b")]


def test_outputs_are_messages_of_the_stream_that_they_are_published_to(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "SELECT <pair>{ $x/k, $y }</pair> FROM " + PAIR.format("FOLLOWED BY", "5s") + " PUBLISH pairs")
    broker.subscribe("f", "/pair/k = 1", stream="pairs")
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    found = notified(broker, ("b", "<b><k>1</k></b>", 1.0))
    assert [subscription for subscription, _ in found] == ["f", "q"] and found[0][1].startswith("pairs-")


def test_an_output_that_is_no_message_is_set_aside(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "SELECT $x, $y FROM " + PAIR.format("FOLLOWED BY", "5s") + " PUBLISH pairs")
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    result = broker.publish([("b", "<b><k>1</k></b>", 1.0)])
    assert result.notifications["subscription_id"].to_pylist() == ["q"]
    [aside] = result.rejected.to_pylist()
    assert aside["message_id"].startswith("pairs-") and aside["code"] == "not-well-formed"


def test_inequalities_are_looked_at_after_equalities(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "S//a AS $x [k AS $i][p AS $p] JOIN { $i = $j AND $p < $q, INF } S//b AS $y [k AS $j][p AS $q]")
    notified(broker, ("a", "<a><k>1</k><p>9</p></a>", 0.0))
    assert notified(broker, ("b", "<b><k>1</k><p>10</p></b>", 1.0), ("c", "<b><k>1</k><p>8</p></b>", 1.0)) == [("q", "b")]
    with pytest.raises(xpubsub.Error, match="without an equality"):
        broker.subscribe("r", "S//a AS $x JOIN { $x < $y, INF } S//b AS $y")


def test_what_no_window_reaches_is_let_go(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "10s"))
    for first in range(0, 60, 4):
        notified(broker, *((f"a{n}", f"<a><k>{n}</k></a>", float(n)) for n in range(first, first + 4)))
    assert 20 <= len(rows(broker, "select docid from rdoc_ts")) <= 26, "about two windows"
    assert len(rows(broker, "select * from rbin")) <= 2 * 26


def test_stats_show_what_is_kept_and_what_windows_without_an_end_cost(broker: xpubsub.Broker) -> None:
    broker.subscribe("f", "/a/k = 1")
    assert "messages kept" not in broker.stats()
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "10s"))
    broker.subscribe("r", PAIR.format("FOLLOWED BY", "INF"))
    notified(broker, *((f"a{n}", f"<a><k>{n}</k></a>", float(n)) for n in range(50)))
    assert {name: amount for name, amount in broker.stats().items() if "kept" in name or "correlations" in name} == {
        "correlations": 2, "correlations with a window of INF": 1, "messages kept": 50,
        "messages kept for windows of INF alone": 29, "edges kept": 50, "values kept": 50,
        "characters kept for output": sum(len(f"<a><k>{n}</k></a>") for n in range(50))}


def test_a_message_does_not_get_the_number_of_one_that_is_gone(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    notified(broker, *((f"a{n}", f"<a><k>{n}</k></a>", 100.0) for n in range(10)))
    notified(broker, ("x", "<x/>", 0.0))
    assert notified(broker, ("a", "<a><k>z</k></a>", 100.0)) == []
    assert notified(broker, ("b", "<b><k>z</k></b>", 101.0)) == [("q", "b")]


def test_what_no_one_asks_for_any_more_is_let_go(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "INF"))
    broker.subscribe("r", "S//a AS $x [./n AS $i] JOIN { $i = $j, INF } S//b AS $y [./n AS $j]")
    notified(broker, ("a", "<a><k>1</k><n>2</n></a>", 0.0), ("a2", "<a><k>1</k></a>", 0.0))
    before = len(rows(broker, "select * from rbin"))
    broker.unsubscribe(["q"])
    assert len(rows(broker, "select * from rbin")) < before and len(rows(broker, "select * from rdoc_ts")) == 1
    assert notified(broker, ("b", "<b><k>1</k><n>2</n></b>", 1.0)) == [("r", "b")]
    broker.unsubscribe(["r"])
    broker.gc()
    assert not any(rows(broker, f"select * from {table}") for table in (
        "rbin", "rdoc", "rdoc_ts", "rcopy", "correlation", "join_edge", "join_member", "join_template", "join_part"))


def test_what_is_copied_outlasts_garbage_collection(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "INF"))
    broker.subscribe("r", "/a/k")
    notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    broker.unsubscribe(["r"])
    broker.gc()
    assert notified(broker, ("b", "<b><k>1</k></b>", 1.0)) == [("q", "b")]


def test_the_order_of_the_text_does_not_matter(broker: xpubsub.Broker) -> None:
    """Patterns and comparisons in another order, and other names, are the same correlation, stored once."""
    for number, (one, other) in enumerate([("km", "km"), ("mk", "km"), ("km", "mk")]):
        left, right = ("".join(f"[./{name} AS ${name}{side}]" for name in each) for side, each in enumerate((one, other)))
        on = " AND ".join(f"${name}0 = ${name}1" for name in other)
        broker.subscribe(f"q{number}", f"S/a AS $x {left} FOLLOWED BY {{ {on}, 5s }} S/b AS $y {right}")
    assert len(rows(broker, "select correlation_id from join_member")) == 1
    message = "<{0}><k>1</k><m>2</m></{0}>"
    notified(broker, ("a", message.format("a"), 0.0))
    assert notified(broker, ("b", message.format("b"), 1.0)) == [("q0", "b"), ("q1", "b"), ("q2", "b")]


def test_repeated_elements_do_not_multiply(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that only have to be there count once for each node above them: else there would be 200**4 rows."""
    broker.subscribe("q", "S/a AS $x [k AS $i][m AS $n] JOIN { $i = $j AND $n = $o, INF } S/b AS $y [k AS $j][m AS $o]")
    many = "<k>1</k><m>2</m>" * 200
    notified(broker, ("a", f"<a>{many}</a>", 0.0))
    sizes: dict[str, int] = {}

    def look(*_: object) -> None:
        sizes.update({name: len(rows(broker, f"select * from {name}")) for name in ("value_pair", "value_pair_above", "rout")})

    monkeypatch.setattr("xpubsub.jobs.publish.correlating.keep", look)
    assert notified(broker, ("b", f"<b>{many}</b>", 1.0)) == [("q", "b")]
    assert sizes == {"value_pair": 0, "value_pair_above": 2, "rout": 1}


def test_a_store_goes_on_where_it_was(tmp_path: Any) -> None:
    with xpubsub.connect(tmp_path / "store.duckdb") as broker:
        broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
        notified(broker, ("a", "<a><k>1</k></a>", 0.0))
    with xpubsub.connect(tmp_path / "store.duckdb") as broker:
        assert notified(broker, ("b", "<b><k>1</k></b>", 1.0)) == [("q", "b")]


def test_a_time_is_a_number_or_a_datetime(broker: xpubsub.Broker) -> None:
    with pytest.raises(xpubsub.Error, match="a message's time is a number of seconds or a datetime"):
        broker.publish([("a", "<a/>", "yesterday")])


def test_what_is_published_must_not_come_back(broker: xpubsub.Broker) -> None:
    text = PAIR.format("JOIN", "5s")
    with pytest.raises(xpubsub.Error, match="would come back to it: S → S"):
        broker.subscribe("self", text + " PUBLISH S")
    broker.subscribe("q", text + " PUBLISH T")
    with pytest.raises(xpubsub.RowErrors, match="would come back to it: T → S → T"):
        broker.subscribe_many([("r", text.replace("S//", "T//") + " PUBLISH S"), ("ok", text + " PUBLISH U")])
    broker.unsubscribe(["q"])
    broker.subscribe("r", text.replace("S//", "T//") + " PUBLISH S")


def test_each_comparison_of_a_path_asks_for_a_node_of_its_own(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "S/a AS $x JOIN { $x/k = $i AND $x/k = $j, INF } S/b AS $y [i AS $i][j AS $j]")
    notified(broker, ("a", "<a><k>1</k><k>2</k></a>", 0.0))
    assert notified(broker, ("b", "<b><i>1</i><j>2</j></b>", 1.0), ("c", "<b><i>1</i><j>3</j></b>", 1.0)) == [("q", "b")]


def test_a_node_that_is_shown_between_two_that_are_joined_fits_both(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "SELECT <o>{ $b/@n }</o> FROM S//a AS $x [c] [.//b AS $b [.//k AS $k]]"
                     " JOIN { $k = $j, INF } S/j AS $j")
    notified(broker, ("m", '<b n="3"><a><c/><b n="1"><k>1</k></b><b n="2"><k>2</k></b></a></b>', 0.0))
    found = broker.publish([("n", "<j>1</j>", 1.0)]).notifications
    assert found["output"].to_pylist() == ['<o n="1"/>']


def test_explain_says_what_a_message_has(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("JOIN", "5s"))
    explanation = broker.explain("q", "<a><k>1</k></a>")
    assert not explanation.matches, "a partner is needed"
    assert str(explanation).splitlines()[1:] == [
        "  the message could be block 1, S//a:", "    ✓ //a/k: found 1 node",
        "  the message cannot be block 2, S//b:",
        "    ✗ //b/k: no such node — there is none in the message   <-- this fails first",
        "  a match takes 2 messages, one for each block: explain them together to see whether they match",
    ]
    assert "== value_pair" in broker.explain_sql() and "== rout" in broker.explain_sql()


def test_one_block_alone_makes_something_of_each_message(broker: xpubsub.Broker) -> None:
    broker.subscribe("all", "SELECT * FROM S")
    broker.subscribe("some", "SELECT <o>{ $k, $a/@id }</o>".replace("$k, $a/@id", "$a/@id, $k")
                     + " FROM S//a AS $a [.//k AS $k] [n > 1]")
    found = broker.publish([("m", '<a id="7"><k>1</k><b><k>2</k></b><n>2</n></a>'), ("x", "<x/>")]).notifications.to_pylist()
    assert sorted((row["subscription_id"], row["message_id"], row["output"]) for row in found) == [
        ("all", "m", '<a id="7"><k>1</k><b><k>2</k></b><n>2</n></a>'), ("all", "x", "<x/>"),
        ("some", "m", '<o id="7"><k>1</k></o>'), ("some", "m", '<o id="7"><k>2</k></o>')]


CHAIN = PAIR.format("FOLLOWED BY", "5s") + " JOIN { $y/m = $z/m, 10s } T//c AS $z"
A, B, C = ("a", "<a><k>1</k></a>", 0.0), ("b", "<b><k>1</k><m>2</m></b>", 4.0), ("c", "<c><m>2</m></c>", 14.0)


@pytest.mark.parametrize("plan", CORRELATION_PLANS)
def test_operators_are_applied_from_left_to_right(broker: xpubsub.Broker, plan: str) -> None:
    """The second window counts from the later of the first two messages; all three orders of arrival find the same."""
    broker.subscribe("q", CHAIN)
    orders = ([A, B, C], [C, A, B], [B, C, A])
    found = []
    for place in range(3):
        for stream in "ST":
            messages = [(f"{name}{number}", xml.replace("1</k>", f"{number}</k>").replace("2</m>", f"-{number}</m>"), time)
                        for number, order in enumerate(orders) for name, xml, time in order[place:place + 1]
                        if (name == "c") == (stream == "T")]
            rows = broker.publish(messages, stream=stream, plan=plan).notifications.to_pylist()
            assert place == 2 or not rows, "the third message completes each"
            found += rows
    assert sorted(row["message_id"] for row in found) == ["a2", "b1", "c0"]
    assert all(row["output"].startswith("<match><a>") and row["output"].endswith("</c></match>") for row in found)


def test_windows_of_several_operators_add_up_for_what_is_kept(broker: xpubsub.Broker) -> None:
    broker = xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=0.0))
    broker.subscribe("q", CHAIN.replace("T//c", "S//c"))
    notified(broker, A, B)
    assert notified(broker, ("x", "<c><m>9</m></c>", 13.9)) == []
    assert notified(broker, C) == [("q", "c")]
    assert notified(broker, ("late", "<c><m>2</m></c>", 14.1)) == []


def test_the_messages_of_a_correlation_are_different_ones(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", "S/a AS $x JOIN { $x = $y, INF } S/a AS $y JOIN { $y = $z, INF } S/a AS $z")
    assert notified(broker, ("1", "<a>k</a>", 0.0), ("2", "<a>k</a>", 0.0)) == []
    assert notified(broker, ("3", "<a>k</a>", 0.0)) == [("q", "3")] * 6


SCRIPT = """
import sys, xpubsub
from tests.test_correlations import cycle
broker = xpubsub.connect(sys.argv[1])
print("open", flush=True)
for number in range(1000):
    broker.publish(cycle(number))
    print(number, flush=True)
"""


def cycle(number: int) -> list[tuple[str, str, float]]:
    """A batch: an `a` and, a second later, a `b`, with keys that recur."""
    return [(f"a{number}", f"<a><k>{number % 3}</k></a>", 2.0 * number),
            (f"b{number}", f"<b><k>{(number + 1) % 3}</k></b>", 2.0 * number + 1)]


def notified_by(number: int) -> list[tuple[str, str]]:
    """One for each `a` so far with the key of the batch's `b`."""
    return [("q", f"b{number}")] * len([each for each in range(number + 1) if each % 3 == (number + 1) % 3])


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.1, 0.45, 0.8])
def test_killed_while_correlating(tmp_path: Any, after: float) -> None:
    path = tmp_path / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe("q", PAIR.format("FOLLOWED BY", "INF"))
    finished = killed(SCRIPT, path, after)
    with xpubsub.connect(path) as broker:
        for number in range(finished, finished + 3):
            assert notified(broker, *cycle(number)) == notified_by(number)


@pytest.mark.slow
def test_a_batch_cut_off_where_there_are_no_transactions(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """One batch after the other is cut off at each table, and what is left of it changes nothing."""
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "INF"))
    assert notified(broker, *cycle(0)) == notified_by(0)
    engine, append = broker.store.engine, broker.store.engine.append
    monkeypatch.setattr(engine, "transaction", nullcontext)
    number = 1
    for table in ("rbin", "rdoc", "rcopy", "rreturn", "gone_message", "rdoc_ts", "stream_clock"):

        def cut_off(name: str, step: Step, at: str = table) -> None:
            if name == at:
                raise KeyboardInterrupt
            append(name, step)

        monkeypatch.setattr(engine, "append", cut_off)
        with pytest.raises(KeyboardInterrupt):
            broker.publish(cycle(number))
        monkeypatch.setattr(engine, "append", append)
        for each in (number, number, number + 1):
            assert notified(broker, *cycle(each)) == notified_by(each), table
        number += 2


def fill_disk(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be kept any more."""
    append = broker.store.engine.append

    def full(name: str, step: Step) -> None:
        if name == "rdoc_ts":
            raise xpubsub.EngineError("disk full")
        append(name, step)

    monkeypatch.setattr(broker.store.engine, "append", full)


def test_an_error_while_keeping_leaves_the_state_as_it_was(
    broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "INF"))
    notified(broker, *cycle(0))
    kept = rows(broker, "select * from rbin")
    fill_disk(broker, monkeypatch)
    with pytest.raises(xpubsub.EngineError):
        broker.publish(cycle(1))
    monkeypatch.undo()
    assert rows(broker, "select * from rbin") == kept
    for number in (1, 2):
        assert notified(broker, *cycle(number)) == notified_by(number)


def test_a_step_that_fails_is_named_and_leaves_no_setting_behind(broker: xpubsub.Broker) -> None:
    """A failed transaction of DuckDB takes no settings until it is rolled back."""
    engine = broker.store.engine
    with pytest.raises(xpubsub.EngineError, match=r"step rout_1.*Conversion"), engine.transaction():
        engine.run(Step("rout_1", "select cast(name as integer) as n from schema_migration", ordered=True))
    assert rows(broker, "select current_setting('disabled_optimizers') as s") == [("",)]
