"""Types for functions over Arrow, which run in this process or in Spark's executors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""A function over the batches of a relation."""
