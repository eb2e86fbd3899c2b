"""Jobs: subscribe, publish, explain, and the batch job. They run plans on engines; they build no SQL."""
