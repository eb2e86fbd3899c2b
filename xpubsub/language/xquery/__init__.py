"""XQuery as Saxon evaluates it: the structure of a query, its necessary condition, and the text that Saxon gets."""
