-- Paths: the linear paths of subscriptions, the tag paths of messages, and their matches (Figures 3.4, 3.7, 3.8, 3.11).

-- One row: a distinct linear path, cut at its first and last double slash. The pieces are those of the paper (Figure
-- 3.4), for readers of the table; matching does not use them.
create table if not exists query_linear_path (
  linear_path varchar, id bigint, prefix varchar, postfix varchar, middle varchar
);

-- One row: a linear path and a use of its nodes (bits: 1 existence, 2 string value, 4 number, 8 copy).
create table if not exists linear_path_use (linear_path_id bigint, node_use integer);

-- One row: a linear path annotated with branching points, `bp#1=2&bp#2=3` (Figure 3.4).
create table if not exists linear_path_brinfo (
  linear_path varchar, linear_path_id bigint, brinfo varchar, brinfo_id bigint
);

-- One row: a tag path of a message that matches a linear path (Figure 3.7; inv_tagpath is the paper's, for readers).
create table if not exists tagpath_map (tagpath varchar, inv_tagpath varchar, tagpath_id bigint);

-- One row: a tag path and a linear path that it matches (Figure 3.8).
create table if not exists path_match (tagpath_id bigint, linear_path_id bigint);

-- One row: a tag path, an annotated linear path, and all position arrays of its branching points (Figure 3.11).
create table if not exists tagpath_brinfo (tagpath_id bigint, brinfo_id bigint, bp_position integer[][]);

-- One row: a value at a tag path, and how often it was seen; value and number null: all values not listed.
create table if not exists value_sample (tagpath_id bigint, value varchar, number double, seen bigint);
