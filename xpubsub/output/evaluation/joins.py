"""Joins by value inside a message: items that equal something are looked up in an index, not compared one by one."""

from __future__ import annotations

from typing import Any

from xpubsub.output.evaluation.items import XItems
from xpubsub.output.evaluation.run import Environment, Evaluate, Run
from xpubsub.output.parts import Node as Code

_FEW = 8
"""So many items are compared one by one."""


def equality(predicate: Code) -> tuple[Code, Code] | None:
    """Return the sides of a predicate that compares what depends on the item alone with what does not depend on it."""
    if predicate[:2] != ["general", "="]:
        return None
    left, right = predicate[2:]
    for own, other in ((left, right), (right, left)):
        if _of_focus(own) and not _mentions(own, "v") and not _mentions_focus(other):
            return own, other
    return None


def _of_focus(code: Code) -> bool:
    """Whether an expression follows paths from the context item."""
    return code == ["."] or (code[0] in ("path", "filter", "each") and _of_focus(code[1]))


def _mentions(code: Any, op: str, slot: int | None = None) -> bool:
    if not isinstance(code, list):
        return False
    if code[:1] == [op] and (slot is None or code[1:] == [slot]):
        return True
    return any(_mentions(each, op, slot) for each in code)


def _mentions_focus(code: Code) -> bool:
    return (_mentions(code, ".") or _mentions(code, "flwor") or ["call", "position"] in _calls(code)
            or ["call", "last"] in _calls(code))


def _calls(code: Any) -> list[Code]:
    if not isinstance(code, list):
        return []
    return [code[:2]] * (code[:1] == ["call"]) + [call for each in code for call in _calls(each)]


def looked_up(base: Evaluate, own: Evaluate, other: Evaluate, scan: Evaluate) -> Evaluate:
    """Return the function that keeps the items of which some value equals one that is sought."""
    def evaluate(run: Run, environment: Environment) -> XItems:
        items = base(run, environment)
        if len(items) < _FEW:
            return scan(run, environment)
        sought = run.values(other(run, environment))
        places = run.places(evaluate, items, own, environment)
        if places is None or not all(isinstance(each, str) for each in sought):
            return scan(run, environment)
        return [items[place] for place in sorted({place for each in sought for place in places.get(each, ())})]
    return evaluate


def with_joins(clauses: list[Code]) -> list[Code]:
    """Move equalities of a `for` variable with what is bound before into what it runs over."""
    moved = list(clauses)
    for number, clause in enumerate(clauses):
        if clause[0] == "for" and clause[2] is None:
            _move(moved, number, clause[1])
    return [each for each in moved if each]


def _move(clauses: list[Code], number: int, slot: int) -> None:
    later = {slot}
    for place in range(number + 1, len(clauses)):
        clause = clauses[place]
        if clause and clause[0] == "let":
            later.add(clause[1])
        elif clause and clause[0] == "where":
            predicate = _at_focus(clause[1], slot, later)
            if predicate is not None:
                _, own, position, source = clauses[number]
                clauses[number], clauses[place] = ["for", own, position, ["filter", source, predicate]], []
                return
        elif clause:
            return


def _at_focus(condition: Code, slot: int, later: set[int]) -> Code | None:
    """Return a condition as a predicate on the items of a variable, if it is an equality with what is known before."""
    if condition[:2] != ["general", "="]:
        return None
    for own, other in ((condition[2], condition[3]), (condition[3], condition[2])):
        moved = _from_focus(own, slot)
        if moved is not None and not any(_mentions(other, "v", each) for each in later) and not _mentions_focus(other):
            return ["general", "=", moved, other]
    return None


def _from_focus(code: Code, slot: int) -> Code | None:
    """Return a path from a variable as one from the context item."""
    if code == ["v", slot]:
        return ["."]
    if code[0] not in ("path", "filter", "each") or any(_mentions(each, "v") for each in code[2:]):
        return None
    inner = _from_focus(code[1], slot)
    return None if inner is None else [code[0], inner, *code[2:]]
