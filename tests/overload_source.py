"""A source in memory, for jobs that messages overload: bursts and pauses as they are drawn."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from random import Random
from typing import ClassVar

from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage


class BurstSource:
    """Gives messages in bursts of a few, with pauses between; the position is the number of messages given."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, messages: Sequence[tuple[str, str]], random: Random | None = None, pause: float = 0.0) -> None:
        self._messages, self._random, self._pause = messages, random or Random(0), pause
        self.given = 0
        self.committed_at = 0

    @property
    def ended(self) -> bool:
        return self.given >= len(self._messages)

    @property
    def drained(self) -> bool:
        return self.ended

    def seek(self, position: Json, items: Iterable[str]) -> None:
        self.given = self.committed_at = position or 0

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        if self._pause and self._random.random() < 0.3:
            time.sleep(self._random.random() * self._pause)
        burst = self._messages[self.given : self.given + min(most, self._random.randint(1, 6))]
        self.given += len(burst)
        found = [StreamMessage(name, xml.encode(), f"place {name}", time.time()) for name, xml in burst]
        return Polled(found, self.given) if found else None

    def committed(self, position: Json) -> None:
        self.committed_at = position

    def backlog(self) -> int:
        return len(self._messages) - self.given

    def close(self) -> None:
        pass
