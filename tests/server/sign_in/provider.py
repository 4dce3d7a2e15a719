"""A real provider of OpenID Connect on loopback, by Authlib's server side: people sign in with a
form, codes need PKCE, and devices are confirmed in a page.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import (
    DEVICE_CODE_GRANT_TYPE,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialDict,
)
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode, OpenIDToken
from flask import Flask, request
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT, SECRET = "shoal", "a secret between the office and the provider"


class Client(ClientMixin):  # type: ignore[misc]
    """The office, as the provider knows it."""

    client_id = CLIENT
    back = ""

    def get_client_id(self) -> str:
        return CLIENT

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.back

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return endpoint != "token" or method == "client_secret_basic"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in {"authorization_code", DEVICE_CODE_GRANT_TYPE}


@dataclass
class Code(AuthorizationCodeMixin):  # type: ignore[misc]
    """A code that a browser carries back."""

    user: str
    scope: str
    redirect_uri: str
    nonce: str | None
    challenge: str | None
    method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


@dataclass
class Provider:
    """Who there is, and what the provider says of them."""

    people: dict[str, dict[str, Any]]
    issuer: str = ""
    client: Client = field(default_factory=Client)
    key: Any = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    codes: dict[str, Code] = field(default_factory=dict)
    devices: dict[str, DeviceCredentialDict] = field(default_factory=dict)
    confirmed: dict[str, tuple[str, bool]] = field(default_factory=dict)
    bent: dict[str, Any] = field(default_factory=dict)
    """Claims to lie about, for those who test what is refused."""
    signs_with: Any = None


def _vouching(here: Provider) -> tuple[type[OpenIDCode], type[OpenIDToken]]:
    class Vouching:
        def resolve_client_private_key(self, _: Any) -> Any:
            return here.signs_with or here.key

        def get_client_algorithm(self, _: Any) -> str:
            return "RS256"

        def get_encode_header(self, _: Any) -> dict[str, str]:
            return {"alg": "RS256", "kid": "one"}

        def get_client_claims(self, _: Any) -> dict[str, Any]:
            return {"iss": here.issuer, "aud": [CLIENT]}

        def generate_user_info(self, user: str, _: str) -> UserInfo:
            return UserInfo(**{"sub": user, **here.people[user], **here.bent})

    class ByCode(Vouching, OpenIDCode):  # type: ignore[misc]
        def exists_nonce(self, nonce: str, _: Any) -> bool:
            return any(each.nonce == nonce for each in here.codes.values())

    class ByDevice(Vouching, OpenIDToken):  # type: ignore[misc]
        pass

    return ByCode, ByDevice


def _grants(here: Provider) -> tuple[type[Any], type[Any], type[Any]]:
    class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

        def save_authorization_code(self, code: str, asked: Any) -> None:
            said = asked.payload.data
            here.codes[code] = Code(
                asked.user,
                asked.payload.scope,
                asked.payload.redirect_uri,
                said.get("nonce"),
                said.get("code_challenge"),
                said.get("code_challenge_method"),
            )

        def query_authorization_code(self, code: str, _: Any) -> Code | None:
            return here.codes.get(code)

        def delete_authorization_code(self, code: Code) -> None:
            here.codes = {key: each for key, each in here.codes.items() if each is not code}

        def authenticate_user(self, code: Code) -> str:
            return code.user

    class DeviceGrant(DeviceCodeGrant):  # type: ignore[misc]
        def query_device_credential(self, device_code: str) -> DeviceCredentialDict | None:
            return here.devices.get(device_code)

        def query_user_grant(self, user_code: str) -> tuple[str, bool] | None:
            return here.confirmed.get(user_code)

        def should_slow_down(self, _: Any) -> bool:
            return False

    class Devices(DeviceAuthorizationEndpoint):  # type: ignore[misc]
        INTERVAL = 1

        def get_verification_uri(self) -> str:
            return f"{here.issuer}/device"

        def save_device_credential(self, client_id: str, scope: str, data: dict[str, Any]) -> None:
            kept = DeviceCredentialDict(client_id=client_id, scope=scope, **data)
            here.devices[data["device_code"]] = kept

    return CodeGrant, DeviceGrant, Devices


class _Challenge(CodeChallenge):  # type: ignore[misc]
    def get_authorization_code_challenge(self, code: Code) -> str | None:
        return code.challenge

    def get_authorization_code_challenge_method(self, code: Code) -> str | None:
        return code.method


def _application(here: Provider) -> Flask:
    app = Flask("provider")
    server = AuthorizationServer(
        app, query_client=lambda _: here.client, save_token=lambda *_: None
    )
    (by_code, by_device), (code_grant, device_grant, devices) = _vouching(here), _grants(here)
    server.register_grant(code_grant, [by_code(require_nonce=True), _Challenge(required=True)])
    server.register_grant(device_grant, [by_device()])
    server.register_endpoint(devices)

    @app.get("/.well-known/openid-configuration")
    def about() -> Any:
        names = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "jwks_uri": "keys",
            "device_authorization_endpoint": "device-code",
        }
        return {"issuer": here.issuer} | {k: f"{here.issuer}/{v}" for k, v in names.items()}

    @app.get("/keys")
    def keys() -> Any:
        return {"keys": [here.key.as_dict(private=False)]}

    @app.route("/authorize", methods=["GET", "POST"])
    def authorize() -> Any:
        grant = server.get_consent_grant(end_user=None)
        if request.method == "GET":
            return (
                "<title>Provider</title><form method=post><label>Who are you? <input name=who>"
                "</label><button>Go on</button></form>"
            )
        return server.create_authorization_response(grant=grant, grant_user=request.form["who"])

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    @app.post("/device-code")
    def device_code() -> Any:
        return server.create_endpoint_response(devices.ENDPOINT_NAME)

    @app.post("/device")
    def confirm() -> Any:
        said = request.form
        here.confirmed[said["code"]] = said["who"], said.get("may", "yes") == "yes"
        return "Thank you."

    return app


@contextmanager
def running(people: dict[str, dict[str, Any]], host: str = "127.0.0.1") -> Iterator[Provider]:
    """A provider that listens until the block ends; ``host`` is what it calls itself."""
    here = Provider(people)
    server = make_server("127.0.0.1", 0, _application(here), threaded=True)
    here.issuer = f"http://{host}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
