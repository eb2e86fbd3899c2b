"""Schemas in a store: registered, listed, merged, removed, kept by gc; and the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

import xpubsub
from xpubsub.cli.program import program
from xpubsub.jobs.schemas import load_schema
from xpubsub.step import Step

BOOK = """<!ELEMENT book (title, section+)> <!ELEMENT section (title, (p | section)*)> <!ELEMENT title (#PCDATA)> <!ELEMENT p (#PCDATA)>"""
BIB = "<!ELEMENT bib (book*)> <!ELEMENT book (title, price)> <!ELEMENT title (#PCDATA)> <!ELEMENT price (#PCDATA)>"
ORDER = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="o" xmlns="o"><xs:include schemaLocation="types.xsd"/>
    <xs:element name="order" type="Order"/></xs:schema>"""
TYPES = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="o"><xs:complexType name="Order"><xs:sequence>
    <xs:element name="sku" type="xs:string"/></xs:sequence></xs:complexType></xs:schema>"""


def test_registered_listed_replaced_and_removed(connect: Callable[..., xpubsub.Broker]) -> None:
    engine = "duckdb"
    broker = connect(engine)
    assert broker.schemas() == {} and load_schema(broker.store) is None and broker.schema(None) is None
    changes = broker.store.engine.shared.changes
    book = broker.schema(BOOK)
    assert broker.store.engine.shared.changes == changes + 1, "publishers notice"
    order = broker.schema([ORDER, TYPES.encode()], name="orders")
    assert book is not None and order is not None
    assert broker.schemas() == {"": book, "orders": order} and broker.schema(BOOK) == book
    merged = load_schema(broker.store)
    assert merged is not None and merged.conforms(("{o}order", "sku")) and merged.conforms(("book", "section", "section"))
    bib = broker.schema(BIB)
    broker.subscribe("s1", "//book")
    broker.gc()
    broker.close()
    broker = connect(engine)
    assert broker.schemas() == {"": bib, "orders": order}
    assert broker.schema(None, name="orders") == order and broker.schema(None, name="orders") is None
    broker.schema(None)
    assert broker.schemas() == {} and load_schema(broker.store) is None
    broker.gc()
    assert broker.store.rows(Step("all", "select * from message_schema")) == [] and broker.list().num_rows == 1
    assert broker.publish([("m", "<book/>")]).notifications["subscription_id"].to_pylist() == ["s1"]


def test_a_call_that_was_not_completed_is_not_there() -> None:
    with xpubsub.connect(":memory:") as broker:
        with broker.store.engine.pipeline():
            broker.store.engine.load("row", pa.table({"call_no": [7], "name": [""], "definition": ["{}"]}))
            broker.store.append(("message_schema", Step("row", "select * from row")))
        assert broker.schemas() == {}
        book = broker.schema(BOOK)
        assert broker.schemas() == {"": book}
        [last] = broker.store.rows(Step("last", "select max(call_no) as call_no from completed_call"))
        assert last["call_no"] == 8


def test_a_schema_may_be_in_files(tmp_path: Path) -> None:
    for name, text in (("book.dtd", BOOK), ("order.xsd", ORDER), ("types.xsd", TYPES)):
        (tmp_path / name).write_text(text)
    with xpubsub.connect(":memory:") as broker:
        assert broker.schema(tmp_path / "book.dtd") == broker.schema(str(tmp_path / "book.dtd")) == broker.schema("\n " + BOOK)
        assert broker.schema([tmp_path / "order.xsd", tmp_path / "types.xsd"]) == broker.schema((ORDER, TYPES))
        with pytest.raises(xpubsub.SchemaError, match=r"order.xsd: types.xsd is not among the files given"):
            broker.schema(tmp_path / "order.xsd")
        assert broker.schemas() == {"": broker.schema((ORDER, TYPES))}, "what is refused changes nothing"


@pytest.mark.parametrize(("source", "reason"), [
    ("nosuch.dtd", "nosuch.dtd: No such file"), (7, "a schema must be text"), ([], "or several"), ([7], "not int"), ("a\0b", "null byte"),
    ("<a/>", "neither a DTD"), ({"a": 1}, "a schema must be text"),
])
def test_what_is_no_schema_is_refused(source: object, reason: str) -> None:
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match=reason):
        broker.schema(source)  # type: ignore[arg-type]


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(program, ["schema", *map(str, arguments)], prog_name="xpubsub")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_the_command(tmp_path: Path) -> None:
    store, book, order, types = (tmp_path / name for name in ("subs.duckdb", "book.dtd", "order.xsd", "types.xsd"))
    book.write_text(BOOK)
    order.write_text(ORDER)
    types.write_text(TYPES)
    assert run(store).exit_code == run(store, book).exit_code == 2, "there is no store, and none is made"
    assert not store.exists()
    xpubsub.connect(store).close()
    assert run(store, book).stdout == "registered the schema '': 4 elements, 1 of them recursive\n"
    assert run(store, order, types, "--name", "orders").stdout == "registered the schema 'orders': 2 elements, 0 of them recursive\n"
    assert run(store).stdout == "name\telements\trecursive_elements\n\t4\t1\norders\t2\t0\n"
    assert run(store, "--remove", "--name", "orders").stdout == "removed the schema 'orders'\n"
    assert run(store, "--remove", "--name", "orders").stderr == "note: there is no schema 'orders'\n"
    assert run(store).stdout == "name\telements\trecursive_elements\n\t4\t1\n"


def test_wrong_usage_of_the_command(tmp_path: Path) -> None:
    store, broken = tmp_path / "subs.duckdb", tmp_path / "broken.dtd"
    broken.write_text("<!ELEMENT a EMPTY>\n<!ELEMENT b (a>")
    xpubsub.connect(store).close()
    assert run(store, broken, "--remove").exit_code == 2
    result = run(store, broken)
    assert result.exit_code == 2 and "broken.dtd: " in result.stderr and "line 2, column" in result.stderr
    assert run(store, tmp_path / "nosuch.dtd").exit_code == 2
