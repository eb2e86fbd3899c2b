"""The queries and documents of Wei 2006 as streams: outputs come with the tokens that the paper names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import xpubsub
from benchmarks.parts.endless import average_held

D1 = ["<person>", "<name>", "Jack", "</name>", "<children>", "</children>", "</person>",
      "<person>", "<name>", "Amy", "</name>", "</person>"]
D2 = ["<person>", "<name>", "Jack", "</name>", "<children>", "<person>", "<name>", "Amy", "</name>", "</person>",
      "</children>", "</person>"]
Q1 = 'for $a in stream("persons")//person return $a, $a//name'
Q2 = 'for $a in stream("persons")//person return $a//Mothername, $a//name'
Q3 = 'for $a in stream("persons")//person, $b in $a//name return $a, $b'
Q4 = 'for $a in stream("persons")/person return $a, $a/name'
Q5 = """for $a in stream("s")//a return (
  for $b in $a//b return (for $c in $b//c return ($c//d, $c//e), $b//f), $a//g)"""
Q6 = 'for $a in stream("persons")/root/person, $b in $a/name return $a, $b'
JACK, AMY = "<name>Jack</name>", "<name>Amy</name>"
FIRST, SECOND = "".join(D1[:7]), "".join(D1[7:])
OUTER, INNER = "".join(D2), "".join(D2[5:10])
Outputs = list[tuple[int, str]]
"""The number of the token read last, and an output."""


def run(query: str, tokens: list[str], split: str | None) -> tuple[Outputs, list[xpubsub.Result]]:
    """Publish tokens one by one, inside a root element."""
    read = 0

    def chunks() -> Iterator[str]:
        nonlocal read
        yield "<root>"
        for token in tokens:
            read += 1
            yield token
        yield "</root>"

    outputs: Outputs = []
    results: list[xpubsub.Result] = []
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q", query)
        for result in broker.publish_stream(chunks(), split, "persons", tokens=True):
            results.append(result)
            outputs += [(read, row["output"]) for row in result.notifications.to_pylist()]
    return outputs, results


@pytest.mark.parametrize(("query", "split", "on_d1", "on_d2"), [
    (Q1, "//person", [(7, FIRST + JACK), (12, SECOND + AMY)], [(12, OUTER + JACK + AMY + INNER + AMY)]),
    (Q2, "//person", [(7, JACK), (12, AMY)], [(12, JACK + AMY + AMY)]),
    (Q3, "//person", [(7, FIRST + JACK), (12, SECOND + AMY)], [(12, OUTER + JACK + OUTER + AMY + INNER + AMY)]),
    (Q4, "//person", [(7, FIRST + JACK), (12, SECOND + AMY)], [(12, OUTER + JACK)]),
    (Q1, None, [(7, FIRST + JACK), (12, SECOND + AMY)], [(12, OUTER + JACK + AMY + INNER + AMY)]),
    (Q6, None, [(7, FIRST + JACK), (12, SECOND + AMY)], [(12, OUTER + JACK)]),
], ids=["Q1", "Q2", "Q3", "Q4", "Q1 without a path", "Q6"])
def test_outputs_come_with_the_tokens_of_the_paper(
    query: str, split: str | None, on_d1: Outputs, on_d2: Outputs
) -> None:
    assert run(query, D1, split)[0] == on_d1
    assert run(query, D2, split)[0] == on_d2


def test_several_structural_joins() -> None:
    tokens = ["<a>", "<b>", "<c>", "<d>", "</d>", "<e>", "</e>", "</c>", "<f>", "</f>", "</b>", "<g>", "</g>", "</a>"]
    for split in ("//a", None):
        assert run(Q5, tokens, split)[0] == [(14, "<d></d><e></e><f></f><g></g>")]
        assert run(Q5, ["<x>", *tokens, "</x>", *tokens], split)[0] == [
            (15, "<d></d><e></e><f></f><g></g>"), (30, "<d></d><e></e><f></f><g></g>")]


@pytest.mark.parametrize(("tokens", "held"), [(D1, [1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 0]), (D2, [*range(1, 12), 0])],
                         ids=["D1", "D2"])
def test_average_tokens_buffered(tokens: list[str], held: list[int]) -> None:
    """With zero tokens' delay the tokens of a person are held until its end tag (section VI.A)."""
    _, results = run(Q1, tokens, "//person")
    assert sum(result.tokens for result in results) == 12
    assert sum(result.tokens_held for result in results) == sum(held)
    if len(results) == 1:
        assert results[0].tokens_buffered == sum(held) / 12


def test_tokens_buffered_with_a_delay() -> None:
    """Figure 7: with each token of delay, the tokens of an ended person are held for one more token."""
    assert average_held([7, 5], 0) == 31 / 12
    assert average_held([7, 5], 1) == (31 + 7) / 12
    assert average_held([7, 5], 9) == (31 + 7 * 5) / 12
