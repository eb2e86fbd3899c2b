"""From shredded messages to keys that hold in them, and from there on what all plans have in common."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.step import Pipeline, file_step

CLASSES: Pipeline = (file_step("path_class"), file_step("key_class", reused=True))
"""The keys that stand for others, where many linear paths match a tag path."""


def keys_held(*, classes: bool = False, given: Pipeline | None = None) -> Pipeline:
    """Which predicates hold in which message, as far as keys can tell; `given` says where that is known already."""
    by_class = CLASSES if classes else ()
    tagpath_key = file_step("tagpath_key", "class" if classes else "", reused=True)
    found = (tagpath_key, file_step("node_range"), file_step("key_held", reused=True))
    return (file_step("batch_tagpath", reused=True), *by_class, *(found if given is None else given))


def pairs_held(*, classes: bool = False) -> Pipeline:
    """Keys by which queries are found, those that stand for two others among them."""
    if not classes:
        return (file_step("access_held"),)
    return (file_step("pair_class"), file_step("access_held", tables={"predicate_pair": "pair_class"}))


def key_index(*, classes: bool) -> Pipeline:
    """All keys by linear path; the last step has them."""
    if not classes:
        return (file_step("index_key"),)
    return (*CLASSES, file_step("index_key", "class"))


def walked(first_stage: int, *, classes: bool = False) -> Pipeline:
    """From `chain_start` along the chains to their ends: `chain_end`."""
    join, key = ("join key_class as k on k.key = p.key", "k.class_key") if classes else ("", "p.key")
    return (file_step("chain_key", first=str(first_stage), classes=join, key=key), file_step("chain_end", reused=True))


def texts_tested(found: Pipeline, texts: bool) -> Pipeline:
    """Test what keys cannot tell, if any query asks for it; the last step of each finds the candidates."""
    if not texts:
        return found
    by_keys = {"key_candidate": found[-1].name}
    return (
        *found[:-1],
        replace(found[-1], reused=True),
        file_step("text_asked", reused=True, tables=by_keys),
        file_step("text_failed"),
        file_step("text_candidate", reused=True, tables=by_keys),
    )
