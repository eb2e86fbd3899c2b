#!/usr/bin/env bash
# Make a virtual environment at $1 with the first Python on PATH that is new enough; $PYTHON overrides.
set -euo pipefail

new_enough() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
    if new_enough "$python"; then
        exec "$python" -m venv "$1"
    fi
done
echo "xpubsub needs Python 3.11 or later with the venv module (on Debian: apt-get install python3 python3-venv)" >&2
exit 1
