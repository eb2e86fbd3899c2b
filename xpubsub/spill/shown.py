"""The text of `explain --spill`: the tree, the candidates, the effects, qualities and costs, and the choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xpubsub.spill.candidates import Candidate, candidate_count, count_text
from xpubsub.spill.cost import CostConstants
from xpubsub.spill.effects import Effect
from xpubsub.spill.model import Estimates
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.reduced import is_incomplete, is_undecided, reduced_query
from xpubsub.spill.search import ChosenSpill, Estimate

_OPERATIONS = (
    ("c_token", "reading a token"), ("c_skip", "skipping a token"),
    ("c_root", "an element to skip"),
    ("c_transit", "a state that is active at an element"),
    ("c_join", "joining a pair, or looking at a binding"), ("c_keep", "writing a token of a message"),
)
_MOST = 20
"""How many lines of each part are shown."""


def shown_spill(
    tree: SpillNode, model: Estimates, chosen: ChosenSpill, chosen_from: SpillNode | None = None, most: int = _MOST
) -> str:
    """Return all that led to a choice: from the tree of the transformations, or a narrower one, as text."""
    space = chosen_from or tree
    count = sum(1 for node in space.nodes() if node.edge)
    candidates, subsets = count_text(candidate_count(space)), count_text(2**count)
    return "\n".join((
        f"paths that may be spilled: {count}", *_few(_tree(space), most),
        f"candidates: {candidates} of {subsets} subsets, {chosen.considered} considered",
        *_candidates(chosen, most),
        f"effects of spilling {written(chosen.candidate)}:", *_few(_effects(tree, chosen.candidate), most),
        f"quality of a unit: {chosen.quality:g}", *_few(_qualities(model, chosen.candidate), most),
        *_costs(model, chosen.candidate),
        f"chosen by {chosen.policy}: {written(chosen.candidate)}", *(f"  {reason}" for reason in chosen.reasons),
    ))


def shown_constants(constants: CostConstants) -> str:
    """Return what operations cost, as text."""
    return "\n".join(("measured, in nanoseconds:", *(
        f"  {1e9 * getattr(constants, name):.6g}  {what}" for name, what in _OPERATIONS)))


def written(candidate: Candidate) -> str:
    """Write a candidate."""
    return "{" + ", ".join(sorted(candidate)) + "}" if candidate else "nothing"


def _few(lines: Iterable[str], most: int) -> Iterator[str]:
    """Indent the first lines, and say how many there are more."""
    every = list(lines)
    yield from (f"  {line}" for line in every[:most])
    if len(every) > most:
        yield f"  … and {len(every) - most} more"


def _tree(node: SpillNode, depth: int = 0) -> Iterator[str]:
    if node.edge:
        step = node.edge + node.linear_path[len(node.linear_path) - _last(node.linear_path):]
        yield "  ".join([f"{'  ' * (depth - 1)}{step}", *_roles(node.uses)])
    for child in node.children:
        yield from _tree(child, depth + 1)


def _last(linear_path: str) -> int:
    """Return the length of the name of the last step; the namespace in it may have slashes."""
    name = linear_path.rpartition("/")[2]
    return len(linear_path) - linear_path.rindex("{") if "}" in name else len(name)


def _roles(uses: Iterable[PathUse]) -> list[str]:
    """Count the uses of a node: `where value (3)`."""
    found: dict[str, int] = {}
    for use in uses:
        role = f"{use.role} {use.need}" if use.role == "where" else use.role
        found[role] = found.get(role, 0) + 1
    return [f"{role} ({number})" if number > 1 else role for role, number in sorted(found.items())]


def _candidates(chosen: ChosenSpill, most: int) -> Iterator[str]:
    yield f"  {'quality':>12}  {'ms/unit':>12}  {'units/s':>12}  {'quality/s':>12}    spilled"
    yield from _few((_candidate(each, each.candidate == chosen.candidate) for each in chosen.seen), most)


def _candidate(each: Estimate, is_chosen: bool) -> str:
    mark = "chosen" if is_chosen else "" if each.consumes else "too slow"
    numbers = (each.quality, 1000 * each.cost, each.rate, each.total)
    shown = "  ".join(f"{number:12.6g}" for number in numbers)
    return f"{shown}    {written(each.candidate)}{f'  ({mark})' if mark else ''}"


def _effects(tree: SpillNode, candidate: Candidate) -> Iterator[str]:
    """Each affected path with its role and what becomes of it, the transformations counted."""
    by_transformation: dict[str, list[PathUse]] = {}
    for use in tree.all_uses():
        by_transformation.setdefault(use.transformation, []).append(use)
    found: dict[tuple[str, str, str, str], int] = {}
    for uses in by_transformation.values():
        query = reduced_query(uses, candidate)
        for use, each in query.effects:
            outcome = _outcome(use, each, query.is_blocked(use))
            if outcome or each is not Effect.UA:
                key = use.role, use.linear_path, each.name, outcome
                found[key] = found.get(key, 0) + 1
    for (role, path, name, outcome), number in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        yield f"{name:4}  {role:6}  {path}  {outcome}{f' ({number})' if number > 1 else ''}".rstrip()
    if not found:
        yield "none"


def _outcome(use: PathUse, found: Effect, is_blocked: bool) -> str:
    if use.role == "where":
        return "undecided: blocks its block" if is_undecided(use.need, found) else ""
    if is_blocked:
        return "blocked" if use.role == "return" else ""
    if use.role == "for":
        return "fewer bindings" if found is Effect.SRAM else ""
    return "hole" if is_incomplete(use, found) else ""


def _qualities(model: Estimates, candidate: Candidate) -> Iterator[str]:
    whole, left = model.qualities(frozenset()), model.qualities(candidate)
    for path, quality in sorted(whole.items(), key=lambda item: (-item[1], item[0])):
        yield f"{left[path]:.6g} of {quality:.6g}  {path}"


def _costs(model: Estimates, candidate: Candidate) -> Iterator[str]:
    whole, left = model.costs(frozenset()), model.costs(candidate)
    yield f"cost of a unit: {1000 * left.total:.6g} ms of {1000 * whole.total:.6g} ms"
    for name in ("locating", "join", "spill", "unit"):
        yield f"  {1000 * getattr(left, name):.6g} of {1000 * getattr(whole, name):.6g} ms  {name}"
