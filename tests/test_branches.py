"""Normal form and branches: `or` written out, paths split at branching points, positions, BrPred."""

from __future__ import annotations

import pytest
from lxml import etree

import xpubsub
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.xpath.normal import Normalizer
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.limits import Limits
from xpubsub.match.brpred import brpred, decode_shape, encode_shape, shape_of
from xpubsub.match.linear_paths import pieces
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.positions import position_arrays

FORMS = {
    "/stock[symbol='Y']/price > 5": ["/stock/symbol{0:} = 'Y' and /stock/price{0:} > 5.0"],
    "//a[b]/c": ["//a/b{1:bp#1=1} and //a/c{0:bp#1=1}"],
    "//a[b or c]": ["//a/b{0:}", "//a/c{0:}"],
    "//a[b = 1]": ["//a/b{0:} = 1.0"],
    "not(//a[b or c])": ["/{0:} and not //a/b{0:} and not //a/c{0:}"],
    "//a[not(b)]": ["not //a/b{1:bp#1=1} and //a{0:bp#1=1}"],
    "a[/x = 5]/b": ["/a/b{0:} and /x{0:} = 5.0"],
    "a < 'x'": [],
    "1 = 2": [],
    "1 = 1": ["/{0:}"],
    "contains(a, '')": ["/{0:}"],
    "contains(//a, 'x')": ["first //a{0:} contains 'x'"],
    "contains(//a[b or c], 'x')": [
        "not //a/b{2:bp#1=1&bp#2=1} and not //a/c{2:bp#1=1&bp#2=1} and not //a{1:bp#1=1&bp#2=1} and "
        "first //a{0:bp#1=1} contains 'x'"
    ],
    "contains('0', -0)": ["/{0:}"],
    "contains(//a, 12)": ["first //a{0:} contains '12'"],
    "//a[. = 'x']": ["//a{0:} = 'x'"],
    "//a[b]//c[d]//e[f]/g": [
        "//a/b{1:bp#1=1} and //a//c/d{2:bp#1=1&bp#2=2} and //a//c//e/f{3:bp#3=3} and "
        "//a//c//e/g{2:bp#2=2&bp#3=3} and //a//c{1:bp#1=1&bp#2=2} and //a{0:bp#1=1}"
    ],
    "//a[b]/@*": ["//a/b{1:bp#1=1} and //a/@*{0:bp#1=1}"],
}


@pytest.mark.parametrize("text", FORMS)
def test_queries(text: str) -> None:
    assert [query.text for query in Compiler().queries(text)] == FORMS[text]


def test_writing_out_or_is_limited() -> None:
    with pytest.raises(xpubsub.LimitError, match="max_disjuncts"):
        Compiler(strict=True).queries(" and ".join(f"(a{n} or b{n})" for n in range(20)))
    with pytest.raises(xpubsub.LimitError, match="max_disjuncts"):
        Compiler(strict=True).queries("/x" + "".join(f"/y[a{n} or b{n}]" for n in range(40)))
    with pytest.raises(xpubsub.LimitError, match="max_disjuncts"):
        Compiler(limits=Limits(max_disjuncts=2), strict=True).queries("a or b or c")


def test_conditions_on_one_node_are_limited() -> None:
    with pytest.raises(xpubsub.LimitError, match="max_branches"):
        Compiler(strict=True).queries("//a" + "".join(f"[b{n}]" for n in range(70)))


@pytest.mark.parametrize("number", ["3000000000", "100000000000", "0.00001"])
def test_a_number_that_implementations_write_differently_is_written_as_lxml_does(number: str) -> None:
    written = f"contains(a, {number})"
    with pytest.raises(xpubsub.UnsupportedError, match="write it as a string"):
        Normalizer(written, Limits()).boolean(parse_xpath(written))
    [query] = Compiler(strict=True).queries(written)
    text = etree.XPath(f"string({number})")(etree.Element("a"))
    assert [branch.test.value for branch in query.branches] == [text]


