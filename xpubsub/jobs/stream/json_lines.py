"""Rows as JSON Lines; bytes are written in base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa


def json_lines(rows: pa.Table) -> Iterator[bytes]:
    """Yield a line for each row."""
    for batch in rows.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield json.dumps(row, ensure_ascii=False, default=_text).encode() + b"\n"


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} is not a value of JSON")
