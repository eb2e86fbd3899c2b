"""The running example of Hong 2007, section 4.4.1: the same rows in every table, on both engines.

Variables have the paper's names, by their paths, and nodes its numbers. On purpose it is different that the values of
roots are not kept, as no one compares them, and that R_R holds the whole batch, as its messages are joined with one
another, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import xpubsub
from tests.conftest import ENGINES
from tests.test_correlations import BLOG, BOOK, MATCH, PAPER
from xpubsub.step import Step

WINDOWS = {"Q1": 10.0, "Q2": 20.0, "Q3": 30.0}
NAMES = {
    "//book": "x1", "//book//author": "x2", "//book//title": "x3", "//book//category": "x7",
    "//blog": "x4", "//blog//author": "x5", "//blog//title": "x6", "//blog//category": "x8",
}
FIGURE_1 = {1: 0, 2: 2, 4: 3, 6: 4, 8: 5, 10: 6}
"""The nodes of d1: our numbers, which count texts, and the paper's."""
FIGURE_2 = {1: 0, 2: 2, 4: 3, 6: 4, 8: 5}
"""The nodes of d2."""
AUTHOR, TITLE, CATEGORY = "Danny Ayers", "Beginning RSS and Atom Programming", "Scripting & Programming"
Row = tuple[Any, ...]


class Example:
    """What the relations hold, in the paper's words."""

    def __init__(self, broker: xpubsub.Broker) -> None:
        self._broker = broker
        self._variables = self._named_variables()
        rows = self.rows("select distinct correlation_id, subscription_id from subscription_correlation")
        self._queries = {correlation_id: name for correlation_id, name in rows}
        self._documents = {1: ("d1", FIGURE_1), 2: ("d2", FIGURE_2)}

    def rows(self, sql: str) -> list[Row]:
        return [tuple(row.values()) for row in self._broker.store.rows(Step("rows", sql))]

    def _named_variables(self) -> dict[int, str]:
        edges = self.rows("select distinct e.var1, e.var2, p.linear_path from join_edge as e"
                          " join query_linear_path as p on p.id = e.linear_path_id")
        ends = {var2: NAMES[path] for _, var2, path in edges}
        return ends | {var1: NAMES[path[:path.rindex("//")]] for var1, _, path in edges}

    def document(self, docid: int) -> str:
        return self._documents[docid][0]

    def node(self, docid: int, node: int) -> int:
        return self._documents[docid][1][node]

    def shown(self, docid: int, node: int | None) -> int | str:
        return "" if node is None else self.node(docid, node)

    def times(self, table: str) -> list[Row]:
        """Documents and their times."""
        return sorted((self.document(docid), message_id, time)
                      for docid, message_id, time in self.rows(f"select docid, message_id, time from {table}"))

    def values(self, table: str) -> list[Row]:
        """Nodes and their values."""
        return sorted((self.document(docid), self.node(docid, node), value)
                      for docid, node, value in self.rows(f"select docid, node, value from {table}"))

    def edges(self, table: str, *more: str) -> list[Row]:
        """Nodes bound to the variables of an edge."""
        found = self.rows(f"select {', '.join(('docid', 'var1', 'var2', 'node1', 'node2', *more))} from {table}")
        return sorted((self.document(docid), self._variables[var1], self._variables[var2], self.node(docid, node1),
                       self.node(docid, node2), *rest) for docid, var1, var2, node1, node2, *rest in found)

    def joined(self) -> list[Row]:
        """Variables of two documents with the same value, and the nodes above."""
        found = self.rows("select doc_left, var_left, at_left, doc_right, var_right, at_right from value_pair_above")
        return sorted((self.document(left), self._variables[one], self.node(left, a),
                       self.document(right), self._variables[other], self.node(right, b))
                      for left, one, a, right, other, b in found)

    def templates(self) -> list[list[Row]]:
        """R_T of each template: query, variables, window."""
        ids = [template_id for template_id, in self.rows("select template_id from join_template")]
        found = [self.rows(f"select correlation_id, var1, var2, var3, var4, var5, var6, wl1 from rt_t{each}") for each in ids]
        return [sorted((self._queries[correlation_id], *map(self._variables.__getitem__, variables), wl)
                       for correlation_id, *variables, wl in rows) for rows in found]

    def found(self) -> list[Row]:
        """R_out: query, earlier document, nodes of both; those of which it is enough that they are there may be left out."""
        rows = self.rows("select correlation_id, list_extract(docs, 1) as doc_left, list_extract(docs, 2) as doc_right, nodes from rout")
        return sorted((self._queries[correlation_id], self.document(left), *(self.shown(left, each) for each in nodes[:3]),
                       *(self.shown(right, each) for each in nodes[3:])) for correlation_id, left, right, nodes in rows)


