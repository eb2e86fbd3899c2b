"""Functions that steps call while matching: paths, BrPred, tree search. Runs no SQL."""
