"""Questions over HTTP/1.1: one server, many threads, a hard deadline, a bound on what is read, no redirects.

Why not the client that the SDK brings: its time limits are of each single read, so that a server that
trickles holds a thread for ever; it reads bodies of any size; and it takes three times the processor time.
"""

from __future__ import annotations

import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from annotator.errors import UserError
from annotator.predictor import CallFailed, FailureKind
from models.failures import RAW_KEPT
from models.keys import Secret
from models.line import LARGEST_REPLY, Line, ReplyTooLargeError, Route, proxy_of

CONNECT_S = 10.0
"""For each address of a server; one that is there answers sooner."""
_READ_BYTES = 2**16


@dataclass(frozen=True, kw_only=True)
class Got:
    """A whole answer, whatever its status.

    Attributes:
        status: HTTP status.
        headers: Names in small letters; empty for a success, where nobody reads them.
        body: Unpacked, without the key.
        elapsed_s: From the first byte sent to the last one received.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float


class Wire:
    """Connections to one server, kept open between questions.

    Args:
        base_url: ``http://`` or ``https://``.
        key: Goes to this server as a bearer token, and nowhere else.
        ca_file: Certificates that are believed besides those of the system, "" for none.

    Raises:
        UserError: The address, the proxy or the file of certificates cannot be used.
    """

    def __init__(self, base_url: str, *, key: Secret | None = None, ca_file: str = "") -> None:
        parts = _parts_of(base_url)
        is_tls, host = parts.scheme == "https", parts.hostname or ""
        self.route = Route(
            host=host,
            port=parts.port or (443 if is_tls else 80),
            tls=_tls(ca_file) if is_tls else None,
            proxy=proxy_of(host, is_tls=is_tls),
        )
        self.origin = f"{parts.scheme}://{self.route.authority}"
        self._key = key
        self._idle: deque[Line] = deque()
        self._busy: set[Line] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def post(self, path: str, *, headers: Mapping[str, str], body: bytes, timeout_s: float) -> Got:
        """Send a question once and return the answer.

        Args:
            path: With query, from the root of the server.
            headers: Those of the question; host, length and key are added.
            body: As it goes out.
            timeout_s: Of everything together: connecting, sending, waiting, reading. Only the look-up of a
                host's name is the system's own and takes what it takes.

        Raises:
            CallFailed: No whole answer came.
        """
        line = self._borrow(deadline=time.monotonic() + timeout_s)
        outcome = (
            line if isinstance(line, CallFailed) else self._exchange(line, path, headers=headers, body=body)
        )
        # Raised here, where no frame below holds the key, and with nothing chained to it.
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome

    def close(self) -> None:
        """Hang up; a question under way on another thread fails."""
        with self._lock:
            self._is_closed = True
            for line in self._busy:
                line.break_off()
        while self._idle:
            self._idle.pop().close()

    def _borrow(self, *, deadline: float) -> Line | CallFailed:
        line = self._fresh()
        if line is None:
            try:
                line = Line.open(self.route, deadline=deadline, connect_s=CONNECT_S)
            except (OSError, HTTPException, ValueError) as error:
                return _not_reached(error, origin=self.origin)
        line.begin(deadline=deadline)
        with self._lock:
            if not self._is_closed:
                self._busy.add(line)
                return line
        line.close()
        return _failed(f"The connection to {self.origin} was closed.", kind="connection", was_sent=False)

    def _fresh(self) -> Line | None:
        while True:
            try:
                line = self._idle.pop()
            except IndexError:
                return None
            if line.is_fresh():
                return line
            line.close()

    def _give_back(self, line: Line, *, is_kept: bool) -> None:
        with self._lock:
            self._busy.discard(line)
            if is_kept and not self._is_closed:
                self._idle.append(line)
                return
        line.close()

    def _exchange(
        self, line: Line, path: str, *, headers: Mapping[str, str], body: bytes
    ) -> Got | CallFailed:
        began = time.monotonic()
        response = HTTPResponse(line, method="POST")  # type: ignore[arg-type] # it only calls makefile()
        pieces: list[bytes] = []
        is_kept = False
        try:
            unsent = line.send(self._head(path, headers=headers, length=len(body)))
            unsent = unsent or line.send(memoryview(body))
            # A server that has seen enough of a question answers and hangs up before it has all of it.
            trouble = _read(response, pieces) or unsent
            is_kept = trouble is None and not response.will_close
        finally:
            response.close()
            self._give_back(line, is_kept=is_kept)
        content = self._without_key(b"".join(pieces))
        if trouble is not None and not (unsent is trouble and response.status >= 400):
            return _broken(trouble, origin=self.origin, raw=content[:RAW_KEPT])
        return self._unpacked(response, content, elapsed_s=time.monotonic() - began)

    def _head(self, path: str, *, headers: Mapping[str, str], length: int) -> memoryview:
        target = f"{self.origin}{path}" if self.route.speaks_to_proxy else path
        lines = [f"POST {target} HTTP/1.1", f"Host: {self.route.authority}", f"Content-Length: {length}"]
        lines.append("Accept-Encoding: identity")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        # A view, since it prints as an address where bytes print as the key in them.
        return memoryview("\r\n".join([*lines, *self._credentials(), "", ""]).encode("latin-1"))

    def _credentials(self) -> list[str]:
        proxy = self.route.proxy
        is_known = self.route.speaks_to_proxy and proxy is not None and proxy.credentials is not None
        return [
            *([f"Authorization: Bearer {self._key.reveal()}"] if self._key else []),
            *([f"Proxy-Authorization: {proxy.credentials.reveal()}"] if is_known else []),  # type: ignore[union-attr]
        ]

    def _without_key(self, content: bytes) -> bytes:
        return self._key.scrub(content) if self._key else content

    def _unpacked(self, response: HTTPResponse, content: bytes, *, elapsed_s: float) -> Got | CallFailed:
        coding = (response.getheader("Content-Encoding") or "").strip().lower()
        if coding not in {"", "identity"}:
            unpacked = _inflated(content, coding=coding, origin=self.origin)
            if isinstance(unpacked, CallFailed):
                return unpacked
            content = self._without_key(unpacked)
        is_success = response.status < 300
        return Got(
            status=response.status,
            headers={} if is_success else {name.lower(): value for name, value in response.getheaders()},
            body=content,
            elapsed_s=elapsed_s,
        )


def _parts_of(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        is_sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_sound = False
    if not is_sound:
        raise UserError("The address of the server is none.", hint="It looks like http://127.0.0.1:8000/v1.")
    if parts.username is not None or parts.password is not None:
        raise UserError(
            "The address of the server holds a name or a password.",
            hint="Take them out, and say env:NAME or keyring:NAME for the key.",
        )
    return parts


def _tls(ca_file: str) -> ssl.SSLContext:
    import httpx2

    context = httpx2.create_ssl_context()
    if ca_file:
        try:
            context.load_verify_locations(Path(ca_file).expanduser())
        except OSError as error:
            raise UserError(
                f"The certificates in {ca_file} cannot be used: {error}.", hint="It is a PEM file."
            ) from error
    return context


def _read(response: HTTPResponse, pieces: list[bytes]) -> Exception | None:
    """Read an answer, and return what went wrong; what came is in ``pieces`` either way."""
    try:
        response.begin()
        if (response.length or 0) > LARGEST_REPLY:
            return ReplyTooLargeError()
        while piece := response.read(_READ_BYTES):
            pieces.append(piece)
    except (OSError, HTTPException, ReplyTooLargeError, ValueError) as error:
        return error.with_traceback(None)
    # http.client takes a short body for a whole one when it is read in pieces.
    return IncompleteRead(b"", response.length) if response.length else None


def _broken(trouble: Exception, *, origin: str, raw: bytes) -> CallFailed:
    """Return the failure of an exchange that ended before its answer did."""
    if isinstance(trouble, TimeoutError):
        return _failed(f"{origin} gave no whole answer in time.", kind="timeout", raw=raw)
    if isinstance(trouble, ReplyTooLargeError):
        words = f"{origin} answers with more than {LARGEST_REPLY // 2**20} MB."
        return _failed(words, kind="too_large", is_retryable=False, raw=raw)
    if isinstance(trouble, IncompleteRead):
        return _failed(f"The answer of {origin} broke off.", kind="cut", raw=raw)
    if isinstance(trouble, OSError):
        kind: FailureKind = "cut" if raw else "connection"
        return _failed(
            f"The connection to {origin} broke while it was asked ({_kind(trouble)}).", kind=kind, raw=raw
        )
    return _failed(f"What {origin} answers is no HTTP ({_kind(trouble)}).", kind="format", raw=raw)


def _not_reached(error: Exception, *, origin: str) -> CallFailed:
    """Return the failure of a connection that was not made; nothing was sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        words = f"The certificate of {origin} is not accepted: {error.verify_message}."
        hint = "If the server is yours, name the file of its certificate in the profile as ca_file."
        return _failed(f"{words} {hint}", kind="connection", is_retryable=False, was_sent=False)
    if isinstance(error, TimeoutError):
        return _failed(f"{origin} cannot be reached in time.", kind="timeout", was_sent=False)
    # A server that speaks no TLS will not learn it; one that hung up may have been busy.
    is_other_tongue = isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError)
    is_retryable = isinstance(error, OSError) and not is_other_tongue
    told = getattr(error, "strerror", None) or str(error) or _kind(error)
    return _failed(
        f"{origin} cannot be reached: {told}.", kind="connection", is_retryable=is_retryable, was_sent=False
    )


