-- Transformations (Diao 2003): the steps that bind their variables, the conditions on these, and what is made of them.

-- One row: a transformation, stored once however many subscriptions ask for it: its template, steps and conditions as JSON.
create table if not exists transformation (tid bigint, definition varchar);

-- One row: a step by which a transformation binds a variable: nodes of a linear path whose base, marked on it, is the
-- document (base_at 0), a variable's node (its place in the tuple) or a hidden variable's (-1). The first step of a chain
-- starts from the tuples of a parent block; access is a condition that finds the nodes of a first step, if there is one.
create table if not exists transformation_step (
  tid bigint, step integer, block integer, parent integer, after integer, depth integer, place integer,
  linear_path_id bigint, brinfo_id bigint, base_at integer, hidden boolean, last boolean, outermost boolean, access bigint
);

-- One row: a condition that must hold, or must not, once a step is bound: at the node it binds (looks_at 0), at the
-- document (-1), or at a variable's node.
create table if not exists transformation_condition (
  tid bigint, step integer, sub_id bigint, looks_at integer, negated boolean
);

-- One row: a query that is a condition of transformations; its want at the node it is about, null if about the message.
create table if not exists condition_query (sub_id bigint, want bigint);

-- One row: a subscription is fulfilled by a transformation.
create table if not exists subscription_transformation (
  call_no bigint, subscription_id varchar, stream varchar, tid bigint
);
