"""The functions of XQuery that a transformation may call: how many arguments each takes, and what it gives."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
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
FUNCTIONS: dict[str, Signature] = {
    "abs": Signature(1, 1, _N), "avg": Signature(1, 1, "any"), "boolean": Signature(1, 1, _B, "items"),
    "ceiling": Signature(1, 1, _N), "compare": Signature(2, 2, _N), "concat": Signature(2, 99, _S),
    "contains": Signature(2, 2, _B), "count": Signature(1, 1, _N, "items"),
    "data": Signature(1, 1, "any", at_context=True), "day-from-date": Signature(1, 1, _N),
    "deep-equal": Signature(2, 2, _B, "copies"), "distinct-values": Signature(1, 1, "any"),
    "empty": Signature(1, 1, _B, "items"), "ends-with": Signature(2, 2, _B),
    "exactly-one": Signature(1, 1, "same", "items"),
    "exists": Signature(1, 1, _B, "items"), "false": Signature(0, 0, _B), "floor": Signature(1, 1, _N),
    "head": Signature(1, 1, "same", "items"), "index-of": Signature(2, 2, _N), "last": Signature(0, 0, _N),
    "local-name": Signature(1, 1, _S, "names", at_context=True), "lower-case": Signature(1, 1, _S),
    "max": Signature(1, 1, "any"), "min": Signature(1, 1, "any"), "month-from-date": Signature(1, 1, _N),
    "name": Signature(1, 1, _S, "copies", at_context=True),
    "namespace-uri": Signature(1, 1, _S, "names", at_context=True),
    "normalize-space": Signature(1, 1, _S, at_context=True), "not": Signature(1, 1, _B, "items"),
    "number": Signature(1, 1, _N, at_context=True), "one-or-more": Signature(1, 1, "same", "items"),
    "position": Signature(0, 0, _N), "reverse": Signature(1, 1, "same", "items"), "round": Signature(1, 1, _N),
    "round-half-to-even": Signature(1, 2, _N), "starts-with": Signature(2, 2, _B),
    "string": Signature(1, 1, _S, at_context=True), "string-join": Signature(1, 2, _S),
    "string-length": Signature(1, 1, _N, at_context=True), "subsequence": Signature(2, 3, "same", "items"),
    "substring": Signature(2, 3, _S), "substring-after": Signature(2, 2, _S),
    "substring-before": Signature(2, 2, _S), "sum": Signature(1, 2, "any"), "tail": Signature(1, 1, "same", "items"),
    "translate": Signature(3, 3, _S), "true": Signature(0, 0, _B), "unordered": Signature(1, 1, "same", "items"),
    "upper-case": Signature(1, 1, _S), "year-from-date": Signature(1, 1, _N),
    "zero-or-one": Signature(1, 1, "same", "items"),
}
ATOMIC_TYPES = {
    "xs:string": "string", "xs:integer": "number", "xs:decimal": "number", "xs:double": "number",
    "xs:boolean": "boolean", "xs:date": "date", "xs:untypedAtomic": "untyped",
}
"""The atomic types that there are, with the kind of their values; each is also the name of a function."""
