"""What jobs read back from relations, or hand to a function: small selections, by name."""

from __future__ import annotations

from xpubsub.step import Step

NOTIFICATIONS = Step("notifications", "select message_id, subscription_id, output from notification")
FOUND_TAGPATHS = Step("found", "select tagpath from tagpath_found")
TAGPATHS = Step("tagpaths", "select distinct tagpath from tagpath_map")
PATH_MATCHES = Step("path_matches", "select tagpath_id, linear_path_id from path_match")
DOCUMENT_PATH = Step("document_path", "select id from query_linear_path where linear_path = '/'")
ADDED = Step("added", "select count(*) as added from compiled_new")
WARNINGS = Step(
    "warnings",
    "select subscription_id, warning, count from compiled_warning order by row_no, warning is null, warning")
REMOVED = Step("removed", "select call_no, subscription_id from new_unsubscription")
REMOVED_KINDS = Step("removed_kinds", "select subscription_id, kind from new_unsubscription")
QUERIES = Step("query_to_arrange", "select sub_id, predicates from new_query")
BUCKETS = Step("buckets", "select * from known_bucket union all select * from new_bucket")
CONSTANTS = Step("constants", "select linear_path_id, op, constants, uses from query_constant")
COMMON = Step("common", "select linear_path_id, value, number, uses from common_constant")
SEEN_PATHS = Step("seen_paths", "select linear_path_id, tagpath_id from seen_path")
SUMMARIES = Step(
    "summaries",
    "select (select count(*) from query_summary) as summaries, (select count(*) from stored_query) as queries")
POSITION_ARRAYS = Step(
    "position_arrays",
    "select count(case when array_length(bp_position) = 1 then 1 end) as plain,"
    " count(case when array_length(bp_position) > 1 then 1 end) as recursive from tagpath_brinfo")
PLACES = Step("places", "select depth, max(place) as places from transformation_step group by depth")
DEFINITIONS = Step(
    "definitions",
    "select template_id, definition from output_template union all select t.tid as template_id, t.definition"
    " from transformation as t anti join transformation_template as m on m.tid = t.tid")
REPEATS = Step(
    "repeats",
    "select distinct r.linear_path_id, p.linear_path, r.base from block_repeat as r"
    " left join query_linear_path as p on p.id = r.linear_path_id union all"
    " select cast(null as bigint) as linear_path_id, cast(null as varchar) as linear_path, 0 as base"
    " from transformation as t anti join transformation_template as m on m.tid = t.tid")
RETURNS = Step(
    "returns",
    "select distinct r.brinfo_id, b.linear_path, b.brinfo from template_return as r"
    " join linear_path_brinfo as b on b.brinfo_id = r.brinfo_id")
TAGPATHS_BY_ID = Step("tagpaths_by_id", "select tagpath_id, tagpath from tagpath_map")
STRAYED = Step(
    "strayed", "select count(*) as strayed from batch_tagpath as b semi join stray as s on s.tagpath_id = b.tagpath_id")
CONDITION_BRANCHES = Step(
    "condition_branches",
    "select q.sub_id, c.want, l.linear_path, l.brinfo, q.op, q.value, q.number, q.first_only, q.context, q.bit,"
    " q.inner_points, q.inner_wants from query_branch as q join condition_query as c on c.sub_id = q.sub_id"
    " join linear_path_brinfo as l on l.brinfo_id = q.brinfo_id where c.want is not null")
LOOKS = Step("looks", "select tid, step, sub_id, looks_at, negated from transformation_condition")
PAIRS = Step("pairs", "select key, first_key, second_key from predicate_pair")
KEYS = Step("keys", "select count(*) as keys from predicate_key")
JOIN_TEMPLATES = Step(
    "join_templates",
    "select t.template_id, min(t.definition) as definition, coalesce(min(p.pairs), 0) as fewest_pairs"
    " from join_template as t join join_member as m on m.template_id = t.template_id left join"
    " (select cid, count(*) as pairs from (select distinct cid, var_left, var_right from join_pair where op = '=') as d"
    " group by cid) as p on p.cid = m.cid group by t.template_id order by t.template_id")
JOIN_QUERIES = Step("join_queries", "select template_id, cid from join_member order by cid")
JOIN_PLACES = Step("join_places", "select coalesce(max(place), 0) as places from join_hop")
JOIN_DEFINITIONS = Step(
    "join_definitions",
    "select t.template_id, t.definition from output_template as t"
    " semi join join_result as o on o.template_id = t.template_id")
LAST_DOCID = Step(
    "last_docid",
    "select coalesce(max(docid), 0) as docid from (select max(docid) as docid from rdoc_ts union all"
    " select max(docid) as docid from rbin union all select max(docid) as docid from rdoc union all"
    " select max(docid) as docid from rcopy union all select max(docid) as docid from rreturn union all"
    " select max(docid) as docid from rdoc_gone) as d")
LONGEST_REACH = Step(
    "longest_reach",
    "select max(q.reach) as reach from join_member as q semi join correlation_wanted as c on c.cid = q.cid")
LONGEST_FINITE_REACH = Step(
    "longest_finite_reach",
    "select max(q.reach) as reach from join_member as q semi join correlation_wanted as c on c.cid = q.cid"
    " where q.reach < 1e308")
PUBLISHED = Step(
    "published",
    "select publish, cid, docs, nodes, output, time from correlation_output where publish is not null"
    " order by last, time, cid, docs, nodes")
PUBLISHED_FROM = Step(
    "published_from",
    "select t.docid, t.message_id from rdoc_time as t semi join"
    " (select unnest(docs) as docid from correlation_output where publish is not null) as o on o.docid = t.docid")
CORRELATED_OUTPUTS = Step("correlated_outputs", "select distinct docs from correlation_output order by docs")
CORRELATED_FROM = Step(
    "correlated_from",
    "select docid, message_id, time from rdoc_time union select docid, message_id, time from rdoc_ts_w")


def whole(relation: str) -> Step:
    """All rows of a relation."""
    return Step(f"whole_{relation}", f"select * from {relation}")
