"""The tag-path cache: for each place a node can stand, whether any subscription looks at it, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xpubsub.ids import stable_id
from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.limits import Limits
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.path_matches import LinearUse, PathMatches
from xpubsub.match.uses import COPY

MOST_NODES = 200_000
"""Tag paths that are remembered at a time, so that hostile messages cannot fill the memory."""


class TagNode:
    """One tag path: its id, its use (0: nobody asks for it), and the tag paths one step further."""

    __slots__ = ("attributes", "children", "tagpath", "tagpath_id", "text", "use")

    def __init__(self, tagpath: str, use: int) -> None:
        self.tagpath = tagpath
        self.tagpath_id = stable_id(tagpath)
        self.use = use
        self.children: dict[str, TagNode] = {}
        self.attributes: dict[str, TagNode] = {}
        self.text: TagNode | None = None


class TagPathCache:
    """A tree of tag paths, grown as messages are read; each new tag path is looked up once.

    `known` are the tag paths of the store with their use. One that is not known is run through the automaton of
    all linear paths, which is only built then; if some linear path matches, its rows are kept until taken.
    """

    def __init__(self, known: Mapping[str, int], linear: Callable[[], Mapping[str, LinearUse]], limits: Limits,
                 *, copying: bool = False) -> None:
        self.known = known
        """The tag paths of the store, with their use."""
        self.copying = copying
        """Whether some subscription asks for copies of nodes."""
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

    def matches_since(self, length: int) -> list[tuple[int, int]]:
        """The path matches, (tag path, linear path), found since they were last taken, but for the first so many."""
        return self._found.path_matches[length:]

    def learn(self, tagpaths: Iterable[str]) -> None:
        """Tag paths that were found elsewhere are found here too."""
        for tagpath in tagpaths:
            self._look_up(tagpath)

    def trim(self) -> None:
        """Start the tree anew if messages of ever new names have made it large; what is known stays known."""
        if self._size > MOST_NODES:
            self._size = 0
            self.root = TagNode("/", self._use("/"))

    def take_found(self) -> PathMatches:
        """The rows of the tag paths found since they were last taken."""
        found, self._found = self._found, PathMatches(self._limits)
        return found

    def child(self, parent: TagNode, raw: str) -> TagNode:
        """The tag path of a child element, given its name as expat writes it."""
        node = parent.children[raw] = self._node(parent, _expand(raw))
        return node

    def attribute(self, parent: TagNode, raw: str) -> TagNode:
        """The tag path of an attribute, given its name as expat writes it."""
        node = parent.attributes[raw] = self._node(parent, "@" + _expand(raw))
        return node

    def text(self, parent: TagNode) -> TagNode:
        """The tag path of the text nodes below an element."""
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
