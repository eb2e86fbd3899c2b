"""Steps over the messages that Spark's workers have read."""

from __future__ import annotations

from xpubsub.step import file_step

UNTIMED = file_step("event", "untimed")
"""All messages that were read, if times do not matter."""
FRAME_TIME = file_step("event_time", "frame")
BAD_TIMES = file_step("bad_time")
"""The times of a frame's messages, and an invalid one."""
