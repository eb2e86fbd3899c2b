"""The row types of the shredders, as Arrow schemas; the SQL steps read tables of these shapes."""

from __future__ import annotations

import pyarrow as pa

ID = pa.int64()
TEXT = pa.string()

SAX_PARSE_RESULT = pa.schema([
    ("event_id", ID), ("tagpath_id", ID), ("node_id", pa.int32()), ("idpath", pa.list_(pa.int32())),
    ("value", TEXT), ("number", pa.float64()),
])
"""One node of one message that some subscription asks for."""

EVENT = pa.schema([("event_id", ID), ("message_id", TEXT)])
"""One well-formed message of the batch."""

REJECTED = pa.schema([
    ("event_id", ID), ("message_id", TEXT), ("code", TEXT), ("reason", TEXT), ("line", pa.int64()),
    ("column", pa.int64()),
])
"""One message that was set aside, with the reason and the place."""

TAGPATH = pa.schema([("tagpath", TEXT), ("inv_tagpath", TEXT), ("tagpath_id", ID)])
"""One tag path."""

PATH_MATCHED = pa.schema([
    ("tagpath_id", ID), ("linear_path_id", ID), ("brinfo_id", ID), ("bp_position", pa.list_(pa.list_(pa.int32()))),
])
"""One match of a tag path with a linear path, or (with a brinfo) with an annotated linear path."""

PREDICATE = pa.struct([("linear_path_id", ID), ("op", TEXT), ("value", TEXT), ("number", pa.float64())])
"""One value predicate on the nodes of one linear path."""

BRANCH = pa.struct([
    ("sub_id", ID), ("branch", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID), ("op", TEXT), ("value", TEXT),
    ("number", pa.float64()), ("first_only", pa.bool_()), ("level", pa.int32()), ("context", pa.int32()),
    ("context_at", pa.int32()), ("bit", ID), ("inner_at", pa.list_(pa.int32())), ("inner_points", pa.list_(pa.int32())),
    ("inner_wants", pa.list_(ID)),
])
"""One branch of a query whose branches have to be checked together."""

COMPILED = pa.schema([
    ("row_no", ID), ("subscription_id", TEXT), ("text", TEXT), ("kind", TEXT),
    ("code", TEXT), ("reason", TEXT), ("line", pa.int64()), ("column", pa.int64()), ("caret", TEXT),
    ("queries", pa.list_(pa.struct([
        ("sub_id", ID), ("query", TEXT), ("checked", pa.bool_()), ("predicates", pa.list_(PREDICATE)),
    ]))),
    ("linear_paths", pa.list_(pa.struct([
        ("id", ID), ("linear_path", TEXT), ("prefix", TEXT), ("postfix", TEXT), ("middle", TEXT),
        ("node_use", pa.int32()),
    ]))),
    ("branches", pa.list_(BRANCH)),
    ("brinfos", pa.list_(pa.struct([
        ("linear_path", TEXT), ("linear_path_id", ID), ("brinfo", TEXT), ("brinfo_id", ID),
    ]))),
    ("branchpoints", pa.list_(pa.struct([
        ("sub_id", ID), ("branchpoint_info", pa.list_(ID)), ("shape", TEXT), ("want", ID),
    ]))),
])
"""One subscription with all its rows, or with the reason why it is refused."""

ARRANGED = pa.schema([
    ("sub_id", ID), ("final", pa.bool_()), ("chain_id", ID), ("slots", pa.list_(PREDICATE)),
    ("edges", pa.list_(pa.struct([
        ("pre_id", ID), ("linear_path_id", ID), ("op", TEXT), ("value", TEXT), ("number", pa.float64()),
        ("chain_id", ID), ("final", pa.bool_()),
    ]))),
])
"""One query with its predicates in order: unrolled into slots, and as edges of chains."""
