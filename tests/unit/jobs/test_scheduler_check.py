"""What is said where a scheduler does not let us in; the other side is a real socket on loopback."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs import scheduler_check
from annotator.jobs.cluster_file import ClusterAddress
from annotator.jobs.scheduler_check import check_scheduler
from tests.patience import PATIENCE_S
from tests.servers.authority import Authority, Papers


class Doorman:
    """Says a word to whoever comes in, as a scheduler does; with papers, to whom it believes."""

    def __init__(self, papers: Papers | None = None, *, is_silent: bool = False) -> None:
        self.welcomed = 0
        self._is_silent = is_silent
        self._context = None
        if papers is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(papers.cert_file, papers.key_file)
            self._context.load_verify_locations(papers.ca_file)
            self._context.verify_mode = ssl.CERT_REQUIRED
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            # Nothing else wakes a thread that waits for somebody to come.
            self._listening.shutdown(socket.SHUT_RDWR)
            self._thread.join(PATIENCE_S)
        self._listening.close()

    def _serve(self) -> None:
        greeting: list[threading.Thread] = []
        while True:
            try:
                came, _ = self._listening.accept()
            except OSError:
                break
            greeting.append(threading.Thread(target=self._greet, args=(came,), daemon=True))
            greeting[-1].start()
        for each in greeting:
            each.join(PATIENCE_S)

    def _greet(self, came: socket.socket) -> None:
        with came, contextlib.suppress(OSError):
            if self._context is not None:
                with self._context.wrap_socket(came, server_side=True) as secret:
                    secret.sendall(b"hello")
                    self.welcomed += 1
            elif self._is_silent:
                came.recv(1)
            else:
                came.sendall(b"hello")
                self.welcomed += 1
                # Not before the other side has gone: what it sent would be answered with a reset.
                came.recv(1000)


@pytest.fixture
def open_door() -> Iterator[Callable[..., Doorman]]:
    made: list[Doorman] = []

    def make(*given: Papers, **told: bool) -> Doorman:
        made.append(Doorman(*given, **told))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_check, "WORD_S", 0.2)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def tls(door: Doorman, papers: Papers) -> ClusterAddress:
    return ClusterAddress(address=f"tls://{door.address}", **asdict(papers))


def test_check_when_both_sides_trust_each_other_then_is_let_in(
    open_door: Callable[..., Doorman], authority: Authority
) -> None:
    door = open_door(authority.papers("scheduler"))
    check_scheduler(tls(door, authority.papers("us")))
    assert door.welcomed == 1


def test_check_when_nothing_is_encrypted_then_is_let_in(open_door: Callable[..., Doorman]) -> None:
    door = open_door()
    check_scheduler(ClusterAddress(address=f"tcp://{door.address}"))
    door.close()
    assert door.welcomed == 1


def test_check_when_our_certificate_is_a_stranger_then_says_who_has_to_sign_it(
    open_door: Callable[..., Doorman], authority: Authority, tmp_path: Path
) -> None:
    door = open_door(authority.papers("scheduler"))
    stranger = replace(
        Authority(tmp_path / "other", name="other").papers("stranger"), ca_file=authority.ca_file
    )
    with pytest.raises(UserError, match=r"rejects the client certificate: .*unknown ca") as caught:
        check_scheduler(tls(door, stranger))
    assert f"Sign {stranger.cert_file} with" in caught.value.hint
    assert door.welcomed == 0


def test_check_when_the_schedulers_certificate_is_a_stranger_then_says_so(
    open_door: Callable[..., Doorman], authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "other", name="other")
    with pytest.raises(UserError, match=r"certificate of the scheduler at .* is not trusted") as caught:
        check_scheduler(tls(open_door(other.papers("scheduler")), authority.papers("us")))
    assert authority.ca_file in caught.value.hint


def test_check_when_only_the_scheduler_encrypts_then_says_what_to_write(
    open_door: Callable[..., Doorman], authority: Authority
) -> None:
    door = open_door(authority.papers("scheduler"))
    with pytest.raises(UserError, match="requires TLS") as caught:
        check_scheduler(ClusterAddress(address=f"tcp://{door.address}"))
    assert f"Set tls://{door.address}" in caught.value.hint


def test_check_when_only_we_encrypt_then_says_so(
    open_door: Callable[..., Doorman], authority: Authority
) -> None:
    with pytest.raises(UserError, match="does not use TLS"):
        check_scheduler(tls(open_door(), authority.papers("us")))


def test_check_when_a_scheduler_is_busy_then_dask_is_left_to_wait(open_door: Callable[..., Doorman]) -> None:
    door = open_door(is_silent=True)
    check_scheduler(ClusterAddress(address=f"tcp://{door.address}"))
    assert door.welcomed == 0


def test_check_when_nobody_is_there_then_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"tcp://127.0.0.1:{gone.getsockname()[1]}"
    with pytest.raises(EnvironmentFailure, match=f"The Dask scheduler at {address} does not answer"):
        check_scheduler(ClusterAddress(address=address))


@pytest.mark.parametrize("address", ["tcp://h", "h:8786", "http://h:8786", "tcp://h:x", "tcp://[h:1"])
def test_check_when_the_address_is_none_then_says_how_one_looks(address: str) -> None:
    with pytest.raises(UserError, match="not the address of a Dask scheduler") as caught:
        check_scheduler(ClusterAddress(address=address))
    assert "tcp://HOST:8786" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "other", "text"),
    [
        ("key_file", "key_file", "not a certificate and its key"),
        ("ca_file", "key_file", "not the certificate of an"),
    ],
)
def test_check_when_a_file_is_another_one_then_names_it(
    open_door: Callable[..., Doorman], authority: Authority, name: str, other: str, text: str
) -> None:
    ours, theirs = authority.papers("us"), authority.papers("them")
    wrong = replace(ours, **{name: getattr(theirs, other)})
    with pytest.raises(UserError, match=text):
        check_scheduler(tls(open_door(authority.papers("scheduler")), wrong))
