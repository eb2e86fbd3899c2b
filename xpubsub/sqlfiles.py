"""The SQL files of the package: inside `xpubsub/` once installed, beside it in a checkout; also in a zip archive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def folder(name: str) -> Traversable:
    """Return the folder `sql` or `migrations`."""
    installed = files("xpubsub").joinpath(name)
    return installed if installed.is_dir() else Path(__file__).parent.parent / name


@cache
def sql_files() -> dict[str, Traversable]:
    """Return the file of every step by its name, which is unique over all folders."""
    found: dict[str, Traversable] = {}
    for path in _below(folder("sql")):
        name = path.name.removesuffix(".sql")
        if name in found:
            raise ValueError(f"{path} and {found[name]} define the same step")
        found[name] = path
    return found


def _below(directory: Traversable) -> Iterator[Traversable]:
    for path in sorted(directory.iterdir(), key=lambda each: each.name):
        if path.is_dir():
            yield from _below(path)
        elif path.name.endswith(".sql"):
            yield path


@cache
def sql_file(name: str) -> str:
    """Return the text of `<name>.sql`, whatever its folder."""
    return sql_files()[name].read_text(encoding="utf-8")
