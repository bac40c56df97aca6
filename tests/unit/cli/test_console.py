from __future__ import annotations

import io
import os
from concurrent.futures import Future
from typing import Any

import pytest
from rich.console import Console as RichConsole

from annotator.cli import console as console_module
from annotator.cli.console import Console, plain, rate_text, time_left_text
from annotator.errors import Cancelled
from annotator.progress import Progress, ProgressUpdate


def test_result_when_json_is_wanted_then_prints_one_line_and_no_words(
    capfd: pytest.CaptureFixture[str],
) -> None:
    console = Console(as_json=True)
    console.result({"name": "停", "n": 1}, print_text=lambda: console.print("words"))
    assert capfd.readouterr() == ('{"name":"停","n":1}\n', "")


def test_result_when_words_are_wanted_then_prints_no_json(capfd: pytest.CaptureFixture[str]) -> None:
    console = Console(as_json=False)
    console.result({"n": 1}, print_text=lambda: console.print("words"))
    assert capfd.readouterr() == ("words\n", "")


def test_say_when_the_text_is_long_or_looks_like_markup_then_is_printed_as_it_is(
    capfd: pytest.CaptureFixture[str],
) -> None:
    text = "[bold]" + "long words " * 40 + ":smile: /a/path 123"
    Console(as_json=False).print(text)
    assert capfd.readouterr().out == text + "\n"


def test_warn_when_called_then_speaks_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    Console(as_json=True).warn("trouble")
    assert capfd.readouterr() == ("", "trouble\n")


HOSTILE = "red\x1b[2J\x1b]0;title\x07 \x9b31m\x7f\r"


def test_plain_when_text_would_steer_a_terminal_then_shows_signs_in_its_place() -> None:
    assert plain(HOSTILE) == "red\ufffd[2J\ufffd]0;title\ufffd \ufffd31m\ufffd\ufffd"
    assert plain("two\nlines\tand 停") == "two\nlines\tand 停"


def test_console_when_data_would_steer_a_terminal_then_does_not_let_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    console = Console(as_json=False)
    console.print(HOSTILE)
    console.warn(HOSTILE)
    console.table("Title", head=(HOSTILE,), rows=[(HOSTILE,)])
    with console.progress() as progress:
        progress.begin(f"Reading {HOSTILE}")
    out, err = capfd.readouterr()
    assert "red" in out
    assert "red" in err
    assert not {"\x1b", "\x07", "\x9b", "\r", "\x7f"} & set(out + err)


def test_table_when_a_column_holds_numbers_then_they_stand_flush_right(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Console(as_json=False).table("Counts", head=("kind", "n"), rows=[("a", "7"), ("long one", "1,200")])
    lines = [line.rstrip() for line in capfd.readouterr().out.splitlines()]
    assert lines[:4] == ["Counts", "kind          n", "a             7", "long one  1,200"]


def test_table_if_any_when_there_are_no_rows_then_neither_title_nor_heads_are_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    console = Console(as_json=False)
    console.table_if_any("Empty", head=("kind",), rows=[])
    console.table_if_any("Counts", head=("kind",), rows=[("a",)])
    assert capfd.readouterr().out.split() == ["Counts", "kind", "a"]


def test_console_when_the_locale_lacks_letters_then_json_is_utf_8_and_words_are_escaped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for as_json, wanted in ((True, '{"a":"停"}\n'.encode()), (False, b"\\u505c\n")):
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr("sys.stdout", out)
        console = Console(as_json=as_json)
        console.result({"a": "停"}, print_text=lambda console=console: console.print("停"))
        out.flush()
        assert out.buffer.getvalue() == wanted  # type: ignore[attr-defined]


class Interrupted(Future[str]):
    """A future in whose waiting somebody presses Ctrl+C, once or more often."""

    def __init__(self, *, times: int) -> None:
        super().__init__()
        self.times = times

    def result(self, timeout: float | None = None) -> str:
        if self.times:
            self.times -= 1
            raise KeyboardInterrupt
        return super().result(timeout)


@pytest.mark.parametrize("times", [1, 3])
def test_wait_when_interrupted_then_cancels_and_waits_for_the_way_back(times: int) -> None:
    progress = Progress()
    future = Interrupted(times=times)
    future.set_exception(Cancelled())
    with pytest.raises(Cancelled):
        Console.wait(future, progress=progress)
    assert future.times == 0
    with pytest.raises(Cancelled):
        progress.step()


def test_wait_when_the_work_was_done_before_it_noticed_then_gives_the_result() -> None:
    future = Interrupted(times=1)
    future.set_result("saved")
    assert Console.wait(future, progress=Progress()) == "saved"


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_progress_when_there_is_no_terminal_then_prints_a_line_per_phase_and_one_from_time_to_time(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(console_module, "time", clock)
    with Console(as_json=True).progress() as progress:
        report: Any = progress._report
        report(ProgressUpdate("Reading", 0, 100, 0.0))
        for done in range(1, 51):
            clock.now += 0.125
            report(ProgressUpdate("Reading", done, 100, done / 10))
        report(ProgressUpdate("Writing", 0, None, 0.0))
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "Reading",
        "Reading: 16 of 100 (10/s), 0:00:08 left",
        "Reading: 32 of 100 (10/s), 0:00:07 left",
        "Reading: 48 of 100 (10/s), 0:00:05 left",
        "Writing",
    ]


def test_progress_when_there_is_a_terminal_then_draws_a_bar_per_phase() -> None:
    console = Console(as_json=False)
    screen = io.StringIO()
    console._error = RichConsole(
        file=screen, force_terminal=True, width=100, _environ={**os.environ, "TERM": "xterm"}
    )
    with console.progress() as progress:
        progress.begin("Reading a.json", total=4)
        progress.step(4)
        progress.end()
        progress.begin("Writing")
    shown = screen.getvalue()
    assert "Reading a.json" in shown
    assert "4 of 4" in shown
    assert "Writing" in shown


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (ProgressUpdate("x", 1200, 1827, 0.5), "1,200 of 1,827 (2,400/s)"),
        (ProgressUpdate("x", 1200, None, 0.5), "1,200 (2,400/s)"),
        (ProgressUpdate("x", 0, 10, 0.0), "0 of 10 (0/s)"),
    ],
)
def test_rate_words_when_a_step_is_told_then_say_how_far_and_how_fast(
    step: ProgressUpdate, message: str
) -> None:
    assert rate_text(step) == message


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (ProgressUpdate("Asking", 10, 50, 20.0), ", 0:01:20 left"),
        (
            ProgressUpdate("Asking", 10, 50, 20.0, is_left_reported=True, reported_left_s=7200.4),
            ", 2:00:00 left",
        ),
        (ProgressUpdate("Asking", 10, 50, 20.0, is_left_reported=True), ""),
        (ProgressUpdate("Asking", 50, 50, 20.0), ""),
        (ProgressUpdate("Asking", 0, 50, 0.0), ""),
    ],
)
def test_left_words_when_a_step_is_told_then_say_how_long_the_rest_takes(
    step: ProgressUpdate, message: str
) -> None:
    assert time_left_text(step) == message
