"""Messages for Q4 of Wei, Rundensteiner and Mani (2010), with as many returned paths as one likes."""

from __future__ import annotations

from collections.abc import Sequence

COUNTS, SIZES = (8, 8, 6, 6, 4, 4, 2, 2), (2, 4, 8, 16, 32, 64, 128, 256)
"""Of P1 to P8, like Example 1's auctions: much that is small and matters, and little that is large."""


def query(paths: int) -> str:
    """Q4, which returns P1, P2, ... of each o."""
    returned = ", ".join(f"$o/P{place}" for place in range(1, paths + 1))
    return f"for $o in /list/o return <r>{{ {returned} }}</r>"


def lists(number: int, counts: Sequence[int], sizes: Sequence[int], times: int = 1) -> list[tuple[str, bytes]]:
    """Messages with so many elements P1, P2, ... in each o, which have so many elements, or some times as many."""
    inside = "".join(_element(f"P{place}", size * times) * count
                     for place, (count, size) in enumerate(zip(counts, sizes, strict=True), start=1))
    return [(f"m{each}", f"<list><o n='{each}'>{inside}</o><o>{inside}</o></list>".encode()) for each in range(number)]


def _element(name: str, size: int) -> str:
    return f"<{name}>{''.join(f'<x>{each}</x>' for each in range(size))}</{name}>"
