"""The functions of XPath 2.0 in filters, judged by Saxon: where it raises an error, there is no match."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.judge import pairs
from tests.saxon import processor
from tests.test_duel import checked, disagreements, forced, necessary, subscribe_all_ways
from tests.xpath2_generate import XPath2
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.xpath1.dates import instant
from xpubsub.language.xpath1.extensions import EXTENSIONS, NAMESPACE
from xpubsub.language.xpath1.patterns import regex_found, translated_pattern

Connect = Callable[..., xpubsub.Broker]
MESSAGES = {
    "two": "<r><a>Xyz</a><a>abc</a><d>2024-05-01</d></r>", "one": "<r><a x='AB'>xYz</a><d t='2024-05-01T10:00:00Z'>2024-06-30</d></r>",
    "none": "<r><b/></r>", "empty": "<r><a/><d/></r>", "bad": "<r><a>12-34</a><d>1.5.2024</d><d>2024-01-01</d></r>",
    "many": "<r><i><a>x</a><d>2023-12-31</d></i><i><a>Y</a><d>2024-02-29+02:00</d></i><i><a>xyz</a></i></r>",
}
EXPRESSIONS = [
    "matches(//a, '^x', 'i')", "matches(//a, 'Y')", "matches(//a, '^$')", "//a[matches(., '^[a-z]+$')]", "matches(//a/@x, '^AB$')",
    "//a[not(matches(., 'x'))]", "not(matches(//a, 'x'))", "//b or matches(//a, 'x')", "matches(string(//r), '\\d{2}-\\d{2}$')",
    "lower-case(//a) = 'xyz'", "//a[lower-case(.) = 'xyz']", "upper-case(//a) = ''", "upper-case(//a/@x) != 'ab'",
    "lower-case(upper-case(//a)) = 'xyz'", "not(lower-case(//a) = 'xyz')", "lower-case(//a) = ('xyz', 'q')",
    "ends-with(//a, 'z')", "//a[ends-with(., 'z')]", "ends-with(//a, '')", "ends-with('xYz', //a)", "//i[ends-with(a, 'z')]",
    "not(ends-with(//a, 'z'))", "//a[ends-with(lower-case(.), 'yz')]", "contains(lower-case(string(//r)), 'xyz')",
    "exists(//a)", "empty(//a)", "exists(//a[. = 'x']) and empty(//b)", "//r[empty(a)]", "not(exists(//b))", "count(//i[exists(d)]) = 2",
    "//a = ('abc', 'x')", "//a[. = ('Y', 'abc')]", "//a != ('x', 'y')", "('x', 'abc') = //a", "not(//a = ('x', 'abc'))",
    "xs:date(//d) > xs:date('2024-01-01')", "//d[xs:date(.) < xs:date('2024-06-01')]", "xs:date(//d) = xs:date('2024-06-30')",
    "//i[xs:date(d) >= xs:date('2024-01-01')]", "not(xs:date(//d) > xs:date('2024-01-01'))", "xs:date(//d) != xs:date('2024-05-01')",
    "xs:dateTime(//d/@t) <= xs:dateTime('2024-05-01T12:00:00+02:00')", "//i[1][xs:date(d) < xs:date(../i[2]/d)]",
    "//r[xs:date(i[1]/d) < xs:date(i[2]/d)]", "//b or xs:date(//d) > xs:date('2024-06-01')", "fn:exists(//b)",
]
"""Each means the same to Saxon as here, but for errors."""


@cache
def saxon() -> Any:
    made = processor().new_xpath_processor()
    made.set_language_version("3.1")
    made.declare_namespace("fn", "http://www.w3.org/2005/xpath-functions")
    return made


def judged(expression: str, context: Any = None) -> bool:
    """What Saxon says; an error is no match."""
    if context is not None:
        saxon().set_context(xdm_item=context)
    try:
        return str(saxon().evaluate_single(f"boolean({expression})").string_value) == "true"
    except Exception:  # Saxon's errors have no class of their own
        return False


@pytest.fixture(scope="module")
def wanted() -> set[tuple[str, str]]:
    trees = {name: processor().parse_xml(xml_text=xml) for name, xml in MESSAGES.items()}
    return {(name, text) for name, tree in trees.items() for text in EXPRESSIONS if judged(text, tree)}


def found(way: Any = None) -> set[tuple[str, str]]:
    with xpubsub.connect(":memory:") as broker:
        rows = [(text, text) for text in EXPRESSIONS]
        if way is None:
            broker.subscribe_many(rows)
        else:
            with forced(way):
                broker.subscribe_many(rows)
        return pairs(broker.publish(MESSAGES.items()).notifications.to_pylist())


def test_saxon_agrees(wanted: set[tuple[str, str]]) -> None:
    assert {text for _, text in wanted} == set(EXPRESSIONS), "each expression matches something"
    assert found() == wanted


def test_lxml_decides_alike_and_a_necessary_condition_never_misses(wanted: set[tuple[str, str]]) -> None:
    assert found(checked) == wanted
    assert found(necessary) >= wanted


@pytest.mark.parametrize("seed", [20, 27])
def test_random_filters_mean_what_they_mean_to_saxon(connect: Connect, engine: str, seed: int) -> None:
    draw = XPath2(Random(seed))
    messages = {f"m{n}": draw.message() for n in range(12)}
    expressions = {f"s{n}": draw.expression() for n in range(90)}
    trees = {name: processor().parse_xml(xml_text=xml) for name, xml in messages.items()}
    agreed = {(name, key) for name, tree in trees.items() for key, text in expressions.items() if judged(text, tree)}
    broker = connect(engine)
    subscribe_all_ways(broker, expressions)
    got = pairs(broker.publish(messages.items()).notifications.to_pylist())
    for kind in ("", "c", "n"):
        wrong = disagreements(got, agreed, kind)
        assert not wrong, [(kind, len(wrong), expressions[s], messages[m], (m, s) in agreed) for m, s in wrong[:4]]


PATTERNS = [
    ("abc", ""), ("^a.c$", ""), ("a.c", "s"), ("^\\d+$", ""), ("\\D", ""), ("\\s", ""), ("^\\S+$", ""), ("[a-c]x?", ""), ("[^a-c]", ""),
    ("a{2}", ""), ("^a{1,2}$", ""), ("a{2,}", ""), ("(ab|cd)+", ""), ("^(?:ab|)$", ""), ("a*?b", ""), ("\\.", ""), ("[.]", ""),
    ("\\-|\\[|\\]|\\^|\\$", ""), ("[\\-\\]\\[\\^]", ""), ("[a\\d]$", ""), ("ABC", "i"), ("[A-C]+", "i"), ("^[^A-C]", "i"), ("k", "i"),
    ("^s$", "i"), ("i", "i"), ("a b c", "x"), ("a [ ] b", "x"), ("", ""), ("a$", ""), ("^", ""), ("$", ""), ("é", ""), ("[à-ü]", ""),
    ("x|^a|b$", ""), ("(a(b(c)?)?)?d", ""), ("\\\\", ""), ("[/\\\\]", ""), ("'", ""), ('"', ""), ("[a-]", ""), ("[-a]", ""), ("a^b", ""),
    ("\\n", ""), ("\\t|\\r", ""), ("{2}".join("ab") + "{2}", ""), ("[\\s]b", ""), ("\\{\\}", ""), ("#", "x"), ("[A-z]", "i"), (" ", "x"),
]
TEXTS = [
    "", "abc", "ABC", "aabb", "a\nc", "a\rc", "a\n", "12", "٣", "a b", "a\u00a0b", "ab", "cd", "d", "abd", "-", "[", "]", "^", "$", ".", "x",
    "K", "\u212a", "ſ", "ı", "İ", "é", "ü", "\\", "/", "'", '"', "#", "{}", "\t", "a\tb", "_", "abcd", "𝒳", "[]",
]


def test_saxon_agrees_on_patterns() -> None:
    wrong = []
    for pattern, flags in PATTERNS:
        translated = translated_pattern(pattern, flags)
        for text in TEXTS:
            codes = ", ".join(str(ord(char)) for char in text)
            quoted = "'" + pattern.replace("'", "''") + "'"
            if regex_found(translated, text) != judged(f"matches(codepoints-to-string(({codes})), {quoted}, '{flags}')"):
                wrong.append((pattern, flags, text))
    assert wrong == []


@pytest.mark.parametrize(("pattern", "place", "reason"), [
    ("'[a-z-[b]]'", 15, "subtraction"), ("'a\\w'", 12, r"\\w in a regular"), ("'\\i'", 11, r"\\i"), ("'\\c'", 11, r"\\c"), ("'\\p{L}'", 11, r"\\p"),
    ("'\\p{IsGreek}'", 11, r"\\p"), ("'(a)\\1'", 14, "back-reference"), ("'(?=a)'", 11, r"starts with \(\?"), ("'a', 'm'", 15, "flag 'm'"),
    ("'a', 'q'", 15, "flag 'q'"), ("'é', 'i'", 11, "with the flag i"), ("'a{1001}'", 12, "above 1000"), ("a", 10, "not a string"),
    ("'[a\\S]'", 13, "in a character class"), ("'[à-ü]', 'i'", 12, "with the flag i"),
])
def test_what_differs_between_dialects_is_refused(pattern: str, place: int, reason: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match=reason + ".* is not supported: ") as caught:
        Compiler().check(f"matches(a,{pattern})")
    assert caught.value.column == place + 1, caught.value


@pytest.mark.parametrize("pattern", [
    "(a", "a)", "[a", "a**", "a+*", "*a", "a{2}{3}", "a{,2}", "a{2", "a{3,2}", "[z-a]", "]", "}", "\\q", "\\", "[]", "[^]", "[[]", "^*", "a{x}",
    "[a-b-c]", "(?a)", "a|*", "((((" * 20, "[\\", "[a-", "(?:",
])
def test_wrong_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(xpubsub.Error) as caught:
        Compiler().check(f"matches(a, '{pattern}')")
    assert isinstance(caught.value, xpubsub.QuerySyntaxError | xpubsub.UnsupportedError) and caught.value.column > 11


def test_no_pattern_hangs() -> None:
    for pattern in ("^(a+)+$", "(a|a)*$", "(.*a){20}", "a*a*a*a*b"):
        assert regex_found(translated_pattern(pattern), "a" * 50_000 + "!") in (True, False)
    with pytest.raises(xpubsub.QuerySyntaxError, match="too large"):
        Compiler().check("matches(a, '" + "(" * 4 + "a{900}" + "){900}" * 4 + "')")


DATES = [
    "2024-01-01", "2024-01-01Z", "2024-01-01+02:00", "2024-01-01-14:00", "2023-12-31", "0001-01-01", "-0001-12-31", "0000-02-29",
    "12024-01-01", "2024-02-29", "1900-03-01", "2000-02-29", " 2024-01-01\n", "-12024-01-01",
]
TIMES = [
    "2024-01-01T00:00:00", "2023-12-31T24:00:00", "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.50+00:00", "2024-01-01T01:00:00+01:00",
    "2024-01-01T00:00:00.499",
]
WRONG = [
    "", "2024-1-1", "2024-13-01", "2024-00-10", "2023-02-29", "1900-02-29", "2024-01-01+15:00", "2024-01-01+14:01x", "24-01-01", "02024-01-01",
    "2024-01-01T00:00:00", "2024-01-01 Z", "٢٠٢٤-01-01", "+2024-01-01", "2024-04-31",
]


@pytest.mark.parametrize(("kind", "texts"), [("date", DATES), ("dateTime", TIMES)])
def test_saxon_orders_dates_alike(kind: str, texts: list[str]) -> None:
    def ordered() -> Iterator[tuple[str, str]]:
        for left in texts:
            for right in texts:
                mine, other = instant(left, kind), instant(right, kind)
                assert mine is not None and other is not None, (left, right)
                if (mine < other) != judged(f"xs:{kind}('{left}') < xs:{kind}('{right}')"):
                    yield left, right
                if (mine == other) != judged(f"xs:{kind}('{left}') = xs:{kind}('{right}')"):
                    yield left, right
    assert list(ordered()) == []


def test_saxon_refuses_the_same_dates() -> None:
    for text in WRONG:
        assert instant(text, "date") is None, text
        assert not judged(f"xs:date('{text}') = xs:date('{text}')"), text


def test_saxon_changes_cases_alike() -> None:
    """Letters of a newer Unicode than one of the two knows do not count."""
    letters = [chr(code) for code in range(0x21, sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Lm", "So", "Nl")]
    text = " ".join([*letters, "ΑΣ", "ΑΣΑ"])
    document = processor().parse_xml(xml_text=f"<a>{text.replace('&', '')}</a>")
    saxon().set_context(xdm_item=document)
    for name in ("lower-case", "upper-case"):
        theirs = str(saxon().evaluate_single(f"{name}(/a)").string_value).split(" ")
        ours = EXTENSIONS[NAMESPACE, name](None, text).split(" ")
        wrong = [(each, left, right) for each, left, right in zip(text.split(" "), ours, theirs, strict=True) if left != right]
        assert all(each in (left, right) for each, left, right in wrong), wrong
        assert len(wrong) < 20, wrong


@pytest.mark.parametrize(("text", "code", "column"), [
    ("matches(5, 'x')", "XPTY0004", 9), ("lower-case(true())", "XPTY0004", 12), ("xs:date(5) > xs:date(a)", "XPTY0004", 9),
    ("a = 1 and xs:date('2024-13-01') > xs:date(a)", "FORG0001", 19), ("matches(a)", "XPST0017", 1), ("upper-case(a, b)", "XPST0017", 1),
    ("a = ('x', 'y') and matches(b, '(')", "FORX0002", 32), ("xs:date(xs:date(a)) > xs:date(b)", "XPTY0004", 9),
])
def test_wrong_arguments_are_refused(text: str, code: str, column: int) -> None:
    with pytest.raises(xpubsub.QuerySyntaxError) as caught:
        Compiler().check(text)
    assert (caught.value.code, caught.value.column) == (code, column)


def test_lists_do_not_explode() -> None:
    values = {"l": ["x"] * 1000}
    for text in ("//a" + " = $l" * 10, "//a[b[c = $l] = $l] = $l", "$l = $l"):
        with pytest.raises(xpubsub.LimitError, match="a list of values"):
            Compiler(variables=values).check(text)
    assert Compiler(variables=values).way("//a[b] = $l").name == "indexed"


def test_constants_that_functions_change_are_no_marks() -> None:
    computed = {"lower": "lower-case('{}BC')", "upper": "upper-case('{}bc')", "space": "normalize-space(' {}bc ')"}
    rows = [(f"{name}{n}", "//a = " + text.format(letter)) for name, text in computed.items() for n, letter in enumerate("Axa")]
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(rows)
        found = pairs(broker.publish([("m", "<r><a>abc</a><a>XBC</a></r>")]).notifications.to_pylist())
    assert found == {("m", name) for name in ("lower0", "lower2", "upper1", "space2")}


def test_prefixes_of_functions() -> None:
    assert Compiler({"xsd": "http://www.w3.org/2001/XMLSchema"}).way("//a[xsd:date(.) > xsd:date('2024-01-01')]").name == "checked"
    with pytest.raises(xpubsub.UnsupportedError, match=r"the function xs:date\(\)"):
        Compiler({"xs": "urn:x"}).check("xs:date(a) > xs:date(b)")
    with pytest.raises(xpubsub.UnsupportedError, match="a date outside a comparison"):
        Compiler().check("string(xs:date(a)) = 'x' and xs:date(b) > xs:date(c)")


def test_an_explanation_names_what_lxml_decides() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", "xs:date(//d) > xs:date('2024-05-31')")
        assert broker.explain("s", MESSAGES["one"]).matches
        assert not broker.explain("s", MESSAGES["bad"]).matches
        assert pairs(broker.publish([("m", MESSAGES["one"])]).notifications.to_pylist()) == {("m", "s")}
        assert not broker.publish([("m", MESSAGES["bad"])]).notifications.num_rows
