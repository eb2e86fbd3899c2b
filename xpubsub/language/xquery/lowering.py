"""Turns a query's expressions into a program for the message factory, and notes which nodes the program needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from xpubsub.errors import UnsupportedError
from xpubsub.language.instead import refusal
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.numbers import to_number
from xpubsub.language.xquery.functions import ATOMIC_TYPES, SIGNATURES, FunctionSignature
from xpubsub.language.xquery.static import (
    NO_ITEMS,
    NUMBERS,
    STRINGS,
    TRUTHS,
    WHOLE_MESSAGE,
    Code,
    NodeTrail,
    Place,
    Static,
)
from xpubsub.language.xquery.syntax import (
    BinaryOperation,
    Cast,
    Conditional,
    Context,
    Expression,
    FunctionCall,
    ItemSequence,
    MessageRoot,
    NegativeNumber,
    OwnCall,
    OwnFunction,
    Quantified,
    QueryConstant,
    SequenceType,
    Variable,
    XQuery,
)

Lowered = tuple[Code, Static]
_NODE_SETS = {"|": "union", "union": "union", "intersect": "intersect", "except": "except"}
_NODE_ORDER = ("is", "<<", ">>")
_VALUES = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass
class Needed:
    """The nodes that a program needs, by their paths."""

    returned: dict[tuple[str, int], None] = field(default_factory=dict)
    """Paths that are followed: (linear path, step at which the base stands)."""
    copied: set[str] = field(default_factory=set)
    valued: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)


class Lowering:
    """Lowers values: constants, variables, calls, operators; its subclasses lower paths, clauses and constructors."""

    def __init__(self, query: XQuery, text: str) -> None:
        self._text = text
        self._functions = query.functions
        self._next_slot = query.slots
        self.needed = Needed()

    def refuse(self, construct: str, offset: int, instead: str = "") -> UnsupportedError:
        """Return the error that a construct is not supported."""
        return UnsupportedError(refusal(construct, instead), code="unsupported", text=self._text, offset=offset)

    def lower(self, expr: Expression, place: Place) -> Lowered:
        """Return the program of an expression, and what is known of its value."""
        match expr:
            case QueryConstant(value):
                return _constant(value)
            case Variable(slot):
                return ["v", slot], place.slots[slot]
            case Context():
                return ["."] if place.focus != WHOLE_MESSAGE else ["root"], place.focus
            case MessageRoot():
                return ["root"], WHOLE_MESSAGE
            case FunctionCall("unordered", (argument,)):
                return self.lower(argument, place.inside)
            case FunctionCall():
                return self._call(expr, place)
            case OwnCall():
                return self._own_call(expr, place)
            case BinaryOperation():
                return self._operation(expr, place)
            case NegativeNumber(operand):
                return ["neg", self._values(operand, place)], NUMBERS
            case Cast(operand, type_name, occurrence, kind):
                code = ["cast", type_name, occurrence, kind, self._values(operand, place)]
                return code, TRUTHS if kind == "castable" else Static(kind=ATOMIC_TYPES[type_name])
            case Conditional(condition, then, otherwise):
                chosen, inside = self.lower(condition, place.value)[0], place.inside
                (one, static), (other, beside) = self.lower(then, inside), self.lower(otherwise, inside)
                return ["if", chosen, one, other], static.joined(beside)
            case Quantified():
                return self._quantified(expr, place.value)
            case ItemSequence(parts):
                return self._items(parts, place)
        return self._other(expr, place)

    def _other(self, expr: Expression, place: Place) -> Lowered:
        raise NotImplementedError(type(expr))

    def _items(self, parts: tuple[Expression, ...], place: Place) -> Lowered:
        lowered = [self.lower(each, place) for each in parts]
        static = NO_ITEMS
        for _, each in lowered:
            static = static.joined(each)
        return ["seq", *(code for code, _ in lowered)], static

    def _values(self, expr: Expression, place: Place) -> Code:
        """Lower an expression whose nodes are read as values."""
        code, static = self.lower(expr, place.value)
        self._read(static.trails, self.needed.valued, expr)
        return code

    def _read(self, trails: Iterable[NodeTrail], needed: set[str], expr: Expression) -> None:
        for trail in trails:
            if not trail:
                raise self.refuse("the whole message as a value", getattr(expr, "offset", 0))
            needed.add(linear_path(trail))

    def _call(self, call: FunctionCall, place: Place) -> Lowered:
        signature = SIGNATURES[call.name]
        arguments = [self._argument(number, each, signature, place) for number, each in enumerate(call.arguments)]
        code = ["call", call.name, *(code for code, _ in arguments)]
        if signature.gives == "same":
            return code, arguments[0][1]
        if signature.gives == "any":
            return code, self._any(call.name, arguments[0][1])
        return code, Static(kind=signature.gives)

    def _any(self, name: str, argument: Static) -> Static:
        kind = argument.kind if not argument.trails else "untyped" if not argument.kind else "any"
        if name in ("data", "distinct-values"):
            return Static(kind=kind)
        return NUMBERS if kind in ("untyped", "number") else Static(kind="any")

    def _argument(self, number: int, expr: Expression, signature: FunctionSignature, place: Place) -> Lowered:
        code, static = self.lower(expr, place.value)
        if signature.takes == "values" or number:
            self._read(static.trails, self.needed.valued, expr)
        elif signature.takes == "names":
            self._read(static.trails, self.needed.named, expr)
        elif signature.takes == "copies":
            self._read(static.trails, self.needed.copied, expr)
        if signature.takes == "copies" and number:
            self._read(static.trails, self.needed.copied, expr)
        if signature.takes in ("names", "copies") and static.made:
            raise self.refuse("a question about a constructed node", getattr(expr, "offset", 0))
        return code, static

    def _own_call(self, call: OwnCall, place: Place) -> Lowered:
        function = self._functions.get(call.name)
        if function is None or call.name in place.calls:
            raise self.refuse("a function that calls itself", call.offset)
        if len(call.arguments) != len(function.parameters):
            raise UnsupportedError(f"wrong number of arguments of {call.name}()", code="XPST0017", text=self._text,
                                   offset=call.offset)
        return self._inlined(function, call, place)

    def _inlined(self, function: OwnFunction, call: OwnCall, place: Place) -> Lowered:
        inner = Place(calls=(*place.calls, function.name))
        lets: list[Code] = []
        for (slot, declared), argument in zip(function.parameters, call.arguments, strict=True):
            code, static = self._converted(*self.lower(argument, place.value), declared, argument)
            lets.append(["let", slot, code])
            inner = inner.with_slot(slot, static)
        code, static = self._converted(*self.lower(function.body, inner), function.result, function.body)
        return ["flwor", False, lets, code], static

    def _converted(self, code: Code, static: Static, declared: SequenceType | None, expr: Expression) -> Lowered:
        """Apply the conversion rules of functions, to an argument or a result."""
        if declared is None:
            return code, static
        if declared.atomic:
            self._read(static.trails, self.needed.valued, expr)
            static = Static(kind=ATOMIC_TYPES[declared.atomic])
        return ["cast", declared.atomic, declared.occurrence, "convert", code], static

    def _operation(self, operation: BinaryOperation, place: Place) -> Lowered:
        op, left, right = operation.op, operation.left, operation.right
        if op in ("and", "or"):
            return [op, self.lower(left, place.value)[0], self.lower(right, place.value)[0]], TRUTHS
        if op in _NODE_SETS or op in _NODE_ORDER:
            return self._nodes(operation, place)
        if op in ("<", "<=", ">", ">="):
            left, right = self._numeric(left, right, place), self._numeric(right, left, place)
        operands = [self._values(left, place), self._values(right, place)]
        if op in FLIPPED or op in _VALUES:
            return ["general" if op in FLIPPED else "value", op, *operands], TRUTHS
        return ["join", *operands] if op == "||" else ["number", op, *operands], STRINGS if op == "||" else NUMBERS

    def _numeric(self, expr: Expression, other: Expression, place: Place) -> Expression:
        """Return a string with a number in it as that number, if it is compared by order with values of nodes."""
        if not isinstance(expr, QueryConstant) or not isinstance(expr.value, str):
            return expr
        number, static = to_number(expr.value), self.lower(other, place.value)[1]
        of_nodes = bool(static.trails) or static.kind == "untyped"
        return expr if number is None or not of_nodes else replace(expr, value=number)

    def _nodes(self, operation: BinaryOperation, place: Place) -> Lowered:
        (left, one), (right, other) = (self.lower(each, place.value) for each in (operation.left, operation.right))
        if one.kind or one.made or other.kind or other.made:
            raise self.refuse(f"the operator {operation.op} on anything but nodes of the message", operation.offset)
        if operation.op in _NODE_ORDER:
            return ["order", operation.op, left, right], TRUTHS
        kept = one.joined(other) if _NODE_SETS[operation.op] == "union" else one
        return ["nodes", _NODE_SETS[operation.op], left, right], kept

    def _quantified(self, quantified: Quantified, place: Place) -> Lowered:
        sources: list[Code] = []
        for slot, source in quantified.bindings:
            code, static = self.lower(source, place)
            sources.append([slot, code])
            place = place.with_slot(slot, static)
        return ["quantified", quantified.every, sources, self.lower(quantified.condition, place)[0]], TRUTHS

    def new_slot(self) -> int:
        """Return the slot of a variable that the query does not have."""
        self._next_slot += 1
        return self._next_slot - 1

    @property
    def slots(self) -> int:
        """How many slots the program has."""
        return self._next_slot


def _constant(value: str | int | Decimal | float) -> Lowered:
    if isinstance(value, str):
        return ["k", value], STRINGS
    return ["n", type(value).__name__, str(value)], NUMBERS
