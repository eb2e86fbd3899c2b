"""Schemas as element graphs: DTDs and XML schemas, what is refused, and lxml's validation as the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import product
from random import Random

import pytest
from lxml import etree

from xpubsub.errors import SchemaError
from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.schema.element_graph import Schema, loads, merge_schemas
from xpubsub.schema.reading import read_schema
from xpubsub.schema.source import LARGEST, SchemaFile

BIB = """
<!ELEMENT bib  (book* )>
<!ELEMENT book  (title,  (author+ | editor+ ), publisher, price )>
<!ATTLIST book  year CDATA  #REQUIRED >
<!ELEMENT author  (last, first )>
<!ELEMENT editor  (last, first, affiliation )>
<!ELEMENT title  (#PCDATA )> <!ELEMENT last  (#PCDATA )> <!ELEMENT first  (#PCDATA )>
<!ELEMENT affiliation  (#PCDATA )> <!ELEMENT publisher  (#PCDATA )> <!ELEMENT price  (#PCDATA )>
"""
BOOK = """<?xml version="1.0" encoding="utf-8"?>
<!-- <!DOCTYPE book SYSTEM "book.dtd"> -->
<!ELEMENT book (title, author+, section+)>
<!ELEMENT title (#PCDATA)>
<!ELEMENT author (#PCDATA)>
<!ELEMENT section (title, (p | figure | section)* )>
<!ATTLIST section id ID #IMPLIED difficulty CDATA #IMPLIED>
<!ELEMENT p (#PCDATA)>
<!ELEMENT figure (title, image)>
<!ELEMENT image EMPTY>
<!ATTLIST image source CDATA #REQUIRED >
"""
XS = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" {}>{}</xs:schema>'


def schema(*texts: str | bytes) -> Schema:
    return read_schema([SchemaFile(text) for text in texts])


def xsd(body: str, **attributes: str) -> str:
    written = " ".join(f'{name.replace("_", ":")}="{value}"' for name, value in attributes.items())
    return XS.format(written, body)


def graph(read: Schema) -> dict[str, str]:
    return {name: " ".join(sorted(children)) for name, children in sorted(read.elements.items())}


# DTDs

def test_bib_has_no_loops() -> None:
    bib = schema(BIB)
    assert bib.elements["book"] == {"title", "author", "editor", "publisher", "price"}
    assert bib.recursive() == frozenset() and bib.roots == set(bib.elements) and len(bib.elements) == 10
    assert bib.only_path("bib", "affiliation") == ("book", "editor", "affiliation")
    assert bib.only_path("bib", "last") is None and bib.only_path("author", "price") is None
    assert bib.only_path(None, "bib") == ("bib",) and bib.only_path(None, "book") is None, "any element may be the root"


def test_book_has_one() -> None:
    book = schema(BOOK)
    assert book.recursive() == {"section"}
    assert book.on_same_loop("section", "section") and not book.on_same_loop("section", "figure")
    assert book.only_path("figure", "image") == ("image",) and book.only_path("book", "image") is None
    assert book.conforms(("book", "section", "section", "figure", "image", "@source"))
    assert book.conforms(("section", "title", "text()")) and book.conforms(())
    assert not book.conforms(("book", "figure")) and not book.conforms(("book", "x")) and not book.conforms(("x", "@y"))


def test_a_document_names_its_root() -> None:
    read = schema(f"<?xml version='1.0'?>\n<!-- a --><!DOCTYPE bib [{BIB}]>\n<bib/>")
    assert read.roots == {"bib"} and read.only_path(None, "affiliation") == ("bib", "book", "editor", "affiliation")


def test_parameter_entities_inside_declarations() -> None:
    read = schema("""
        <!ENTITY % Extra ""> <!ENTITY % Inline "em | strong %Extra;"> <!ENTITY % Flow "(#PCDATA | %Inline; | p)*">
        <!ENTITY % more "INCLUDE"> <![%more;[ <!ELEMENT list (p)+> ]]> <![IGNORE[ <!ELEMENT gone (p)> ]]>
        <!ELEMENT p (#PCDATA | %Inline;)*> <!ELEMENT td %Flow;> <!ELEMENT em (#PCDATA)> <!ELEMENT strong (em?, (em | p)*)>""")
    assert graph(read) == {"em": "", "list": "p", "p": "em strong", "strong": "em p", "td": "em p strong"}
    assert read.recursive() == {"p", "strong"} and read.on_same_loop("p", "strong")


def test_any_mixed_and_empty() -> None:
    read = schema("<!ELEMENT a (b, c)><!ELEMENT b ANY><!ELEMENT c (#PCDATA)><!ELEMENT d EMPTY>")
    assert read.anything == {"b"} and graph(read) == {"a": "b c", "b": "", "c": "", "d": ""}
    assert read.conforms(("a", "b", "@x")) and not read.conforms(("a", "b", "c"))
    assert read.only_path("a", "c") is None, "there may be one in b"


def test_a_dtd_in_any_encoding() -> None:
    declared = '<?xml version="1.0" encoding="iso-8859-1"?><!ELEMENT \xe9 (a)><!ELEMENT a EMPTY>'
    for text in (declared, declared.encode("latin-1"), "<!ELEMENT \xe9 (a)><!ELEMENT a EMPTY>".encode("utf-16")):
        assert graph(schema(text)) == {"a": "", "\xe9": "a"}


@pytest.mark.parametrize(("text", "code", "reason"), [
    ('<!ENTITY % x SYSTEM "more.dtd">\n%x;<!ELEMENT a EMPTY>', "schema-external", "'more.dtd', which is not read"),
    ('<!DOCTYPE a SYSTEM "/etc/passwd" [<!ELEMENT a EMPTY>]><a/>', "schema-external", "/etc/passwd"),
    ('<!ENTITY % x PUBLIC "-//X//Y" "http://h/y">\n%x;<!ELEMENT a EMPTY>', "schema-external", "http://h/y"),
    ("<!ELEMENT a (b>", "schema-syntax", "syntax error"),
    ("<!ELEMENT a EMPTY>%nosuch;<!ELEMENT b (a)>", "schema-syntax", "%nosuch; is not declared"),
    ("<!ELEMENT f:a EMPTY>", "schema-namespace", "the prefix 'f' of f:a has no URI"),
    ("<!ELEMENT a (b)><!ELEMENT b EMPTY><!ATTLIST a xmlns CDATA #FIXED 'u'><!ATTLIST b xmlns CDATA 'v'>", "schema-namespace", "not one URI: 'u', 'v'"),
    ("<!ELEMENT a (b)><!ELEMENT b EMPTY><!ELEMENT c (b)><!ATTLIST a xmlns CDATA 'u'>", "schema-namespace", "b stands below .* in c"),
    (f"<!ELEMENT a {'(' * 20_000}b{')' * 20_000}>", "limit-schema", "nested deeper"),
    ("<!ELEMENT a EMPTY>" + " " * LARGEST, "limit-schema", "larger than"),
    ("<!ELEMENT a \ud800>", "schema-encoding", "surrogates"),
    ("<!ELEMENT a EMPTY>\xff".encode("latin-1"), "schema-encoding", "cannot be read"),
])
def test_dtds_that_are_refused(text: str | bytes, code: str, reason: str) -> None:
    with pytest.raises(SchemaError, match=reason) as caught:
        schema(text)
    assert caught.value.code == code


def test_an_error_has_its_place_and_its_file() -> None:
    with pytest.raises(SchemaError) as caught:
        read_schema([SchemaFile("<!ELEMENT a EMPTY>\n<!ELEMENT b (a >", "b.dtd")])
    assert (caught.value.line, caught.value.column) == (2, 16) and "b.dtd: " in str(caught.value)
    assert str(caught.value).endswith("  <!ELEMENT b (a >\n                 ^")


def test_an_external_entity_that_is_not_used_does_not_matter() -> None:
    assert graph(schema('<!ENTITY % x SYSTEM "x.dtd"><!ENTITY y SYSTEM "y.xml"><!ELEMENT a EMPTY>')) == {"a": ""}


@pytest.mark.parametrize(("entity", "reference", "use", "reason"), [
    ("%", "%{};", "<!ELEMENT a (%l9;)>", "become more than"), ("%", "&#37;{};", "<!ELEMENT a (%l9;)>", "cannot be bounded"),
    ("", "&#38;{};", "<!ELEMENT a ANY><!ATTLIST a x CDATA '&l9;'>", "cannot be bounded"), ("", "&{};", "<!ELEMENT a ANY><!ATTLIST a x CDATA '&l9;'>", ""),
])
@pytest.mark.parametrize("form", ["{}", "<!DOCTYPE a [{}]><a>&l9;</a>"])
def test_billion_laughs(entity: str, reference: str, use: str, reason: str, form: str) -> None:
    laughs = "".join(f'<!ENTITY {entity} l{n} "{reference.format(f"l{n - 1}") * 10}">' for n in range(1, 10))
    text = form.format(f'<!ENTITY {entity} l0 "{"lol " * 10}">{laughs}{use}')
    if not reason:
        assert graph(schema(text)) == {"a": ""}, "general entities are not expanded"
        return
    with pytest.raises(SchemaError, match=reason if form == "{}" else f"{reason}|illegal parameter entity reference"):
        schema(text)


def test_prefixes_of_a_dtd() -> None:
    read = schema("""<!ELEMENT f:trade (f:party*, note)> <!ELEMENT f:party (#PCDATA)> <!ELEMENT note EMPTY>
        <!ATTLIST f:trade xmlns:f CDATA #FIXED "http://x/{a}%"> <!ATTLIST f:party xmlns:f CDATA "http://x/{a}%">""")
    trade, party = (expanded_name("http://x/{a}%", local) for local in ("trade", "party"))
    assert trade == "{http://x/%7Ba%7D%25}trade" and read.roots == {trade, party, "note"}
    assert graph(read) == {trade: f"note {party}", party: "", "note": ""}


def test_a_default_namespace_of_a_dtd_reaches_down() -> None:
    read = schema("<!ELEMENT a (b*)><!ELEMENT b (a?)><!ELEMENT c (a, d)><!ELEMENT d EMPTY><!ATTLIST a xmlns CDATA #FIXED 'u'>")
    assert graph(read) == {"c": "d {u}a", "d": "", "{u}a": "{u}b", "{u}b": "{u}a"}
    assert read.roots == {"{u}a", "c", "d"}, "b has its namespace only from above"


# XML schemas

def test_global_local_named_and_anonymous() -> None:
    read = schema(xsd("""
        <xs:element name="order" type="t:Order"/>
        <xs:complexType name="Order"><xs:annotation/><xs:sequence>
          <xs:element name="item" maxOccurs="unbounded"><xs:complexType><xs:choice>
            <xs:element name="sku" type="xs:string"/> <xs:element ref="t:note"/> <xs:element name="q" form="unqualified"/>
            <xs:element name="never" maxOccurs="0"/> </xs:choice><xs:attribute name="id"/></xs:complexType></xs:element>
        </xs:sequence></xs:complexType>
        <xs:element name="note"><xs:simpleType><xs:restriction base="xs:string"/></xs:simpleType></xs:element>
        """, targetNamespace="u", xmlns_t="u", elementFormDefault="qualified"))
    assert graph(read) == {"q": "", "{u}item": "q {u}note {u}sku", "{u}note": "", "{u}order": "{u}item", "{u}sku": ""}
    assert read.roots == {"{u}order", "{u}note"} and read.anything == {"q"}, "an element without a type may hold anything"


def test_local_elements_are_unqualified_unless_said() -> None:
    body = '<xs:element name="a"><xs:complexType><xs:all><xs:element name="b" type="xs:int" {}/></xs:all></xs:complexType></xs:element>'
    assert graph(schema(xsd(body.format(""), targetNamespace="u")))["{u}a"] == "b"
    assert graph(schema(xsd(body.format('form="qualified"'), targetNamespace="u")))["{u}a"] == "{u}b"


DERIVED = xsd("""
    <xs:complexType name="Base"><xs:sequence><xs:element name="x" type="xs:int" minOccurs="0"/><xs:element name="y" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType>
    <xs:complexType name="More"><xs:complexContent><xs:extension base="Base"><xs:choice minOccurs="0"><xs:element name="z" type="Base"/></xs:choice></xs:extension></xs:complexContent></xs:complexType>
    <xs:complexType name="Less"><xs:complexContent><xs:restriction base="Base"><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
    <xs:complexType name="Text"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="k"/></xs:extension></xs:simpleContent></xs:complexType>
    <xs:element name="base" type="Base"/> <xs:element name="more" type="More"/> <xs:element name="less" type="Less"/> <xs:element name="text" type="Text"/>
""")


def test_extensions_restrictions_and_derived_types_in_place_of_their_base() -> None:
    read = graph(schema(DERIVED))
    assert read["more"] == "x y z" and read["less"] == "x" and read["text"] == ""
    assert read["base"] == read["z"] == "x y z", "xsi:type may say More"
    assert schema(DERIVED).on_loop("z")


def test_groups_and_substitution_groups() -> None:
    read = schema(xsd("""
        <xs:group name="G"><xs:sequence><xs:element ref="head"/><xs:group ref="H" minOccurs="0"/></xs:sequence></xs:group>
        <xs:group name="H"><xs:choice><xs:element name="h" type="xs:int"/><xs:group ref="G"/></xs:choice></xs:group>
        <xs:element name="doc"><xs:complexType><xs:group ref="G"/></xs:complexType></xs:element>
        <xs:element name="head" abstract="true"><xs:complexType><xs:sequence><xs:element name="in" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
        <xs:element name="one" substitutionGroup="head"/> <xs:element name="two" substitutionGroup="one" type="xs:int"/>"""))
    assert graph(read) == {"doc": "h one two", "h": "", "in": "", "one": "in", "two": ""}
    assert read.roots == {"doc", "one", "two"}, "an abstract element stands nowhere"


def test_wildcards_are_anything() -> None:
    read = schema(xsd("""<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" type="xs:anyType"/><xs:any/></xs:sequence></xs:complexType></xs:element>"""))
    assert read.anything == {"a", "b"} and read.conforms(("a", "b")) and not read.conforms(("a", "x")) and not read.conforms(("a", "b", "a"))


def test_local_elements_of_one_name_are_merged() -> None:
    read = schema(xsd("".join(f"""<xs:element name="{name}"><xs:complexType><xs:sequence><xs:element name="v"><xs:complexType><xs:sequence>
        <xs:element name="{name}{name}" type="xs:int"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>""" for name in "ab")))
    assert graph(read)["v"] == "aa bb"


MAIN = xsd("""<xs:include schemaLocation="part.xsd"/><xs:import namespace="v" schemaLocation="v.xsd"/>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="u:p"/><xs:element ref="v:q"/></xs:sequence></xs:complexType></xs:element>""",
    targetNamespace="u", xmlns_u="u", xmlns_v="v")
PART = xsd("""<xs:element name="p" type="P"/><xs:complexType name="P"><xs:sequence><xs:element ref="r"/></xs:sequence></xs:complexType><xs:element name="r" type="xs:int"/>""")
OTHER = xsd("""<xs:import namespace="u"/><xs:import namespace="http://www.w3.org/XML/1998/namespace"/><xs:element name="q" type="xs:int"/>""", targetNamespace="v")


def test_several_files() -> None:
    read = schema(OTHER, PART, MAIN)
    assert graph(read) == {"{u}a": "{u}p {v}q", "{u}p": "{u}r", "{u}r": "", "{v}q": ""}, "a file without a namespace takes that of the includer"


def test_redefine_adds_to_what_is_there() -> None:
    base = xsd('<xs:complexType name="P"><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType><xs:element name="p" type="P"/>')
    redefining = xsd("""<xs:redefine schemaLocation="base.xsd"><xs:complexType name="P"><xs:complexContent><xs:extension base="P">
        <xs:sequence><xs:element name="y" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>""")
    assert graph(schema(base, redefining))["p"] == "x y"


@pytest.mark.parametrize(("texts", "code", "reason"), [
    ([MAIN, PART], "schema-missing", r"the schema of the namespace 'v' \(v.xsd\) is not among the files"),
    ([MAIN, OTHER], "schema-missing", "part.xsd is not among the files"),
    ([xsd('<xs:element name="a" type="T"/>')], "schema-missing", "the type T is not defined"),
    ([xsd('<xs:element name="a" type="t:T"/>', xmlns_t="t")], "schema-missing", "the type T of the namespace 't' is not"),
    ([xsd('<xs:element name="a" type="t:T"/>')], "schema-invalid", "the prefix of t:T is not declared"),
    ([xsd('<xs:element name="a" substitutionGroup="b"/>')], "schema-missing", "the element b is not"),
    ([xsd("<xs:override schemaLocation='x'/>")], "schema-unsupported", "override"),
    ([xsd("<xs:complexType name='T'><xs:sequence/><xs:assert test='1'/></xs:complexType>")], "schema-unsupported", "assert"),
    ([xsd("<xs:element type='xs:int'/>")], "schema-invalid", "a global element has a name"),
    (["<xs:schema"], "schema-syntax", "unclosed token"), (["<bib/>"], "not-a-schema", "neither a DTD"), ([""], "schema-syntax", "no element"),
    (["<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"], "schema-external", "entities and other files are refused"),
    (["<a>" * 200], "limit-schema", "nested deeper"),
])
def test_schemas_that_are_refused(texts: list[str], code: str, reason: str) -> None:
    with pytest.raises(SchemaError, match=reason) as caught:
        schema(*texts)
    assert caught.value.code == code


def test_an_error_in_a_schema_has_its_place() -> None:
    with pytest.raises(SchemaError) as caught:
        schema(xsd('\n  <xs:element name="a" type="T"/>'))
    assert (caught.value.line, caught.value.column) == (2, 3)


# As a whole

def test_loops_are_what_reaches_itself() -> None:
    for random in map(Random, range(300)):
        edges = {name: frozenset(random.sample("abcdef", random.choice((0, 0, 1, 1, 2)))) for name in "abcde"}
        read = Schema(edges, frozenset("a"))
        assert read.recursive() == {name for name in "abcdef" if name in read.below(name)}
        for one, other in product("abcdef", repeat=2):
            assert read.on_same_loop(one, other) == (one in read.below(other) and other in read.below(one))


def test_a_deep_graph_needs_no_deep_stack() -> None:
    chain = Schema({f"e{n}": frozenset({f"e{n + 1}"}) for n in range(5000)}, frozenset({"e0"}))
    assert len(chain.only_path(None, "e5000") or ()) == 5001 and not chain.recursive()


def test_dumps_is_canonical() -> None:
    read = schema(BOOK)
    assert loads(read.dumps()) == read and hash(loads(read.dumps())) == hash(read)
    turned = Schema(dict(reversed(read.elements.items())), read.roots)
    assert turned.dumps() == read.dumps()


def test_merge_is_the_union() -> None:
    both = schema(BOOK, BIB)
    assert both == merge_schemas([schema(BIB), schema(BOOK)]) and both.elements["book"] == schema(BIB).elements["book"] | schema(BOOK).elements["book"]
    assert merge_schemas([]).conforms(()) and not merge_schemas([]).conforms(("a",))


# lxml as the judge

def tagpaths(element: etree._Element, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    path = (*above, element.tag)
    yield path
    for child in element:
        yield from tagpaths(child, path)


def tree(random: Random, names: str, types: tuple[str, ...] = ("",), depth: int = 4) -> str:
    children = "".join(tree(random, names, types, depth - 1) for _ in range(random.choice((0, 1, 1, 2)) if depth else 0))
    name = random.choice(names)
    return f"<{name}{random.choice(types)}>{children}</{name}>"


def check(read: Schema, valid: Callable[[etree._Element], bool], documents: Iterable[str]) -> int:
    """Each document that lxml finds valid conforms, but for what lies below ANY content; returns how many there are."""
    found = [document for document in map(etree.fromstring, documents) if valid(document)]
    for document in found:
        paths = [path for path in tagpaths(document) if not read.anything & set(path[:-1])]
        assert all(map(read.conforms, paths)), etree.tostring(document)
    return sum(len(document) > 0 for document in found)


CONTENT = ("EMPTY", "ANY", "(#PCDATA)", "(#PCDATA | {0} | {1})*", "({0} | {1})*", "({0}?, {1}*)", "(({0}, {1}) | {1}?)", "({0}*)")


def test_documents_that_are_valid_by_a_dtd_conform() -> None:
    valid = 0
    for random in map(Random, range(60)):
        text = "".join(f"<!ELEMENT {name} {random.choice(CONTENT).format(*random.sample('abc', 2))}>" for name in "abc")
        valid += check(schema(text), etree.DTD(StringIO(text)).validate, [tree(random, "abc") for _ in range(60)])
    assert valid > 300


def test_documents_that_are_valid_by_an_xml_schema_conform() -> None:
    valid = 0
    typed = (*[""] * 6, *(f' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="{name}"' for name in "ABC"))
    for random in map(Random, range(60)):
        text = xsd("".join(definition(random, name) for name in "abc"))
        judge = etree.XMLSchema(etree.fromstring(text))
        valid += check(schema(text), judge.validate, [tree(random, "aabcde", typed) for _ in range(60)])
    assert valid > 100


def definition(random: Random, name: str) -> str:
    """A global element and its type: a choice of elements, a group, or an extension of another type."""
    local = f'<xs:element name="d" type="{random.choice(("xs:string", "A", "C"))}"/>'
    group = f'<xs:group name="{name}"><xs:choice>{local}</xs:choice></xs:group>'
    particles = [*(f'<xs:element ref="{each}"/>' for each in "abc"), random.choice((local, f'<xs:group ref="{name}"/>'))]
    content = f'<xs:choice minOccurs="0" maxOccurs="unbounded">{"".join(random.sample(particles, 2))}</xs:choice>'
    if name == "c":
        content = f'<xs:complexContent><xs:extension base="{random.choice("AB")}"/></xs:complexContent>'
        group += f'<xs:element name="e" substitutionGroup="{random.choice("ab")}"/>'
    return f'{group}<xs:complexType name="{name.upper()}">{content}</xs:complexType><xs:element name="{name}" type="{name.upper()}"/>'
