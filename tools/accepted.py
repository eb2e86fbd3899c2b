"""Print how many expressions of some lists are accepted, and by which way they go.

    python tools/accepted.py LIST.tsv.gz...

A list has one expression per line, in its last column, below a header. What lxml cannot evaluate is counted, but not
expected: other grammars, functions outside XPath 1.0, steps from variables. Prefixes and variables are bound to
anything.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from lxml import etree

import xpubsub
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS
from xpubsub.language.xpath1.ways import WAYS, FilterReader

_STRINGS = re.compile(r"'[^']*'|\"[^\"]*\"")
_CALLED = re.compile(r"([A-Za-z_][\w.:-]*)\s*\(")
_NO_FUNCTIONS = {"text", "node", "comment", "processing-instruction", "and", "or", "div", "mod"}
_FROM_VARIABLE = re.compile(r"\$[\w.:-]+\s*(?:/|\[|\|)|\|\s*\$|(?:count|sum|name)\s*\(\s*\$")
_DOCUMENT = etree.ElementTree(etree.Element("a"))
_EXPONENT = re.compile(r"\d[eE][-+]?\d")


def main() -> None:
    """Print one row for each list."""
    print("\t".join(["list", "expressions", "lxml evaluates", "accepted", *WAYS]))
    total: Counter[str] = Counter()
    for name in sys.argv[1:]:
        counts = counted(Path(name))
        total += counts
        report(Path(name).name.partition(".")[0], counts)
    report("all", total)


def report(name: str, counts: Counter[str]) -> None:
    """Print the counts of a list, with shares of what lxml evaluates."""
    known = counts["evaluated"]
    shares = [f"{counts[each]} ({counts[each] / max(known, 1):.1%})" for each in ("accepted", *WAYS)]
    print("\t".join([name, str(counts["all"]), str(known), *shares]))


def counted(path: Path) -> Counter[str]:
    """Count the expressions of a list; print those that lxml evaluates and that are not accepted."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        expressions = [line.rstrip("\n").split("\t")[-1] for line in lines][1:]
    counts = Counter({"all": len(expressions)})
    for text in filter(evaluated_by_lxml, expressions):
        counts["evaluated"] += 1
        try:
            counts[way_of(text)] += 1
            counts["accepted"] += 1
        except xpubsub.Error as error:
            print(f"refused: {text}\n{error}", file=sys.stderr)
    return counts


def evaluated_by_lxml(text: str) -> bool:
    """Whether an expression is one of XPath 1.0 that lxml can evaluate."""
    bare = _STRINGS.sub("''", text)
    if any(name not in CORE_FUNCTIONS and name not in _NO_FUNCTIONS for name in _CALLED.findall(bare)):
        return False
    try:
        prefixes, variables = bound(bare)
        etree.XPath(f"boolean(/self::node()[boolean({text})])", namespaces=prefixes)(_DOCUMENT, **variables)
    except etree.XPathError:
        return False
    return not _FROM_VARIABLE.search(bare) and not _EXPONENT.search(bare)


def way_of(text: str) -> str:
    """Return the way that an expression goes."""
    prefixes, variables = bound(_STRINGS.sub("''", text))
    return FilterReader(prefixes, "xpath", xpubsub.Limits(), variables).way(text).name


def bound(bare: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return a URI for each prefix, and a value for each variable."""
    prefixes = {prefix: f"urn:{prefix}" for prefix in re.findall(r"([A-Za-z_][\w.-]*):(?!:)", bare)}
    return prefixes, dict.fromkeys(re.findall(r"\$\s*([\w.:-]+)", bare), "1")


if __name__ == "__main__":
    main()
