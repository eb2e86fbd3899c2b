"""What a running job chooses to spill: from its subscriptions, what messages have shown, and measured times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import xpubsub
from tests.spill_queries import tree_of
from xpubsub.cli.program import program
from xpubsub.jobs.overload.calibrating import measured_constants
from xpubsub.jobs.overload.choosing import Chooser
from xpubsub.jobs.overload.measured_costs import MeasuredCosts
from xpubsub.jobs.overload.seen_elements import elements_of
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.spill.candidates import NOTHING
from xpubsub.spill.cost import CostConstants
from xpubsub.spill.model import Estimates
from xpubsub.spill.statistics import ElementCount, Statistics

ORDER = b"<order><sku>A</sku><note>Ring <b>two</b> times.</note><price>1</price></order>"
WANT = "for $o in /order return <want>{ $o/sku, $o/note, $o/price }</want>"


@pytest.fixture(autouse=True)
def _fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations cost the same on every machine."""
    monkeypatch.setattr(StoredTransformations, "measured_constants", lambda _: CostConstants())


@pytest.fixture
def broker() -> Iterator[xpubsub.Broker]:
    with xpubsub.connect(":memory:") as opened:
        yield opened


def chooser(broker: xpubsub.Broker, policy: str = "optprune") -> Chooser:
    """One that has seen a hundred orders, which took a second."""
    found = Chooser(xpubsub.Overload(policy, budget=5.0), StoredTransformations(broker.store, broker.limits, "S"))
    found.look([ORDER] * 4)
    found.learn(100, 1.0, NOTHING)
    return found


@pytest.mark.parametrize("policy", ["optr", "optprune", "tox"])
def test_as_little_as_keeps_up(broker: xpubsub.Broker, policy: str) -> None:
    broker.subscribe("t", WANT)
    given = chooser(broker, policy)
    assert given.choose(90).candidate == NOTHING
    more = given.choose(120)
    assert more.consumes and len(more.candidate) == 1 and more.quality == 2
    assert given.choose(121) is more, "the load is about the same"
    assert not given.choose(1e9).consumes


def test_measured_times_change_the_choice(broker: xpubsub.Broker) -> None:
    broker.subscribe("t", WANT)
    given = chooser(broker)
    assert given.choose(90).candidate == NOTHING
    for _ in range(30):
        given.learn(100, 1.3, NOTHING)
    assert len(given.choose(90).candidate) == 1


def test_what_turns_out_slower_than_expected_is_not_chosen_again_for_a_while(broker: xpubsub.Broker) -> None:
    """Each path is tried; none makes batches faster, so that nothing is spilled, and the source waits."""
    broker.subscribe("t", WANT)
    given, tried = chooser(broker), []
    for _ in range(40):
        tried.append(given.choose(120).candidate)
        given.learn(100, 1.1 if tried[-1] else 1.0, tried[-1])
    assert len(set(tried)) > 2 and set(tried[-5:]) == {NOTHING}
    for _ in range(300):
        given._next = 0.0
        tried.append(given.choose(120).candidate)
        given.learn(100, 0.7 if tried[-1] else 1.0, tried[-1])
    assert NOTHING not in tried[-5:], "what was too slow is tried again"


def test_changed_subscriptions_count_at_once(broker: xpubsub.Broker) -> None:
    """Whoever waits for all of an order makes its parts worth less; filters and other streams have no say."""
    broker.subscribe_many([("f", "//note"), {"id": "other", "text": "for $x in /x return $x/y", "stream": "T"}])
    given = chooser(broker)
    assert given.choose(120).candidate == NOTHING
    broker.subscribe("t", WANT)
    assert given.choose(120).consumes and given.choose(120).candidate
    broker.subscribe("w", WANT, partial=False)
    assert given.choose(120).quality == 2, "what is spilled, the whole output of one subscriber waits for"


@pytest.mark.parametrize(("root", "paths"), [
    ("//order", set()), ("/pay", {"/order", "/order/sku", "/order/note", "/order/price"})])
def test_what_correlations_need_is_not_chosen(broker: xpubsub.Broker, root: str, paths: set[str]) -> None:
    """Correlations copy their messages whole, so that nothing of them is spilled."""
    broker.subscribe("t", WANT)
    broker.subscribe("p", f"S{root} AS $a [./id AS $x] FOLLOWED BY {{$x = $y, INF}} S{root} AS $b [./id AS $y]")
    given = chooser(broker)
    assert bool(given.choose(120).candidate) == bool(paths)
    assert given.known is not None
    assert {node.linear_path for node in given.known.space.nodes() if node.edge} == paths


