"""Parses the subscription languages: text → tokens → a small frozen tree → normal form. No SQL, no engine."""
