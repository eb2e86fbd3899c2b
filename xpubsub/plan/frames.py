"""The steps that make the relations of a batch out of rows shredded elsewhere."""

from __future__ import annotations

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

REJECTED: Step = file_step("rejected", file="frame_rejected")
"""The messages set aside."""
