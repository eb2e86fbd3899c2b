"""Measures the time of each step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Timings(dict[str, float]):
    """Seconds by name, in the order of first use."""

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Add the time of the `with` block to a name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self[name] = self.get(name, 0.0) + time.perf_counter() - started
