"""An API key that the server sends back, encoded in each way: afterwards nothing holds any part of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from annotator.diagnostics.crash_report import CrashReport
from annotator.model_api import CallFailed
from annotator.queries.reader import Reader
from annotator.store.connection import connect
from models.api_keys import ApiKey
from models.chat_client import ChatClient
from models.key_search import KeySearch
from tests.patience import PATIENCE_S
from tests.unit.jobs import work_process
from tests.unit.jobs.working import enter, plans, profile
from tests.unit.models.test_key_search import ENCODINGS, KEY

PROCESS = Path(work_process.__file__)
PLACES = ("answer", "error", "page", "redirect", "no HTTP", "cut", "other header")
WAYS = [(location, name) for location in PLACES for name in ENCODINGS]
SEARCH = KeySearch(KEY.encode())
PARTS = [KEY[start : start + 8] for start in range(len(KEY) - 7)]


NEEDLES = {name: [encode(part).encode() for part in (*PARTS, KEY)] for name, encode in ENCODINGS.items()}


class _Http(ThreadingHTTPServer):
    request_queue_size = 256
    """Calls that wait to be accepted: with the usual five, a busy machine loses those of one moment."""


class EchoServer:
    """Answers each call with the key of its header, in the next place and encoding."""

    def __init__(self, ways: list[tuple[str, str]]) -> None:
        server = self
        self.calls = 0
        self.sent: list[bytes] = []
        self.commands: set[bytes] = set()

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                location, name = ways[server.calls % len(ways)]
                server.calls += 1
                server.commands.update(command_lines())
                key = self.headers["Authorization"].removeprefix("Bearer ")
                content = reply(location, ENCODINGS[name](key))
                server.sent.append(content)
                self.wfile.write(content)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._http = _Http(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"

    @contextmanager
    def serving(self) -> Iterator[EchoServer]:
        thread = Thread(target=self._http.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            thread.join()
            self._http.server_close()


def reply(location: str, encoded: str) -> bytes:
    """Return a whole HTTP response with an encoded key in it."""
    choice = {"message": {"role": "assistant", "content": f"A {encoded}"}, "finish_reason": "stop"}
    answer = json.dumps({"id": encoded, "choices": [choice], "usage": {"prompt_tokens": 1}})
    line = encoded.replace("\0", "")
    heads = {
        "answer": ("200 OK", "", answer),
        "error": ("400 Bad Request", "", json.dumps({"error": {"message": f"Wrong key: {encoded}"}})),
        "page": ("502 Bad Gateway", "", f"<title>Key {encoded}</title><p>{encoded}"),
        "redirect": ("302 Found", f"Location: http://127.0.0.1:9/login?key={line}\r\n", ""),
        "no HTTP": ("", "", encoded),
        "cut": ("200 OK", "Content-Length: 100000\r\n", answer),
        "other header": ("400 Bad Request", f"Retry-After: {line}\r\nX-Request-Id: {line}\r\n", encoded),
    }
    status, headers, body = heads[location]
    return (
        f"HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n{body}".encode() if status else body.encode()
    )


def command_lines() -> set[bytes]:
    """Return the command lines of all processes of this machine."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.add(file.read_bytes())
        except OSError:
            continue
    return found


def holds_key(content: bytes) -> str:
    """Return in which encoding a content holds a part of the key, "" for none."""
    found = (name for name, needles in NEEDLES.items() if any(needle in content for needle in needles))
    return next(found, "")


def stored(project: Path) -> Iterator[bytes]:
    """Yield every value of every table, unpacked where it is compressed."""
    with closing(connect(project, read_only=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type='table'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    content = value if isinstance(value, bytes) else str(value).encode()
                    yield content
                    try:
                        yield zlib.decompress(content)
                    except zlib.error:
                        continue


@pytest.mark.slow
@pytest.mark.parametrize("ways", [WAYS, WAYS[::13]], ids=["all", "some"])
def test_worker_when_a_server_sends_the_key_back_in_every_way_then_no_part_of_it_is_kept_anywhere(
    project: Path, tmp_path: Path, ways: list[tuple[str, str]]
) -> None:
    with EchoServer(ways).serving() as server:
        enter(
            project,
            plans(len(ways)),
            model=profile(base_url=server.base_url, key_from="env:CANARY", tries=1, in_flight=len(ways)),
        )
        done = subprocess.run(
            [sys.executable, PROCESS, "worker", str(project), "--until-done"],
            env={**os.environ, "CANARY": KEY},
            check=False,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    assert server.calls >= len(ways)
    # The check finds what the server sent, and would find it here.
    assert sum(bool(holds_key(content)) for content in server.sent) > len(ways) / 2
    assert all(SEARCH.find(content) for content in server.sent)
    assert [holds_key(content) for content in (done.stdout, done.stderr)] == ["", ""]
    assert not any(map(holds_key, server.commands))
    with closing(Reader.open(project)) as reader:
        progress = reader.runs.progress("r1")
        assert progress.waiting + progress.in_flight == 0
    values = set(stored(project))
    assert not any(map(holds_key, values))
    assert not any(map(SEARCH.find, values))
    for command in (
        ("list", project, "--json"),
        ("show", project, "r1", "--json"),
        ("show", project, "r1"),
        ("predictions", project, "r1", "--out", tmp_path / "export.jsonl"),
    ):
        said = subprocess.run(
            [sys.executable, PROCESS, "runs", *map(str, command)],
            capture_output=True,
            check=True,
            timeout=PATIENCE_S,
        )
        assert holds_key(said.stdout + said.stderr) == ""
        assert SEARCH.find(said.stdout + said.stderr) == []
    assert (tmp_path / "export.jsonl").stat().st_size
    folders = [
        project.parent,
        *(Path(os.environ[name]) for name in os.environ if name.startswith("VANTAGE_")),
    ]
    files = {file for folder in folders if folder.is_dir() for file in folder.rglob("*") if file.is_file()}
    assert project in files
    assert {file for file in files if holds_key(file.read_bytes())} == set()


def test_crash_report_when_an_error_comes_from_the_call_then_the_key_is_not_in_it() -> None:
    with EchoServer(WAYS).serving() as server:
        client = ChatClient(server.base_url, key=ApiKey(KEY))
        told: list[bytes] = []
        for _ in WAYS:
            try:
                client.post(b"{}", timeout_s=PATIENCE_S)
            except CallFailed as error:
                report = CrashReport.of(error, process="worker", thread="vantage-call-0")
                told.append(f"{report.text()}{error}{error.__dict__}".encode())
        client.close()
    assert server.calls == len(WAYS)
    assert told
    assert not any(map(holds_key, told))
