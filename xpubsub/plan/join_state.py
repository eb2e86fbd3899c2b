"""Steps for the state kept for correlations: what a batch adds, and what is dropped."""

from __future__ import annotations

from xpubsub.plan.clocks import CLOCK
from xpubsub.step import Pipeline, Step, file_step, none_of

STATE_ADDED: tuple[tuple[str, Step], ...] = (
    ("rbin", file_step("rbin_kept")), ("rdoc", file_step("rdoc_kept")), ("rcopy", file_step("rcopy_kept")),
    ("rreturn", file_step("rreturn_kept")), ("gone_message", file_step("gone_message_kept")),
    ("rdoc_ts", file_step("rdoc_ts_kept")),
)
"""The tables to append to, in this order: a message is joined only once it is in `rdoc_ts`."""

STILL_KEPT: Pipeline = (
    file_step("dead_message", "kept"), file_step("kept_message", reused=True),
)
"""The kept messages that can still be joined, between batches."""

COUNTS = file_step("kept_and_gone")
LAST_DOCID, KEPT_ID = file_step("last_docid"), file_step("kept_id")
LONGEST_REACH, LONGEST_FINITE_REACH = file_step("longest_reach"), file_step("longest_finite_reach")


def _without_gone(table: str) -> Step:
    header = f"-- One row: a row of {table} of a message that is still kept."
    select = f"select t.* from {table} as t anti join gone_message as g on g.docid = t.docid"
    return Step(f"without_{table}", f"{header}\n{select}")


WITHOUT_GONE: dict[str, Step] = {
    **{table: _without_gone(table) for table in ("rbin", "rdoc", "rcopy", "rreturn", "rdoc_ts")},
    "gone_message": none_of("gone_message"),
    "stream_clock": CLOCK,
}
"""For each table of the state, the rows without those of dropped messages."""
