"""Works on columns divided into consecutive groups of given sizes."""

from __future__ import annotations

from typing import Any

import numpy as np


def starts_of(sizes: Any) -> Any:
    """Return, for each element, the index at which its group starts."""
    return np.repeat(np.cumsum(sizes) - sizes, sizes)


def sorted_within(sizes: Any, *keys: Any) -> Any:
    """Return the order that sorts each group by several keys, the first key first; groups keep their places.

    Groups of one size are sorted together, as the rows of a matrix.
    """
    order = np.arange(int(np.sum(sizes)))
    first = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        if size > 1:
            places = first[sizes == size][:, None] + np.arange(size)
            sorting = np.lexsort([key[places] for key in reversed(keys)], axis=-1)
            order[places] = np.take_along_axis(places, sorting, axis=-1)
    return order
