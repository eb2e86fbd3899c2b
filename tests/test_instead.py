"""Errors say what to write instead: each advice belongs to a construct, and what it proposes is accepted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import xpubsub
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.instead import INSTEAD, refusal
from xpubsub.language.xpath.normal import Normalizer
from xpubsub.language.xpath.parser import parse_xpath

LANGUAGE = Path(xpubsub.__file__).parent / "language"
JOIN = "S/a AS $x [b AS $u] JOIN {%s, 1s} S/c AS $y [d AS $v]"
FOR = "for $x in //a %s"
IN_THE_CORE = {
    "//. = 1": "//* = 1",
    "/a/b[. = 1]/../c": "/a[b = 1]/c",
    "/*/self::a": "/a",
    "/a/self::node()[b]": "/a[b]",
    "/a/parent::b": "//b[a]",
    "/a/comment()": "/a/text()",
    "/a[1]": "/a[@id = 1]",
    "(/a = 1) = (/b = 1)": "/a = 1 and /b = 1 or not(/a = 1) and not(/b = 1)",
    "/a = /b": "/a = 'b'",
    "/a * 2 > 10": "/a > 5",
    "/a | /b": "/a or /b",
    "/a = $v": "/a = 'v'",
    "(//a)[b]": "//a[b]",
    "string-length(/a) > 0": "contains(/a, 'x')",
    "contains(/a, /b)": "contains(/a, 'b')",
    "contains(/a[/b or c], 'x')": "contains(/a[c], 'x') or /b and contains(/a, 'x')",
}
"""What the core language refuses, which filters rewrite or give to lxml, but conditions of transformations do not."""
REWRITTEN = {
    "current()/a": "./a",
    "/a eq 'x'": "/a = 'x'",
    "/a ne 'x'": "/a != 'x'",
    "/a lt 5": "/a < 5",
    "/a ge 5": "/a >= 5",
    "/a[position() = 1 to 3]": "/a[position() >= 1 and position() <= 3]",
    "/a is /b": "count(/a | /b) = 1",
    "/a union /b": "/a | /b",
    "/a intersect /a[b]": "/a[b]",
    "/a except /a[b]": "/a[not(b)]",
    "/a idiv 2 = 1": "floor(/a div 2) = 1",
    "/a castable as xs:decimal": "number(/a) = number(/a)",
    "/a cast as xs:date > xs:date('2024-01-01')": "xs:date(/a) > xs:date('2024-01-01')",
    "/a instance of element()": "/a",
    "/a || /b = 'xy'": "concat(/a, /b) = 'xy'",
    "/a << /b": "/b/preceding::a",
    "/a >> /b": "/b/following::a",
    "/a => string() = 'x'": "string(/a) = 'x'",
    "/a ! b": "/a/b",
    "/a (: all :)": "/a",
    "/a = 1e3": "/a = 1000",
    "/a = ()": "not(/a)",
    "(/a, /b) = 'x'": "(/a | /b) = 'x'",
    "/a = ('x', /b)": "/a = 'x' or /a = /b",
    "/a[some $x in b satisfies $x = 1]": "/a[b = 1]",
    "/a[every $x in b satisfies $x = 1]": "/a[not(b != 1)]",
    "if (/a) then /b else /c": "(/a and /b) or (not(/a) and /c)",
    "/a/(b | c)": "/a/b | /a/c",
    "/a/string() = 'x'": "/a[string() = 'x']",
    "tokenize(/a, ' ') = 'x'": "contains(concat(' ', /a, ' '), ' x ')",
    "replace(/a, '-', '') = 'xy'": "translate(/a, '-', '') = 'xy'",
    "string-join(/a, '') = 'x'": "concat(/a, '') = 'x'",
    "avg(/a) > 5": "sum(/a) div count(/a) > 5",
    "max(/a) > 5": "/a > 5",
    "abs(/a) = 5": "/a = 5 or /a = -5",
    "data(/a) = 'x'": "/a = 'x'",
    "xs:decimal(/a) > 5": "number(/a) > 5",
    "xs:string(/a) = 'x'": "string(/a) = 'x'",
    "current-date() > xs:date(/a)": "xs:date('2024-12-31') > xs:date(/a)",
    "year-from-date(/a) = 2024": "substring(/a, 1, 4) = 2024",
    "xs:date(/a) > '2024-12-31'": "xs:date(/a) > xs:date('2024-12-31')",
    "xs:date(/a)": "xs:date(/a) = xs:date(/a)",
    "exists('x')": "exists(/a)",
    "('x', 'y')": "/a = ('x', 'y')",
    "matches(/a, /b)": "matches(/a, 'b')",
    "matches(/a, '\\w+')": "matches(/a, '[A-Za-z0-9]+')",
    "matches(/a, '[a-z-[x]]')": "matches(/a, '[a-wyz]')",
    "matches(/a, '^x', 'm')": "matches(/a, '(^|\\n)x')",
    FOR % "return $x/@b": FOR % "return <a>{ $x/@b }</a>",
    FOR % "return <a>text{ $x/@b }</a>": FOR % "return <a>{ $x/@b }text</a>",
    FOR % "return /": "for $x in /* return $x",
    "for $x as element() in //a return $x": FOR % "return $x",
    JOIN % "$u < $v": JOIN % "$u = $v",
    JOIN % "$u = $v and $u = 5": "S/a AS $x [b AS $u [. = 5]] JOIN {$u = $v, 1s} S/c AS $y [d AS $v]",
    JOIN % "($u = $v) and $x = $y": JOIN % "$u = $v and $x = $y",
    JOIN % "$u/e[f] = $v": "S/a AS $x [b[e[f]] AS $u] JOIN {$u/e = $v, 1s} S/c AS $y [d AS $v]",
    "SELECT for $z in $x return $z FROM S/a AS $x": "SELECT $x/z FROM S/a AS $x",
    "SELECT //b FROM S/a AS $x": "SELECT $x//b FROM S/a AS $x",
    "FROM S/a[b AS $x or c]": "FROM S/a[b AS $x]",
    "FROM S/a[b AS $x > 5]": "FROM S/a[b AS $x [. > 5]]",
}

OF_JOINS = {
    FOR % "where $x/b eq 1 return $x": FOR % "where $x/b = 1 return $x",
    FOR % "where $x/b = 1e3 return $x": FOR % "where $x/b = 1000 return $x",
    FOR % "where $x/b = () return $x": FOR % "where empty($x/b) return $x",
    FOR % "where $x[b] return $x": FOR % "where $x/b return $x",
    FOR % "where $x/b where $x/c return $x": FOR % "where $x/b and $x/c return $x",
    FOR % "where some $y in $x/b satisfies $y/c = 1 return $x": FOR % "where $x/b[c = 1] return $x",
    FOR % "where every $y in $x/b satisfies $y/c = 1 return $x": FOR % "where not($x/b[c != 1]) return $x",
    FOR % "return <a b='{ $x/@b }'/>": FOR % "return <a>{ $x/@b }</a>",
    FOR % "return <a>{ //b/@c }</a>": FOR % "return <o>{ for $y in //b return <a>{ $y/@c }</a> }</o>",
    FOR % "return 'text'": FOR % "return <a>text</a>",
    FOR % "return $x/b = 1": FOR % "where $x/b = 1 return $x",
    FOR % "return element a { $x }": FOR % "return <a>{ $x }</a>",
    FOR % "return ($x/b)/c": FOR % "return ($x/b/c)",
    "for $x in <a/> return $x": FOR % "return $x",
    "<o>{ //a }</o>": "<o>{ for $x in //a return $x }</o>",
}
"""What joins alone do not answer: programs for the message factory do, so that only conditions and copies are refused."""


@pytest.mark.parametrize("text", REWRITTEN)
def test_what_an_error_proposes_is_accepted(text: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match=r"is not supported: \w"):
        Compiler().check(text)
    Compiler().check(REWRITTEN[text])


@pytest.mark.parametrize("text", OF_JOINS)
def test_what_an_error_of_joins_proposes_is_accepted(text: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match=r"is not supported: \w"):
        parse_flwr(text, {})
    parse_flwr(OF_JOINS[text], {})
    Compiler().check(text)


@pytest.mark.parametrize("text", IN_THE_CORE)
def test_what_an_error_of_the_core_proposes_is_accepted(text: str) -> None:
    limits = xpubsub.Limits()
    with pytest.raises(xpubsub.UnsupportedError, match=r"is not supported: \w"):
        Normalizer(text, limits).boolean(parse_xpath(text))
    Normalizer(text, limits).boolean(parse_xpath(IN_THE_CORE[text]))


def beginnings() -> Iterator[tuple[str, bool]]:
    """The texts in the language's modules up to their first value, and whether a value follows."""
    for path in LANGUAGE.rglob("*.py"):
        if path.stem != "instead":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                    yield str(node.values[0].value), True
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value, False


@pytest.mark.parametrize("construct", INSTEAD)
def test_an_advice_belongs_to_a_construct(construct: str) -> None:
    assert construct.endswith("() of anything but a path") or any(
        text.startswith(construct) or (open_ended and text and construct.startswith(text))
        for text, open_ended in beginnings())


def test_the_longest_beginning_counts() -> None:
    assert refusal("a variable") == "a variable is not supported: write its value"
    assert refusal("a variable inside a predicate").endswith("put the condition in where")
    assert refusal("a map") == "a map is not supported"
    assert refusal("a variable", "say it") == "a variable is not supported: say it"
