"""Neighbour fuzzing: two tables that differ by one person go through every face, and nobody may
tell them apart better than is claimed.
"""
