"""Adds reference data to one message, as attributes, for explanations."""

from __future__ import annotations

import pyarrow as pa
from lxml import etree

from xpubsub.jobs.reference.tables import load_keys
from xpubsub.match.filter_checks import parsed_source
from xpubsub.match.keys import KeyPaths
from xpubsub.match.referred import ReferredValues, key_values
from xpubsub.rows import REFERENCE_PLACE, table_of
from xpubsub.shred.encodings import in_utf_8
from xpubsub.shred.reading import Refused
from xpubsub.step import file_step
from xpubsub.store.store import Store


def referred_message(store: Store, xml: str | bytes) -> str | bytes:
    """Return a message with the columns that subscriptions name; one that cannot be read comes back as it is."""
    keys = load_keys(store) if isinstance(xml, str | bytes) else None
    if keys is None:
        return xml
    try:
        tree = parsed_source(in_utf_8(xml))
    except (etree.XMLSyntaxError, Refused):
        return xml
    if tree is None:
        return xml
    ReferredValues(keys.paths, _values(store, keys, tree)).enrich(tree)
    return str(etree.tostring(tree, encoding="unicode"))


def _values(store: Store, keys: KeyPaths, tree: etree._ElementTree) -> dict[int, dict[str, dict[str, str]]]:
    """Look up the keys in a message."""
    columns = [(number, path.call_no, column) for number, path in enumerate(keys.paths) for column in path.columns]
    asked = [(number, value) for number, path in enumerate(keys.paths) for value in key_values(path, tree)]
    numbers, paths = pa.array(range(len(asked)), pa.int64()), pa.array([each[0] for each in asked], pa.int64())
    texts = pa.array([each[1] for each in asked], pa.string())
    given = pa.table({"row_no": numbers, "tagpath_id": paths, "value": texts})
    with store.engine.pipeline():
        places = [(*each, at) for at, each in enumerate(columns)]
        store.engine.load("reference_place", table_of(places, REFERENCE_PLACE))
        store.engine.load("reference_key", given)
        rows = store.rows(file_step("reference_attribute"))
    found: dict[int, dict[str, dict[str, str]]] = {}
    for row in rows:
        _, call_no, column = columns[row["place"]]
        found.setdefault(call_no, {}).setdefault(asked[row["row_no"]][1], {})[column] = row["value"]
    return found
