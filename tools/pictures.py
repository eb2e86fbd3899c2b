"""Draw docs/packages.svg from the imports, and docs/flow.svg from the plan `unroll`: pictures that cannot drift.

    python tools/pictures.py           write them
    python tools/pictures.py --check   fail if they are not up to date
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
LAYERS = (
    ("cli",), ("broker",), ("jobs",),
    ("plan", "store", "compile", "arrange", "shred", "match", "output", "spill", "engines"),
    ("language", "schema"),
)
"""From top to bottom; every import points downwards, or to the right within a layer's own order."""
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.box{fill:#eef4fb;stroke:#4a76a8}.step{fill:#fff;stroke:#8aa4c0}"
    ".edge{fill:none;stroke:#8a94a0;stroke-width:1.2;marker-end:url(#a)}.dim{fill:#57606a;font-size:12px}"
    ".when{font-style:italic;fill:#7a5a00}"
)
HEAD = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">'
        "<title>{title}</title><style>{style}</style><defs><marker id='a' viewBox='0 0 8 8' refX='7' refY='4' "
        "markerWidth='7' markerHeight='7' orient='auto'><path d='M0 0L8 4L0 8z' fill='#8a94a0'/></marker></defs>"
        '<rect width="{w}" height="{h}" fill="#ffffff"/>')


def imports() -> dict[str, set[str]]:
    """For each package the packages that it imports."""
    found: dict[str, set[str]] = {name: set() for layer in LAYERS for name in layer}
    for path in sorted((ROOT / "xpubsub").rglob("*.py")):
        package = path.relative_to(ROOT / "xpubsub").parts[0].removesuffix(".py")
        if package in found:
            found[package] |= {name for name in _imported(path) if name in found and name != package}
    return found


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("xpubsub."):
            yield str(node.module).split(".")[1]


def packages_svg() -> str:
    """Packages as boxes in layers, imports between layers as arrows."""
    width, height, gap = 980, 90 * len(LAYERS) + 20, 90
    place: dict[str, tuple[float, float, float]] = {}
    for row, layer in enumerate(LAYERS):
        each = (width - 40) / max(len(layer), 4)
        start = (width - each * len(layer)) / 2
        for column, name in enumerate(layer):
            place[name] = (start + column * each + 6, 20 + row * gap, each - 12)
    parts = [HEAD.format(w=width, h=height, title="Packages and their imports", style=STYLE)]
    for name, targets in imports().items():
        parts += [_edge(place[name], place[target]) for target in sorted(targets)]
    for name, (x, y, w) in place.items():
        parts.append(f'<rect class="box" x="{x:.0f}" y="{y}" width="{w:.0f}" height="34" rx="6"/>'
                     f'<text x="{x + w / 2:.0f}" y="{y + 22}" text-anchor="middle">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _edge(source: tuple[float, float, float], target: tuple[float, float, float]) -> str:
    x1, y1, x2, y2 = source[0] + source[2] / 2, source[1] + 34, target[0] + target[2] / 2, target[1]
    if y2 <= source[1]:
        y1, y2 = source[1] + 34, target[1] + 34
        return f'<path class="edge" d="M{x1:.0f} {y1}C{x1:.0f} {y1 + 24} {x2:.0f} {y2 + 24} {x2:.0f} {y2}"/>'
    return f'<path class="edge" d="M{x1:.0f} {y1}C{x1:.0f} {y1 + 30} {x2:.0f} {y2 - 30} {x2:.0f} {y2 - 2}"/>'


def flow_svg() -> str:
    """The steps of the plan `unroll` from top to bottom, each with what one row of it means."""
    lines = list(_flow())
    height = 34 * len(lines) + 20
    parts = [HEAD.format(w=980, h=height, title="How a message flows: plan unroll", style=STYLE)]
    for number, (indent, name, meaning) in enumerate(lines):
        x, y = 16 + 26 * indent, 12 + 34 * number
        if not meaning:
            parts.append(f'<text class="when" x="{x}" y="{y + 19}">{escape(name)}</text>')
            continue
        parts.append(f'<rect class="step" x="{x}" y="{y}" width="190" height="26" rx="5"/>'
                     f'<text x="{x + 8}" y="{y + 18}">{escape(name)}</text>'
                     f'<text class="dim" x="{x + 202}" y="{y + 18}">{escape(meaning)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _flow() -> Iterator[tuple[int, str, str]]:
    from xpubsub.plan.filters import UNROLL
    from xpubsub.plan.listing import listing_lines

    yield 0, "sax_parse_result", "a node of a message that some subscription asks for, from the shredder"
    for line in listing_lines(UNROLL):
        name = line.strip()
        yield (len(line) - len(name)) // 2, name, "" if name.endswith(":") else _meaning(name)


def _meaning(name: str) -> str:
    """What one row of a step means, from the header of its file."""
    from xpubsub.sqlfiles import sql_files

    path = sql_files().get(name) or sql_files().get(f"{name}.shredded")
    if path is None:
        return "made for the case at hand (plan/filter_steps.py)"
    return path.read_text(encoding="utf-8").split("\n")[0].removeprefix("-- One row: ")[:105]


def main() -> None:
    """Write the pictures, or check them."""
    pictures = {ROOT / "docs" / "packages.svg": packages_svg(), ROOT / "docs" / "flow.svg": flow_svg()}
    stale = [path for path, text in pictures.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not up to date: {', '.join(path.name for path in stale)}; run tools/pictures.py" if stale else 0)
    for path in stale:
        path.write_text(pictures[path], encoding="utf-8")


if __name__ == "__main__":
    main()
