"""The columns of `sax_parse_result` while a batch is being shredded."""

from __future__ import annotations

import pyarrow as pa

from xpubsub.shred.rows import SAX_PARSE_RESULT


class NodeRows:
    """The columns of `sax_parse_result`, growing."""

    def __init__(self) -> None:
        self.events: list[int] = []
        self.tagpaths: list[int] = []
        self.nodes: list[int] = []
        self.ends: list[int] = [0]
        self.ids: list[int] = []
        self.values: list[str | None] = []
        self.numbers: list[float | None] = []

    def __len__(self) -> int:
        return len(self.events)

    def truncate(self, length: int) -> None:
        """Forget all rows beyond a length."""
        for column in (self.events, self.tagpaths, self.nodes, self.values, self.numbers):
            del column[length:]
        del self.ends[length + 1 :]
        del self.ids[self.ends[-1] :]

    def table(self) -> pa.Table:
        """All rows as Arrow."""
        idpath = pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), pa.array(self.ids, pa.int32()))
        columns = [pa.array(self.events, pa.int64()), pa.array(self.tagpaths, pa.int64()),
                   pa.array(self.nodes, pa.int32()), idpath, pa.array(self.values, pa.string()),
                   pa.array(self.numbers, pa.float64())]
        return pa.Table.from_arrays(columns, schema=SAX_PARSE_RESULT)
