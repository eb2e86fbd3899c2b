"""Garbage collection: which rows of each table visible subscriptions still need."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step, none_of, whole
from xpubsub.store.store import Store

LIVE: Pipeline = (
    file_step("visible_schema", reused=True),
    file_step("visible_reference", reused=True),
    file_step("live_query", reused=True),
    file_step("live_check"),
    file_step("live_transformation", reused=True),
    file_step("live_correlation", reused=True),
    file_step("live_variable"),
    file_step("live_witness", reused=True),
    file_step("live_template", reused=True),
    file_step("live_path_use", reused=True),
    file_step("live_path", reused=True),
    file_step("live_brinfo", reused=True),
    file_step("live_tagpath", reused=True),
    file_step("new_query", "kept", reused=True),
)
"""Relations of live things, from subscriptions down to tag paths."""


def _kept(table: str, live: str, key: str, own_key: str | None = None) -> Step:
    sql = f"select t.* from {table} as t semi join {live} as l on l.{key} = t.{own_key or key}"
    return Step(f"gc_{table}", f"-- One row: a row of {table} that is still needed.\n{sql}")


def _visible(table: str) -> Step:
    sql = f"select t.* from {table} as t semi join visible as v on v.subscription_id = t.subscription_id"
    return Step(f"gc_{table}", f"-- One row: a row of {table} that is visible.\n{sql} and v.call_no = t.call_no")


STATE: dict[str, Step] = {
    "rbin": whole("live_witness"),
    "rdoc": file_step("gc_rdoc"),
    "rcopy": _kept("rcopy", "live_witness", "docid"),
    "rreturn": _kept("rreturn", "live_witness", "docid"),
    "rdoc_ts": _kept("rdoc_ts", "live_witness", "docid"),
    "gone_message": none_of("gone_message"),
    "stream_clock": file_step("gc_stream_clock"),
}
"""For each table of correlation state, the rows to keep."""

KEPT: dict[str, Step] = {
    "subscription": _visible("subscription"),
    "subscription_query": _visible("subscription_query"),
    "subscription_delay": _visible("subscription_delay"),
    "subscription_check": _visible("subscription_check"),
    "subscription_variables": _visible("subscription_variables"),
    "query_check": _kept("query_check", "live_check", "check_id"),
    "check_cost": file_step("gc_check_cost"),
    "subscription_whole": _visible("subscription_whole"),
    "subscription_weights": _visible("subscription_weights"),
    "spilled_file": file_step("gc_spilled_file"),
    "completed_file": file_step("gc_completed_file"),
    "unsubscription": none_of("unsubscription"),
    "completed_call": file_step("gc_completed_call"),
    "message_schema": file_step("gc_message_schema"),
    "reference_table": file_step("kept_reference_table"),
    "reference_value": file_step("kept_reference_value"),
    "stored_query": whole("new_query"),
    "predicate_unroll": file_step("gc_predicate_unroll"),
    "lookup_subscription": file_step("gc_lookup_subscription"),
    "query_text": whole("arranged_text"),
    "predicate_key": file_step("gc_predicate_key"),
    "predicate_pair": file_step("gc_predicate_pair"),
    "predicate_bucket": whole("new_bucket"),
    "transformation": _kept("transformation", "live_transformation", "transformation_id"),
    "transformation_step": _kept("transformation_step", "live_transformation", "transformation_id"),
    "transformation_condition": _kept("transformation_condition", "live_transformation", "transformation_id"),
    "transformation_template": _kept("transformation_template", "live_transformation", "transformation_id"),
    "output_template": _kept("output_template", "live_template", "template_id"),
    "template_return": _kept("template_return", "live_template", "template_id"),
    "template_value": _kept("template_value", "live_template", "template_id"),
    "block_repeat": _kept("block_repeat", "live_transformation", "transformation_id"),
    "condition_query": _kept("condition_query", "live_query", "query_id"),
    "subscription_transformation": _visible("subscription_transformation"),
    "correlation": _kept("correlation", "live_correlation", "correlation_id"),
    "subscription_correlation": _visible("subscription_correlation"),
    "join_copy": _kept("join_copy", "live_correlation", "correlation_id"),
    "join_edge": _kept("join_edge", "live_correlation", "correlation_id"),
    "join_pair": _kept("join_pair", "live_correlation", "correlation_id"),
    "join_hop": _kept("join_hop", "live_correlation", "correlation_id"),
    "join_member": _kept("join_member", "live_correlation", "correlation_id"),
    "join_result": _kept("join_result", "live_correlation", "correlation_id"),
    "join_template": file_step("gc_join_template"),
    "join_part": _kept("join_part", "live_template", "template_id"),
    "variable_condition": _kept("variable_condition", "live_variable", "var"),
    **STATE,
    "query_branch": _kept("query_branch", "live_query", "query_id"),
    "query_branchpoint": _kept("query_branchpoint", "live_query", "query_id"),
    "query_linear_path": _kept("query_linear_path", "live_path", "linear_path_id", "id"),
    "linear_path_use": _kept("linear_path_use", "live_path", "linear_path_id"),
    "linear_path_brinfo": _kept("linear_path_brinfo", "live_brinfo", "brinfo_id"),
    "path_match": _kept("path_match", "live_path", "linear_path_id"),
    "tagpath_brinfo": _kept("tagpath_brinfo", "live_brinfo", "brinfo_id"),
    "tagpath_map": _kept("tagpath_map", "live_tagpath", "tagpath_id"),
    "value_sample": file_step("gc_value_sample"),
}
"""For each table, the rows to keep; predicates are arranged again, by the values seen since."""

DERIVED = ("query_predicate", "query_summary")
"""Tables that are computed again from the queries to keep."""


def row_counts(store: Store) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = (*KEPT, *DERIVED)
    counts = " union all ".join(f"select '{table}' as name, count(*) as amount from {table}" for table in tables)
    return {row["name"]: int(row["amount"]) for row in store.rows(Step("row_counts", counts))}
