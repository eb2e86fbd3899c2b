"""Plans: which steps, in which order, for which kind of subscription; nothing here runs anything."""
