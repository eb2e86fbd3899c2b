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

OWN_MATCHES: Pipeline = (
    file_step("path_match", file="frame_path_match"),
    file_step("tagpath_brinfo", file="frame_tagpath_brinfo"),
)
"""Path matches of the store together with those found in this frame."""

REJECTED: Step = file_step("rejected", file="frame_rejected")
"""The messages set aside."""
