"""Messages and subscriptions to measure with: generated, seeded, sized."""
