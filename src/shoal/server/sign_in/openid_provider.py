"""The organisation's provider of OpenID Connect: where it is, what it signs with, and whom it
vouches for.  Authlib speaks to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from shoal.errors import OfficeError, TokenError
from shoal.server.sign_in.sign_in_settings import OpenIdSettings, checked_address

_SECONDS = 10.0
_MOST_BYTES = 1 << 20
_MOST_GROUPS = 1000
_FRESH = 3600.0
"""So long what the provider says of itself is believed, in seconds."""
_AGAIN = 30.0
"""So often its keys are asked for again when a signature is by another one."""
_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
_DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Vouched:
    """Somebody the provider vouches for."""

    issuer: str
    subject: str
    name: str
    groups: tuple[str, ...]


class NotYetError(Exception):
    """Nobody has confirmed the code of a device yet; ``slower`` if it was asked for too often."""

    def __init__(self, *, slower: bool) -> None:
        super().__init__()
        self.slower = slower


class OpenIdProvider:
    """One provider; threads share it.

    Guarantee: nobody is vouched for but by a token that this issuer signed, for this client, that
        has not expired and, in a browser, answers the request that the same browser began.
    Needs: an issuer reached by TLS, or on this machine.
    """

    def __init__(self, settings: OpenIdSettings) -> None:
        self.settings = settings
        self._lock = Lock()
        self._said: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, Any] | None = None

    # a browser

    def place(self, *, back: str, state: str, nonce: str, verifier: str) -> str:
        """Where a browser goes to sign in; it comes back with a code."""
        with self._client(back) as client:
            url, _ = client.create_authorization_url(
                self._endpoint("authorization_endpoint"),
                state=state,
                nonce=nonce,
                code_verifier=verifier,
            )
        found: str = url
        return found

    def by_code(self, code: str, *, back: str, nonce: str, verifier: str) -> Vouched:
        """Whom a code stands for."""

        def fetched() -> Any:
            with self._client(back) as client:
                return client.fetch_token(
                    self._endpoint("token_endpoint"),
                    code=code,
                    code_verifier=verifier,
                    timeout=_SECONDS,
                    allow_redirects=False,
                )

        return self._vouched(self._asked(fetched), nonce)

    # a command

    def begin_device(self) -> dict[str, Any]:
        """A code for somebody to confirm in a browser of their own."""
        place = self._endpoint("device_authorization_endpoint")
        said = self._posted(place, {"scope": self.settings.scope})
        if not {"device_code", "user_code", "verification_uri", "expires_in"} <= set(said):
            raise _unclear()
        return said

    def by_device(self, device_code: str) -> Vouched:
        """Who confirmed a code; `NotYetError` while nobody has."""
        said = self._posted(
            self._endpoint("token_endpoint"),
            {"grant_type": _DEVICE, "device_code": device_code},
        )
        wrong = said.get("error")
        if wrong in ("authorization_pending", "slow_down"):
            raise NotYetError(slower=wrong == "slow_down")
        return self._vouched(said, None)

    # what it signs

    def _vouched(self, told: Mapping[str, Any], nonce: str | None) -> Vouched:
        from authlib.oidc.core import CodeIDToken  # noqa: PLC0415 - an extra
        from joserfc import errors, jwt  # noqa: PLC0415 - as above

        shown = told.get("id_token")
        if not isinstance(shown, str):
            raise _nobody()
        params = {
            "client_id": self.settings.client_id,
            "nonce": nonce,
            "access_token": told.get("access_token"),
        }
        wanted = {
            "iss": {"essential": True, "value": self.settings.issuer},
            "aud": {"essential": True, "value": self.settings.client_id},
        }
        try:
            token = self._with_keys(lambda keys: jwt.decode(shown, keys, algorithms=_ALGORITHMS))
            claims = CodeIDToken(token.claims, token.header, wanted, params)
            claims.validate(leeway=60)
        except (errors.JoseError, ValueError, TypeError, KeyError):
            raise _nobody() from None
        return self._person({**dict(claims), **self._more(told, claims)})

    def _more(self, told: Mapping[str, Any], claims: Mapping[str, Any]) -> dict[str, Any]:
        """What the provider tells of a person beside its token, where that lacks something."""
        wanted = {self.settings.name, self.settings.groups} - set(claims)
        if not wanted or "userinfo_endpoint" not in self._metadata():
            return {}
        headers = {"Authorization": f"Bearer {told.get('access_token')}"}
        said = self._got(self._endpoint("userinfo_endpoint"), headers)
        if said.get("sub") != claims["sub"]:
            raise _nobody()
        return {name: said[name] for name in wanted if name in said}

    def _person(self, claims: Mapping[str, Any]) -> Vouched:
        name, groups = claims.get(self.settings.name), claims.get(self.settings.groups, [])
        named = isinstance(name, str) and isinstance(claims.get("sub"), str) and claims["sub"]
        listed = isinstance(groups, list) and len(groups) <= _MOST_GROUPS
        if not named or not listed or not all(isinstance(each, str) for each in groups):
            raise OfficeError(
                f"your organisation does not tell {self.settings.name!r} as a text and {self.settings.groups!r} as a list of texts.",
                remedy="Let whoever runs this server name the claims that it does tell, in the settings of the sign-in.",
            )
        return Vouched(self.settings.issuer, str(claims["sub"]), str(name), tuple(groups))

    def _with_keys(self, use: Callable[[Any], _Found]) -> _Found:
        """Use the provider's keys; if none fits, ask once more: it may have new ones."""
        from joserfc import errors  # noqa: PLC0415 - an extra

        try:
            return use(self._key_set(_FRESH))
        except (errors.JoseError, ValueError):
            return use(self._key_set(_AGAIN))

    def _key_set(self, longest: float) -> Any:
        from joserfc.jwk import KeySet  # noqa: PLC0415 - an extra

        with self._lock:
            held = self._keys
        if held is None or monotonic() - held[0] > longest:
            said = self._got(self._endpoint("jwks_uri"), {})
            held = monotonic(), KeySet.import_key_set(said)  # type: ignore[arg-type]
            with self._lock:
                self._keys = held
        return held[1]

    # asking it

    def _metadata(self) -> dict[str, Any]:
        with self._lock:
            held = self._said
        if held is None or monotonic() - held[0] > _FRESH:
            place = f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
            said = self._got(place, {})
            if said.get("issuer") != self.settings.issuer:
                raise _unclear()
            held = monotonic(), said
            with self._lock:
                self._said = held
        return held[1]

    def _endpoint(self, name: str) -> str:
        found = self._metadata().get(name)
        if found is None:
            raise OfficeError(
                f"your organisation's sign-in has no {name}.", remedy="Sign in with a token."
            )
        return checked_address(found, name)

    def _client(self, back: str) -> Any:
        from authlib.integrations.requests_client import OAuth2Session  # noqa: PLC0415 - an extra

        made = OAuth2Session(
            self.settings.client_id,
            self.settings.client_secret,
            scope=self.settings.scope,
            redirect_uri=back,
            code_challenge_method="S256",
            token_endpoint_auth_method=(
                "none" if self.settings.client_secret is None else "client_secret_basic"
            ),
        )
        made.trust_env = False
        return made

    def _posted(self, place: str, fields: Mapping[str, str]) -> dict[str, Any]:
        secret = self.settings.client_secret
        identified = {**fields, "client_id": self.settings.client_id}
        signed = None if secret is None else (self.settings.client_id, secret)
        return self._read(self._sent("POST", place, data=identified, auth=signed))

    def _got(self, place: str, headers: Mapping[str, str]) -> dict[str, Any]:
        found = self._sent("GET", place, headers=dict(headers))
        if found.status_code != 200:
            raise _unclear()
        return self._read(found)

    def _sent(self, method: str, place: str, **more: Any) -> Any:
        import requests  # noqa: PLC0415 - an extra

        def sent() -> Any:
            with requests.Session() as session:
                session.trust_env = False  # no file of this machine adds a password of its own
                return session.request(
                    method, place, timeout=_SECONDS, allow_redirects=False, **more
                )

        return self._asked(sent)

    def _asked(self, act: Callable[[], _Found]) -> _Found:
        """What the provider answers; nothing of what went wrong is repeated."""
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 - an extra
        from requests import RequestException  # noqa: PLC0415 - as above

        try:
            return act()
        except AuthlibBaseError:
            raise _nobody() from None
        except (RequestException, ValueError):
            raise _unclear() from None

    def _read(self, found: Any) -> dict[str, Any]:
        if len(found.content) > _MOST_BYTES:
            raise _unclear()
        try:
            said = found.json()
        except ValueError:
            raise _unclear() from None
        if not isinstance(said, dict):
            raise _unclear()
        return said


def _nobody() -> TokenError:
    """The one answer where nobody is vouched for."""
    return TokenError(
        "your organisation did not vouch for you, or too long ago.", remedy="Sign in again."
    )


def _unclear() -> OfficeError:
    return OfficeError(
        "your organisation's sign-in cannot be reached, or does not answer as one.",
        remedy="Try again later, or sign in with a token.",
    )
