"""What lxml's checks cost, counted while messages are published and stored now and then."""

from __future__ import annotations

import pyarrow as pa

_ROW = pa.schema([
    ("check_id", pa.int64()), ("candidates", pa.int64()), ("held", pa.int64()), ("seconds", pa.float64())])
_MANY, _LONG = 10_000, 1.0
"""How many candidates, or seconds, are worth storing while messages are published."""


class CheckCosts:
    """The candidates, those that held, and the seconds of each check since these were last taken."""

    def __init__(self) -> None:
        self._costs: dict[int, list[float]] = {}
        self._candidates, self._seconds = 0, 0.0

    def add(self, check_id: int, held: bool, seconds: float) -> None:
        """Count one evaluation."""
        cost = self._costs.setdefault(check_id, [0, 0, 0.0])
        cost[0] += 1
        cost[1] += held
        cost[2] += seconds
        self._candidates += 1
        self._seconds += seconds

    def __bool__(self) -> bool:
        """Whether something was counted."""
        return bool(self._costs)

    @property
    def worth_storing(self) -> bool:
        """Whether enough was counted to store it before the store is closed or looked at."""
        return self._candidates >= _MANY or self._seconds >= _LONG

    def take(self) -> pa.Table:
        """Return the rows of `check_cost`, and begin anew."""
        rows = [(check_id, int(asked), int(held), seconds) for check_id, (asked, held, seconds) in self._costs.items()]
        self._costs, self._candidates, self._seconds = {}, 0, 0.0
        columns = zip(_ROW, zip(*rows, strict=True), strict=True)
        return pa.table([pa.array(column, field.type) for field, column in columns], schema=_ROW)
