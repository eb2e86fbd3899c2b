-- Outputs are shared: many transformations differ in their conditions only, and make the same of the same nodes.

-- One row: the template by which a transformation makes its output.
create table if not exists transformation_template (tid bigint, template_id bigint);

-- One row: a template, as JSON.
create table if not exists output_template (template_id bigint, definition varchar);

-- One row: a path whose nodes a template copies, below the base marked on it.
create table if not exists template_return (template_id bigint, linear_path_id bigint, brinfo_id bigint);

-- One row: why the same tuple of a block may be bound more than once: by a path with predicates on its way, from the step
-- of its base on, or (no path) by several chains of steps.
create table if not exists block_repeat (tid bigint, block integer, linear_path_id bigint, base integer);
