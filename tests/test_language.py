"""The page on the language: the way of each production, that none is missing, and that its tables say so."""

from __future__ import annotations

from pathlib import Path

import pytest

import xpubsub
from tests.judge import compiled
from tests.productions import XPATH_1, XPATH_2, XQUERY, Production, with_tables
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS, XPATH2_FUNCTIONS
from xpubsub.language.xpath1.steps import AXES
from xpubsub.language.xpath1.ways import WAYS

PAGE = Path(__file__).parent.parent / "docs" / "language.md"


@pytest.mark.parametrize("production", [*XPATH_1, *XPATH_2], ids=lambda each: each.example)
def test_each_production_goes_its_way(production: Production) -> None:
    example = production.example
    assert Compiler({"p": "urn:p"}, variables={"x": "5"}).way(example).name == production.way
    if production in XPATH_1 and "*:" not in example and "$" not in example:
        compiled(example, {"p": "urn:p"})


def test_each_production_of_xquery_is_accepted() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(each.name, each.example) for each in XQUERY])
        assert {row["kind"] for row in broker.list().to_pylist()} == {"transformation"}


def test_no_production_is_missing() -> None:
    named = " ".join(each.name for each in (*XPATH_1, *XPATH_2))
    assert [name for name in (*CORE_FUNCTIONS, *XPATH2_FUNCTIONS) if f"`{name}()`" not in named] == []
    assert [axis for axis in AXES if f"`{axis}::`" not in named] == []
    assert {each.way for each in (*XPATH_1, *XPATH_2)} == set(WAYS)


def test_the_page_has_the_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page, "run python tools/language_tables.py"
    assert all(f"`{each.example.replace('|', chr(92) + '|')}`" in page for each in (*XPATH_1, *XPATH_2, *XQUERY))
