"""The dispatcher on a real project file, with real threads and models in process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.jobs import calls, claim_watch, model_schedulers, shared_model
from annotator.jobs import dispatcher as dispatching
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.model_api import CallFailed, ChatRequest, ModelIdentity
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.store.connection import connect
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S, wait_until
from tests.unit.jobs.working import (
    ECHO,
    Voice,
    answers,
    dispatcher,
    echoed,
    enter,
    kind_of,
    plans,
    profile,
    work,
)


def once(error: Exception, *, of: str = "0") -> Callable[[ChatRequest], str | Exception]:
    """Answer with the text, but the first time of one text with an error."""
    seen: list[str] = []

    def answer(request: ChatRequest) -> str | Exception:
        seen.append(request.text)
        return error if request.text == of and seen.count(of) == 1 else request.text

    return answer


def rate(**changes: Any) -> CallFailed:
    return CallFailed("Too fast.", **{"kind": "rate", "is_retryable": True, "status": 429, **changes})


class Steered:
    """A dispatcher on a thread of its own, and a model whose calls wait to be let go."""

    def __init__(self, path: Path, **changes: Any) -> None:
        self.gate = threading.Event()
        self.entered = threading.Semaphore(0)
        self.voice = Voice(answer=self._answer)
        self._dispatcher = dispatcher(path, self.voice, **changes)
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Steered:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def wait_for_calls(self, count: int) -> None:
        for _ in range(count):
            assert self.entered.acquire(timeout=PATIENCE_S)

    def stop(self) -> None:
        self._dispatcher.stop()

    def tell_to(self, tell: Callable[[str], None]) -> None:
        self._dispatcher.tell = tell

    def end(self) -> None:
        self.gate.set()
        self._dispatcher.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def _answer(self, request: ChatRequest) -> str:
        self.entered.release()
        assert self.gate.wait(PATIENCE_S)
        return request.text

    def _work(self) -> None:
        with self._dispatcher:
            self._dispatcher.work(until_done=False)


def test_work_when_jobs_wait_then_answers_each_once_in_their_order(project: Path, reader: Reader) -> None:
    enter(project, plans(40), model=profile(in_flight=1))
    voice = Voice()
    work(project, voice)
    # Material is made on two threads: neighbours may change places.
    assert all(abs(index - int(text)) <= 8 for index, text in enumerate(voice.asked))
    assert answers(reader) == echoed(40)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "done"
    assert voice.is_closed


def test_work_when_many_calls_may_go_at_once_then_so_many_go_and_no_more(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(60), model=profile(in_flight=6))
    voice = Voice(takes_s=0.02)
    work(project, voice)
    assert voice.most_at_once == 6
    assert answers(reader) == echoed(60)


def test_work_when_recording_then_one_commit_carries_many_jobs(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(project, plans(200), model=profile(in_flight=16))
    told: list[int] = []
    work(project, Voice(takes_s=0.005), recorded=told.append)
    assert sum(told) == 200
    assert len(told) < 100


def test_work_when_a_call_fails_in_passing_then_is_made_again(project: Path, reader: Reader) -> None:
    enter(project, plans(3))
    work(project, Voice(answer=once(rate())))
    assert answers(reader) == echoed(3)
    states = [one.state for one in reader.runs.attempts_of(plans(1)[0].request_key)]
    assert states == ["failed", "answered"]
    (count,) = reader.runs.failures("r1")
    assert (count.kind, count.count) == ("rate", 1)


def test_work_when_the_server_says_when_then_nobody_asks_before(project: Path) -> None:
    enter(project, plans(30), model=profile(in_flight=1))
    times: dict[str, list[float]] = {}
    failing = once(rate(retry_after_s=0.4))

    def answer(request: ChatRequest) -> str | Exception:
        times.setdefault(request.text, []).append(time.time())
        return failing(request)

    work(project, Voice(answer=answer))
    assert times["0"][1] - times["0"][0] >= 0.4
    # Some calls had been noted as sent when the server said so; all others wait with the first.
    late = [moments[-1] for text, moments in times.items() if moments[-1] - times["0"][0] >= 0.4]
    assert len(late) >= 20


def test_work_when_a_call_fails_every_time_then_is_given_up_as_an_error_and_the_rest_goes_on(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(5), model=profile(tries=3))
    voice = Voice(answer=lambda request: rate() if request.text == "2" else request.text)
    work(project, voice)
    assert voice.asked.count("2") == 3
    assert answers(reader)[2] == ("2", "error", "")
    assert [kind for _, kind, _ in answers(reader)].count("answer") == 4


def test_work_when_refused_for_good_then_is_not_asked_again(project: Path, reader: Reader) -> None:
    refusal = CallFailed("Too long.", kind="refused", is_retryable=False, status=400, raw=b"{}")
    enter(project, plans(2))
    voice = Voice(answer=lambda request: refusal if request.text == "0" else request.text)
    work(project, voice)
    assert voice.asked.count("0") == 1
    (prediction,) = reader.runs.predictions("r1", target="0")
    assert (prediction.kind, prediction.message) == ("error", "Too long.")
    (attempt,) = reader.runs.attempts_of(plans(1)[0].request_key)
    assert (attempt.status, reader.runs.reply_of(attempt.fence)) == (400, b"{}")


@pytest.mark.parametrize(
    "trouble",
    [
        CallFailed("The key is not accepted.", kind="key", is_retryable=False, status=401),
        UserError("It is not installed."),
        EnvironmentFailure("The driver refused."),
    ],
)
def test_work_when_no_job_can_be_asked_then_the_run_stops_with_words_and_loses_nothing(
    project: Path, reader: Reader, trouble: Exception
) -> None:
    enter(project, plans(50), model=profile(tries=1))
    voice = Voice(answer=lambda request: trouble)
    work(project, voice if isinstance(trouble, CallFailed) else trouble)
    run = reader.runs.get("r1")
    assert run is not None
    assert (run.state, run.message) == ("stopped", str(trouble))
    progress = reader.runs.progress("r1")
    assert (progress.waiting, progress.failed, progress.in_flight) == (50, 0, 0)
    # What was under way, and at most what had been noted as sent with it.
    assert len(voice.asked) <= 8
    queue = WorkQueue.open(project)
    queue.runs.resume("r1")
    queue.close()
    work(project, Voice())
    assert answers(reader) == echoed(50)


def test_work_when_the_server_accepts_nothing_for_hours_then_the_run_stops_with_the_time_and_loses_nothing(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(20), model=profile(tries=1))
    voice = Voice(answer=lambda request: rate(retry_after_s=7_200.0))
    work(project, voice)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "stopped"
    assert run.message.startswith("Too fast. The server accepts no request before 2")
    progress = reader.runs.progress("r1")
    assert (progress.waiting, progress.failed, progress.in_flight) == (20, 0, 0)
    assert len(voice.asked) <= 8
    queue = WorkQueue.open(project)
    queue.runs.resume("r1")
    queue.close()
    work(project, Voice())
    assert answers(reader) == echoed(20)


@pytest.mark.allow_messages("the model 'm'")
def test_work_when_opening_a_model_breaks_then_the_run_stops_and_the_worker_lives(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(5))
    opened: list[int] = []

    def answer(_profile: object, _progress: object) -> Any:
        opened.append(1)
        raise ZeroDivisionError("by nought")

    with dispatching.Dispatcher(
        project, open_model=answer, confirmed=ConfirmedRuns(config_folder()), kinds=kind_of
    ) as one:
        one.work(until_done=True)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.message == "The model 'm' cannot be opened: ZeroDivisionError: by nought."
    # Four threads wanted it; those that waited for the first did not try as well.
    assert len(opened) == 1


def test_work_when_material_is_gone_then_that_job_alone_is_an_error(project: Path, reader: Reader) -> None:
    enter(project, [*plans(1, material="gone"), *plans(3, first=1)])
    voice = Voice()
    work(project, voice)
    assert sorted(voice.asked) == ["1", "2", "3"]
    (prediction,) = reader.runs.predictions("r1", target="0")
    assert (prediction.kind, prediction.message) == ("error", "The picture is gone.")
    (attempt,) = reader.runs.attempts_of(plans(1)[0].request_key)
    assert (attempt.kind, attempt.cost_micro) == ("material", 0)


@pytest.mark.allow_messages("the material of job")
def test_work_when_making_material_breaks_then_that_job_alone_is_an_error(
    project: Path, reader: Reader
) -> None:
    enter(project, [*plans(3, material="bug"), *plans(3, first=3)])
    work(project, Voice())
    assert [kind for _, kind, _ in answers(reader)] == ["error"] * 3 + ["answer"] * 3


@pytest.mark.allow_messages("the reply to job")
def test_work_when_reading_a_reply_breaks_then_it_is_unparsed_and_not_asked_again(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(3))
    voice = Voice(answer=lambda request: "bug" if request.text == "1" else request.text)
    work(project, voice)
    assert voice.asked.count("1") == 1
    (prediction,) = reader.runs.predictions("r1", target="1")
    assert (prediction.kind, prediction.text) == ("unparsed", "bug")


@pytest.mark.allow_messages("the program of the model 'm' failed")
def test_work_when_a_model_breaks_then_those_jobs_alone_are_errors_and_the_place_is_logged_once(
    project: Path, reader: Reader, caplog: pytest.LogCaptureFixture
) -> None:
    enter(project, plans(12))

    def answer(request: ChatRequest) -> str:
        return f"{1 // (int(request.text) % 3)}"

    work(project, Voice(answer=answer))
    (prediction,) = reader.runs.predictions("r1", target="3")
    assert prediction.message.startswith("The model failed: ZeroDivisionError: ")
    assert [kind for _, kind, _ in answers(reader)] == ["error", "answer", "answer"] * 4
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_work_when_the_device_breaks_then_the_run_stops_with_words_and_goes_on_with_a_model_opened_anew(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(project, plans(20), model=profile(in_flight=2))
    broken = Voice(answer=lambda request: EnvironmentFailure("The device cuda is broken."))
    models = [broken, Voice()]
    with dispatching.Dispatcher(
        project,
        open_model=lambda _profile, _progress: models.pop(0),
        confirmed=ConfirmedRuns(config_folder()),
        kinds=kind_of,
    ) as one:
        one.work(until_done=True)
        run, progress = reader.runs.get("r1"), reader.runs.progress("r1")
        assert run is not None
        assert (run.state, run.message) == ("stopped", "The device cuda is broken.")
        assert (progress.waiting, progress.failed) == (20, 0)
        queue = WorkQueue.open(project)
        queue.runs.resume("r1")
        queue.close()
        monkeypatch.setattr(shared_model, "OPEN_AGAIN_S", 0.0)
        one.work(until_done=True)
        # Others may have been in the middle of a call: it is closed with the rest.
        assert not broken.is_closed
    assert broken.is_closed
    assert answers(reader) == echoed(20)


def test_stop_when_a_model_is_being_opened_then_the_opening_is_given_up_and_all_waits_again(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(20))
    opening, times = threading.Event(), []

    def open_slowly(_profile: object, progress: Progress) -> Any:
        times.append(1)
        opening.set()
        while True:
            progress.raise_if_cancelled()
            threading.Event().wait(0.01)

    one = dispatching.Dispatcher(
        project, open_model=open_slowly, confirmed=ConfirmedRuns(config_folder()), kinds=kind_of
    )

    def run() -> None:
        with one:
            one.work(until_done=True)

    thread = threading.Thread(target=run)
    thread.start()
    assert opening.wait(PATIENCE_S)
    one.stop()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    # The three that waited for the first did not begin anew.
    assert len(times) == 1
    run_now, progress = reader.runs.get("r1"), reader.runs.progress("r1")
    assert run_now is not None
    assert (run_now.state, run_now.message, progress.waiting) == ("running", "", 20)


def test_work_when_the_model_says_what_is_wrong_with_a_question_then_its_own_words_are_kept(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(2))
    words = UserError("A picture has 5,000 slices, too many.", hint="Take larger slices.")
    work(project, Voice(answer=lambda request: words if request.text == "1" else request.text))
    (prediction,) = reader.runs.predictions("r1", target="1")
    assert (prediction.kind, prediction.message) == (
        "error",
        "A picture has 5,000 slices, too many. Take larger slices.",
    )


def test_work_when_a_priced_server_counts_no_tokens_then_the_worst_cost_is_spent(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(10, worst=100), model=profile(price_out=1.0), limit_micro=450)
    work(project, Voice())
    run, progress = reader.runs.get("r1"), reader.runs.progress("r1")
    assert run is not None
    assert (run.state, progress.done, progress.spent_micro) == ("stopped", 4, 400)


@pytest.mark.allow_messages("closing the model 'm'")
def test_work_when_closing_a_model_breaks_then_all_is_recorded_all_the_same(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(5))
    voice = Voice()

    def close() -> None:
        raise RuntimeError("CUDA error: unspecified launch failure")

    voice.close = close  # type: ignore[method-assign]
    work(project, voice)
    assert answers(reader) == echoed(5)


def test_work_when_a_pace_is_set_then_is_not_passed(project: Path) -> None:
    # Ten may go at once, and then one every tenth of a second.
    enter(project, plans(30), model=profile(requests_per_minute=600))
    began = time.monotonic()
    work(project, Voice())
    assert time.monotonic() - began >= 2.0


def test_pause_when_calls_are_under_way_then_these_are_recorded_and_no_more_are_made(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(50), model=profile(in_flight=2))
    queue = WorkQueue.open(project)
    with Steered(project) as steered:
        steered.wait_for_calls(2)
        queue.runs.pause("r1")
        wait_until(lambda: reader.runs.progress("r1").in_flight <= 4)
        steered.gate.set()
        wait_until(lambda: reader.runs.progress("r1").in_flight == 0)
        progress = reader.runs.progress("r1")
        assert 2 <= progress.done <= 4
        assert len(steered.voice.asked) == progress.done
        queue.runs.resume("r1")
        wait_until(lambda: reader.runs.progress("r1").done == 50)
    queue.close()
    assert answers(reader) == echoed(50)
    assert len(steered.voice.asked) == 50


def test_withdraw_when_a_call_is_queued_behind_another_then_it_is_not_made_and_comes_back() -> None:
    gate, entered, done = threading.Event(), threading.Event(), SimpleQueue[calls.CallDone]()

    def answer(request: ChatRequest) -> str:
        entered.set()
        assert gate.wait(PATIENCE_S)
        return request.text

    voice = Voice(answer=answer)
    executor = calls.ThreadCallExecutor(profile(in_flight=1), open_model=lambda *_: voice, on_done=done.put)
    for text, run in (("0", "r1"), ("1", "r1"), ("2", "r2")):
        claim: Any = SimpleNamespace(run=run)
        request = ChatRequest(text=text)
        executor.make(calls.ModelCall(kind=ECHO, claims=(claim,), materials=(request,), bodies=(b"",)))
    assert entered.wait(PATIENCE_S)
    executor.withdraw(running=["r2"])
    gate.set()
    errors = [done.get(timeout=PATIENCE_S).made.error for _ in range(3)]
    executor.close()
    assert voice.asked == ["0", "2"]
    assert [type(error) for error in errors] == [type(None), Cancelled, type(None)]


def test_pause_when_calls_are_under_way_then_their_executor_learns_which_runs_go_on(
    project: Path, reader: Reader
) -> None:
    noted: list[set[str]] = []

    class Noting(calls.ThreadCallExecutor):
        def withdraw(self, *, running: Collection[str]) -> None:
            noted.append(set(running))

    voice = Voice(takes_s=0.05)

    def make_calls(told: ModelProfile, on_done: calls.OnCallDone) -> calls.CallExecutor:
        return Noting(told, open_model=lambda *_: voice, on_done=on_done)

    enter(project, plans(50), model=profile(in_flight=2))
    with Steered(project, make_calls=make_calls), closing(WorkQueue.open(project)) as work_queue:
        wait_until(lambda: {"r1"} in noted)
        work_queue.runs.pause("r1")
        wait_until(lambda: set() in noted)


def test_cancel_when_calls_are_under_way_then_these_are_recorded_and_the_rest_is_left_out(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(50), model=profile(in_flight=2))
    queue = WorkQueue.open(project)
    with Steered(project) as steered:
        steered.wait_for_calls(2)
        queue.runs.cancel("r1")
        steered.gate.set()
        wait_until(lambda: reader.runs.progress("r1").in_flight == 0)
    queue.close()
    progress = reader.runs.progress("r1")
    assert progress.done == len(steered.voice.asked) <= 5
    assert progress.done + progress.cancelled == 50


def test_stop_when_calls_are_under_way_then_waits_for_them_and_gives_the_rest_back(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(50), model=profile(in_flight=4))
    with Steered(project) as steered:
        steered.wait_for_calls(4)
        steered.stop()
    progress = reader.runs.progress("r1")
    assert progress.in_flight == 0
    assert progress.done == len(steered.voice.asked)
    assert progress.done + progress.waiting == 50
    attempts = [one for plan in plans(50) for one in reader.runs.attempts_of(plan.request_key)]
    assert {one.state for one in attempts} <= {"answered", "lost"}
    assert [one.status for one in reader.runs.workers()] == ["ended"]
    # Given back is not tried: each job still has all its tries.
    work(project, Voice())
    assert answers(reader) == echoed(50)


@pytest.mark.parametrize("limit", [0, 99, 1_000])
def test_work_when_a_limit_is_set_then_what_is_spent_and_set_aside_never_passes_it(
    project: Path, reader: Reader, limit: int
) -> None:
    paid = profile(price_out=1.0, in_flight=4)
    enter(project, plans(40, worst=50), model=paid, limit_micro=limit)
    highest = 0

    def look(_count: int) -> None:
        nonlocal highest
        progress = reader.runs.progress("r1")
        highest = max(highest, progress.spent_micro + progress.reserved_micro)

    voice = Voice(tokens=30)
    work(project, voice, recorded=look)
    assert highest <= limit
    run, progress = reader.runs.get("r1"), reader.runs.progress("r1")
    assert run is not None
    assert (run.state, progress.spent_micro) == ("stopped", len(voice.asked) * 30)
    assert progress.spent_micro > limit - 50
    assert "cost limit" in run.message


def test_work_when_two_work_at_once_then_each_job_is_asked_and_answered_once(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(200))
    voices = [Voice(takes_s=0.002), Voice(takes_s=0.002)]
    threads = [threading.Thread(target=work, args=(project, voice)) for voice in voices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert all(voice.asked for voice in voices)
    assert sorted(voices[0].asked + voices[1].asked) == sorted(f"{n}" for n in range(200))
    assert answers(reader) == echoed(200)


def test_work_when_one_run_is_meant_then_leaves_the_others(project: Path, reader: Reader) -> None:
    enter(project, plans(3))
    enter(project, plans(3, first=10), run="r2")
    work(project, Voice(), run="r2")
    assert [target for target, _, _ in answers(reader, "r2")] == ["10", "11", "12"]
    assert answers(reader, "r1") == []


def test_work_when_a_call_takes_longer_than_a_lease_then_nobody_else_takes_it(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatching, "BEAT_S", 0.05)
    enter(project, plans(1))
    queue = WorkQueue.open(project)
    beats: list[float] = []

    def lease() -> float:
        connection = connect(project, read_only=True)
        found = connection.execute("SELECT lease_until FROM job").fetchone()[0]
        connection.close()
        return float(found)

    with Steered(project) as steered:
        steered.wait_for_calls(1)
        beats.append(lease())
        wait_until(lambda: lease() > beats[0] + 0.5)
        # What would be over without the beats, is not.
        assert queue.expire(now=beats[0] + 0.2).unsure == 0
        steered.gate.set()
        wait_until(lambda: reader.runs.progress("r1").done == 1)
    queue.close()
    assert len(steered.voice.asked) == 1


def test_work_when_another_has_claimed_a_job_then_the_late_answer_ends_it_and_it_is_not_sent_again(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(1))
    queue = WorkQueue.open(project)
    with Steered(project) as steered:
        steered.wait_for_calls(1)
        assert queue.expire(now=time.time() + 1000).unsure == 1
        (claim,) = queue.claim("other", run="r1", model="m", count=1, now=time.time() + 1000)
        steered.gate.set()
        wait_until(lambda: reader.runs.attempts_of(plans(1)[0].request_key)[0].state == "answered")
    assert answers(reader) == echoed(1)
    assert queue.mark_sent([claim], [b"?"]) == [False]
    queue.close()


def test_work_when_the_worker_died_then_another_takes_its_jobs_up(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_watch, "GRACE_S", 1.0)
    enter(project, plans(10))
    queue = WorkQueue.open(project)
    dead = queue.claim("dead", run="r1", model="m", count=4, now=time.time() - 1000)
    queue.mark_sent(dead[:2], [b"?"] * 2)
    queue.close()
    voice = Voice()
    work(project, voice)
    assert answers(reader) == echoed(10)
    assert len(voice.asked) == 10


class Doubler:
    """A model that takes several numbers at once."""

    identity = ModelIdentity(name="d", kind="detector")

    def __init__(self, *, waits: threading.Event | None = None) -> None:
        self.batches: list[int] = []
        self.entered = threading.Event()
        self._waits = waits

    def double(self, numbers: Sequence[object], progress: Progress) -> list[object]:
        self.batches.append(len(numbers))
        self.entered.set()
        while self._waits is not None and not self._waits.wait(0.005):
            progress.raise_if_cancelled()
        return [number * 2 for number in numbers]  # type: ignore[operator]

    def close(self) -> None:
        self.entered.set()


def test_work_when_a_model_takes_several_then_gets_batches_and_each_job_its_own_result(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(50), model=profile(in_flight=1, options={"batch": 8}), kind="detect")
    model = Doubler()
    work(project, model)  # type: ignore[arg-type]
    assert answers(reader) == [(f"{n}", "answer", f"{2 * n}") for n in range(50)]
    assert max(model.batches) == 8
    assert len(model.batches) < 20


def test_work_when_a_model_gives_too_few_results_then_its_jobs_are_errors(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(4), model=profile(in_flight=1, options={"batch": 2}), kind="detect")
    model = Doubler()
    model.double = lambda numbers, progress: []  # type: ignore[method-assign]
    work(project, model)  # type: ignore[arg-type]
    assert {kind for _, kind, _ in answers(reader)} == {"error"}


def test_stop_when_a_batch_asks_whether_it_may_go_on_then_it_is_broken_off_and_given_back(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(4), model=profile(in_flight=1, options={"batch": 4}), kind="detect")
    model = Doubler(waits=threading.Event())
    one = dispatcher(project, model)  # type: ignore[arg-type]

    def run() -> None:
        with one:
            one.work(until_done=True)

    thread = threading.Thread(target=run)
    thread.start()
    assert model.entered.wait(PATIENCE_S)
    one.stop()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    run_now, progress = reader.runs.get("r1"), reader.runs.progress("r1")
    assert run_now is not None
    assert (run_now.state, progress.waiting) == ("running", 4)


@pytest.mark.allow_messages("Results are kept in memory")
def test_work_when_the_file_is_locked_for_a_while_then_nothing_that_came_is_lost(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(project, plans(20))
    one = dispatcher(project, voice := Voice())
    record, failures = one._queue.record, iter([True, False, True, False])

    def troubled(outcomes: Any, *, now: float) -> Any:
        if outcomes and next(failures, False):
            raise EnvironmentFailure("The project file is not accessible: database is locked.")
        return record(outcomes, now=now)

    monkeypatch.setattr(one._queue, "record", troubled)
    monkeypatch.setattr(dispatching, "RETRY_PAUSE_S", 0.001)
    with one:
        one.work(until_done=True)
    assert answers(reader) == echoed(20)
    assert len(voice.asked) == 20


def test_work_when_the_project_is_moved_away_then_says_so_at_once_and_keeps_what_came(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(4))
    told: list[str] = []
    away = project.with_name("away.vantage")
    with Steered(project) as steered:
        steered.tell_to(told.append)
        steered.wait_for_calls(4)
        project.rename(away)
        steered.gate.set()
        wait_until(lambda: bool(told))
        away.rename(project)
        wait_until(lambda: reader.runs.progress("r1").done == 4)
    assert "is not at its place" in told[0]
    assert len(told) == 1
    assert answers(reader) == echoed(4)
    assert len(steered.voice.asked) == 4


def test_work_when_a_disk_reads_nothing_any_more_then_the_run_stops_and_no_job_has_failed(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(40, material="disk"))
    work(project, Voice())
    run, progress = reader.runs.get("r1"), reader.runs.progress("r1")
    assert run is not None
    assert (run.state, progress.failed, progress.waiting) == ("stopped", 0, 40)
    assert "cannot be read: Input/output error" in run.message


@pytest.mark.allow_messages("Results are kept in memory")
def test_work_when_the_file_stays_locked_then_gives_up_with_words(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(project, plans(3))
    one = dispatcher(project, Voice())

    def troubled(*_: Any, **__: Any) -> Any:
        raise EnvironmentFailure("The disk is full.")

    monkeypatch.setattr(one._queue, "claim", troubled)
    monkeypatch.setattr(dispatching, "RETRY_PAUSE_S", 0.001)
    monkeypatch.setattr(dispatching, "PATIENCE_S", 0.05)
    with pytest.raises(EnvironmentFailure, match="disk is full"), one:
        one.work(until_done=True)


def test_work_when_a_model_rests_then_gives_its_memory_back(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_schedulers, "IDLE_MODEL_S", 0.0)
    enter(project, plans(3))
    with Steered(project) as steered:
        steered.gate.set()
        wait_until(lambda: reader.runs.progress("r1").done == 3)
        wait_until(lambda: steered.voice.is_closed)
