"""Remembers the hashes of frozen trees, which are otherwise computed from the leaves up at every look-up."""

from __future__ import annotations

from typing import Any, TypeVar

_T = TypeVar("_T")


def hashed_once(made: type[_T]) -> type[_T]:
    """Let objects of a frozen dataclass remember their hashes; pickled ones forget them: each process has others."""
    whole: Any = made.__hash__

    def hash_of(self: Any) -> int:
        known = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = whole(self)
        return int(known)

    def state_of(self: Any) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    made.__hash__ = hash_of  # type: ignore[method-assign]
    made.__getstate__ = state_of  # type: ignore[method-assign]
    return made
