"""Patterns of the whole language at random, and texts that nearly match them."""

from __future__ import annotations

from random import Random

_SINGLE = [
    "a", "b", "[Kk]", "[sS]", "K", "-", "é", "日", "🤦", ".", r"\d", r"\w", r"\W", r"\s", r"\S", r"\.", r"\x41", r"\x{e9}", "[ab]",
    "[^a]", "[a-c0-3]", "[^\\w]", "[]a]", "[a-]", "[[:upper:]]", "[[:^space:]]", r"\t", "[^a-z\\n]", r"[\]^]",
]  # fmt: skip
_PLACES = ["^", "$", r"\b", r"\A", r"\z"]
_TIMES = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}", "*?", "+?", "??"]
LETTERS = "aabbcABkKsS-_ .é日🤦\n\t\r013]^\u2028\u00a0\x0b\u212a\u017f"


def random_pattern(chance: Random, depth: int = 3) -> str:
    """A pattern of the language."""
    shape = chance.randrange(10)
    if depth == 0 or shape < 2:
        return chance.choice(_SINGLE)
    if shape == 2:
        return chance.choice(_PLACES)
    if shape < 6:
        count = chance.randrange(1, 4)
        return "".join(random_pattern(chance, depth - 1) for _ in range(count))
    inner = random_pattern(chance, depth - 1)
    if shape < 8 or inner in _PLACES:
        other = random_pattern(chance, depth - 1)
        return f"({chance.choice(['', '?:'])}{inner}|{chance.choice([other, ''])})"
    return f"(?:{inner}){chance.choice(_TIMES)}"


def random_text(chance: Random, most: int = 8) -> str:
    """A short text of characters that patterns name, and of some that engines disagree about."""
    return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(most + 1)))
