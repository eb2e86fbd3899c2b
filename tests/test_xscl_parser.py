"""The language of correlations: what is read how, what is refused where, and what is none."""

from __future__ import annotations

import math

import pytest

import xpubsub
from xpubsub.language.xscl.detect import is_xscl
from xpubsub.language.xscl.parser import parse_xscl
from xpubsub.language.xscl.syntax import dump_correlation
from xpubsub.limits import Limits

Q1 = "S//book->x1[//author->x2][//title->x3] FOLLOWED BY {x2=x5 AND x3=x6, 5s} S//blog->x4[//author->x5][//title->x6]"
Q2 = "S//book->x1[//author->x2][//category->x7] FOLLOWED BY {x2=x5 AND x7=x8, 5s} S//blog->x4[//author->x5][//category->x8]"
Q3 = "S//blog->x4[//author->x5][//title->x6] FOLLOWED BY {x5=x5' AND x6=x6', 5s} S//blog->x4'[//author->x5'][//title->x6']"
READ_Q1 = (
    "S:/descendant::book->x1[descendant::author->x2][descendant::title->x3] followed by {$x2 = $x5 and $x3 = $x6, 5} "
    "S:/descendant::blog->x4[descendant::author->x5][descendant::title->x6]")
EXAMPLE = """
SELECT <pair>{ $x1 }{ $x4/title }</pair>
FROM   S//book AS $x1 [.//author AS $x2] [.//title AS $x3]
       FOLLOWED BY { $x2 = $x5 AND $x3 = $x6, 10m }
       S//blog AS $x4 [.//author AS $x5] [.//title AS $x6]
PUBLISH promotions
"""
J = "S/a AS $x JOIN {$x = $y, 1s} S/b AS $y"

