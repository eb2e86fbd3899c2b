"""Explanations: each reason in words, and the same answers as the engine."""

from __future__ import annotations

import itertools

import pytest

import xpubsub
from xpubsub.jobs.explain.explanation import Explanation
from xpubsub.jobs.explain.filters import explain_subscription
from xpubsub.limits import Limits
from xpubsub.store.listing import Shown

STOCK = "<stock><symbol>YHOO</symbol><price>47.2</price></stock>"
ITEMS = "<o><item><n>a</n><p>1</p></item><item><n>b</n><p>9</p></item></o>"
INVOICE = "<Invoice xmlns='urn:inv'><ID>1</ID></Invoice>"


def explain(text: str, xml: str | bytes, dialect: str = "xpath", **namespaces: str) -> Explanation:
    """Explain one expression; the namespace `default` is that of the empty prefix."""
    mapped = {"" if prefix == "default" else prefix: uri for prefix, uri in namespaces.items()}
    return explain_subscription(Shown("s1", "filter", "S", dialect, mapped, text, ()), xml, Limits())


def lines(text: str, xml: str | bytes, **namespaces: str) -> list[str]:
    """The lines below the heading, without the mark of the first failure."""
    return [line.split("   <--")[0].strip() for line in str(explain(text, xml, **namespaces)).splitlines()[1:]]


def test_a_match_names_each_condition() -> None:
    explanation = explain("/stock[symbol='YHOO']/price > 40", STOCK)
    assert explanation.matches
    assert str(explanation) == (
        "s1 matches: /stock[symbol='YHOO']/price > 40\n"
        "  ✓ /stock/symbol = 'YHOO': found 1 node, 1 passes\n"
        "  ✓ /stock/price > 40: found 1 node, 1 passes"
    )


def test_the_first_failure_is_marked_once() -> None:
    explanation = explain("/stock[symbol='YHOO']/price > 50", STOCK)
    assert not explanation.matches
    assert str(explanation).splitlines()[-1] == (
        "  ✗ /stock/price > 50: found 1 node, none passes (seen: '47.2')   <-- this fails first"
    )
    both = str(explain("/stock[symbol='IBM']/price > 50", STOCK))
    assert both.count("✗") == 2
    assert both.count("<-- this fails first") == 1
    failure = explain("/stock[symbol='IBM']/price > 50", STOCK).queries[0].first_failure
    assert failure == "✗ /stock/symbol = 'IBM': found 1 node, none passes (seen: 'YHOO')"


def test_values_seen_are_few_and_short() -> None:
    xml = "<a>" + "".join(f"<b>{letter * 60}</b>" for letter in "vwxyz") + "</a>"
    (line,) = lines("/a/b = 'q'", xml)
    assert line.count("…'") == 3
    assert line.endswith(", …)")
    assert "v" * 39 + "…" in line
    assert "v" * 40 not in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("not(//stock/price)", "✗ not(//stock/price): found 1 node, but there must be none"),
        ("not(//price > 10)", "✗ not(//price > 10): found 1 node, 1 passes, but none may"),
        ("not(//volume)", "✓ not(//volume): found none"),
        ("not(//price > 90)", "✓ not(//price > 90): found 1 node, none of which counts"),
        ("not(/stock[symbol][volume or price]/price)",
         "✗ not(/stock[symbol][price]/price): found 1 node, 1 passes, but none may"),
    ],
)
def test_not(text: str, line: str) -> None:
    assert line in lines(text, STOCK)


def test_not_inside_a_predicate() -> None:
    assert lines("//item[not(n)]", ITEMS)[0] == "✗ //item[not(n)]: holds for none of 2 nodes"
    assert lines("//item[not(n='a')]", ITEMS)[0] == "✓ //item[not(n = 'a')]: holds for 1 of 2 nodes"
    assert lines("contains(//item[n or q], '1')", ITEMS)[0] == "✓ //item[n or q]: holds for 2 of 2 nodes"


@pytest.mark.parametrize(
    "text", ["//item[n='a'][p>5]", "//item[n='a']/p > 5", "//item[not(n='a')][p=1]", "/o/item[n='a' and p=9]"]
)
def test_conditions_that_do_not_meet(text: str) -> None:
    explanation = explain(text, ITEMS)
    assert all(branch.holds for branch in explanation.queries[0].branches)
    assert explanation.queries[0].apart == "each condition holds somewhere, but not in the same <item>"
    assert str(explanation).endswith("<item>   <-- this fails first")


def test_conditions_that_do_not_meet_further_down() -> None:
    xml = "<r><a><b><c/><d/></b></a><a><e/><b><c/></b></a></r>"
    apart = explain("//a[b[c and d]]/e", xml).queries[0].apart
    assert apart == "each condition holds somewhere, but not in the same <a>"
    xml = "<r><a><b><c/></b><b><d/></b></a></r>"
    apart = explain("//a[b[c and d] and b]", xml).queries[0].apart
    assert apart == "each condition holds somewhere, but not in the same <b>"


