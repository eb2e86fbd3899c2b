"""An open store, on which one call runs at a time per process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from xpubsub.checks import check_text
from xpubsub.engines.shared import check_writable
from xpubsub.errors import Error, StoreError
from xpubsub.jobs.overload.settings import Overload
from xpubsub.jobs.publish.message_publisher import MessagePublisher
from xpubsub.limits import Limits
from xpubsub.plan.request import PlanRequest
from xpubsub.store.migrations import Migration
from xpubsub.store.store import Store

DEFAULT_STREAM = "S"


class OpenStore:
    """A store with the publisher that matches its messages; closed as a context manager, or by `close()`."""

    def __init__(self, store: Store, publisher: MessagePublisher, limits: Limits) -> None:
        self.store = store
        self.limits = limits
        self.overload: Overload | None = None
        """What streaming jobs do when messages come too fast, unless they are told."""
        self._publisher = publisher
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def migrated(self) -> Sequence[Migration]:
        """The migrations that were applied when the store was opened."""
        return self.store.migrated

    def close(self) -> None:
        """Close the store; every later call raises `StoreError`, except `close()`, which does nothing."""
        with self.store.engine.shared.exclusive():
            if not self._closed:
                self._closed = True
                self._publisher.close()
                with suppress(Error):
                    self._keep_check_costs()
                self.store.engine.close()

    def _keep_check_costs(self) -> None:
        """Store what lxml's checks have cost so far."""
        if self.store.check_costs:
            with self.store.engine.pipeline(), self.store.engine.transaction():
                self.store.keep_check_costs()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Run one call at a time, on an open store."""
        with self.store.engine.shared.exclusive():
            if self._closed:
                raise StoreError(f"the store {self.store.engine.place} is closed: open it again with xpubsub.connect()")
            self.store.engine.refresh()
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Like `_exclusive`, for a call that changes the store."""
        with self._exclusive():
            check_writable(self.store.engine)
            yield


def stream_and_plan(stream: str, plan: str) -> tuple[str, PlanRequest]:
    """Check the name of a stream and the names of plans, as callers give them."""
    return check_text("a stream's name", stream), PlanRequest.parse(check_text("the plan", plan))
