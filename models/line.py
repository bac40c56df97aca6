"""A connection to a server on which nothing takes longer than agreed, and nothing is larger."""

from __future__ import annotations

import io
import socket
import ssl
import time
from base64 import b64encode
from dataclasses import dataclass, field
from http.client import HTTPResponse
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from annotator.errors import UserError
from models.keys import Secret

LARGEST_REPLY = 32 * 2**20
"""Bytes of a reply on the wire, and unpacked; no answer to a question has so many."""
_PIECE = 2**18


class ReplyTooLargeError(Exception):
    """A server sends more than anybody wants."""


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """A server in between.

    Attributes:
        host: Its name.
        port: Its port.
        credentials: Value of the header that lets us through, None for none.
    """

    host: str
    port: int
    credentials: Secret | None = None


@dataclass(frozen=True, kw_only=True)
class Route:
    """The way to a server.

    Attributes:
        host: Its name.
        port: Its port.
        tls: Encrypts and checks the certificate; None for plain HTTP.
        proxy: In between, None for none.
    """

    host: str
    port: int
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    proxy: Proxy | None = None

    @property
    def authority(self) -> str:
        """Host and port as a ``Host`` header has them; the port left out where it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    @property
    def speaks_to_proxy(self) -> bool:
        """Whether requests name the whole address, since a proxy reads them."""
        return self.proxy is not None and self.tls is None


class Line:
    """A connection with a deadline; for one thread at a time.

    It stands for the socket that ``http.client`` reads from.

    Args:
        sock: Connected.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.deadline = 0.0
        self.left_bytes = LARGEST_REPLY

    @classmethod
    def open(cls, route: Route, *, deadline: float, connect_s: float) -> Line:
        """Connect.

        Args:
            route: Where to.
            deadline: Of ``time.monotonic()``.
            connect_s: Each address of the server gets so many seconds.

        Raises:
            OSError: Nobody is there, no way leads there, or the certificate is not accepted.
        """
        near = route.proxy or route
        sock = _connected(near.host, near.port, deadline=deadline, connect_s=connect_s)
        try:
            if route.proxy is not None and route.tls is not None:
                _tunnel(sock, route, route.proxy, deadline=deadline)
            if route.tls is not None:
                sock.settimeout(_left_s(deadline))
                sock = route.tls.wrap_socket(sock, server_hostname=route.host)
        except BaseException:
            # A bug, or Ctrl+C in a trial, as well: nobody else holds this socket yet, and it would stay open.
            sock.close()
            raise
        return cls(sock)

    def begin(self, *, deadline: float) -> None:
        """Begin an exchange that ends at a time of ``time.monotonic()``."""
        self.deadline = deadline
        self.left_bytes = LARGEST_REPLY

    def send(self, view: memoryview) -> OSError | None:
        """Send, and return what went wrong.

        It is returned and not raised: a traceback with the variables of its frames would show keys.
        """
        try:
            while view:
                self._sock.settimeout(_left_s(self.deadline))
                view = view[self._sock.send(view[:_PIECE]) :]
        except OSError as error:
            return error.with_traceback(None)
        return None

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - http.client asks for "rb"
        """Return a reader of the next answer."""
        return io.BufferedReader(_Clocked(self), 2**16)

    def receive_into(self, buffer: memoryview) -> int:
        """Receive some bytes, 0 at the end.

        Raises:
            TimeoutError: The deadline has come.
            ReplyTooLargeError: The reply is larger than any answer is.
        """
        self._sock.settimeout(_left_s(self.deadline))
        count = self._sock.recv_into(buffer)
        self.left_bytes -= count
        if self.left_bytes < 0:
            raise ReplyTooLargeError
        return count

    def is_fresh(self) -> bool:
        """Tell whether the server still waits for a question: it has neither spoken nor hung up."""
        self._sock.settimeout(0)
        try:
            self._sock.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False
        return False

    def break_off(self) -> None:
        """Let a call on another thread fail now."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            # The server was faster.
            return

    def close(self) -> None:
        """Hang up."""
        self._sock.close()


class _Clocked(io.RawIOBase):
    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # typeshed asks for any Buffer
        return self._line.receive_into(buffer)


def proxy_of(host: str, *, is_tls: bool) -> Proxy | None:
    """Return the proxy that the environment or the system asks for on the way to a host.

    This machine is asked without one.

    Raises:
        UserError: The proxy is of a kind that is not spoken here.
    """
    if host in {"localhost", "::1"} or host.startswith("127.") or proxy_bypass(host):
        return None
    told = getproxies()
    address = told.get("https" if is_tls else "http") or told.get("all") or ""
    if not address:
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise UserError(
            f"The proxy on the way to {host} is not an http:// one.",
            hint="Set HTTPS_PROXY to an http:// proxy, or name the host in NO_PROXY.",
        )
    return Proxy(host=parts.hostname, port=parts.port or 80, credentials=_credentials(parts.netloc))


def _credentials(netloc: str) -> Secret | None:
    user, at, _ = netloc.rpartition("@")
    return Secret(f"Basic {b64encode(unquote(user).encode()).decode()}") if at else None


def _connected(host: str, port: int, *, deadline: float, connect_s: float) -> socket.socket:
    trouble: OSError = ConnectionError(f"{host} has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(min(connect_s, _left_s(deadline)))
            sock.connect(address)
            # A question goes out in one or two pieces and is waited for: gathering them only delays.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            sock.close()
            trouble = error
        else:
            return sock
    raise trouble


def _tunnel(sock: socket.socket, route: Route, proxy: Proxy, *, deadline: float) -> None:
    line = Line(sock)
    line.begin(deadline=deadline)
    credentials = f"Proxy-Authorization: {proxy.credentials.reveal()}\r\n" if proxy.credentials else ""
    where = f"{route.host}:{route.port}"
    trouble = line.send(
        memoryview(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n{credentials}\r\n".encode("latin-1"))
    )
    del credentials
    if trouble is not None:
        raise trouble
    answer = HTTPResponse(line, method="CONNECT")  # type: ignore[arg-type] # it only calls makefile()
    answer.begin()
    answer.close()
    if answer.status != 200:
        raise ConnectionRefusedError(f"the proxy {proxy.host} answered {answer.status} to a tunnel")


def _left_s(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left
