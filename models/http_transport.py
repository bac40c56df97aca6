"""What Vantage adds to the SDK's HTTP client: one deadline for a call, a byte cap, one origin for a key."""

from __future__ import annotations

import ssl
import threading
import time
import zlib
from collections.abc import Iterable
from typing import cast

import httpcore2
import httpx2

from annotator.model_api import CallFailed, FailureKind
from models.api_keys import ApiKey
from models.failures import RAW_KEPT
from models.guarded_stream import Exchange, GuardedBackend, ReplyTooLargeError

LARGEST_REPLY = 32 * 2**20
"""Limit of a reply in bytes, compressed and decompressed; no valid reply is as large."""
SENT_HEADERS = frozenset({b"host", b"accept", b"content-length", b"content-type", b"user-agent"})
"""Headers of the SDK that are sent.

All others describe this computer, are cookies, or come from environment variables intended for another
server.
"""
_NOT_SENT = (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout, httpcore2.ProxyError)
_BROKEN = (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError, ReplyTooLargeError)
_FRAMING = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class FailedCallError(httpx2.TransportError):
    """Transports the failure of a call through the SDK, which wraps exceptions of its client.

    Args:
        failure: Never raised here, so that it has no traceback.
    """

    def __init__(self, failure: CallFailed) -> None:
        super().__init__(str(failure))
        self.failure = failure


class GuardedTransport(httpx2.BaseTransport):
    """Sends requests to one origin, and reads each response completely.

    The ``read`` timeout of a request is the time for the whole call: connecting, sending, waiting, receiving.
    Only the DNS lookup is not limited, since the system performs it.

    Args:
        origin: Scheme, host and port of the server, as ``origin_of`` returns it.
        key: Sent to this origin as a bearer token; the SDK does not have it.
        tls: Checks the certificate of the server; None for plain HTTP.
        proxy: Proxy to the server; None for a direct connection.
    """

    def __init__(
        self, origin: str, *, key: ApiKey | None, tls: ssl.SSLContext | None, proxy: httpcore2.Proxy | None
    ) -> None:
        self._origin = origin
        self._key = key
        self._backend = GuardedBackend()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=tls, proxy=proxy, max_connections=None, network_backend=self._backend
        )
        self._closed = threading.Event()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request once and return the response: read, decompressed, and with the key removed.

        Raises:
            FailedCallError: No complete response was received, or the request is for another origin.
        """
        outcome = self._outcome_of(request)
        if isinstance(outcome, CallFailed):
            raise FailedCallError(self._scrubbed(outcome))
        return outcome

    def close(self) -> None:
        """Close all connections; a call in progress on another thread fails."""
        # First: a call that begins now must not open a connection that the next line does not know.
        self._closed.set()
        self._backend.shut_down()
        self._pool.close()

    def _outcome_of(self, request: httpx2.Request) -> httpx2.Response | CallFailed:
        if origin_of(request.url) != self._origin:
            message = f"This connection is for {self._origin}, not for {origin_of(request.url)}."
            return _failed(message, kind="redirect", is_retryable=False, was_sent=False)
        if self._closed.is_set():
            return _failed(f"The connection to {self._origin} was closed.", kind="connection", was_sent=False)
        deadline = time.monotonic() + request.extensions["timeout"]["read"]
        with self._backend.exchange(deadline=deadline, most_bytes=LARGEST_REPLY) as exchange:
            try:
                return self._exchanged(request, exchange)
            except _NOT_SENT as error:
                return _not_reached(error, origin=self._origin)
            except _BROKEN as error:
                raw = self._without_key(b"".join(exchange.pieces))[:RAW_KEPT]
                return _broken(error, exchange, origin=self._origin, raw=raw)

    def _exchanged(self, request: httpx2.Request, exchange: Exchange) -> httpx2.Response | CallFailed:
        response = self._pool.handle_request(self._to_core(request))
        exchange.is_body = True
        headers = {name.lower(): value for name, value in response.headers}
        try:
            if _is_longer(headers.get(b"content-length", b"")):
                raise ReplyTooLargeError
            exchange.pieces.extend(cast("Iterable[bytes]", response.stream))
        finally:
            response.close()
        content = b"".join(exchange.pieces)
        coding = headers.get(b"content-encoding", b"").decode("latin-1").strip().lower()
        if coding not in {"", "identity"}:
            unpacked = _unpacked(content, coding=coding, origin=self._origin)
            if isinstance(unpacked, CallFailed):
                return unpacked
            content = unpacked
        # A header about compression would make the client decompress the body a second time.
        kept = [(name, self._without_key(value)) for name, value in headers.items() if name not in _FRAMING]
        return httpx2.Response(
            response.status, headers=kept, content=self._without_key(content), request=request
        )

    def _to_core(self, request: httpx2.Request) -> httpcore2.Request:
        headers = [(name, value) for name, value in request.headers.raw if name.lower() in SENT_HEADERS]
        # Nothing compressed is asked for: a small reply could unpack to gigabytes.
        headers.append((b"Accept-Encoding", b"identity"))
        if self._key:
            headers.append((b"Authorization", b"Bearer " + self._key.reveal().encode("ascii")))
        url = request.url
        return httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=headers,
            content=request.read(),
        )

    def _scrubbed(self, failure: CallFailed) -> CallFailed:
        """Return a failure whose message and body contain nothing of the key."""
        if self._key is None:
            return failure
        return CallFailed(
            self._key.scrub_text(failure.message),
            kind=failure.kind,
            is_retryable=failure.is_retryable,
            retry_after_s=failure.retry_after_s,
            status=failure.status,
            raw=self._key.scrub(failure.raw),
            was_sent=failure.was_sent,
        )

    def _without_key(self, content: bytes) -> bytes:
        return self._key.scrub(content) if self._key else content


def origin_of(url: httpx2.URL) -> str:
    """Return scheme, host and port of an address; the port only if it is not the default."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _is_longer(announced: bytes) -> bool:
    return announced.isdigit() and int(announced) > LARGEST_REPLY