@pytest.mark.parametrize("xml", ["<r><c><c>1</c></c><c><b/></c><c><a/></c></r>", "<r><c><c>1</c><b/></c><c><a/></c></r>"])
def test_conditions_that_do_not_meet_above_a_not(xml: str) -> None:
    """The branch of not() does not record the branching points above its own."""
    apart = explain("//*[.//b][.//c[.//c = 1][b[not(b)]][.//a]]", xml).queries[0].apart
    assert apart == "each condition holds somewhere, but not in the same <c>"


def test_conditions_that_do_not_meet_along_a_path() -> None:
    xml = "<r><a><x/><b><c/></b></a><a><b><y/><c/></b></a></r>"
    apart = explain("//a[x]/b[y]/c", xml).queries[0].apart
    assert apart == "each condition holds somewhere, but not in the same <a> and the same <b>"


@pytest.mark.parametrize(
    ("text", "xml", "hint"),
    [
        ("/stock/Symbol", STOCK, "but there is symbol: upper and lower case are different"),
        ("/stock/@symbol", STOCK, "but there is an element of this name: write symbol without '@'"),
        ("/a/id = '1'", "<a id='1'/>", "but there is an attribute of this name: write @id"),
        ("/a/b/c", "<a><b><d/><e/></b></a>", "/a/b exists, but it has no c; it has: d, e"),
        ("/a/b//c/x", "<a><b x='1'/></a>", "/a/b exists, but it has no c; it has: @x"),
        ("/a/b/c", "<a><b/></a>", "/a/b exists, but it has no c; it is empty"),
        ("/a/b/c", "<a><b>t</b></a>", "/a/b exists, but it has no c; it has only text"),
        ("/a", "<b/>", "the root element is b"),
        ("//a", "<b/>", "there is none in the message"),
    ],
)
def test_no_such_node(text: str, xml: str, hint: str) -> None:
    (line,) = lines(text, xml)
    assert line.endswith(f": no such node — {hint}")


def test_another_namespace() -> None:
    (line,) = lines("/Invoice/ID = '1'", INVOICE)
    assert line == (
        "✗ /Invoice/ID = '1': no such node — but there is {urn:inv}Invoice: "
        "the message's elements are in the namespace 'urn:inv'; give namespaces={'': 'urn:inv'}"
    )
    assert explain("/Invoice/ID = '1'", INVOICE, default="urn:inv").matches
    (line,) = lines("/i:Invoice", INVOICE, i="urn:old")
    assert line.endswith("give namespaces={'i': 'urn:inv'}")
    (line,) = lines("/i:a", "<a/>", i="urn:inv")
    assert line.endswith("but there is a: the message's elements are in no namespace")
    (line,) = lines("/a/@id", "<a xmlns:p='urn:p' p:id='1'/>")
    assert "but there is @{urn:p}id" in line
    assert line.endswith("give it a prefix and write @prefix:id")


def test_another_namespace_inside_not() -> None:
    """Nothing found looks like success there: the hint names the namespace, and the prefix that it has."""
    text, message = "/inv:Invoice[not(BuyerReference)]", "<Invoice xmlns='urn:inv'><BuyerReference{}/></Invoice>"
    assert explain(text, message.format(""), inv="urn:inv").matches
    assert lines(text, message.format(""), inv="urn:inv")[0] == (
        "✓ not(/inv:Invoice/BuyerReference): found none — but there is inv:BuyerReference: the message's elements are in "
        "the namespace 'urn:inv'; write inv:BuyerReference"
    )
    other = lines(text, message.format(" xmlns='urn:cbc'"), inv="urn:inv")[0]
    assert other.endswith("in the namespace 'urn:cbc'; give namespaces={'': 'urn:cbc'}")
    assert lines(text, message.format(" xmlns=''"), inv="urn:inv")[0] == (
        "✗ not(/inv:Invoice/BuyerReference): found 1 node, but there must be none")
    assert "—" not in lines(text, "<Invoice xmlns='urn:inv'><Buyer/></Invoice>", inv="urn:inv")[0]


