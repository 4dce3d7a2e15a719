"""Text to plan, or an error that points at the word."""

from shoal.sql.questions import expression, outputs, question, relation

__all__ = ["expression", "outputs", "question", "relation"]
