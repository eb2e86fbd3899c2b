"""Quality and cost: Example D.1, equations (4) to (7), Figure 16, and counts on documents as the judge."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from tests.flwr_generate import Transformations
from tests.spill_queries import DATA, Q1, Q3, Q4, statistics_of, tree_of, uses_of
from tests.test_spill_candidates import random_tree
from xpubsub.spill.active import transitions
from xpubsub.spill.candidates import NOTHING, Lattice, minimum_candidates
from xpubsub.spill.census import Census
from xpubsub.spill.cost import CostConstants, join_cost, locating_cost, spill_cost
from xpubsub.spill.effects import Effect, effect
from xpubsub.spill.guards import Guards
from xpubsub.spill.model import Estimates
from xpubsub.spill.pattern_tree import merged_tree, tree_of_uses
from xpubsub.spill.quality import unit_quality
from xpubsub.spill.reduced import reduced_query
from xpubsub.spill.statistics import ElementCount, Statistics
from xpubsub.spill.tree_effects import tree_effects

ONE = CostConstants(c_transit=1, c_join=1, c_stack=1, c_io=1)


def spilling(*paths: str) -> frozenset[str]:
    return frozenset(paths)


def estimates(query: str = Q1, document: str = DATA, **given: object) -> Estimates:
    return Estimates(tree_of(query), statistics_of(document), ONE, **given)


@pytest.mark.parametrize(("spilled", "paths", "quality"), [
    ("/a/b", {"/a//b": 1, "/a/d": 1, "/a/b/c": 0}, 2),        # Figure 15, Example D.1: b3 and d1
    ("/a/b/c", {"/a//b": 2, "/a/d": 1, "/a/b/c": 0}, 3),      # 1*1 + 2*0.5 for $a//b
    ("/a//b", {"/a//b": 0, "/a/d": 1, "/a/b/c": 0}, 1),       # section 2: only d is left
    ("/a/d", {"/a//b": 3, "/a/d": 0, "/a/b/c": 2}, 5),
    ("/a", {"/a//b": 0, "/a/d": 0, "/a/b/c": 0}, 0),
    ("/x", {"/a//b": 3, "/a/d": 1, "/a/b/c": 2}, 6),          # Example 6.1: the initial query's quality
])
def test_example_d1_the_quality_of_q1(spilled: str, paths: dict[str, float], quality: float) -> None:
    model = estimates()
    assert model.qualities(spilling(spilled)) == paths
    assert model.quality(spilling(spilled)) == quality


def test_equation_4() -> None:
    assert unit_quality([(1, 1), (2, 0.5), (1, 1)]) == 3
    assert unit_quality([]) == 0


def test_weights_of_a_subscriber() -> None:
    """Price first: what is worth ten times as much is lost last."""
    weighted = Estimates(tree_of(Q1), statistics_of(DATA), ONE, {("", "/a/d"): 10.0})
    assert weighted.quality(NOTHING) == 15 and weighted.quality(spilling("/a/b")) == 11


def test_quality_counts_bindings_that_pass() -> None:
    statistics = Statistics(statistics_of(DATA).elements, passing={"": 0.5})
    assert Estimates(tree_of(Q1), statistics, ONE).quality(NOTHING) == 3


def test_selectivity_of_joins_in_q4() -> None:
    """Section 7.2: of branches of equal number and size, that with the lowest selectivity is worth least."""
    elements = {"/list": ElementCount(1, 90), "/list/o": ElementCount(2, 40)} | {
        f"/list/o/P{number}": ElementCount(10, 2) for number in range(1, 5)}
    shares = {("/list/o", f"/list/o/P{number}"): number / 20 for number in range(1, 5)}
    model = Estimates(tree_of(Q4), Statistics(elements, selectivities=shares), ONE)
    assert model.qualities(NOTHING) == {"/list/o/P1": 1, "/list/o/P2": 2, "/list/o/P3": 3, "/list/o/P4": 4}


def test_a_blocked_block_has_no_quality() -> None:
    document = "<a><c/><b><e>x</e><f/><f/></b></a>"
    model = estimates(Q3, document)
    assert model.qualities(NOTHING) == {"/a/c": 1, "/a/b/f": 2}
    assert model.qualities(spilling("/a/b/e")) == {"/a/c": 1, "/a/b/f": 0}


def test_equations_5_6_and_7() -> None:
    constants = CostConstants(c_transit=2, c_join=3, c_stack=5, c_io=7)
    assert locating_cost([4, 6], constants) == 20
    assert join_cost(2, 2 * 10 * 0.5, constants) == 2 * 2 * 10 * 0.5 * 3 + 2 * 2 * 5
    assert spill_cost([2 * 4, 1 * 3], constants) == 77


def test_the_cost_of_q1() -> None:
    """Nothing spilled: three joins with $a. Each element that begins costs a transition per state on the stack: at a
    the document; at b, b, d, e the state of a; at each c those of a (it waits for //b), /a//b and /a/b; at b3 that of a."""
    parts = estimates().costs(NOTHING)
    assert parts.join == sum(2 * pairs + 2 for pairs in (3, 1, 2))
    assert parts.locating == 1 + 4 * 1 + 2 * 3 + 1 * 1
    assert parts.spill == 0 and parts.total == parts.join + parts.locating


def test_figure_16_locating_when_b_is_spilled() -> None:
    """What s5 (/a/b) and s6 (/a/b/c) cost inside b is saved: at least equation (5) of these two states."""
    tree = tree_of(Q1)
    census = Census(tree, statistics_of(DATA))
    at_root, inside = transitions(tree, census)
    active = dict(zip(census.tagpaths, inside, strict=True))
    assert at_root == 1
    assert active["/a/b"] == 2 * 3          # two c begin, while a (waiting for //b), /a//b and /a/b are on the stack
    whole, reduced = (estimates().costs(each).locating for each in (NOTHING, spilling("/a//b")))
    assert whole - reduced == active["/a/b"] + active["/a/b/c"] + active["/a/e/b"]
    assert whole - reduced >= locating_cost([2], ONE)


def test_joins_that_are_saved() -> None:
    """Section 1: without /a//b neither $a//b nor $a/b/c is joined; with /a/b in memory, fewer are compared."""
    model = estimates()
    assert model.costs(spilling("/a//b")).join == 2 * 1 + 2
    assert model.costs(spilling("/a/b")).join == (2 * 1 + 2) + (2 * 1 + 2)
    assert model.costs(spilling("/a")).join == 0


def test_what_is_written_when_spilling() -> None:
    """b1 and b2, four tokens each, once, though c is inside; and the tags of a, which completion joins with them."""
    model = estimates()
    assert model.costs(spilling("/a/b")).spill == 2 * 4 + 2
    assert model.costs(spilling("/a/b", "/a//b")).spill == 2 * 4 + 2 + 2
    assert model.costs(spilling("/a")).spill == 16


def test_a_blocked_join_is_saved() -> None:
    model = estimates(Q3, "<a><c/><b><e>x</e><f/><f/></b></a>")
    whole, blocked = model.costs(NOTHING).join, model.costs(spilling("/a/b/e")).join
    joins = {"c": 2 * 1 + 2, "b": 2 * 1 + 2, "e": 2 * 1 + 2, "f": 2 * 2 + 2}
    assert whole == sum(joins.values()) and blocked == joins["c"]


def test_a_join_is_shared_and_blocked_only_if_all_who_need_it_are() -> None:
    free, guarded = "for $a in /a return $a/b", "for $a in /a where $a/k return $a/b"
    statistics = statistics_of("<a><b/><b/><k/></a>")
    both = merged_tree([tree_of_uses(uses_of(free, "t1")), tree_of_uses(uses_of(guarded, "t2"))])
    model = Estimates(both, statistics, ONE)
    assert model.costs(NOTHING).join == (2 * 2 + 2) + (2 * 1 + 2)
    assert model.costs(spilling("/a/k")).join == 2 * 2 + 2
    assert model.quality(NOTHING) == 4 and model.quality(spilling("/a/k")) == 2
    assert Estimates(tree_of(guarded), statistics, ONE).costs(spilling("/a/k")).join == 0


def test_constants_are_scaled_to_what_is_measured() -> None:
    tree, statistics = tree_of(Q1), statistics_of(DATA)
    constants = CostConstants().scaled(Estimates(tree, statistics).cost(NOTHING), 0.1)
    assert Estimates(tree, statistics, constants).cost(NOTHING) == pytest.approx(0.1)
    assert CostConstants().scaled(0, 1) == CostConstants()


def test_namespaces_with_slashes() -> None:
    statistics = Statistics.counted(1, {"/a/{http://x/y}b/{http://x/y}c": (2, 4)})
    tree = tree_of("declare namespace p = 'http://x/y'; for $a in /a return $a/p:b/p:c")
    model = Estimates(tree, statistics, ONE)
    assert model.quality(NOTHING) == 2 and model.quality(spilling("/a/{http://x/y}b")) == 0


def test_attributes_count_as_their_elements_unless_counted() -> None:
    tree = tree_of("for $b in /a/b return <x>{ $b/@k }</x>")
    assert Estimates(tree, statistics_of("<a><b k='1'/><b/></a>"), ONE).quality(NOTHING) == 2
    counted = Statistics({"/a": ElementCount(1, 4), "/a/b": ElementCount(2, 2), "/a/b/@k": ElementCount(1)})
    model = Estimates(tree, counted, ONE)
    assert model.quality(NOTHING) == 1 and model.quality(spilling("/a/b")) == 0


def test_nothing_is_known_yet() -> None:
    model = Estimates(tree_of(Q1), Statistics(), ONE)
    assert model.quality(NOTHING) == model.cost(NOTHING) == model.cost(spilling("/a/b")) == 0


def test_observed_effects() -> None:
    """//k might be in b, and then its condition cannot be decided; messages have shown it elsewhere."""
    query, document = "for $a in /a where //k/m = 1 return $a/c", "<a><b><d/></b><k><m>1</m></k><c/></a>"
    careful, observed = (Estimates(tree_of(query), statistics_of(document), ONE, observed=each) for each in (False, True))
    assert careful.quality(spilling("/a/b")) == 0 and observed.quality(spilling("/a/b")) == 1
    for model in (careful, observed):
        assert model.quality(spilling("/a/k")) == model.quality(spilling("/a/k/m")) == 0
    assert careful.quality(NOTHING) == observed.quality(NOTHING) == 1


def random_statistics(random: Random) -> Statistics:
    """Random counts and sizes, not even consistent: parts may be larger than the whole."""
    tagpaths = ["/" + "/".join(names) for length in range(1, 5) for names in itertools.product("abc", repeat=length)]
    return Statistics({
        tagpath: ElementCount(random.randrange(4), random.random() * 10) for tagpath in random.sample(tagpaths, 40)})


@pytest.mark.parametrize("seed", range(20))
def test_quality_never_grows_downwards(seed: int) -> None:
    """What Observation 6.1 rests on, to the last bit."""
    random = Random(seed)
    tree = merged_tree([random_tree(random, 4), tree_of_uses(uses_of("for $a in //a where $a/b = 1 and //c return $a//c"))])
    model, lattice = Estimates(tree, random_statistics(random), ONE, observed=seed % 2 == 0), Lattice(tree)
    for candidate in minimum_candidates(tree, 200):
        quality = model.quality(candidate)
        for lower in lattice.below(candidate):
            assert model.quality(lower) <= quality, (candidate, lower)
        assert model.cost(candidate) >= 0


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_at_once_is_path_by_path(seed: int) -> None:
    """`tree_effects` and `Guards` say of random transformations what `effect` and `reduced_query` say."""
    random = Random(seed)
    uses = [uses_of(Transformations(random).transformation()[0], str(number)) for number in range(5)]
    tree = merged_tree(map(tree_of_uses, uses))
    guards, nodes = Guards(tree), [node.linear_path for node in tree.nodes() if node.edge]
    for spilled in random.sample(nodes, min(10, len(nodes))):
        found = tree_effects(tree, spilled)
        for path in {*nodes, *(use.linear_path for use in tree.all_uses())}:
            assert found.get(path, Effect.UA) is effect(path, [spilled]), (path, spilled)
        blocked = guards.blocked([spilled])
        for each in uses:
            query = reduced_query(each, [spilled])
            for use in each:
                assert query.is_blocked(use) == blocked[guards.number(use)], (use, spilled)


@pytest.mark.parametrize("seed", range(10))
def test_what_messages_have_shown_is_possible(seed: int) -> None:
    """An observed effect is never stronger than that on any message."""
    random = Random(seed)
    tree = merged_tree([tree_of_uses(uses_of(Transformations(random).transformation()[0])), random_tree(random, 4)])
    census, rank = Census(tree, random_statistics(random)), list(Effect)
    for node in tree.nodes():
        if node.edge:
            possible = tree_effects(tree, node.linear_path)
            for path, found in census.effects(node.linear_path).items():
                assert rank.index(found) <= rank.index(possible.get(path, Effect.UA)), (path, node.linear_path)


@pytest.mark.parametrize("seed", range(10))
def test_estimates_are_counts_on_documents(seed: int) -> None:
    """Quality of a document whose types are uniform, counted element by element."""
    random = Random(seed)
    shape = [random.randrange(1, 4) for _ in range(3)]
    inner = "".join("<c/>" for _ in range(shape[2]))
    document = f"<a>{f'<b>{inner}<d/></b>' * shape[0]}{'<d/>' * shape[1]}</a>"
    model = estimates("for $a in /a return <x>{ $a/b, $a//c, $a//d }</x>", document)
    whole = 2 + 2 * shape[2] + 2
    assert model.quality(NOTHING) == shape[0] * (1 + shape[2] + 1) + shape[1]
    assert model.quality(spilling("/a/b/c")) == pytest.approx(shape[0] * (1 - 2 * shape[2] / whole) + shape[0] + shape[1])
    assert model.quality(spilling("/a/b")) == shape[1]
    assert model.quality(spilling("/a//d")) == pytest.approx(shape[0] * (1 - 2 / whole) + shape[0] * shape[2])
