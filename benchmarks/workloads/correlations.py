"""Two documents and correlations of them, generated after Hong et al. 2007, section 6.1 (Figure 17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

import pyarrow as pa

BRANCHING = 4
"""Of the three-level schema."""


@dataclass(frozen=True)
class Schema:
    """The root of documents, and the paths from it to their leaves, of one step or two."""

    root: str
    leaves: tuple[str, ...]
    binds_between: bool = False
    """Whether correlations bind the nodes between the root and the leaves to variables, too."""

    def block(self, leaves: Sequence[int], name: str) -> str:
        """A block that binds the root, and leaves by their places."""
        paths = sorted((self.leaves[leaf], f"${name}{place}") for place, leaf in enumerate(leaves))
        if not self.binds_between:
            return f"S/{self.root} AS ${name} " + "".join(f"[./{path} AS {variable}]" for path, variable in paths)
        inner = ""
        for between, below in groupby(paths, key=lambda pair: pair[0].split("/")[0]):
            bound = "".join(f"[./{path.split('/')[1]} AS {variable}]" for path, variable in below)
            inner += f"[./{between} AS ${name}_{between} {bound}]"
        return f"S/{self.root} AS ${name} {inner}"

    def document(self) -> str:
        """A document whose leaves have values of their own, the same in each such document."""
        numbered = [(*leaf.split("/"), f"value {place}") for place, leaf in enumerate(self.leaves)]
        content = ""
        for between, below in groupby(numbered, key=lambda leaf: leaf[0] if len(leaf) == 3 else ""):
            inner = "".join(f"<{leaf[-2]}>{leaf[-1]}</{leaf[-2]}>" for leaf in below)
            content += f"<{between}>{inner}</{between}>" if between else inner
        return f"<{self.root}>{content}</{self.root}>"


def two_level(leaves: int) -> Schema:
    """Leaves below the root, as in a feed."""
    return Schema("root", tuple(f"leaf{number}" for number in range(leaves)))


def three_level() -> Schema:
    """A root with nodes below it, and leaves below these."""
    places = range(BRANCHING)
    return Schema("root", tuple(f"node{node}/leaf{leaf}" for node in places for leaf in places), binds_between=True)


@dataclass(frozen=True)
class Correlation:
    """Leaves of an earlier document that equal leaves of a later one, pair by pair."""

    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def same_leaves(self) -> bool:
        """Whether leaves are compared with themselves: only that holds where different leaves have different values."""
        return self.left == self.right

    def text(self, schema: Schema, window: str = "INF") -> str:
        """As it is subscribed."""
        joined = " AND ".join(f"$l{place} = $r{place}" for place in range(len(self.left)))
        left, right = schema.block(self.left, "l"), schema.block(self.right, "r")
        return f"{left} FOLLOWED BY {{ {joined}, {window} }} {right}"

    @property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """What is compared with what: correlations with the same are the same."""
        return frozenset(zip(self.left, self.right, strict=True))


@dataclass(frozen=True)
class Workload:
    """A schema, the most value joins of a correlation (K), and the Zipf parameter of their number."""

    name: str
    schema: Schema
    joins: int
    zipf: float = 0.8

    def correlations(self, number: int, seed: int) -> list[Correlation]:
        """So many; some are the same."""
        source = self._endless(Random(seed))
        return [next(source) for _ in range(number)]

    def _endless(self, random: Random) -> Iterator[Correlation]:
        counts = range(1, self.joins + 1)
        weights, places = [count**-self.zipf for count in counts], range(len(self.schema.leaves))
        while True:
            count = random.choices(counts, weights)[0]
            yield Correlation(tuple(random.sample(places, count)), tuple(random.sample(places, count)))

    def subscriptions(self, correlations: Sequence[Correlation], first: int = 0, *, apart: bool = False) -> pa.Table:
        """As `subscribe_many` takes them; `apart`: each with a window of its own, so that no two are the same."""
        numbers = range(first, first + len(correlations))
        texts = [each.text(self.schema, f"{1_000_000 + number}d" if apart else "INF")
                 for number, each in zip(numbers, correlations, strict=True)]
        return pa.table({"id": [f"s{number}" for number in numbers], "text": texts})


def powers(most: int) -> list[int]:
    """10, 100 and so on up to a number."""
    return [*(10**exponent for exponent in range(1, 9) if 10**exponent < most), most]
