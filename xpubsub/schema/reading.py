"""Reads DTDs and XML schemas, told apart by their content, into one element graph."""

from __future__ import annotations

from collections.abc import Sequence

from xpubsub.schema.dtd import read_dtd
from xpubsub.schema.element_graph import Schema, merge_schemas
from xpubsub.schema.source import SchemaFile
from xpubsub.schema.xsd import read_xsd


def read_schema(sources: Sequence[SchemaFile]) -> Schema:
    """Return the union of the graphs of DTDs and XML schemas; XML schemas may refer to each other."""
    documents = [source for source in sources if not source.is_dtd]
    graphs = [read_dtd(source) for source in sources if source.is_dtd]
    return merge_schemas([*graphs, read_xsd(documents)] if documents else graphs)
