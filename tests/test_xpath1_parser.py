"""The parser of all of XPath 1.0, by the tree it prints, by what lxml makes of it, and by its errors."""

from __future__ import annotations

import pytest
from lxml import etree

import xpubsub
from xpubsub.language.xpath1.libxml import compiled_xpath, truth_text
from xpubsub.language.xpath1.parser import parse_tree
from xpubsub.language.xpath1.tree import XPathTree, dump_tree

NAMESPACES = {"p": "urn:p"}
VARIABLES = {"x": "5", "n": -1.5, "t": True, "list": ["a", 2.0], "none": [], "e": 1e-7}
TREES = {
    "/": "/", ".": ".", "/.": "/", "a/./b": "child::a child::b",
    "//a": "/ descendant-or-self::node() child::a",
    "//.": "/ descendant-or-self::node()",
    "a/..": "child::a parent::node()",
    "@*/ancestor-or-self::p:a": "attribute::* ancestor-or-self::{urn:p}a",
    "following-sibling::*[1]/preceding::comment()": "following-sibling::*[1] preceding::comment()",
    "processing-instruction('x')|text()": "(| child::processing-instruction(x) child::text())",
    "namespace::node()": "namespace::node()",
    "(//a)[last()]/b": "(/ descendant-or-self::node() child::a)[(last())] child::b",
    "id('x')/a": "(id() 'x') child::a",
    "a[position() mod 2 = 1][3]": "child::a[(= (mod (position()) 2) 1)][3]",
    "count(a | b) - 1 - 2 >= 3 * -4": "(>= (- (- (count() (| child::a child::b)) 1) 2) (* 3 (- 4)))",
    "a = b != c": "(!= (= child::a child::b) child::c)",
    "a and b or not(c)": "(or (and child::a child::b) (not() child::c))",
    "normalize-space() = 'x'": "(= (normalize-space()) 'x')",
    "div div mod": "(div child::div child::mod)",
    "* * *": "(* child::* child::*)",
    "*:a": "child::*:a",
    "$x > 3": "(> '5' 3)",
    "a[$n]": "child::a[(- 1.5)]",
    "a = $e": "(= child::a 0.0000001)",
    "$t": "(true())",
    "a != $list": "(or (!= child::a 'a') (!= child::a 2.0))",
    "$none = a": "(false())",
}
WRONG = {
    "": (1, "empty"), "a[": (3, "expected an expression"), "a]": (2, "expected the end"), "a/": (3, "expected a step"),
    "//": (3, "expected a step"), ".[a]": (2, "cannot follow"), "..[a]": (3, "cannot follow"),
    "count()": (1, "number of arguments"), "true(1)": (1, "number of arguments"), "count(1)": (7, "expected a path"),
    "sum('x')": (5, "expected a path"), "a | 1": (5, "expected a path"), "'a' | b": (1, "expected a path"),
    "1[a]": (1, "expected a path"), "string(a)/b": (1, "expected a path"), "(1 + 2)[1]": (1, "expected a path"),
    "name('a')": (6, "expected a path"), "$y": (1, "not bound"), "$": (2, "name of a variable"),
    "x:a": (1, "'x' is not declared"), "sideways::a": (1, "no axis"), "processing-instruction(x)": (24, "expected ')'"),
    "comment('x')": (9, "expected ')'"), "1e5": (2, "expected the end"), "a is b": (3, "expected the end"),
    "@": (2, "expected a step"), "ancestor::@a": (11, "expected a step"), "count(a": (8, "expected ')'"),
}
UNSUPPORTED = {"matches(a, 'x')": (1, "matches()"), "p:f(a)": (1, "p:f()"), "a/b()": (3, "as a step"),
               "doc('x')/a": (1, "doc()"), "count(a) = current()": (12, "current()"), "count($list)": (7, "path")}


def parse(text: str) -> XPathTree:
    return parse_tree(text, NAMESPACES, "xpath", xpubsub.Limits(), VARIABLES)


@pytest.mark.parametrize(("text", "tree"), TREES.items())
def test_tree(text: str, tree: str) -> None:
    assert dump_tree(parse(text)) == tree


@pytest.mark.parametrize("text", TREES)
def test_what_lxml_is_given_means_the_same(text: str) -> None:
    document = etree.ElementTree(etree.XML("<a x='1'>1<b/><?x?><!--c--><b>2</b><c><a>5</a><a/></c></a>"))
    variables = {"x": "5", "n": -1.5, "t": True, "e": 1e-7}
    ours = compiled_xpath(*truth_text(parse(text)))(document)
    if "list" in text or "none" in text or "*:" in text:
        assert ours in (True, False)
        return
    theirs = etree.XPath(f"boolean(/self::node()[boolean({text})])", namespaces=NAMESPACES)(document, **variables)
    assert ours == theirs


@pytest.mark.parametrize("text", WRONG)
def test_what_is_not_xpath_is_refused_with_its_column(text: str) -> None:
    column, reason = WRONG[text]
    with pytest.raises(xpubsub.QuerySyntaxError) as caught:
        parse(text)
    assert reason in caught.value.reason
    assert caught.value.column == column


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_what_only_others_know_is_refused_with_its_column(text: str) -> None:
    column, construct = UNSUPPORTED[text]
    with pytest.raises((xpubsub.UnsupportedError, xpubsub.QuerySyntaxError)) as caught:
        parse(text)
    assert construct in caught.value.reason
    assert caught.value.column == column


def test_texts_with_both_quotes_and_all_characters_reach_lxml() -> None:
    tree = parse_tree("a = $v", {}, "xpath", xpubsub.Limits(), {"v": "it's \"so\" <&>"})
    document = etree.ElementTree(etree.XML("<a>it's \"so\" &lt;&amp;></a>"))
    assert compiled_xpath(*truth_text(tree))(document)


@pytest.mark.parametrize("text", ["1" + " + 1" * 300, "1" + " = 1" * 300, "-" * 300 + "1", "(" * 100 + "a" + ")" * 100])
def test_depth_is_limited(text: str) -> None:
    with pytest.raises(xpubsub.LimitError):
        parse(text)


def test_a_list_belongs_into_a_comparison() -> None:
    with pytest.raises(xpubsub.UnsupportedError, match="list of values"):
        parse("a[$list]")
