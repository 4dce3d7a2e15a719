"""An office from afar: the same questions and the same answers as of an open vault."""

from shoal.client.remote_vault import RemoteVault, connect

__all__ = ["RemoteVault", "connect"]
