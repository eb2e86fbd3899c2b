"""Steps for the clocks of streams: reading them, rejecting untimely messages, and setting them."""

from __future__ import annotations

from xpubsub.step import file_step

CLOCK = file_step("clock")
STREAM_PARTNER = file_step("stream_partner")
UNTIMELY = file_step("untimely")
TIMELY = file_step("event", "timely")
"""The messages of a batch whose time is accepted."""
UNTIMELY_ROWS = file_step("untimely_row")
BATCH_CLOCK = file_step("batch_clock")
MOVED = ("stream_clock", file_step("clock_moved"))
"""Stores the clocks in `clock_given`."""
FUTURE = ("gone_message", file_step("clock_future"))
"""Drops kept messages that are later than a clock in `clock_given`."""
REPLACED_ROWS = file_step("replaced")
