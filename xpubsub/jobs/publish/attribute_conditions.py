"""Conditions on attributes of a branching point: its start tag settles them; other conditions need its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from xpubsub.language.xpath.linear import linear_steps
from xpubsub.rows import START_BITS, table_of


def start_bits(conditions: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return the bits of conditions on attributes for each branching point, given rows of `first_condition`."""
    bits: dict[tuple[int, int], int] = defaultdict(int)
    for row in conditions:
        if _on_attribute(row["linear_path"], row["brinfo"]):
            bits[row["query_id"], row["point"]] |= row["bit"]
    return table_of([(*point, each) for point, each in bits.items()], START_BITS)


def _on_attribute(linear_path: str, brinfo: str) -> bool:
    """Whether a branch is an attribute of its last branching point (`bp#1=1&bp#2=3`: at step 3)."""
    steps = linear_steps(linear_path)
    descends, name = steps[-1]
    return name.startswith("@") and not descends and int(brinfo.rpartition("=")[2]) == len(steps) - 1
