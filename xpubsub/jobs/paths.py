"""Reads the tag paths and linear paths of the store, and matches new ones with them."""

from __future__ import annotations

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.limits import Limits
from xpubsub.match.keys import KeyPaths
from xpubsub.match.path_matches import LinearUse, linear_matcher
from xpubsub.rows import PATH_MATCHED
from xpubsub.shred.computing import computed_paths
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import file_step
from xpubsub.store.store import Store

_NEW_LINEAR = file_step("new_linear")
SPECIAL_PATHS, TAGPATHS = file_step("special_path"), file_step("known_tagpath_text")


def known_tagpaths(store: Store) -> dict[str, int]:
    """Return the tag paths of the store, each with its use."""
    return {row["tagpath"]: row["node_use"] for row in store.rows(file_step("known_tagpaths"))}


def known_linear_paths(store: Store) -> dict[str, LinearUse]:
    """Return the linear paths of the store, with their use and annotations."""
    brinfos: dict[str, list[str]] = {}
    for row in store.rows(file_step("known_brinfos")):
        brinfos.setdefault(row["linear_path"], []).append(row["brinfo"])
    return {
        row["linear_path"]: LinearUse(row["node_use"], tuple(brinfos.get(row["linear_path"], ())))
        for row in store.rows(file_step("known_linear_paths"))
    }


def tagpath_cache(
    store: Store, limits: Limits, *, copying: bool = False, keeping: bool = False, keys: KeyPaths | None = None
) -> TagPathCache:
    """Return a tag-path cache filled from the store; linear paths are read only when a new tag path comes."""
    known = known_tagpaths(store)
    special = [row["linear_path"] for row in store.rows(SPECIAL_PATHS)]
    if DOCUMENT not in special:
        known[DOCUMENT] = 0
    return TagPathCache(known, lambda: known_linear_paths(store), limits, copying=copying, keeping=keeping,
                        computed=computed_paths(special), keys=keys)


def match_new_linear_paths(store: Store, limits: Limits) -> None:
    """Create the relation `path_matched`: the matches of this call's new linear paths with the known tag paths."""
    tagpaths = [row["tagpath"] for row in store.rows(TAGPATHS)]
    store.engine.map_arrow("path_matched", _NEW_LINEAR, linear_matcher(tagpaths, limits), PATH_MATCHED)
