-- Correlations (Hong 2007): queries that join messages on values of their nodes, and the state kept for them.

-- One row: a correlation, stored once however many subscriptions share it.
create table if not exists correlation (correlation_id bigint, definition varchar);

-- One row: an edge of a correlation's patterns, in messages of a stream: nodes of variable var2 below a node of var1 (0
-- is the document), on a linear path with its base marked on it.
create table if not exists join_edge (
  correlation_id bigint, stream varchar, var1 bigint, var2 bigint, linear_path_id bigint, brinfo_id bigint
);

-- One row: a condition on a variable's nodes; all conditions of one alternative must hold (or, negated, must not).
create table if not exists variable_condition (var bigint, alternative integer, query_id bigint, negated boolean);

-- One row: two variables whose nodes a correlation compares, and the operator.
create table if not exists join_pair (correlation_id bigint, op varchar, var_left bigint, var_right bigint);

-- One row: a join template: the shape of a join graph, as text (section 4).
create table if not exists join_template (template_id bigint, definition varchar);

-- One row: a correlation, as a member of its join template (the paper's R_T): its variables in the template's order;
-- for each operator the window in seconds and whether it is FOLLOWED BY; and how far apart its messages' times may be.
create table if not exists join_member (
  template_id bigint, correlation_id bigint, vars bigint[], windows double[], followed boolean[], reach double
);

-- One row: a step from a node that the join found, up or down an edge, to a node that the output mentions.
create table if not exists join_hop (
  correlation_id bigint, place integer, from_at integer, upward boolean, block integer, var1 bigint, var2 bigint
);

-- One row: the output of a correlation: the places of the mentioned nodes among those found, and the block of each; the
-- output template; and the stream that it is published to, if any.
create table if not exists join_result (
  correlation_id bigint, mentioned integer[], blocks integer[], template_id bigint, publish varchar
);

-- One row: a path whose nodes a correlation copies.
create table if not exists join_copy (correlation_id bigint, linear_path_id bigint);

-- One row: a part that an output template copies: a mentioned node, by its place, or a path below it.
create table if not exists join_part (template_id bigint, place integer, linear_path_id bigint, brinfo_id bigint);

-- One row: a kept message, with its time in seconds (the paper's R_docTS); a message without a row is not joined yet.
create table if not exists rdoc_ts (docid bigint, stream varchar, message_id varchar, time double);

-- One row: a dropped message.
create table if not exists gone_message (docid bigint);

-- One row: a witness: two nodes of a kept message, bound to the variables of an edge (the paper's R_bin).
create table if not exists rbin (docid bigint, var1 bigint, var2 bigint, node1 integer, node2 integer);

-- One row: a node of a kept message whose value is compared (the paper's R_doc).
create table if not exists rdoc (docid bigint, node integer, value varchar, number double);

-- One row: a node of a kept message, serialised for copying into outputs.
create table if not exists rcopy (docid bigint, node integer, text varchar, bare boolean);

-- One row: a base in a kept message, a path that outputs copy, and its nodes below the base, in document order.
create table if not exists rreturn (docid bigint, brinfo_id bigint, base integer, nodes integer[]);

-- One row: a stream and the time its clock was set to, by a message or by hand; the row with the highest step counts.
create table if not exists stream_clock (stream varchar, time double, step bigint);
