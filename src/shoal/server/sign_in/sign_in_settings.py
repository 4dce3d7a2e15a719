"""How people sign in beside tokens, as a file says that `shoal serve --sign-in FILE` is given."""

from __future__ import annotations

import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.errors import SchemaError, ShoalError
from shoal.server.address import is_loopback
from shoal.vault import Vault
from shoal.vault.people.identities import GroupRole

_LONGEST = 4096


@dataclass(frozen=True)
class OpenIdSettings:
    """The organisation's provider, and what it calls things."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    name: str = "preferred_username"
    groups: str = "groups"
    scope: str = "openid profile"


@dataclass(frozen=True)
class ForwardedSettings:
    """A proxy that knows who a person is, and the secret by which it is known itself."""

    header: str
    secret: str = field(repr=False)
    secret_header: str = "X-Shoal-Proxy"  # noqa: S105 - a name, and no secret


@dataclass(frozen=True)
class SignInSettings:
    """Ways to sign in beside tokens; without any there are tokens alone."""

    openid: OpenIdSettings | None = None
    forwarded: ForwardedSettings | None = None
    roles: tuple[GroupRole, ...] = ()


def read_settings(path: Path, vault: Vault) -> SignInSettings:
    """The settings in a TOML file, checked against the vault."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _wrong(f"{path.name!r} cannot be read as TOML") from None
    _only(said, {"openid", "forwarded", "roles"}, "the file")
    openid, forwarded = said.get("openid"), said.get("forwarded")
    roles = said.get("roles", [])
    if not isinstance(roles, list) or (roles and openid is None):
        raise _wrong("roles are given to groups, as [[roles]], and groups come with [openid]")
    return SignInSettings(
        None if openid is None else _openid(openid, path.parent),
        None if forwarded is None else _forwarded(forwarded, path.parent),
        tuple(_role(each).check(vault) for each in roles),
    )


def checked_address(address: Any, what: str) -> str:
    """An address that secrets may be sent to: by TLS, or on this machine."""
    parts = urlsplit(address) if isinstance(address, str) else urlsplit("")
    plain = parts.scheme == "http" and is_loopback(parts.hostname or "")
    if not parts.hostname or "@" in parts.netloc or not (parts.scheme == "https" or plain):
        raise _wrong(f"{what} must be an address with https://")
    return str(address)


def _openid(said: Any, folder: Path) -> OpenIdSettings:
    _only(said, {"issuer", "client_id", "client_secret_file", "name", "groups", "scope"}, "openid")
    texts = {
        name: _text(said[name], f"openid.{name}") for name in said if name != "client_secret_file"
    }
    missing = {"issuer", "client_id"} - set(texts)
    if missing:
        raise _wrong(f"openid needs {' and '.join(sorted(missing))}")
    checked_address(texts["issuer"], "openid.issuer")
    secret = said.get("client_secret_file")
    return OpenIdSettings(
        **texts, client_secret=None if secret is None else _secret(secret, folder)
    )


def _forwarded(said: Any, folder: Path) -> ForwardedSettings:
    _only(said, {"header", "secret_file", "secret_header"}, "forwarded")
    if not {"header", "secret_file"} <= set(said):
        raise _wrong(
            "forwarded needs a header and a secret_file: whoever reaches this server without the proxy could send the header, too"
        )
    secret = _secret(said["secret_file"], folder)
    if len(secret) < 32:
        raise _wrong("the secret of the proxy must have 32 characters or more")
    texts = {name: _text(said[name], f"forwarded.{name}") for name in said if name != "secret_file"}
    return ForwardedSettings(**texts, secret=secret)


def _role(said: Any) -> GroupRole:
    _only(said, {"group", "role", "dataset", "allowance"}, "roles")
    if not {"group", "role"} <= set(said):
        raise _wrong("each of roles needs a group and a role")
    return GroupRole(**{name: _text(value, f"roles.{name}") for name, value in said.items()})


def _secret(name: Any, folder: Path) -> str:
    """A secret in a file that others on this machine cannot read."""
    path = folder / _text(name, "the file of a secret")
    try:
        if sys.platform != "win32" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _wrong(f"{path.name!r} can be read by others on this machine; chmod 600 it")
        found = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise _wrong(f"the secret in {path.name!r} cannot be read") from None
    if not found:
        raise _wrong(f"{path.name!r} is empty")
    return found


def _only(said: Any, known: set[str], where: str) -> None:
    if not isinstance(said, Mapping) or set(said) - known:
        raise _wrong(f"{where} has {', '.join(sorted(known))} and nothing else")


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST or not value.isprintable():
        raise _wrong(f"{what} must be a text")
    return value


def _wrong(problem: str) -> ShoalError:
    return SchemaError(
        f"the settings of the sign-in are wrong: {problem}.",
        remedy="See docs/office.md, *Your organisation's sign-in*.",
    )
