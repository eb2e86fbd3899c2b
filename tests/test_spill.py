"""Spilling: what goes out at once, what comes later, and that both together are what an undisturbed run gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from xpubsub.language.holes import HOLE
from xpubsub.spill import merge

Q1 = "for $a in /a return <pairQ1>{ $a//b, $a/d, $a/b/c }</pairQ1>"
DATA = "<a><b>b1<c>c1</c></b><b>b2<c>c2</c></b><e><b>b3</b></e><d>d1</d></a>"
"""The message of Figure 3(a): b3 is no child of a."""


def shown(output: str) -> str:
    """An output with its holes written as [path]."""
    return HOLE.sub(lambda hole: f"[{hole[3]}]", output)


def run(texts: Any, xml: str, *spill: str, **options: Any) -> tuple[dict[str, str | None], dict[str, list[str]]]:
    """Publish a message with some paths spilled and complete it; returns what came out first, and what came later.

    What is merged must be what an undisturbed run gives.
    """
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("q", texts)] if isinstance(texts, str) else list(texts.items()), **options)
        undisturbed = broker.publish([("m", xml)]).notifications
        first = broker.publish([("m", xml)], spill=spill).notifications
        later = broker.complete().notifications
    assert sorted_rows(merge(first, later)) == sorted_rows(undisturbed)
    late: dict[str, list[str]] = {}
    for row in sorted(later.to_pylist(), key=number):
        content = re.sub(r"^<xps:filler [^>]*>|</xps:filler>$", "", row["output"] or "")
        late.setdefault(row["subscription_id"], []).append(content if row["part"] == "filler" else f"whole: {content}")
    return {row["subscription_id"]: shown(row["output"] or row["part"]) for row in first.to_pylist()}, late


def number(row: dict[str, Any]) -> int:
    """The number of a filler in its output."""
    found = re.search(r'result="[0-9]+[.]([0-9]+)"', row["output"] or "")
    return int(found[1]) if found else 0


def sorted_rows(table: pa.Table) -> list[Any]:
    return sorted(repr(row) for row in table.select(["message_id", "subscription_id", "output"]).to_pylist())


def test_figure_17_the_holes_and_fillers_of_q1() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q1", Q1)
        [reduced] = broker.publish([("a1", DATA)], spill=["/a/b"]).notifications.to_pylist()
        fillers = sorted(broker.complete().notifications.to_pylist(), key=number)
    hole = '<xps:hole xmlns:xps="urn:xpubsub:spill" bpu="a1" result="1.{}" path="{}"/>'
    assert reduced == {
        "message_id": "a1", "subscription_id": "q1", "part": "reduced", "output":
        f"<pairQ1>{hole.format(1, '/a//b')}<b>b3</b><d>d1</d>{hole.format(2, '/a/b/c')}</pairQ1>"}
    filler = '<xps:filler xmlns:xps="urn:xpubsub:spill" bpu="a1" result="1.{}" path="{}">{}</xps:filler>'
    assert [row["part"] for row in fillers] == ["filler", "filler"]
    assert [row["output"] for row in fillers] == [
        filler.format(1, "/a//b", "<b>b1<c>c1</c></b><b>b2<c>c2</c></b>"), filler.format(2, "/a/b/c", "<c>c1</c><c>c2</c>")]


def test_figure_3_the_reduced_outputs_of_q1() -> None:
    first, _ = run(Q1, DATA, "/a/b")
    assert first == {"q": "<pairQ1>[/a//b]<b>b3</b><d>d1</d>[/a/b/c]</pairQ1>"}
    first, later = run(Q1, DATA, "/a/b/c")
    assert first == {"q": "<pairQ1><b>b1[/a/b/c]</b>[/a//b]<b>b2[/a/b/c]</b>[/a//b]<b>b3</b><d>d1</d>[/a/b/c]</pairQ1>"}, "c may contain b"
    assert later == {"q": ["<c>c1</c>", "", "<c>c2</c>", "", "<c>c1</c><c>c2</c>"]}


@pytest.mark.parametrize(("query", "spill", "first", "later"), [
    pytest.param("for $a in /a return $a/d", "/a/b", "<d>d1</d>", [], id="case 1: for loses parts, return nothing"),
    pytest.param("for $a in /a return <x>{ $a/d, $a/b }</x>", "/a/b", "<x><d>d1</d>[/a/b]</x>",
                 ["<b>b1<c>c1</c></b><b>b2<c>c2</c></b>"], id="case 2: for loses parts, return nodes"),
    pytest.param("for $a in /a return <x>{ $a/b }</x>", "/a/b/c", "<x><b>b1[/a/b/c]</b><b>b2[/a/b/c]</b></x>",
                 ["<c>c1</c>", "<c>c2</c>"], id="case 3: for and return lose parts"),
    pytest.param("for $d in /a/d return <x>{ $d, /a/e }</x>", "/a/b", "<x><d>d1</d><e><b>b3</b></e></x>", [],
                 id="case 7: neither loses anything"),
])
def test_table_2_cases_1_to_3_and_7(query: str, spill: str, first: str, later: list[str]) -> None:
    assert run(query, DATA, spill) == ({"q": first}, {"q": later} if later else {})


def test_table_2_case_4_for_loses_bindings_return_is_unaffected() -> None:
    first, later = run("for $b in /a//b return <x>{ /a/d }</x>", DATA, "/a/b")
    assert first == {"q": "[for 1]<x><d>d1</d></x>"}
    assert later == {"q": ["<x><d>d1</d></x><x><d>d1</d></x>"]}


def test_table_2_case_5_for_and_return_lose_nodes() -> None:
    first, later = run("for $b in /a//b return <x>{ $b/c }</x>", DATA.replace("b3", "b3<c>c3</c>"), "/a/b")
    assert first == {"q": "[for 1]<x><c>c3</c></x>"}
    assert later == {"q": ["<x><c>c1</c></x><x><c>c2</c></x>"]}


def test_table_2_case_6_for_loses_bindings_return_loses_parts() -> None:
    first, later = run("for $b in /a//b return <x>{ /a/e }</x>", DATA, "/a/e/b")
    whole = "<x><e><b>b3</b></e></x>"
    assert first == {"q": "<x><e>[/a/e/b]</e></x><x><e>[/a/e/b]</e></x>[for 1]"}
    assert later == {"q": ["<b>b3</b>", "<b>b3</b>", whole]}


def test_table_2_case_8_for_is_unaffected_return_loses_nodes() -> None:
    first, later = run("for $d in /a/d return <x>{ $d, /a/b }</x>", DATA, "/a/b")
    assert first == {"q": "<x><d>d1</d>[/a/b]</x>"}
    assert later == {"q": ["<b>b1<c>c1</c></b><b>b2<c>c2</c></b>"]}


def test_table_2_case_9_for_is_unaffected_return_loses_parts() -> None:
    first, later = run("for $d in /a/d return <x>{ /a/b }</x>", DATA, "/a/b/c")
    assert first == {"q": "<x><b>b1[/a/b/c]</b><b>b2[/a/b/c]</b></x>"}
    assert later == {"q": ["<c>c1</c>", "<c>c2</c>"]}


def test_figure_7_a_where_that_loses_parts_blocks_nothing_unless_it_needs_them() -> None:
    xml = "<a><b/><d><f>1</f></d></a>"
    first, _ = run({"exists": "for $a in /a where $a/d return $a/b", "value": "for $a in /a where $a/d = 1 return $a/b",
                    "text": "for $a in /a where not($a/d/text() = 'x') return $a/b"}, xml, "/a/d/f")
    assert first == {"exists": "<b/>", "text": "<b/>"}


def test_figure_7_a_where_that_loses_nodes_blocks_its_block_and_what_is_inside() -> None:
    query = "for $a in /a return <x>{ $a/c, for $b in $a/b where $b/e = 1 return <y>{ $b/f, for $g in $b/g return $g }</y> }</x>"
    first, later = run(query, "<a><c/><b><e>1</e><f/><g/></b><b><f>2</f></b></a>", "/a/b/e")
    assert first == {"q": "<x><c/>[for 2]</x>"}
    assert later == {"q": ["<y><f/><g/></y>"]}


def test_an_outermost_where_that_loses_nodes_leaves_all_for_later() -> None:
    first, later = run("<o>{ for $a in /a where $a/b return $a/d }</o>", DATA, "/a/b")
    assert first == {} and later == {"q": ["whole: <o><d>d1</d></o>"]}
    first, later = run("<o>{ for $a in /a where $a/x return $a/d }</o>", DATA, "//b")
    assert first == {} and later == {}


def test_several_variables_have_holes_around_each_tuple() -> None:
    xml = "<a><b>1</b><s><b>2</b></s><b>3</b><c>x</c></a>"
    first, later = run("for $b in //b, $c in /a/c return <p>{ $b, $c }</p>", xml, "/a/s")
    assert first == {"q": "[for 1]<p><b>1</b><c>x</c></p>[for 1]<p><b>3</b><c>x</c></p>[for 1]"}
    assert later == {"q": ["", "<p><b>2</b><c>x</c></p>", ""]}


def test_tuples_of_several_variables_keep_the_order_of_bindings() -> None:
    xml = "<r><a><a><b>1</b></a><b>2</b></a><s/></r>"
    first, later = run("for $a in /r//a, $b in $a//b return <p>{ $b }</p>", xml, "/r/x", "/r/s/t", "/r/a/s")
    assert first == {"q": "<p><b>1</b></p><p><b>2</b></p><p><b>1</b></p>"} and not later
    first, _ = run("for $s in /r/s return <x>{ for $a in /r/a, $b in $a/* return <p>{ $b/text() }</p>, //s }</x>", xml, "/r/s")
    assert not first


def test_an_element_with_missing_attributes_is_a_hole() -> None:
    xml = "<a k='1'><s><a k='2'/></s><d/></a>"
    query = "for $a in //a return <x>{{ <y n='1'>{{ $a/@k{}, $a/d }}</y>, $a/d }}</x>"
    first, later = run(query.format("[. != 'x']"), xml, "/a/s")
    assert first == {"q": "<x>[y]<d/></x>[for 1]"}, "the condition is not decided for all of //a/@k"
    assert later == {"q": ['<y n="1" k="1"><d/></y>', '<x><y n="1" k="2"/></x>']}
    first, later = run(query.format(""), xml, "/a/s")
    assert first == {"q": '<x><y n="1" k="1"><d/></y><d/></x>[for 1]'}


def test_an_element_in_which_nothing_was_missing_after_all_is_empty() -> None:
    first, later = run("for $a in /a return <x>{ $a/s//b, $a/s//c }</x>", "<a><s><d/></s></a>", "/a/s")
    assert first == {"q": "<x>[/a/s//b][/a/s//c]</x>"} and later == {"q": ["", ""]}


def test_namespaces_of_copies_are_those_of_an_undisturbed_run() -> None:
    xml = '<a xmlns:p="urn:p"><b/><p:c><b xmlns="urn:d"><e/></b></p:c><d xmlns="urn:x"><b xmlns=""/></d></a>'
    first, later = run('for $a in /a return <x xmlns="urn:own">{ $a, $a/* }</x>', xml, "//b", "//*:e")
    assert later["q"] == ['<b xmlns=""/>', '<b xmlns="urn:d"><e/></b>', '<b xmlns=""/>'] or first


def test_filters_that_are_touched_are_decided_later_and_others_at_once() -> None:
    first, later = run({"sure": "/a/d = 'd1'", "touched": "/a/b/c", "absent": "not(/a/b)", "either": "/a/d or /a/b",
                        "value": "/a = 'x'", "exists": "/a", "no": "/a/b/x"}, DATA, "/a/b")
    assert first == {"sure": "whole", "either": "whole", "exists": "whole"}
    assert later == {"touched": ["whole: "]}


def test_a_message_without_what_is_spilled_is_whole() -> None:
    first, later = run(Q1, "<a><d>1</d></a>", "/a/b")
    assert first == {"q": "<pairQ1><d>1</d></pairQ1>"} and later == {}


def test_whole_messages_can_be_spilled() -> None:
    first, later = run({"q": Q1, "f": "//d"}, DATA, "/*")
    assert first == {} and sorted(later) == ["f", "q"]


def test_no_parts_for_subscribers_who_want_none() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("parts", Q1)
        broker.subscribe("whole", Q1, partial=False)
        broker.subscribe_many([{"id": "row", "text": Q1, "partial": "false"}])
        undisturbed = broker.publish([("m", DATA)]).notifications
        first = broker.publish([("m", DATA)], spill=["/a/b"]).notifications
        later = broker.complete().notifications
        assert first["subscription_id"].to_pylist() == ["parts"]
        parts = sorted((row["subscription_id"], row["part"]) for row in later.to_pylist())
        assert parts == [("parts", "filler"), ("parts", "filler"), ("row", "whole"), ("whole", "whole")]
        assert sorted_rows(merge(first, later)) == sorted_rows(undisturbed)
        assert not broker.show("whole").partial and broker.show("parts").partial
        assert dict(zip(*(broker.list()[name].to_pylist() for name in ("subscription_id", "partial")), strict=True)) == {
            "parts": True, "row": False, "whole": False}
        with pytest.raises(xpubsub.Error, match="another partial"):
            broker.subscribe("whole", Q1)
        with pytest.raises(xpubsub.Error, match="partial must be True or False"):
            broker.subscribe("x", Q1, partial="perhaps")  # type: ignore[arg-type]


def test_subscriptions_count_as_of_the_time_of_publishing() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("stays", "/a/b"), ("goes", "/a/b"), ("t", Q1)])
        broker.publish([("m", DATA)], spill=["/a/b"])
        broker.subscribe_many([("new", "/a/b"), ("new transformation", "for $b in /a/b return $b")])
        broker.unsubscribe(["goes", "t"])
        broker.gc()
        broker.subscribe("t", "//b")
        assert broker.complete().notifications["subscription_id"].to_pylist() == ["stays"]


def test_messages_with_the_same_id_are_told_apart() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q", Q1)
        other = DATA.replace("b1", "other")
        tables = [broker.publish([("m", xml)], spill=["/a/b"]).notifications for xml in (DATA, other)]
        tables.append(broker.complete(limit=1).notifications)
        tables.append(broker.complete().notifications)
        assert tables[2].num_rows == tables[3].num_rows == 2
        tables.append(broker.publish([("m", DATA)], spill=["/a/b"]).notifications)
        broker.gc()
        tables.append(broker.complete().notifications)
        undisturbed = [broker.publish([("m", xml)]).notifications for xml in (DATA, other, DATA)]
        assert sorted_rows(merge(*tables)) == sorted_rows(pa.concat_tables(undisturbed))


def test_what_looks_like_a_hole_is_not_taken_for_one() -> None:
    hole = '<xps:hole xmlns:xps="urn:xpubsub:spill" bpu="m" result="1.1" path="/a/b"/>'
    first, later = run(Q1, DATA.replace("b3", hole), "/a/b")
    assert "q" in first and not later, "such a message is not spilled"
    first, later = run(f"for $a in /a return <x>{hole}{{ $a/b }}</x>", DATA, "/a/b")
    assert not first and later["q"][0].startswith("whole: "), "such an output comes whole"


@pytest.mark.parametrize(("change", "error"), [
    (lambda first, later: (first,), "message 'm', subscription 'q': there is no filler for the hole <xps:hole .*path=\"/a//b\"/>"),
    (lambda first, later: (first, later, later), "two fillers for the hole"), (lambda first, later: (later,), "no output has the hole"),
    (lambda first, later: (first, first, later), "there is no filler for the hole"),
    (lambda first, later: (first.drop_columns("part"), later), "columns message_id, subscription_id, output, part"),
    (lambda first, later: ("x",), "must be tables"),
    (lambda first, later: (first.set_column(3, "part", pa.array(["x"])),), "must be whole, reduced or filler, not 'x'"),
    (lambda first, later: (first.set_column(3, "part", pa.array(["filler"])),), "is no xps:filler"),
])
def test_merging_refuses_what_does_not_fit(change: Any, error: str) -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q", Q1)
        first = broker.publish([("m", DATA)], spill=["/a/b"]).notifications
        tables = change(first, broker.complete().notifications)
        with pytest.raises(xpubsub.Error, match=error):
            merge(*tables)


@pytest.mark.parametrize(("spill", "error"), [
    (["/a[b]"], "a predicate in the path of what is spilled"), (["/a/@k"], "an attribute as what is spilled"),
    (["//text()"], "a text as what is spilled"), (["/"], "the whole document as what is spilled"), (["1"], "other than a path"),
    ("/a", "spill must be an iterable of paths"), ([1], "a path to spill must be a str"), (["//p:a"], "prefix"),
])
def test_what_cannot_be_spilled_is_refused(spill: Any, error: str) -> None:
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match=error):
        broker.publish([("m", DATA)], spill=spill)


def test_correlations_are_never_touched() -> None:
    text = "SELECT <p>{ $x/d }</p> FROM S/a AS $x [d AS $y] FOLLOWED BY { $y = $z, 1h } S/a AS $w [d AS $z]"
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("c", text), ("q", Q1)])
        for spill in ("/a/d", "//d", "/*", "/a/d/x"):
            with pytest.raises(xpubsub.UnsupportedError, match="correlations need"):
                broker.publish([("m", DATA, 1)], spill=[spill])
        first = [broker.publish([(f"m{n}", DATA, n)], spill=["/a/b"]).notifications for n in (1, 2)]
        assert [row["part"] for row in first[1].to_pylist() if row["subscription_id"] == "c"] == ["whole"]
        assert broker.complete().notifications.num_rows == 4


def test_a_limit_that_the_spilled_elements_exceed_is_found_at_completion() -> None:
    inside = "<x/>" * 50
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_nodes=30)) as broker:
        broker.subscribe("q", Q1)
        assert broker.publish([("m", f"<a><b>{inside}</b></a>"), ("n", DATA)], spill=["/a/b"]).rejected.num_rows == 0
        result = broker.complete()
        assert result.rejected.to_pylist()[0]["code"] == "limit-nodes"
        assert set(result.notifications["message_id"].to_pylist()) == {"n"}


def test_stats_and_files(tmp_path: Path) -> None:
    folder = tmp_path / "s.duckdb.spill"
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        broker.subscribe("q", Q1)
        assert not any("spilled" in name for name in broker.stats())
        broker.publish([("m", DATA), ("n", DATA), ("whole", "<a/>")], spill=["/a/b"])
        [file] = folder.iterdir()
        stats = broker.stats()
        assert (stats["spilled messages"], stats["spilled bytes"]) == (2, file.stat().st_size)
        assert 0 <= stats["age of the oldest spilled message in seconds"] < 60
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        assert broker.complete().notifications.num_rows == 4
        assert not list(folder.iterdir()) and not any("spilled" in name for name in broker.stats())


def test_bytes_and_other_encodings_survive(tmp_path: Path) -> None:
    texts = [DATA.replace("b3", "ü").encode("utf-16"), f"<?xml version='1.0' encoding='latin-1'?>{DATA.replace('b1', 'é')}".encode("latin-1"),
             f"<?xml version='1.0' encoding='latin-1'?>{DATA.replace('b1', 'é')}"]
    messages = [(f"m{n}", text) for n, text in enumerate(texts)]
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        broker.subscribe("q", Q1)
        undisturbed = broker.publish(messages).notifications
        merged = merge(broker.publish(messages, spill=["//b"]).notifications, broker.complete().notifications)
        assert sorted_rows(merged) == sorted_rows(undisturbed) and merged.num_rows == 3
