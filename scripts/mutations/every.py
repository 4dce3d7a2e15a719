"""All mutations."""

from __future__ import annotations

from scripts.mutations.data import DATA
from scripts.mutations.faces import FACES
from scripts.mutations.ledgers import LEDGERS
from scripts.mutations.mutation import Mutation
from scripts.mutations.numbers import NUMBERS
from scripts.mutations.practice import PRACTICE
from scripts.mutations.privacy import PRIVACY
from scripts.mutations.vaults import VAULTS

MUTATIONS: tuple[Mutation, ...] = (*NUMBERS, *PRIVACY, *DATA, *VAULTS, *LEDGERS, *PRACTICE, *FACES)