def test_a_prefix_for_every_namespace_that_a_path_needs() -> None:
    message = "<Invoice xmlns='urn:inv'><Party xmlns='urn:cac'><ID xmlns='urn:cbc'/><Name n='1'/></Party></Invoice>"
    assert lines("/Invoice/Party/ID", message, inv="urn:inv")[0].endswith(
        "in the namespaces 'urn:inv', 'urn:cac', 'urn:cbc'; "
        "give namespaces={'ns1': 'urn:cac', 'ns2': 'urn:cbc'} and write inv:Invoice/ns1:Party/ns2:ID")
    (line,) = lines("not(//Party[ID][Name])", message, a="urn:cac", b="urn:cbc")
    assert line.endswith("in the namespaces 'urn:cac', 'urn:cbc'; write a:Party/b:ID")
    (line,) = lines("/i:Invoice/o:Party", message, i="urn:old", o="urn:older")
    assert line.endswith("give namespaces={'i': 'urn:inv', 'o': 'urn:cac'}")
    (line,) = lines("//a:Party/a:Name/@a:n", message, a="urn:cac")
    assert line.endswith("the message's attribute is in no namespace")
    (line,) = lines("/a/@id", "<a xmlns:p='urn:p' p:id='1'/>", q="urn:p")
    assert line.endswith("write @q:id")


def test_names_are_written_with_the_prefixes_of_the_subscription() -> None:
    assert lines("/i:Invoice/i:ID", INVOICE, i="urn:inv") == ["✓ /i:Invoice/i:ID: found 1 node"]
    assert lines("/Invoice/i:*", INVOICE, default="urn:inv", i="urn:inv") == ["✓ /Invoice/i:*: found 1 node"]
    assert lines("//*:ID/@xml:lang", INVOICE)[0].startswith("✗ //*:ID/@xml:lang: no such node")


def test_a_value_that_is_not_a_number() -> None:
    (line,) = lines("/a/b > 3", "<a><b>12,5</b></a>")
    assert line == "✗ /a/b > 3: found 1 node, none passes (seen: '12,5'; '12,5' is not a number)"


def test_only_the_first_node_counts() -> None:
    (line,) = lines("contains(//b, 'x')", "<a><b>y</b><b>x</b></a>")
    assert line == "✗ contains(//b, 'x'): found 2 nodes, but only the first counts (seen: 'y')"


def test_a_message_that_cannot_be_read() -> None:
    explanation = explain("/a", "<a>\n  <b></a>")
    assert not explanation.matches
    assert explanation.unreadable is not None
    assert (explanation.unreadable.code, explanation.unreadable.line) == ("not-well-formed", 2)
    assert str(explanation).splitlines()[1] == (
        "  the message cannot be read: mismatched tag [not-well-formed] at line 2, column 8"
    )


def test_a_subscription_that_can_never_match() -> None:
    explanation = explain("/a < 'x'", "<a/>")
    assert not explanation.matches
    assert "can never match" in str(explanation)


def test_alternatives() -> None:
    text = str(explain("/a = 1 or /a/b", "<a><b/></a>"))
    assert "alternative 1 of 2 fails:" in text
    assert "alternative 2 of 2 holds:" in text


def test_always_true() -> None:
    assert lines("'x'", "<a/>") == ["✓ /: true of every message"]


EXPRESSIONS = [
    "/o/item", "//item[n='a'][p>5]", "//item[n='b'][p>5]", "//item[n='a']/p", "not(//item[n='a' and p=9])", "//p > 8",
    "//item[not(n='a')]", "//item[not(n='a') and not(p=9)]", "contains(//n, 'b')", "starts-with(//item[p=9]/n, 'b')",
    "contains(//item[n='b' or p=1], 'b')", "/o/item/@id or /stock", "not(/stock)", "//*[@id and not(@id='2')]/n",
    "/stock[symbol='YHOO']/price > 40", "/*[.//p[. = 1]]//n = 'a'", "//item[.//item[n]]/n", "//item//item[n='c']",
    "//item[n='a']//n[. = 'c']", "//text() = 'a'", "//item[@*]", "/o[item/n='a'][item/p=9]", "'x'", "/a < 'x'",
    "not(//item[not(n)])", "//item[p != 1]", "//item[not(p = 1 or p = 9)]",
]
MESSAGES = [
    STOCK, ITEMS, INVOICE, "<o><item id='1'><n>a</n><item id='2'><n>c</n></item></item></o>",
    "<o><item><n>b</n><p>x</p></item></o>", "<o/>", "<broken>",
]


def test_the_answers_are_those_of_publish() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(str(number), text) for number, text in enumerate(EXPRESSIONS)])
        result = broker.publish([(str(number), xml) for number, xml in enumerate(MESSAGES)])
    matched = {(int(row["subscription_id"]), int(row["message_id"])) for row in result.notifications.to_pylist()}
    for pair in itertools.product(range(len(EXPRESSIONS)), range(len(MESSAGES))):
        explanation = explain(EXPRESSIONS[pair[0]], MESSAGES[pair[1]])
        assert explanation.matches == (pair in matched), str(explanation)
        assert ("<-- this fails first" in str(explanation)) or explanation.matches or not explanation.queries
