"""What the engines of one process share about one store: calls take turns, and changes are noticed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakValueDictionary

from xpubsub.errors import Error, StoreError


class SharedState:
    """One per store and process, however often the store is opened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self.changes = 0
        """How often subscriptions were changed; whoever remembers something of them remembers this too."""
        self.batches = 0
        """How often messages were kept for correlations; the same for whoever remembers something of those."""

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """One call at a time: another thread waits, a call from within a call is an error."""
        if self._owner == threading.get_ident():
            raise Error("the store is busy with the call under way: do not call it from within its own messages")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None


_STATES: WeakValueDictionary[str, SharedState] = WeakValueDictionary()


def shared_state(place: str) -> SharedState:
    """The state of the store at a place."""
    state = _STATES.get(place)
    if state is None:
        state = _STATES[place] = SharedState()
    return state


class Opened(Protocol):
    """An engine with a store open, perhaps for reading only."""

    place: str
    read_only: bool


def check_writable(engine: Opened) -> None:
    """Refuse to write to a store that is open for reading only."""
    if engine.read_only:
        raise StoreError(f"the store {engine.place} is open read-only: open it without read_only=True to change it")


def no_store(place: str, option: str = "") -> StoreError:
    """There is nothing at a place, and nothing may be created there."""
    return StoreError(f"there is no store at {place}: create it with `xpubsub init {place}{option}`")
