"""What `subscribe` returns."""

from __future__ import annotations

from collections.abc import Sequence


class Subscribed(int):
    """The number of subscriptions added, as an `int`, with warnings about the subscriptions given."""

    warnings: list[str]
    """Warnings in the order of the rows; each text starts with the subscription's id."""
    more_warnings: int
    """How many further warnings there were; their texts are not kept."""

    def __new__(cls, added: int, warnings: Sequence[str] = (), more_warnings: int = 0) -> Subscribed:
        made = super().__new__(cls, added)
        made.warnings = list(warnings)
        made.more_warnings = more_warnings
        return made

    def __getnewargs__(self) -> tuple[int, list[str], int]:  # type: ignore[override]
        return int(self), self.warnings, self.more_warnings

    @property
    def added(self) -> int:
        """The number of subscriptions that were not in the store before."""
        return int(self)