READ = {
    Q1: READ_Q1,
    "from S//book as $x1 [.//author as $x2] [.//title as $x3] followed by {$x2=$x5 and $x3=$x6, 5S} S//blog as $x4 [.//author as $x5] [.//title as $x6]": READ_Q1,
    "FROM " + Q1.replace("->", " AS $"): READ_Q1,
    Q2: READ_Q1.replace("title->x3", "category->x7").replace("title->x6", "category->x8").replace("$x3 = $x6", "$x7 = $x8"),
    Q3: "S:/descendant::blog->x4[descendant::author->x5][descendant::title->x6] followed by {$x5 = $x5' and $x6 = $x6', 5} "
        "S:/descendant::blog->x4'[descendant::author->x5'][descendant::title->x6']",
    EXAMPLE: f"select <pair>($x1 $x4 child::title) from {READ_Q1.replace(', 5}', ', 600}')} publish promotions",
    "SELECT * FROM blog": "blog:/child::*",
    'FROM "from"': "from:/child::*",
    "S//a PUBLISH b": "S:/descendant::a publish b",
    "S//a PUBLISH \"c-d.e\"": "S:/descendant::a publish c-d.e",
    "SELECT <x>{ $a }</x> FROM S//book AS $a": "select <x>($a) from S:/descendant::book->a",
    "SELECT <x id='1'>{$a/@k, $b}<y/> t </x> FROM my-s.1 AS $a [c AS $b]":
        "select <x id='1'>(($a child::@k, $b) <y>() ' t ') from my-s.1:/child::*->a[child::c->b]",
    "SELECT $x, ($y/b, $y) FROM " + J: "select ($x, ($y child::b, $y)) from S:/child::a->x join {$x = $y, 1} S:/child::b->y",
    "FROM S/a[price > 5] AS $x": "S:/child::a->x[(> child::price 5)]",
    "FROM S/a->x->y[.//b[c AS z] and @d -> e [. = 'AT&T' or //f]/.]/g":
        "S:/child::a->x->y[descendant::b[child::c->z]][child::@d->e[(or (=  'AT&T') descendant::f)]] child::g",
    "FROM S/a [./m AS $y [./l AS $z]] [. AS $q] [text() AS $t]": "S:/child::a[child::m->y[child::l->z]][self::node()->q][child::text()->t]",
    "FROM S/a[b AS $x and c != 1 and d]": "S:/child::a[child::b->x][(!= child::c 1)][child::d]",
    "FROM S/a[NOT(b) AND c OR as]": "S:/child::a[(or (and (not child::b) child::c) child::as)]",
    "FROM S//join//AS AS AS": "S:/descendant::join descendant::AS->AS",
    "FROM S/a-b->c/d->e": "S:/child::a-b->c child::d->e",
    "S/a AS $x JOIN {$y > $x and $x/k//@i = $y, inf} S/b AS $y":
        "S:/child::a->x join {$x < $y and $x child::k descendant::@i = $y, inf} S:/child::b->y",
    "(: c :) S/a->x FOLLOWED BY{x=y,500ms} T/b->y JOIN{w=y and x=w,2d} U/c->w":
        "S:/child::a->x followed by {$x = $y, 0.5} T:/child::b->y join {$y = $w and $x = $w, 172800} U:/child::c->w",
}
REFUSED = {
    "S//a": ("one block without SELECT, FROM or PUBLISH", 1),
    "S/a AS $x JOIN {$x < $y, 1s} S/b AS $y": ("a JOIN without an equality", 11),
    "S/a AS $x FOLLOWED BY {1s} S/b AS $y": ("a FOLLOWED BY without an equality", 11),
    "S/a AS $x JOIN {$x = 'k', 1s} S/b AS $y": ("a comparison with a constant in a join", 22),
    "S/a AS $x JOIN {5 = $x, 1s} S/b AS $y": ("a comparison with a constant in a join", 17),
    "S/a AS $x [b AS $z] JOIN {$x = $z, 1s} S/b AS $y": ("a comparison within one side", 30),
    "S/a AS $x JOIN {$y = $y, 1s} S/b AS $y": ("a comparison within one side", 20),
    "S/a AS $x JOIN {$x/b[1] = $y, 1s} S/b AS $y": (r"a predicate in a join is not supported: write it in the block", 21),
    "S/a AS $x JOIN {$x[b] = $y, 1s} S/b AS $y": ("a predicate in a join", 19),
    "S/a AS $x JOIN {$x = $y or $x = $z, 1s} S/b AS $y": ("'or' in a join", 25),
    "S/a AS $x JOIN {not($x = $y), 1s} S/b AS $y": (r"the function not\(\) in a join", 17),
    "S/a AS $x JOIN {($x = $y), 1s} S/b AS $y": ("parentheses in a join", 17),
    "S/a AS $x JOIN {$x = $y + 1, 1s} S/b AS $y": ("arithmetic", 25),
    "FROM S/a[b AS $x or c]": ("a binding beside 'or'", 18),
    "FROM S/a[c or b AS $x]": ("a binding beside 'or'", 12),
    "FROM S/a[not(b AS $x)]": ("a binding inside a value predicate", 16),
    "FROM S/a[(b AS $x)]": ("a binding inside a value predicate", 13),
    "FROM S/a[b AS $x > 5]": ("a comparison behind a binding", 18),
    "FROM S/a[5]": ("a position as a predicate", 9),
    "FROM S/a[b = $x]": ("a variable in a value predicate", 14),
    "FROM S/a[b = 1e2]": ("a number with an exponent", 14),
    "FROM S/a[b = c]": ("a comparison of two paths", 12),
    "FROM S/a/..": ("the parent step", 10),
    "FROM S/. AS $x": ("a block that is the whole document", 6),
    "FROM S/a/@id": ("an attribute as the root of a block without a SELECT", 6),
    "SELECT //a FROM S": ("a path in SELECT that does not start from a variable", 8),
    "SELECT x FROM S AS $x": ("a path in SELECT that does not start from a variable", 8),
    "SELECT <a>{ b }</a> FROM S": ("a path in SELECT that does not start from a variable", 13),
    "SELECT for $x in //a return $x FROM S": (r"a FLWR \('for'\) in SELECT", 8),
    "SELECT <a>{let $y := $x return $y}</a> FROM S AS $x": (r"a FLWR \('let'\) in SELECT", 12),
    "SELECT $x/b[c] FROM S AS $x": ("a predicate in SELECT", 12),
    "SELECT $x[c] FROM S AS $x": ("a predicate in SELECT", 10),
    "SELECT 'a' FROM S": ("a constant as a result", 8),
    "SELECT count($x) FROM S AS $x": (r"the function count\(\)", 8),
    "SELECT $x = 1 FROM S AS $x": ("a truth value as a result", 11),
    "SELECT if ($x) then 1 else 2 FROM S AS $x": ("the expression if", 8),
    "SELECT <a>{$x, $x/@id}</a> FROM S AS $x": ("an attribute after content", 16),
    "SELECT <a>{$x/b/@id}</a> FROM S AS $x": ("an attribute of perhaps several elements", 12),
    "SELECT <a>{$i, $j}</a> FROM S [@i AS $i] [@j AS $j]": ("an attribute that the element may have already", 16),
    "SELECT $i FROM S/a/@i AS $i": ("an attribute outside an element", 8),
    "SELECT <!-- c --> FROM S": ("a comment constructor", 8),
}
WRONG = {
    "": ("empty", 1),
    "SELECT FROM S": ("expected a result behind SELECT", 8),
    "SELECT $z FROM S AS $x": ("no variable \\$z", 8),
    "SELECT * FROM": ("expected the name of a stream", 14),
    "SELECT * FROM 'S'": ("expected the name of a stream", 15),
    'FROM "a b"': ("expected the name of a stream", 6),
    "FROM p:S": ("expected the name of a stream", 6),
    "FROM S//a PUBLISH": ("expected the name of a stream", 18),
    "FROM S//a PUBLISH b c": ("expected the end", 21),
    "FROM S//a b": ("expected FOLLOWED BY, JOIN, PUBLISH or the end", 11),
    "FROM S//": ("expected a step", 9),
    "FROM S//a' AS $x": ("only the name of a variable may end in primes", 9),
    "FROM S/q:a": ("the prefix 'q' is not declared", 8),
    "FROM S/a AS $": ("expected the name of a variable", 14),
    "FROM S/a AS [b]": ("expected the name of a variable", 13),
    "FROM S/a AS $x [b AS $x]": ("bound twice", 23),
    "S/a AS $x JOIN {$x = $y, 1s} S/b AS $x": ("bound twice", 38),
    "S/a AS $x JOIN {$x = $z, 1s} S/b AS $y": ("no variable \\$z", 22),
    "S/a->x JOIN {x=z, 1s} S/b->y JOIN {y=z, 1s} S/c->z": ("a block further on", 16),
    "S/a AS $x JOIN {$x = $y} S/b AS $y": ("expected ','", 24),
    "S/a AS $x JOIN {$x = $y, } S/b AS $y": ("expected a window", 26),
    "S/a AS $x JOIN {$x = $y, 5} S/b AS $y": ("expected a unit of time", 27),
    "S/a AS $x JOIN {$x = $y, 5w} S/b AS $y": ("expected a unit of time", 27),
    "S/a AS $x JOIN {$x = $y, 1e3s} S/b AS $y": ("expected a window", 26),
    "S/a AS $x JOIN {$x = $y, 1s S/b AS $y": ("expected '}'", 29),
    "S/a AS $x JOIN {$x, 1s} S/b AS $y": ("expected a comparison", 19),
    "S/a AS $x JOIN {$x = $y, 1s}": ("expected the name of a stream", 29),
    "S/a AS $x FOLLOWED {$x = $y, 1s} S/b AS $y": ("expected BY", 20),
    "SELECT <a> FROM S": ("no end tag", 18),
    "FROM S[b AS $x": ("expected ']'", 15),
}


