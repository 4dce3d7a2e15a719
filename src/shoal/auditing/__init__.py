"""Tries to prove us wrong, from outside: `attacks` stages the classic ones, with and without Shoal in front."""
