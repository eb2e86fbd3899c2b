"""The `xpubsub` command and its subcommands."""

from __future__ import annotations

from xpubsub.cli.program import program


def main() -> None:
    """Run the command line and exit."""
    program(prog_name="xpubsub")
