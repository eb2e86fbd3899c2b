"""What each call of the broker does: subscribe, publish, explain. Jobs run plans on engines; they build no SQL."""
