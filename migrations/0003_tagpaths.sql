-- What messages have shown: tag paths, their matches with linear paths (Figures 3.7, 3.8, 3.11), values seen.

-- One row: a tag path of some message that some linear path matches.
create table if not exists tagpath_map (tagpath varchar, inv_tagpath varchar, tagpath_id bigint);

-- One row: a tag path matches a linear path.
create table if not exists path_match (tagpath_id bigint, linear_path_id bigint);

-- One row: all position arrays of the branching points of an annotated linear path in a tag path.
create table if not exists tagpath_brinfo (tagpath_id bigint, brinfo_id bigint, bp_position integer[][]);

-- One row: a value was seen so often at a tag path; with value and number null, all values not listed.
create table if not exists value_sample (tagpath_id bigint, value varchar, number double, seen bigint);
