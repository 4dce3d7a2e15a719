"""What an error tells a Python programmer to write, as it is typed on a command line."""

from __future__ import annotations

import re

_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"relation='change'", "--relation change"),
    (r"Write release\((\w+)=([^)]+)\)\.", r"Give --\1 \2."),
    (r"Ask with (epsilon|rho)=", r"Ask with --\1 "),
    (r"State Choices for the keys, or give a budget such as shoal\.Approx\([^)]*\)\.", "State --choices for the keys, or add the dataset with a budget such as 1,1e-6."),
    (r"vault\.grant\('([^']+)', '([^']+)', [^)]+\)\)", r"shoal grant \1 \2 --budget 1"),
    (r"Give budget=shoal\.Approx\([^)]*\), or shoal\.Pure\(1\)\.", "Give --budget 3,1e-7, or --budget 1."),
    (r"Give rows=,", "Give --rows,"),
    (r"or column= for", "or --column for"),
    (r"vault\.update\('([^']+)', relation='same people'\), or ", ""),
    (r", or shoal\.open\('[^']*'\)", ""),
    (r"vault\.log\(\), ", ""),
    (r"relation='(same people|new people|all people|same rows)'", r"--relation '\1'"),
    (r"shoal\.Pure\(([^)]*)\)", r"--budget \1"),
    (r"shoal\.Person\('(\w+)'\)", r"--person \1"),
    (r"sql\(text, intervals='([^']+)'\)", r"--intervals \1"),
)  # fmt: skip


def as_typed(words: str) -> str:
    """An error in the words of the command line.

    >>> as_typed("Ask with epsilon=0.48, which fits.")
    'Ask with --epsilon 0.48, which fits.'
    """
    for pattern, instead in _SPELLINGS:
        words = re.sub(pattern, instead, words)
    return words
