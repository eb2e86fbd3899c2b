-- Transformations whose results are computed: the nodes whose values and names their programs read.

-- One row: a linear path whose nodes' values an output template reads; named, whether it reads their names too.
create table if not exists template_value (template_id bigint, linear_path_id bigint, named boolean);
