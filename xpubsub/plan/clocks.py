"""Clocks of streams: what is read of them, which messages they reject, and how they are moved."""

from __future__ import annotations

from xpubsub.step import file_step

CLOCK = file_step("clock")
STREAM_PARTNER = file_step("stream_partner")
UNTIMELY = file_step("untimely")
TIMELY = file_step("event", "timely")
"""The messages of a batch without those whose time is rejected."""
UNTIMELY_ROWS = file_step("untimely_row")
BATCH_CLOCK = file_step("batch_clock")
MOVED = ("stream_clock", file_step("clock_moved"))
"""A clock in `clock_given` is kept."""
FUTURE = ("gone_message", file_step("clock_future"))
"""Kept messages that are later than a clock in `clock_given` are dropped."""
REPLACED = file_step("replaced")
