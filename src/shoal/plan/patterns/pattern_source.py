"""The text of a pattern and how far it was read."""

from __future__ import annotations

from shoal.errors import ExpressionError

_SHOWN = 60


class PatternSource:
    """Gives the characters of a pattern one by one, and errors that name the place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def more(self) -> bool:
        return self.at < len(self.text)

    @property
    def next(self) -> str:
        return self.text[self.at]

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    def skip(self, count: int) -> None:
        self.at += count

    def get(self) -> str:
        """The next character, which is read by that."""
        if not self.more:
            raise self.wrong("the pattern ends too early", "Complete it.")
        self.at += 1
        return self.text[self.at - 1]

    def take(self, sign: str) -> bool:
        """Read a sign if it stands next."""
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def wrong(self, problem: str, remedy: str, shift: int = 0) -> ExpressionError:
        """What is wrong at this place, or ``shift`` characters from it."""
        place = max(0, min(self.at + shift, len(self.text)))
        near = self.text[max(0, place - _SHOWN // 2) : place + _SHOWN // 2]
        return ExpressionError(
            f"the pattern cannot be read at its character {place + 1}, in {near!r}: {problem}.",
            remedy=remedy,
        )
