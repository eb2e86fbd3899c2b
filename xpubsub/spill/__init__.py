"""Structure-based spilling: which paths may be spilled, what that does to transformations, and which to choose."""

from xpubsub.spill.merging import merge

__all__ = ["merge"]
