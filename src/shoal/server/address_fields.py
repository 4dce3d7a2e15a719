"""Fields of an address, each of a bounded length."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

Short = Annotated[str, Query(max_length=64)]
"""A number, a word or a key."""
Name = Annotated[str, Query(max_length=400)]
"""The name of a question."""
