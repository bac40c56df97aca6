"""An OpenAI-compatible chat endpoint on loopback, for tests and figures: real HTTP, answers as told.

In a test::

    with ChatServer(answer=lambda body: "B") as server:
        server.base_url, server.calls          # what was asked, in order, with headers
        server.behave(Behaviour(status=429, headers={"Retry-After": "1"}), times=3)

As a process of its own, so that its work does not count as ours:
``python tests/servers/chat_server.py --delay 0.05`` prints its address as one line, and ends with its
standard input.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.patience import PATIENCE_S

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """What the server does with one call.

    Attributes:
        status: HTTP status.
        headers: Further headers.
        body: The body as bytes; None for a completion with the answer.
        delay_s: Before the first byte.
        cut_at: The connection is closed after so many bytes of the body, None for never.
        is_dropped: The connection is closed without any byte.
        trickle_s: Pause after each byte of the head, 0 for none.
        trickles_body: The pause is after each byte of the body too.
        is_chunked: The body comes in chunks of 1,000 bytes.
        repeats: The body is sent so often.
        finish: Why the answer ends.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay_s: float = 0.0
    cut_at: int | None = None
    is_dropped: bool = False
    trickle_s: float = 0.0
    trickles_body: bool = False
    is_chunked: bool = False
    repeats: int = 1
    finish: str = "stop"


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call as it came.

    Attributes:
        method: ``POST``, or ``CONNECT`` where we are asked as a proxy.
        path: Of the address.
        headers: Names in small letters.
        body: As JSON.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Json


class ChatServer:
    """Serves from a thread of its own until the end of the ``with`` block.

    Args:
        answer: Makes the words of an answer from the body of a call, or the whole body of the reply as bytes.
        behaviour: What is done with calls unless ``behave`` said otherwise.
        tls: Certificate to serve with; None for plain HTTP.
        is_proxy: It is reached by ``CONNECT``, answers that plainly, and speaks TLS from then on.
    """

    def __init__(
        self,
        *,
        answer: Callable[[Json], str | bytes] = lambda body: "A",
        behaviour: Behaviour | None = None,
        tls: ssl.SSLContext | None = None,
        is_proxy: bool = False,
    ) -> None:
        self._tls, self._is_proxy = tls, is_proxy
        self.connections = 0
        self.calls: list[Call] = []
        self.most_in_flight = 0
        self._answer = answer
        self._usual = behaviour or Behaviour()
        self._queued: deque[Behaviour] = deque()
        self._in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._may_reply = threading.Event()
        self._may_reply.set()
        self._thread = threading.Thread(target=self._serve, name="chat-server", daemon=True)
        self._stop: asyncio.Event | None = None
        self.port = 0

    @property
    def base_url(self) -> str:
        """Address as a profile has it."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/v1"

    def behave(self, behaviour: Behaviour, *, times: int = 1) -> None:
        """Do something else with the next calls."""
        self._queued.extend([behaviour] * times)

    def behave_as_usual(self) -> None:
        """Forget what ``behave`` said."""
        self._queued.clear()

    def hold(self) -> None:
        """Reply to no call until ``release``."""
        self._may_reply.clear()

    def release(self) -> None:
        """Reply to the calls that wait, and to all that follow."""
        self._may_reply.set()

    def __enter__(self) -> ChatServer:
        self._thread.start()
        self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        if self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE_S)

    def serve_until_stopped(self, *, tell: Callable[[str], None]) -> None:
        """Serve on the calling thread; ``tell`` gets the address."""
        threading.Thread(target=self._tell_when_ready, args=(tell,), daemon=True).start()
        self._serve()

    def stop(self) -> None:
        """End serving; may be called from any thread."""
        if self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)

    def _tell_when_ready(self, tell: Callable[[str], None]) -> None:
        self._ready.wait(PATIENCE_S)
        tell(self.base_url)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(
            self._on_connection, "127.0.0.1", 0, backlog=512, ssl=None if self._is_proxy else self._tls
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        # Transports close in the next round of the loop.
        await asyncio.sleep(0.01)

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (call := await _read_call(reader)) is not None:
                self.calls.append(call)
                if call.method == "CONNECT" and self._tls is not None:
                    writer.write(b"HTTP/1.1 200 X\r\n\r\n")
                    await writer.start_tls(self._tls)
                    continue
                self._in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self._in_flight)
                try:
                    is_kept = await self._reply(call, writer)
                finally:
                    self._in_flight -= 1
                if not is_kept:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        except asyncio.CancelledError:
            # The server ends. The polite end of TLS waits for the other side; a cancelled task is logged.
            writer.transport.abort()
        finally:
            writer.close()

    async def _reply(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        behaviour = self._queued.popleft() if self._queued else self._usual
        while not self._may_reply.is_set():
            await asyncio.sleep(0.01)
        if behaviour.delay_s:
            await asyncio.sleep(behaviour.delay_s)
        if behaviour.is_dropped:
            return False
        body = behaviour.body
        if body is None:
            said = self._answer(call.body)
            model, finish = call.body.get("model", ""), behaviour.finish
            body = said if isinstance(said, bytes) else completion(said, model=model, finish=finish)
        framing = (
            {"Transfer-Encoding": "chunked"}
            if behaviour.is_chunked
            else {"Content-Length": str(len(body) * behaviour.repeats)}
        )
        told = {"Content-Type": "application/json", **framing, **behaviour.headers}
        lines = [f"HTTP/1.1 {behaviour.status} X", *(f"{name}: {value}" for name, value in told.items())]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        await _write(writer, head, pause_s=behaviour.trickle_s)
        shown = (_chunked(body) if behaviour.is_chunked else body)[: behaviour.cut_at]
        for _ in range(behaviour.repeats):
            await _write(writer, shown, pause_s=behaviour.trickle_s if behaviour.trickles_body else 0.0)
        return behaviour.cut_at is None


async def _write(writer: asyncio.StreamWriter, content: bytes, *, pause_s: float) -> None:
    pieces = [content[index : index + 1] for index in range(len(content))] if pause_s else [content]
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        if pause_s:
            await asyncio.sleep(pause_s)


def _chunked(body: bytes) -> bytes:
    pieces = [body[index : index + 1000] for index in range(0, len(body), 1000)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def completion(text: str, *, model: str = "", finish: str = "stop") -> bytes:
    """Return the body of a chat completion; its tokens are its words."""
    value = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": len(text.split()),
            "total_tokens": 10 + len(text.split()),
        },
    }
    return json.dumps(value).encode()


def texts_of(body: Json) -> str:
    """Return all words of a request, pictures left out."""
    words = []
    for message in body.get("messages", []):
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        words += [part["text"] for part in parts if part["type"] == "text"]
    return "\n".join(words)


async def _read_call(reader: asyncio.StreamReader) -> Call | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", 0))
    content = await reader.readexactly(length) if length else b"{}"
    method, path, _ = first.split(" ")
    return Call(method=method, path=path, headers=headers, body=json.loads(content))


def main() -> None:
    """Serve as a process until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--answer", default="A")
    options = parser.parse_args()
    server = ChatServer(answer=lambda body: options.answer, behaviour=Behaviour(delay_s=options.delay))

    def stop_at_end() -> None:
        sys.stdin.read()
        server.stop()

    threading.Thread(target=stop_at_end, daemon=True).start()
    server.serve_until_stopped(tell=lambda url: print(url, flush=True))


if __name__ == "__main__":
    main()
