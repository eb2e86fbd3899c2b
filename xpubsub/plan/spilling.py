"""Steps for messages of which elements are spilled: what that touches, which files hold them."""

from __future__ import annotations

from xpubsub.plan.listing import Listing
from xpubsub.step import file_step

WHILE_SPILLING, AFTER_SPILLING = "reduced", "completed"
"""The two runs of a plan over spilled messages: without their spilled elements, and later with them."""

TOUCHED_MATCHES: Listing = (
    file_step("query_path"),
    file_step("touched_match", reused=True),
)
"""The queries that match and that what is missing may decide otherwise."""

AFFECTED_BLOCKS: Listing = (
    file_step("condition_asked"),
    file_step("query_path", suffix="_condition", tables={"matched": "condition_asked"}),
    file_step("spilled_block"),
)
"""The blocks of transformations that what is missing affects."""

CORRELATED_PATHS = file_step("correlated_path")
"""The paths that correlations need."""
CALIBRATING_JOIN = file_step("calibrating_join")
"""A structural join whose time is measured."""
NUMBERED_PARTS = file_step("numbered_part")
"""The notifications in `part_found`, with the numbers in `spilled_number` instead of marks."""
PENDING_FILES, NEXT_UNIT = file_step("pending_file"), file_step("next_unit")
NEW_SPILLED_FILE = ("spilled_file", file_step("new_spilled_file"))
"""Lists the file in `spilled_batch`."""
NEW_COMPLETED_FILE = ("completed_file", file_step("new_completed_file"))
"""Lists the file in `completing_file` as completed."""
