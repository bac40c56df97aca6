"""Everything a server can do to a question, over real HTTP on loopback; each call is bounded in time."""

from __future__ import annotations

import gc
import gzip
import re
import socket
import threading
import time
import traceback
import zlib
from types import SimpleNamespace

import httpcore2
import pytest

from annotator.errors import UserError
from annotator.model_api import CallFailed
from models import http_transport
from models.api_keys import ApiKey
from models.chat_client import ChatClient, proxy_of
from models.guarded_stream import CONNECT_S, GuardedBackend
from models.http_transport import FailedCallError
from tests.patience import PATIENCE_S
from tests.servers.certificate import make_certificate
from tests.servers.chat_server import Behaviour, ChatServer, completion

KEY = "sk-0123456789abcdefghijklmnop"
PATH = "/v1/chat/completions"
ANSWER = completion("B")


@pytest.fixture
def server():
    with ChatServer(answer=lambda body: "B") as running:
        yield running


@pytest.fixture
def connect():
    opened = []

    def make(address, **told):
        made = ChatClient(address, **told)
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.close()
    # A socket that nobody closed warns when it is collected, and a warning fails.
    gc.collect()


def post(asked, *, timeout_s=5.0, body=b"{}"):
    return asked.post(body, timeout_s=timeout_s)


def failure(asked, *, timeout_s=5.0, body=b"{}"):
    with pytest.raises(CallFailed) as caught:
        post(asked, timeout_s=timeout_s, body=body)
    assert caught.value.__context__ is None
    return caught.value


@pytest.fixture
def silent_port():
    """Give a port that accepts connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def closed_port():
    """Give a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_post_sends_head_key_and_body_and_returns_the_answer(server, connect):
    asked = connect(server.base_url, key=ApiKey(KEY))
    got = post(asked, body=b'{"model": "m"}')
    call = server.calls[0]
    assert (got.status, got.body) == (200, completion("B", model="m"))
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.headers["accept-encoding"] == "identity"
    assert (call.path, call.body) == (PATH, {"model": "m"})


def test_post_again_uses_the_same_connection(server, connect):
    asked = connect(server.base_url)
    for _ in range(5):
        post(asked)
    assert server.connections == 1


def test_post_when_the_server_hung_up_in_between_connects_anew(server, connect):
    asked = connect(server.base_url)
    server.behave(Behaviour(headers={"Connection": "close"}))
    # The server says that it closes, but leaves the closing to the next thing it is asked.
    post(asked)
    post(asked)
    assert server.connections == 2


def test_post_when_an_idle_connection_was_closed_by_the_server_does_not_use_it(connect):
    with ChatServer() as first:
        asked = connect(first.base_url)
        post(asked)
        port = first.port
    with socket.create_server(("127.0.0.1", port)):
        error = failure(asked, timeout_s=0.2)
    # It was sent over a new connection, to the one that listens there now and says nothing.
    assert error.kind == "timeout"


