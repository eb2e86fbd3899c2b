"""How long batches took for which some paths were spilled, over how long they should have taken."""

from __future__ import annotations

from xpubsub.spill.candidates import Candidate

_NEW = 0.5
"""The weight of the last batch."""
_FORGOTTEN = 0.98
"""How much of what was learnt is left after a batch for which something else was spilled, so that it is tried again."""
_MOST = 4.0
"""No batch counts as more times slower or faster than this."""


class TriedChoices:
    """What was learnt of each choice: the model knows nothing of some costs, such as those of outputs with holes."""

    def __init__(self) -> None:
        self._ratios: dict[Candidate, float] = {}

    def learn(self, spilled: Candidate, expected: float, seconds: float) -> None:
        """Take note of a batch."""
        found = min(max(seconds / expected, 1 / _MOST), _MOST)
        before = self.ratio(spilled)
        self._ratios = {each: ratio**_FORGOTTEN for each, ratio in self._ratios.items()}
        self._ratios[spilled] = (1 - _NEW) * before + _NEW * found

    def ratio(self, spilled: Candidate) -> float:
        """Return how many times longer than expected batches take; 1 for what was never tried."""
        return self._ratios.get(spilled, 1.0)
