"""Reading a schema: DTDs and XML schemas, told apart by their content, as one element graph."""

from __future__ import annotations

from collections.abc import Sequence

from xpubsub.schema.dtd import read_dtd
from xpubsub.schema.element_graph import Schema, merge
from xpubsub.schema.source import Source
from xpubsub.schema.xsd import read_xsd


def read_schema(sources: Sequence[Source]) -> Schema:
    """The union of the graphs of DTDs and of XML schemas; the latter may refer to each other."""
    documents = [source for source in sources if not source.is_dtd]
    graphs = [read_dtd(source) for source in sources if source.is_dtd]
    return merge([*graphs, read_xsd(documents)] if documents else graphs)
