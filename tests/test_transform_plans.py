"""The plans for transformations: the same answers, with fewer DISTINCTs where claims or schemas allow it."""

from __future__ import annotations

from typing import Any

import pytest

import xpubsub

BOOK = """<!DOCTYPE book [
<!ELEMENT book (title, section+)> <!ELEMENT title (#PCDATA)>
<!ELEMENT section (title, (p | figure | section)*)> <!ATTLIST section id CDATA #IMPLIED>
<!ELEMENT p (#PCDATA)> <!ELEMENT figure (title, image)> <!ELEMENT image EMPTY>
]>"""
BIB = """<!DOCTYPE bib [
<!ELEMENT bib (book*)> <!ELEMENT book (title, author+)> <!ATTLIST book year CDATA #IMPLIED>
<!ELEMENT title (#PCDATA)> <!ELEMENT author (last)> <!ELEMENT last (#PCDATA)>
]>"""
QUERY_2 = """<figures>{ for $f in document("doc.xml")//section[@id <= 2]//figure where $f/title = "XML processing"
return <figure>{ $f/image }</figure> }</figures>"""
NESTED = """<book><title>t</title><section id="1"><title>a</title><section id="2"><title>b</title>
<figure><title>XML processing</title><image/></figure></section></section></book>"""
LASTS = "for $l in //book[@year = 1]//last return <l>{ $l }</l>"
BOOKS = '<bib><book year="1"><title>t</title><author><last>x</last></author><author><last>y</last></author></book></bib>'
STRAY = '<bib><book year="1"><book year="1"><author><last>x</last></author></book></book></bib>'
PLANS = ("auto", "f", "fw", "fwr", "fwr,no-claims", "f,no-schema")


def made(broker: xpubsub.Broker, xml: str, plan: str = "auto") -> list[str]:
    return [row["output"] for row in broker.publish([("m", xml)], plan=plan).notifications.to_pylist()]


@pytest.fixture
def broker() -> Any:
    with xpubsub.connect(":memory:") as opened:
        yield opened


@pytest.mark.parametrize("plan", PLANS)
def test_a_figure_in_sections_in_sections_is_made_once(broker: xpubsub.Broker, plan: str) -> None:
    broker.schema(BOOK)
    broker.subscribe("q2", QUERY_2)
    assert made(broker, NESTED, plan) == ["<figures><figure><image/></figure></figures>"]
    assert "//section//figure: DISTINCT: the same node may be reached in several ways" in broker.explain_sql()


def test_a_schema_without_loops_leaves_no_distinct(broker: xpubsub.Broker) -> None:
    broker.subscribe("lasts", LASTS)
    assert "select distinct" in broker.explain_sql().lower().partition("== tuple_1")[2].partition("== transformed")[0]
    broker.schema(BIB)
    explained = broker.explain_sql()
    assert "//book//last: no DISTINCT, by claim 2 and the schema" in explained
    assert "distinct" not in explained.lower().partition("== tuple_1")[2].partition("== transformed")[0]
    assert "//book//last: DISTINCT, by no-claims" in broker.explain_sql("fwr,no-claims")
    assert made(broker, BOOKS) == ["<l><last>x</last></l><l><last>y</last></l>"]


@pytest.mark.parametrize("plan", PLANS)
def test_a_message_that_does_not_conform_goes_without_the_schema(broker: xpubsub.Broker, plan: str) -> None:
    broker.schema(BIB)
    broker.subscribe("lasts", LASTS)
    assert made(broker, BOOKS, plan) == ["<l><last>x</last></l><l><last>y</last></l>"]
    assert made(broker, STRAY, plan) == ["<l><last>x</last></l>"], "bound by way of two books, made once"
    assert made(broker, BOOKS, plan) == ["<l><last>x</last></l><l><last>y</last></l>"]


def test_one_double_slash_needs_no_distinct_by_the_query_alone(broker: xpubsub.Broker) -> None:
    broker.subscribe("s", "for $f in //section[@id]/figure return $f/title")
    assert "//section/figure: no DISTINCT, by claim 1" in broker.explain_sql()
    assert made(broker, NESTED) == ["<title>XML processing</title>"]


def test_returned_paths_with_one_canonical_form_are_grouped_once(broker: xpubsub.Broker) -> None:
    broker.schema(BIB)
    broker.subscribe("a", "for $b in /bib/book return <a>{ $b//last }</a>")
    broker.subscribe("b", "for $b in //book return <b>{ $b/author/last }</b>")
    assert "1 returned paths are others in canonical form, by the schema" in broker.explain_sql()
    expected = ["<a><last>x</last><last>y</last></a>", "<b><last>x</last><last>y</last></b>"]
    assert sorted(made(broker, BOOKS)) == expected
    assert sorted(made(broker, STRAY)) == ["<a><last>x</last></a>", "<b/><b><last>x</last></b>"]


def test_position_arrays_are_plain_columns_or_unnested(broker: xpubsub.Broker) -> None:
    broker.subscribe("s", "for $s in //section return <s>{ $s//title }</s>")
    made(broker, "<book><section><title>a</title></section></book>")
    assert "are plain columns (one position array each), 0 are unnested" in broker.explain_sql()
    assert made(broker, NESTED)[0].count("<title>a</title>") == 1
    assert "are plain columns (one position array each), 2 are unnested" in broker.explain_sql()


def test_plans_of_the_same_kind_exclude_each_other(broker: xpubsub.Broker) -> None:
    broker.subscribe("s", "for $s in //a return $s")
    with pytest.raises(xpubsub.Error, match="f and fw are both plans for transformations"):
        made(broker, "<a/>", "f,fw")


def test_the_choice_names_both_plans(broker: xpubsub.Broker) -> None:
    broker.subscribe("s", "for $s in //a return $s")
    choice = broker.publish([("m", "<a/>")], plan="share,fw").choice
    assert (choice.plan, choice.reason) == ("share,fw", "asked for by name; asked for by name")
