"""Reads files of subscriptions: .csv, .tsv, .jsonl, .ndjson and .parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.errors import Error
from xpubsub.jobs.subscribe.delimited import DELIMITERS, Delimited
from xpubsub.jobs.subscribe.subscription_records import Record, Records

_JSON_LINES = (".jsonl", ".ndjson")
_ENDINGS = (*DELIMITERS, *_JSON_LINES, ".parquet")


def read_subscriptions(path: Path, columns: Mapping[str, str], header: bool | None) -> pa.Table | list[Record]:
    """Read the rows of a file: a table for Parquet, records otherwise."""
    if not path.is_file():
        raise Error(f"{path} is not a file")
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise Error(f"{path}: unknown file type: use {', '.join(_ENDINGS)}")
    if header is False and ending not in DELIMITERS:
        raise Error(f"{path}: --no-header (header=False) is only for {' and '.join(DELIMITERS)}")
    try:
        if ending == ".parquet":
            return pq.read_table(path)
        if ending in _JSON_LINES:
            return list(_json_lines(path, columns))
        return Delimited(path, columns, header).records()
    except UnicodeDecodeError:
        raise Error(f"{path}: the file is not UTF-8 text: save it as UTF-8") from None
    except (pa.ArrowException, OSError, csv.Error) as error:
        raise Error(f"{path}: {error}") from error


def row_lines(path: Path, columns: Mapping[str, str], header: bool | None) -> list[int]:
    """Return the line on which each row of a file starts; empty for Parquet."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        return []
    if ending in DELIMITERS:
        return Delimited(path, columns, header).lines()
    with path.open(encoding="utf-8-sig") as lines:
        return [number for number, line in enumerate(lines, start=1) if line.strip()]


def _json_lines(path: Path, columns: Mapping[str, str]) -> Iterator[Record]:
    records = Records(columns)
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield records.of(_json(f"{path}:{number}", line), f"{path}:{number}")


def _json(place: str, line: str) -> Any:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise Error(f"{place}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise Error(f"{place}: nested too deeply for a subscription") from None
    if not isinstance(record, dict | list):
        raise Error(f"{place}: a subscription must be an object with an id and a text")
    return record
