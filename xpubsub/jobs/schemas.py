"""Stores schemas under a name, and merges all of them into one element graph for use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xpubsub.errors import Error
from xpubsub.schema.element_graph import Schema, loads, merge_schemas
from xpubsub.schema.reading import read_schema
from xpubsub.schema.source import SchemaFile
from xpubsub.step import file_step
from xpubsub.store.store import Store

SchemaSource = str | bytes | os.PathLike[str] | Sequence[str | bytes | os.PathLike[str]]
"""A DTD or an XML schema, as text (starting with `<`) or as a file path; or several that belong together."""
VISIBLE_SCHEMA = file_step("visible_schema")


def set_schema(store: Store, name: str, schema: Schema | None) -> Schema | None:
    """Store a schema under a name, or remove it if `schema` is None; returns the schema it had before."""
    before = list_schemas(store).get(name)
    if before != schema:
        definition = "" if schema is None else schema.dumps()
        with store.call("schema", subscriptions=0, name=name, definition=definition):
            store.append(("message_schema", file_step("new_schema")))
    return before


def list_schemas(store: Store) -> dict[str, Schema]:
    """Return the schemas by name."""
    with store.engine.pipeline():
        return {row["name"]: loads(row["definition"]) for row in store.rows(VISIBLE_SCHEMA)}


def load_schema(store: Store) -> Schema | None:
    """Return the union of all schemas, to which messages should conform; None if there is no schema."""
    schemas = list_schemas(store)
    return merge_schemas(schemas.values()) if schemas else None


def read_source(source: SchemaSource | Schema) -> Schema:
    """Read a schema into an element graph; one that has been read already is returned as it is."""
    if isinstance(source, Schema):
        return source
    several = [source] if isinstance(source, str | bytes | os.PathLike) else source
    if not isinstance(several, Sequence) or not several:
        raise Error("a schema must be text, a file path, or several of these")
    return read_schema([_source(each) for each in several])


def _source(given: object) -> SchemaFile:
    if isinstance(given, bytes) or (isinstance(given, str) and given.lstrip("\ufeff \t\r\n").startswith("<")):
        return SchemaFile(given)
    if not isinstance(given, str | os.PathLike):
        raise Error(f"a schema must be text or a file path, not {type(given).__name__}")
    path = Path(given)
    try:
        return SchemaFile(path.read_bytes(), str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Error(f"{path}: {reason} (the text of a schema starts with <)") from None
