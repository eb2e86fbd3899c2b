"""The parts of a run: each measures one workload and yields rows as it goes."""
