"""Values that are computed from one node: `normalize-space(a) = 'x'` compares a value of the first `a`.

What is computed becomes a step of its own, from the node to the value, so that values are stored, indexed and compared
as those of nodes are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xpubsub.language.xpath.linear import COMPUTED, linear_steps
from xpubsub.language.xpath.syntax import NodeTest, Path, PathStep, unescaped
from xpubsub.language.xpath1.extensions import EXTENSIONS, NAMESPACE, PREFIX
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import LxmlText
from xpubsub.language.xpath1.tree import (
    COMPARING,
    Calling,
    Chars,
    Location,
    Negative,
    Numeral,
    Operation,
    ValueType,
    XPathTree,
    type_of,
)
from xpubsub.language.xpath1.tree_values import is_tree_value

_NODE = Location(None, ())
_OF_NODE = frozenset({"string", "number", "string-length", "normalize-space"})
"""Functions that look at the node itself if they have no argument."""
_OF_VALUES = _OF_NODE | {
    "concat", "contains", "starts-with", "substring", "substring-before", "substring-after", "translate", "floor",
    "ceiling", "round", "matches", "ends-with", "lower-case", "upper-case",
}
"""Functions that take the value of the first node where a node-set is given."""
_OF_TRUTHS = frozenset({"not", "boolean", "true", "false"})
_KEPT_EMPTY = ("normalize-space(.)", *(f"{PREFIX}:{name}(string(.))" for name in ("lower-case", "upper-case")))
"""What is empty for the empty string, whatever constants there are."""
_LONGEST = 2000
"""How many characters the text of a computed value may have; longer ones are left to lxml."""


@dataclass(frozen=True)
class ComputedValue:
    """What is computed: from the first node of a node-set (None: the context node), an expression at that node."""

    source: XPathTree | None
    expression: XPathTree
    one_node: bool
    """Whether more than one node is an error, as in XPath 2.0."""

    @property
    def source_call(self) -> Calling:
        """The string value of the node it is computed from."""
        return Calling("string", () if self.source is None else (self.source,))

    @property
    def kind(self) -> ValueType:
        """The type of the value."""
        return type_of(self.expression)

    @property
    def ordered(self) -> bool:
        """Whether it is a number, and never NaN."""
        return isinstance(self.expression, Calling) and self.expression.name == "string-length"

    def step_from(self, path: Path) -> Path:
        """Return the path to the value, given the path to the node."""
        text = LxmlText().write(self.expression)
        if len(text) > _LONGEST:
            raise Inexact
        return Path(path.absolute, (*path.steps, PathStep("child", NodeTest("computed", None, text))))


def computed_value(tree: XPathTree) -> ComputedValue:
    """Return an expression as a value of one node; raises `Inexact` if it looks at more than that."""
    finder = _Finder()
    expression = finder.at_node(tree)
    if len(finder.sources) != 1:
        raise Inexact
    [source] = finder.sources
    return ComputedValue(None if source == _NODE else source, expression, finder.one_node)


def depends_on_constants(linear_path: str) -> bool:
    """Whether constants decide about a linear path: they are inside it, or about its value where there is no node."""
    if f"/{COMPUTED}" not in linear_path:
        return False
    name = linear_steps(linear_path)[-1][1]
    return is_tree_value(name) or (name.startswith(f"{COMPUTED}{{") and unescaped(name[2:-1]) not in _KEPT_EMPTY)


@dataclass
class _Finder:
    """Replaces the node-sets of an expression by the node, and collects them."""

    sources: dict[XPathTree, None] = field(default_factory=dict)
    one_node: bool = False

    def at_node(self, tree: XPathTree) -> XPathTree:
        """Return an expression that is no node-set, as seen from the node."""
        match tree:
            case Chars() | Numeral():
                return tree
            case Negative(part):
                return Negative(self._value(part))
            case Calling(name, ()) if name in _OF_NODE:
                return Calling(name, (self._value(_NODE),))
            case Calling(name, arguments) if name in _OF_VALUES:
                self.one_node |= (NAMESPACE, name) in EXTENSIONS
                return Calling(name, tuple(map(self._value, arguments)))
            case Calling(name, arguments) if name in _OF_TRUTHS:
                return Calling(name, tuple(map(self.at_node, arguments)))
            case Operation("and" | "or" as op, parts):
                return Operation(op, tuple(map(self.at_node, parts)))
            case Operation(op, parts) if op in COMPARING:
                return Operation(op, tuple(map(self._compared, parts)))
            case Operation(op, parts) if op != "|":
                return Operation(op, tuple(map(self._value, parts)))
        raise Inexact

    def _value(self, tree: XPathTree) -> XPathTree:
        """Return a part of which only the value matters: that of the first node, if it is a node-set."""
        if type_of(tree) != "nodes":
            return self.at_node(tree)
        self.sources[tree] = None
        return _NODE

    def _compared(self, tree: XPathTree) -> XPathTree:
        """Return an operand; any node of a node-set may pass a comparison, so that it has to be the node itself."""
        return self._value(tree) if tree == _NODE else self.at_node(tree)
