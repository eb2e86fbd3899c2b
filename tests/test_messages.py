"""Shredding messages: node ids, text nodes as lxml sees them, limits, and what is refused and where."""

from __future__ import annotations

import pytest

import xpubsub
from tests.judge import judge
from xpubsub.limits import Limits
from xpubsub.match.path_matches import LinearUse
from xpubsub.match.uses import EXISTS, NUMBER, VALUE
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.tagpaths import TagPathCache


def shredder(*paths: str, limits: Limits | None = None, use: int = EXISTS | VALUE) -> MessageShredder:
    limits = limits or Limits()
    cache = TagPathCache({}, lambda: {path: LinearUse(use) for path in paths}, limits)
    return MessageShredder(cache, limits)


def nodes(xml: str | bytes, *paths: str, use: int = EXISTS | VALUE) -> list[tuple[list[int], str | None]]:
    made = shredder(*paths, use=use)
    made.shred([(1, "m", xml)])
    assert made.rejected().num_rows == 0, made.rejected().to_pylist()
    return [(row["idpath"], row["value"]) for row in made.nodes().to_pylist()]


def refusal(xml: str | bytes, limits: Limits | None = None) -> tuple[str, int | None, int | None]:
    made = shredder("//a", limits=limits)
    made.shred([(1, "m", xml), (2, "good", "<a/>")])
    assert made.events().to_pylist() == [{"event_id": 2, "message_id": "good"}]
    assert {row["event_id"] for row in made.nodes().to_pylist()} == {2}
    [row] = made.rejected().to_pylist()
    return row["code"], row["line"], row["column"]


def test_only_nodes_that_a_linear_path_asks_for() -> None:
    assert nodes("<a x='1'><b>t</b><c/></a>", "/a/b") == [([1, 3], "t")]


def test_ids_count_elements_attributes_and_text_in_document_order() -> None:
    assert nodes("<a x='1' y='2'>t<b/>u</a>", "//@y", "//text()", "//b") == [
        ([1, 3], "2"), ([1, 4], "t"), ([1, 5], ""), ([1, 6], "u"),
    ]


def test_an_elements_value_is_the_text_of_all_its_descendants() -> None:
    assert nodes("<a>1<b>2<c>3</c></b>4</a>", "/a", "//c") == [([1, 3, 5], "3"), ([1], "1234")]


def test_the_document_has_a_value_too() -> None:
    assert nodes("<a>1<b>2</b></a>", "/") == [([], "12")]


@pytest.mark.parametrize(("content", "texts"), [
    ("x<![CDATA[y]]>z", ["xyz"]), ("x<!--c-->z", ["x", "z"]), ("x<?p i?>z", ["x", "z"]), ("<![CDATA[]]>", [""]),
    ("<b/><![CDATA[]]><b/>", [""]), ("x<![CDATA[]]>y", ["xy"]), ("", []), (" ", [" "]), ("a&amp;b&#65;", ["a&bA"]),
    ("x<![CDATA[y]]><!--c--><![CDATA[z]]>", ["xy", "z"]), ("é" * 20_000, ["é" * 20_000]),
])
def test_text_nodes_are_those_of_lxml(content: str, texts: list[str]) -> None:
    xml = f"<a>{content}</a>"
    assert [value for _, value in nodes(xml, "/a/text()")] == texts
    assert all(judge(f"/a/text() = '{text}'", xml) for text in texts)
    assert judge("/a/text()", xml) == bool(texts)


def test_values_are_kept_only_where_a_subscription_compares_them() -> None:
    assert nodes("<a>1</a>", "/a", use=EXISTS) == [([1], None)]


@pytest.mark.parametrize(("text", "number"), [
    ("5", 5.0), (" 5\n", 5.0), ("-.5", -0.5), ("5.", 5.0), ("5e1", None), ("inf", None), ("NaN", None), ("+5", None),
    ("", None), ("- 5", None), ("0x5", None), ("٥", None), ("\u00a05", None), ("1_000", None), ("-0", 0.0),
])
def test_numbers_have_xpaths_own_syntax(text: str, number: float | None) -> None:
    made = shredder("/a", use=EXISTS | VALUE | NUMBER)
    made.shred([(1, "m", f"<a>{text}</a>")])
    assert made.nodes()["number"].to_pylist() == [number]


