"""The bar of model work: what others answered moves it too."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from annotator.cli import run_progress
from annotator.cli.run_progress import RunProgressBar
from annotator.domain.run import Prediction
from annotator.domain.work import JobOutcome
from annotator.jobs import retry
from annotator.model_api import CallFailed, ChatRequest
from annotator.progress import Progress, ProgressUpdate
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue
from main import main
from tests.unit.jobs.working import NAME, Voice, enter, make_project, plans, profile, work


def test_progress_bar_when_others_answer_then_the_bar_follows_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "p.vantage")
    enter(project, plans(5))
    reader = Reader.open(project)
    told: list[ProgressUpdate] = []
    progress_bar = RunProgressBar(reader, runs=("r1",), progress=Progress(told.append), report=print)
    work(project, Voice())
    progress_bar.end()
    assert {(one.what, one.done, one.total) for one in told} == {("Asking", 0, 5), ("Asking", 5, 5)}
    enter(project, plans(3, first=5), run="r2")
    monkeypatch.setattr(run_progress, "CHECK_EVERY_S", 0.0)
    monkeypatch.setattr("annotator.progress.REPORT_EVERY_S", 0.0)
    told.clear()
    progress_bar = RunProgressBar(reader, runs=("r1", "r2"), progress=Progress(told.append), report=print)
    work(project, Voice())
    progress_bar.update()
    assert [(one.done, one.total) for one in told] == [(0, 3), (3, 3)]
    reader.close()


def test_progress_bar_when_runs_go_on_then_the_time_left_is_that_of_the_one_that_is_through_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "p.vantage")
    enter(project, plans(4))
    enter(project, plans(40, first=4), run="r2")
    reader = Reader.open(project)
    told: list[ProgressUpdate] = []
    progress_bar = RunProgressBar(reader, runs=("r1", "r2"), progress=Progress(told.append), report=print)
    queue = WorkQueue.open(project)
    for run, count in (("r1", 2), ("r2", 1)):
        progress_bar.update()
        progress_bar.end()
        # Of a run that nobody has answered a job of nobody can say how long it takes.
        assert told[-1].left_s is None
        claims = queue.claim("w", run=run, model=NAME, count=count, now=time.time())
        outcomes = [
            JobOutcome(
                claim=one,
                prediction=Prediction(request_key=one.request_key.hex(), kind="answer", target=one.target),
            )
            for one in claims
        ]
        queue.record(outcomes, now=time.time())
    progress_bar.end()
    longest = max(filter(None, (reader.runs.progress(run).left_s for run in ("r1", "r2"))))
    assert told[-1].left_s == pytest.approx(longest, rel=0.2)
    assert longest > 10
    queue.close()
    reader.close()


def test_progress_bar_when_calls_fail_then_says_each_way_once_and_not_what_failed_before(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path / "p.vantage")
    enter(project, plans(6), model=profile(tries=1))
    reader = Reader.open(project)

    def refused(request: ChatRequest) -> str | Exception:
        kind = "server" if int(request.text) % 2 else "connection"
        return CallFailed(f"Trouble of the {kind}.", kind=kind, is_retryable=True)  # type: ignore[arg-type]

    said: list[str] = []
    progress_bar = RunProgressBar(reader, runs=("r1",), progress=Progress(), report=said.append)
    work(project, Voice(answer=refused), recorded=lambda _count: progress_bar.update())
    assert sorted(said) == [
        "A call failed (server error): Trouble of the server.",
        "A call failed (server not reachable): Trouble of the connection.",
    ]
    progress_bar.end()
    later = RunProgressBar(reader, runs=("r1",), progress=Progress(), report=said.append)
    later.update()
    assert len(said) == 2
    reader.close()


def test_dispatcher_when_a_call_is_to_be_made_again_then_that_it_failed_is_told_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "BASE_S", 0.001)
    project = make_project(tmp_path / "p.vantage")
    enter(project, plans(1), model=profile(tries=3))
    lost = CallFailed("Nobody is there.", kind="connection", is_retryable=True)
    voice = Voice(answer=lambda request: lost)
    told: list[tuple[int, int]] = []
    work(project, voice, recorded=lambda count: told.append((len(voice.asked), count)))
    # Of each try, though no job has ended before the last.
    assert {(1, 0), (2, 0), (3, 1)} <= set(told)


@pytest.mark.parametrize("number", ["0", "65", "-1", "two"])
def test_workers_when_no_number_of_processes_then_says_which_are(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], number: str
) -> None:
    assert main(["worker", str(make_project(tmp_path / "p.vantage")), "--workers", number]) == 2
    assert "a number from 1 to 64, or 'auto'" in capfd.readouterr().err
