-- Transformations (Diao 2003): the steps that bind their variables, the conditions on these, and what is made of them.

-- One row: a transformation, stored once however many subscriptions ask for it: its template, steps and conditions as JSON.
create table if not exists transformation (transformation_id bigint, definition varchar);

-- One row: a step by which a transformation binds a variable: nodes of a linear path whose base, marked on it, is the
-- document (base_at 0), a variable's node (its place in the tuple) or a hidden variable's (-1). The first step of a chain
-- starts from the tuples of a parent block; found_by is a condition that finds the nodes of a first step, if there is one.
create table if not exists transformation_step (
  transformation_id bigint, step integer, block integer, parent integer, after integer, depth integer, place integer,
  linear_path_id bigint, brinfo_id bigint, base_at integer, hidden boolean, last boolean, outermost boolean,
  found_by bigint
);

-- One row: a condition that must hold, or must not, once a step is bound: at the node it binds (looks_at 0), at the
-- document (-1), or at a variable's node.
create table if not exists transformation_condition (
  transformation_id bigint, step integer, query_id bigint, looks_at integer, negated boolean
);

-- One row: a query that is a condition of transformations; its want at the node it is about, null if about the message.
create table if not exists condition_query (query_id bigint, want bigint);

-- One row: the template by which a transformation makes its output.
create table if not exists transformation_template (transformation_id bigint, template_id bigint);

-- One row: a template of outputs, as JSON; transformations that differ in their conditions only share one.
create table if not exists output_template (template_id bigint, definition varchar);

-- One row: a path whose nodes a template copies, below the base marked on it.
create table if not exists template_return (template_id bigint, linear_path_id bigint, brinfo_id bigint);

-- One row: why the same tuple of a block may be bound more than once: by a path with predicates on its way, from the step
-- of its base on, or (no path) by several chains of steps.
create table if not exists block_repeat (transformation_id bigint, block integer, linear_path_id bigint, base integer);
