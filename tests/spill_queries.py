"""Q1 to Q4 of Wei, Rundensteiner and Mani 2010, and the data of its Figure 3.

Figures 1, 3, 5, 6, 7, 8 and 9 are pictures that the text of the paper does not hold. What the text says is the
paper's: Q1 returns $a//b, $a/d and $a/b/c, a is its topmost element, its results are <pairQ1> elements, its tree has
five nodes; its data hold b1, b2, b3, c1, c2, d1, with b1 and b2 on /a/b and half of each in its c. Q4 is printed.
Reconstructed are: an element e for b3 (it is not on /a/b, and d stays whole without it); Q2, of which the text says
only "a predicate on $a/d" and that /a/d/f is spilled; and Q3, of which it gives $b/e, $b/f inside and $a/c outside.
"""

from __future__ import annotations

from lxml import etree

from xpubsub.language.flwr.block_tree import block_tree
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.limits import Limits
from xpubsub.spill.path_uses import PathUse, path_uses
from xpubsub.spill.pattern_tree import SpillNode, tree_of_uses
from xpubsub.spill.statistics import Statistics

Q1 = 'for $a in stream("s")/a return <pairQ1>{ $a//b, $a/d, $a/b/c }</pairQ1>'
Q2 = 'for $a in stream("s")/a where $a/d/text() = "x" return <pairQ2>{ $a/d, $a/b }</pairQ2>'
Q3 = """for $a in stream("s")/a return <pairQ3>{ $a/c }{
  for $b in $a/b where $b/e = "x" return <inner>{ $b/f }</inner> }</pairQ3>"""
Q4 = 'for $o in stream("test")/list/o return $o/P1, $o/P2, $o/P3, $o/P4'
DATA = "<a><b><c></c></b><b><c></c></b><d></d><e><b></b></e></a>"
"""Figure 3(a): b1, b2 with a c each, d1, and b3 further down."""


def uses_of(text: str, transformation: str = "") -> tuple[PathUse, ...]:
    return path_uses(block_tree(parse_flwr(text), text, Limits()), transformation)


def tree_of(text: str) -> SpillNode:
    return tree_of_uses(uses_of(text))


def tree_of_paths(*paths: str) -> SpillNode:
    """A tree of paths that are all returned."""
    return tree_of_uses(PathUse(path, "return", "copy") for path in paths)


def statistics_of(*documents: str) -> Statistics:
    """Counts of the elements of documents, with their sizes in tokens: start tag, end tag, text."""
    totals: dict[str, tuple[int, int]] = {}

    def visit(element: etree._Element, around: str) -> int:
        tagpath = f"{around}/{element.tag}"
        texts = bool(element.text) + sum(bool(child.tail) for child in element)
        tokens = 2 + texts + sum(visit(child, tagpath) for child in element.iterchildren("*"))
        number, size = totals.get(tagpath, (0, 0))
        totals[tagpath] = number + 1, size + tokens
        return tokens

    for document in documents:
        visit(etree.fromstring(document), "")
    return Statistics.counted(len(documents), totals)


def outline(node: SpillNode) -> str:
    """A tree as one line: `a(//b d b(c))`."""
    edge = node.edge.removeprefix("/") and "//"
    name = edge + node.linear_path.rpartition("/")[2]
    children = " ".join(map(outline, node.children))
    return f"{name}({children})" if children else name
