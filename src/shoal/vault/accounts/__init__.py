"""Who pays for a question in a vault, and how the accounts of a dataset stand."""
