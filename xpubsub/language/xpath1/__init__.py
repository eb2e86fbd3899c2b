"""All of XPath 1.0: its parser, what of it the core language can say, and what of it must hold."""
