"""Detects cycles: messages that correlations publish must never come back to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xpubsub.step import file_step

STREAM_FLOW = file_step("stream_flow")


def cycles(rows: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the rows of a call that would close a cycle of streams, each with the reason."""
    flows = list(rows)
    onward: dict[str, set[str]] = {}
    for row in flows:
        onward.setdefault(str(row["stream"]), set()).add(str(row["publish"]))
    refused = {}
    for row in flows:
        way = _way(onward, str(row["publish"]), str(row["stream"]))
        if row["row_no"] is not None and way:
            reason = f"the messages it publishes would come back to it: {' → '.join([str(row['stream']), *way])}"
            refused[row["row_no"]] = {
                "row_no": row["row_no"], "subscription_id": row["subscription_id"], "code": "cycle", "reason": reason,
                "line": None, "column": None, "caret": None}
    return list(refused.values())


def _way(onward: Mapping[str, set[str]], start: str, end: str) -> Sequence[str]:
    """Return the streams on a way from `start` to `end`, both included; empty if there is none."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == end:
            return way
        for each in sorted(onward.get(way[-1], set()) - seen):
            seen.add(each)
            ways.append([*way, each])
    return []
