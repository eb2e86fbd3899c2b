"""Spilled elements are skipped while a message is read: what is read is what an undisturbed run reads, and no more."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.flwr_generate import Documents
from xpubsub.jobs.publish.shredding import Paths, shredded_by
from xpubsub.language.holes import pieces_of, uncut
from xpubsub.limits import Limits
from xpubsub.match.path_matches import LinearUse
from xpubsub.match.uses import COPY, EXISTS, VALUE
from xpubsub.shred import reading
from xpubsub.shred.handlers import token_handlers
from xpubsub.shred.leaps import NO_PLACES, Leaps
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.tagpaths import TagPathCache

ALL = {path: LinearUse(EXISTS | VALUE | COPY) for path in ("//*", "//@*", "//text()", "/")}
CANDIDATES = ("/r/a", "//b", "//a/b", "/r/*/c", "//c//d", "//{urn:p}a", "//*:b", "/r", "/*/*/*")


def shredded(xml: object, spill: tuple[str, ...] = (), *, marking: bool = False, linear: Any = ALL,
             limits: Limits = Limits(), copying: bool = True) -> MessageShredder:  # noqa: B008
    cache = TagPathCache({}, lambda: linear, limits, copying=copying)
    cache.spill(spill, marking=marking)
    shredder = MessageShredder(cache, limits)
    shredder.shred([(1, "m", xml)])
    return shredder


@pytest.mark.parametrize("seed", range(60))
def test_what_is_read_is_what_an_undisturbed_run_reads_around_the_spilled_elements(seed: int) -> None:
    """The rows of the invariant: skipped rows are those inside spilled elements, others keep their order."""
    random = Random(seed)
    xml = Documents(random).document()
    spill = tuple(random.sample(CANDIDATES, random.randrange(1, 3)))
    full, skipped, marked = shredded(xml), shredded(xml, spill), shredded(xml, spill, marking=True)
    assert marked.rows == full.rows
    ranges = [(root.node_id, root.last_id) for root in marked.spilled]
    assert [root[1:3] for root in skipped.spilled] == [root[1:3] for root in marked.spilled]
    present = [row for row in full.rows if not any(first <= row[2] <= last for first, last in ranges)]
    renamed = {row[2]: other[2] for row, other in zip(sorted(present, key=by_id), sorted(skipped.rows, key=by_id), strict=True)}
    renamed |= {root.node_id: other.node_id for root, other in zip(marked.spilled, skipped.spilled, strict=True)}
    assert sorted(renamed.values()) == [renamed[each] for each in sorted(renamed)]
    above = {node for root in marked.spilled for node in (0, *root.above)}
    for before, after in zip(present, skipped.rows, strict=True):
        assert (before[1], tuple(map(renamed.get, before[3]))) == (after[1], after[3])
        assert before[4] == after[4] or before[2] in above
    for root, other in zip(marked.spilled, skipped.spilled, strict=True):
        assert tuple(map(renamed.get, root.above)) == other.above
    copies(full, skipped, marked, renamed, ranges)


def by_id(row: Any) -> int:
    return int(row[2])


def copies(full: MessageShredder, skipped: MessageShredder, marked: MessageShredder, renamed: Any, ranges: Any) -> None:
    """Copies have cuts where elements are missing; the texts between cuts, and of cuts, are those of whole copies."""
    whole = {row[1]: row[2] for row in full._nodes.copies}
    cut = {row[1]: row[2] for row in skipped._nodes.copies}
    for _, node_id, text, _ in marked._nodes.copies:
        assert uncut(text) == whole[node_id]
        if not any(first <= node_id <= last for first, last in ranges):
            ours, theirs = pieces_of(cut[renamed[node_id]]), pieces_of(text)
            assert [piece[:2] for piece in ours] == [piece[:2] for piece in theirs]
            assert all(piece[2] is None for piece in ours)


def test_a_skipped_element_costs_no_row_and_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = "".join(f"<c k='{n}'>text {n}<d/></c>" for n in range(1000))
    xml = f"<a><b>{inside}</b><e>1</e></a>"
    tokens: list[str] = []

    def counting(*given: Any) -> Any:
        handlers = token_handlers(*given)

        def start(name: str, attributes: list[str]) -> None:
            tokens.append(name)
            handlers.start(name, attributes)

        def characters(data: str) -> None:
            tokens.append(data)
            handlers.characters(data)
        return handlers._replace(start=start, characters=characters)

    monkeypatch.setattr(reading, "token_handlers", counting)
    rows = len(shredded(xml).rows)
    assert (rows, len(tokens)) == (4005, 3004)
    tokens.clear()
    rows = len(shredded(xml, ("/a/b",)).rows)
    assert (rows, len(tokens)) == (4, 3), "the document, a, e and its text; the tags of a and e, and a text"


@pytest.mark.parametrize(("xml", "code"), [
    ("<a><b><c></b></a>", "not-well-formed"), ("<a><b>&x;</b></a>", "not-well-formed"),
    ("<a><b>" + "<c>1</c>" * 50 + "</c></b></a>", "not-well-formed"),
    ("<a><b>" + "<c>1</c>" * 50 + "&x;</b></a>", "not-well-formed"),
    ("<a><b>" + "<c>1</c>" * 50 + "<b </b></a>", "not-well-formed"),
    ("<a><b>" + "<p:c>1</p:c>" * 50 + "</b></a>", "not-well-formed"),
    ("<a><b>" + "x" * 100 + "]]></b></a>", "not-well-formed"),
    (b"<a><b>" + b"x" * 100 + b"\xff</b></a>", "encoding"),
    (b"<a><b>\xff</b></a>", "encoding"),
])
def test_what_is_wrong_inside_a_spilled_element_is_found(xml: object, code: str) -> None:
    shredder = shredded(xml, ("/a/b",))
    assert shredder.rejected()["code"].to_pylist() == [code]
    assert not shredder.rows and not shredder.spilled and not shredder.units
    assert shredded(xml).rejected()["code"].to_pylist() == [code]


@pytest.mark.parametrize(("inside", "code"), [
    ("<c>" * 300 + "</c>" * 300, "limit-depth"), ("<c " + " ".join(f"k{n}=''" for n in range(1001)) + "/>", "limit-attributes"),
    ("<c/>" * 300, "limit-nodes"),
])
def test_limits_on_what_is_read_hold_inside_a_spilled_element_once_it_is_read(inside: str, code: str) -> None:
    xml, limits = f"<a><b>{inside}</b></a>", Limits(max_nodes=2_100 if code == "limit-attributes" else 300 if "nodes" in code else 1_000)
    assert not shredded(xml, ("/a/b",), limits=limits).rejected().num_rows
    for marking in (True, False):
        given = ("/a/b",) if marking else ()
        assert shredded(xml, given, marking=marking, limits=limits).rejected()["code"].to_pylist() == [code]


PIECES = ("<b>", "</b>", "<b k='>'/>", "<b k='/'>", "</b >", "<bb>", "</bb>", "<c>", "</c>", "<p:b xmlns:p='urn:p'>", "</p:b>", "<b/>",
          "<!-- <b> -->", "<!-- </b> -->", "<![CDATA[</b>]]>", "<?i <b> ?>", "x", "]", "]]", "\r", "\r\n", "&amp;", "é", "y" * 100, "<c/>" * 30)


@pytest.mark.parametrize("seed", range(10))
def test_leaping_over_elements_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks like a tag in a comment, elements of the same name in each other, what is not well-formed."""
    random = Random(seed)
    texts = ["<r>" + "".join(random.choices(PIECES, k=random.randrange(1, 14))) + "</r>" for _ in range(40)]
    texts += [f"<r><b>{''.join(random.choices(PIECES[16:], k=6))}</b>{random.choice(PIECES)}<b>{'z' * 99}</b></r>" for _ in range(20)]
    leapt = 0
    for xml in texts:
        for spill in (("//b",), ("//{urn:p}b", "/r/c"), ("/*/*:b",)):
            for marking in (False, True):
                found = [shredded(xml.encode(), spill, marking=marking)]
                with monkeypatch.context() as patch:
                    patch.setattr(Leaps, "of", lambda *_: NO_PLACES)
                    found.append(shredded(xml.encode(), spill, marking=marking))
                assert found[0].spilled == found[1].spilled and found[0].rows == found[1].rows, (xml, spill)
                assert found[0]._nodes.copies == found[1]._nodes.copies and found[0].units == found[1].units
                refused = [each.rejected()["reason"].to_pylist() for each in found]
                assert refused[0] == refused[1], (xml, spill)
                leapt += bool(Leaps(spill).of(xml.encode()).ends and found[0].spilled)
    assert leapt > 10


