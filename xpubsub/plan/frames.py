"""The steps that make the relations of a batch out of rows shredded elsewhere."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step

FRAME: Pipeline = (
    file_step("arrival", reused=True),
    file_step("event_read", "frame"),
    file_step("sax_parse_result", "shredded"),
    file_step("tagpath_found", "shredded"),
)
"""From `shredded` to what the matching reads."""

BATCH: Pipeline = (
    file_step("event_read", "shredded"),
    file_step("sax_parse_result", "shredded"),
    file_step("tagpath_found", "shredded"),
)
"""The same where message ids are known to be different."""

SHRED_REPORT: Step = file_step("shred_report")
"""What the driver has to know: new tag paths, and rejected messages."""

UNTIMED = file_step("event", "untimed")
"""All messages read are events, where times do not matter."""

COPIES: Pipeline = (file_step("node_copy", "shredded"),)
"""Nodes that are copied into the output of transformations."""

OWN_MATCHES: Pipeline = (
    file_step("path_match", "frame"),
    file_step("tagpath_brinfo", "frame"),
    file_step("tagpath_map", "frame"),
)
"""Path matches of the store together with those found in this frame."""

REJECTED_TOO = file_step("rejected_too")
"""The rejected messages of a frame, those whose times are wrong among them."""

GIVEN = file_step("given_row")
EVENT_TIME = file_step("event_time", "frame")
BAD_TIMES = file_step("bad_time")
"""Times of a frame's messages, and those that are none."""

FOUND_TAGPATHS = file_step("found_tagpath")

REJECTED: Step = file_step("rejected", "frame")
"""The rejected messages."""


def all_notifications(of_filters: str) -> Step:
    """The notifications of a frame, those of correlations among them."""
    return file_step("notification_frame", tables={"notification_all": of_filters})
