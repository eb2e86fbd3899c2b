"""The `xpubsub` command and its subcommands."""

from __future__ import annotations

from xpubsub.cli.clock_command import clock
from xpubsub.cli.demo import demo
from xpubsub.cli.explain_command import explain
from xpubsub.cli.inspect_commands import gc, list_, show, stats
from xpubsub.cli.program import program
from xpubsub.cli.publish_command import publish
from xpubsub.cli.reference_command import reference
from xpubsub.cli.replay_command import replay
from xpubsub.cli.schema_command import schema
from xpubsub.cli.spill_commands import complete, merge_
from xpubsub.cli.store_commands import init, subscribe, unsubscribe
from xpubsub.cli.stream_command import stream

COMMANDS = (
    init, subscribe, unsubscribe, publish, complete, merge_, stream, replay, explain, list_, show, stats, clock, schema,
    reference, gc, demo,
)

for _command in COMMANDS:
    program.add_command(_command)


def main() -> None:
    """Run the command line and exit."""
    program(prog_name="xpubsub")
