"""Plans as listings: each is one tuple that reads from top to bottom; what runs only sometimes says when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from xpubsub.step import Pipeline, Step


@dataclass(frozen=True)
class When:
    """Entries that run if an attribute of the case is true, or (unless) if it is not."""

    condition: str
    entries: Listing
    wanted: bool = True

    def holds(self, case: object) -> bool:
        """Whether the entries run in a case."""
        return bool(getattr(case, self.condition)) == self.wanted


Entry = Step | Callable[[Any], Step | Pipeline] | When
"""A step; a function that makes one, or several, out of the case at hand; or entries on a condition."""
Listing = tuple[Entry, ...]


def when(condition: str, *entries: Entry) -> When:
    """Entries that run if the attribute `condition` of the case is true."""
    return When(condition, entries)


def unless(condition: str, *entries: Entry) -> When:
    """Entries that run if the attribute `condition` of the case is false."""
    return When(condition, entries, wanted=False)


def steps_of(listing: Listing, case: object) -> Pipeline:
    """The steps of a plan that run in a case, in their order."""
    return tuple(_steps(listing, case))


def _steps(listing: Listing, case: object) -> Iterator[Step]:
    for entry in listing:
        if isinstance(entry, When):
            yield from _steps(entry.entries, case) if entry.holds(case) else ()
        elif isinstance(entry, Step):
            yield entry
        else:
            made = entry(case)
            yield from (made,) if isinstance(made, Step) else made


def described(listing: Listing, indent: str = "") -> Iterator[str]:
    """A plan as lines of text: the names of its steps, with the conditions on which they run."""
    for entry in listing:
        if isinstance(entry, When):
            yield f"{indent}{'when' if entry.wanted else 'unless'} {entry.condition}:"
            yield from described(entry.entries, f"{indent}  ")
        else:
            yield f"{indent}{entry.name if isinstance(entry, Step) else entry.__name__}"
