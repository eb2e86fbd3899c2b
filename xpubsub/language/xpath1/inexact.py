"""What the core language cannot say exactly."""

from __future__ import annotations


class Inexact(Exception):
    """The core language cannot say exactly what an expression says."""