def test_post_of_many_threads_needs_one_connection_each_at_most(connect):
    with ChatServer(behaviour=Behaviour(delay_s=0.02)) as server:
        asked = connect(server.base_url)
        threads = [threading.Thread(target=lambda: [post(asked) for _ in range(3)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.calls) == 24
        assert server.connections <= 8


@pytest.mark.parametrize("size", [10, 3_000, 70_000])
def test_post_when_the_answer_comes_in_chunks_puts_them_together(server, connect, size):
    body = completion("x" * size)
    server.behave(Behaviour(body=body, is_chunked=True))
    asked = connect(server.base_url)
    assert post(asked).body == body
    assert post(asked).body == ANSWER
    assert server.connections == 1


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_post_when_the_answer_is_packed_unasked_unpacks_it(server, connect, pack):
    coding = "gzip" if pack is gzip.compress else "deflate"
    server.behave(Behaviour(body=pack(ANSWER), headers={"Content-Encoding": coding}))
    assert post(connect(server.base_url)).body == ANSWER


def test_post_when_a_small_answer_unpacks_to_a_huge_one_stops(server, connect, monkeypatch):
    monkeypatch.setattr(http_transport, "LARGEST_REPLY", 2**20)
    server.behave(Behaviour(body=gzip.compress(bytes(2**22)), headers={"Content-Encoding": "gzip"}))
    error = failure(connect(server.base_url))
    assert (error.kind, error.is_retryable) == ("too_large", False)


def test_post_when_the_packed_answer_breaks_off_is_cut(server, connect):
    server.behave(Behaviour(body=gzip.compress(ANSWER)[:-20], headers={"Content-Encoding": "gzip"}))
    error = failure(connect(server.base_url))
    assert (error.kind, error.is_retryable) == ("cut", True)


@pytest.mark.parametrize(("coding", "body"), [("gzip", b"no gzip at all"), ("br", b"\x0b\x02")])
def test_post_when_the_packing_cannot_be_read_says_so(server, connect, coding, body):
    server.behave(Behaviour(body=body, headers={"Content-Encoding": coding}))
    assert failure(connect(server.base_url)).kind == "format"


@pytest.mark.parametrize("behaviour", [Behaviour(cut_at=20), Behaviour(cut_at=20, is_chunked=True)])
def test_post_when_the_body_breaks_off_is_cut_and_keeps_what_came(server, connect, behaviour):
    server.behave(behaviour)
    error = failure(connect(server.base_url))
    assert (error.kind, error.is_retryable, error.was_sent) == ("cut", True, True)
    assert behaviour.is_chunked or error.raw == ANSWER[:20]


def test_post_when_the_server_hangs_up_without_a_word_may_have_been_read(server, connect):
    server.behave(Behaviour(is_dropped=True))
    error = failure(connect(server.base_url))
    assert (error.kind, error.is_retryable, error.was_sent) == ("connection", True, True)


def test_post_when_the_server_resets_after_reading_may_have_been_read(connect):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = connect(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")

        def reset():
            connection, _ = listening.accept()
            connection.recv(10)
            # Closing with unread bytes and no lingering sends a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            connection.close()

        thread = threading.Thread(target=reset)
        thread.start()
        error = failure(asked, body=bytes(100_000))
        thread.join()
    assert (error.kind, error.is_retryable, error.was_sent) == ("connection", True, True)


def test_post_when_nobody_listens_was_not_sent(closed_port, connect):
    error = failure(connect(f"http://127.0.0.1:{closed_port}/v1"))
    assert (error.kind, error.is_retryable, error.was_sent) == ("connection", True, False)


def test_post_when_no_answer_comes_ends_at_the_deadline(silent_port, connect):
    began = time.monotonic()
    error = failure(connect(f"http://127.0.0.1:{silent_port}/v1"), timeout_s=0.2)
    assert (error.kind, error.is_retryable, error.was_sent) == ("timeout", True, True)
    assert time.monotonic() - began < PATIENCE_S


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(trickle_s=0.02),
        Behaviour(trickle_s=0.02, trickles_body=True, headers={"X": ""}),
        Behaviour(trickle_s=0.02, trickles_body=True, is_chunked=True),
    ],
)
def test_post_when_the_answer_trickles_ends_at_the_deadline_all_the_same(server, connect, behaviour):
    server.behave(behaviour)
    began = time.monotonic()
    error = failure(connect(server.base_url), timeout_s=0.3)
    assert error.kind == "timeout"
    assert time.monotonic() - began < PATIENCE_S


def test_post_when_the_body_alone_trickles_ends_at_the_deadline(connect):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = connect(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        is_over = threading.Event()

        def trickle():
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not is_over.wait(0.02):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=trickle)
        thread.start()
        error = failure(asked, timeout_s=0.3)
        is_over.set()
        thread.join()
    assert error.kind == "timeout"
    assert error.raw.strip(b"x") == b""


def test_post_when_the_server_takes_no_bytes_ends_at_the_deadline(silent_port, connect):
    error = failure(connect(f"http://127.0.0.1:{silent_port}/v1"), timeout_s=0.3, body=bytes(2**24))
    assert (error.kind, error.was_sent) == ("timeout", True)


@pytest.mark.parametrize("behaviour", [{}, {"is_chunked": True}])
def test_post_when_the_answer_is_huge_stops_reading(server, connect, monkeypatch, behaviour):
    monkeypatch.setattr(http_transport, "LARGEST_REPLY", 2**20)
    server.behave(Behaviour(body=bytes(2**16), repeats=64, **behaviour))
    # Of a chunked body that is repeated the first part ends the answer, so it has to be large by itself.
    if behaviour:
        server._queued[-1] = Behaviour(body=bytes(2**22), is_chunked=True)
    error = failure(connect(server.base_url))
    assert (error.kind, error.is_retryable) == ("too_large", False)


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH_9\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 30_000, b"\0" * 70_000]
)
def test_post_when_the_server_speaks_no_http_says_so(connect, said):
    error = _told_by_raw_server(connect, said)
    assert (error.kind, error.is_retryable) == ("format", True)
    assert "not HTTP" in str(error)


