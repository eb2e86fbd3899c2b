"""Content-addressed ids: the same text has the same id in every process and on every executor."""

from __future__ import annotations

import xxhash

RESERVED = 1000
"""Ids below this are constants of the store (chain roots) and never come out of a hash."""


def stable_id(*parts: str) -> int:
    """A stable 63-bit id of a tuple of texts."""
    digest = xxhash.xxh3_64_intdigest("\x00".join(parts).encode("utf-8", "surrogatepass")) >> 1
    return digest if digest >= RESERVED else digest + RESERVED
