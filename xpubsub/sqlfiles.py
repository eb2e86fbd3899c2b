"""The SQL files that ship with the package: in `xpubsub/` once installed, beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder `sql` or `migrations`."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


@cache
def sql_file(name: str) -> str:
    """The text of `sql/<name>.sql`."""
    return (folder("sql") / f"{name}.sql").read_text(encoding="utf-8")