@pytest.mark.parametrize("size", [b"-1", b"-5", b"zz", b"FFFFFFFFFFFF"])
def test_post_when_a_chunk_has_an_odd_size_is_no_error_of_ours(connect, monkeypatch, size):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    error = _told_by_raw_server(connect, head + size + b"\r\n" + bytes(2**21))
    assert error.kind in {"cut", "format", "too_large"}


def test_post_when_the_length_is_a_lie_stops_before_reading(connect):
    error = _told_by_raw_server(connect, b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{}")
    assert error.kind == "too_large"


def _told_by_raw_server(connect, said, *, scheme="http"):
    """Return the failure of a question to a server that says something and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            connection, _ = listening.accept()
            with connection:
                # Closing with bytes unread would send a reset behind the answer.
                heard = connection.recv(2**16)
                while scheme == "http" and not heard.endswith(b"{}"):
                    heard += connection.recv(2**16)
                try:
                    connection.sendall(said)
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            return failure(connect(f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/v1"))
        finally:
            thread.join()


def test_post_when_the_server_refuses_half_way_gives_its_answer(connect):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = connect(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")

        def refuse():
            connection, _ = listening.accept()
            with connection:
                connection.recv(10)
                connection.sendall(b"HTTP/1.1 413 X\r\nContent-Length: 2\r\n\r\n{}")

        thread = threading.Thread(target=refuse)
        thread.start()
        got = post(asked, body=bytes(2**22))
        thread.join()
    assert got.status == 413


def test_post_when_redirected_does_not_follow(server, connect):
    with ChatServer() as other:
        server.behave(Behaviour(status=307, headers={"Location": f"{other.base_url}/chat/completions"}))
        got = post(connect(server.base_url, key=ApiKey(KEY)))
        assert (got.status, other.calls) == (307, [])


def test_request_to_another_origin_when_it_reaches_the_transport_then_is_refused(server, connect):
    asked = connect("https://models.example/v1", key=ApiKey(KEY))
    with pytest.raises(FailedCallError) as caught:
        asked._sdk._client.post(f"{server.base_url}/chat/completions", content=b"{}")
    assert (caught.value.failure.kind, caught.value.failure.was_sent) == ("redirect", False)
    assert server.calls == []


def test_post_when_a_host_has_several_addresses_then_all_of_them_share_the_deadline(monkeypatch, connect):
    clock = iter(range(1000))
    backend = GuardedBackend()
    monkeypatch.setattr("models.guarded_stream._addresses", lambda host, port: ["192.0.2.1"] * 50)
    monkeypatch.setattr("models.guarded_stream.time", SimpleNamespace(monotonic=lambda: next(clock)))
    limits = []

    def refuse(host, port, timeout, *_):
        limits.append(timeout)
        raise httpcore2.ConnectTimeout

    monkeypatch.setattr(backend._plain, "connect_tcp", refuse)
    with backend.exchange(deadline=12.0, most_bytes=10), pytest.raises(httpcore2.ConnectTimeout):
        backend.connect_tcp("models.example", 80)
    assert limits == [CONNECT_S, CONNECT_S, *range(10, 0, -1)]


def test_post_when_the_body_repeats_the_key_hides_it(server, connect):
    for packed in (False, True):
        body = f'{{"error": "bad key {KEY}"}}'.encode()
        headers = {"Content-Encoding": "gzip"} if packed else {}
        server.behave(Behaviour(status=401, body=gzip.compress(body) if packed else body, headers=headers))
        assert post(connect(server.base_url, key=ApiKey(KEY))).body == b'{"error": "bad key ***"}'


def test_post_with_a_certificate_nobody_knows_sends_nothing(tmp_path, connect):
    context, _ = make_certificate(tmp_path)
    with ChatServer(tls=context) as server:
        error = failure(connect(server.base_url, key=ApiKey(KEY)))
        assert server.calls == []
    assert (error.kind, error.is_retryable, error.was_sent) == ("connection", False, False)
    assert "ca_file" in str(error)


def test_post_with_a_certificate_of_ones_own_is_answered_over_one_connection(tmp_path, connect):
    context, file = make_certificate(tmp_path)
    with ChatServer(tls=context) as server:
        asked = connect(server.base_url, ca_file=str(file))
        assert [post(asked).body, post(asked).body] == [completion("A")] * 2
        assert server.connections == 1


def test_post_over_tls_to_a_server_that_speaks_none_is_not_tried_again(connect):
    error = _told_by_raw_server(connect, b"HTTP/1.1 400 Bad Request\r\n\r\n", scheme="https")
    assert (error.kind, error.is_retryable, error.was_sent) == ("connection", False, False)


def test_post_over_tls_when_the_handshake_hangs_ends_at_the_deadline(silent_port, connect):
    error = failure(connect(f"https://127.0.0.1:{silent_port}/v1"), timeout_s=0.2)
    assert (error.kind, error.was_sent) == ("timeout", False)


def test_client_when_the_certificates_cannot_be_read_says_so(tmp_path):
    (tmp_path / "empty.pem").write_text("nothing")
    for name in ("none.pem", "empty.pem"):
        with pytest.raises(UserError, match=name):
            ChatClient("https://127.0.0.1/v1", ca_file=str(tmp_path / name))


def test_post_with_a_proxy_goes_through_it_with_its_own_credentials(server, connect, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://me:p%40ss@127.0.0.1:{server.port}")
    got = post(connect("http://models.example/v1", key=ApiKey(KEY)))
    call = server.calls[0]
    assert got.body == ANSWER
    assert (call.path, call.headers["host"]) == (f"http://models.example{PATH}", "models.example")
    assert call.headers["proxy-authorization"] == "Basic bWU6cEBzcw=="


def test_post_over_tls_with_a_proxy_shows_it_neither_question_nor_key(tmp_path, connect, monkeypatch):
    context, file = make_certificate(tmp_path, names=("models.example",))
    with ChatServer(tls=context, is_proxy=True) as proxy:
        monkeypatch.setenv("https_proxy", f"http://me:pass@127.0.0.1:{proxy.port}")
        asked = connect("https://models.example/v1", key=ApiKey(KEY), ca_file=str(file))
        got = post(asked)
        opening, call = proxy.calls
    assert (opening.method, opening.path) == ("CONNECT", "models.example:443")
    assert "authorization" not in opening.headers
    assert "proxy-authorization" not in call.headers
    assert (got.status, call.path) == (200, PATH)


def test_post_over_tls_when_the_proxy_refuses_says_so(server, connect, monkeypatch):
    server.behave(Behaviour(status=407))
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.port}")
    error = failure(connect("https://models.example/v1"))
    assert (error.kind, error.was_sent) == ("connection", False)
    assert "407" in str(error)


def test_client_to_this_machine_uses_no_proxy(server, connect, monkeypatch, closed_port):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port}")
    assert post(connect(server.base_url)).status == 200


def test_client_with_a_host_that_the_environment_exempts_uses_no_proxy(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "models.example")
    assert proxy_of("models.example", is_tls=True) is None
    assert proxy_of("other.example", is_tls=True).url.port == 1


def test_client_with_a_proxy_of_another_kind_is_refused_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "socks5://me:topsecret@127.0.0.1:1")
    with pytest.raises(UserError, match="not an http:// proxy") as caught:
        ChatClient("https://models.example/v1")
    assert "topsecret" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1", "http://x:0/"]
)
def test_client_of_an_address_that_is_none_is_refused(address):
    with pytest.raises(UserError, match="Invalid server URL"):
        ChatClient(address)


def test_client_of_an_address_with_a_password_is_refused_without_showing_it():
    with pytest.raises(UserError, match="contains a name or a password") as caught:
        ChatClient("https://me:topsecret@models.example/v1")
    assert "topsecret" not in str(caught.value)


def test_close_when_a_question_is_in_progress_then_it_fails_at_once(connect):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = connect(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        failures = []
        thread = threading.Thread(target=lambda: failures.append(failure(asked, timeout_s=PATIENCE_S)))
        thread.start()
        connection, _ = listening.accept()
        with connection:
            connection.recv(1)
            asked.close()
            thread.join(PATIENCE_S)
    assert [error.kind for error in failures] == ["connection"]


def test_post_after_close_is_refused(server, connect):
    asked = connect(server.base_url)
    asked.close()
    error = failure(asked)
    assert (error.kind, error.was_sent, server.calls) == ("connection", False, [])


def test_failure_of_any_kind_shows_the_key_in_no_frame(server, connect, silent_port, closed_port):
    for address, behaviour in (
        (server.base_url, Behaviour(is_dropped=True)),
        (server.base_url, Behaviour(cut_at=5)),
        (server.base_url, Behaviour(status=200, body=f"{KEY} is wrong".encode(), cut_at=35)),
        (f"http://127.0.0.1:{silent_port}", None),
        (f"http://127.0.0.1:{closed_port}", None),
    ):
        if behaviour:
            server.behave(behaviour)
        error = failure(connect(address, key=ApiKey(KEY)), timeout_s=0.5)
        shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
        assert not re.search(KEY, f"{shown}{error!r}{error}{vars(error)}")
