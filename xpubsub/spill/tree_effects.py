"""What a spilled path does to all paths of a tree at once: one walk, which leaves out what cannot be affected."""

from __future__ import annotations

from xpubsub.language.xpath.linear import LinearStep, linear_steps
from xpubsub.spill.effects import Effect, names_meet
from xpubsub.spill.pattern_tree import SpillNode


def tree_effects(tree: SpillNode, spilled: str) -> dict[str, Effect]:
    """Return the linear paths of a tree that are affected, each with its effect; all others are unaffected.

    The same as `effect` path by path: the walk is the product automaton of the spilled path and the tree.
    """
    steps = linear_steps(spilled)
    found: dict[str, Effect] = {}
    todo = [(tree, {0})]
    while todo:
        node, reached = todo.pop()
        root_missing = len(steps) in reached
        found[node.linear_path] = Effect.SRAM if root_missing else Effect.SAM
        for use in node.uses:
            if use.linear_path != node.linear_path and (root_missing or linear_steps(use.linear_path)[-1][0]):
                found[use.linear_path] = Effect.SRAM
        for child in node.children:
            after = _reached(steps, reached, linear_steps(child.linear_path)[-1])
            if after:
                todo.append((child, after))
    return found


def _reached(steps: tuple[LinearStep, ...], before: set[int], step: LinearStep) -> set[int]:
    """Return how many steps of the spilled path may have been taken after one more step of another path.

    Whatever is below a spilled element is spilled: once all steps are taken, they stay taken. On the way of `//` any
    further step may be taken.
    """
    descends, name = step
    found: set[int] = set()
    for taken in range(min(before), len(steps) + 1) if descends else before:
        if taken == len(steps):
            found.add(taken)
            continue
        skips, wanted = steps[taken]
        if names_meet(wanted, name):
            found.add(taken + 1)
        if skips:
            found.add(taken)
    return found
