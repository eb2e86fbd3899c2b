"""Warns about names that are probably mistakes: a missing prefix, or the name of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xpubsub.language.flwr.syntax import Content, Copy, Element, Flwr, Sequence
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, NodeTest, Not, Or, Path, PathStep
from xpubsub.language.xpath.written import Written, quoted
from xpubsub.language.xscl.syntax import Correlation, Pattern

_FOREIGN_CONTENT = frozenset({
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
    "http://www.w3.org/1999/XSL/Transform",
})
"""Namespaces whose elements contain elements of other vocabularies, in any namespace or none."""
_QUERY_FILES = ("xq", "xquery", "xqy", "xql", "xpath", "xscl", "csv", "tsv", "jsonl", "ndjson", "parquet")
_FILES = (*_QUERY_FILES, "xml", "txt", "json", "sql", "gz", "zip")
_MOST = 3
"""How many names one warning lists."""


def file_name(tree: Expr, written: Written) -> Iterator[str]:
    """Warn if the whole expression looks like the name of a file."""
    if not isinstance(tree, Path) or not tree.steps:
        return
    alone, test = len(tree.steps) == 1 and not tree.absolute, tree.steps[-1].test
    plain = all(step.axis == "child" and not step.predicates for step in tree.steps)
    if plain and test.kind != "text" and _extension(test) in (_FILES if alone else _QUERY_FILES):
        name = written.expression(tree)
        yield (f"{quoted(name)} is probably the name of a file: give the text that is in it, in the shell as "
               f'"$(cat {name.removeprefix("@")})", or a file of many subscriptions with --from')


def _extension(test: NodeTest) -> str:
    stem, dot, extension = (test.local or "").rpartition(".")
    return extension.lower() if stem and dot else ""


@dataclass
class PrefixCheck:
    """Finds names without a prefix below names in a namespace."""

    written: Written
    found: dict[tuple[NodeTest, NodeTest], bool] = field(default_factory=dict)
    """Each such name with the name above it, and whether it is inside not()."""
    variables: dict[str, NodeTest | None] = field(default_factory=dict)

    def warnings(self) -> Iterator[str]:
        """Yield one warning for all names found."""
        if self.found:
            shown = [f"{quoted(self.written.name(each))} below {quoted(self.written.name(above))}"
                     for each, above in [*self.found][:_MOST]]
            more = ", …" if len(self.found) > _MOST else ""
            each, above = next(iter(self.found))
            prefix = self.written.prefix(above.uri or "") or "prefix"
            inside = "; inside not() nothing found looks like success" if any(self.found.values()) else ""
            yield (f"a prefix is probably missing: {', '.join(shown)}{more} means a name in no namespace, "
                   f"perhaps {prefix}:{each.local} is meant{inside}")

    def expression(self, expr: Expr, above: NodeTest | None = None, *, inside_not: bool = False) -> None:
        """Check an expression on a node; `above` is the last name of the path to the node."""
        match expr:
            case Path():
                self.path(expr, above, inside_not=inside_not)
            case Compare(_, left, right) | Call(_, left, right):
                self.expression(left, above, inside_not=inside_not)
                self.expression(right, above, inside_not=inside_not)
            case And(parts) | Or(parts):
                for part in parts:
                    self.expression(part, above, inside_not=inside_not)
            case Not(part):
                self.expression(part, above, inside_not=True)

    def path(self, path: Path, above: NodeTest | None = None, *, inside_not: bool = False) -> NodeTest | None:
        """Check a path; returns its last name."""
        above = None if path.absolute else above if path.variable is None else self.variables.get(path.variable)
        for step in path.steps:
            above = self._step(step, above, inside_not)
            for predicate in step.predicates:
                self.expression(predicate, above, inside_not=inside_not)
        return above

    def _step(self, step: PathStep, above: NodeTest | None, inside_not: bool) -> NodeTest | None:
        test = step.test
        if test.kind != "element" or test.local is None or test.uri is None:
            return above
        if test.uri == "" and above is not None and above.uri and above.uri not in _FOREIGN_CONTENT:
            self.found[test, above] = self.found.get((test, above), False) or inside_not
        return test

    def content(self, content: Content) -> None:
        """Check a result."""
        match content:
            case Copy(path):
                self.path(path)
            case Sequence(parts) | Element(content=parts):
                for part in parts:
                    self.content(part)
            case Flwr(bindings, where, result):
                for binding in bindings:
                    self.variables[binding.variable] = self.path(binding.path)
                if where is not None:
                    self.expression(where)
                self.content(result)

    def correlation(self, tree: Correlation) -> None:
        """Check a correlation."""
        for block in tree.blocks:
            self._pattern(block.steps, None)
        for operator in tree.operators:
            for comparison in operator.comparisons:
                self.path(comparison.left)
                self.path(comparison.right)
        if tree.result is not None:
            self.content(tree.result)

    def _pattern(self, steps: Pattern, above: NodeTest | None) -> None:
        for step in steps:
            above = self._step(PathStep(step.axis, step.test), above, False)
            self.variables.update(dict.fromkeys(step.variables, above))
            for pattern in step.patterns:
                self._pattern(pattern, above)
            for predicate in step.predicates:
                self.expression(predicate, above)


def all_namespaces(given: Mapping[str, str], declared: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Return the namespaces given and those that a prolog declares."""
    return {**given, **dict(declared)}
