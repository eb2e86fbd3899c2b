"""Row types, as Arrow schemas: the rows that Python passes to SQL, and that SQL passes to functions."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

ID = pa.int64()
TEXT = pa.string()

SAX_PARSE_RESULT = pa.schema([
    ("event_id", ID), ("tagpath_id", ID), ("node_id", pa.int32()), ("idpath", pa.list_(pa.int32())),
    ("value", TEXT), ("number", pa.float64()),
])
"""A node of a message that some subscription needs."""

BEGUN = pa.schema([
    ("so_far", TEXT), ("sign", pa.float64()), ("low", pa.float64()), ("high", pa.float64()), ("scaled", pa.bool_()),
])
"""The value so far of a node that has begun and not ended, and the numbers that it may become."""

START_BITS = pa.schema([("query_id", ID), ("point", pa.int32()), ("bits", ID)])
"""A branching point of a query, and the bits of its conditions on attributes, which hold at a start tag or never."""

OPEN_NODE = pa.schema([("node", pa.int32())])
"""An element that has begun and not ended."""

NODE_COPY = pa.schema([("event_id", ID), ("node_id", pa.int32()), ("text", TEXT), ("bare", pa.bool_())])
"""A node, serialised for copying into outputs; an element is bare if no default namespace is in scope."""

OUTPUT = pa.schema([
    ("event_id", ID), ("template_id", ID), ("bound", pa.list_(pa.int32())), ("output", TEXT), ("code", TEXT),
    ("reason", TEXT),
])
"""The output of a template for the nodes bound in a message: block, nodes, block, nodes...; or why it failed."""

SPILLED_OUTPUT = pa.schema([
    ("event_id", ID), ("template_id", ID), ("bound", pa.list_(pa.int32())), ("affected", pa.list_(ID)), ("part", TEXT),
    ("output", TEXT), ("code", TEXT), ("reason", TEXT),
])
"""An output, or a part of it, of a message of which elements are spilled; see `output/spilled_factory.py`."""

SPILLED_ROOT = pa.schema([("event_id", ID), ("tagpath_id", ID)])
"""A message, and a tag path at which elements of it are spilled."""

SPILL_TOUCH = pa.schema([("tagpath_id", ID), ("linear_path_id", ID), ("inside", pa.bool_())])
"""A tag path, and a linear path whose nodes may lie inside the elements there, or do lie around them."""

SETTLED_PATH = pa.schema([("linear_path_id", ID), ("base", pa.int32())])
"""A path that reaches each node from its base in one way at most."""

RETURN_PATH = pa.schema([("brinfo_id", ID)])
"""A path, with its base, whose nodes are copied into outputs."""

STRAY = pa.schema([("tagpath_id", ID)])
"""A tag path that does not conform to the schema."""

BIND_FAILED = pa.schema([
    ("event_id", ID), ("transformation_id", ID), ("step", pa.int32()), ("nodes", pa.list_(pa.int32())),
    ("node", pa.int32()),
])
"""A node bound by a step at which a condition fails."""

REFERENCE_PLACE = pa.schema([("key_tagpath_id", ID), ("call_no", ID), ("column_name", TEXT), ("place", ID)])
"""A tag path of keys, and a column of a reference table that becomes an attribute there."""

CHECK_HELD = pa.schema([("event_id", ID), ("check_id", ID), ("output", TEXT), ("code", TEXT), ("reason", TEXT)])
"""A message and a check that holds in it, with its output (null for a filter); or, with a code, why it failed."""

EVENT = pa.schema([("event_id", ID), ("message_id", TEXT)])
"""A well-formed message of the batch."""

REJECTED = pa.schema([
    ("event_id", ID), ("message_id", TEXT), ("code", TEXT), ("reason", TEXT), ("line", pa.int64()),
    ("column", pa.int64()),
])
"""A rejected message, with the reason and the place of the error."""

NOTIFICATIONS = pa.schema([("message_id", TEXT), ("subscription_id", TEXT), ("output", TEXT)])
"""A message and a subscription that it matches; the output is null for a filter."""

FAILED = pa.schema([("message_id", TEXT), ("subscription_id", TEXT), ("code", TEXT), ("reason", TEXT)])
"""A message and a subscription whose query raised an error in it."""

NOTIFICATION_PARTS = NOTIFICATIONS.append(pa.field("part", TEXT))
"""The same where elements may be spilled: whether the output is `whole`, `reduced` or a `filler`."""

TAGPATH = pa.schema([("tagpath", TEXT), ("inv_tagpath", TEXT), ("tagpath_id", ID)])
"""A tag path."""

PATH_MATCHED = pa.schema([
    ("tagpath_id", ID), ("linear_path_id", ID), ("brinfo_id", ID), ("bp_position", pa.list_(pa.list_(pa.int32()))),
])
"""A tag path and a linear path that it matches, or (with a brinfo) an annotated linear path."""

PREDICATE = pa.struct([("linear_path_id", ID), ("op", TEXT), ("value", TEXT), ("number", pa.float64())])
"""A value predicate on the nodes of a linear path."""

REFUSED = pa.schema([
    ("row_no", ID), ("subscription_id", TEXT), ("code", TEXT), ("reason", TEXT), ("line", pa.int64()),
    ("column", pa.int64()), ("caret", TEXT),
])
"""A refused subscription, with the reason and the place of the error."""

COMPILED_WARNING = pa.schema([("row_no", ID), ("subscription_id", TEXT), ("warning", TEXT), ("count", ID)])
"""A warning about a subscription, or (with a null warning) the number of further warnings."""

COMPILED_CHECK = pa.schema([
    ("row_no", ID), ("check_id", ID), ("expression", TEXT), ("namespaces", TEXT), ("way", TEXT),
])
"""What lxml has to decide about a subscription, and the way that it goes."""

COMPILED_QUERY = pa.schema([
    ("row_no", ID), ("query_id", ID), ("query", TEXT), ("checked", pa.bool_()), ("predicates", pa.list_(PREDICATE)),
])
"""A query of a subscription."""

COMPILED_PATH = pa.schema([
    ("linear_path", TEXT), ("id", ID), ("prefix", TEXT), ("postfix", TEXT), ("middle", TEXT), ("node_use", pa.int32()),
])
"""A linear path, with a use of its nodes."""

COMPILED_BRINFO = pa.schema([("linear_path", TEXT), ("linear_path_id", ID), ("brinfo", TEXT), ("brinfo_id", ID)])
"""An annotated linear path."""

COMPILED_BRANCH = pa.schema([
    ("row_no", ID), ("query_id", ID), ("branch", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID), ("op", TEXT),
    ("value", TEXT), ("number", pa.float64()), ("first_only", pa.bool_()), ("level", pa.int32()),
    ("context", pa.int32()), ("context_at", pa.int32()), ("bit", ID), ("inner_at", pa.list_(pa.int32())),
    ("inner_points", pa.list_(pa.int32())), ("inner_wants", pa.list_(ID)),
])
"""A branch of a query whose branches must be checked together."""

COMPILED_BRANCHPOINT = pa.schema([
    ("row_no", ID), ("query_id", ID), ("branchpoint_info", pa.list_(ID)), ("shape", TEXT), ("want", ID),
])
"""A query whose branches must be checked together."""

COMPILED_PART = pa.schema([("row_no", ID), ("query_id", ID), ("want", ID)])
"""A query that serves as a condition, and the bits it wants at its node; null if it is on the whole message."""

COMPILED_TRANSFORMATION = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("canonical", TEXT), ("template_id", ID), ("template", TEXT),
])
"""A transformation, with its output template."""

COMPILED_RETURN = pa.schema([("template_id", ID), ("linear_path_id", ID), ("brinfo_id", ID)])
"""A path whose nodes an output template copies."""

COMPILED_VALUE = pa.schema([("template_id", ID), ("linear_path_id", ID), ("named", pa.bool_())])
"""A path whose nodes' values an output template reads."""

