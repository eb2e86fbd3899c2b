"""Queries that SQL does not answer: Saxon evaluates them in the messages that meet a necessary condition."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from tests.saxon import processor
from xpubsub.compile.queries import query_way
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.xquery.condition import necessary_text
from xpubsub.language.xquery.module import read_module
from xpubsub.limits import Limits
from xpubsub.match import saxon

pytest.importorskip("saxonche")
Connect = Callable[..., xpubsub.Broker]
UNSUPPORTED = xpubsub.UnsupportedError("it", code="unsupported")
BOOKS = {
    "m1": "<bib><book year='1994'><title>TCP</title><author>Stevens</author><price>65.95</price></book>"
          "<book year='2000'><title>Data</title><author>Abiteboul</author><author>Buneman</author><price>39</price></book></bib>",
    "m2": "<bib><book year='1992'><title>Unix</title><author>Stevens</author><price>free</price></book></bib>",
    "m3": "<bib><journal/></bib>",
    "m4": "<bib xmlns='urn:b'><book year='1999'/></bib>",
}
GROUPED = "for $a in //author group by $n := string($a) order by $n return <a n='{$n}'>{count($a)}</a>"


def rows(table: Any) -> set[tuple[Any, ...]]:
    return {tuple(row.values()) for row in table.to_pylist()}


def outputs(result: xpubsub.Result, subscription: str = "q") -> dict[str, str]:
    found = result.notifications.to_pylist()
    return {row["message_id"]: row["output"] for row in found if row["subscription_id"] == subscription}


@pytest.mark.parametrize(("query", "wanted"), [
    (GROUPED, {"m1": "<a n=\"Abiteboul\">1</a><a n=\"Buneman\">1</a><a n=\"Stevens\">1</a>", "m2": "<a n=\"Stevens\">1</a>"}),
    ("<r>{ for $b in doc('bib.xml')/bib/book group by $y := $b/@year order by $y descending return <y>{$y}</y> }</r>",
     {"m1": "<r><y>2000</y><y>1994</y></r>", "m2": "<r><y>1992</y></r>"}),
    ("declare function local:n($x) { $x + 1 }; for $b in //book return try { local:n($b/price) } catch * { 'none' }",
     {"m1": "66.95 40", "m2": "none"}),
    ("let $d := doc('bib.xml') return for $b in $d//book group by $k := 1 return <n>{count($b)}</n>",
     {"m1": "<n>2</n>", "m2": "<n>1</n>"}),
    ("declare variable $all := //book; for $b in $all group by $k := 1 return <n>{count($all)}</n>",
     {"m1": "<n>2</n>", "m2": "<n>1</n>"}),
    ("declare function local:all() { doc('bib.xml')//book }; for tumbling window $w in local:all() start at $i when true()"
     " only end at $j when $j - $i eq 1 return <w>{count($w)}</w>", {"m1": "<w>2</w>"}),
    ("<r xmlns='urn:b'>{ for $b in //book group by $k := 1 return <n>{count($b)}</n> }</r>",
     {"m4": '<r xmlns="urn:b"><n>1</n></r>'}),
    ("for $b in //book group by $k := 1 return ()", {"m1": "", "m2": ""}),
    ("let $m := map { 'a': //author } return for $x in $m?a return <x>{ $x/text() }</x>",
     {"m1": "<x>Stevens</x><x>Abiteboul</x><x>Buneman</x>", "m2": "<x>Stevens</x>"}),
    ("<r>{ map:size(map { 'a': 1 }) }</r>".replace("<r>{", "<r>{ for $b in //journal group by $k := 1 return "),
     {"m3": "<r>1</r>"}),
])
def test_outputs(connect: Connect, query: str, wanted: dict[str, str]) -> None:
    broker = connect("duckdb")
    broker.subscribe("q", query)
    broker.subscribe("f", "//book")
    result = broker.publish(BOOKS.items())
    assert outputs(result) == wanted and not result.failed.num_rows
    assert {pair[:2] for pair in rows(result.notifications) if pair[1] == "f"} == {("m1", "f"), ("m2", "f")}
    single = connect("duckdb")
    single.subscribe("q", query)
    assert {key: text for each in BOOKS.items() for key, text in outputs(single.publish([each])).items()} == wanted


def test_errors_of_one_message(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("q", "for $b in //book where $b/price > 50 group by $k := 1 return <n>{count($b)}</n>")
    result = broker.publish(BOOKS.items())
    assert outputs(result) == {"m1": "<n>1</n>"}
    [failed] = result.failed.to_pylist()
    assert (failed["message_id"], failed["subscription_id"], failed["code"]) == ("m2", "q", "FORG0001")
    assert "free" in failed["reason"]
    [alone] = broker.publish([("m2", BOOKS["m2"])]).failed.to_pylist()
    assert alone == failed


def test_shown_listed_counted_and_explained(connect: Connect) -> None:
    broker = connect("duckdb")
    assert not broker.subscribe("q", GROUPED).warnings
    [warning] = broker.subscribe("e", "<r>{ (1 to count(//book)) ! . }</r>").warnings
    assert "every message" in warning and "Saxon" in warning
    assert (broker.show("q").kind, broker.show("q").way, broker.show("e").way) == ("transformation", "checked", "every message")
    stats = broker.stats()
    assert stats["transformations that Saxon evaluates"] == stats["transformations that Saxon evaluates on every message"] == 1
    assert broker.explain("q", BOOKS["m1"]).matches and "Saxon gives an output" in str(broker.explain("q", BOOKS["m1"]))
    assert not broker.explain("q", BOOKS["m3"]).matches and "//author" in str(broker.explain("q", BOOKS["m3"]))
    broker.subscribe("w", "for $b in //book where $b/price > 50 group by $k := 1 return <n>{count($b)}</n>")
    assert "the query fails" in str(broker.explain("w", BOOKS["m2"]))
    with pytest.raises(xpubsub.UnsupportedError):
        broker.subscribe("s", GROUPED, strict=True)
    broker.unsubscribe(["q", "e", "w"])
    assert broker.gc()["query_check"] == 3


@pytest.mark.parametrize(("query", "reason"), [
    ("for $a in //a group by $k := unparsed-text('file:///etc/passwd') return $k", "the function unparsed-text()"),
    ("for $a in //a group by $k := fn:environment-variable('HOME') return $k", "the function environment-variable()"),
    ("for $a in //a group by $k := 1 return doc($a)", "doc() of anything but a literal"),
    ("for $a in doc('a')//a, $b in doc('b')//b group by $k := 1 return $k", "a query of several documents"),
    ("import module namespace m = 'urn:m' at 'm.xq'; for $a in //a group by $k := 1 return $k", "the prolog's 'import module'"),
    ("declare option saxon:output 'indent=yes'; for $a in //a group by $k := 1 return $k", "the prolog's 'declare option'"),
    ("declare variable $x external; for $a in //a group by $k := 1 return $k", "an external variable"),
])
def test_refused(connect: Connect, query: str, reason: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        query_way(query, {}, Limits(), UNSUPPORTED)


def test_static_errors_have_a_place(connect: Connect) -> None:
    with pytest.raises(xpubsub.QuerySyntaxError, match=r"XPST0008.*at line 2, column") as caught:
        connect("duckdb").subscribe("q", "for $a in //a group by $k := 1\nreturn ($k, $nothing)")
    assert "nothing" in caught.value.reason


def test_without_saxon_the_extra_is_named(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpubsub.compile.queries.installed", lambda: False)
    with pytest.raises(xpubsub.UnsupportedError, match=r"pip install 'xpubsub\[xquery\]'"):
        connect("duckdb").subscribe("q", GROUPED)


def test_no_files_even_if_a_query_got_there(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<secret/>")
    for call in (f"doc('{secret.as_uri()}')", f"unparsed-text('{secret.as_uri()}')", f"collection('{tmp_path.as_uri()}')"):
        [[answer]] = saxon.saxon_answers([(b"<m/>", [f"function($m) {{ serialize({call}) }}"])], Limits())
        assert answer is not None and answer[0] is None and "secret" not in str(answer[0])
    [[answer]] = saxon.saxon_answers([(b"<m/>", ["function($m) { string(environment-variable('HOME')) }"])], Limits())
    assert answer == ("", None, None)


def test_a_query_that_hangs_or_grows_fails_alone(connect: Connect, tmp_path: Path) -> None:
    broker = connect("duckdb", limits=Limits(xquery_seconds=1.0))
    broker.subscribe("q", GROUPED)
    broker.subscribe("hangs", "for $a in //author group by $k := 1 return sum(for $i in 1 to 1000000, $j in 1 to 1000000 return 1)")
    result = broker.publish([(name, BOOKS[name]) for name in ("m1", "m3")])
    assert set(outputs(result)) == {"m1"}
    [failed] = result.failed.to_pylist()
    assert (failed["message_id"], failed["subscription_id"], failed["code"]) == ("m1", "hangs", "limit-time")
    grown = "function($m) { count(let $a := array { for $i in 1 to 100000000 return string($i) } return ($a, $a)) }"
    [[answer, other]] = saxon.saxon_answers(
        [(b"<m/>", [grown, "function($m) { 'fine' }"])], Limits(xquery_memory=300 * 1024**2, xquery_seconds=60.0))
    assert answer is not None and answer[1] in ("limit-memory", "error", "crash")
    assert other == ("fine", None, None)


def test_spilled_messages_are_answered_whole(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("q", GROUPED)
    broker.subscribe("t", "for $b in //book group by $y := $b/@year return <t y='{$y}'>{$b/author}</t>")
    whole = rows(broker.publish(BOOKS.items()).notifications)
    first = broker.publish(BOOKS.items(), spill=["//author"])
    later = broker.complete()
    assert rows(first.notifications) | rows(later.notifications) == {(*row, "whole") for row in whole}
    assert set(outputs(first)) == set() and set(outputs(later)) == {"m1", "m2"}


def test_units_of_documents_are_messages(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("q", "for $b in /book group by $k := 1 return <n>{count($b/author)}</n>")
    found = [outputs(each) for each in broker.publish_stream(BOOKS["m1"].encode().splitlines(True), split="//book", name="d")]
    assert {key: text for each in found for key, text in each.items()} == {"d#1": "<n>1</n>", "d#2": "<n>2</n>"}
    with pytest.raises(xpubsub.Error, match="what it computes may need the whole document"):
        list(broker.publish_stream([b"<a/>"], name="d"))


@pytest.mark.spark
def test_on_spark(connect: Connect) -> None:
    broker = connect("spark")
    broker.subscribe_many([("q", GROUPED), ("w", "for $b in //book where $b/price > 50 group by $k := 1 return count($b)")])
    for plan in ("partition", "sql"):
        result = broker.publish(BOOKS.items(), plan=plan)
        assert set(outputs(result)) == {"m1", "m2"} and outputs(result, "w") == {"m1": "1"}
        assert [(row["message_id"], row["code"]) for row in result.failed.to_pylist()] == [("m2", "FORG0001")]
    frame = broker._publisher._sessions.session.createDataFrame(list(BOOKS.items()), "id string, xml string")  # type: ignore[attr-defined]
    found, _, failed = broker.publish_frames(frame, failed=True)
    assert {row["message_id"] for row in found.collect() if row["subscription_id"] == "q"} == {"m1", "m2"}
    assert [row["subscription_id"] for row in failed.collect()] == ["w"]


NAMES, VALUES = "abc", ("x", "5", "1e1", "7", " 5 ", "", "y")


def drawn_message(draw: random.Random, depth: int = 3) -> str:
    def element(left: int) -> str:
        name = draw.choice(NAMES)
        attribute = f' k="{draw.choice(VALUES)}"' if draw.random() < 0.4 else ""
        inside = "".join(element(left - 1) for _ in range(draw.randrange(3))) if left else ""
        return f"<{name}{attribute}>{inside or draw.choice(VALUES)}</{name}>"
    return f"<r>{''.join(element(depth - 1) for _ in range(draw.randrange(1, 4)))}</r>"


def drawn_path(draw: random.Random, depth: int = 1) -> str:
    steps = [draw.choice(("/", "//")) + draw.choice((*NAMES, "*")) for _ in range(draw.randrange(1, 3))]
    if depth and draw.random() < 0.4:
        steps[-1] += f"[{drawn_condition(draw, '', depth - 1)}]"
    if draw.random() < 0.1:
        steps[-1] += draw.choice(("[1]", "[last()]", "/text()", "/@k", "/(a|b)"))
    return "".join(steps)


def drawn_condition(draw: random.Random, variable: str, depth: int = 1) -> str:
    below = draw.choice(("a", "b", "@k", "a/b", "*")) if not variable else f"{variable}{drawn_path(draw, depth)}"
    right = draw.choice(("'x'", "'5'", "5", "6", "'y'", "''"))
    forms = [below, f"{below} = {right}", f"{right} = {below}", f"exists({below})", f"not({below})",
             f"contains(({below})[1], 'x')", f"{below} {draw.choice(('!=', '<', '>=', '>'))} {right}",
             f"count({below}) > 1", f"(some $s in {below} satisfies $s = {right})", f"({below})[1] eq {right}"]
    made = draw.choice(forms)
    return f"{made} {draw.choice(('and', 'or'))} {draw.choice(forms)}" if draw.random() < 0.3 else made


def drawn_query(draw: random.Random) -> str:
    start = draw.choice(("", "doc('m.xml')"))
    second = draw.choice((f"for $b in $a{drawn_path(draw)}", f"let $b := $a{drawn_path(draw)}", "for $b in //*",
                          f"for $b at $i in distinct-values($a{drawn_path(draw)})", f"let $b := {start}{drawn_path(draw)}"))
    flower = f"for $a in {start}{drawn_path(draw)} {second} where {drawn_condition(draw, draw.choice(('$a', '$a')))}"
    flower += draw.choice(("", " order by string($a)", " group by $k := 1", " count $n"))
    flower += " return " + draw.choice(("<o>{count($a)}</o>", "count($b)", "()", "$a"))
    form = draw.choice(("{}", "<w>{{ {} }}</w>", "({})", "let $d := 1 return ({})", "<w>{{ {} }}{{ for $z in //c return 1 }}</w>",
                        "declare variable $v := 1; {}", "element w {{ {} }}"))
    return form.format(flower)


def brute(text: str, message: Any) -> tuple[str, str] | None:
    """What Saxon says with nothing but the message before it: an output, or the code of an error."""
    query = processor().new_xquery_processor()
    query.set_property("!omit-xml-declaration", "yes")
    query.set_context(xdm_item=message)
    query.set_query_content(text.replace("doc('m.xml')", "(/)"))
    try:
        return "output", query.run_query_to_string() or ""
    except Exception as error:
        return "error", str(error)


@pytest.mark.parametrize("seed", range(3))
def test_necessary_conditions_never_miss(connect: Connect, seed: int) -> None:
    draw = random.Random(seed)
    messages = {f"m{number}": drawn_message(draw) for number in range(25)}
    trees = {name: processor().parse_xml(xml_text=text) for name, text in messages.items()}
    queries = {f"q{number}": drawn_query(draw) for number in range(60)}
    broker = connect("duckdb")
    for text in queries.values():
        assert query_way(text, {}, Limits(), UNSUPPORTED).text
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patched:
        patched.setattr(Compiler, "advised_transformation", refusing)
        broker.subscribe_many(queries.items())
    result = broker.publish(messages.items())
    found = {(row["message_id"], row["subscription_id"]): ("output", row["output"]) for row in result.notifications.to_pylist()}
    found |= {(row["message_id"], row["subscription_id"]): ("error", "") for row in result.failed.to_pylist()}
    checked = 0
    for name, text in queries.items():
        for message, tree in trees.items():
            said, got = brute(text, tree), found.get((message, name))
            if got is not None:
                assert said is not None and got[0] == said[0] and (got[0] == "error" or got[1] == said[1]), (text, messages[message])
            elif said is not None:
                condition = necessary_text(read_module(text))
                silent = said[1] in ("", "<w/>") if said[0] == "output" else condition is not None
                assert silent, (text, messages[message], said, condition)
            checked += got is not None and got[1] not in ("", "<w/>")
    assert checked > 100


def refusing(self: Compiler, text: str) -> Any:
    raise UNSUPPORTED
