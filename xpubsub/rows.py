"""The registry of row types, as Arrow schemas: what Python hands to SQL, and what SQL hands to functions."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

ID = pa.int64()
TEXT = pa.string()

SAX_PARSE_RESULT = pa.schema([
    ("event_id", ID), ("tagpath_id", ID), ("node_id", pa.int32()), ("idpath", pa.list_(pa.int32())),
    ("value", TEXT), ("number", pa.float64()),
])
"""One node of one message that some subscription asks for."""

NODE_COPY = pa.schema([("event_id", ID), ("node_id", pa.int32()), ("text", TEXT), ("bare", pa.bool_())])
"""One node as it is copied into output; an element is bare if no default namespace is in scope."""

OUTPUT = pa.schema([("event_id", ID), ("template_id", ID), ("bound", pa.list_(pa.int32())), ("output", TEXT)])
"""What a template makes of the nodes bound in a message: block, nodes, block, nodes..."""

SETTLED_PATH = pa.schema([("linear_path_id", ID), ("base", pa.int32())])
"""A path that leads from its base to a node in one way at most."""

RETURN_PATH = pa.schema([("brinfo_id", ID)])
"""A path, with its base, whose nodes are copied."""

STRAY = pa.schema([("tagpath_id", ID)])
"""A tag path that does not conform to the schema."""

BIND_FAILED = pa.schema([
    ("event_id", ID), ("transformation_id", ID), ("step", pa.int32()), ("nodes", pa.list_(pa.int32())),
    ("node", pa.int32()),
])
"""What a step has bound and a condition on which fails."""

KEY_HELD = pa.schema([("event_id", ID), ("key", ID), ("max_value", pa.float64())])
"""One key that holds in one message."""

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

REFUSED = pa.schema([
    ("row_no", ID), ("subscription_id", TEXT), ("code", TEXT), ("reason", TEXT), ("line", pa.int64()),
    ("column", pa.int64()), ("caret", TEXT),
])
"""One subscription that cannot be accepted, with the reason and the place."""

COMPILED_WARNING = pa.schema([("row_no", ID), ("subscription_id", TEXT), ("warning", TEXT), ("count", ID)])
"""One warning about a subscription, or (with a null text) the number of those that are not told."""

COMPILED_QUERY = pa.schema([
    ("row_no", ID), ("query_id", ID), ("query", TEXT), ("checked", pa.bool_()), ("predicates", pa.list_(PREDICATE)),
])
"""One query of a subscription."""

COMPILED_PATH = pa.schema([
    ("linear_path", TEXT), ("id", ID), ("prefix", TEXT), ("postfix", TEXT), ("middle", TEXT), ("node_use", pa.int32()),
])
"""One linear path, with a use of its nodes."""

COMPILED_BRINFO = pa.schema([("linear_path", TEXT), ("linear_path_id", ID), ("brinfo", TEXT), ("brinfo_id", ID)])
"""One annotated linear path."""

COMPILED_BRANCH = pa.schema([
    ("row_no", ID), ("query_id", ID), ("branch", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID), ("op", TEXT),
    ("value", TEXT), ("number", pa.float64()), ("first_only", pa.bool_()), ("level", pa.int32()),
    ("context", pa.int32()), ("context_at", pa.int32()), ("bit", ID), ("inner_at", pa.list_(pa.int32())),
    ("inner_points", pa.list_(pa.int32())), ("inner_wants", pa.list_(ID)),
])
"""One branch of a query whose branches have to be checked together."""

COMPILED_BRANCHPOINT = pa.schema([
    ("row_no", ID), ("query_id", ID), ("branchpoint_info", pa.list_(ID)), ("shape", TEXT), ("want", ID),
])
"""One such query."""

COMPILED_PART = pa.schema([("row_no", ID), ("query_id", ID), ("want", ID)])
"""One query that is a condition of a transformation; its want at the node it is about, null if about the message."""

COMPILED_TRANSFORMATION = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("canonical", TEXT), ("template_id", ID), ("template", TEXT),
])
"""One subscription that is a transformation."""

COMPILED_RETURN = pa.schema([("template_id", ID), ("linear_path_id", ID), ("brinfo_id", ID)])
"""One path whose nodes a template copies."""

COMPILED_REPEAT = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("block", pa.int32()), ("linear_path_id", ID), ("base", pa.int32()),
])
"""One reason for which the tuples of a block may repeat."""

COMPILED_STEP = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("step", pa.int32()), ("block", pa.int32()), ("parent", pa.int32()),
    ("after", pa.int32()), ("depth", pa.int32()), ("place", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID),
    ("base_at", pa.int32()), ("hidden", pa.bool_()), ("last", pa.bool_()), ("outermost", pa.bool_()), ("found_by", ID),
])
"""One step by which a transformation binds a variable; found_by is a condition that finds its nodes, if any."""

COMPILED_CONDITION = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("step", pa.int32()), ("query_id", ID), ("looks_at", pa.int32()),
    ("negated", pa.bool_()),
])
"""One condition on what a step has bound."""

COMPILED_CORRELATION = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("canonical", TEXT), ("join_template_id", ID), ("join_template", TEXT),
    ("vars", pa.list_(ID)), ("windows", pa.list_(pa.float64())), ("followed", pa.list_(pa.bool_())),
    ("reach", pa.float64()), ("mentioned", pa.list_(pa.int32())), ("blocks", pa.list_(pa.int32())), ("publish", TEXT),
    ("template_id", ID), ("template", TEXT),
])
"""One subscription that is a correlation: as one of a template, and what its output is made of."""

COMPILED_JOIN_EDGE = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("stream", TEXT), ("var1", ID), ("var2", ID), ("linear_path_id", ID),
    ("brinfo_id", ID),
])
"""One edge of its patterns."""

COMPILED_JOIN_PAIR = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("op", TEXT), ("var_left", ID), ("var_right", ID),
])
"""One comparison."""

COMPILED_JOIN_HOP = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("place", pa.int32()), ("from_at", pa.int32()), ("upward", pa.bool_()),
    ("block", pa.int32()), ("var1", ID), ("var2", ID),
])
"""One step from the nodes that are joined to those that the output mentions."""

COMPILED_JOIN_COPY = pa.schema([("row_no", ID), ("correlation_id", ID), ("linear_path_id", ID)])
"""One path whose nodes it copies."""

COMPILED_JOIN_PART = pa.schema([("template_id", ID), ("place", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID)])
"""One thing that a template of outputs copies."""

COMPILED_VARIABLE_CONDITION = pa.schema([
    ("var", ID), ("alternative", pa.int32()), ("query_id", ID), ("negated", pa.bool_()),
])
"""One condition on the nodes of a variable."""

STREAM_NOW = pa.schema([("clock", pa.float64()), ("lateness", pa.float64()), ("latest", pa.float64())])
"""The clock of the batch's stream, null if it has none; how late a message may be; the latest time that is accepted."""

