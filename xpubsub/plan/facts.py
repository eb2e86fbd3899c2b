"""Where the conditions of transformations and correlations hold: at nodes, and of the message."""

from __future__ import annotations

from xpubsub.step import Pipeline, file_step

MESSAGE_FACT = file_step("message_fact")


def fact_steps(levels: int, *, at_nodes: bool = True) -> Pipeline:
    """The relation `fact` (`message_fact` if nodes are searched), and positions unless branches have made them."""
    positions = () if levels else (file_step("tagpath_position"),)
    if not at_nodes:
        return (*positions, MESSAGE_FACT)
    if levels > 1:
        return (*positions, MESSAGE_FACT, file_step("fact", reused=True))
    return (*positions, MESSAGE_FACT, file_step("fact", "message", reused=True))
