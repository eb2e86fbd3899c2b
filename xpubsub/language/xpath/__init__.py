"""XPath 1.0: text → tokens → a small frozen tree → normal form → branches."""
