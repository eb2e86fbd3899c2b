"""Columns in groups that lie one after the other, given by their sizes."""

from __future__ import annotations

from typing import Any

import numpy as np


def starts_of(sizes: Any) -> Any:
    """For each element the place at which its group starts."""
    return np.repeat(np.cumsum(sizes) - sizes, sizes)


def sorted_within(sizes: Any, *keys: Any) -> Any:
    """The order that sorts each group by several keys, the first counting most; groups stay where they are.

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
