"""Functions that steps call while matching: path matching, BrPred, tree search. Runs no SQL."""
