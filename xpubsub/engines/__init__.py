"""Engines run steps: connect, load Arrow, run SQL, fetch Arrow, register a UDF. They know no step by name."""
