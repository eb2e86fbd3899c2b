"""The control socket: other processes read and change the subscriptions of a store that a job has open."""
