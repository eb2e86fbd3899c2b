"""Weights of a subscriber, by the paths as the transformation writes them."""

from __future__ import annotations

from random import Random

import pytest

import xpubsub
from tests.flwr_generate import Transformations
from tests.spill_queries import Q1, uses_of
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.spill.weights import _returned, linear_weights


@pytest.mark.parametrize(("query", "weights", "expected"), [
    (Q1, {"$a/d": 10, "$a//b": 0.5}, {"/a/d": 10.0, "/a//b": 0.5}),
    (Q1, {"$a / d": 10}, {"/a/d": 10.0}),
    ("for $a in /x//a, $b in $a/b return <r>{ $a/@k, $b }</r>", {"$b": 2, "$a/@k": 3}, {"/x//a/b": 2.0, "/x//a/@k": 3.0}),
    ("for $a in //a return <r>{ $a/p[@k = 1]/q }{ //t }</r>", {"$a/p[@k = 1]/q": 2, "//t": 3}, {"//a/p/q": 2.0, "//t": 3.0}),
    ("<r>{ for $a in /a return $a/b }{ for $a in /c return $a/b }</r>", {"$a/b": 2}, {"/a/b": 2.0, "/c/b": 2.0}),
    ("declare namespace p = 'urn:p'; for $a in /p:a return $a/p:b", {"$a/p:b": 2}, {"/{urn:p}a/{urn:p}b": 2.0}),
    (Q1, {}, {}),
])
def test_weights(query: str, weights: dict[str, float], expected: dict[str, float]) -> None:
    assert linear_weights(parse_flwr(query), weights) == expected


@pytest.mark.parametrize(("weights", "reason"), [
    ({"$a/price": 10}, r"does not return '\$a/price'; the paths that it returns: \$a//b, \$a/d, \$a/b/c"),
    ({"$a": 10}, "does not return"), ({7: 10}, "does not return 7"),
    ({"$a/d": -1}, "must be a number of at least 0, not -1"), ({"$a/d": float("nan")}, "at least 0"),
    ({"$a/d": float("inf")}, "at least 0"), ({"$a/d": "10"}, "at least 0"), ({"$a/d": True}, "at least 0"),
])
def test_weights_that_are_refused(weights: dict[str, float], reason: str) -> None:
    with pytest.raises(xpubsub.Error, match=reason):
        linear_weights(parse_flwr(Q1), weights)


@pytest.mark.parametrize("seed", range(30))
def test_every_returned_path_can_be_weighted(seed: int) -> None:
    text = Transformations(Random(seed)).transformation()[0]
    copied = {use.linear_path for use in uses_of(text) if use.need == "copy"}
    assert copied <= {path for _, path in _returned(parse_flwr(text), {})}
