"""The SQL files of the package: inside `xpubsub/` once installed, beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """Return the folder `sql` or `migrations`."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


@cache
def sql_files() -> dict[str, Path]:
    """Return the path of every step's file by its name, which is unique over all folders."""
    found: dict[str, Path] = {}
    for path in sorted(folder("sql").rglob("*.sql")):
        if path.stem in found:
            raise ValueError(f"{path} and {found[path.stem]} define the same step")
        found[path.stem] = path
    return found


@cache
def sql_file(name: str) -> str:
    """Return the text of `<name>.sql`, whatever its folder."""
    return sql_files()[name].read_text(encoding="utf-8")
