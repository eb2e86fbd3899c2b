"""The units of a document as the subscriptions of its stream imply them, where nobody gives a path."""

from __future__ import annotations

import json
from functools import lru_cache

from xpubsub.errors import Error
from xpubsub.language.unit_paths import NoUnits, unit_paths
from xpubsub.limits import Limits
from xpubsub.store.listing import list_subscriptions
from xpubsub.store.store import Store

_GIVE = "give split=PATH, and write subscriptions for the elements that it selects"
_SHOWN = 5


def automatic_units(store: Store, stream: str, limits: Limits) -> list[str]:
    """Return the linear paths of the units of all subscriptions; raises an error if some have none."""
    found: set[str] = set()
    refused: list[str] = []
    of_text = lru_cache(10_000)(unit_paths_of)
    for row in list_subscriptions(store).to_pylist():
        if row["kind"] == "correlation" or row["stream"] == stream:
            try:
                found |= of_text(row["kind"], row["text"], row["namespaces"], row["dialect"], stream, limits)
            except NoUnits as error:
                refused.append(f"{row['subscription_id']}: {error}")
    if refused:
        more = f"\n... and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        listed = "\n".join(refused[:_SHOWN]) + more
        raise Error(f"some subscriptions cannot be answered unit by unit: {_GIVE}\n{listed}")
    if not found:
        raise Error(f"no subscription of the stream {stream!r} implies the units of a document: {_GIVE}")
    return sorted(found)


def unit_paths_of(kind: str, text: str, namespaces: str, dialect: str, stream: str, limits: Limits) -> frozenset[str]:
    """Return the paths of the units of one subscription; `namespaces` is JSON."""
    return frozenset(unit_paths(kind, text, json.loads(namespaces), dialect, stream, limits))
