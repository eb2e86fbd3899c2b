"""Content-addressed ids: every process and every Spark executor gives the same text the same id."""

from __future__ import annotations

import xxhash

RESERVED = 1000
"""Smaller ids are constants of the store (roots of chains); no text gets one."""


def stable_id(*parts: str) -> int:
    """Return the 63-bit hash of a tuple of texts."""
    digest = xxhash.xxh3_64_intdigest("\x00".join(parts).encode("utf-8", "surrogatepass")) >> 1
    return digest if digest >= RESERVED else digest + RESERVED
