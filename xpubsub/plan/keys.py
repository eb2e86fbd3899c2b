"""From shredded messages to keys that hold in them, and from there on what all plans have in common."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.step import Pipeline, Step, file_step


def keys_held(*, classes: bool = False) -> Pipeline:
    """Which predicates hold in which message, as far as keys can tell; by classes where many paths match a tag path."""
    by_class = (
        file_step("path_class"),
        file_step("key_class", reused=True),
        file_step("tagpath_key", file="tagpath_class_key", reused=True),
    )
    return (
        file_step("batch_tagpath", reused=True),
        *(by_class if classes else (file_step("tagpath_key", reused=True),)),
        file_step("node_range"),
        file_step("key_held", reused=True),
    )


def walked(name: str, first_stage: int, *, classes: bool = False) -> Pipeline:
    """From `chain_start` along the chains to their ends."""
    join, key = ("join key_class as k on k.key = p.key", "k.class_key") if classes else ("", "p.key")
    walk = file_step("chain_key", first=str(first_stage), classes=join, key=key)
    return (walk, file_step(name, file="chain_whole", reused=True))


def texts_tested(steps: Pipeline, texts: bool) -> Pipeline:
    """Test what keys cannot tell, if any query asks for it; the last step finds the candidates by keys."""
    *before, last = steps
    if not texts:
        return (*before, _named(last, "candidate"))
    return (
        *before,
        _named(last, "key_candidate"),
        file_step("text_asked", reused=True),
        file_step("text_failed"),
        file_step("candidate", file="text_candidate", reused=True),
    )


def _named(step: Step, name: str) -> Step:
    return replace(step, name=name, reused=True)
