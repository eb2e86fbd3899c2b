"""What is kept of messages for correlations: what a batch adds to it, and what goes."""

from __future__ import annotations

from xpubsub.plan.clocks import CLOCK
from xpubsub.step import Pipeline, Step, file_step

ADDED: tuple[tuple[str, Step], ...] = tuple((table, Step(f"keep_{table}", sql)) for table, sql in (
    ("rbin", "select docid, var1, var2, node1, node2 from rbin_w"),
    ("rdoc", "select docid, node, value, number from rdoc_w"),
    ("rcopy", "select docid, node, text, bare from rcopy_w"),
    ("rreturn", "select docid, brinfo_id, base, nodes from rreturn_w"),
    ("rdoc_gone", "select docid from rdoc_expired"),
    ("rdoc_ts", "select d.docid, d.stream, d.given_id as message_id, d.time from rdoc_ts_w as d"
                " semi join rbin_w as w on w.docid = d.docid"),
))
"""What is appended, in this order: a message counts once it has its time."""

KEPT: Pipeline = (
    Step("rdoc_dead", "select distinct docid from rdoc_gone"), file_step("rdoc_live", reused=True),
)
"""What is kept and counts, between batches."""

COUNTS = Step(
    "kept_and_gone", "select (select count(*) from rdoc_gone) as gone, (select count(*) from rdoc_ts) as kept,"
    " (select count(*) from stream_clock) as clocks")

WITHOUT_GONE: dict[str, Step] = {
    **{table: Step(f"without_{table}", f"select t.* from {table} as t anti join rdoc_gone as g on g.docid = t.docid")
       for table in ("rbin", "rdoc", "rcopy", "rreturn", "rdoc_ts")},
    "rdoc_gone": Step("none_gone", "select docid from rdoc_gone where false"),
    "stream_clock": CLOCK,
}
"""The state without what is gone."""
