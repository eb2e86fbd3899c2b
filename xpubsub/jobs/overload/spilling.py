"""Spilled messages of a batch: what their missing elements touch, their files, and the relations of both."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.errors import UnsupportedError
from xpubsub.ids import stable_id
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.overload.transformations import correlated_paths, needed_path
from xpubsub.output.spilled_factory import WHOLE, Spilled
from xpubsub.output.spilled_message import SpilledElement, SpilledUnit
from xpubsub.plan.spilling import NEW_SPILLED_FILE, NEXT_UNIT, PENDING_FILES
from xpubsub.plan.stream import BATCHES
from xpubsub.rows import SPILL_TOUCH, SPILLED_ROOT, table_of
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.spilled_roots import SpilledRoot
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import file_step
from xpubsub.store.store import Store

_MOST = 10
"""How many sets of spilled paths `stats` counts."""


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

    @property
    def owner(self) -> str:
        """The streaming job whose messages these are; empty if a call of `publish` has spilled them."""
        return self.file.rpartition("-")[0]


def pending_files(store: Store, owner: str | None = None) -> list[SpilledFile]:
    """Return the files that are not completed, the oldest first; those of a job if `owner` names one."""
    rows = (SpilledFile(**row) for row in store.rows(PENDING_FILES))
    return sorted((each for each in rows if owner in (None, each.owner)), key=lambda each: each.first_unit)


def spill_stats(store: Store) -> dict[str, int]:
    """Return how many messages are spilled, the size of their files, and the age of the oldest in seconds."""
    files, aside = pending_files(store), _set_aside(store)
    if not files and not aside:
        return {}
    by_paths: dict[str, int] = {}
    for each in files:
        key = f"spilled messages without {', '.join(each.paths)}"
        by_paths[key] = by_paths.get(key, 0) + each.units
    if aside:
        by_paths["spilled messages set aside"] = sum(each["messages"] for each in aside)
    oldest = min([*(each.time for each in files), *(each["since"] for each in aside)])
    return {"spilled messages": sum(by_paths.values()),
            "spilled bytes": sum(each.bytes for each in files) + sum(each["bytes"] for each in aside),
            "age of the oldest spilled message in seconds": max(0, int(time.time() - oldest)),
            **dict(sorted(by_paths.items(), key=lambda item: -item[1])[:_MOST])}


def _set_aside(store: Store) -> list[dict[str, Any]]:
    """Return what streaming jobs have set aside and not yet published."""
    saved = (json.loads(row["figures"]).get("aside") for row in store.rows(BATCHES))
    return [each for each in saved if each and each["messages"]]


def keep_units(
    store: Store, spool: Spool, units: Sequence[Message], stream: str, paths: Iterable[str], owner: str = ""
) -> dict[int, int]:
    """Write spilled messages to disk and list their file in the store; return their numbers by event id.

    Creates the relation `spilled_call`: the last call whose subscriptions the messages are matched with.
    """
    first, call_no = int(store.rows(NEXT_UNIT)[0]["unit"]), last_call(store)
    if units:
        file, size = spool.write(units, owner)
        row = {"file": file, "first_unit": first, "units": len(units), "bytes": size, "stream": stream,
               "paths": list(paths), "call_no": call_no, "time": time.time()}
        store.engine.load("spilled_batch", pa.Table.from_pylist([row]))
        store.append(NEW_SPILLED_FILE)
    store.engine.load("spilled_call", pa.table({"call_no": [call_no]}))
    return {message[0]: number for number, message in enumerate(units, start=first)}


def last_call(store: Store) -> int:
    """Return the number of the last call that has changed subscriptions."""
    return int(store.rows(file_step("last_call"))[0]["call_no"])


def spilled_of(shredder: MessageShredder, numbers: Mapping[int, int | str], *, complete: bool) -> Spilled:
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


def check_spilled(store: Store, paths: Sequence[str], *, referring: bool = False) -> None:
    """Raise `UnsupportedError` if spilling would change what correlations see, or keys of reference data."""
    if referring:
        raise UnsupportedError("spilling is not supported together with subscriptions that name @ref: columns",
                               code="unsupported")
    needed = needed_path(paths, correlated_paths(store))
    if needed is not None:
        reason = f"spilling {', '.join(paths)} is not supported here: correlations need {needed}"
        raise UnsupportedError(reason, code="unsupported")
