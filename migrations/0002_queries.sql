-- Queries as the matching joins see them: the tables of Tian 2004, Figures 3.4 and 4.1, and what they leave out.

-- One row: a query (a conjunction of predicates), stored once however many subscriptions ask for it.
create table if not exists stored_query (
  sub_id bigint, query varchar, checked boolean,
  predicates struct(linear_path_id bigint, op varchar, value varchar, number double)[]
);

-- One row: a distinct linear path of any query, cut at the first and the last double slash (Figure 3.4).
create table if not exists query_linear_path (
  linear_path varchar, id bigint, prefix varchar, postfix varchar, middle varchar
);

-- One row: some query uses the nodes of a linear path so (bits: 1 existence, 2 string value, 4 number).
create table if not exists linear_path_use (linear_path_id bigint, node_use integer);

-- One row: a step of a chain: after pre_id, this predicate leads to chain_id, the query itself if final (Figure 3.4).
create table if not exists query_predicate (
  pre_id bigint, linear_path_id bigint, op varchar, value varchar, number double, chain_id bigint, final boolean
);

-- One row: a query with its most selective predicates side by side; unused slots repeat the first (Figure 4.1).
-- If not final, the chain that starts at chain_id holds the rest.
create table if not exists predicate_unroll (
  sub_id bigint, final boolean, chain_id bigint,
  path1 bigint, op1 varchar, value1 varchar, number1 double,
  path2 bigint, op2 varchar, value2 varchar, number2 double,
  path3 bigint, op3 varchar, value3 varchar, number3 double,
  path4 bigint, op4 varchar, value4 varchar, number4 double,
  path5 bigint, op5 varchar, value5 varchar, number5 double,
  path6 bigint, op6 varchar, value6 varchar, number6 double,
  path7 bigint, op7 varchar, value7 varchar, number7 double,
  path8 bigint, op8 varchar, value8 varchar, number8 double
);

-- One row: a limit between two buckets of the constants that a linear path is compared with (section 4.2).
create table if not exists predicate_bucket (linear_path_id bigint, op varchar, bound double);

-- One row: a linear path annotated with branching points, `bp#1=2&bp#2=3` (Figure 3.4).
create table if not exists linear_path_brinfo (
  linear_path varchar, linear_path_id bigint, brinfo varchar, brinfo_id bigint
);

-- One row: a query whose branches have to be checked together, with its annotated linear paths (Figure 3.4),
-- its shape for the BrPred function and the bits that must hold at the document.
create table if not exists query_branchpoint (sub_id bigint, branchpoint_info bigint[], shape varchar, want bigint);

-- One row: a branch of such a query, where it hangs (context), and what must hold in the points it runs through.
create table if not exists query_branch (
  sub_id bigint, branch integer, linear_path_id bigint, brinfo_id bigint, op varchar, value varchar, number double,
  first_only boolean, level integer, context integer, context_at integer, bit bigint,
  inner_at integer[], inner_points integer[], inner_wants bigint[]
);
