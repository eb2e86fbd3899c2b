"""Schemas of messages: a DTD or an XML schema → an element graph, and what it says about paths."""