def test_messages_with_defaults_of_a_dtd_or_with_holes_are_read_whole() -> None:
    dtd = '<!DOCTYPE a [<!ATTLIST c k CDATA "1">]><a><b><c/></b></a>'
    holes = '<a xmlns:x="urn:xpubsub:spill"><b><x:hole/></b></a>'
    for xml in (dtd, holes):
        shredder = shredded(xml, ("/a/b",))
        assert not shredder.spilled and shredder.rows == shredded(xml).rows


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8"])
def test_encodings(encoding: str) -> None:
    xml = f"<?xml version='1.0' encoding='{encoding}'?><a>é<b>ü<c/></b>ß</a>".encode(encoding)
    [root] = shredded(xml, ("/a/b",)).spilled
    assert (root.tagpath, root.node_id, root.above) == ("/a/b", 3, (1,))
    copy = next(row[2] for row in shredded(xml, ("/a/b",))._nodes.copies if row[1] == 1)
    assert pieces_of(copy) == [("<a>é", 0, None), ("ß</a>", None, None)]
    assert len(shredded(xml, ("/a/b",), copying=False).spilled) == 1


@pytest.mark.parametrize("marking", [False, True])
def test_another_process_skips_the_same(marking: bool) -> None:
    """The paths that are spilled travel with the paths of the store, and what was skipped comes back."""
    cache = TagPathCache({}, lambda: ALL, Limits(), copying=True)
    cache.spill(["//b"], marking=marking)
    messages = [(n, f"m{n}", Documents(Random(n)).document()) for n in range(5)]
    here, there = MessageShredder(cache, Limits()), MessageShredder(cache, Limits())
    here.shred(messages)
    there.include(shredded_by(Paths.of(cache, Limits()).cache(), Limits(), messages))
    assert here.spilled and here.spilled == there.spilled and here.units == there.units
    assert here.nodes().equals(there.nodes()) and here.copies().equals(there.copies())
