-- Queries as the matching joins read them: the tables of Tian 2004, Figures 3.4 and 4.1, with predicates as keys.

-- One row: a query (a conjunction of predicates), stored once however many subscriptions share it.
create table if not exists stored_query (
  query_id bigint, query varchar, checked boolean,
  predicates struct(linear_path_id bigint, op varchar, value varchar, number double)[]
);

-- One row: a key and its predicate on a linear path: equality with a constant; existence; the greatest number (>) or
-- the least (<), to be compared with bounds; or, with a number, whether it reaches into a bucket (section 4.2).
create table if not exists predicate_key (key bigint, linear_path_id bigint, op varchar, value varchar, number double);

-- One row: a pair key, which holds where its two keys hold; it stands for two range predicates of a query.
create table if not exists predicate_pair (key bigint, first_key bigint, second_key bigint);

-- One row: the lower limit of a bucket of range constants, for a linear path and an operator (section 4.2).
create table if not exists predicate_bucket (linear_path_id bigint, op varchar, bound double);

-- One row: a query, its lookup key, and the keys of its most selective predicates side by side in slots (Figure 4.1).
-- A slot holds in a message in which its key has a value above its bound; unused slots have key 0, which always holds.
-- If not final, the query has more predicates: they are on the chain that starts at chain_id.
create table if not exists predicate_unroll (
  lookup_key bigint, query_id bigint, final boolean, chain_id bigint,
  key1 bigint, bound1 double, key2 bigint, bound2 double, key3 bigint, bound3 double, key4 bigint, bound4 double,
  key5 bigint, bound5 double, key6 bigint, bound6 double, key7 bigint, bound7 double, key8 bigint, bound8 double
);

-- One row: a subscription and the lookup key of its query; sorted by key, so that one lookup finds all of them.
create table if not exists lookup_subscription (
  lookup_key bigint, query_id bigint, call_no bigint, subscription_id varchar, stream varchar
);

-- One row: a predicate of a query that no key decides, like `contains()`; it is tested once all keys hold.
create table if not exists query_text (query_id bigint, linear_path_id bigint, op varchar, value varchar, number double);

-- One row: an edge of a chain: from pre_id, this predicate leads to chain_id, which is the query if final (Figure 3.4).
-- Equalities (stage 1) come before all other predicates (stage 2).
create table if not exists query_predicate (
  pre_id bigint, stage integer, key bigint, bound double,
  linear_path_id bigint, op varchar, value varchar, number double, chain_id bigint, final boolean
);

-- One row: a query whose branches must be checked together: its annotated linear paths (Figure 3.4), its shape for the
-- BrPred function, and the bits that must hold at the document.
create table if not exists query_branchpoint (query_id bigint, branchpoint_info bigint[], shape varchar, want bigint);

-- One row: a branch of such a query: where it starts (context), and what must hold at the branching points on its way.
create table if not exists query_branch (
  query_id bigint, branch integer, linear_path_id bigint, brinfo_id bigint, op varchar, value varchar, number double,
  first_only boolean, level integer, context integer, context_at integer, bit bigint,
  inner_at integer[], inner_points integer[], inner_wants bigint[]
);

-- One row: counts over the queries that one call added; a plan is chosen from the sum over all calls.
create table if not exists query_summary (
  queries bigint, predicates bigint, edges bigint, range_lookup bigint, long_queries bigint, slots_used bigint,
  levels bigint, inner_points bigint, alternatives bigint, texts bigint
);
