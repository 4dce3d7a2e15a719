"""Neighbour fuzzing: two tables that differ by one person go through every face, and must not be told apart beyond the claim."""
