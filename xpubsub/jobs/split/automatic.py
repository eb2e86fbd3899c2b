"""The units of a document as the subscriptions of its stream imply them, where nobody gives a path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from xpubsub.compile.shapes import Shapes
from xpubsub.errors import Error
from xpubsub.jobs.durable_files import write_durably
from xpubsub.language.unit_paths import NoUnits, unit_paths
from xpubsub.limits import Limits
from xpubsub.store.listing import list_subscriptions
from xpubsub.store.store import Store

IMPLIED = "auto"
"""The path of units that the subscriptions imply."""
_GIVE = "give split=PATH, and write subscriptions for the elements that it selects"
_SHOWN = 5


def automatic_units(store: Store, stream: str, limits: Limits) -> list[str]:
    """Return the linear paths of the units of all subscriptions; raises an error if some have none."""
    found: set[str] = set()
    refused: list[str] = []
    found_by: dict[object, frozenset[str] | NoUnits] = {}
    shapes = Shapes()
    for row in list_subscriptions(store).to_pylist():
        if row["kind"] == "correlation" or row["stream"] == stream:
            key = _alike(row, shapes)
            if key not in found_by:
                found_by[key] = _units_of(row, stream, limits)
            units = found_by[key]
            if isinstance(units, NoUnits):
                refused.append(f"{row['subscription_id']}: {units}")
            else:
                found |= units
    if refused:
        more = f"\n... and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        listed = "\n".join(refused[:_SHOWN]) + more
        raise Error(f"some subscriptions cannot be answered unit by unit: {_GIVE}\n{listed}")
    if not found:
        raise Error(f"no subscription of the stream {stream!r} implies the units of a document: {_GIVE}")
    return sorted(found)


def _alike(row: Mapping[str, str], shapes: Shapes) -> object:
    """Return a key that subscriptions with the same units share: filters that differ only in constants have it."""
    text = shapes.take_out(row["text"])[0] if row["kind"] == "filter" else row["text"]
    return row["kind"], text, row["namespaces"], row["dialect"]


def _units_of(row: Mapping[str, str], stream: str, limits: Limits) -> frozenset[str] | NoUnits:
    """Return the paths of the units of one subscription, or why it has none."""
    try:
        namespaces = json.loads(row["namespaces"])
        return frozenset(unit_paths(row["kind"], row["text"], namespaces, row["dialect"], stream, limits))
    except NoUnits as error:
        return error


def units_of_job(directory: Path, paths: list[str]) -> list[str]:
    """Return the paths of a streaming job's units; raises an error if they are not those that the job began with.

    A job goes on inside a document after the units that it has published: they have to be counted in the same way.
    """
    file = directory / "units.json"
    try:
        if file.exists():
            if json.loads(file.read_text(encoding="utf-8")) != paths:
                raise Error("the subscriptions imply other units than when the job began: use another checkpoint than"
                            f" {directory}, or unsubscribe what was added")
        else:
            directory.mkdir(parents=True, exist_ok=True)
            write_durably(file, lambda opened: opened.write(json.dumps(paths).encode()))
    except (OSError, ValueError) as error:
        raise Error(f"the checkpoint {directory} cannot be used: {error}") from error
    return paths