STREAM_LEAST = pa.schema([("stream", TEXT), ("clock", pa.float64())])
"""A stream, and the least clock of those that it is joined with: earlier messages are not needed any more."""

CLOCK_GIVEN = pa.schema([("stream", TEXT), ("time", pa.float64()), ("step", ID)])
"""A stream, and the time that its clock is moved to."""

REPLACED = pa.schema([("message_id", TEXT), ("stream", TEXT), ("time", pa.float64())])
"""A message that was kept until another came with its id."""

EVENT_TIME = pa.schema([("event_id", ID), ("time", pa.float64())])
"""The time of a message of the batch."""

SLICE_ROW = pa.schema([
    ("value", TEXT), ("docid", ID), ("var1", ID), ("var2", ID), ("node1", pa.int32()), ("node2", pa.int32()),
])
"""Two nodes of a kept message, bound to the variables of an edge, in the slice of the value of the second."""

CORRELATION_MADE = pa.schema([
    ("template_id", ID), ("owners", pa.list_(ID)), ("nodes", pa.list_(pa.int32())), ("output", TEXT),
])
"""What a template makes of nodes; the owners are their messages."""

ARRANGED_EDGE = pa.schema([
    ("pre_id", ID), ("stage", pa.int32()), ("key", ID), ("bound", pa.float64()),
    *PREDICATE, ("chain_id", ID), ("final", pa.bool_()),
])
"""One edge of the chains of arranged queries."""

ARRANGED_KEY = pa.schema([
    ("key", ID), ("linear_path_id", ID), ("op", TEXT), ("value", TEXT), ("number", pa.float64()),
])
"""What a key stands for."""
ARRANGED_PAIR = pa.schema([("key", ID), ("first_key", ID), ("second_key", ID)])
"""A key that stands for two others."""


ARRANGED_TEXT = pa.schema([("query_id", ID), *PREDICATE])
"""One predicate of a query that its key does not settle."""


def unrolled_schema(slots: int) -> pa.Schema:
    """One arranged query: the key it is found by, and the keys and bounds of its other predicates side by side."""
    slot = (("key", ID), ("bound", pa.float64()))
    columns = [(f"{name}{number}", kind) for number in range(1, slots + 1) for name, kind in slot]
    return pa.schema([("lookup_key", ID), ("query_id", ID), ("final", pa.bool_()), ("chain_id", ID), *columns])


def table_of(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of a schema."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
