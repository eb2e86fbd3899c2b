"""Errors say what to write instead: each advice belongs to a construct, and what it proposes is accepted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import xpubsub
from xpubsub.compile.subscriptions import Compiler
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
    "matches(/a, 'x')": "contains(/a, 'x')",
    "exists(/a)": "/a",
    "empty(/a)": "not(/a)",
    "lower-case(/a) = 'x'": "translate(/a, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = 'x'",
    "ends-with(/a, 'yz')": "substring(/a, string-length(/a) - 1) = 'yz'",
    "current()/a": "./a",
    FOR % "where $x/b eq 1 return $x": FOR % "where $x/b = 1 return $x",
    FOR % "where $x/b = 1e3 return $x": FOR % "where $x/b = 1000 return $x",
    FOR % "where $x/b = () return $x": FOR % "where empty($x/b) return $x",
    FOR % "where $x[b] return $x": FOR % "where $x/b return $x",
    FOR % "where $x/b where $x/c return $x": FOR % "where $x/b and $x/c return $x",
    FOR % "where some $y in $x/b satisfies $y/c = 1 return $x": FOR % "where $x/b[c = 1] return $x",
    FOR % "where every $y in $x/b satisfies $y/c = 1 return $x": FOR % "where not($x/b[c != 1]) return $x",
    FOR % "return $x/@b": FOR % "return <a>{ $x/@b }</a>",
    FOR % "return <a b='{ $x/@b }'/>": FOR % "return <a>{ $x/@b }</a>",
    FOR % "return <a>text{ $x/@b }</a>": FOR % "return <a>{ $x/@b }text</a>",
    FOR % "return <a>{ //b/@c }</a>": FOR % "return <o>{ for $y in //b return <a>{ $y/@c }</a> }</o>",
    FOR % "return 'text'": FOR % "return <a>text</a>",
    FOR % "return $x/b = 1": FOR % "where $x/b = 1 return $x",
    FOR % "return element a { $x }": FOR % "return <a>{ $x }</a>",
    FOR % "return ($x/b)/c": FOR % "return ($x/b/c)",
    FOR % "return /": "for $x in /* return $x",
    "for $x as element() in //a return $x": FOR % "return $x",
    "for $x in <a/> return $x": FOR % "return $x",
    "<o>{ //a }</o>": "<o>{ for $x in //a return $x }</o>",
    JOIN % "$u < $v": JOIN % "$u = $v",
    JOIN % "$u = $v and $u = 5": "S/a AS $x [b AS $u [. = 5]] JOIN {$u = $v, 1s} S/c AS $y [d AS $v]",
    JOIN % "($u = $v) and $x = $y": JOIN % "$u = $v and $x = $y",
    JOIN % "$u/e[f] = $v": "S/a AS $x [b[e[f]] AS $u] JOIN {$u/e = $v, 1s} S/c AS $y [d AS $v]",
    "SELECT for $z in $x return $z FROM S/a AS $x": "SELECT $x/z FROM S/a AS $x",
    "SELECT //b FROM S/a AS $x": "SELECT $x//b FROM S/a AS $x",
    "FROM S/a[b AS $x or c]": "FROM S/a[b AS $x]",
    "FROM S/a[b AS $x > 5]": "FROM S/a[b AS $x [. > 5]]",
}


@pytest.mark.parametrize("text", REWRITTEN)
def test_what_an_error_proposes_is_accepted(text: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match=r"is not supported: \w"):
        Compiler().check(text)
    Compiler().check(REWRITTEN[text])


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
