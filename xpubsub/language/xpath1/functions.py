"""The core function library of XPath 1.0: how many arguments each function takes, and which must be node-sets."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
    """What a function accepts."""

    least: int
    most: int
    nodes: bool = False
    """Whether its argument must be a node-set."""


INSTEAD_OF = {
    "matches": "use contains() or starts-with()", "exists": "write the path alone", "empty": "write not() of the path",
    "lower-case": "use translate(…, 'ABC…', 'abc…')", "upper-case": "use translate(…, 'abc…', 'ABC…')",
    "ends-with": "compare substring(…, string-length(…) - n) with the text",
    "current": "write . for the context node", "document-uri": "a message has none",
    "abs": "compare with both signs", "distinct-values": "compare the nodes themselves",
}
"""What to write instead of functions of other languages."""
OTHERWISE = "the functions are those of XPath 1.0"

MANY = 1000
CORE_FUNCTIONS = {
    "last": Signature(0, 0), "position": Signature(0, 0), "true": Signature(0, 0), "false": Signature(0, 0),
    "count": Signature(1, 1, True), "sum": Signature(1, 1, True), "id": Signature(1, 1), "lang": Signature(1, 1),
    "local-name": Signature(0, 1, True), "namespace-uri": Signature(0, 1, True), "name": Signature(0, 1, True),
    "string": Signature(0, 1), "number": Signature(0, 1), "boolean": Signature(1, 1), "not": Signature(1, 1),
    "string-length": Signature(0, 1), "normalize-space": Signature(0, 1), "concat": Signature(2, MANY),
    "starts-with": Signature(2, 2), "contains": Signature(2, 2), "substring-before": Signature(2, 2),
    "substring-after": Signature(2, 2), "substring": Signature(2, 3), "translate": Signature(3, 3),
    "floor": Signature(1, 1), "ceiling": Signature(1, 1), "round": Signature(1, 1),
}
"""By name."""
