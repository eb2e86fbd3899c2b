"""Structure-based spilling: which paths may be spilled, what that does to transformations, and which to choose."""
