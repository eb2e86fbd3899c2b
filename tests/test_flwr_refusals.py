"""What XQuery has and transformations have not is refused by name and place, wherever it can stand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import xpubsub
from tests.saxon import Judge, parsed
from xpubsub.language.flwr.parser import parse_flwr

PLACES = {
    "for": "for $x in {} return <o/>", "let": "for $x in //a let $z := {} return <o/>", "where": "for $x in //a where {} return $x",
    "and": "for $x in //a where $x/b = 1 and ({}) return $x", "predicate": "for $x in //a[{}] return $x",
    "return": "for $x in //a return {}", "braces": "for $x in //a return <o>{{ {} }}</o>",
}
CONSTRUCTS = {
    "some $y in //b satisfies $y = 1": ("the expression some", "some"),
    "every $y in //b satisfies $y = 1": ("the expression every", "every"),
    "if (//a) then //b else //c": ("the expression if", "if"),
    "typeswitch (//a) case element() return //b default return //c": ("the expression typeswitch", "typeswitch"),
    "switch (//a) case 1 return //b default return //c": ("the expression switch", "switch"),
    "try { //a } catch * { //b }": ("the expression try", "try"),
    "validate { //a }": ("the expression validate", "validate"), "validate lax { //a }": ("the expression validate", "validate"),
    "ordered { //a }": ("the expression ordered", "ordered"), "unordered { //a }": ("the expression unordered", "unordered"),
    "(# x:y #) { //a }": ("a pragma", "(#"), "``[x]``": ("a string constructor", "``"),
    "//(a | b)/c": ("a step in parentheses", "("), "/(a, b)": ("a step in parentheses", "("),
    "//a/b//(c/d)": ("a step in parentheses", "("), "//a/.[b]": ("a predicate on '.'", ".["),
    "//a/string()": ("the function string() as a step", "string"), "//a/fn:count(b)": ("the function fn:count() as a step", "fn:count"),
    "//a/element(b)": ("the node test element()", "element"), "//a/'b'": ("an expression as a step", "'b'"),
    "//a/Q{u}b": ("a name with its namespace in braces", "Q{"), "Q{u}b": ("a name with its namespace in braces", "Q{"),
    **{f"//a {name} //b": (f"the operator {name}", name) for name in (
        "<<", ">>", "is", "union", "intersect", "except", "to", "idiv", "||")},
    **{f"//a {name} 1": (f"the operator {name}", name) for name in ("eq", "ne", "lt", "le", "gt", "ge", "!")},
    **{f"//a {name} 2": (f"arithmetic ('{name}')", name) for name in ("+", "-", "*", "div", "mod")},
    "//a | //b": ("the union '|'", "|"), "+//a": ("arithmetic ('+')", "+"), "-//a": ("arithmetic ('-')", "-"),
    "//a instance of element()": ("the operator instance of", "instance"), "//a cast as xs:string": ("the operator cast as", "cast"),
    "//a treat as element()": ("the operator treat as", "treat"), "//a castable as xs:int": ("the operator castable as", "castable"),
    "//a => count()": ("the operator =>", "=>"),
    "element x { //a }": ("a computed constructor", "element"), "element { 'x' } { //a }": ("a computed constructor", "element"),
    "attribute x { 1 }": ("a computed constructor", "attribute"), "text { 'x' }": ("a computed constructor", "text"),
    "comment { 'x' }": ("a computed constructor", "comment"), "document { //a }": ("a computed constructor", "document"),
    "processing-instruction x { 'y' }": ("a computed constructor", "processing-instruction"),
    "count(//a)": ("the function count()", "count"), "distinct-values(//a)": ("the function distinct-values()", "distinct-values"),
    "function($y) { $y }": ("a function as a value", "function"), "fn:count#1": ("a function as a value", "fn:count"),
    "map { 'a': 1 }": ("a map", "map"), "array { 1 }": ("an array", "array"), "[1, 2]": ("an array", "["),
}
QUERIES = {
    "for $x in //a group by $y := $x/b return <o/>": ("the clause 'group'", "group"),
    "for $x in //a count $c return <o/>": ("the clause 'count'", "count"),
    "for $x as node() in //a return $x": ("'as' after a variable", "as"),
    "for tumbling window $w in //a start when true() return <o/>": ("a window", "for"),
    "for $x in //a return <b/>/c": ("a step from anything but nodes of the message", "c"),
    "for $x in //a return $x/@b": ("an attribute outside an element", "$x/@b"),
    "for $x in //a return <o>text { $x/@b }</o>": ("an attribute after content", "$x/@b"),
    "for $x in //a return doc('m')": ("the whole message as a result", "doc"),
    "for $x in //a order by $x collation 'http://www.w3.org/2005/xpath-functions/collation/codepoint' return $x": ("a collation", "collation"),
    "for $x in //a return $x/..": ("the parent step '..'", ".."),
    "for $x in //a return $x/node()": ("the node test node()", "node"),
    "for $x in //a return matches($x, 'b')": ("the function matches()", "matches"),
    "for $x in //a return xs:duration($x)": ("the function xs:duration()", "xs"),
    "for $x in //a return string(doc('m'))": ("the whole message as a value", "doc"),
    "declare function local:f($x) { local:f($x) }; for $x in //a return local:f($x)": ("a function that calls itself", "local:f($x) }"),
    "declare variable $v := 1; for $x in //a return $x": ("the prolog's 'declare variable'", "declare"),
    "declare option local:o 'v'; for $x in //a return $x": ("the prolog's 'declare option'", "declare"),
    "declare %private function local:f() { 1 }; for $x in //a return $x": ("the prolog's 'declare %'", "declare"),
}
BARE = ("import module namespace p = 'u'; for $x in //a return $x", "import schema 'u'; for $x in //a return $x",
        "module namespace p = 'u'; declare variable $p:v := 1;")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("expression", CONSTRUCTS)
def test_is_refused_by_name_wherever_it_stands(expression: str, place: str) -> None:
    before = PLACES[place].partition("{}")[0].replace("{{", "{")
    construct, at = CONSTRUCTS[expression]
    with pytest.raises(xpubsub.UnsupportedError) as error:
        parse_flwr(PLACES[place].format(expression), {"x": "urn:x"})
    assert error.value.reason.partition(" is not supported")[0] == construct
    assert error.value.offset == len(before) + expression.index(at)


@pytest.fixture(scope="module")
def broker() -> Iterator[xpubsub.Broker]:
    """A store that stays empty, as all texts are refused."""
    with xpubsub.connect(":memory:") as opened:
        yield opened


@pytest.mark.parametrize("text", QUERIES)
def test_is_refused_by_name(broker: xpubsub.Broker, text: str) -> None:
    construct, at = QUERIES[text]
    with pytest.raises(xpubsub.UnsupportedError) as error:
        broker.subscribe("t", text)
    assert error.value.reason.partition(" is not supported")[0] == construct
    assert error.value.offset == text.index(at)


@pytest.mark.parametrize("text", BARE)
def test_modules_are_refused_by_name(broker: xpubsub.Broker, text: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match="the prolog's") as error:
        broker.subscribe("t", text)
    assert error.value.offset == 0


def test_what_is_refused_is_xquery() -> None:
    texts = [PLACES["for"].format(each) for each in CONSTRUCTS if not each.startswith("validate")]
    for text in (*texts, *(each for each in QUERIES if "declare" not in each)):
        assert Judge(text, "false()", "declare namespace x = 'urn:x';").evaluate(parsed({"m": "<m/>"})["m"]) is None


@pytest.mark.parametrize("function", ["doc", "document", "stream", "fn:doc"])
def test_a_filter_of_a_named_document_is_told_what_to_write(broker: xpubsub.Broker, function: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError) as error:
        broker.subscribe("t", f'{function}("m")//a = 1')
    assert error.value.offset == 0
    assert f"leave it out, or write 'for $x in {function}(…)… return $x'" in error.value.reason


def test_keywords_are_names_where_nothing_follows_that_belongs_to_them() -> None:
    for name in ("some", "if", "element", "text", "map", "for", "is", "validate", "Q"):
        parse_flwr(f"for $x in {name} where $x/{name} = 1 and {name} return {{ $x/{name}, {name} }}")
