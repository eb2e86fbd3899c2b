"""Publishing a document of any length unit by unit, while it is read."""
