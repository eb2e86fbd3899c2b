"""Stores reference tables, and reads which of their columns subscriptions name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from xpubsub.errors import UnsupportedError
from xpubsub.language.reference import named_columns
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import Path
from xpubsub.limits import Limits
from xpubsub.match.keys import KeyPath, KeyPaths
from xpubsub.step import file_step
from xpubsub.store.store import Store

VISIBLE_REFERENCE = file_step("visible_reference", reused=True)
KEPT_VALUES, KEPT_TABLES = file_step("kept_reference_value"), file_step("kept_reference_table")


_INSTEAD = "write a path of elements, or of an attribute, such as //cac:Party/cbc:ID or //stock/@symbol"


def key_path(text: str, namespaces: Mapping[str, str], limits: Limits) -> str:
    """Return the linear path of keys; raises an error that points at whatever else the text contains."""
    path = parse_xpath(text, namespaces, limits=limits)
    if not isinstance(path, Path) or not path.steps or any(step.predicates for step in path.steps):
        raise _refused(text, "anything but a plain path of keys")
    last = path.steps[-1].test
    if last.kind == "text" or (last.kind == "attribute" and last.local is None):
        raise _refused(text, "a text, or any attribute, as a key")
    return linear_path(tuple(Hop(step.axis, step.test) for step in path.steps))


def _refused(text: str, what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported: {_INSTEAD}", code="unsupported", text=text)


@dataclass(frozen=True)
class ReferenceTable:
    """A reference table, as the store lists it."""

    name: str
    key: str
    """The path of its keys, as it was written."""
    on: str
    """The column of the keys."""
    columns: tuple[str, ...]
    rows: int
    linear_path: str
    call_no: int = 0


def set_reference(store: Store, table: ReferenceTable, values: pa.Table | None) -> None:
    """Store a reference table under its name, or remove it if there are no values; all at once."""
    replaced = any(each.name == table.name for each in list_references(store))
    if values is None and not replaced:
        return
    form = {"name": table.name, "path": table.key, "linear_path": "" if values is None else table.linear_path,
            "key_column": table.on, "column_names": json.dumps(table.columns), "amount": table.rows}
    with store.call("reference", subscriptions=0, **form):
        if values is not None:
            store.engine.load("reference_given", values)
            store.append(("reference_value", file_step("new_reference_value")))
        store.append(("reference_table", file_step("new_reference")))
    if replaced:
        _drop_replaced(store)


def _drop_replaced(store: Store) -> None:
    """Delete the rows of tables that are no longer in use."""
    with store.engine.pipeline(), store.engine.transaction():
        store.run(VISIBLE_REFERENCE)
        store.engine.replace({"reference_value": KEPT_VALUES})


def list_references(store: Store) -> list[ReferenceTable]:
    """Return the reference tables by name."""
    with store.engine.pipeline():
        rows = store.rows(VISIBLE_REFERENCE)
    return [ReferenceTable(row["name"], row["path"], row["key_column"], tuple(json.loads(row["column_names"])),
                           row["amount"], row["linear_path"], row["call_no"]) for row in rows]


def load_keys(store: Store) -> KeyPaths | None:
    """Return the reference tables with the columns that subscriptions name; None if they name none."""
    tables = list_references(store)
    if not tables:
        return None
    named = _named(store)
    paths = (KeyPath(each.call_no, each.linear_path, tuple(sorted(named & {*each.columns}))) for each in tables)
    used = tuple(path for path in paths if path.columns)
    return KeyPaths(used) if used else None


def _named(store: Store) -> set[str]:
    found = {column for row in store.rows(file_step("referring_path")) for column in named_columns(row["linear_path"])}
    for row in store.rows(file_step("referring_check")):
        prefixes = [prefix for prefix, uri in json.loads(row["namespaces"]).items() if uri == REFERENCE_NAMESPACE]
        found.update(_after(prefixes, row["expression"]))
    return found


def _after(prefixes: Iterable[str], expression: str) -> list[str]:
    """Return the names that follow some prefixes."""
    return [name for prefix in prefixes for name in re.findall(rf"\b{re.escape(prefix)}:([\w.\-]+)", expression)]
