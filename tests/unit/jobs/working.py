"""A kind of work that only repeats what a plan says, models in process, and projects full of jobs."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.dispatcher import Dispatcher, MakeCalls
from annotator.jobs.job_type import BatchJobType, ChatJobType, ParsedReply, WorkerContext
from annotator.model_api import ChatReply, ChatRequest, Model, ModelIdentity
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder

NAME = "m"


class EchoKind(ChatJobType):
    """Asks what the job's spec says; ``material`` in it says what goes wrong before the call."""

    id = ("blind",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        yield from plans(run.settings["count"])

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        if claim.spec.get("material") == "gone":
            raise UserError("The picture is gone.")
        if claim.spec.get("material") == "disk":
            raise EnvironmentFailure("The picture cannot be read: Input/output error.")
        if claim.spec.get("material") == "bug":
            raise ZeroDivisionError
        return ChatRequest(text=claim.target)

    def read(self, claim: Claim, reply: ChatReply, worker_context: WorkerContext) -> ParsedReply:
        if reply.text == "bug":
            raise ZeroDivisionError
        return ParsedReply(kind="answer" if reply.text else "empty", answer=reply.text)


class DoubleKind(BatchJobType):
    """Has a model double numbers, several at once."""

    id = ("detect",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        yield from plans(run.settings["count"])

    def batch_of(self, profile: ModelProfile) -> int:
        return int(profile.options["batch"])

    def material(self, claim: Claim, worker_context: WorkerContext) -> object:
        return int(claim.target)

    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        return model.double(materials, progress)  # type: ignore[union-attr]

    def read(self, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:
        return ParsedReply(kind="answer", answer=str(result))


def kind_of(run_kind: str) -> ChatJobType | BatchJobType:
    return DOUBLE if run_kind == "detect" else ECHO


ECHO, DOUBLE = EchoKind(), DoubleKind()


@dataclass
class Voice:
    """A chat model in process: answers as told, notes what it was asked and how many asked at once."""

    answer: Callable[[ChatRequest], str | Exception] = lambda request: request.text
    takes_s: float = 0.0
    asked: list[str] = field(default_factory=list)
    most_at_once: int = 0
    is_closed: bool = False
    tokens: int = 0

    def __post_init__(self) -> None:
        self.identity = ModelIdentity(name=NAME, kind="chat")
        self._lock = threading.Lock()
        self._now = 0

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        with self._lock:
            self.asked.append(request.text)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            if self.takes_s:
                threading.Event().wait(self.takes_s)
            said = self.answer(request)
        finally:
            with self._lock:
                self._now -= 1
        if isinstance(said, Exception):
            raise said
        return ChatReply(text=said, raw=said.encode(), completion_tokens=self.tokens)

    def close(self) -> None:
        self.is_closed = True


def plans(count: int, *, worst: int = 0, first: int = 0, **spec: Any) -> list[JobPlan]:
    """Make jobs whose targets are their numbers."""
    return [
        JobPlan(
            request_key=hashlib.sha256(f"{n}".encode()).digest(),
            model=NAME,
            target=f"{n}",
            spec={"n": n, **spec},
            worst_micro=worst,
        )
        for n in range(first, first + count)
    ]


def profile(**changes: Any) -> ModelProfile:
    """Make the profile of the one model."""
    values = {"adapter": "openai", "base_url": "http://127.0.0.1:9/v1", "model": NAME, "in_flight": 4}
    return ModelProfile(name=NAME, **{**values, **changes})


def enter(
    path: Path,
    jobs: Sequence[JobPlan],
    *,
    run: str = "r1",
    model: ModelProfile | None = None,
    kind: str = "blind",
    limit_micro: int | None = None,
    is_confirmed: bool = True,
) -> Run:
    """Enter a run into a project, as one of this person unless told otherwise."""
    queue = WorkQueue.open(path)
    planned = Run(
        id=run,
        kind=kind,  # type: ignore[arg-type]
        models=(NAME,),
        profiles={NAME: msgspec.to_builtins(model or profile())},
        limit_micro=limit_micro,
    )
    queue.runs.plan(planned, jobs, progress=Progress())
    queue.close()
    if is_confirmed:
        ConfirmedRuns(config_folder()).add(planned)
    return planned


def dispatcher(path: Path, model: Model | Exception, **changes: Any) -> Dispatcher:
    """Make a dispatcher whose one model is given."""

    def open_model(_profile: ModelProfile, _progress: Progress) -> Model:
        if isinstance(model, Exception):
            raise model
        return model

    make_calls: MakeCalls | None = changes.pop("make_calls", None)
    changes.setdefault("confirmed", ConfirmedRuns(config_folder()))
    return Dispatcher(path, open_model=open_model, make_calls=make_calls, kinds=kind_of, **changes)


def work(path: Path, model: Model | Exception, **changes: Any) -> None:
    """Work until nothing is left."""
    with dispatcher(path, model, **changes) as one:
        one.work(until_done=True)


def answers(reader: Reader, run: str = "r1") -> list[tuple[str, str, str]]:
    """Return target, kind and answer of each prediction."""
    return [(one.target, one.kind, one.answer) for one in reader.runs.predictions(run)]


def echoed(count: int) -> list[tuple[str, str, str]]:
    """Return what ``answers`` gives where every job was answered with its target."""
    return [(f"{n}", "answer", f"{n}") for n in range(count)]


def make_project(path: Path) -> Path:
    """Make an empty project."""
    Session.create(path).close()
    return path
