"""Plans as tuples of steps, to be read from top to bottom; `when` and `unless` mark conditional steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from xpubsub.step import Pipeline, Step


@dataclass(frozen=True)
class When:
    """Entries that run if an attribute of the case is `wanted`: true, or (`unless`) false."""

    condition: str
    entries: Listing
    wanted: bool = True

    def holds(self, case: object) -> bool:
        """Whether the entries run for a case."""
        return bool(getattr(case, self.condition)) == self.wanted


Entry = Step | Callable[[Any], Step | Pipeline] | When
"""A step; a function that returns one or several steps for a case; or conditional entries."""
Listing = tuple[Entry, ...]


def when(condition: str, *entries: Entry) -> When:
    """Run entries only if the attribute `condition` of the case is true."""
    return When(condition, entries)


def unless(condition: str, *entries: Entry) -> When:
    """Run entries only if the attribute `condition` of the case is false."""
    return When(condition, entries, wanted=False)


def steps_of(listing: Listing, case: object) -> Pipeline:
    """Return the steps of a plan that run for a case, in order."""
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


def listing_lines(listing: Listing, indent: str = "") -> Iterator[str]:
    """Yield a plan as lines of text: the names of its steps, and the conditions under which they run."""
    for entry in listing:
        if isinstance(entry, When):
            yield f"{indent}{'when' if entry.wanted else 'unless'} {entry.condition}:"
            yield from listing_lines(entry.entries, f"{indent}  ")
        else:
            yield f"{indent}{entry.name if isinstance(entry, Step) else entry.__name__}"