COMPILED_REPEAT = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("block", pa.int32()), ("linear_path_id", ID), ("base", pa.int32()),
])
"""A reason why the tuples of a block may repeat."""

COMPILED_STEP = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("step", pa.int32()), ("block", pa.int32()), ("parent", pa.int32()),
    ("after", pa.int32()), ("depth", pa.int32()), ("place", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID),
    ("base_at", pa.int32()), ("hidden", pa.bool_()), ("last", pa.bool_()), ("outermost", pa.bool_()), ("found_by", ID),
])
"""A step that binds a variable of a transformation; found_by is a condition that finds its nodes, if any."""

COMPILED_CONDITION = pa.schema([
    ("row_no", ID), ("transformation_id", ID), ("step", pa.int32()), ("query_id", ID), ("looks_at", pa.int32()),
    ("negated", pa.bool_()),
])
"""A condition on the nodes that a step binds."""

COMPILED_CORRELATION = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("canonical", TEXT), ("join_template_id", ID), ("join_template", TEXT),
    ("vars", pa.list_(ID)), ("windows", pa.list_(pa.float64())), ("followed", pa.list_(pa.bool_())),
    ("reach", pa.float64()), ("mentioned", pa.list_(pa.int32())), ("blocks", pa.list_(pa.int32())), ("publish", TEXT),
    ("template_id", ID), ("template", TEXT),
])
"""A correlation: as a member of its join template, and the parts of its output."""

COMPILED_JOIN_EDGE = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("stream", TEXT), ("var1", ID), ("var2", ID), ("linear_path_id", ID),
    ("brinfo_id", ID),
])
"""An edge of a correlation's patterns."""

COMPILED_JOIN_PAIR = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("op", TEXT), ("var_left", ID), ("var_right", ID),
])
"""A comparison of two variables in a correlation."""

