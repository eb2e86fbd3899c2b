"""Clocks of streams: what is read of them, which messages they reject, and how they are moved."""

from __future__ import annotations

from xpubsub.step import Step, file_step

CLOCK = file_step("clock")
STREAM_PARTNER = file_step("stream_partner")
UNTIMELY = file_step("untimely")
TIMELY = Step(
    "event", "select e.event_id, e.message_id from event_read as e anti join untimely as u on u.event_id = e.event_id")
"""The messages of a batch without those whose time is rejected."""
UNTIMELY_ROWS = Step("untimely_rows", "select event_id, message_id, code, reason, line, \"column\" from untimely")
BATCH_CLOCK = Step("batch_clock", "select max(time) as time from rdoc_ts_w")
MOVED = ("stream_clock", Step("clock_moved", "select stream, time, step from clock_given"))
"""A clock in `clock_given` is kept."""
FUTURE = ("rdoc_gone", file_step("clock_future"))
"""Kept messages that are later than a clock in `clock_given` are dropped."""
REPLACED = file_step("replaced")