def _inflated(content: bytes, *, coding: str, origin: str) -> bytes | CallFailed:
    if coding not in {"gzip", "x-gzip", "deflate"}:
        return _failed(f"{origin} packs its answer as {coding[:20]!r}, unasked.", kind="format")
    # 47: zlib finds out by itself which of its two wrappings it is.
    unpacking = zlib.decompressobj(wbits=47)
    try:
        unpacked = unpacking.decompress(content, LARGEST_REPLY + 1)
    except zlib.error:
        return _failed(f"The packed answer of {origin} is damaged.", kind="format", raw=content[:RAW_KEPT])
    if len(unpacked) > LARGEST_REPLY:
        words = f"{origin} answers with more than {LARGEST_REPLY // 2**20} MB when unpacked."
        return _failed(words, kind="too_large", is_retryable=False)
    if not unpacking.eof:
        return _failed(f"The packed answer of {origin} broke off.", kind="cut", raw=unpacked[:RAW_KEPT])
    return unpacked


def _kind(error: Exception) -> str:
    return type(error).__name__


def _failed(
    words: str, *, kind: FailureKind, is_retryable: bool = True, raw: bytes = b"", was_sent: bool = True
) -> CallFailed:
    return CallFailed(words, kind=kind, is_retryable=is_retryable, raw=raw, was_sent=was_sent)