@pytest.mark.parametrize("text", READ)
def test_is_read(text: str) -> None:
    assert dump_correlation(parse_xscl(text)) == READ[text]
    assert is_xscl(text)


@pytest.mark.parametrize("text", REFUSED)
def test_is_refused_with_its_place(text: str) -> None:
    reason, column = REFUSED[text]
    with pytest.raises(xpubsub.UnsupportedError, match=reason) as error:
        parse_xscl(text)
    assert error.value.column == column


@pytest.mark.parametrize("text", WRONG)
def test_is_wrong_with_its_place(text: str) -> None:
    reason, column = WRONG[text]
    with pytest.raises(xpubsub.QuerySyntaxError, match=reason) as error:
        parse_xscl(text)
    assert error.value.column == column


def test_namespaces() -> None:
    text = "SELECT <p:o><q>{$x/b}</q></p:o> FROM S/a AS $x [p:c AS $y]"
    tree = parse_xscl(text, {"": "d", "p": "u"})
    assert dump_correlation(tree) == "select <p:o>(<q>($x child::{d}b)) from S:/child::{d}a->x[child::{u}c->y]"


def test_windows() -> None:
    windows = {"1ms": 0.001, "2s": 2.0, ".5m": 30.0, "1.5H": 5400.0, "1 D": 86400.0, "0s": 0.0, "Inf": math.inf}
    for written, seconds in windows.items():
        assert parse_xscl(J.replace("1s", written)).operators[0].window == seconds
    with pytest.raises(xpubsub.QuerySyntaxError, match="write INF"):
        parse_xscl(J.replace("1s", "9" * 400 + "s"))


