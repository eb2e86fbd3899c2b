"""Reads DTDs and XML schemas into an element graph, and tells what the graph implies for paths."""
