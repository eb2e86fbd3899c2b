"""Steps of the streaming job: what it has committed."""

from __future__ import annotations

from xpubsub.step import file_step

BATCHES = file_step("committed_batch")
"""The last batch of each job."""
DONE = file_step("done_item")
"""The items of the job in the relation `stream_job`."""
REMEMBERED = file_step("kept_item")
"""The items of all jobs without those in the relation `stream_item_given`."""
ACCEPTED_DELAYS = file_step("accepted_delay")
"""The subscriptions that state a delay."""
BATCH = ("stream_batch", file_step("new_batch"))
ITEMS = ("stream_item", file_step("new_item"))
