"""What the broker asks of a publisher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.plan.request import PlanRequest
from xpubsub.shred.open_units import OpenUnit


class MessagePublisher(Protocol):
    """Publishes messages, in this process or on Spark."""

    @property
    def ON_SPARK(self) -> bool:
        """Whether Spark's processes match the messages."""

    def close(self) -> None:
        """Release whatever is kept between batches."""

    def known(self) -> Known:
        """Return what is known of the store."""

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""

    def publish(self, batch: Batch, beside: Beside | None = None) -> Result:
        """Match a batch of messages; `beside` is called with the result, inside the same transaction."""

    def complete(
        self, limit: int | None = None, beside: Beside | None = None, owner: str | None = None
    ) -> Result:
        """Complete spilled messages, of a streaming job or all; `beside` is called inside the same transaction."""

    def certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what is certain of a message that has been read in part; None if nothing has changed."""

    def frames(self, messages: Any, batch: Batch, keep: Sequence[str] = ()) -> tuple[Any, ...]:
        """Match a DataFrame; return notifications and rejected messages."""

    def session(self) -> Any:
        """Return the Spark session in which sources give frames, or None."""