def test_the_ways_to_place_points_grow_with_the_square_of_the_depth_at_most() -> None:
    [query] = Compiler().queries("//a[@w]//a[@x]//a[@y]//a[not(@z)]//a[b]//a")
    deep = "/a" * 100
    for branch in query.branches:
        steps = tuple(step for _, step in branch.points)
        if branch.linear_path.endswith("a"):
            assert len(position_arrays(deep, branch.linear_path, steps)) <= 100 * 100 / 2


def test_an_absolute_path_beside_or_in_a_first_node_function_is_refused() -> None:
    with pytest.raises(xpubsub.UnsupportedError, match="beside `or` inside contains"):
        Compiler(strict=True).queries("contains(//a[b or /c], 'x')")


@pytest.mark.parametrize(("linear", "wanted"), [
    ("/a/b", ("/a/b", "b/a", None)), ("//a", ("", "a", None)), ("/a//b//c//d/e", ("/a", "e/d", "b//c")),
    ("/", ("/", "", None)), ("/{urn:x/y}a//b", ("/{urn:x/y}a", "b", None)),
])
def test_pieces(linear: str, wanted: tuple[str, str, str | None]) -> None:
    assert pieces(linear) == wanted


@pytest.mark.parametrize(("linear", "tagpath", "matches"), [
    ("/a/b", "/a/b", True), ("/a", "/a/b", False), ("//b", "/a/b", True), ("//a//b", "/a/b", True), ("/*", "/a", True),
    ("/a//b", "/a/a/b", True), ("/*", "/@a", False), ("//*", "/a/text()", False), ("//@*", "/a/@b", True), ("/", "/", True),
    ("//a/b", "/b/a", False), ("/{u}a", "/a", False), ("/{u}*", "/{u}a", True), ("/*:a", "/{u}a", True), ("/*:a", "/a", True),
    ("//@*:a", "/x/@{u}a", True), ("//@{u}*", "/x/@{u}a", True), ("//@a", "/x/@{u}a", False), ("/{u/v}a", "/{u/v}a", True),
    ("//text()", "/a/text()", True), ("//a//a", "/a", False), ("//a/@x", "/a/b/@x", False), ("/*:b", "/{u}ab", False),
])
def test_path_matching(linear: str, tagpath: str, matches: bool) -> None:
    assert PathAutomaton([linear, "/other"]).matches(tagpath) == ([linear] if matches else [])


@pytest.mark.parametrize(("tagpath", "linear", "steps", "arrays"), [
    ("/a/a/a", "//a//a", (1,), [(1,), (2,)]), ("/a/b/a/b", "//a//b", (1, 2), [(1, 4), (3, 4)]), ("/a/b", "/a/b", (), [()]),
    ("/a/b", "/a/b", (1, 1, 2), [(1, 1, 2)]), ("/", "/", (), [()]), ("/a/a/b", "//a/b", (1,), [(2,)]), ("/a", "//b", (1,), []),
])
def test_positions(tagpath: str, linear: str, steps: tuple[int, ...], arrays: list[tuple[int, ...]]) -> None:
    assert position_arrays(tagpath, linear, steps) == arrays


def test_brpred_first_node_and_negation() -> None:
    [query] = Compiler().queries("//a[contains(b, 'x')][not(c)]/d")
    shape = decode_shape(encode_shape(*shape_of(query.branches)))
    number = {branch.linear_path: n for n, branch in enumerate(query.branches)}
    row = {name: number[f"//a/{name}"] for name in "bcd"}
    assert brpred(shape, [(row["b"], [1], 2, True), (row["b"], [1], 3, False), (row["d"], [1], 4, True)])
    assert not brpred(shape, [(row["b"], [1], 3, True), (row["b"], [1], 2, False), (row["d"], [1], 4, True)])
    assert not brpred(shape, [(row["b"], [1], 2, True), (row["c"], [1], 3, True), (row["d"], [1], 4, True)])
    assert brpred(shape, [(row["b"], [1], 2, True), (row["c"], [9], 3, True), (row["d"], [1], 4, True)])
    assert not brpred(shape, [(row["b"], [1], 2, True), (row["d"], [9], 4, True)])