@pytest.fixture(scope="module", params=ENGINES)
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The relations after d1, and those of the batch of d2 before it is kept."""
    options = {"spark": request.getfixturevalue("spark_session")} if request.param == "spark" else {}
    with (xpubsub.connect(tmp_path_factory.mktemp("tables") / "store", engine=request.param, **options) as broker,
          pytest.MonkeyPatch.context() as patch):
        broker.subscribe_many([(name, text.replace("10s", f"{WINDOWS[name]}s")) for name, text in PAPER.items()])
        broker.publish([("d1", BOOK, 1.0)])
        example = Example(broker)
        seen: dict[str, Any] = {
            "rdoc_ts": example.times("rdoc_ts"), "rdoc": example.values("rdoc"), "rbin": example.edges("rbin")}

        def look(*_: object) -> None:
            seen.update(
                rdoc_ts_w=example.times("rdoc_ts_w"), rdoc_w=example.values("rdoc_w"), rbin_w=example.edges("rbin_w"),
                rl=example.edges("rl", "value"), rr=example.edges("rr", "value"), value_pair=example.joined(),
                rt=example.templates(), rout=example.found())

        patch.setattr("xpubsub.jobs.publish.correlating.keep", look)
        seen["notifications"] = broker.publish([("d2", BLOG, 2.0)]).notifications.to_pylist()
        patch.setattr("xpubsub.jobs.publish.correlating.keep", lambda *_: seen.update(rout_mmqjp=example.found()))
        broker.publish([("d2", BLOG, 2.0)], plan="mmqjp")
        yield seen


def test_table_4_a_queries_of_the_template(tables: dict[str, Any]) -> None:
    assert tables["rt"] == [[
        ("Q1", "x1", "x2", "x3", "x4", "x5", "x6", 10.0),
        ("Q2", "x1", "x2", "x7", "x4", "x5", "x8", 20.0),
        ("Q3", "x4", "x5", "x6", "x4", "x5", "x6", 30.0),
    ]]


def test_table_4_b_values_after_d1(tables: dict[str, Any]) -> None:
    assert tables["rdoc"] == [
        ("d1", 2, AUTHOR), ("d1", 3, "Andrew Watt"), ("d1", 4, TITLE), ("d1", 5, CATEGORY),
        ("d1", 6, "Web Site Development")]
    assert tables["rdoc_ts"] == [("d1", "d1", 1.0)]


def test_table_4_c_bindings_after_d1(tables: dict[str, Any]) -> None:
    assert tables["rbin"] == [
        ("d1", "x1", "x2", 0, 2), ("d1", "x1", "x2", 0, 3), ("d1", "x1", "x3", 0, 4), ("d1", "x1", "x7", 0, 5),
        ("d1", "x1", "x7", 0, 6)]


def test_table_4_d_values_of_d2(tables: dict[str, Any]) -> None:
    assert tables["rdoc_w"] == [
        ("d2", 2, AUTHOR), ("d2", 3, TITLE), ("d2", 4, "Book Announcement"), ("d2", 5, CATEGORY)]
    assert tables["rdoc_ts_w"] == [("d2", "d2", 2.0)]


def test_table_4_e_bindings_of_d2(tables: dict[str, Any]) -> None:
    assert tables["rbin_w"] == [
        ("d2", "x4", "x5", 0, 2), ("d2", "x4", "x6", 0, 3), ("d2", "x4", "x8", 0, 4), ("d2", "x4", "x8", 0, 5)]


def test_section_5_values_in_common(tables: dict[str, Any]) -> None:
    assert tables["rl"] == [
        ("d1", "x1", "x2", 0, 2, AUTHOR), ("d1", "x1", "x3", 0, 4, TITLE), ("d1", "x1", "x7", 0, 5, CATEGORY)]
    assert tables["rr"] == [
        ("d2", "x4", "x5", 0, 2, AUTHOR), ("d2", "x4", "x6", 0, 3, TITLE), ("d2", "x4", "x8", 0, 4, "Book Announcement"),
        ("d2", "x4", "x8", 0, 5, CATEGORY)]
    assert tables["value_pair"] == [
        ("d1", "x2", 0, "d2", "x5", 0), ("d1", "x3", 0, "d2", "x6", 0), ("d1", "x7", 0, "d2", "x8", 0)]


def test_table_4_f_what_is_found(tables: dict[str, Any]) -> None:
    assert tables["rout_mmqjp"] == [("Q1", "d1", 0, 2, 4, 0, 2, 3), ("Q2", "d1", 0, 2, 5, 0, 2, 5)]
    assert tables["rout"] == [("Q1", "d1", 0, "", "", 0, "", ""), ("Q2", "d1", 0, "", "", 0, "", "")]


def test_algorithm_3_outputs(tables: dict[str, Any]) -> None:
    found = sorted((row["subscription_id"], row["message_id"], row["output"]) for row in tables["notifications"])
    assert found == [("Q1", "d2", MATCH), ("Q2", "d2", MATCH)]
