"""Names of new people: text that reads as what it is, and is like no other name of the vault.

The check is for those who are added.  People of older vaults keep the names that they have.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from shoal.errors import VaultError
from shoal.vault.accounts.payer import CURATOR

LONGEST_NAME = 100
_SIGNS = "_.-"
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"
"""Letters of Unicode that show nothing."""
_ALIKE = ("LATIN", "CYRILLIC", "GREEK")
"""Alphabets whose letters look the same; one name has letters of one of them."""


def person_name(name: object, known: Iterable[str]) -> str:
    """The name of somebody, in the form that the journal keeps; ``known`` are those there are.

    Edges: a name that is all of one alphabet may look like one of another; it is not refused.
    """
    others = set(known)
    if isinstance(name, str) and name in others:
        return name
    made = _normal(name) if isinstance(name, str) and len(name) <= LONGEST_NAME else ""
    if made in others:
        return made
    if not _is_plain(made):
        raise VaultError(
            f"a person's name has 1 to {LONGEST_NAME} letters of one alphabet, digits and any of _ . -, and no dot at its ends.",
            remedy="Give 'ana' or 'ana.lopez'.",
        )
    if made.casefold() in {_normal(each).casefold() for each in (*others, CURATOR)}:
        raise VaultError("this name is too like another one.", remedy="Give another name.")
    return made


def _normal(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _is_plain(name: str) -> bool:
    if not 1 <= len(name) <= LONGEST_NAME or name[0] == "." or name[-1] == ".":
        return False
    if not all((each.isalnum() and each not in _BLANK_LETTERS) or each in _SIGNS for each in name):
        return False
    alphabets = {unicodedata.name(each, "").split(" ")[0] for each in name if each.isalpha()}
    return len(alphabets.intersection(_ALIKE)) <= 1
