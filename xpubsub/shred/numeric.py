"""Converts many texts at once as XPath's `number()` does."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.language.xpath.numbers import to_number

_FEW = 100
"""Fewer texts than this are converted one by one."""
_PLAIN = r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"
"""Matches numbers that Arrow and XPath read alike."""


def numbers_of(texts: Sequence[str | None]) -> pa.Array:
    """Return a number for each text; null where the text is not a number or is missing."""
    if len(texts) < _FEW:
        return pa.array([None if text is None else to_number(text) for text in texts], pa.float64())
    column = pa.array(texts, pa.string())
    plain = pc.match_substring_regex(column, _PLAIN)
    numbers = pc.cast(pc.if_else(plain, column, None), pa.float64())
    others = pc.and_(pc.is_valid(column), pc.invert(pc.fill_null(plain, True)))
    if pc.any(others).as_py():
        exact = [to_number(text) for text in column.filter(others).to_pylist()]
        numbers = pc.replace_with_mask(numbers, others, pa.array(exact, pa.float64()))
    return pc.add(numbers, 0.0)
