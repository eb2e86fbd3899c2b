-- Transformations (Diao 2003): the steps that bind variables, the conditions on bound nodes, and output templates.

-- One row: a transformation, stored once however many subscriptions share it: template, steps and conditions as JSON.
create table if not exists transformation (transformation_id bigint, definition varchar);

-- One row: a step that binds a variable of a transformation to the nodes of a linear path. The path's base is the
-- document (base_at 0), a variable's node (its place in the tuple) or a hidden variable's node (-1). A chain's first
-- step starts from the tuples of its parent block; found_by is a condition that finds a first step's nodes, if any.
create table if not exists transformation_step (
  transformation_id bigint, step integer, block integer, parent integer, after integer, depth integer, place integer,
  linear_path_id bigint, brinfo_id bigint, base_at integer, hidden boolean, last boolean, outermost boolean,
  found_by bigint
);

-- One row: a condition on the nodes that a step binds: it must hold (or, negated, must not) at the bound node (looks_at
-- 0), at the document (-1), or at a variable's node.
create table if not exists transformation_condition (
  transformation_id bigint, step integer, query_id bigint, looks_at integer, negated boolean
);

-- One row: a query that serves as a condition, and the bits it wants at its node; null if it is on the whole message.
create table if not exists condition_query (query_id bigint, want bigint);

-- One row: a transformation and its output template.
create table if not exists transformation_template (transformation_id bigint, template_id bigint);

-- One row: an output template, as JSON; transformations that differ only in their conditions share one.
create table if not exists output_template (template_id bigint, definition varchar);

-- One row: a path whose nodes an output template copies, below the base marked on it.
create table if not exists template_return (template_id bigint, linear_path_id bigint, brinfo_id bigint);

-- One row: a reason why a tuple of a block may be bound more than once: a path with predicates, from the step of its
-- base on, or (null path) several chains of steps.
create table if not exists block_repeat (transformation_id bigint, block integer, linear_path_id bigint, base integer);
