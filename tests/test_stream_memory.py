"""A job that runs for long keeps nothing of its batches: counted, not timed."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import xpubsub
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.stream.figures import Figures
from xpubsub.jobs.stream.messages import Polled, StreamMessage

WARM, BATCHES, EACH = 40, 120, 20
COUNTS = """select (select count(*) from duckdb_tables()), (select count(*) from duckdb_views()),
(select count(*) from duckdb_functions()), (select count(*) from duckdb_prepared_statements()),
(select sum(memory_usage_bytes) from duckdb_memory())"""


class Endless:
    """A source that makes a batch of messages at each poll."""

    SEEKABLE: ClassVar[bool] = True
    ended = False

    def __init__(self) -> None:
        self.polls = 0

    @property
    def drained(self) -> bool:
        return self.polls == BATCHES

    def seek(self, position: Any, items: Iterable[str]) -> None: ...

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        if self.drained:
            return None
        self.polls += 1
        names = [f"m-{self.polls}-{number}" for number in range(EACH)]
        texts = [f"<tick><symbol>y{(self.polls + n) % 20}</symbol><price>{n * 9}</price></tick>" for n in range(EACH)]
        return Polled([StreamMessage(name, text.encode(), name, 0.0) for name, text in zip(names, texts, strict=True)],
                      {"polls": self.polls})

    def committed(self, position: Any) -> None: ...

    def backlog(self) -> int:
        return 0

    def close(self) -> None: ...


def test_batches_leave_nothing_behind(tmp_path: Path) -> None:
    """No relation, no registered table, no prepared statement, no memory of Python's: as after the first batches."""
    measured = list[tuple[int, Any]]()

    def look(figures: Figures) -> None:
        if figures.batches in (WARM, BATCHES):
            gc.collect()
            [engine] = [each for each in gc.get_objects() if isinstance(each, DuckDBEngine) and each.place == place]
            assert not engine._relations
            counts = engine._connection.execute(COUNTS).fetchall()[0]
            measured.append((tracemalloc.get_traced_memory()[0], counts))

    place = str(tmp_path / "store")
    with xpubsub.connect(place) as broker:
        broker.subscribe_many([(f"s{n}", f"/tick[symbol = 'y{n % 20}']/price > {n % 30}") for n in range(100)])
        tracemalloc.start()
        try:
            broker.stream(Endless(), lambda _: None, once=True, max_messages=EACH, progress=look)
        finally:
            tracemalloc.stop()
    (before, counts), (after, later) = measured[0], measured[-1]
    assert counts[:4] == later[:4]
    assert later[4] - counts[4] < 2_000_000, "pages of DuckDB"
    assert after - before < 50 * (BATCHES - WARM) * EACH, "less than fifty bytes for each message"
