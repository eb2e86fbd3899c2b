"""State that all engines of a process share for one store: a lock for calls, and counters of changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakValueDictionary

from xpubsub.errors import Error, StoreError


class SharedState:
    """The shared state of one store: one object per process, however often the store is opened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self.changes = 0
        """How often subscriptions changed; a cache of subscriptions is valid while this number stays the same."""
        self.rewrites = 0
        """How often tables were rewritten; until then they are only appended to."""
        self.batches = 0
        """How often state for correlations changed; a cache of it is valid while this number stays the same."""

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Run one call at a time: other threads wait, and a call from within a call raises `Error`."""
        if self._owner == threading.get_ident():
            raise Error("the store is busy with another call: do not call the broker while it reads your messages")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None


_STATES: WeakValueDictionary[str, SharedState] = WeakValueDictionary()


def shared_state(place: str) -> SharedState:
    """Return the shared state of the store at a place."""
    state = _STATES.get(place)
    if state is None:
        state = _STATES[place] = SharedState()
    return state


class Opened(Protocol):
    """An engine that has a store open, perhaps read-only."""

    place: str
    read_only: bool


def check_writable(engine: Opened) -> None:
    """Raise `StoreError` if the store is open read-only."""
    if engine.read_only:
        raise StoreError(f"the store {engine.place} is open read-only: open it without read_only=True to change it")


def no_store(place: str, option: str = "") -> StoreError:
    """Return the error for a place without a store."""
    return StoreError(f"there is no store at {place}: create it with `xpubsub init {place}{option}`")
