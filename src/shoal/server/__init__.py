"""HTTP over the floors below; it decides nothing."""
