"""Join graphs, their minors and templates, beside sections 3 and 4 of Hong 2007."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xpubsub
from tests.test_xscl_parser import Q1, Q2, Q3
from xpubsub.language.xpath.normal import TRUE, Disjunction, Hop, Item
from xpubsub.language.xpath.syntax import name_of
from xpubsub.language.xscl.minor import kept_blocks
from xpubsub.language.xscl.parser import parse_xscl
from xpubsub.language.xscl.patterns import JoinPatterns, join_patterns
from xpubsub.language.xscl.templates import TemplateUse, join_graph, join_template_of
from xpubsub.limits import Limits

LIMITS = Limits(max_joins=16)


def patterns_of(text: str) -> JoinPatterns:
    return join_patterns(parse_xscl(text, limits=LIMITS), text, LIMITS)


def use(text: str, *, outputs: bool = False) -> TemplateUse:
    patterns = patterns_of(text)
    return join_template_of(join_graph(patterns, text, LIMITS, patterns.outputs if outputs else ()))


def template_text(text: str) -> str:
    return use(text).template.text


def full_template_text(text: str) -> str:
    """The template when all nodes stay."""
    patterns = patterns_of(text)
    everything = {node.number for block in patterns.blocks for node in block.nodes}
    return join_template_of(join_graph(patterns, text, LIMITS, everything)).template.text


def row(text: str, used: TemplateUse) -> list[str]:
    """The row of R_T: the variable that each meta-variable stands for."""
    names = {number: name for name, number in patterns_of(text).variables.items()}
    return [names.get(number, "") for number in used.nodes]


def shown(text: str, *also: str) -> list[str]:
    """What stays of the blocks: parent → hops, variables and conditions of each node."""
    patterns = patterns_of(text)
    numbers = [patterns.variables[name] for name in also]
    return [
        f"{node.parent}→{node.number} {hops_text(node.hops)} {'/'.join(node.variables)}{conditions_text(node.conditions)}"
        for block in kept_blocks(patterns, text, LIMITS, numbers) for node in block.nodes]


def hops_text(hops: tuple[Hop, ...]) -> str:
    return "".join(
        ("//" if hop.axis == "descendant" else "/") + name_of(hop.test) + conditions_text((hop.conditions,)) for hop in hops)


def conditions_text(disjunction: Disjunction) -> str:
    return "" if disjunction == TRUE else f"[{' or '.join(' and '.join(map(item_text, each)) for each in disjunction)}]"


def item_text(item: Item) -> str:
    constant = item.test.value if item.test.number is None else f"{item.test.number:g}"
    test = "" if item.test.op == "exists" else f" {item.test.op} {constant}"
    return f"{'not ' * item.negated}.{hops_text(item.hops)}{test}"


def test_the_queries_of_table_2_share_the_template_of_figure_5() -> None:
    rows = {}
    for text in (Q1, Q2, Q3):
        used = use(text)
        assert used.template.text == "1(2 3)|4(5 6)|2=5 3=6"
        assert used.template.trees == ((0, 1, 1), (0, 4, 4))
        rows[text] = row(text, used)
    assert rows == {
        Q1: ["x1", "x2", "x3", "x4", "x5", "x6"], Q2: ["x1", "x2", "x7", "x4", "x5", "x8"],
        Q3: ["x4", "x5", "x6", "x4'", "x5'", "x6'"]}


def test_patterns() -> None:
    patterns = patterns_of("S//a/b[k > 1]/c AS $x [d/e AS $y [f]/g] [h[i AS $z]] JOIN {$x//m = $w and $x//m < $w/@n and $y = $w, 1m} T AS $w")
    left, right = patterns.blocks
    assert [(node.parent, node.number, hops_text(node.hops), node.variables) for node in (*left.nodes, *right.nodes)] == [
        (0, 1, "//a/b", ()), (1, 2, "/c", ("x",)), (2, 3, "/d/e", ("y",)), (3, 4, "/g", ()), (2, 5, "/h/i", ("z",)),
        (2, 6, "//m", ("x//m@59",)), (2, 7, "//m", ("x//m@74",)), (0, 8, "/*", ("w",)), (8, 9, "/@n", ("w/@n@82",))]
    assert (left.stream, left.root, right.stream, right.root, patterns.outputs) == ("S", 2, "T", 8, (2, 8))
    [operator] = patterns.operators
    assert [(join.op, join.left, join.right) for join in operator.joins] == [("=", 6, 8), ("<", 7, 9), ("=", 3, 8)]
    assert (operator.kind, operator.window) == ("join", 60.0)


def test_outputs_are_the_nodes_that_select_mentions() -> None:
    text = "SELECT <a>{$y, $z/b}{$y/c}</a> FROM S AS $x [d AS $y] JOIN {$x = $w, 1s} S AS $w [e AS $z]"
    patterns = patterns_of(text)
    assert patterns.outputs == (patterns.variables["y"], patterns.variables["z"])
    assert row(text, use(text, outputs=True)) == ["x", "y", "w", "z"]


MINORS = {
    "S//a->x[b->y] JOIN {y=w, 1s} T/c->w": ["0→2 //a/b y", "0→3 /c w"],
    "S//a->x[b->y][c->z] JOIN {y=w, 1s} T/c->w": ["0→1 //a x[./c]", "1→2 /b y", "0→4 /c w"],
    "S/r->r[a->x[b->y][c->z]] JOIN {y=w and z=w, 1s} T/c->w": ["0→2 /r/a x", "2→3 /b y", "2→4 /c z", "0→5 /c w"],
    "S/r[k = 1]->r[a->x[b->y][c->z]] JOIN {y=w and z=w, 1s} T/c->w":
        ["0→1 /r r[./k = 1]", "1→2 /a x", "2→3 /b y", "2→4 /c z", "0→5 /c w"],
    "S/r->r[a->x[b->y[c->z]]] JOIN {r=w and z=w, 1s} T/c->w": ["0→1 /r r", "1→4 /a/b/c z", "0→5 /c w"],
    "S/r->r[a->x[b->y[@k or d]/e]] JOIN {r=w, 1s} T/c->w":
        ["0→1 /r r[./a[./b[./@k and ./e]] or ./a[./b[./d and ./e]]]", "0→5 /c w"],
    "S/r->r[a->x[b < 5]][//c->z] JOIN {z < w and r = v, 1s} T->v[c->w]":
        ["0→1 /r r[./a[./b < 5]]", "1→3 //c z", "0→4 /* v", "4→5 /c w"],
    "S/a[not(b)]/c->x JOIN {x=w, 1s} T/c->w": ["0→1 /a [not ./b]", "1→2 /c x", "0→3 /c w"],
}


@pytest.mark.parametrize("text", MINORS)
def test_minor(text: str) -> None:
    assert shown(text) == MINORS[text]


def test_what_is_asked_for_stays_and_a_block_keeps_something() -> None:
    assert shown("S//a->x[b->y] JOIN {y=w, 1s} T/c->w", "x") == ["0→1 //a x", "1→2 /b y", "0→3 /c w"]
    assert shown("FROM S//a[b[c->y]]/d") == ["0→1 //a [./b/c]", "1→3 /d "]


def test_several_operators_are_one_graph() -> None:
    text = "S/a->x[b->y][c->z] FOLLOWED BY {y=w, 1s} T/d->w JOIN {z=v and w<=v, 2s} U/e->v"
    used = use(text)
    assert (used.template.text, used.template.trees) == ("1(2 3)|4|5|2=4 3=5 4<=5", ((0, 1, 1), (0,), (0,)))
    assert row(text, used) == ["x", "y", "z", "w", "v"]
    renamed = "S/m->k[n->j][o->i] JOIN {p=i, 3s} R->p JOIN {q>=p and j=q, 2s} R/q->q"
    assert use(renamed).template == used.template
    assert row(renamed, use(renamed)) == ["k", "i", "j", "p", "q"]


def test_residual_comparisons_are_labelled() -> None:
    text = "S->x[a->a][b->b] JOIN {a=c and b<d, 1s} T->y[c->c][d->d]"
    assert template_text(text) != template_text(text.replace("b<d", "b>d"))
    assert template_text(text.replace("b<d", "d>b")) == template_text(text)
    assert template_text(text) != template_text(Q1)


# Trees, as nested tuples whose leaves are numbers.
Tree = int | tuple["Tree", ...]


def test_number_of_templates_is_that_of_table_3() -> None:
    """All join graphs with so many value joins between leaves, different ones: a pair of leaves is joined once, a leaf
    may take part in several joins, each leaf in one at least. A template and its mirror image count as two."""
    flat = [len(templates(joins, flat=True)) for joins in (1, 2, 3, 4)]
    deep = [len(templates(joins, flat=False)) for joins in (1, 2, 3)]
    assert (flat, deep) == ([1, 3, 6, 16], [1, 3, 16])


def templates(joins: int, *, flat: bool) -> set[str]:
    found = set()
    for left, right in itertools.product(range(1, joins + 1), repeat=2):
        for edges in itertools.combinations(itertools.product(range(left), range(right)), joins):
            if {a for a, _ in edges} == set(range(left)) and {b for _, b in edges} == set(range(right)):
                for trees in itertools.product(trees_of(left, flat=flat), trees_of(right, flat=flat)):
                    found.add(template_text(query_text(*trees, edges)))
    return found


def trees_of(leaves: int, *, flat: bool) -> list[Tree]:
    return [tuple(range(leaves))] if flat else list(nested(tuple(range(leaves))))


def nested(leaves: tuple[int, ...]) -> Iterator[Tree]:
    """All trees over some leaves, and above each leaf a node that the minor removes."""
    if len(leaves) == 1:
        yield (leaves[0],)
        return
    for parts in partitions(leaves):
        if len(parts) > 1:
            yield from itertools.product(*map(nested, parts))


def partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            for more in partitions(tuple(each for each in rest if each not in others)):
                yield [(first, *others), *more]


def query_text(left: Tree, right: Tree, edges: tuple[tuple[int, int], ...]) -> str:
    pred = " AND ".join(f"l{a} = r{b}" for a, b in edges)
    return f"S{pattern('l', left)} FOLLOWED BY {{{pred}, 1s}} S{pattern('r', right)}"


def pattern(side: str, tree: Tree) -> str:
    return f"/a->{side}{tree}" if isinstance(tree, int) else "/n" + "".join(f"[{pattern(side, part)}]" for part in tree)


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[str, str]:
    """A query, and the same with other names, and with predicates and comparisons in another order."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    sizes = [draw(st.integers(1, 5)), draw(st.integers(1, 5))]
    trees = [chance.choice(list(nested(tuple(range(size))))) for size in sizes]
    pairs = list(itertools.product(range(sizes[0]), range(sizes[1])))
    joins = chance.sample(pairs, min(len(pairs), draw(st.integers(1, 8))))
    ops = ["=", *chance.choices(["=", "<", "!="], [8, 1, 1], k=len(joins) - 1)]
    edges = [(op, a, b) for op, (a, b) in zip(ops, joins, strict=True)]
    names = [chance.sample(range(100), size) for size in sizes]
    renamed = chance.sample([(op, names[0][a], names[1][b]) for op, a, b in edges], len(edges))
    others = [relabelled(tree, own, chance) for tree, own in zip(trees, names, strict=True)]
    return labelled(trees, edges), labelled(others, renamed)


