"""The tag-path cache: for each tag path, whether subscriptions use its nodes, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xpubsub.ids import stable_id
from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.limits import Limits
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.path_matches import LinearUse, PathMatches
from xpubsub.match.uses import COPY

MOST_NODES = 200_000
"""How many tag paths are cached at a time, so that hostile messages cannot fill the memory."""


class TagNode:
    """One tag path: its id, its use (0: no subscription uses it), and the tag paths one step further."""

    __slots__ = ("attributes", "children", "tagpath", "tagpath_id", "text", "use")

    def __init__(self, tagpath: str, use: int) -> None:
        self.tagpath = tagpath
        self.tagpath_id = stable_id(tagpath)
        self.use = use
        self.children: dict[str, TagNode] = {}
        self.attributes: dict[str, TagNode] = {}
        self.text: TagNode | None = None


class TagPathCache:
    """A tree of tag paths that grows as messages are read; each new tag path is looked up once.

    `known` holds the tag paths of the store with their use. A tag path that is not known is matched with all linear
    paths by an automaton, built when first needed; if a linear path matches, its rows are kept until `take_found`.
    """

    def __init__(self, known: dict[str, int], linear: Callable[[], Mapping[str, LinearUse]], limits: Limits,
                 *, copying: bool = False) -> None:
        self.known = known
        """The tag paths of the store, each with its use."""
        self.copying = copying
        """Whether some subscription copies nodes."""
        self.copied_texts: set[int] = set()
        """The tag paths of text nodes that are copied."""
        self._load = linear
        self._linear: Mapping[str, LinearUse] | None = None
        self._automaton: PathAutomaton | None = None
        self._limits = limits
        self._found = PathMatches(limits)
        self._size = 0
        self.root = TagNode("/", self._use("/"))

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
            self.root = TagNode("/", self._use("/"))

    def take_found(self) -> PathMatches:
        """Return the rows of the tag paths found since they were last taken."""
        found, self._found = self._found, PathMatches(self._limits)
        return found

    def child(self, parent: TagNode, raw: str) -> TagNode:
        """Return the tag path of a child element, given its name as expat writes it."""
        node = parent.children[raw] = self._node(parent, _expand(raw))
        return node

    def attribute(self, parent: TagNode, raw: str) -> TagNode:
        """Return the tag path of an attribute, given its name as expat writes it."""
        node = parent.attributes[raw] = self._node(parent, "@" + _expand(raw))
        return node

    def text(self, parent: TagNode) -> TagNode:
        """Return the tag path of the text nodes of an element."""
        node = parent.text = self._node(parent, "text()")
        return node

    def _node(self, parent: TagNode, name: str) -> TagNode:
        self._size += 1
        tagpath = f"{parent.tagpath.rstrip('/')}/{name}"
        node = TagNode(tagpath, self._use(tagpath))
        if node.use & COPY and name == "text()":
            self.copied_texts.add(node.tagpath_id)
        return node

    def _use(self, tagpath: str) -> int:
        use = self.known.get(tagpath)
        return self._look_up(tagpath) if use is None else use

    def _look_up(self, tagpath: str) -> int:
        if self._automaton is None:
            self._automaton = PathAutomaton(self.linear)
        matched = {each: self.linear[each] for each in self._automaton.matches(tagpath)}
        if matched:
            self._found.add(tagpath, matched)
        use = 0
        for each in matched.values():
            use |= each.use
        return use


def _expand(raw: str) -> str:
    uri, _, local = raw.rpartition("\n")
    return expanded_name(uri, local)
