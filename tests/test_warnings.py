"""Warnings of `subscribe`: rare on what is meant, certain where they say never or every."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xpubsub
from tests.generate import NAMESPACES, Expressions, Messages
from tests.judge import compiled, parse
from xpubsub.cli.program import program
from xpubsub.compile.compiled_rows import MOST_WARNINGS
from xpubsub.compile.subscriptions import Compiler, CompilerRun
from xpubsub.jobs.subscribe import compiling

INVOICES = {"inv": "urn:invoice", "cbc": "urn:basic"}
NEVER, ALWAYS, ORDER = "can never match", "matches every message", "compares text by order"
PREFIX, FILE = "a prefix is probably missing", "is probably the name of a file"
CASES = [
    ("//a[@date >= '2024-01-01']", [NEVER, "`@date >= '2024-01-01'` is never true", "starts-with(@date, '2024-')"]),
    ("price < 'abc'", [NEVER, "`price < 'abc'`", "is not a number", "contains()"]),
    ("'abc' > price", [NEVER, "`'abc' > price`"]),
    ("not(price < 'abc')", [ALWAYS, "not() of it always true"]),
    ("a[not(@x < 'abc')]", [ORDER, "not() of it always true"]),
    ("a or b[c <= 'x']", [ORDER, "`c <= 'x'`"]),
    ("//a[@x = '1' and @x = '2']", [NEVER, "`@x = '1'` and `@x = '2'` cannot both hold"]),
    ("//a[@x = '1']/@x = 2", [NEVER, "`@x = '1'` and `@x = 2`"]),
    ("//a[@x > 5][b]/@x < 3", [NEVER, "`@x > 5` and `@x < 3`"]),
    ("//a[@x > 5 and @x <= 5]", [NEVER]),
    ("//a[@x = 1 or @x = 2][@x = 3]", [NEVER]),
    ("//a[. > 5 and . < 3]", [NEVER, "`. > 5` and `. < 3`"]),
    ("//a[starts-with(@d, '2024') and starts-with(@d, '2025')]", [NEVER]),
    ("//a[contains(@d, 'abc') and not(contains(@d, 'b'))]", [NEVER]),
    ("//a[@x = 5 and not(@x)]", [NEVER, "`not(@x)`"]),
    ("//a[not(@x = '5')]/@x = '5'", [NEVER]),
    ("/a[/b]", [NEVER, "the root element cannot be both `a` and `b`"]),
    ("/a and /b/c", [NEVER, "both `a` and `b`"]),
    ("a/b and not(a)", [NEVER, "`not(a)` denies"]),
    ("@id", [NEVER, "the document has no attributes"]),
    ("/text() = 'x'", [NEVER, "the document has no text"]),
    ("//@id/b", [NEVER, "is an attribute, below which nothing is"]),
    ("not(@id)", [ALWAYS, "the document has no attributes"]),
    ("a or not(a)", [ALWAYS]),
    ("'x'", [ALWAYS]),
    ("/a and 1 = 2", [NEVER, "always false"]),
    ("@t.xq", [NEVER, FILE, '"$(cat t.xq)"']),
    ("t.xq", [FILE]),
    ("queries/t.xquery", [FILE]),
    ("subscriptions.csv", [FILE, "--from"]),
    ("/inv:Invoice[not(BuyerReference)]", [PREFIX, "perhaps inv:BuyerReference", "inside not()"]),
    ("/inv:Invoice/ID", [PREFIX, "`ID` below `inv:Invoice`"]),
    ("//inv:Invoice[cbc:ID = 5 and Line/cbc:ID]", [PREFIX, "`Line` below `inv:Invoice`"]),
    ("for $a in //x[@d > '2024-01-01'] return $a", [NEVER, "`@d > '2024-01-01'`"]),
    ("for $a in //x where $a/@d > '2024-01-01' return $a", [NEVER, "`$a/@d > '2024-01-01'`"]),
    ("for $a in //x where $a/@k = '1' and $a/@k = '2' return $a", [NEVER]),
    ("for $a in //x[@k = '1'] where $a/@k = '2' return $a", [NEVER]),
    ("for $a in //x[@k = '1'] return <r>{for $b in $a/c where $a/@k = 2 return $b}</r>", ["`for $b` can never give"]),
    ("for $a in //x where $a/b < 'q' or $a/b return $a", [ORDER]),
    ("for $i in /inv:Invoice where not($i/Note) return $i", [PREFIX, "inside not()"]),
    ("for $i in /inv:Invoice return <r>{$i/ID}</r>", [PREFIX]),
    ("S//a AS $x [price > 'abc'] JOIN {$x = $y, 1m} S//b AS $y", [NEVER, "`price > 'abc'`"]),
    ("S//a AS $x [@k = 1 and @k = 2] JOIN {$x = $y, 1m} S//b AS $y", [NEVER]),
    ("S//inv:a AS $x [./b AS $z] JOIN {$z = $y, 1m} S//b AS $y", [PREFIX, "`b` below `inv:a`"]),
    ("S//a AS $x FOLLOWED BY {$x = $y, 0s} S//b AS $y", [NEVER, "window of 0"]),
]
RIGHT = [
    "/stock[symbol = 'YHOO']/price > 50", "price < '5'", "//a[@x > 3 and @x < 5]", "//a[b = '1' and b = '2']", "/",
    "//a[@x = '1' or @x = '2']", "//a[@x = '1'] and //a[@x = '2']", "//a[@* = '1' and @* = '2']", "//a[//b]", "//*",
    "//a[@x != 1 and @x != 2]", "//a[not(@x > 5) and not(@x <= 5)]", "/*[a][b]", "a[text() = '']", "log4j.level", "price",
    "//a[not(b)]/c", "a/b and not(a/c)", "//a[not(@x = 'x')]", "//a[@x = '05' and @x = 5]", "not(//symbol)",
    "/inv:Invoice/@ID", "/inv:Invoice[not(cbc:Note)]", "/Invoice/ID", "/rss/item/cbc:ID", "/inv:Invoice/*/text()",
    "/inv:Invoice[@a]//cbc:ID[text() = 5]", "/inv:Invoice/*:ID", "//Invoice[not(ID)]", "web.xml/a",
    "for $s in //section[@id <= 2] where $s/title = 'XML' return <hit>{$s/figure}</hit>",
    "for $a in //x, $b in //x where $a/@k = 1 and $b/@k = 2 return $a",
    "S//a AS $x [@k = 1] JOIN {$x = $y, 0s} S//b AS $y [@k = 2]",
]


@pytest.fixture(scope="module")
def warnings() -> dict[str, list[str]]:
    """The warnings about each text, without the subscription's id."""
    texts = [*(text for text, _ in CASES), *RIGHT]
    found: dict[str, list[str]] = {text: [] for text in texts}
    with xpubsub.connect(":memory:") as broker:
        rows = [(f"s{number}", text) for number, text in enumerate(texts)]
        for warning in broker.subscribe_many(rows, namespaces=INVOICES).warnings:
            name, _, told = warning.partition(": ")
            found[dict(rows)[name]].append(told)
    return found


