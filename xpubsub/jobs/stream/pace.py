"""How long a batch waits for more messages, and how large it may become.

Subscriptions may state the longest delay they accept. A batch then waits no longer than the shortest of these delays
allows, given how long batches take, and has no more messages than are published in half of it. If no subscription
states a delay, a batch waits for a moment only.
"""

from __future__ import annotations

DEFAULT_WAIT = 0.1
"""Seconds that a batch waits if no subscription states a delay."""
_WEIGHT = 0.3
"""The weight of the last batch in the averages."""
_MARGIN = 1.5
"""How much longer a batch may take than expected."""
_SHARE = 0.5
"""The share of the shortest delay in which a batch should be published."""


class Pace:
    """Knows how fast batches are published, and what subscriptions accept."""

    def __init__(self, max_messages: int) -> None:
        self._max_messages = max_messages
        self._seconds = 0.0
        self._rate: float | None = None
        self.shortest: float | None = None
        """The shortest delay that a subscription accepts, in seconds."""

    def learn(self, messages: int, seconds: float) -> None:
        """Take note of how long a batch took."""
        rate = messages / max(seconds, 1e-6)
        self._rate = rate if self._rate is None else _mean(self._rate, rate)
        self._seconds = max(seconds, _mean(self._seconds, seconds))

    def most(self) -> int:
        """Return the most messages of the next batch."""
        if self.shortest is None or self._rate is None:
            return self._max_messages
        return max(1, min(self._max_messages, int(self._rate * self.shortest * _SHARE)))

    def wait(self, waited: float) -> float:
        """Return the seconds that a batch may still wait if its first message has waited `waited` seconds."""
        if self.shortest is None:
            return DEFAULT_WAIT - waited
        return self.shortest - _MARGIN * self._seconds - waited

    def rest(self) -> float:
        """Return the seconds that a source which forms batches itself may let messages gather after a batch.

        The first of them may have come when the last batch began; negative if batches take too long for the delay.
        """
        return 0.0 if self.shortest is None else self.shortest - (1 + _MARGIN) * self._seconds


def _mean(before: float, now: float) -> float:
    return (1 - _WEIGHT) * before + _WEIGHT * now
