"""The steps that make the relations of a batch out of rows shredded elsewhere."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.step import Pipeline, Step, file_step

FRAME: Pipeline = (
    file_step("arrival", reused=True),
    file_step("event", file="frame_event"),
    file_step("sax_parse_result", file="frame_node"),
    file_step("tagpath_found", file="frame_tagpath"),
)
"""From `shredded` to what the matching reads."""

BATCH: Pipeline = (
    file_step("event", file="batch_event"),
    file_step("sax_parse_result", file="frame_node"),
    file_step("tagpath_found", file="frame_tagpath"),
)
"""The same where message ids are known to be different."""

SET_ASIDE: Step = file_step("set_aside", file="batch_aside")
"""What the driver has to know: new tag paths, and messages set aside."""

COPIES: Pipeline = (file_step("node_copy", file="frame_copy"),)
"""Nodes that are copied into the output of transformations."""

GIVEN_KEYS: Pipeline = (file_step("key_held", file="batch_held", reused=True),)
"""Keys that were found to hold when the messages were shredded."""

OWN_MATCHES: Pipeline = (
    file_step("path_match", file="frame_path_match"),
    file_step("tagpath_brinfo", file="frame_tagpath_brinfo"),
    file_step("tagpath_map", file="frame_tagpath_map"),
)
"""Path matches of the store together with those found in this frame."""

REJECTED_TOO = Step(
    "rejected_too", "select message_id, code, reason, line, \"column\" from rejected union all"
    " select message_id, code, reason, line, \"column\" from untimely")
"""The messages of a frame that are rejected, those whose times are wrong among them."""

GIVEN = Step("given_rows", "select event_id, message_id, xml, time, said from given")
EVENT_TIME = file_step("event_time", file="frame_time")
BAD_TIMES = Step(
    "bad_times", "select message_id, said from given where (time is null and said is not null) or isnan(time)"
    " or abs(time) > 1e308 limit 1")
"""Times of a frame's messages, and those that are none."""

ALL_NOTIFICATIONS = Step(
    "all_notifications",
    "select message_id, subscription_id, output from notification union all"
    " select message_id, subscription_id, output from notification_correlation")
"""The notifications of a frame, those of correlations among them."""

def read_first(relations: Pipeline) -> Pipeline:
    """The same, with the messages read in `event_read`: which of them are events is decided by their times."""
    return tuple(replace(step, name="event_read") if step.name == "event" else step for step in relations)


REJECTED: Step = file_step("rejected", file="frame_rejected")
"""The messages set aside."""
