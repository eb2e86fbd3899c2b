"""The streaming job: reads messages from a source as they come, and delivers each batch's results exactly once."""
