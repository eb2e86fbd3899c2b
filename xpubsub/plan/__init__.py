"""Plans: which steps run, in which order, for each kind of subscription. Nothing here runs them."""
