"""The tag-path cache: for each tag path, whether subscriptions use its nodes, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from xpubsub.ids import stable_id
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE, components
from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.limits import Limits
from xpubsub.match.keys import KeyPaths
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.path_matches import LinearUse, PathMatches
from xpubsub.match.uses import COPY, EXISTS, VALUE
from xpubsub.shred.computing import Computing

MOST_NODES = 200_000
"""How many tag paths are cached at a time, so that hostile messages cannot fill the memory."""


class TagNode:
    """One tag path: its id, its use (0: no subscription uses it), and the tag paths one step further."""

    __slots__ = ("attributes", "children", "spilled", "tagpath", "tagpath_id", "text", "use")

    def __init__(self, tagpath: str, use: int) -> None:
        self.tagpath = tagpath
        self.tagpath_id = stable_id(tagpath)
        self.use = use
        self.children: dict[str, TagNode] = {}
        self.attributes: dict[str, TagNode] = {}
        self.text: TagNode | None = None
        self.spilled = False
        """Whether the elements at this tag path are spilled."""


class TouchedPaths(NamedTuple):
    """The linear paths that lose something where the elements at a tag path are spilled."""

    inside: frozenset[str]
    """Those that may match nodes in such an element, or the element itself."""
    above: frozenset[str]
    """Those that match nodes around such an element: their values and copies are incomplete."""


class TagPathCache:
    """A tree of tag paths that grows as messages are read; each new tag path is looked up once.

    `known` holds the tag paths of the store with their use. A tag path that is not known is matched with all linear
    paths by an automaton, built when first needed; if a linear path matches, its rows are kept until `take_found`.
    """

    def __init__(self, known: dict[str, int], linear: Callable[[], Mapping[str, LinearUse]], limits: Limits,
                 *, copying: bool = False, keeping: bool = False, computed: Iterable[str] = (),
                 keys: KeyPaths | None = None) -> None:
        self.known = known
        """The tag paths of the store, each with its use."""
        self.copying = copying
        """Whether some subscription copies nodes."""
        self.keeping = keeping
        """Whether the messages themselves are needed after they are read."""
        self.computing = Computing(paths) if (paths := tuple(computed)) else None
        """The values that are computed from nodes, if there are some."""
        self.keys = keys
        """The nodes that are looked up in reference tables, if there are some."""
        self.copied_texts: set[int] = set()
        """The tag paths of text nodes that are copied."""
        self._load = linear
        self._linear: Mapping[str, LinearUse] | None = None
        self._automaton: PathAutomaton | None = None
        self._limits = limits
        self._found = PathMatches(limits)
        self._size = 0
        self.spilled: tuple[str, ...] = ()
        """The linear paths whose elements are spilled."""
        self.marking = False
        """Whether these elements are read nevertheless, and marked."""
        self._spilling: PathAutomaton | None = None
        self._touched: dict[str, TouchedPaths] = {}
        self.root = self._tag_node("/")
        self._roots: dict[tuple[str, ...], TagNode] = {self.spilled: self.root}
        """A tree for each set of spilled paths."""

    def spill(self, linear_paths: Iterable[str], *, marking: bool = False) -> None:
        """From now on skip the elements that some linear paths match; if `marking`, read and mark them."""
        self.marking = marking
        self.spilled = tuple(sorted(set(linear_paths)))
        self._spilling = PathAutomaton(self.spilled) if self.spilled else None
        self.root = self._roots.get(self.spilled) or self._tag_node("/")
        self._roots[self.spilled] = self.root

    def touched(self, tagpath: str) -> TouchedPaths:
        """Return the linear paths that lose something where the elements at a tag path are spilled."""
        found = self._touched.get(tagpath)
        if found is None:
            names = components(tagpath)
            around = ["/", *("/" + "/".join(names[:depth]) for depth in range(1, len(names)))]
            above = frozenset(path for each in around for path in self._matching(each))
            compared = self.computing.of_messages if self.computing is not None else ()
            inside = frozenset((*self.automaton.within(tagpath), *compared))
            found = self._touched[tagpath] = TouchedPaths(inside, above)
        return found

    def _matching(self, tagpath: str) -> Iterator[str]:
        """Yield the linear paths that match a tag path, or values computed from its nodes."""
        yield from self.automaton.matches(tagpath)
        for name in self.computing.names(tagpath) if self.computing is not None else ():
            yield from self.automaton.matches(f"{tagpath.rstrip('/')}/{name}")

    @property
    def automaton(self) -> PathAutomaton:
        """The automaton of the store's linear paths."""
        if self._automaton is None:
            self._automaton = PathAutomaton(self.linear)
        return self._automaton

    @property
    def linear(self) -> Mapping[str, LinearUse]:
        """The linear paths of the store."""
        if self._linear is None:
            self._linear = self._load()
        return self._linear

    def learn(self, tagpaths: Iterable[str]) -> None:
        """Add tag paths that other processes have found, so that they are known from now on."""
        for tagpath in tagpaths:
            if tagpath not in self.known:
                self.known[tagpath] = self._look_up(tagpath)

    def trim(self) -> None:
        """Reset the tree if it has grown too large; known tag paths stay known."""
        if self._size > MOST_NODES:
            self._size = 0
            self.root = self._tag_node("/")
            self._roots = {self.spilled: self.root}

    def take_found(self) -> PathMatches:
        """Return the rows of the tag paths found since they were last taken."""
        found, self._found = self._found, PathMatches(self._limits)
        return found

    def child(self, parent: TagNode, raw: str) -> TagNode:
        """Return the tag path of a child element, given its name as expat writes it."""
        node = parent.children[raw] = self._node(parent, _expand(raw))
        node.spilled = self._spilling is not None and bool(self._spilling.matches(node.tagpath))
        return node

    def attribute(self, parent: TagNode, raw: str) -> TagNode:
        """Return the tag path of an attribute, given its name as expat writes it."""
        node = parent.attributes[raw] = self._node(parent, "@" + _expand(raw))
        if self.keys is not None and raw.startswith(REFERENCE_NAMESPACE + "\n"):
            node.use = 0
        return node

    def text(self, parent: TagNode) -> TagNode:
        """Return the tag path of the text nodes of an element."""
        node = parent.text = self._node(parent, "text()")
        return node

    def _node(self, parent: TagNode, name: str) -> TagNode:
        self._size += 1
        tagpath = f"{parent.tagpath.rstrip('/')}/{name}"
        node = self._tag_node(tagpath)
        if node.use & COPY and name == "text()":
            self.copied_texts.add(node.tagpath_id)
        return node

    def _tag_node(self, tagpath: str) -> TagNode:
        node = TagNode(tagpath, self._use(tagpath))
        if self.keys is not None and self.keys.holds(tagpath):
            node.use |= EXISTS | VALUE
            for attribute in self.keys.attributes(tagpath):
                self._use(attribute)
        if self.computing is not None:
            node.use |= self.computing.take(tagpath, node.use, self._use)
        return node

    def _use(self, tagpath: str) -> int:
        use = self.known.get(tagpath)
        return self._look_up(tagpath) if use is None else use

    def _look_up(self, tagpath: str) -> int:
        matched = {each: self.linear[each] for each in self.automaton.matches(tagpath)}
        use = 0
        for each in matched.values():
            use |= each.use
        if matched or (self.keys is not None and self.keys.holds(tagpath)):
            self._found.add(tagpath, matched)
            self.known[tagpath] = use
        return use


def _expand(raw: str) -> str:
    uri, _, local = raw.rpartition("\n")
    return expanded_name(uri, local)
