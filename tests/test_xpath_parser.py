"""The parser, by the tree it prints and by the errors it raises."""

from __future__ import annotations

import pytest

import xpubsub
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import dump

TREES = {
    "/a/b": "/child::a child::b",
    "//a": "/descendant::a",
    "a//b/@c": "child::a descendant::b child::@c",
    "/": "/",
    ".": "",
    "./a/./b": "child::a child::b",
    ".//a": "descendant::a",
    "/a[b]": "/child::a[child::b]",
    "/a[b][c]/d": "/child::a[child::b][child::c] child::d",
    "a/text() = 'x'": "(= child::a child::text() 'x')",
    "5 < a": "(< 5 child::a)",
    "a >= -5": "(>= child::a -5)",
    "a = --5": "(= child::a 5)",
    "a and b or c": "(or (and child::a child::b) child::c)",
    "a and (b or c)": "(and child::a (or child::b child::c))",
    "not(a)": "(not child::a)",
    "contains(a, 'x')": "(contains child::a 'x')",
    "starts-with(@a, 'x')": "(starts-with child::@a 'x')",
    "div/and and or[mod]": "(and child::div child::and child::or[child::mod])",
    "*/*": "child::* child::*",
    "*:a/@*:b": "child::*:a child::@*:b",
    "p:a/p:*/@p:b": "child::{urn:p}a child::{urn:p}* child::@{urn:p}b",
    "@xml:lang": "child::@{http://www.w3.org/XML/1998/namespace}lang",
    "child::a/descendant::b/attribute::c/self::node()": "child::a descendant::b child::@c",
    "(//a)/b = 5": "(= /descendant::a child::b 5)",
    'a = "it\'s"': "(= child::a \"it's\")",
    "a-b.c": "child::a-b.c",
    "a = .5": "(= child::a 0.5)",
    "text/node/comment": "child::text child::node child::comment",
    "not/contains": "child::not child::contains",
}

UNSUPPORTED = {
    "a[1]": (2, "position"), "a[-1]": (2, "position"), "a[position()=1]": (3, "position()"), "a[last()]": (3, "last()"),
    "../a": (1, "'..'"), "a/..": (3, "'..'"), "parent::a": (1, "parent::"), "a/following-sibling::b": (3, "following-sibling::"),
    "ancestor::a": (1, "ancestor::"), "$x": (1, "variable"), "count(a) = 1": (1, "count()"), "a | b": (3, "'|'"),
    "a + 1 = 2": (3, "arithmetic"), "a * 2 = 4": (3, "arithmetic"), "-a = 5": (1, "arithmetic"), "a = b": (3, "two paths"),
    "(a = 1) = 2": (9, "truth value"), "//.": (3, "'//.'"), "a//.": (4, "'//.'"), "node()": (1, "node()"), "comment()": (1, "comment()"),
    "(//a)[b]": (6, "parentheses"), "string(a) = 'x'": (1, "string()"), "contains(a, b)": (1, "second argument"),
    "boolean(a)": (1, "boolean()"), "true()": (1, "true()"), "self::a": (1, "self::"), "@node()": (2, "node()"),
    "descendant-or-self::a": (1, "descendant-or-self::"), "namespace::a": (1, "namespace::"),
    "contains(not(a), 'x')": (1, "truth value"), "a div 2 = 1": (3, "arithmetic"), "processing-instruction()": (1, "processing-instruction()"),
}

WRONG = {
    "": (1, "empty"), "a[": (3, "expected an expression"), "a]": (2, "expected the end"), "a b": (3, "expected the end"),
    "a/": (3, "expected a step"), "//": (3, "expected a step"), "a =": (4, "expected an expression"), "= a": (1, "expected an expression"),
    "'x": (1, "no end"), "a!": (2, "unexpected character"), "a#b": (2, "unexpected character"), "not()": (1, "number of arguments"),
    "contains(a)": (1, "number of arguments"), "x:a": (1, "'x' is not declared"), "@x:a": (2, "'x' is not declared"), "a::b": (1, "no axis"), ".[a]": (2, "cannot follow"),
    "not(a,)": (7, "expected an expression"), "contains(a,'x',)": (16, "expected an expression"), "a = '\x01'": (6, "unexpected character"),
    "a = '\ufffe'": (6, "unexpected character"), "a = '\x00'": (6, "unexpected character"),
    "(a": (3, "expected ')'"), "a[b": (4, "expected ']'"), "@": (2, "expected a name"), "not(a)[b]": (7, "nothing can be selected"), "/[a]": (2, "expected the end"),
}


@pytest.mark.parametrize(("text", "tree"), TREES.items())
def test_tree(text: str, tree: str) -> None:
    assert dump(parse_xpath(text, {"p": "urn:p"})) == tree


def test_branching_dialect_starts_predicates_at_their_node() -> None:
    tree = dump(parse_xpath("/a[/b AND //c = 1 OR NOT(/d)]", dialect="branching"))
    assert tree == "/child::a[(or (and child::b (= descendant::c 1)) (not child::d))]"


def test_the_default_namespace_is_for_elements_only() -> None:
    tree = dump(parse_xpath("a/@b", {"": "urn:d"}))
    assert tree == "child::{urn:d}a child::@b"


def test_names_with_slashes_and_braces_in_their_namespace_stay_apart() -> None:
    assert dump(parse_xpath("p:a", {"p": "http://x/{y}%7D"})) == "child::{http://x/%7By%7D%257D}a"


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_refused_with_construct_and_column(text: str) -> None:
    column, construct = UNSUPPORTED[text]
    with pytest.raises(xpubsub.UnsupportedError) as caught:
        parse_xpath(text)
    assert construct in caught.value.reason and "not supported" in caught.value.reason
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize("text", WRONG)
def test_syntax_error_with_reason_and_column(text: str) -> None:
    column, reason = WRONG[text]
    with pytest.raises(xpubsub.QuerySyntaxError) as caught:
        parse_xpath(text)
    assert reason in caught.value.reason
    assert (caught.value.line, caught.value.column) == (1, column)


def test_an_error_shows_line_column_and_a_caret() -> None:
    with pytest.raises(xpubsub.QuerySyntaxError) as caught:
        parse_xpath("/a\n  /b[")
    assert str(caught.value) == (
        "expected an expression, found the end of the expression [XPST0003] at line 2, column 6\n    /b[\n       ^"
    )


@pytest.mark.parametrize("text", ["(" * 200 + "a" + ")" * 200, "a[" * 200 + "b" + "]" * 200, "not(" * 200 + "a" + ")" * 200])
def test_nesting_is_limited(text: str) -> None:
    with pytest.raises(xpubsub.LimitError, match="max_nesting"):
        parse_xpath(text)


def test_length_is_limited() -> None:
    with pytest.raises(xpubsub.LimitError, match="max_expression"):
        parse_xpath("a/" * 60_000 + "a")
