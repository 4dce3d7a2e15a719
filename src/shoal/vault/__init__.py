"""The trusted curator: datasets, budgets, analysts, releases and their certificates, over
`ledger`.
"""

from shoal.vault.accounts.standing import Standing
from shoal.vault.dataset import Dataset
from shoal.vault.open_vault import open  # noqa: A004 - the word for it
from shoal.vault.releases import Release
from shoal.vault.vault import Vault

__all__ = ["Dataset", "Release", "Standing", "Vault", "open"]
