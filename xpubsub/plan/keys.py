"""From shredded messages to keys that hold in them: the beginning of every plan."""

from __future__ import annotations

from xpubsub.step import Pipeline, file_step


def keys_held() -> Pipeline:
    """Which predicates hold in which message, as far as keys can tell."""
    return (
        file_step("batch_tagpath", reused=True),
        file_step("tagpath_key", reused=True),
        file_step("node_range"),
        file_step("key_held", reused=True),
    )


def walked(first_stage: int, *, texts: bool) -> Pipeline:
    """From `chain_start` along the chains to `chain_candidate`: first by keys, then by texts if any query tests one."""
    along_keys = file_step("chain_key", first=str(first_stage), reused=texts)
    if not texts:
        return (along_keys, file_step("chain_candidate", file="chain_whole", reused=True))
    return (along_keys, file_step("text_tuple", reused=True), file_step("chain_candidate", file="chain_text", reused=True))
