"""The running example of Tian 2004, Figures 3.2 to 3.14: the same rows in every table, ids apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judge import judge, pairs
from xpubsub.match.brpred import brpred, decode_shape
from xpubsub.step import Step

SUBSCRIPTION = "/a//b[//c/d/text()='v1' AND /p//q/text()='v2']/x[@y='v3']//z/text()='v4'"
MESSAGE = (
    '<a><b><c><d>v1</d></c><p><p2><q>v2</q></p2></p><x y="v3"><z>v4</z><z>v5</z></x></b>'
    '<b><b><x y="v4"/></b></b></a>'
)
LINEAR_PATHS = ("/a//b//c/d/text()", "/a//b/p//q/text()", "/a//b/x/@y", "/a//b/x//z/text()")
PREDICATES = sorted(zip(LINEAR_PATHS, "====", ("v1", "v2", "v3", "v4"), strict=True))


@pytest.fixture(scope="module")
def stores(spark_session: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The example subscribed and published on each engine, once."""
    import xpubsub

    opened = {}
    for engine, options in (("duckdb", {}), ("spark", {"spark": spark_session})):
        path = tmp_path_factory.mktemp("paper") / "store"
        broker = xpubsub.connect(path, engine=engine, slots=4, **options)
        broker.subscribe("5", SUBSCRIPTION, dialect="branching")
        opened[engine] = broker, broker.publish([("12", MESSAGE)])
    yield opened
    for broker, _ in opened.values():
        broker.close()


def rows(stores: Any, engine: str, sql: str) -> list[tuple[Any, ...]]:
    broker, _ = stores[engine]
    return sorted(tuple(row.values()) for row in broker.store.rows(Step("test", sql)))


def ids(stores: Any, engine: str, table: str, text: str, key: str) -> dict[str, int]:
    return dict(rows(stores, engine, f"select {text}, {key} from {table}"))


def test_the_message_matches(stores: Any, engine: str) -> None:
    assert pairs(stores[engine][1].notifications.to_pylist()) == {("12", "5")}


def test_figure_3_4_query_linear_path(stores: Any, engine: str) -> None:
    assert rows(stores, engine, "select linear_path, prefix, postfix, middle from query_linear_path") == [
        ("/a//b//c/d/text()", "/a", "text()/d/c", "b"),
        ("/a//b/p//q/text()", "/a", "text()/q", "b/p"),
        ("/a//b/x//z/text()", "/a", "text()/z", "b/x"),
        ("/a//b/x/@y", "/a", "@y/x/b", None),
    ]


def test_figure_3_4_query_predicate(stores: Any, engine: str) -> None:
    path = {key: text for text, key in ids(stores, engine, "query_linear_path", "linear_path", "id").items()}
    edges = rows(stores, engine, "select pre_id, linear_path_id, op, value, chain_id, final from query_predicate")
    after = {edge[0]: edge for edge in edges}
    chain, last = [], 0
    while last in after:
        edge = after[last]
        chain.append((path[edge[1]], edge[2], edge[3], edge[5]))
        last = edge[4]
    assert len(chain) == len(edges) == 4
    assert [edge[3] for edge in chain] == [False, False, False, True]
    assert sorted(edge[:3] for edge in chain) == PREDICATES
    assert [(last,)] == rows(stores, engine, "select query_id from stored_query")


def test_figure_3_4_linear_path_brinfo(stores: Any, engine: str) -> None:
    assert rows(stores, engine, "select linear_path, brinfo from linear_path_brinfo") == [
        ("/a//b//c/d/text()", "bp#1=2"),
        ("/a//b/p//q/text()", "bp#1=2"),
        ("/a//b/x//z/text()", "bp#1=2&bp#2=3"),
        ("/a//b/x/@y", "bp#1=2&bp#2=3"),
    ]


def test_figure_3_4_query_branchpoint(stores: Any, engine: str) -> None:
    brinfo = ids(stores, engine, "linear_path_brinfo", "linear_path", "brinfo_id")
    [(query_id, info)] = rows(stores, engine, "select query_id, branchpoint_info from query_branchpoint")
    assert list(info) == [brinfo[path] for path in LINEAR_PATHS]
    assert [(query_id,)] == rows(stores, engine, "select query_id from subscription_query")


def test_figure_4_1_predicate_unroll(stores: Any, engine: str) -> None:
    path = {key: text for text, key in ids(stores, engine, "query_linear_path", "linear_path", "id").items()}
    meaning = {row[0]: row[1:] for row in rows(stores, engine, "select key, linear_path_id, op, value from predicate_key")}
    [row] = rows(stores, engine, "select final, key4, key5, lookup_key, key1, key2, key3 from predicate_unroll")
    assert row[:3] == (True, 0, None), "the lookup key settles one predicate, three slots are used of four"
    assert sorted((path[meaning[key][0]], *meaning[key][1:]) for key in row[3:]) == PREDICATES


