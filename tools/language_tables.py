"""Write the tables of docs/language.md: each production with an example and its way, from tests/productions.py.

    python tools/language_tables.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.productions import with_tables


def main() -> None:
    """Write the page."""
    page = Path(__file__).parent.parent / "docs" / "language.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
