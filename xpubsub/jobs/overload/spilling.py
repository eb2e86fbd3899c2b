"""Spilled messages of a batch: what their missing elements touch, their files, and the relations of both."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.errors import UnsupportedError
from xpubsub.ids import stable_id
from xpubsub.jobs.overload.spool import Spool
from xpubsub.match.uses import EXISTS
from xpubsub.output.spilled_factory import WHOLE, Spilled
from xpubsub.output.spilled_message import SpilledElement, SpilledUnit
from xpubsub.plan.spilling import CORRELATED_PATHS, NEW_SPILLED_FILE, NEXT_UNIT, PENDING_FILES
from xpubsub.rows import SPILL_TOUCH, SPILLED_ROOT, table_of
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.spilled_roots import SpilledRoot
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.spill.effects import Effect, effect
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class SpilledFile:
    """A file of spilled messages, as the store lists it."""

    file: str
    first_unit: int
    units: int
    bytes: int
    stream: str
    paths: Sequence[str]
    call_no: int
    time: float


def pending_files(store: Store) -> list[SpilledFile]:
    """Return the files that are not completed, the oldest first."""
    rows = (SpilledFile(**row) for row in store.rows(PENDING_FILES))
    return sorted(rows, key=lambda each: each.first_unit)


def spill_stats(store: Store) -> dict[str, int]:
    """Return how many messages are spilled, the size of their files, and the age of the oldest in seconds."""
    files = pending_files(store)
    if not files:
        return {}
    return {"spilled messages": sum(each.units for each in files), "spilled bytes": sum(each.bytes for each in files),
            "age of the oldest spilled message in seconds": max(0, int(time.time() - min(each.time for each in files)))}


def keep_units(
    store: Store, spool: Spool, units: Sequence[Message], stream: str, paths: Iterable[str]
) -> dict[int, int]:
    """Write spilled messages to disk and list their file in the store; return their numbers by event id.

    Creates the relation `spilled_call`: the last call whose subscriptions the messages are matched with.
    """
    first, call_no = (int(store.rows(step)[0][name]) for step, name in (
        (NEXT_UNIT, "unit"), (file_step("last_call"), "call_no")))
    if units:
        file, size = spool.write(units)
        row = {"file": file, "first_unit": first, "units": len(units), "bytes": size, "stream": stream,
               "paths": list(paths), "call_no": call_no, "time": time.time()}
        store.engine.load("spilled_batch", pa.Table.from_pylist([row]))
        store.append(NEW_SPILLED_FILE)
    store.engine.load("spilled_call", pa.table({"call_no": [call_no]}))
    return {message[0]: number for number, message in enumerate(units, start=first)}


def spilled_of(shredder: MessageShredder, numbers: Mapping[int, int], *, complete: bool) -> Spilled:
    """Return the spilled messages of a batch, given their numbers by event id."""
    names = dict(shredder.messages)
    elements: dict[int, list[SpilledElement]] = {}
    for root in shredder.spilled:
        elements.setdefault(root.event_id, []).append(
            SpilledElement(root.tagpath, root.tagpath_id, root.node_id, root.last_id, root.above))
    units = {event_id: SpilledUnit(names[event_id], numbers[event_id], each) for event_id, each in elements.items()}
    return Spilled(units, complete)


def load_touched(engine: Engine, roots: Sequence[SpilledRoot], cache: TagPathCache) -> None:
    """Create the relations `spilled_root` and `spill_touch`."""
    engine.load("spilled_root", table_of(list({(root.event_id, root.tagpath_id) for root in roots}), SPILLED_ROOT))
    tagpaths = {root.tagpath_id: root.tagpath for root in roots}
    engine.load("spill_touch", table_of(list(_touched(tagpaths, cache)), SPILL_TOUCH))


def _touched(tagpaths: Mapping[int, str], cache: TagPathCache) -> Iterable[tuple[Any, ...]]:
    for tagpath_id, tagpath in tagpaths.items():
        touched = cache.touched(tagpath)
        for inside, paths in ((True, touched.inside), (False, touched.above - touched.inside)):
            yield from ((tagpath_id, stable_id(path), inside) for path in paths)


def with_parts(notifications: pa.Table) -> pa.Table:
    """Return notifications with the column `part`: `whole`, where there is none yet."""
    if "part" in notifications.column_names:
        return notifications
    return notifications.append_column("part", pa.repeat(pa.scalar(WHOLE), notifications.num_rows))


def check_spilled(store: Store, paths: Iterable[str]) -> None:
    """Raise `UnsupportedError` if spilling would change what correlations see."""
    with store.engine.pipeline():
        store.run(*store.visible())
        rows = store.rows(CORRELATED_PATHS)
    for row in rows:
        found = effect(row["linear_path"], paths)
        if found is Effect.SRAM or (found is Effect.SAM and row["node_use"] != EXISTS):
            reason = f"spilling {', '.join(paths)} is not supported here: correlations need {row['linear_path']}"
            raise UnsupportedError(reason, code="unsupported")
