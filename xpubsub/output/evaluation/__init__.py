"""Runs the programs of transformations: expressions over the nodes of a message, their values and names."""
