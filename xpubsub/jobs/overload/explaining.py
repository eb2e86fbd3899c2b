"""What a job would spill of messages if they came too fast, as text: `explain --spill`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xpubsub.errors import Error
from xpubsub.jobs.overload.choosing import modelled
from xpubsub.jobs.overload.seen_elements import SeenElements
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.limits import Limits
from xpubsub.spill.candidates import NOTHING
from xpubsub.spill.choose import choose_spill
from xpubsub.spill.shown import shown_constants, shown_spill
from xpubsub.store.store import Store


def explain_spill(
    store: Store, limits: Limits, messages: Sequence[bytes], stream: str, policy: str, load: float
) -> str:
    """Return what led to the choice of a policy, if `load` times as many messages came as can be processed."""
    if not messages:
        raise Error("give at least one message: what is spilled depends on what messages contain")
    if isinstance(load, bool) or not isinstance(load, int | float) or not 0 < load < math.inf:
        raise Error(f"load must be a number above 0, not {load!r}")
    transformations, seen = StoredTransformations(store, limits, stream), SeenElements()
    transformations.refresh(math.inf)
    seen.look(messages)
    constants = transformations.measured_constants()
    tree, space, model = modelled(transformations, seen.statistics(), constants)
    chosen = choose_spill(policy, space, model, load / max(model.cost(NOTHING), 1e-9))
    return f"{shown_spill(tree, model, chosen, space)}\n{shown_constants(constants)}"