def _broken(error: Exception, exchange: Exchange, *, origin: str, raw: bytes) -> CallFailed:
    """Return the failure of a call that ended before its response did."""
    if isinstance(error, httpcore2.TimeoutException):
        return _failed(f"{origin} did not send a complete reply in time.", kind="timeout", raw=raw)
    if isinstance(error, ReplyTooLargeError):
        message = f"{origin} sent a reply of more than {LARGEST_REPLY // 2**20} MB."
        return _failed(message, kind="too_large", is_retryable=False, raw=raw)
    is_protocol = isinstance(error, httpcore2.ProtocolError)
    if is_protocol and not (exchange.has_ended and (exchange.is_body or not exchange.received)):
        return _failed(f"The reply of {origin} is not HTTP ({error}).", kind="format", raw=raw)
    if exchange.is_body and (is_protocol or raw):
        return _failed(f"The reply of {origin} is incomplete.", kind="cut", raw=raw)
    return _failed(f"The connection to {origin} was lost during the call.", kind="connection", raw=raw)


def _not_reached(error: Exception, *, origin: str) -> CallFailed:
    """Return the failure of a connection that was not made; nothing was sent."""
    if isinstance(error, httpcore2.TimeoutException):
        return _failed(f"{origin} cannot be reached in time.", kind="timeout", was_sent=False)
    if isinstance(error, httpcore2.ProxyError):
        message = f"{origin} cannot be reached: the proxy answered {error}."
        return _failed(message, kind="connection", was_sent=False)
    # The pool removes the cause of an exception; its first argument is the error of the socket.
    cause = next((part for part in error.args if isinstance(part, Exception)), error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        message = f"The certificate of {origin} is not accepted: {cause.verify_message}."
        hint = "If you trust the server, set ca_file in the profile to the file of its certificate."
        return _failed(f"{message} {hint}", kind="connection", is_retryable=False, was_sent=False)
    # A server that does not speak TLS fails always; one that closed the connection may have been busy.
    is_plain = isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError)
    detail = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    message = f"{origin} cannot be reached: {detail}."
    return _failed(message, kind="connection", is_retryable=not is_plain, was_sent=False)


def _unpacked(content: bytes, *, coding: str, origin: str) -> bytes | CallFailed:
    """Decompress a body within the byte limit; the decoders of the client have none."""
    if coding not in {"gzip", "x-gzip", "deflate"}:
        return _failed(
            f"{origin} sent a reply with the encoding {coding[:20]!r}, which was not requested.",
            kind="format",
        )
    # 47: zlib detects which of its two formats it is.
    unpacking = zlib.decompressobj(wbits=47)
    try:
        unpacked = unpacking.decompress(content, LARGEST_REPLY + 1)
    except zlib.error:
        return _failed(f"The compressed reply of {origin} is damaged.", kind="format", raw=content[:RAW_KEPT])
    if len(unpacked) > LARGEST_REPLY:
        message = f"{origin} sent a reply of more than {LARGEST_REPLY // 2**20} MB after decompression."
        return _failed(message, kind="too_large", is_retryable=False)
    if not unpacking.eof:
        return _failed(
            f"The compressed reply of {origin} is incomplete.", kind="cut", raw=unpacked[:RAW_KEPT]
        )
    return unpacked


def _failed(
    message: str, *, kind: FailureKind, is_retryable: bool = True, raw: bytes = b"", was_sent: bool = True
) -> CallFailed:
    return CallFailed(message, kind=kind, is_retryable=is_retryable, raw=raw, was_sent=was_sent)
