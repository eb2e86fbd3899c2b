"""Streams that correlations publish to: what they publish must never come back to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xpubsub.step import file_step

STREAM_FLOW = file_step("stream_flow")


def cycles(rows: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """The rows of a call by which messages would come back to a stream that they were made from, with the reason."""
    flows = list(rows)
    onward: dict[str, set[str]] = {}
    for row in flows:
        onward.setdefault(str(row["stream"]), set()).add(str(row["publish"]))
    refused = {}
    for row in flows:
        way = _way(onward, str(row["publish"]), str(row["stream"]))
        if row["row_no"] is not None and way:
            reason = f"what it publishes would come back to it: {' → '.join([str(row['stream']), *way])}"
            refused[row["row_no"]] = {
                "row_no": row["row_no"], "subscription_id": row["subscription_id"], "code": "cycle", "reason": reason,
                "line": None, "column": None, "caret": None}
    return list(refused.values())


def _way(onward: Mapping[str, set[str]], start: str, end: str) -> Sequence[str]:
    """The streams from one to another along flows, both included; none if there is no way."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == end:
            return way
        for each in sorted(onward.get(way[-1], set()) - seen):
            seen.add(each)
            ways.append([*way, each])
    return []
