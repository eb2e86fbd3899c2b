"""The interface of a source of messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from xpubsub.jobs.stream.messages import Json, Polled


class Source(Protocol):
    """Gives messages in order. The job calls it from one thread, and reads no faster than it publishes.

    The job stores the position and the items of a batch in the transaction that publishes the batch, and passes what is
    stored to `seek` when it starts again. A source that cannot seek gives each message once; the job keeps such
    messages in its checkpoint until they are published.

    A source may also have a method `release(items) -> list[str]`. It is called with items that are committed and, after
    `seek`, with those that were committed before. The store forgets the items that it returns, as `seek` does not need
    them. A directory has one: a job that publishes files for months must not keep all their names.

    A source that forms the batches itself may have a method `rest(seconds)`, which is called before each poll: so long
    after a batch it may let messages gather, given the delays that subscriptions accept.
    """

    @property
    def SEEKABLE(self) -> bool:
        """Whether `seek` can go back to messages that were polled before but not committed."""

    @property
    def ended(self) -> bool:
        """Whether there will never be another message, as after the end of standard input."""

    @property
    def drained(self) -> bool:
        """Whether all messages were polled that were there at the last look."""

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Go on after a committed batch: after `position`, without the items. Called once, before the first poll.

        The position is None if no batch was committed.
        """

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return the next messages; None if there is none within `timeout` seconds.

        At most `most` messages, and no further message once there are `most_bytes` bytes. A call may take a little
        longer than `timeout`, and must return early if there are messages.
        """

    def committed(self, position: Json) -> None:
        """Take note that everything up to a position is committed; for instance to show it to monitors."""

    def backlog(self) -> int | None:
        """Return how many messages wait in the source; None if that is unknown."""

    def close(self) -> None:
        """Release the source."""