@pytest.mark.parametrize(("text", "fragments"), CASES, ids=[text for text, _ in CASES])
def test_what_is_probably_not_meant_is_warned_about(
    warnings: dict[str, list[str]], text: str, fragments: list[str]
) -> None:
    shown = "\n".join(warnings[text])
    assert all(fragment in shown for fragment in fragments), shown


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_not(warnings: dict[str, list[str]], text: str) -> None:
    assert warnings[text] == []


def test_a_default_namespace_is_a_prefix() -> None:
    with xpubsub.connect(":memory:") as broker:
        given = {"": "urn:invoice", "cbc": "urn:basic"}
        assert broker.subscribe("s1", "/Invoice[not(Note)]/cbc:ID", namespaces=given).warnings == []
        envelope = {"soap": "http://www.w3.org/2003/05/soap-envelope"}
        assert broker.subscribe("s2", "/soap:Envelope/soap:Body/order", namespaces=envelope).warnings == []


def test_texts_of_one_shape_are_warned_about_by_their_constants() -> None:
    texts = {
        "//a[@x = '1' and @x = '1']": False, "//a[@x = '1' and @x = '2']": True, "//a[@x = 'y' and @x = 'y']": False,
        "//a[@x > 1 and @x < 2]": False, "//a[@x > 2 and @x < 1]": True, "//a[@x > -1 and @x < -2]": True,
        "//a[@x > -2 and @x < -1]": False, "//a[b = 1] and not(//a[b = 2])": False,
        "//a[b = 1] and not(//a[b = 1])": True, "/a[/b] = 1": True, "/a[/b] = 2": True, "/a = 2": False,
        "/inv:a/b = 5": True, "/inv:a/b = 6": True, "//a > '5'": False, "//a > 'x'": True,
    }
    rows = [(f"{number}", text) for number, text in enumerate(list(texts) * 3)]
    with xpubsub.connect(":memory:") as broker:
        found = broker.subscribe_many(rows, namespaces=INVOICES).warnings
    warned = [number for number, text in rows if texts[text]]
    assert [each.partition(":")[0] for each in found] == warned


def test_the_result_is_a_number_with_warnings() -> None:
    with xpubsub.connect(":memory:") as broker:
        one = broker.subscribe("s1", "/a")
        many = broker.subscribe_many([("s1", "/a"), ("s2", "/b"), ("s3", "/a < 'x'")])
    assert (one, one.added, one.warnings) == (1, 1, [])
    assert isinstance(many, xpubsub.Subscribed)
    assert (many, int(many), f"{many}", many + 1, {many: 0}[2], many.added) == (2, 2, "2", 3, 0, 2)
    assert len(many.warnings) == 1
    assert pickle.loads(pickle.dumps(many)).warnings == many.warnings


