"""The functions of XQuery that a transformation may call: how many arguments each takes, and what it gives."""

from __future__ import annotations

from typing import NamedTuple


class FunctionSignature(NamedTuple):
    """How many arguments, at least and at most; the kind of the result; how the arguments are used."""

    least: int
    most: int
    gives: str
    """`string`, `number`, `boolean`, `date`, `any` atomic values, or `same`: the items of the first argument."""
    takes: str = "values"
    """`values` of nodes, `items` as they are, `names` of nodes."""
    at_context: bool = False
    """Whether the context item stands for a missing argument."""


_S, _N, _B = "string", "number", "boolean"
_F = FunctionSignature
SIGNATURES: dict[str, FunctionSignature] = {
    "abs": _F(1, 1, _N), "avg": _F(1, 1, "any"), "boolean": _F(1, 1, _B, "items"),
    "ceiling": _F(1, 1, _N), "compare": _F(2, 2, _N), "concat": _F(2, 99, _S),
    "contains": _F(2, 2, _B), "count": _F(1, 1, _N, "items"),
    "data": _F(1, 1, "any", at_context=True), "day-from-date": _F(1, 1, _N),
    "deep-equal": _F(2, 2, _B, "copies"), "distinct-values": _F(1, 1, "any"),
    "empty": _F(1, 1, _B, "items"), "ends-with": _F(2, 2, _B),
    "exactly-one": _F(1, 1, "same", "items"),
    "exists": _F(1, 1, _B, "items"), "false": _F(0, 0, _B), "floor": _F(1, 1, _N),
    "head": _F(1, 1, "same", "items"), "index-of": _F(2, 2, _N), "last": _F(0, 0, _N),
    "local-name": _F(1, 1, _S, "names", at_context=True), "lower-case": _F(1, 1, _S),
    "max": _F(1, 1, "any"), "min": _F(1, 1, "any"), "month-from-date": _F(1, 1, _N),
    "name": _F(1, 1, _S, "copies", at_context=True),
    "namespace-uri": _F(1, 1, _S, "names", at_context=True),
    "normalize-space": _F(1, 1, _S, at_context=True), "not": _F(1, 1, _B, "items"),
    "number": _F(1, 1, _N, at_context=True), "one-or-more": _F(1, 1, "same", "items"),
    "position": _F(0, 0, _N), "reverse": _F(1, 1, "same", "items"), "round": _F(1, 1, _N),
    "round-half-to-even": _F(1, 2, _N), "starts-with": _F(2, 2, _B),
    "string": _F(1, 1, _S, at_context=True), "string-join": _F(1, 2, _S),
    "string-length": _F(1, 1, _N, at_context=True), "subsequence": _F(2, 3, "same", "items"),
    "substring": _F(2, 3, _S), "substring-after": _F(2, 2, _S),
    "substring-before": _F(2, 2, _S), "sum": _F(1, 2, "any"), "tail": _F(1, 1, "same", "items"),
    "translate": _F(3, 3, _S), "true": _F(0, 0, _B), "unordered": _F(1, 1, "same", "items"),
    "upper-case": _F(1, 1, _S), "year-from-date": _F(1, 1, _N),
    "zero-or-one": _F(1, 1, "same", "items"),
}
ATOMIC_TYPES = {
    "xs:string": "string", "xs:integer": "number", "xs:decimal": "number", "xs:double": "number",
    "xs:boolean": "boolean", "xs:date": "date", "xs:untypedAtomic": "untyped",
}
"""The atomic types that there are, with the kind of their values; each is also the name of a function."""
