"""Turns a program into functions, one for each of its operations, which are called message by message."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from xpubsub.errors import DynamicError
from xpubsub.language.flwr.tags import escaped_text
from xpubsub.output.evaluation.arithmetic import operate, opposite
from xpubsub.output.evaluation.clauses import flwor
from xpubsub.output.evaluation.comparing import general, value_comparison
from xpubsub.output.evaluation.functions import BUILT_IN, ON_NODES, effective_truth
from xpubsub.output.evaluation.items import CASTS, MadeNode, XItem, XItems, XNode, converted, value_text
from xpubsub.output.evaluation.joins import equality, looked_up
from xpubsub.output.evaluation.nodes import OF_NODES, deep_equal
from xpubsub.output.evaluation.paths import at_each_node, each_of, filtered, followed, node_order, node_set
from xpubsub.output.evaluation.run import Environment, Evaluate, Lazy, Run
from xpubsub.output.evaluation.writing import attribute_item, content_text, element_writer, named_item
from xpubsub.output.parts import Node as Code
from xpubsub.output.parts import OutputMessage, Rows

_NUMBERS: dict[str, Callable[[str], XItem]] = {"int": int, "Decimal": Decimal, "float": float}
_OCCURRENCES = {"": (1, 1), "?": (0, 1), "+": (1, None), "*": (0, None)}


def output_program(code: Code, slots: int, *, decides: bool) -> Callable[[OutputMessage, Rows], str | None]:
    """Return the function that makes an output.

    There is none (None) if no outermost `for` has bound anything, or if there is no such `for` and the result is empty.
    """
    evaluate = compiled(code)

    def output(message: OutputMessage, rows: Rows) -> str | None:
        run = Run(message, rows)
        environment: Environment = [None] * slots
        environment += [XNode(0), 1, 1]
        try:
            items = evaluate(run, environment)
        except (ArithmeticError, RecursionError) as error:
            raise DynamicError("FOAR0002", f"it cannot be computed: {type(error).__name__}") from error
        return content_text(run, items, has_default=False) if (run.decided if decides else items) else None
    return output


def compiled(code: Code) -> Evaluate:
    """Return the function of an operation with its operands."""
    return _BUILDERS[code[0]](code)


def _all(codes: list[Code]) -> list[Evaluate]:
    return [compiled(each) for each in codes]


def _constant(code: Code) -> Evaluate:
    found = [code[1]]
    return lambda run, environment: found


def _number(code: Code) -> Evaluate:
    found = [_NUMBERS[code[1]](code[2])]
    return lambda run, environment: found


def _text(code: Code) -> Evaluate:
    found: XItems = [MadeNode(code[1])]
    return lambda run, environment: found


def _variable(code: Code) -> Evaluate:
    slot = code[1]

    def evaluate(run: Run, environment: Environment) -> XItems:
        value: XItems | Lazy = environment[slot]
        return value.value() if isinstance(value, Lazy) else value
    return evaluate


def _context(code: Code) -> Evaluate:
    return lambda run, environment: [environment[-3]]


def _root(code: Code) -> Evaluate:
    found: XItems = [XNode(0)]
    return lambda run, environment: found


def _sequence(code: Code) -> Evaluate:
    parts = _all(code[1:])
    if len(parts) == 1:
        return parts[0]
    return lambda run, environment: [item for each in parts for item in each(run, environment)]


def _and(code: Code) -> Evaluate:
    left, right = _all(code[1:])
    return lambda run, environment: [
        effective_truth(left(run, environment)) and effective_truth(right(run, environment))]


def _or(code: Code) -> Evaluate:
    left, right = _all(code[1:])
    return lambda run, environment: [
        effective_truth(left(run, environment)) or effective_truth(right(run, environment))]


def _if(code: Code) -> Evaluate:
    condition, then, otherwise = _all(code[1:])


    def evaluate(run: Run, environment: Environment) -> XItems:
        return (then if effective_truth(condition(run, environment)) else otherwise)(run, environment)
    return evaluate


def _general(code: Code) -> Evaluate:
    op, left, right = code[1], compiled(code[2]), compiled(code[3])
    return lambda run, environment: [
        general(op, run.values(left(run, environment)), run.values(right(run, environment)))]


def _value(code: Code) -> Evaluate:
    op, left, right = code[1], compiled(code[2]), compiled(code[3])
    return lambda run, environment: value_comparison(
        op, run.values(left(run, environment)), run.values(right(run, environment)))


def _arithmetic(code: Code) -> Evaluate:
    op, left, right = code[1], compiled(code[2]), compiled(code[3])
    return lambda run, environment: operate(
        op, run.values(left(run, environment)), run.values(right(run, environment)))


def _negative(code: Code) -> Evaluate:
    operand = compiled(code[1])
    return lambda run, environment: opposite(run.values(operand(run, environment)))


def _join(code: Code) -> Evaluate:
    operands, concat = _all(code[1:]), BUILT_IN["concat"]
    return lambda run, environment: concat(*[run.values(each(run, environment)) for each in operands])


def _cast(code: Code) -> Evaluate:
    _, type_name, occurrence, kind, operand_code = code
    operand, (least, most) = compiled(operand_code), _OCCURRENCES[occurrence]

    def cast(run: Run, environment: Environment) -> XItems:
        values = operand(run, environment)
        values = run.values(values) if type_name else values
        if len(values) < least or (most is not None and len(values) > most):
            raise DynamicError("XPTY0004", f"{len(values)} items are given where {occurrence or 'one'} is declared")
        if not type_name:
            return values
        convert = CASTS[type_name]
        return [converted(each, type_name) if kind == "convert" else convert(each) for each in values]

    def castable(run: Run, environment: Environment) -> XItems:
        try:
            cast(run, environment)
        except DynamicError:
            return [False]
        return [True]
    return castable if kind == "castable" else cast


def _quantified(code: Code) -> Evaluate:
    _, every, bindings, condition_code = code
    sources, condition = [(slot, compiled(source)) for slot, source in bindings], compiled(condition_code)

    def holds(run: Run, environment: Environment, place: int) -> bool:
        if place == len(sources):
            return effective_truth(condition(run, environment))
        slot, source = sources[place]
        environment = environment.copy()
        for item in source(run, environment):
            environment[slot] = [item]
            if holds(run, environment.copy(), place + 1) is not every:
                return not every
        return bool(every)
    return lambda run, environment: [holds(run, environment, 0)]


def _call(code: Code) -> Evaluate:
    name, arguments = code[1], _all(code[2:])
    if name in ("position", "last"):
        return _of_focus(-2 if name == "position" else -1)
    if name in OF_NODES:
        apply, [argument] = OF_NODES[name], arguments
        return lambda run, environment: apply(run, argument(run, environment))
    if name == "deep-equal":
        left, right = arguments
        return lambda run, environment: deep_equal(run, left(run, environment), right(run, environment))
    function, whole = BUILT_IN[name], name in ON_NODES
    if whole and len(arguments) == 1:
        [only] = arguments
        return lambda run, environment: function(only(run, environment))
    return lambda run, environment: function(*[
        each(run, environment) if whole and not place else run.values(each(run, environment))
        for place, each in enumerate(arguments)])


def _of_focus(place: int) -> Evaluate:
    return lambda run, environment: [environment[place]]


def _filter(code: Code) -> Evaluate:
    base, predicate = compiled(code[1]), compiled(code[2])
    scan, sides = filtered(base, predicate), equality(code[2])
    return scan if sides is None else looked_up(base, compiled(sides[0]), compiled(sides[1]), scan)


def _element(code: Code) -> Evaluate:
    attributes = [[each[1] if each[0] == "text" else compiled(each) for each in parts] for *_, parts in code[5]]
    return element_writer(code, attributes, _all(code[6]))


def _attribute(code: Code) -> Evaluate:
    _, written, uri, value = code
    evaluate = compiled(value)
    return lambda run, environment: [attribute_item(written, uri, run.values(evaluate(run, environment)))]


def _textnode(code: Code) -> Evaluate:
    value = compiled(code[1])

    def evaluate(run: Run, environment: Environment) -> XItems:
        values = run.values(value(run, environment))
        return [MadeNode(escaped_text(" ".join(map(value_text, values))))] if values else []
    return evaluate


def _named(code: Code) -> Evaluate:
    _, kind, name_code, prefixes, content_code = code
    name, content = compiled(name_code), compiled(content_code)

    def evaluate(run: Run, environment: Environment) -> XItems:
        items = content(run, environment)
        given = run.values(items) if kind == "attribute" else items
        return named_item(run, kind, run.values(name(run, environment)), prefixes, given)
    return evaluate


_BUILDERS: dict[str, Callable[[Any], Evaluate]] = {
    "k": _constant, "n": _number, "text": _text, "v": _variable, ".": _context,
    "root": _root, "seq": _sequence, "and": _and, "or": _or, "if": _if, "general": _general, "value": _value,
    "number": _arithmetic, "neg": _negative, "join": _join, "cast": _cast, "quantified": _quantified, "call": _call,
    "path": lambda code: followed(compiled(code[1]), code[2]),
    "each": lambda code: each_of(compiled(code[1]), code[2], _all(code[3])),
    "map": lambda code: at_each_node(compiled(code[1]), compiled(code[2])),
    "filter": _filter,
    "nodes": lambda code: node_set(code[1], compiled(code[2]), compiled(code[3])),
    "order": lambda code: node_order(code[1], compiled(code[2]), compiled(code[3])),
    "flwor": lambda code: flwor(code, compiled), "element": _element, "attribute": _attribute, "textnode": _textnode,
    "named": _named,
}
