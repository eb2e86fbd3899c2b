"""Reference: subscriptions on columns of a large table, beside the same on attributes that the messages have."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa

import xpubsub
from benchmarks.measuring import once, side_by_side
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import stored

_PARTIES = 10
"""How many keys a message has."""
_SECTORS, _MOST = 10_000, 1_000
"""How many different texts and numbers the columns have."""
_TABLE = f"""
select 'p' || i as party_id, 's' || hash(i) % {_SECTORS} as sector, cast(hash(i + 1) % {_MOST} as integer) as rating
from range(?) as r(i)"""
Messages = list[tuple[str, str]]


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    with duckdb.connect() as connection:
        table = connection.sql(_TABLE, params=[sizes.reference_rows]).to_arrow_table()
    plain, whole = _messages(table, sizes.reference_messages, options.seed)
    counts = {"subscriptions": sizes.reference_subscriptions, "rows": sizes.reference_rows, "messages": len(plain)}
    with (
        stored(_subscriptions(sizes.reference_subscriptions, "@ref:", options.seed)) as (joined, _),
        stored(_subscriptions(sizes.reference_subscriptions, "@", options.seed)) as (baseline, _),
    ):
        given = once(lambda: joined.reference("party", table, key="//party", on="party_id"))
        yield Row("reference", "a table stored", given.median, "s", sizes=counts)
        ours, theirs = side_by_side(lambda: joined.publish(plain), lambda: baseline.publish(whole), options.runs)
        _check(ours.value, theirs.value)
        counts["notifications"] = ours.value.notifications.num_rows
        yield Row("reference", "publish", ours.median, "s", sizes=counts,
                  baseline="the attributes in the messages", baseline_figure=theirs.median, bar="reference",
                  timings=ours.value.timings, baseline_timings=theirs.value.timings)


def _subscriptions(number: int, prefix: str, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    sectors, ratings = draw.integers(0, _SECTORS, number), draw.integers(0, _MOST, number)
    texts = [f"//party[{prefix}sector = 's{sector}' and {prefix}rating < {rating}]"
             for sector, rating in zip(sectors, ratings, strict=True)]
    return pa.table({"id": [f"q{each}" for each in range(number)], "text": texts})


def _messages(table: pa.Table, number: int, seed: int) -> tuple[Messages, Messages]:
    """Messages with keys alone, and the same with the columns as attributes."""
    places = np.random.default_rng(seed + 1).integers(0, table.num_rows, number * _PARTIES)
    rows = table.take(pa.array(places)).to_pylist()
    plain, whole = [], []
    for each in range(number):
        parties = rows[each * _PARTIES : (each + 1) * _PARTIES]
        plain.append((f"m{each}", _message(f"<party>{row['party_id']}</party>" for row in parties)))
        whole.append((f"m{each}", _message(
            f'<party sector="{row["sector"]}" rating="{row["rating"]}">{row["party_id"]}</party>' for row in parties)))
    return plain, whole


def _message(parties: Iterator[str]) -> str:
    return f"<order><date>2026-11-18</date>{''.join(parties)}</order>"


def _check(ours: xpubsub.Result, theirs: xpubsub.Result) -> None:
    order = [("message_id", "ascending"), ("subscription_id", "ascending")]
    if not ours.notifications.sort_by(order).equals(theirs.notifications.sort_by(order)):
        raise AssertionError("the notifications differ from those of the attributes in the messages")