def relabelled(tree: Tree, names: list[int], chance: random.Random) -> Tree:
    if isinstance(tree, int):
        return names[tree]
    return tuple(relabelled(part, names, chance) for part in chance.sample(tree, len(tree)))


def labelled(trees: list[Tree], edges: list[tuple[str, int, int]]) -> str:
    pred = " AND ".join(f"l{a} {op} r{b}" for op, a, b in edges)
    return f"S{pattern('l', trees[0])} JOIN {{{pred}, 1s}} T{pattern('r', trees[1])}"


@settings(max_examples=150, deadline=None)
@given(shuffled())
def test_names_and_order_do_not_matter(pair: tuple[str, str]) -> None:
    one, other = pair
    assert template_text(one) == template_text(other)
    assert full_template_text(one) == full_template_text(other)


@settings(max_examples=60, deadline=None)
@given(shuffled())
def test_a_template_says_what_the_query_says(pair: tuple[str, str]) -> None:
    """Under the nodes that its meta-variables stand for, a template is the join graph itself."""
    text = pair[1]
    graph, used = join_graph(patterns_of(text), text, LIMITS), use(text)
    node = dict(enumerate(used.nodes, start=1)) | {0: 0}
    parents = [parent for tree in used.template.trees for parent in tree]
    kept = {each.number: each.parent for block in graph.blocks for each in block.nodes}
    assert {node[place]: node[parent] for place, parent in enumerate(parents, start=1)} == kept
    edges = {(edge.op, node[edge.left], node[edge.right]) for edge in used.template.edges}
    assert edges == {(join.op, join.left, join.right) for join in graph.joins}


def test_symmetric_graphs_are_quick() -> None:
    leaves = range(16)
    text = query_text(tuple(leaves), tuple(leaves), tuple((each, each) for each in leaves))
    assert template_text(text).endswith("17=34")
    complete = query_text((0, 1, 2, 3), (0, 1, 2, 3), tuple(itertools.product(range(4), repeat=2)))
    assert template_text(complete).startswith("1(2 3 4 5)|6(7 8 9 10)|2=7 2=8")


def test_deep_patterns_are_refused() -> None:
    text = "FROM S" + "".join(f"/a->x{level}" for level in range(70))
    with pytest.raises(xpubsub.LimitError, match="max_nesting"):
        patterns_of(text)
    assert hops_text(patterns_of("FROM S" + "/a" * 1000).blocks[0].nodes[0].hops) == "/a" * 1000
