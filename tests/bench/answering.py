"""A chat endpoint that answers every question with one letter after a fixed time: a process of its own.

``python -m tests.bench.answering`` prints its address and ends with its standard input. It does next to
nothing, so that the figures of those who ask it are not its own.
"""

from __future__ import annotations

import asyncio
import sys

from tests.bench.fixed_answer import BODY, DELAY_S

REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


class _Connection(asyncio.Protocol):
    """One connection, that asks again and again."""

    _transport: asyncio.WriteTransport

    def __init__(self) -> None:
        self._held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._held += data
        head, end, body = self._held.partition(b"\r\n\r\n")
        if end and len(body) >= _length(head):
            self._held = body[_length(head) :]
            asyncio.get_running_loop().call_later(DELAY_S, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(REPLY)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    return 0


async def serve() -> None:
    """Serve on loopback until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=512)
    address = server.sockets[0].getsockname()
    sys.stdout.write(f"http://127.0.0.1:{address[1]}/v1\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
