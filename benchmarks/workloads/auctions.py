"""Messages for Q4 of Wei, Rundensteiner and Mani (2010), with as many returned paths as one likes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

COUNTS, SIZES = (8, 8, 6, 6, 4, 4, 2, 2), (2, 4, 8, 16, 32, 64, 128, 256)
"""Of P1 to P8, like Example 1's auctions: much that is small and matters, and little that is large."""


def query(paths: int) -> str:
    """Q4, which returns P1, P2, ... of each o."""
    returned = ", ".join(f"$o/P{place}" for place in range(1, paths + 1))
    return f"for $o in /list/o return <r>{{ {returned} }}</r>"


def lists(number: int, counts: Sequence[int], sizes: Sequence[int], times: int = 1) -> list[tuple[str, bytes]]:
    """Messages with so many elements P1, P2, ... in each o, which have so many elements, or some times as many."""
    inside = _inside(counts, sizes, times)
    return [(f"m{each}", f"<list><o n='{each}'>{inside}</o><o>{inside}</o></list>".encode()) for each in range(number)]


def watchers(number: int) -> list[str]:
    """Transformations, each for one kind of auction, that return P1 and one of the other paths."""
    return [f"for $o in /list/o where $o/@c = 'c{each // 7}' return <r>{{ $o/P1, $o/P{each % 7 + 2} }}</r>"
            for each in range(number)]


def offers(number: int, kinds: int, seed: int, times: int = 1) -> list[tuple[str, bytes]]:
    """Messages of two auctions of any kind each, with elements as large as in `lists` by default."""
    random, inside = Random(seed), _inside(COUNTS, SIZES, times)
    auctions = ("".join(f"<o c='c{random.randrange(kinds)}'>{inside}</o>" for _ in range(2)) for _ in range(number))
    return [(f"m{each}", f"<list>{auction}</list>".encode()) for each, auction in enumerate(auctions)]


def _inside(counts: Sequence[int], sizes: Sequence[int], times: int) -> str:
    return "".join(_element(f"P{place}", size * times) * count
                   for place, (count, size) in enumerate(zip(counts, sizes, strict=True), start=1))


def _element(name: str, size: int) -> str:
    return f"<{name}>{''.join(f'<x>{each}</x>' for each in range(size))}</{name}>"
