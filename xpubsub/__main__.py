"""`python -m xpubsub` and the command `xpubsub`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit; Ctrl-C ends it without a traceback, also while it starts."""
    try:
        from xpubsub.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
