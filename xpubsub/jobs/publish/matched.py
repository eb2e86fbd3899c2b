"""The notifications of a batch, apart from the subscriptions whose queries raised an error in a message."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from xpubsub.rows import FAILED


class Matched(NamedTuple):
    """What matching has found."""

    notifications: pa.Table
    failed: pa.Table = FAILED.empty_table()
    """The pairs of message and subscription in which a query raised an error, each once."""

    @classmethod
    def of(cls, rows: pa.Table) -> Matched:
        """Tell notifications and failures apart, by the code; rows of a plan in which nothing can fail have none."""
        if "code" not in rows.column_names:
            return cls(rows)
        notifications = rows.drop_columns(["code", "reason"])
        if rows["code"].null_count == rows.num_rows:
            return cls(notifications)
        fine = rows["code"].is_null()
        failures = rows.filter(rows["code"].is_valid()).select(FAILED.names)
        grouped = failures.group_by(FAILED.names[:2]).aggregate([("code", "min"), ("reason", "min")])
        return cls(notifications.filter(fine), grouped.rename_columns(FAILED.names).cast(FAILED))