def test_both_engines_warn_in_the_order_of_the_rows(engine: str, connect: Callable[..., xpubsub.Broker]) -> None:
    broker = connect(engine)
    rows = [("s3", "/a < 'x'"), ("s1", "/b"), ("s2", "t.xq"), ("s0", "for $a in //a[@x = 1 and @x = 2] return $a")]
    found = broker.subscribe_many(rows)
    assert found == 4
    assert [each.partition(":")[0] for each in found.warnings] == ["s3", "s2", "s0"]


def test_warnings_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SECONDS_PER_PROCESS", 1e-6)
    count = MOST_WARNINGS + 1_500
    with xpubsub.connect(":memory:") as broker:
        found = broker.subscribe_many([(f"s{number}", f"/a < 'x{number}'") for number in range(count)])
    assert [each.partition(":")[0] for each in found.warnings] == [f"s{number}" for number in range(MOST_WARNINGS)]
    assert (found, found.more_warnings) == (count, count - MOST_WARNINGS)


def test_each_row_is_looked_at_with_its_own_namespaces() -> None:
    rows = [{"id": f"s{number}", "text": "/Invoice[not(Note)]/cbc:ID", "namespaces": {**INVOICES, **own}}
            for number, own in enumerate([{"": "urn:invoice"}, {}, {"": "urn:invoice"}])]
    rows += [{"id": f"t{number}", "text": text, "namespaces": INVOICES if number % 2 else {**INVOICES, "x": "urn:x"}}
             for number, text in enumerate(["/inv:a/b", "/a < 'x'", "/inv:a/b", "/a"])]
    with xpubsub.connect(":memory:") as broker:
        found = broker.subscribe_many(rows)
    assert [each.partition(":")[0] for each in found.warnings] == ["t0", "t1", "t2"]


def test_the_shell_warns_on_standard_error(tmp_path: Path) -> None:
    store, file = str(tmp_path / "s.duckdb"), tmp_path / "many.csv"
    one = CliRunner().invoke(program, ["subscribe", store, "--id", "s1", "//a[@date >= '2024-01-01']"])
    assert (one.exit_code, one.stdout) == (0, "subscribed s1\n")
    assert one.stderr.startswith("warning: s1: can never match: `@date >= '2024-01-01'` is never true")
    file.write_text("id,text\n" + "".join(f"m{number},/a < 'x'\n" for number in range(25)))
    many = CliRunner().invoke(program, ["subscribe", store, "--from", str(file)])
    assert (many.exit_code, many.stdout) == (0, f"subscribed 25 from {file}\n")
    lines = [line for line in many.stderr.splitlines() if line.startswith("warning: ")]
    assert len(lines) == 21
    assert lines[-1] == "warning: 5 more warnings"


@given(seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_never_and_every_are_true_by_lxml(seed: int) -> None:
    random = Random(seed)
    source, make = Expressions(random), Messages(random)
    documents = [parse(make.message()) for _ in range(20)]
    for _ in range(20):
        ours, theirs = source.expression()
        warned = advice(ours)
        never, always = any(each.startswith(NEVER) for each in warned), any(each.startswith(ALWAYS) for each in warned)
        if never or always:
            xpath = compiled(theirs, NAMESPACES)
            assert {bool(xpath(document)) for document in documents} == {always}, (ours, warned)


def advice(text: str) -> list[str]:
    """The warnings about a text; none if it is refused. What compiles to nothing is never true."""
    compiler = Compiler(NAMESPACES)
    try:
        queries = compiler.queries(text)
    except xpubsub.Error:
        return []
    warned = compiler.advice(text)
    assert queries or any(each.startswith(NEVER) for each in warned), text
    return warned


@given(seed=st.integers(0, 10**9))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_texts_together_are_warned_about_like_each_alone(seed: int) -> None:
    random = Random(seed)
    texts = [Expressions(random).expression()[0] for _ in range(15)]
    texts += [re.sub(r"'[^']*'|(?<![\w.])[0-9]+", lambda _: random.choice(["'1'", "'b'", "2", "1"]), each)
              for each in texts for _ in range(2)]
    together = dict(CompilerRun([Compiler(NAMESPACES)]).tables((no, "s", text, 0) for no, text in enumerate(texts)))
    found: dict[int, list[str]] = {}
    for row in together["compiled_warning"].to_pylist():
        found.setdefault(row["row_no"], []).append(row["warning"])
    assert found == {no: warned for no, text in enumerate(texts) if (warned := advice(text))}
