"""Computes position arrays: where the branching points of a linear path stand in a tag path (Figure 3.11)."""

from __future__ import annotations

from xpubsub.errors import LimitError
from xpubsub.language.xpath.linear import LinearStep, accepted_names, components, linear_steps

Positions = tuple[int, ...]


def position_arrays(
    tagpath: str, linear_path: str, steps_of_points: Positions, most: int = 100_000
) -> list[Positions]:
    """Return all ways to place the branching points, each as tag path positions (from 1) in order of the points."""
    steps, names = linear_steps(linear_path), [set(accepted_names(each)) for each in components(tagpath)]
    feasible = _feasible(steps, names)
    arrays: dict[int, set[Positions]] = {0: {()}}
    for number, (descends, name) in enumerate(steps, start=1):
        points = steps_of_points.count(number)
        arrays = _place(arrays, descends, name, names, feasible[number], points)
        if sum(map(len, arrays.values())) > most:
            reason = f"{tagpath} binds {linear_path} in more than {most} ways (max_positions)"
            raise LimitError(reason, code="limit-positions")
    return sorted(arrays.get(len(names), set()))


def start_positions(tagpath: str, linear_path: str) -> Positions:
    """Return the positions in a tag path (0: the document) from which a linear path leads to its end."""
    names = [set(accepted_names(each)) for each in components(tagpath)]
    return tuple(sorted(_feasible(linear_steps(linear_path), names)[0]))


def _place(
    arrays: dict[int, set[Positions]], descends: bool, name: str, names: list[set[str]],
    feasible: set[int], points: int,
) -> dict[int, set[Positions]]:
    """Bind one more step: from each position reached to each position where the step can stand."""
    placed: dict[int, set[Positions]] = {}
    for last, tuples in arrays.items():
        stop = len(names) if descends else min(last + 1, len(names))
        for position in range(last + 1, stop + 1):
            if position in feasible and name in names[position - 1]:
                placed.setdefault(position, set()).update(each + (position,) * points for each in tuples)
    return placed


def _feasible(steps: tuple[LinearStep, ...], names: list[set[str]]) -> list[set[int]]:
    """Return, for each number of bound steps, the positions of the last step from which the rest still fits."""
    feasible = [set[int]() for _ in range(len(steps) + 1)]
    feasible[-1] = {len(names)}
    for index in range(len(steps) - 1, -1, -1):
        descends, name = steps[index]
        for after in feasible[index + 1]:
            if after and name in names[after - 1]:
                feasible[index].update(range(after) if descends else (after - 1,))
    return feasible
