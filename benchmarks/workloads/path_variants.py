"""Ways of writing a path: as it is, with steps left out for `//`, with `*` for a name."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

Forms = tuple[str, str]
"""A path as it starts a predicate, and as it goes on after a step."""
START, JOINED = 0, 1
_POOL = 600
"""Ways kept for each path."""
_SKEW = 24
"""How much more often the first ways are taken: about nine times in ten one of the first fifty."""
_DESCENDS = 0.2
"""How often a step is `//`, as in the generator of Diao 2003; half of the time the step before it is left out."""
_ANY_NAME, _ANY_LAST_NAME = 0.1, 0.02
"""How often a name is `*`, inside a path and at its end."""


class Variants:
    """For each path a few ways of writing it, drawn once."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._known: dict[tuple[str, ...], Sequence[Forms]] = {}

    def of(self, path: tuple[str, ...]) -> Sequence[Forms]:
        """The ways of writing a path; many are the same."""
        if path not in self._known:
            self._known[path] = [_forms(varied(path, self._random)) for _ in range(_POOL)]
        return self._known[path]

    def any(self, forms: Sequence[Forms]) -> Forms:
        """One of the ways."""
        return forms[int(len(forms) * self._random.random() ** _SKEW)]


def varied(path: Sequence[str], random: Random) -> str:
    """One way of writing a path, beginning with `/` or `//`."""
    steps: list[str] = []
    for place, name in enumerate(path):
        chance = random.random()
        if chance < _DESCENDS:
            del steps[-1 if chance < _DESCENDS / 2 else len(steps) :]
            steps.append(f"//{name}")
        else:
            any_name = random.random() < (_ANY_NAME if place < len(path) - 1 else _ANY_LAST_NAME)
            steps.append("/*" if any_name and name[0] != "@" else f"/{name}")
    return "".join(steps)


def _forms(text: str) -> Forms:
    return (f".{text}" if text.startswith("//") else text[1:]), text
