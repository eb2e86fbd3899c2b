"""The functions of filters: how many arguments each takes, and which must be node-sets."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
    """What a function accepts."""

    least: int
    most: int
    nodes: bool = False
    """Whether its argument must be a node-set."""


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
"""The core function library of XPath 1.0, by name."""
XPATH2_FUNCTIONS = {
    "matches": Signature(2, 3), "ends-with": Signature(2, 2), "lower-case": Signature(1, 1),
    "upper-case": Signature(1, 1), "exists": Signature(1, 1), "empty": Signature(1, 1), "xs:date": Signature(1, 1),
    "xs:dateTime": Signature(1, 1),
}
"""The functions of XPath 2.0 that filters may use, by name."""
