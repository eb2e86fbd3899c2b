"""BrPred as a function over Arrow arrays, as engines register it."""

from __future__ import annotations

import pyarrow as pa

from xpubsub.shred.brpred import brpred, decode_shape

BRPRED_PARAMETERS = [
    pa.string(),
    pa.list_(pa.struct([
        ("branch", pa.int32()), ("nodes", pa.list_(pa.int32())), ("leaf", pa.int32()), ("passes", pa.bool_()),
    ])),
]
BRPRED_RESULT = pa.bool_()


def brpred_arrow(shapes: pa.Array, groups: pa.Array) -> pa.Array:
    """Decide many pairs at once: for each a shape and the rows of its branches."""
    answers = [
        brpred(decode_shape(shape), [(row["branch"], row["nodes"], row["leaf"], row["passes"]) for row in rows])
        for shape, rows in zip(shapes.to_pylist(), groups.to_pylist(), strict=True)
    ]
    return pa.array(answers, BRPRED_RESULT)
