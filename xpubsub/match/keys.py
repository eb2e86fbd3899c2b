"""The nodes whose values are keys of reference tables: their rows are needed, and their tag paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xpubsub.ids import stable_id
from xpubsub.language.reference import attribute_name
from xpubsub.language.xpath.linear import components, linear_steps
from xpubsub.match.path_automaton import PathAutomaton


class KeyPath(NamedTuple):
    """A reference table, as messages are read: the path of its keys, and the columns that subscriptions name."""

    call_no: int
    linear_path: str
    columns: tuple[str, ...]

    @property
    def of_attributes(self) -> bool:
        """Whether the keys are values of attributes; their elements then have the columns."""
        return linear_steps(self.linear_path)[-1][1].startswith("@")

    @property
    def xpath(self) -> str:
        """The path as XPath 1.0 without prefixes."""
        return "".join(f"{'//' if descends else '/'}{_test(name)}" for descends, name in linear_steps(self.linear_path))


class KeyPlace(NamedTuple):
    """A tag path of keys, a column, and the tag path of the attribute that the column becomes."""

    key_tagpath_id: int
    call_no: int
    column_name: str
    place: int
    tagpath: str
    above: bool
    """Whether the key is an attribute, so that the column belongs to the element around it."""


class KeyPaths:
    """The reference tables of a store, in the order of their names: of two columns with a name, the first counts."""

    def __init__(self, paths: tuple[KeyPath, ...]) -> None:
        self.paths = paths
        self._automaton = PathAutomaton(path.linear_path for path in paths)

    def holds(self, tagpath: str) -> bool:
        """Whether nodes at a tag path have keys as values."""
        return bool(self._automaton.matches(tagpath))

    def attributes(self, tagpath: str) -> list[str]:
        """Return the tag paths of the attributes that nodes at a tag path bring."""
        return [place.tagpath for place in self.places([tagpath])]

    def places(self, tagpaths: list[str]) -> list[KeyPlace]:
        """Return what becomes of the columns at some tag paths."""
        taken: set[str] = set()
        found: list[KeyPlace] = []
        for path in self.paths:
            for tagpath in sorted(each for each in tagpaths if path.linear_path in self._automaton.matches(each)):
                found += self._columns(path, tagpath, taken, len(found))
        return found

    def _columns(self, path: KeyPath, tagpath: str, taken: set[str], first: int) -> Iterator[KeyPlace]:
        above = path.of_attributes
        around = "/" + "/".join(components(tagpath)[: -1 if above else None])
        for column in path.columns:
            attribute = f"{around}/{attribute_name(column)}"
            if attribute not in taken:
                taken.add(attribute)
                yield KeyPlace(stable_id(tagpath), path.call_no, column, first, attribute, above)
                first += 1


def _test(name: str) -> str:
    axis, test = ("@", name[1:]) if name.startswith("@") else ("", name)
    uri, brace, local = test.rpartition("}")
    if test == "*":
        return f"{axis}*"
    if test.startswith("*:"):
        return f"{axis}*[local-name() = '{test[2:]}']"
    if not brace:
        return f"{axis}{test}"
    named = "" if local == "*" else f" and local-name() = '{local}'"
    return f'{axis}*[namespace-uri() = "{uri[1:]}"{named}]'
