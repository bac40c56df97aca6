"""The ``openai`` SDK with a custom HTTP client: one server, many threads, no retries, no redirects."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2
import openai

from annotator.errors import UserError
from annotator.model_api import CallFailed
from models.api_keys import ApiKey
from models.http_transport import FailedCallError, GuardedTransport, origin_of

PATH = "/chat/completions"
_NO_KEY = "none"
"""The SDK requires a key; the real one is added by the transport, and the SDK never has it."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """A complete response, whatever its status.

    Attributes:
        status: HTTP status.
        headers: Names in small letters.
        body: Decompressed, with the key removed.
        elapsed_s: From the call to the last byte.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float


class ChatClient:
    """Connections to one server, kept open between questions.

    Args:
        base_url: ``http://`` or ``https://``.
        key: Sent to this server only, as a bearer token.
        ca_file: Certificates that are accepted besides those of the system, "" for none.

    Raises:
        UserError: The address, the proxy or the file of certificates cannot be used.
    """

    def __init__(self, base_url: str, *, key: ApiKey | None = None, ca_file: str = "") -> None:
        parts = _parts_of(base_url)
        is_tls, host = parts.scheme == "https", parts.hostname or ""
        self.origin = origin_of(httpx2.URL(base_url))
        self._transport = GuardedTransport(
            self.origin,
            key=key,
            tls=_tls(ca_file) if is_tls else None,
            proxy=proxy_of(host, is_tls=is_tls),
        )
        # ``trust_env`` is off, since proxies of the environment are resolved above. Retries are the job
        # queue's, which counts, pays for and records each of them.
        http = httpx2.Client(transport=self._transport, trust_env=False, follow_redirects=False)
        self._sdk = openai.OpenAI(api_key=_NO_KEY, base_url=base_url, max_retries=0, http_client=http)

    def post(self, body: bytes, *, timeout_s: float) -> Response:
        """Send a request once and return the response.

        Args:
            body: A chat completion request as JSON.
            timeout_s: Limit for the whole call, seconds: connecting, sending, waiting, receiving.

        Raises:
            CallFailed: No complete response was received.
        """
        began = time.monotonic()
        outcome = self._outcome_of(body, timeout_s=timeout_s)
        # Raise here, where no frame below contains the key, and without a chained exception.
        if isinstance(outcome, CallFailed):
            raise outcome
        return Response(
            status=outcome.status_code,
            headers=dict(outcome.headers),
            body=outcome.content,
            elapsed_s=time.monotonic() - began,
        )

    def close(self) -> None:
        """Close all connections; a question in progress on another thread fails."""
        self._transport.close()

    def _outcome_of(self, body: bytes, *, timeout_s: float) -> httpx2.Response | CallFailed:
        try:
            return self._sdk.post(
                PATH,
                cast_to=httpx2.Response,
                content=body,
                options={"timeout": timeout_s, "headers": {"Content-Type": "application/json"}},
            )
        except openai.APIStatusError as error:
            return error.response
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, FailedCallError):
                return error.__cause__.failure
            raise


def proxy_of(host: str, *, is_tls: bool) -> httpcore2.Proxy | None:
    """Return the proxy of the environment or system for a host; None if there is none or the host is local.

    Raises:
        UserError: The proxy is not an ``http://`` one.
    """
    address = _proxy_address(host, scheme="https" if is_tls else "http")
    if not address:
        return None
    parts = urlsplit(address)
    if parts.scheme != "http" or not parts.hostname:
        raise UserError(
            f"The proxy for {host} is not an http:// proxy.",
            hint="Set HTTPS_PROXY to an http:// proxy, or add the host to NO_PROXY.",
        )
    url = httpcore2.URL(scheme="http", host=parts.hostname, port=parts.port or 80, target="/")
    if parts.username is None:
        return httpcore2.Proxy(url)
    return httpcore2.Proxy(url, auth=(unquote(parts.username), unquote(parts.password or "")))


def _proxy_address(host: str, *, scheme: str) -> str:
    """Return the address, with its scheme, that the environment or system sets; "" for none."""
    if host in {"localhost", "::1"} or host.startswith("127.") or proxy_bypass(host):
        return ""
    proxies = getproxies()
    address = proxies.get(scheme) or proxies.get("all") or ""
    return address if "://" in address or not address else f"http://{address}"


def _parts_of(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        is_sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        httpx2.URL(base_url)
    except (ValueError, httpx2.InvalidURL):
        is_sound = False
    if not is_sound:
        raise UserError("Invalid server URL.", hint="Example: http://127.0.0.1:8000/v1.")
    if parts.username is not None or parts.password is not None:
        raise UserError(
            "The server URL contains a name or a password.",
            hint="Remove them, and set env:NAME or keyring:NAME as the key.",
        )
    return parts


def _tls(ca_file: str) -> ssl.SSLContext:
    context = httpx2.create_ssl_context()
    if ca_file:
        try:
            context.load_verify_locations(Path(ca_file).expanduser())
        except OSError as error:
            raise UserError(
                f"The certificates in {ca_file} cannot be used: {error}.",
                hint="The file must be in PEM format.",
            ) from error
    return context
