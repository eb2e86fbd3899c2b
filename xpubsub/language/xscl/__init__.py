"""Correlations (XSCL): text → a small frozen tree → patterns and join templates."""
