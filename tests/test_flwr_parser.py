"""The language of transformations: what is read how, and what is refused where."""

from __future__ import annotations

import pytest

import xpubsub
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.flwr.syntax import dump_content
from xpubsub.limits import Limits

READ = {
    'for $a in stream("s")/p return $a, $a/n': "(for $a in /child::p return ($a, $a child::n))",
    "for $a in //p, $b in $a//n return ($a, $b)": "(for $a in /descendant::p, $b in $a descendant::n return ($a, $b))",
    'for $a in doc("s")//a return { for $b in $a//b return { $b//d }, $a//g }':
        "(for $a in /descendant::a return ((for $b in $a descendant::b return $b descendant::d), $a descendant::g))",
    "for $x in //return return $x/return": "(for $x in /descendant::return return $x child::return)",
    "for $for in for return $for/in": "(for $for in /child::for return $for child::in)",
    "for $x in * return <a b=\"{{1}}\" c='&lt;'''>x &amp; {$x} y<![CDATA[ <]]> </a>":
        "(for $x in /child::* return <a b='{1}' c=\"<'\">('x & ' $x ' y < '))",
    "for $a in //a return <b> {$a} <c/> d </b>": "(for $a in /descendant::a return <b>($a <c>() ' d '))",
    "for $a in //a return <b>&#32;{$a}</b>": "(for $a in /descendant::a return <b>(' ' $a))",
    'declare namespace p="u"; declare default element namespace "d"; for $x in /a/p:b return <p:o/>':
        "(for $x in /child::{d}a child::{u}b return <p:o>())",
    "(: one (: two :) :) for $x in //a (: three :) return $x": "(for $x in /descendant::a return $x)",
    "for $x in //a let $t := $x/c where not($t = 5) or exists($t/@k) return <o>{$t/d}</o>":
        "(for $x in /descendant::a where (or (not (= $x child::c 5)) (and $x child::c child::@k)) return <o>($x child::c child::d))",
    "for $a in //a return for $a in $a/b return $a": "(for $a in /descendant::a return (for $a#2 in $a child::b return $a#2))",
    'for $a in /r return <x xmlns="q"><y>{$a/z}</y></x>': "(for $a in /child::r return <x xmlns:='q'>(<y>($a child::{q}z)))",
    "for $x in //a where $x/b = \"\"\"&lt;\" return ()": "(for $x in /descendant::a where (= $x child::b '\"<') return ())",
    "let $r := /r for $x in $r/a return $x": "(for $x in /child::r child::a return $x)",
    "for $x in /r where empty($x/b) return $x": "(for $x in /child::r where (not $x child::b) return $x)",
}
REFUSED = {
    "for $x in //a order by $x return $x": ("the clause 'order'", 15),
    "for $x at $i in //a return $x": ("'at' after a variable", 8),
    "for $x in //a return if ($x) then 1 else 2": ("the expression if", 22),
    "<a>{//b}</a>": ("a transformation without a for", 1),
    "for $x in //a return $x/@id": ("an attribute outside an element", 22),
    "for $x in //a return <b>{$x/c, $x/@id}</b>": ("an attribute after content", 32),
    "for $x in //a return <b>t{$x/@id}</b>": ("an attribute after content", 27),
    "for $x in //a return <b>{$x/c/@id}</b>": ("an attribute of perhaps several elements", 26),
    'for $x in //a return <b id="1">{$x/@id}</b>': ("an attribute that the element may have already", 33),
    "for $x in //a return <b>{for $y in $x/@id return $y}</b>": ("an attribute from a for", 50),
    "for $x in //a return count($x)": (r"the function count\(\)", 22),
    'for $x in //a return "s"': ("a constant or truth value as a result", 22),
    "for $x in //a return $x = 1": ("a truth value as a result", 25),
    "for $x in //a[$x] return $x": ("a variable inside a predicate", 15),
    "for $x in //a where $x/b = $x/c return $x": ("a comparison of two paths", 26),
    "for $x in //a return element b {1}": ("a computed constructor", 22),
    "for $a in //a where $a/b eq 5 return $a": ("the operator eq", 26),
    "for $a in //a return $a[1]": ("a predicate on a variable", 24),
    "for $a in //a return $a/b[1]": ("a position as a predicate", 26),
    "for $a in //a return <!-- c -->": ("a comment constructor", 22),
    'for $a in //a return <b c="{$a}"/>': ("an expression in an attribute", 28),
    "for $x in doc('a') return $x": ("the whole message as a result", 27),
    "declare variable $x := 1; for $y in //a return $y": ("the prolog's 'declare variable'", 1),
    "for $a in //a/.. return $a": ("the parent step", 15),
    "let $x := <a/> for $y in //b return $y": ("a let over anything but a path", 11),
}
WRONG = {
    "for $x in //a return $y": ("no variable", 22), "for $x in //a return <b></c>": ("closed by", 25),
    "for $x in //a return <b": ("expected white space", 24), "for $x in //a return <a:b/>": ("not declared", 23),
    "for $x in //a return": ("expected an expression", 21), "for $x //a return $x": ("expected 'in'", 8),
    "for $x in //a return <b>": ("no end tag", 25), "for $x in //a return <b a='1' a='2'/>": ("two attributes", 31),
    "for $x in //a return <b>&nope;</b>": ("reference to no character", 25), "(: open": ("no end", 1),
    "for $x in //a": ("expected 'return'", 14), "for $x in //a return <b>}</b>": ("unexpected character", 25),
}


@pytest.mark.parametrize("text", READ)
def test_is_read(text: str) -> None:
    assert dump_content(parse_flwr(text).result) == READ[text]


@pytest.mark.parametrize("text", REFUSED)
def test_is_refused_with_its_place(text: str) -> None:
    reason, column = REFUSED[text]
    with pytest.raises(xpubsub.UnsupportedError, match=reason) as error:
        parse_flwr(text)
    assert error.value.column == column


@pytest.mark.parametrize("text", WRONG)
def test_is_wrong_with_its_place(text: str) -> None:
    reason, column = WRONG[text]
    with pytest.raises(xpubsub.QuerySyntaxError, match=reason) as error:
        parse_flwr(text)
    assert error.value.column == column


def test_limits() -> None:
    with pytest.raises(xpubsub.LimitError, match="max_expression"):
        parse_flwr("for $a in //a return $a", limits=Limits(max_expression=10))
    with pytest.raises(xpubsub.LimitError, match="max_nesting"):
        parse_flwr("for $a in //a return " + "<b>" * 70 + "</b>" * 70)
