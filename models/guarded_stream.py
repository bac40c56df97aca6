"""Connections on which a call ends at its deadline and receives no more bytes than agreed.

The time limits of ``httpcore2`` apply to each read and write: a server that sends one byte per second blocks
a thread forever. Here each operation gets the remaining time of the whole call.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpcore2

CONNECT_S = 10.0
"""Seconds per address of a server; a reachable address answers sooner."""
# Written in pieces: a server that reads slowly meets the deadline between two of them.
_PIECE = 2**18


class ReplyTooLargeError(Exception):
    """The reply of a server exceeds the byte limit."""


@dataclass(kw_only=True)
class Exchange:
    """One call on one thread.

    Attributes:
        deadline: End of the call, by ``time.monotonic()``.
        most_bytes: Received bytes after which the call fails, headers included.
        received: Bytes received so far.
        has_ended: Whether the server closed the connection.
        pieces: Parts of the body received so far.
        is_body: Whether the headers of the response are complete.
    """

    deadline: float
    most_bytes: int
    received: int = 0
    has_ended: bool = False
    pieces: list[bytes] = field(default_factory=list)
    is_body: bool = False

    def left_s(self, error: type[httpcore2.TimeoutException]) -> float:
        """Return the seconds that are left, more than 0.

        Raises:
            httpcore2.TimeoutException: No time is left; of the given class.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise error("the deadline has passed")
        return left

    def count(self, data: bytes) -> None:
        """Count received bytes.

        Raises:
            ReplyTooLargeError: There are too many.
        """
        self.received += len(data)
        self.has_ended = not data
        if self.received > self.most_bytes:
            raise ReplyTooLargeError


class GuardedBackend(httpcore2.NetworkBackend):
    """Creates connections that obey the ``Exchange`` of the thread that uses them."""

    def __init__(self) -> None:
        self._plain = httpcore2.SyncBackend()
        self._thread = threading.local()
        self._open: set[_GuardedStream] = set()
        self._lock = threading.Lock()

    @property
    def current(self) -> Exchange:
        """The call that this thread makes."""
        exchange: Exchange = self._thread.exchange
        return exchange

    @contextlib.contextmanager
    def exchange(self, *, deadline: float, most_bytes: int) -> Iterator[Exchange]:
        """Limit the network operations of this thread until the end of the block."""
        self._thread.exchange = Exchange(deadline=deadline, most_bytes=most_bytes)
        try:
            yield self._thread.exchange
        finally:
            del self._thread.exchange

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the exchange knows
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address of a host that answers.

        Raises:
            httpcore2.ConnectError: No address answers, or there is none.
            httpcore2.ConnectTimeout: Not in time.
        """
        failure: Exception | None = None
        for address in _addresses(host, port):
            # One by one: ``socket.create_connection`` would give each address the whole time that is left.
            limit_s = min(CONNECT_S, self.current.left_s(httpcore2.ConnectTimeout))
            try:
                stream = self._plain.connect_tcp(address, port, limit_s, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _GuardedStream(stream, self)
        raise failure or httpcore2.ConnectError(f"{host} has no IP address")

    def shut_down(self) -> None:
        """Make all calls in progress fail now."""
        with self._lock:
            streams = list(self._open)
        for stream in streams:
            # Closing alone would not wake a thread that is receiving.
            with contextlib.suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def add(self, stream: _GuardedStream) -> None:
        """Remember an open connection."""
        with self._lock:
            self._open.add(stream)

    def remove(self, stream: _GuardedStream) -> None:
        """Forget a connection that was closed."""
        with self._lock:
            self._open.discard(stream)


class _GuardedStream(httpcore2.NetworkStream):
    def __init__(self, plain: httpcore2.NetworkStream, backend: GuardedBackend) -> None:
        self._plain, self._backend = plain, backend
        backend.add(self)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the exchange knows
        exchange = self._backend.current
        data = self._plain.read(max_bytes, exchange.left_s(httpcore2.ReadTimeout))
        exchange.count(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the exchange knows
        exchange, view = self._backend.current, memoryview(buffer)
        for start in range(0, len(view), _PIECE):
            piece = view[start : start + _PIECE]
            self._plain.write(piece, exchange.left_s(httpcore2.WriteTimeout))  # type: ignore[arg-type] # as sockets

    def close(self) -> None:
        self._backend.remove(self)
        self._plain.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the exchange knows
    ) -> httpcore2.NetworkStream:
        left_s = self._backend.current.left_s(httpcore2.ConnectTimeout)
        # Python detaches the plain socket before the handshake: shutting it down would have no effect.
        self._backend.remove(self)
        return _GuardedStream(self._plain.start_tls(ssl_context, server_hostname, left_s), self._backend)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - as httpcore2 declares it
        return self._plain.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(error) from error
    return [str(address[0]) for *_, address in found]