COMPILED_JOIN_HOP = pa.schema([
    ("row_no", ID), ("correlation_id", ID), ("place", pa.int32()), ("from_at", pa.int32()), ("upward", pa.bool_()),
    ("block", pa.int32()), ("var1", ID), ("var2", ID),
])
"""A step from a joined node to a node that the output mentions."""

COMPILED_JOIN_COPY = pa.schema([("row_no", ID), ("correlation_id", ID), ("linear_path_id", ID)])
"""A path whose nodes a correlation copies."""

COMPILED_JOIN_PART = pa.schema([("template_id", ID), ("place", pa.int32()), ("linear_path_id", ID), ("brinfo_id", ID)])
"""A node or path that an output template of correlations copies."""

COMPILED_VARIABLE_CONDITION = pa.schema([
    ("var", ID), ("alternative", pa.int32()), ("query_id", ID), ("negated", pa.bool_()),
])
"""A condition on the nodes of a variable."""

STREAM_NOW = pa.schema([("clock", pa.float64()), ("lateness", pa.float64()), ("latest", pa.float64())])
"""The clock of the batch's stream (null if it has none), how late a message may be, and the latest accepted time."""

STREAM_LEAST = pa.schema([("stream", TEXT), ("clock", pa.float64())])
"""A stream, and the earliest clock of the streams it is joined with, from which expiry is counted."""

CLOCK_GIVEN = pa.schema([("stream", TEXT), ("time", pa.float64()), ("step", ID)])
"""A stream, and the time that its clock is set to."""

REPLACED = pa.schema([("message_id", TEXT), ("stream", TEXT), ("time", pa.float64())])
"""A kept message that was replaced by one with the same id."""

EVENT_TIME = pa.schema([("event_id", ID), ("time", pa.float64())])
"""A message of the batch and its time."""

SLICE_ROW = pa.schema([
    ("value", TEXT), ("docid", ID), ("var1", ID), ("var2", ID), ("node1", pa.int32()), ("node2", pa.int32()),
])
"""Two nodes of a kept message bound to the variables of an edge, in the slice of the second node's value."""

STREAM_JOB = pa.schema([("job", TEXT)])
"""A streaming job."""

STREAM_BATCH = pa.schema([
    ("job", TEXT), ("batch_no", ID), ("revision", pa.int32()), ("position", TEXT), ("figures", TEXT),
])
"""A batch that a streaming job commits."""

STREAM_ITEM = pa.schema([("job", TEXT), ("item", TEXT)])
"""An item of a source that a streaming job has published."""

ACCEPTED_DELAY = pa.schema([("subscription_id", TEXT), ("max_delay", pa.float64())])
"""A subscription and the longest delay it accepts, in seconds."""

LETTERS = pa.schema([
    ("message_id", TEXT), ("code", TEXT), ("reason", TEXT), ("line", pa.int64()), ("column", pa.int64()),
    ("stream", TEXT), ("position", TEXT), ("time", pa.float64()), ("raw", pa.binary()), ("subscription_id", TEXT),
])
"""A dead letter: a rejected message, why, for which stream, its position in the source, its time and its bytes.

With a subscription_id, the message is not rejected, but this subscription's query raised an error in it.
"""

CORRELATION_MADE = pa.schema([
    ("template_id", ID), ("owners", pa.list_(ID)), ("nodes", pa.list_(pa.int32())), ("output", TEXT),
])
"""The output of a template for some nodes; the owners are the nodes' messages."""

ARRANGED_EDGE = pa.schema([
    ("pre_id", ID), ("stage", pa.int32()), ("key", ID), ("bound", pa.float64()),
    *PREDICATE, ("chain_id", ID), ("final", pa.bool_()),
])
"""An edge of the chains of arranged queries."""

ARRANGED_KEY = pa.schema([
    ("key", ID), ("linear_path_id", ID), ("op", TEXT), ("value", TEXT), ("number", pa.float64()),
])
"""A key and its predicate."""

ARRANGED_PAIR = pa.schema([("key", ID), ("first_key", ID), ("second_key", ID)])
"""A pair key, which holds where its two keys hold."""

ARRANGED_TEXT = pa.schema([("query_id", ID), *PREDICATE])
"""A predicate of a query that must be tested on text, because no key decides it."""


def unrolled_schema(slots: int) -> pa.Schema:
    """Return the schema of an arranged query: its lookup key, and the keys and bounds of its slots."""
    slot = (("key", ID), ("bound", pa.float64()))
    columns = [(f"{name}{number}", kind) for number in range(1, slots + 1) for name, kind in slot]
    return pa.schema([("lookup_key", ID), ("query_id", ID), ("final", pa.bool_()), ("chain_id", ID), *columns])


def table_of(rows: Sequence[Sequence[object]], schema: pa.Schema, names: Sequence[str] = ()) -> pa.Table:
    """Return rows as an Arrow table with a schema; `names` are the columns of a row, if not in the schema's order."""
    columns = dict(zip(names or schema.names, list(zip(*rows, strict=True)) or [()] * len(schema), strict=True))
    arrays = [pa.array(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)