def test_limits() -> None:
    with pytest.raises(xpubsub.LimitError, match="max_expression"):
        parse_xscl(J, limits=Limits(max_expression=10))
    with pytest.raises(xpubsub.LimitError, match="max_nesting"):
        parse_xscl("FROM S" + "".join(f"[a AS $x{level}" for level in range(70)))
    with pytest.raises(xpubsub.LimitError, match="max_joins") as error:
        parse_xscl(J.replace("$x = $y", "$x = $y and $x = $y"), limits=Limits(max_joins=1))
    assert error.value.column == 36


CORRELATIONS = (
    "select $x from S", "SELECT ($x, $y) FROM S", "SELECT <a/> FROM S", "SELECT <a b='1'>{$x}</a> FROM S", "from blog",
    "(: one (: two :) :)\n SELECT * FROM blog", 'FROM "S"//a', "SELECT x FROM S", "S//a AS $x", "SELECT * S//a AS $x", "SELECT //a FROM S", "S//a Publish b",
    "for//a JOIN {x = y, 1s} S//b", "element JOIN {x = y, 1s} S//b", "S//a[join = 'JOIN {'] followed  by{", "select/a->x FOLLOWED BY {",
    "S->x'[a='b' AND c->d'] JOIN {x'=y, 1s} T->y", '"S" JOIN {x = y, 1s} T',
)
OTHERS = (
    "select = 1", "select", "select/from", "select and from", "select or x", "select * 2", "select * from", "select < 5", "select <from",
    "SELECT[from]", "select(1)", "from", "from = 'S'", "from//a", "from and to", "FROM mod 2 = 1", "//join", "join", "/select/from[join]",
    "//a[b = 'FOLLOWED BY {']", "//a[. = 'SELECT * FROM b']", 'contains(//a, "JOIN { x")', "//followed/by", "publish and from", "join = 1",
    "//a[not(publish)]", "'S' = from", "for $x in //from return <from>{$x}</from>", "for $join in //join return {$join}",
    "for $x in //a return <a>SELECT * FROM b FOLLOWED BY {$x} c</a>", "for $x in //a where $x = 'JOIN {' return <join>{$x}</join>",
    "<from>{for $x in //a return $x}</from>", "(: SELECT * FROM b :) //a", "(: S FOLLOWED BY { :) for $x in //a return $x", "let $from := /a return $from",
    "declare namespace from = 'u'; for $x in //from:a return <join>{$x}</join>", "element join {for $x in //a return $x}",
    "select, for $x in //a return $x", "from/join, for $x in //a return <x>{$x} join {$x} b</x>", "", "(: SELECT", "'SELECT * FROM a", "blog", "\x01 select * from a",
    "doc('from')//a", "for $x as item() in //as return $x", "as = 1", "//a[as]", "//a[b = 'c as $d']", "for $x in //a return $x/join",
)


@pytest.mark.parametrize("text", CORRELATIONS)
def test_is_a_correlation(text: str) -> None:
    assert is_xscl(text)


@pytest.mark.parametrize("text", OTHERS)
def test_is_none(text: str) -> None:
    assert not is_xscl(text)
