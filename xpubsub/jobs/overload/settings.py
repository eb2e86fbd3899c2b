"""`Overload`: what a streaming job does when messages come faster than it can process them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xpubsub.errors import Error, UnsupportedError
from xpubsub.plan.request import AUTOMATIC, SQL, PlanRequest
from xpubsub.spill.choose import POLICIES

WHOLE_MESSAGES, BACK_PRESSURE = "whole", "backpressure"
OVERLOAD_POLICIES = (*POLICIES, WHOLE_MESSAGES, BACK_PRESSURE)
"""Those that choose paths; `whole` sets whole messages aside; `backpressure` lets the source wait."""
_LEAST_BUFFER = 1024


@dataclass(frozen=True)
class Overload:
    """How a streaming job reads ahead, from when on it spills, and what."""

    policy: str = "optprune"
    """What to spill: `optr`, `optprune`, `tox` or `random` choose paths, `whole` sets whole messages aside,
    `backpressure` spills nothing: the source waits."""
    buffer: int = 64 * 1024 * 1024
    """The bytes of messages that are read ahead; the source waits once there are as many."""
    messages: int = 10_000
    """The number of messages that are read ahead."""
    start: float = 0.5
    """The share of the buffer, in bytes or in messages, from which on batches are spilled."""
    stop: float = 0.1
    """The share up to which nothing more is spilled."""
    idle: float = 0.1
    """Seconds without a message after which spilled messages are completed."""
    budget: float = 0.1
    """Seconds that a choice of paths may take."""

    def __post_init__(self) -> None:
        if self.policy not in OVERLOAD_POLICIES:
            raise Error(f"overload: unknown policy {self.policy!r}: the policies are {', '.join(OVERLOAD_POLICIES)}")
        _check_whole("buffer", self.buffer, _LEAST_BUFFER)
        _check_whole("messages", self.messages, 1)
        for name in ("start", "stop", "idle", "budget"):
            _check_number(name, getattr(self, name))
        if not 0 <= self.stop < self.start <= 1:
            raise Error(f"overload: stop must be less than start, and both from 0 to 1, not {self.stop:g} and"
                        f" {self.start:g}")
        if self.budget == 0:
            raise Error("overload: budget must be more than 0 seconds")

    @property
    def spills(self) -> bool:
        """Whether anything is ever spilled."""
        return self.policy != BACK_PRESSURE

    @property
    def in_parts(self) -> bool:
        """Whether parts of outputs go out, so that notifications have the column `part`."""
        return self.policy in POLICIES


def check_overload(overload: object, request: PlanRequest = AUTOMATIC) -> Overload | None:
    """Return how to treat overload, given the plans requested; None if nothing is ever spilled."""
    if overload is not None and not isinstance(overload, Overload):
        raise Error(f"overload must be an xpubsub.Overload, not {type(overload).__name__}")
    if overload is None or not overload.spills:
        return None
    if overload.in_parts and request.spark == SQL:
        reason = "the plan sql cannot spill: use the plan partition, or the policy whole"
        raise UnsupportedError(reason, code="unsupported")
    return overload


def _check_whole(name: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise Error(f"overload: {name} must be an integer of at least {least}, not {value!r}")


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Error(f"overload: {name} must be a number of at least 0, not {value!r}")
