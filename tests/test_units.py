"""Cutting documents into units: the elements that lxml selects, whatever the chunks, encodings and errors."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterator

import pytest
from lxml import etree

from xpubsub.errors import Error, QuerySyntaxError, UnsupportedError
from xpubsub.language.xpath.split import split_path
from xpubsub.limits import Limits
from xpubsub.shred.units import Unit, UnitCutter

NAMESPACES = {"p": "urn:p", "q": "urn:q"}
PATHS = ["//a", "/r/a", "/r//b", "//p:a", "/*/*", "//*:b", "//q:*", "/r/b//a", "//a//b", "//*", "/r/*/p:a", "/x"]
XML = "{http://www.w3.org/XML/1998/namespace}"


def cut(chunks: list[bytes] | list[str], path: str = "//a", limits: Limits | None = None, **how: bool) -> list[Unit]:
    cutter = UnitCutter([split_path(path, NAMESPACES)], limits or Limits(), **how)
    found = [unit for chunk in chunks for unit in cutter.feed(chunk)]
    return [*found, *cutter.close()]


def document(seed: int) -> str:
    """A random document, recursive, with namespaces, comments, CDATA sections and attributes."""
    rng = random.Random(seed)

    def element(depth: int, name: str = "") -> str:
        name = name or rng.choice(["a", "b", "c", "p:a", "q:b"])
        attributes = [' x="&lt;>y"', ' p:y=\'"\'', ' xml:lang="de"', ' xml:space="preserve"', ' xml:base="d/"',
                      ' xmlns:q="urn:other"', ' xmlns="urn:p"', ' xmlns=""', "\n z='ä'"]
        tag = name + "".join(rng.sample(attributes, rng.choice([0, 0, 0, 1, 2, 4])))
        tag = tag.replace(' xmlns=""', "", tag.count(' xmlns="') - 1)
        if rng.random() < 0.2:
            return f"<{tag}/>"
        texts = ["", "\n", "é", "<!-- <a> -->", "<![CDATA[</a>]]>", "<?pi <a?>", "&amp;", "t" * 30]
        inner = "".join(
            element(depth + 1) if depth < 5 and rng.random() < 0.5 else rng.choice(texts)
            for _ in range(rng.randrange(5)))
        return f"<{tag}>{inner}</{name} >"

    root = f'<r xmlns:p="urn:p" xmlns:q="urn:q"{rng.choice(["", " xml:lang=" + chr(34) + "en" + chr(34)])}>'
    prolog = rng.choice(["", "<?xml version='1.0'?>\n", "<!-- <a/> -->"])
    return f"{prolog}{root}{''.join(element(1) for _ in range(rng.randrange(6)))}</r>\n<!-- end -->"


def expected(text: str, path: str) -> list[etree._Element]:
    """What lxml selects, without elements inside others."""
    root = etree.fromstring(text.encode())
    selected = root.getroottree().xpath(path.replace("*:b", "*[local-name()='b']"), namespaces=NAMESPACES)
    chosen = set(selected)
    return [each for each in selected if not chosen & set(each.iterancestors())]


def canonical(element: etree._Element) -> bytes:
    """The element outside its document, with what it inherits."""
    alone = etree.fromstring(etree.tostring(element, with_tail=False))
    for name in ("lang", "space"):
        for ancestor in element.iterancestors():
            if (value := ancestor.get(XML + name)) is not None and alone.get(XML + name) is None:
                alone.set(XML + name, value)
    if alone.get(XML + "base") is None and element.base is not None:
        alone.set(XML + "base", element.base)
    return etree.tostring(alone, method="c14n", exclusive=True)


def pieces(rng: random.Random, data: bytes) -> Iterator[bytes]:
    """The data in random pieces, some of them empty."""
    while data:
        size = rng.choice([0, 1, 1, 2, 5, 17, 1000])
        yield data[:size]
        data = data[size:]


@pytest.mark.parametrize("seed", range(150))
def test_units_are_what_lxml_selects_wherever_chunks_end(seed: int) -> None:
    rng = random.Random(seed)
    text = document(seed)
    for path in rng.sample(PATHS, 5):
        units = cut(list(pieces(rng, text.encode())), path)
        assert [unit.number for unit in units] == list(range(1, len(units) + 1))
        assert [unit.refusal for unit in units] == [None] * len(units)
        wanted = expected(text, path)
        made = [etree.tostring(etree.fromstring(unit.xml), method="c14n", exclusive=True) for unit in units]
        assert made == [canonical(element) for element in wanted]
        assert [unit.line for unit in units] == [first_line(element) for element in wanted]


def first_line(element: etree._Element) -> int:
    """The line on which a start tag begins; lxml gives the one on which it ends."""
    return int(element.sourceline or 0) - ("z" in element.attrib)


@pytest.mark.parametrize("seed", range(30))
def test_enveloped_units_have_the_same_paths_as_in_the_document(seed: int) -> None:
    text = document(seed)
    for path in PATHS:
        for unit, element in zip(cut([text], path, enveloped=True), expected(text, path), strict=True):
            alone = etree.fromstring(unit.xml)
            found = alone
            for _ in range(len(list(element.iterancestors()))):
                [found] = found
            assert [each.tag for each in found.iterancestors()] == [each.tag for each in element.iterancestors()]
            assert [each.attrib for each in found.iterancestors()] == [each.attrib for each in element.iterancestors()]
            assert etree.tostring(found, method="c14n") == etree.tostring(element, method="c14n", with_tail=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "cp1252",
                                      "koi8-r", "shift_jis", "gb18030"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_encodings(encoding: str, size: int) -> None:
    letters = {"koi8-r": "Ж", "shift_jis": "日"}.get(encoding, "é")
    declared = encoding.removesuffix("-sig").removesuffix("-le")
    text = f'<?xml version="1.0" encoding="{declared}"?><r><a x="{letters}">{letters}</a>{letters}<a/></r>'
    data = text.encode(encoding)
    units = cut([data[at : at + size] for at in range(0, len(data), size)])
    assert [unit.xml.decode() for unit in units] == [f'<a x="{letters}">{letters}</a>', "<a/>"]


def test_a_str_is_read_whatever_it_declares() -> None:
    text = '<?xml version="1.0" encoding="koi8-r"?><r><a>é</a></r>'
    assert [unit.xml.decode() for unit in cut(list(text))] == ["<a>é</a>"]


@pytest.mark.parametrize(("data", "code", "line", "column"), [
    (b"<r>\n<a/><a/><b></r>", "not-well-formed", 2, 14),
    (b"<r>\n<a/><a/>\n  <a>", "not-well-formed", 3, 6),
    (b"<r>\n<a/><a/>", "not-well-formed", 2, 9),
    (b"<r>\n<a/><a/></r>\n<r/>", "not-well-formed", 3, 1),
    (b"<r>\n<a/><a/><a>\xff</a></r>", "encoding", 2, 12),
    (b"<r>\n<a/><a/><a>&x;</a></r>", "not-well-formed", 2, 12),
    (b"<r>\n<a/><a/><p:a/></r>", "not-well-formed", 2, 9),
    (b"<?xml version='1.0' encoding='shift_jis'?><r>\n<a/><a/> \xff</r>", "encoding", 2, 10),
])
@pytest.mark.parametrize("size", [1, 1000])
def test_what_comes_before_an_error_is_cut(data: bytes, code: str, line: int, column: int, size: int) -> None:
    *good, bad = cut([data[at : at + size] for at in range(0, len(data), size)])
    assert [unit.xml for unit in good] == [b"<a/>", b"<a/>"]
    assert bad.number == 3
    assert bad.refusal is not None
    assert (bad.refusal[0], *bad.refusal[2:]) == (code, line, column)


@pytest.mark.parametrize(("data", "code"), [
    (b"", "not-well-formed"),
    (b"<!DOCTYPE r [<!ENTITY e 'x'>]><r><a>&e;</a></r>", "entities-forbidden"),
    (b"<?xml version='1.0' encoding='klingon'?><r/>", "encoding"),
    (b"<?xml version='1.0' encoding='utf-16'?><r/>", "encoding"),
    (codecs.BOM_UTF16_LE + "<?xml version='1.0' encoding='latin-1'?><r/>".encode("utf-16-le"), "encoding"),
    (b"\x00\x00", "not-well-formed"),
])
def test_a_document_that_cannot_be_read_at_all(data: bytes, code: str) -> None:
    [bad] = cut([data])
    assert bad.number == 1
    assert bad.refusal is not None
    assert bad.refusal[0] == code


def test_nothing_comes_after_an_error() -> None:
    cutter = UnitCutter(["//a"], Limits())
    assert [unit.refusal is None for unit in cutter.feed(b"<r><a/></b>")] == [True, False]
    assert cutter.ended
    assert cutter.feed(b"<a/>") == cutter.close() == []


def test_a_document_type_holds_in_each_unit() -> None:
    text = '<!DOCTYPE r [\n<!ATTLIST a k NMTOKENS "d e">\n]>\n<r>\n <a k="  x   y "/><a/></r>'
    units = cut([text])
    assert [etree.fromstring(unit.xml).get("k") for unit in units] == ["x y", "d e"]
    assert [unit.place(3, 4) for unit in units] == [(5, 3), (5, 20)]
    external = "<!DOCTYPE r PUBLIC '-//x//' 'it\"s.dtd'><r><a>&e;</a></r>"
    assert [unit.xml for unit in cut([external])] == [b"<!DOCTYPE r PUBLIC \"-//x//\" 'it\"s.dtd'><a>&e;</a>"]


def test_a_document_type_can_be_forbidden() -> None:
    [bad] = cut(["<!DOCTYPE r><r><a/></r>"], limits=Limits(forbid_dtd=True))
    assert bad.refusal is not None
    assert bad.refusal[0] == "dtd-forbidden"


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_unit_that_is_too_large_is_refused_and_the_next_is_cut(size: int) -> None:
    text = "<r>\n<a>1</a> <a>" + "<b>2</b>" * 1000 + "</a>" + "t" * 1000 + "<a>3</a></r>"
    first, large, last = cut([text[at : at + size] for at in range(0, len(text), size)], limits=Limits(max_bytes=100))
    assert (first.xml, last.xml) == (b"<a>1</a>", b"<a>3</a>")
    assert large.refusal == ("limit-bytes", "larger than 100 bytes (max_bytes)", 2, 10)


def test_a_unit_of_just_the_largest_size() -> None:
    limits = Limits(max_bytes=12)
    for size in (1, 3, 100):
        text = "<r><a>12345</a><a>123456</a></r>"
        fits, not_ = cut([text[at : at + size] for at in range(0, len(text), size)], limits=limits)
        assert fits.xml == b"<a>12345</a>"
        assert not_.refusal is not None


def test_what_is_kept_is_bounded() -> None:
    limits = Limits(max_bytes=10_000, max_depth=50)
    cutter = UnitCutter(["/r/a"], limits)
    chunks = [b"<r>", *[b"text <b/>" * 100] * 500, b"<a>", *[b"<c>more</c>" * 100] * 500, b"</a>"]
    most = 0
    for chunk in chunks:
        cutter.feed(chunk)
        most = max(most, sum(len(piece) for _, piece in cutter._kept._pieces))
    assert most < 15_000
    cutter, most = UnitCutter(["/r/a"], limits), 0
    units = b"<r>" + b"<a>some content</a>" * 5000
    for at in range(0, len(units), 1000):
        cutter.feed(units[at : at + 1000])
        most = max(most, sum(len(piece) for _, piece in cutter._kept._pieces))
    assert most < 3_000, "units that span chunks do not make the next chunks stay"
    deep = cut([b"<r><a>" + b"<c>" * 5000, b"<c>" * 5000], "/r/a", limits)
    assert [unit.refusal and unit.refusal[0] for unit in deep] == ["limit-depth"]
    [long] = cut([b"<r><b x='", *[b"y" * 1000] * 50], "/r/a", limits)
    assert long.refusal is not None
    assert long.refusal[0] == "limit-bytes"
    [nested] = cut([b"<b>" * 100], "/r/a", limits)
    assert nested.refusal is not None
    assert (nested.refusal[0], nested.refusal[3]) == ("limit-depth", 151)


def test_a_long_token_in_small_chunks_is_not_read_again_each_time() -> None:
    text = "<r><a x='" + "y" * 1_000_000 + "'/></r>"
    [unit] = cut([text[at : at + 500] for at in range(0, len(text), 500)])
    assert len(unit.xml) == 1_000_000 + len("<a x=''/>")


def test_places_in_a_unit_are_those_of_the_document() -> None:
    text = "<r xmlns:p='urn:p'\n xml:lang='en'>\n\n  ä<a\n x='1'>é<b/>\n</a></r>"
    [unit] = cut([text])
    message = unit.xml.decode()
    lines, document_lines = message.split("\n"), text.split("\n")
    for mark in ("x=", "<b/>", "é", "</a>"):
        [line] = [number for number, each in enumerate(lines, 1) if mark in each]
        [wanted] = [number for number, each in enumerate(document_lines, 1) if mark in each]
        column = document_lines[wanted - 1].index(mark) + 1
        assert unit.place(line, lines[line - 1].index(mark) + 1) == (wanted, column)
    assert unit.place(1, 1) == (4, 4)
    assert unit.place(None, None) == (None, None)
    [enveloped] = cut([text], enveloped=True)
    assert enveloped.place(1, 5) == (4, 4)


@pytest.mark.parametrize(("path", "column"), [
    ("/r/a[1]", 5), ("/r/a[b]", 5), ("/r/@a", 4), ("//text()", 3), ("/", 1), ("a or b", 1), ("//attribute::x", 3),
])
def test_other_paths_are_refused(path: str, column: int) -> None:
    with pytest.raises(UnsupportedError) as error:
        split_path(path)
    assert error.value.column == column


def test_a_wrong_path() -> None:
    with pytest.raises(QuerySyntaxError, match="namespaces="):
        split_path("/r/z:a")
    with pytest.raises(QuerySyntaxError):
        split_path("")


def test_a_source_of_other_things() -> None:
    with pytest.raises(Error, match="not int"):
        cut([1])  # type: ignore[list-item]
    with pytest.raises(Error, match="all be str"):
        cut([b"<r>", "</r>"])  # type: ignore[list-item]
