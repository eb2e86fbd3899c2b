"""Steps that make the relations of a batch from messages that Spark's executors shredded."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step

FRAME: Pipeline = (
    file_step("arrival", reused=True),
    file_step("event_read", "frame"),
    file_step("sax_parse_result", "shredded"),
    file_step("tagpath_found", "shredded"),
)
"""From `shredded` to the relations that matching reads."""

BATCH: Pipeline = (
    file_step("event_read", "shredded"),
    file_step("sax_parse_result", "shredded"),
    file_step("tagpath_found", "shredded"),
)
"""The same for a batch whose message ids are known to be unique."""

SHRED_REPORT: Step = file_step("shred_report")
"""What the driver needs: new tag paths and rejected messages."""

UNTIMED = file_step("event", "untimed")
"""All messages that were read, if times do not matter."""

COPIES: Pipeline = (file_step("node_copy", "shredded"),)
"""Nodes to copy into outputs."""

OWN_MATCHES: Pipeline = (
    file_step("path_match", "frame"),
    file_step("tagpath_brinfo", "frame"),
    file_step("tagpath_map", "frame"),
)
"""Path matches in the store and in this frame together."""

REJECTED_TOO = file_step("rejected_too")
"""The rejected messages of a frame, including those rejected for their time."""

GIVEN = file_step("given_row")
EVENT_TIME = file_step("event_time", "frame")
BAD_TIMES = file_step("bad_time")
"""The times of a frame's messages, and an invalid one."""

FOUND_TAGPATHS = file_step("found_tagpath")

REJECTED: Step = file_step("rejected", "frame")
"""The rejected messages."""


def all_notifications(of_filters: str) -> Step:
    """Return the step to all notifications of a frame, including those of correlations."""
    return file_step("notification_frame", tables={"notification_all": of_filters})
