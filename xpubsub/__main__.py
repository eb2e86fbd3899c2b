"""`python -m xpubsub` is the command `xpubsub`."""

from xpubsub.cli import main

main()
