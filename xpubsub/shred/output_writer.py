"""Writing outputs: a template and the nodes bound → text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xpubsub.shred.attribute_prefixes import Bindings, settled
from xpubsub.shred.default_namespace import without_default
from xpubsub.shred.output_templates import Bound, Node, OutputTemplate, Rows

Copies = Mapping[int, tuple[str, bool]]
"""The text of each node that is copied, and whether no default namespace is in scope there."""
Returned = Callable[[str, int, int], list[int]]
"""The nodes, in document order, of a returned path (with its base's step) below a base."""


class OutputWriter:
    """Writes the outputs of one message; what depends on variables alone is written once for all templates."""

    def __init__(self, copies: Copies, returned: Returned) -> None:
        self._copies = copies
        self._returned = returned
        self._written: dict[tuple[int, Bound], str] = {}
        self._texts: dict[tuple[str, int, int, bool], str] = {}

    def output(self, template: OutputTemplate, bound: list[int]) -> str:
        """The output of a template."""
        return self._content(template.content, (), template.rows(bound))

    def _content(self, nodes: list[Node], bound: Bound, rows: Rows) -> str:
        return "".join([self._node(node, bound, rows) for node in nodes])

    def _node(self, node: Node, bound: Bound, rows: Rows) -> str:
        kind = node[0]
        if kind == "r":
            return self._path(node[1], node[2], bound[node[3] - 1] if node[3] else 0, node[4])
        if kind == "e":
            return self._element(node, bound, rows)
        if kind == "f":
            return self._block(node, rows.get((node[1], bound), []), rows)
        if kind == "v":
            return self._copy(bound[node[1] - 1], node[2])
        if kind == "p":
            return "".join([self._copy(each[-1], node[2]) for each in rows.get((node[1], bound), ())])
        return str(node[1])

    def _block(self, node: Node, tuples: list[Bound], rows: Rows) -> str:
        content, alone = node[3], node[4]
        if not alone:
            return "".join([self._content(content, each, rows) for each in tuples])
        known, key = self._written, id(content)
        for each in tuples:
            if (key, each) not in known:
                known[key, each] = self._content(content, each, rows)
        return "".join([known[key, each] for each in tuples])

    def _element(self, node: Node, bound: Bound, rows: Rows) -> str:
        _, opening, closing, attributes, nodes, bindings = node
        start = opening + self._attributes(attributes, bindings, bound, rows) if attributes else opening
        content = self._content(nodes, bound, rows)
        return f"{start}>{content}{closing}" if content else f"{start}/>"

    def _attributes(self, nodes: list[Node], bindings: Bindings, bound: Bound, rows: Rows) -> str:
        text = "".join(self._copies[each][0] for node in nodes for each in self._attribute_nodes(node, bound, rows))
        return settled(text, bindings) if "xmlns:" in text else text

    def _attribute_nodes(self, node: Node, bound: Bound, rows: Rows) -> list[int]:
        """The node of a variable, those of a path, or those of a block."""
        if node[0] == "va":
            return [bound[node[1] - 1]]
        if node[0] == "ra":
            return self._returned(node[1], node[2], bound[node[3] - 1] if node[3] else 0)
        return [each[-1] for each in rows.get((node[1], bound), ())]

    def _path(self, path: str, base_position: int, base: int, has_default: bool) -> str:
        key = path, base_position, base, has_default
        text = self._texts.get(key)
        if text is None:
            nodes = self._returned(path, base_position, base)
            text = self._texts[key] = "".join([self._copy(each, has_default) for each in nodes])
        return text

    def _copy(self, node: int, has_default: bool) -> str:
        text, bare = self._copies[node]
        return without_default(text) if has_default and bare else text
