"""The people of a vault: their roles, their tokens, and what each of them may do."""