def test_namespace_declarations_are_no_attributes() -> None:
    assert nodes("<a xmlns:p='urn:p' p:x='1'/>", "//@*") == [([1, 2], "1")]


def test_attributes_defaulted_by_a_dtd_are_left_out_as_in_lxml() -> None:
    xml = "<!DOCTYPE a [<!ATTLIST a k CDATA 'v'>]><a x='1'/>"
    assert nodes(xml, "//@*") == [([1, 2], "1")]
    assert not judge("/a/@k", xml)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "utf-32-be", "utf-32-le", "iso-8859-1", "windows-1252", "shift_jis", "gb2312"])
def test_encodings(encoding: str) -> None:
    text = "あ" if encoding in ("shift_jis", "gb2312") else "é"
    xml = f'<?xml version="1.0" encoding="{encoding}"?><a>{text}</a>'
    assert nodes(xml.encode(encoding), "/a") == [([1], text)]
    assert nodes(xml, "/a") == [([1], text)], "in a str the declaration does not count"


@pytest.mark.parametrize(("xml", "code", "line", "column"), [
    ("<a>\n  <b></a>", "not-well-formed", 2, 8), ("", "not-well-formed", 1, 1), ("<a/><b/>", "not-well-formed", 1, 5),
    ("<a>&nbsp;</a>", "not-well-formed", 1, 4), ("<!DOCTYPE a SYSTEM 'x'><a>&nbsp;</a>", "undefined-entity", 1, 33),
    ("<x:a/>", "not-well-formed", 1, 1), ("<a b='1' b='2'/>", "not-well-formed", 1, 10), ("\ud800", "encoding", 1, 1),
    (b"<a>\xff</a>", "encoding", 1, 4), (b"<?xml version='1.0' encoding='nonsense'?><a/>", "encoding", 1, 1),
    (b"<?xml version='1.0' encoding='idna'?><a/>", "encoding", 1, 1),
    ("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "entities-forbidden", 1, 25),
    ("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "entities-forbidden", 1, 49),
    ("<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://e/x'> %x;]><a/>", "entities-forbidden", 1, 43),
    ("<!DOCTYPE a [<!ENTITY a 'b'><!ENTITY b '&a;&a;'>]><a>&b;</a>", "entities-forbidden", 1, 25),
    ("<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY u SYSTEM 'u' NDATA n>]><a/>", "entities-forbidden", 1, 49),
    (None, "not-text", None, None), (5, "not-text", None, None),
])
def test_a_bad_message_is_set_aside_with_its_place(xml: str, code: str, line: int | None, column: int | None) -> None:
    found = refusal(xml)
    assert found[:2] == (code, line)
    if code != "entities-forbidden":
        assert found[2] == column


@pytest.mark.parametrize(("xml", "limits", "code"), [
    ("<a>xxxxxxxxxx</a>", Limits(max_bytes=10), "limit-bytes"), ("<a><b><c/></b></a>", Limits(max_depth=2), "limit-depth"),
    ("<a><b/><b/><b/></a>", Limits(max_nodes=3), "limit-nodes"), ("<a x='' y=''/>", Limits(max_attributes=1), "limit-attributes"),
    ("<!DOCTYPE a><a/>", Limits(forbid_dtd=True), "dtd-forbidden"),
])
def test_limits_can_be_set(xml: str, limits: Limits, code: str) -> None:
    made = shredder("//a", limits=limits)
    made.shred([(1, "m", xml)])
    assert [row["code"] for row in made.rejected().to_pylist()] == [code]


def test_too_many_ways_to_bind_branching_points_is_a_limit_of_the_message() -> None:
    deep = "<a><k/>" * 40 + "</a>" * 40
    with xpubsub.connect(":memory:", limits=Limits(max_positions=100)) as broker:
        broker.subscribe("s", "//a[k]//a[k]//a[k]//a[k]")
        result = broker.publish([("deep", deep), ("flat", "<a><k/></a>")])
        assert [row["code"] for row in result.rejected.to_pylist()] == ["limit-positions"]
        assert broker.publish([("deep", deep)]).rejected.num_rows == 1


def test_messages_of_ever_new_names_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpubsub.shred.tagpaths.MOST_NODES", 50)
    made = shredder("//b")
    made.shred((number, f"m{number}", f"<a{number}><b/></a{number}>") for number in range(200))
    assert made.nodes().num_rows == 200
    assert len(made._cache.root.children) < 60


NO_TEXT: list[tuple[str | bytes, tuple[int, int]]] = [
    (b"<a>\n <b>\xff</b></a>", (2, 5)), (b"<a b='\xe2\x82'/>", (1, 7)), (b"<a><!--\xed\xa0\x80--></a>", (1, 8)), (b"<a>\xe2", (1, 4)),
    (b"<a\xc3\xa9\xff/>", (1, 4)), (b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>", (1, 45)),
    (b"<?xml version='1.0' encoding='windows-1252'?><a>\x81</a>", (1, 49)),
    (b"<?xml version='1.0' encoding='shift_jis'?><a>\xff</a>", (1, 46)),
    (b"<?xml version='1.0' encoding='nosuch'?><a/>", (1, 1)), (b"<?xml version='1.0' encoding='idna'?><a/>", (1, 1)),
    (b"<?xml version='1.0' encoding='utf-16'?><a/>", (1, 31)), ("<a>".encode("utf-16") + b"\0\xd8" + b"<\0/\0a\0>\0", (1, 4)),
    ("<a/>".encode("utf-16") + b"x", (1, 5)), ("<a>\n\udfff</a>", (2, 1)),
]


@pytest.mark.parametrize("subscription", ["//a", "for $a in //a return $a"])
def test_bytes_that_are_no_text_have_the_code_encoding(subscription: str) -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", subscription)
        rows = broker.publish([(repr(xml), xml) for xml, _ in NO_TEXT]).rejected.to_pylist()
        found = {row["message_id"]: (row["code"], row["line"], row["column"]) for row in rows}
        assert found == {repr(xml): ("encoding", *place) for xml, place in NO_TEXT}


TEXT: list[str | bytes] = [
    "<a>é</a>".encode("utf-16-le"), "<a>é</a>".encode("utf-16-be"), "<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16-le"),
    "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>", "<?xml version='1.0' encoding='nosuch'?><a>é</a>",
    "<?xml version='1.0' encoding='utf-16'?><a>é</a>",
]


@pytest.mark.parametrize("subscription", ["//a", "for $a in //a return $a"])
def test_utf_16_without_a_mark_and_text_whatever_it_declares_is_read(subscription: str) -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("s", subscription), ("e", "/a = 'é'")])
        assert broker.publish([(repr(xml), xml) for xml in TEXT]).notifications.num_rows == 2 * len(TEXT)


def test_what_is_not_well_formed_before_a_bad_byte_is_named_first() -> None:
    assert refusal(b"<a></b>\xff")[:2] == ("not-well-formed", 1)


@pytest.mark.parametrize(("xml", "code", "reason"), [
    ("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "entities-forbidden", "declares the entity 'x'; entity declarations are refused"),
    ("<!DOCTYPE a [<!ENTITY x SYSTEM 'f'>]><a>&x;</a>", "entities-forbidden", "declares the entity 'x'; entity declarations are refused"),
    ("<!DOCTYPE a><a/>", "dtd-forbidden", "has a document type declaration, 'a': forbid_dtd refuses it"),
])
def test_what_is_forbidden_is_said_in_a_sentence(xml: str, code: str, reason: str) -> None:
    with xpubsub.connect(":memory:", limits=Limits(forbid_dtd=code == "dtd-forbidden")) as broker:
        [row] = broker.publish([("m", xml)]).rejected.to_pylist()
        assert (row["code"], row["reason"]) == (code, reason)
