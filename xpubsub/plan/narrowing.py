"""Steps that narrow large tables to the rows that a batch needs; an engine skips those of tables that it has at hand.

Most have the name of their table, which they hide from later steps. Which rows are needed depends on the batch: first
on its tag paths and values, then on the queries that its keys find.
"""

from __future__ import annotations

from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.listing import Listing, when
from xpubsub.plan.transform_case import TransformationCase
from xpubsub.step import Pipeline, Step, file_step, narrowed

BY_BATCH: Listing = (
    file_step("value_asked"),
    narrowed("path_match", "tagpath_id", "batch_tagpath"),
    file_step("predicate_key", narrows=True),
    when("positioned", narrowed("tagpath_brinfo", "tagpath_id", "batch_tagpath")),
    when("nodes_bound", narrowed("tagpath_map", "tagpath_id", "batch_tagpath")),
)
"""By the tag paths and values of the batch."""


def edge_held(case: FilterCase) -> Step:
    """Return the step to the edges of chains that hold in some message; chains are walked along these alone."""
    join, key = ("join key_class as k on k.key = p.key", "k.class_key") if case.classes else ("", "p.key")
    return file_step("edge_held", reused=True, classes=join, key=key)


def by_candidate(case: FilterCase) -> Pipeline:
    """Return the steps to the rows of queries that keys find, and to their visible subscriptions."""
    tables = (
        *(["query_text"] if case.texts else []),
        *(["condition_query"] if case.nodes_bound else []),
        *(["query_branch", "query_branchpoint"] if case.branches else []),
    )
    found = case.looked_up
    subscriber = file_step("subscriber", "checked" if case.checked else "", reused=True, tables={"candidate": found})
    return (*(narrowed(table, "query_id", found) for table in tables), file_step("gone"), subscriber)


def by_transformation(case: TransformationCase) -> Pipeline:
    """Return the steps to the rows of transformations that may bind a node, and to their visible subscriptions."""
    asked = file_step("transformation_asked", "" if case.conditions_shared else "path")
    tables = "transformation_step", "transformation_condition", "transformation_template", "block_repeat"
    narrow = (narrowed(table, "transformation_id", asked.name) for table in tables)
    return (asked, *narrow, file_step("transformation_subscriber", reused=True))
