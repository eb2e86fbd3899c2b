"""What the engines of one process share about one store: calls take turns, and changes are noticed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from xpubsub.errors import Error


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
