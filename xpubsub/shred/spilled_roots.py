"""`SpilledRoot`: an element that was skipped."""

from __future__ import annotations

from typing import NamedTuple


class SpilledRoot(NamedTuple):
    """A spilled element that lies in no other, with the ids of the nodes around it."""

    event_id: int
    tagpath: str
    tagpath_id: int
    node_id: int
    last_id: int
    """The id of the last node in it; its own if it was skipped."""
    above: tuple[int, ...]
