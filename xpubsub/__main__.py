"""Run the command `xpubsub` as `python -m xpubsub`."""

from xpubsub.cli import main

main()
