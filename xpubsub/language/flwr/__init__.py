"""FLWR expressions of XQuery: text → a small frozen tree → blocks of variables."""
