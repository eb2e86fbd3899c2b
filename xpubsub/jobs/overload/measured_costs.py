"""How long batches take, given what the model says of their units: so many times longer, and a time for the batch."""

from __future__ import annotations

_KEPT = 0.85
"""How much of the weight of earlier batches is left after a batch."""
_LEAST_SPREAD = 0.02
"""How much modelled costs must differ, as the square of a share of their mean, to tell the two apart."""
_MOST_FIXED = 0.6
"""The share that is taken to be fixed at most, so that one slow batch does not make spilling look useless."""


class MeasuredCosts:
    """A line through measured batches, the last ones counting most: seconds = factor · modelled cost + fixed."""

    def __init__(self) -> None:
        self._weight = self._x = self._y = self._xx = self._xy = 0.0
        self._units = 0.0
        self._fixed_share = 0.0

    def learn(self, units: int, modelled: float, seconds: float) -> None:
        """Take note of a batch: the cost of a unit by the model, and the seconds that all units took."""
        cost = units * modelled
        before = self._weight, self._x, self._y, self._xx, self._xy
        self._weight, self._x, self._y, self._xx, self._xy = (
            _KEPT * old + new for old, new in zip(before, (1.0, cost, seconds, cost**2, cost * seconds), strict=True))
        self._units = max(_KEPT * self._units, units)
        self._fit()

    def rescale(self, ratio: float) -> None:
        """The model has changed: what it called one second, it now calls `ratio` seconds."""
        self._x *= ratio
        self._xx *= ratio**2
        self._xy *= ratio

    def line(self) -> tuple[float, float]:
        """Return the factor, and the fixed seconds of a unit in a large batch; 1 and 0 while nothing is known."""
        if self._x <= 0 or self._y <= 0:
            return 1.0, 0.0
        fixed = self._fixed_share * self._y / self._weight
        return (1 - self._fixed_share) * self._y / self._x, fixed / max(self._units, 1.0)

    def expected(self, units: int, modelled: float) -> float | None:
        """Return how many seconds a batch should take; None while nothing is known."""
        if self._x <= 0 or self._y <= 0:
            return None
        factor, fixed = self.line()
        return factor * units * modelled + fixed * max(self._units, 1.0)

    def _fit(self) -> None:
        """Tell what is fixed from what is not, once batches of different costs were seen."""
        if self._x <= 0 or self._y <= 0:
            return
        x, y = self._x / self._weight, self._y / self._weight
        spread = self._xx / self._weight - x * x
        if spread > _LEAST_SPREAD * x * x:
            slope = (self._xy / self._weight - x * y) / spread
            self._fixed_share = min(max(1 - slope * x / y, 0.0), _MOST_FIXED)