def test_figure_3_7_tagpath_map(stores: Any, engine: str) -> None:
    assert rows(stores, engine, "select tagpath, inv_tagpath from tagpath_map") == sorted([
        ("/a/b/c/d/text()", "text()/d/c/b/a"),
        ("/a/b/p/p2/q/text()", "text()/q/p2/p/b/a"),
        ("/a/b/x/@y", "@y/x/b/a"),
        ("/a/b/x/z/text()", "text()/z/x/b/a"),
        ("/a/b/b/x/@y", "@y/x/b/b/a"),
    ])


def test_figure_3_7_sax_parse_result() -> None:
    from xpubsub.limits import Limits
    from xpubsub.match.path_matches import LinearUse
    from xpubsub.shred.messages import MessageShredder
    from xpubsub.shred.tagpaths import TagPathCache

    cache = TagPathCache({}, lambda: {path: LinearUse(3) for path in LINEAR_PATHS}, Limits())
    shredder = MessageShredder(cache, Limits())
    shredder.shred([(12, "12", MESSAGE)])
    names = {tagpath_id: tagpath for tagpath, _, tagpath_id in cache.take_found().tagpaths.values()}
    assert [
        (row["event_id"], names[row["tagpath_id"]], ".".join(map(str, row["idpath"])), row["value"])
        for row in shredder.nodes().to_pylist()
    ] == [
        (12, "/a/b/c/d/text()", "1.2.3.4.5", "v1"),
        (12, "/a/b/p/p2/q/text()", "1.2.6.7.8.9", "v2"),
        (12, "/a/b/x/@y", "1.2.10.11", "v3"),
        (12, "/a/b/x/z/text()", "1.2.10.12.13", "v4"),
        (12, "/a/b/x/z/text()", "1.2.10.14.15", "v5"),
        (12, "/a/b/b/x/@y", "1.16.17.18.19", "v4"),
    ]


def test_figure_3_8_path_match(stores: Any, engine: str) -> None:
    matches = rows(stores, engine, """
        select t.tagpath, p.linear_path
        from path_match as m join tagpath_map as t on t.tagpath_id = m.tagpath_id
        join query_linear_path as p on p.id = m.linear_path_id
    """)
    assert matches == sorted([
        ("/a/b/c/d/text()", "/a//b//c/d/text()"),
        ("/a/b/p/p2/q/text()", "/a//b/p//q/text()"),
        ("/a/b/x/@y", "/a//b/x/@y"),
        ("/a/b/x/z/text()", "/a//b/x//z/text()"),
        ("/a/b/b/x/@y", "/a//b/x/@y"),
    ])


def test_figure_3_11_tagpath_brinfo(stores: Any, engine: str) -> None:
    found = rows(stores, engine, """
        select t.tagpath, b.linear_path, i.bp_position
        from tagpath_brinfo as i join tagpath_map as t on t.tagpath_id = i.tagpath_id
        join linear_path_brinfo as b on b.brinfo_id = i.brinfo_id
    """)
    assert [(tagpath, path, [list(array) for array in arrays]) for tagpath, path, arrays in found] == sorted([
        ("/a/b/c/d/text()", "/a//b//c/d/text()", [[2]]),
        ("/a/b/p/p2/q/text()", "/a//b/p//q/text()", [[2]]),
        ("/a/b/x/@y", "/a//b/x/@y", [[2, 3]]),
        ("/a/b/x/z/text()", "/a//b/x//z/text()", [[2, 3]]),
        ("/a/b/b/x/@y", "/a//b/x/@y", [[3, 4]]),
    ])


def test_figure_3_11_has_an_array_that_xpath_does_not() -> None:
    """The paper also lists {2,4} for /a//b/x/@y in /a/b/b/x/@y, but that x is no child of the first b.

    With a double slash before x both arrays are right.
    """
    from xpubsub.match.positions import position_arrays

    assert position_arrays("/a/b/b/x/@y", "/a//b/x/@y", (2, 3)) == [(3, 4)]
    assert position_arrays("/a/b/b/x/@y", "/a//b//x/@y", (2, 3)) == [(2, 4), (3, 4)]
    nested = "<a><b><c><d>v1</d></c><b><x y='v3'/></b></b></a>"
    assert not judge("/a//b[.//c/d/text()='v1']/x/@y='v3'", nested)


def test_figures_3_12_to_3_14_brpred(stores: Any, engine: str) -> None:
    """The first tuple of Figure 3.12 meets in (2, 10); the second, with /a/b/b/x/@y, meets nowhere."""
    [(shape,)] = rows(stores, engine, "select shape from query_branchpoint")
    first = [(0, [2], 5, True), (1, [2], 9, True), (2, [2, 10], 11, True), (3, [2, 10], 13, True)]
    second = [*first[:2], (2, [16, 18], 19, True), (2, [17, 18], 19, True), first[3]]
    assert brpred(decode_shape(shape), first)
    assert not brpred(decode_shape(shape), second)