def test_what_a_batch_costs_is_told_from_what_its_messages_cost() -> None:
    """Batches take 0.1 s, and twice what the model says; once it says half as much, four times that."""
    costs = MeasuredCosts()
    assert costs.line() == (1.0, 0.0)
    costs.learn(10, 0.01, 0.3)
    assert costs.line() == (pytest.approx(3.0), 0.0), "one batch does not tell"
    for units, modelled in ((20, 0.01), (40, 0.001), (10, 0.02)):
        costs.learn(units, modelled, 0.1 + 2 * units * modelled)
    factor, fixed = costs.line()
    assert factor == pytest.approx(2.0) and 40 * fixed * 0.85 == pytest.approx(0.1, rel=0.2)
    costs.rescale(0.5)
    assert costs.line() == (pytest.approx(4.0), fixed)


def test_operations_are_measured_in_milliseconds(broker: xpubsub.Broker) -> None:
    """To skip what is large is cheaper than to read it; what is small is not worth it."""
    started = time.perf_counter()
    found = measured_constants(broker.store.engine)
    assert time.perf_counter() - started < 2.0
    assert 0 < found.c_skip < found.c_token < 1e-4 and 0 < found.c_root < 1e-3 and 0 < found.c_keep < found.c_token
    assert 0 < found.c_join == found.c_stack < 1e-4 and found.c_io == found.c_unit == 0
    tree = tree_of("for $a in /a return ($a/large, $a/small)")
    elements = {"/a": ElementCount(1, 1004), "/a/large": ElementCount(1, 1000), "/a/small": ElementCount(1, 2)}
    model = Estimates(tree, Statistics(elements), found)
    assert model.cost(frozenset({"/a/large"})) < 0.8 * model.cost(NOTHING)
    assert model.cost(frozenset({"/a/small"})) > model.cost(frozenset({"/a/large"}))


def test_texts_that_differ_in_constants_are_parsed_once(broker: xpubsub.Broker) -> None:
    broker.subscribe_many([(f"t{n}", f"for $o in /order where $o/sku = 'A{n}' return $o/p{n % 2}") for n in range(6)])
    stored = StoredTransformations(broker.store, broker.limits, "S")
    stored.refresh(5.0)
    tree = stored.tree()
    assert len(stored._parsed) == 2 and len({use.transformation for use in tree.all_uses()}) == 6
    assert {node.linear_path for node in tree.nodes()} >= {"/order/sku", "/order/p0", "/order/p1"}


def test_elements_are_counted_up_to_the_first_error() -> None:
    found = elements_of(b'<a x="1" xmlns="urn:n"><b>t</b><b/>tail</a>')
    a = "/{urn:n}a"
    assert found == {f"{a}/@x": (1, 1), f"{a}/{{urn:n}}b/text()": (1, 1), f"{a}/{{urn:n}}b": (2, 5),
                     f"{a}/text()": (1, 1), a: (1, 9)}
    assert elements_of(b"<a><b/><c><") == {"/a/b": (1, 2)} and elements_of(b"") == {}


def test_a_choice_is_explained(broker: xpubsub.Broker) -> None:
    assert "chosen by optprune: nothing" in broker.explain_spill(ORDER), "there is no transformation"
    broker.subscribe("t", WANT)
    assert "chosen by optprune: nothing" in broker.explain_spill(ORDER, load=0.9)
    text = broker.explain_spill(ORDER, ORDER.decode(), load=1.2, policy="tox")
    assert "measured, in nanoseconds:" in text and "  reading a token" in text
    assert "chosen by tox: {/order/note}" in text and "SRAM  return  /order/note  hole" in text


@pytest.mark.parametrize(("messages", "options", "words"), [
    ((), {}, "at least one message"), ((ORDER,), {"load": float("nan")}, "load must be a number above 0, not nan"),
    ((ORDER,), {"policy": "whole"}, "unknown policy 'whole'"), ((7,), {}, "a message must be a str, not int"),
    ((ORDER,), {"stream": ""}, "a stream's name is empty")])
def test_a_choice_that_cannot_be_explained(
    broker: xpubsub.Broker, messages: tuple[Any, ...], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(xpubsub.Error, match=words):
        broker.explain_spill(*messages, **options)


@pytest.mark.parametrize(("given", "words"), [
    (("--spill", "o.xml", "--load", "1.2"), "chosen by optprune: {/order/note}"),
    (("--spill", "o.xml", "--sql"), "--spill takes one --stream"), (("--spill",), "Missing argument"),
    (("t",), "give the id of a subscription, and at least one message")])
def test_the_command_explains_a_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("o.xml").write_bytes(ORDER)
    with xpubsub.connect("s.duckdb") as broker:
        broker.subscribe("t", WANT)
    result = CliRunner().invoke(program, ["explain", "s.duckdb", *given], prog_name="xpubsub")
    assert words in result.output and result.exit_code == (0 if "chosen" in words else 2)
