"""What xpubsub is measured beside: the least that could do the same, and what one would write without it."""
