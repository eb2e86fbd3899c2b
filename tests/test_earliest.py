"""Earliest output: what is delivered after each token is what every continuation of the document agrees on."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lxml import etree

import xpubsub
from tests.saxon import processor
from tests.test_xpath2 import judged
from xpubsub.language.xpath.numbers import number_reach, to_number

TOKEN = re.compile(r"<[^>]*>|[^<]+")
NOISE = "~"
"""A text that is no number and equals no constant."""
EXTRAS = ["1", "2", "5", "x", "25", "2.5", ".5", "-1", ".99999999999999999999", "10", "<a><b>1</b><c/><b/></a>", "<b x='1'>x</b>", "<c><a/>2</c>", "<a x='1' y='1'/>", NOISE]
"""What may follow, inside each open element. All constants can be made of it."""


def unit(rng: random.Random) -> list[str]:
    """The tokens of a random unit, recursive."""
    def content(depth: int) -> Iterator[str]:
        for _ in range(rng.randrange(4)):
            if depth < 4 and rng.random() < 0.6:
                yield from element(depth + 1, rng.choice("abc"))
            else:
                yield from rng.choice([("1",), ("2", "5"), ("x",), ("10", "<!---->", "0"), (" ",)])

    def element(depth: int, name: str) -> Iterator[str]:
        attributes = "".join(f' {each}="{rng.choice("12x")}"' for each in "xy" if rng.random() < 0.3)
        yield f"<{name}{attributes}>"
        yield from content(depth)
        yield f"</{name}>"

    return list(element(1, "u"))


def positive(rng: random.Random, depth: int = 0) -> str:
    """A random filter without `not()`."""
    nested = 0

    def path(start: str) -> str:
        nonlocal nested
        nested += start == "."
        steps = start + "".join(
            rng.choice(["/", "//"]) + rng.choice("abc*") + predicate() for _ in range(rng.randint(1, 2)))
        return steps + rng.choice(["", "", "/@x", "//@y", "/text()"])

    def predicate() -> str:
        return f"[{condition('.')}]" if nested < 4 and rng.random() < 0.35 else ""

    def condition(start: str) -> str:
        inner = path(start) if start != "." or rng.random() < 0.7 else rng.choice([".", "@x", "text()"])
        if rng.random() < 0.3:
            return f"{rng.choice(['contains', 'starts-with'])}({inner}, '{rng.choice(['1', '2', '25', 'x', '10'])}')"
        return inner + rng.choice(["", "", " = '1'", " = 2", " > 1", " <= 25", " = 'x'", " != 1", " != '1'", " != 25"])

    first = condition(rng.choice(["/u", ""]))
    return f"{first} {rng.choice(['and', 'or'])} {positive(rng, 1)}" if not depth and rng.random() < 0.3 else first


POSITIVE = [
    "//a != '1'", "//a != 1", "//b/text() != 2", "contains(//a, '1')", "starts-with(//b, 'x')", "/u != '~'",
    "contains(//a[b]/c, '1')", "//a[contains(b, '1')]", "//a[starts-with(., '1')]", "//@x != 1", "contains(/u/a/@x, '1')",
    "contains(/u, '1')", "//a[@x != '1' and b]", "starts-with(//a[b][c]/b, '2')", "/u != 25", "//a != 2.5", "//b != -1",
    "contains(//a[starts-with(b, '1')]//c, 'x')", "//*[contains(a[b], '1')]/c", "starts-with(/, '10')",
    "contains(//a[@x = '1']/c, '1')", "contains(//a[@x][b]//c[@y], '1')", "//*[starts-with(a[@x != 2]/b, '1')]",
]
"""Filters that look at the first node only, or at what a value is not."""
OTHERS = [
    "not(//a)", "//a[not(b)]", "//a[not(@x)]/b", "/u[not(a = 1)]", "not(//a = '1') and //b", "//b[not(c[not(@x)])]",
    "//a[b != 2 or not(c)]", "not(contains(//a, '1'))", "contains(//a[not(b)], '1')",
]
"""Filters that later parts of a unit can make false."""


def filters(seed: int) -> dict[str, str]:
    rng = random.Random(seed)
    made = {f"p{n}": positive(rng) for n in range(60)} | {f"p-{n}": text for n, text in enumerate(POSITIVE)}
    return {**made, **{f"o{n}": text for n, text in enumerate(OTHERS)}}


def true_of(expressions: dict[str, etree.XPath], xml: str) -> set[str]:
    tree = etree.fromstring(xml).getroottree()
    return {name for name, expression in expressions.items() if expression(tree)}


def open_names(tokens: list[str]) -> list[str]:
    opened: list[str] = []
    for token in tokens:
        if token.startswith("</"):
            opened.pop()
        elif token.startswith("<") and not token.startswith("<!"):
            opened.append(token[1:].split()[0].rstrip(">"))
    return opened


def completions(tokens: list[str], rng: random.Random) -> list[str]:
    """The prefix of a unit, closed in several ways."""
    ends = [f"</{name}>" for name in reversed(open_names(tokens))]
    prefix = "".join(tokens)
    one = ["".join((extra if place == at else "") + end for at, end in enumerate(ends))
           for place in range(len(ends)) for extra in EXTRAS]
    several = ["".join(rng.choice(EXTRAS) + end for end in ends) for _ in range(6)]
    return [prefix + rest for rest in ("".join(ends), *one, *several)]


def is_promised(name: str, text: str, tokens: list[str]) -> bool:
    """Whether a filter is to be delivered as soon as all continuations agree on it.

    Of two open nodes, one inside the other, it may be certain that one of them is unequal, but not which.
    """
    opened = open_names(tokens)
    return name[0] == "p" and not ("!=" in text and ("*" in text or len(set(opened)) < len(opened)))


def delivered(broker: xpubsub.Broker, tokens: list[str]) -> list[set[str]]:
    """What has been delivered after each token of a unit."""
    read = 0
    after: list[set[str]] = [set() for _ in range(len(tokens) + 1)]

    def chunks() -> Iterator[str]:
        nonlocal read
        yield "<r>"
        for token in tokens:
            read += 1
            yield token
        yield "</r>"

    for result in broker.publish_stream(chunks(), "/r/u", "d", replace=False):
        assert result.rejected.num_rows == 0
        for row in result.notifications.to_pylist():
            assert row["message_id"] == "d#1"
            assert row["subscription_id"] not in after[read], "twice"
            for each in after[read:]:
                each.add(row["subscription_id"])
    return after[1:]


@pytest.mark.parametrize("seed", range(2))
def test_what_is_delivered_is_what_all_continuations_agree_on(seed: int) -> None:
    texts = filters(seed)
    expressions = {name: etree.XPath(f"boolean({text})") for name, text in texts.items()}
    rng = random.Random(seed)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(texts.items())
        found = 0
        for _ in range(4):
            tokens = unit(rng)
            for count, got in enumerate(delivered(broker, tokens), 1):
                closed = completions(tokens[:count], rng) if count < len(tokens) else ["".join(tokens)]
                agreed = set.intersection(*(true_of(expressions, xml) for xml in closed))
                assert got <= agreed, ("wrong", [texts[name] for name in got - agreed], tokens[:count])
                exact = {name for name in agreed if count == len(tokens) or is_promised(name, texts[name], tokens[:count])}
                assert exact <= got, ("late", [texts[name] for name in exact - got], tokens[:count])
                found += len(got)
        assert found


COMPUTED = [
    "normalize-space(//a) = '1'", "//a[normalize-space() = '1']/b", "contains(normalize-space(//a), '1')", "string-length(//a) > 1",
    "string-length(//b) < 5", "//a[string-length(.) >= 2]", "translate(//a, '1', '2') != '2'", "starts-with(concat('q', //b), 'q')",
    "substring-after(//a, '1') = '2'", "//a[@x + 1 = 2]", "//@x[. * 2 = 2]", "round(//a) != 1", "normalize-space(//a[b]) = '1'",
    "//a[contains(normalize-space(), 'x') or normalize-space(b) = '1']", "count(//a[string-length() > 1]) = 1", "string(//a) > 1",
    "string(number(//b)) = 'NaN'", "not(normalize-space(//b) != '')", "//a[not(normalize-space(b))]", "//a[. = normalize-space(.)]",
]
"""Filters on what is computed from a node, which a later part of the node can change."""
COMPARED = [
    "//a = //b", "//a != //b", "//a <= //b", "not(//a = //b)", "//a[b = ../c]", "//a[b != c]", "//a[@x = @y]", "//a[not(b = ../c)]",
    "//text()[. = ../../c]", "/u[a != a]", "//a[b = //c][@x]", "contains(//a[not(. = ../b)], '1')",
]
"""Comparisons of two paths, about which any part of a unit may decide."""
PLACED = [
    "//a[2]", "//a[3][b]", "//a[b[2]]", "//a[text() = 1][2]", "/u/a[1]/@x = 1", "//a[1] = '1'", "//a[last()]", "//a[last()] = '1'",
    "count(//a) = 1", "count(//a) > 1", "count(//a) != 2", "count(//a[b]) >= 2", "not(//a[2])", "not(count(//a) > 2)", "sum(//a) > 1",
    "//a | //b = 1", "contains(//a | //b, '1')", "//b[parent::a]", "//a/../b = 1", "//a[../@x]/b = 1", "(//a = 1) = boolean(//b)",
    "(//a = 1) != (//b = 1)", "//*[local-name() = 'a']", "-//a = -1", "//a[string(b) = '1']", "//a[boolean(b) = false()]",
]
"""Filters that depend on how many nodes there are, on nodes above, or on two truth values."""
LATER = [
    "matches(//a, '^1')", "//a[matches(., '^1')]", "//a[matches(., '1$')]/b", "//b or matches(//a, '1')", "lower-case(//a) = 'x'",
    "//a[lower-case(.) = 'x']", "upper-case(//b) = 'X'", "//b[upper-case(@x) = 'X']", "not(lower-case(//a) = 'x')", "ends-with(//a, '2')",
    "//a[ends-with(., '2')]", "ends-with(//a/@x, '')", "exists(//a)", "empty(//a)", "//a = ('1', 'x')", "//a != ('1', 'x')",
    "not(//a = ('1', 'x'))", "//a[contains(lower-case(.), 'x')]", "exists(//a[2])", "//b and //a[ends-with(@x, '1')]",
]
"""Functions of XPath 2.0; Saxon is the judge."""


def test_nothing_is_delivered_that_a_continuation_can_revoke() -> None:
    """Filters that need not be early must not be early by mistake; at the end of the unit all are right."""
    texts = {text: text for text in (*COMPUTED, *COMPARED, *PLACED)}
    expressions = {text: etree.XPath(f"boolean({text})") for text in texts}
    rng, early = random.Random(5), set[str]()
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([*texts.items(), *((text, text) for text in LATER)])
        for _ in range(2):
            tokens = next(made for made in iter(lambda: unit(rng), None) if 12 < len(made) < 30)
            for count, got in enumerate(delivered(broker, tokens), 1):
                closed = completions(tokens[:count], rng) if count < len(tokens) else ["".join(tokens)]
                trees = [etree.fromstring(xml).getroottree() for xml in closed]
                assert [text for text in got & texts.keys() for tree in trees if not expressions[text](tree)] == [], tokens[:count]
                judges = [processor().parse_xml(xml_text=xml) for xml in closed[:: 1 + len(closed) // 8]]
                assert [text for text in got - texts.keys() for tree in judges if not judged(text, tree)] == [], tokens[:count]
                early |= got if count < len(tokens) else set()
            assert got & texts.keys() == true_of(expressions, closed[0])
            assert got - texts.keys() == {text for text in LATER if judged(text, judges[0])}
    assert {"exists(//a)", "//*[local-name() = 'a']"} <= early, "some do come early"
    assert not early & set(COMPARED)


def test_what_no_later_part_can_revoke(engine: str, connect: object) -> None:
    """The step that finds revocable queries, on both engines."""
    broker = connect(engine)  # type: ignore[operator]
    broker.subscribe_many([("never", "//a[b = 1]/c"), ("not", "//a[not(b)]"), ("inside", "//a[b[not(c)]]"),
                           ("first", "contains(//a, '1')"), ("depends", "contains(//a[b]/c, '1')"),
                           ("unequal", "//a != 1"), ("outside", "not(//a[b])")])
    from tests import inside
    from xpubsub.plan.filter_case import FilterCase
    from xpubsub.plan.filter_steps import revocable

    store, summary = inside.store(broker), inside.known(broker).summary
    found = {row["query_id"] for row in store.rows(revocable(FilterCase("unroll", summary)))}
    from xpubsub.step import Step

    rows = store.rows(Step("q", "select subscription_id, query_id from subscription_query"))
    assert {row["subscription_id"] for row in rows if row["query_id"] in found} == {
        "not", "inside", "outside"}


@pytest.mark.parametrize("so_far", [
    "", " ", "-", "0", "-0", "1", "2", "12", "-2", "2.", "1.9", ".", ".5", "2 ", "-2.5 ", "x", "1x", "- ", "1 2", "2..", "007", "99",
])
def test_the_numbers_that_a_text_may_become(so_far: str) -> None:
    rests = ["", "0", "1", "5", "00", "9" * 30, ".", ".5", "." + "9" * 30, " ", "x", "-1", "-", "2.5", "10", "0.001"]
    became = {number for rest in rests if (number := to_number(so_far + rest)) is not None}
    found = number_reach(so_far)
    assert (found is None) == (not became)
    for number in became if found else ():
        scales = range(40) if found.scaled else [0]
        assert any(found.low <= found.sign * number / 10.0**scale <= found.high for scale in scales)


def test_early_on_each_engine(engine: str, connect: Callable[..., xpubsub.Broker]) -> None:
    broker = connect(engine)
    broker.subscribe_many([("first", "contains(//a[@x]/b, '1')"), ("unequal", "//b != 25"), ("scaled", "//b != 19"), ("not", "not(//c)")])
    tokens = ["<u>", "<a>", "<b>", "2", "1", "</b>", "</a>", "<a x='1'>", "<b>", "1", "</b>", "</a>", "</u>"]
    after = delivered(broker, tokens)
    early = [[name for name in ("first", "unequal", "scaled", "not") if name in each] for each in after]
    assert early == [*[[]] * 3, ["scaled"], *[["unequal", "scaled"]] * 5, *[["first", "unequal", "scaled"]] * 3,
                     ["first", "unequal", "scaled", "not"]]


def test_transformations_and_correlations_come_at_the_end_of_the_unit() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("t", "for $a in //a return $a/b")
        broker.subscribe("c", "S//a AS $x [b AS $k] FOLLOWED BY {$k = $l, INF} S//a AS $y [b AS $l]")
        broker.subscribe("f", "//a/b = 1")
        tokens = ["<u>", "<a>", "<b>", "1", "</b>", "</a>", "</u>"]
        assert delivered(broker, tokens) == [*[set()] * 4, *[{"f"}] * 2, {"t", "f"}]
        assert delivered(broker, tokens)[-1] == {"t", "f", "c"}


def test_a_unit_that_is_rejected_after_a_notification() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("f", "//a")
        results = list(broker.publish_stream(["<r>\n<u><a>", " </b>"], "/r/u", "d"))
        assert [result.notifications.num_rows for result in results] == [1, 0]
        [row] = results[1].rejected.to_pylist()
        assert row == {"message_id": "d#1", "code": "not-well-formed", "reason": "mismatched tag", "line": 2, "column": 10}


def test_the_command_delivers_early_and_exits_with_1_if_the_unit_is_malformed(tmp_path: Path) -> None:
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        broker.subscribe("f", "contains(//a, 'x')")
    command = [sys.executable, "-m", "xpubsub", "publish", "s.duckdb", "-", "--split", "/r/u"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, bufsize=0) as job:
        job.stdin.write("<r>\n<u><a>x")
        assert job.stdout.readline().startswith("message_id")
        assert job.stdout.readline().split("\t")[1] == "f"
        out, errors = job.communicate("</b>")
    assert (job.returncode, out) == (1, "")
    assert "#1:2:10: mismatched tag [not-well-formed]" in errors
    assert errors.splitlines()[-1] == "1 messages, 1 notifications, 1 rejected"


def test_subscriptions_may_change_within_a_unit() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("f", "//a")

        def chunks() -> Iterator[str]:
            yield "<r><u><a x='1'/>"
            broker.subscribe("g", "//a/@x = 1")
            yield "<b>"
            yield "</b></u></r>"

        results = list(broker.publish_stream(chunks(), "/r/u", "d"))
        assert [row["subscription_id"] for result in results for row in result.notifications.to_pylist()] == ["f", "g"]
        assert len(results) == 3
