"""An office from afar: the same questions and the same answers as of an open vault."""

from shoal.client.device_sign_in import sign_in
from shoal.client.remote_vault import RemoteVault, connect

__all__ = ["RemoteVault", "connect", "sign_in"]
