"""The page on the language of filters: the way of each production, and that none is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.judge import compiled
from xpubsub.compile.subscriptions import Compiler
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS
from xpubsub.language.xpath1.steps import AXES
from xpubsub.language.xpath1.ways import WAYS

PAGE = Path(__file__).parent.parent / "docs" / "language.md"
ROW = re.compile(r"^\| (.+?) \| `(.+)` \| (indexed|checked|every message) \|$", re.MULTILINE)
ROWS = [(name, example.replace("\\|", "|"), way) for name, example, way in ROW.findall(PAGE.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("production", "example", "way"), ROWS, ids=[row[1] for row in ROWS])
def test_each_production_goes_its_way(production: str, example: str, way: str) -> None:
    assert Compiler({"p": "urn:p"}, variables={"x": "5"}).way(example).name == way
    if "*:" not in example and "$" not in example:
        compiled(example, {"p": "urn:p"})


def test_no_production_is_missing() -> None:
    named = " ".join(production for production, _, _ in ROWS)
    assert [name for name in CORE_FUNCTIONS if f"`{name}()`" not in named] == []
    assert [axis for axis in AXES if f"`{axis}::`" not in named] == []
    assert {way for _, _, way in ROWS} == set(WAYS)
