"""What filters and transformations may contain, each with an example and the way it goes.

The tables of docs/language.md are made of these lists: `python tools/language_tables.py` writes them.
"""


from __future__ import annotations

import re
from typing import NamedTuple

from xpubsub.language.xpath1.ways import CHECKED, EVERY_MESSAGE, INDEXED

JOINED, REWRITTEN, CONSTRUCTED = "joined", "rewritten", "constructed"
"""Ways of XQuery: SQL joins decide about it, it is gone before anything runs, or it is made while outputs are written."""


class Production(NamedTuple):
    """What can be written, an example of it, and the way that the example goes."""

    name: str
    example: str
    way: str


XPATH_1 = [
    Production('absolute and relative paths', '/a/b', INDEXED),
    Production('`//`', 'a//b', INDEXED),
    Production('`.`', "//a[. = 'x']", INDEXED),
    Production('`..`', '//a[../b = 1]', INDEXED),
    Production('`..` twice', '//a[../../b]', INDEXED),
    Production('`ancestor::`', '//a/ancestor::b', INDEXED),
    Production('`ancestor-or-self::`', '//a/ancestor-or-self::b', INDEXED),
    Production('`attribute::`, `@`', '//a/attribute::b', INDEXED),
    Production('`child::`', 'child::a', INDEXED),
    Production('`descendant::`', '/a/descendant::b', INDEXED),
    Production('`descendant-or-self::`', '/a/descendant-or-self::b', INDEXED),
    Production('`following::`', '//a/following::b', INDEXED),
    Production('`following-sibling::`', '//a/following-sibling::b', INDEXED),
    Production('`following-sibling::`, with a condition on values', "//a[following-sibling::b[c = 'x']]", INDEXED),
    Production('`namespace::`', '//a/namespace::p', INDEXED),
    Production('`parent::`', '//a/parent::b', INDEXED),
    Production('`preceding::`', '//a/preceding::b', INDEXED),
    Production('`preceding-sibling::`', '//a/preceding-sibling::b', INDEXED),
    Production('`self::`', '//*[self::a or self::b]', INDEXED),
    Production('`name`, `prefix:name`, `*`, `prefix:*`', '//p:a/*', INDEXED),
    Production('`*:name` (our own)', '//*:a', INDEXED),
    Production('`text()`', "//a/text() = 'x'", INDEXED),
    Production('`node()`', '//a/node()', INDEXED),
    Production('`comment()`', '//a/comment()', INDEXED),
    Production('`comment()` anywhere', '//comment()', EVERY_MESSAGE),
    Production('`processing-instruction()`', "//processing-instruction('x')", EVERY_MESSAGE),
    Production('predicates', '//a[b and not(c)]', INDEXED),
    Production('positions, whether there is such a node', '//a[2]', INDEXED),
    Production('positions, in general', "//a[2] = 'x'", INDEXED),
    Production('positions of an expression', "(//a)[2] = 'x'", INDEXED),
    Production('positions after a condition on values', "//a[b = 'x'][2] = 'y'", CHECKED),
    Production('filter expressions', '(//a | //b)[c]', INDEXED),
    Production('unions, `\\|`', '//a | //b = 5', INDEXED),
    Production('variables', '//a = $x', INDEXED),
    Production('`and`, `or`', 'a and (b or c)', INDEXED),
    Production('comparison with a constant', "//a != 'x'", INDEXED),
    Production('comparison of two paths', '//a[b != ../c]', INDEXED),
    Production('comparison of two paths with predicates', '//a[b] = //c', INDEXED),
    Production('comparison of truth values', '(//a = 1) = boolean(//b)', INDEXED),
    Production('`+`, `-`, `*`, `div`, `mod`, of one node', '//a + 1 = 2', INDEXED),
    Production('`+`, `-`, `*`, `div`, `mod`, of several', '//a + //b = 2', INDEXED),
    Production('arithmetic of constants', '//a = 2 * 3 - 1', INDEXED),
    Production('unary `-`', '-//a = 5', INDEXED),
    Production('`last()`', "//a[last()] = 'x'", INDEXED),
    Production('`position()`', '//a[position() < 3]', INDEXED),
    Production('`count()`, for some or none', 'count(//a) > 0', INDEXED),
    Production('`count()`, in general', 'count(//a) <= 3', INDEXED),
    Production('`count()` of a union', 'count(//a | //b) > 3', INDEXED),
    Production('`count()` of a union, with a condition on values', "count(//a[b = 'x'] | //c) > 3", CHECKED),
    Production('`id()`', "id('x')/a", CHECKED),
    Production('`local-name()`', "//*[local-name() = 'a']", INDEXED),
    Production('`namespace-uri()`', "//*[namespace-uri() = 'urn:x']", INDEXED),
    Production('`name()`', "//*[name() = 'a']", INDEXED),
    Production('`string()`', "string(//a) = 'x'", INDEXED),
    Production('`concat()`, of one node', "concat(//a, '-') = 'x-'", INDEXED),
    Production('`concat()`, of several', "concat(//a, //b) = 'xy'", INDEXED),
    Production('`starts-with()`', "starts-with(//a, 'x')", INDEXED),
    Production('`contains()`', "contains(//a, 'x')", INDEXED),
    Production('`contains()` of two paths', 'contains(//a, //b)', INDEXED),
    Production('`substring-before()`', "substring-before(//a, '-') = 'x'", INDEXED),
    Production('`substring-after()`', "substring-after(//a, '-') = 'x'", INDEXED),
    Production('`substring()`', "substring(//a, 1, 2) = 'xy'", INDEXED),
    Production('`string-length()`, whether empty', 'string-length(//a) > 0', INDEXED),
    Production('`string-length()`', 'string-length(//a) > 3', INDEXED),
    Production('`normalize-space()`', "normalize-space(//a) = 'x'", INDEXED),
    Production('`translate()`', "translate(//a, 'x', 'y') = 'y'", INDEXED),
    Production('`boolean()`', 'boolean(//a)', INDEXED),
    Production('`not()`', 'not(//a)', INDEXED),
    Production('`not()` of what SQL cannot say', "not(count(//a[b = 'x'] | //c) > 3)", EVERY_MESSAGE),
    Production('`true()`', '//a = true()', INDEXED),
    Production('`false()`', '//a = false()', INDEXED),
    Production('`lang()`', "//a[lang('en')]", INDEXED),
    Production('`number()`', 'number(//a) > 5', INDEXED),
    Production('`sum()`', 'sum(//a) > 5', INDEXED),
    Production('`floor()`', 'floor(//a) = 5', INDEXED),
    Production('`ceiling()`', 'ceiling(//a) = 5', INDEXED),
    Production('`round()`', 'round(//a) = 5', INDEXED),
]
XPATH_2 = [
    Production('`exists()`, of XPath 2.0', 'exists(//a[b])', INDEXED),
    Production('`empty()`, of XPath 2.0', 'empty(//a)', INDEXED),
    Production('a list of constants, of XPath 2.0', "//a[. = ('x', 'y')]", INDEXED),
    Production('`lower-case()`, of XPath 2.0', "//a[lower-case(@b) = 'x']", INDEXED),
    Production('`lower-case()` of a path, of XPath 2.0', "lower-case(//a) = 'x'", CHECKED),
    Production('`upper-case()`, of XPath 2.0', "//a[upper-case(.) = 'X']", INDEXED),
    Production('`ends-with()`, of XPath 2.0', "//a[ends-with(., '.xml')]", INDEXED),
    Production('`ends-with()` of a path, of XPath 2.0', "ends-with(//a, '.xml')", CHECKED),
    Production('`matches()`, of XPath 2.0', "//a[matches(., '^[A-Z]{2}[0-9]+$')]", INDEXED),
    Production('`matches()` inside `not()`, of XPath 2.0', "not(matches(//a, 'x'))", EVERY_MESSAGE),
    Production('`xs:date()`, of XPath 2.0', "//a[xs:date(@d) >= xs:date('2024-01-01')]", CHECKED),
    Production('`xs:dateTime()`, of XPath 2.0', "xs:dateTime(//a) < xs:dateTime('2024-01-01T12:00:00Z')", CHECKED),
]
XQUERY = [
    Production('`for`', 'for $a in //a return $a', JOINED),
    Production('`for`, several variables', 'for $a in //a, $b in $a/b return $b', JOINED),
    Production('`for`, nested', 'for $a in //a return <x>{ for $b in $a/b return $b }</x>', JOINED),
    Production('`let`', 'for $a in //a let $t := $a/b return $t', REWRITTEN),
    Production('`where`, comparisons with constants', "for $a in //a where $a/b = 'x' return $a", JOINED),
    Production('`where`, existence, `exists()`, `empty()`', 'for $a in //a where exists($a/b) return $a', JOINED),
    Production('`where`, `and`, `or`, `not()`', 'for $a in //a where $a/b and not($a/c) return $a', JOINED),
    Production('`where`, `contains()`, `starts-with()`', "for $a in //a where contains($a/b, 'x') return $a", JOINED),
    Production('`where`, conditions on the message', 'for $a in //a where //b = 5 return $a', JOINED),
    Production('predicates', "for $a in //a[b = 'x'] return $a", JOINED),
    Production('`doc()`, `document()`, `stream()`', 'for $a in doc("m.xml")//a return $a', REWRITTEN),
    Production('`return` of paths', 'for $a in //a return $a/b', JOINED),
    Production('sequences', 'for $a in //a return ($a/b, $a/c)', CONSTRUCTED),
    Production('element constructors', 'for $a in //a return <x>{ $a }</x>', CONSTRUCTED),
    Production('literal attributes and text', "for $a in //a return <x y='1'>text { $a }</x>", CONSTRUCTED),
    Production('copied attributes', 'for $a in //a return <x>{ $a/@y }</x>', CONSTRUCTED),
    Production('`declare namespace`', "declare namespace q = 'urn:q'; for $a in //q:a return $a", REWRITTEN),
    Production('`declare default element namespace`', "declare default element namespace 'urn:q'; for $a in //a return $a", REWRITTEN),
    Production('`xquery version`', "xquery version '1.0'; for $a in //a return $a", REWRITTEN),
    Production('comments', 'for $a in //a (: c :) return $a', REWRITTEN),
]
TABLES = {"XPath 1.0": XPATH_1, "XPath 2.0": XPATH_2, "XQuery": XQUERY}
_TABLE = re.compile(r"(<!-- productions of (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(page: str) -> str:
    """Return a page with its tables as the lists say."""
    return _TABLE.sub(lambda found: found[1] + _written(TABLES[found[2]]) + found[3], page)


def _written(productions: list[Production]) -> str:
    rows = [f"| {name} | `{_in_table(example)}` | {way} |\n" for name, example, way in productions]
    return "".join(["| production | example | way |\n|---|---|---|\n", *rows])


def _in_table(example: str) -> str:
    return example.replace("|", "\\|")
