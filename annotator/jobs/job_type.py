"""What a kind of model work is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import PredictionKind, Run, RunKind
from annotator.domain.work import Claim, JobPlan
from annotator.media.media_roots import MediaRoots
from annotator.model_api import ChatReply, ChatRequest, Model
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """The parts of a project that jobs need.

    Attributes:
        reader: Reader of the calling thread.
        roots: Folders of the media.
        profiles: The profiles of the run by their names.
        left_out: Number of chosen records without a job, by reason; counted by ``JobType.plan``.
        settings: Folder of the person's settings, None where there is none.
    """

    reader: Reader
    roots: MediaRoots
    profiles: Mapping[str, ModelProfile] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    settings: Path | None = None


class ParsedReply(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed reply.

    Attributes:
        kind: Answer, unparsed or empty.
        answer: In canonical form; JSON for some job types.
        message: Reason why there is no answer.
        scores: Scores of the options in the order of the item.
    """

    kind: PredictionKind
    answer: str = ""
    message: str = ""
    scores: tuple[float, ...] = ()


class JobType(ABC):
    """A kind of model work. Stateless: everything is in the run, the job and the project.

    Attributes:
        id: Kind of the runs.
    """

    id: ClassVar[tuple[RunKind, ...]]

    @abstractmethod
    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield the jobs of a run, and count chosen records without a job in ``left_out``.

        Raises:
            UserError: There is nothing to ask, or a model cannot answer such requests.
            Cancelled: The user cancelled.
        """

    def records_of(self, job: JobPlan) -> Collection[str]:
        """Return the ids of the records that a job of a plan is about."""
        return (job.target,)

    def prepared(self, settings: Mapping[str, Any], *, project: Path) -> dict[str, Any]:  # noqa: ARG002 - most need no more
        """Return a run's settings with the content of external files that determine its requests.

        Raises:
            UserError: A file is invalid.
            EnvironmentFailure: A file cannot be read.
        """
        return dict(settings)

    def of(self, profile: ModelProfile) -> JobType:  # noqa: ARG002 - one kind for all models, unless overridden
        """Return the kind that does a model's jobs, where models of one run are asked in different ways."""
        return self


class ChatJobType(JobType):
    """Work in which each job is one question to a chat model."""

    def settled(self, claim: Claim, worker_context: WorkerContext) -> ParsedReply | None:  # noqa: ARG002 - most kinds ask every job
        """Return the answer of a job that needs no model: what it builds on has decided it already.

        None where the model has to be asked; the answer is recorded without a call and without cost.
        """
        return None

    @abstractmethod
    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        """Return the request of a job; equal keys give equal requests.

        Raises:
            UserError: The record or its media do not exist any more.
        """

    @abstractmethod
    def read(self, claim: Claim, reply: ChatReply, worker_context: WorkerContext) -> ParsedReply:
        """Read the answer out of a reply; a reply that cannot be read is an answer of kind ``unparsed``."""


class BatchJobType(JobType):
    """A job type whose models process several jobs per call: detection, depth, probes over a whole set.

    Inputs and results are pickled for other processes and machines, so they are plain values, structs or
    arrays.
    """

    @abstractmethod
    def batch_of(self, profile: ModelProfile) -> int:
        """Return how many jobs the model takes best at once."""

    @abstractmethod
    def material(self, claim: Claim, worker_context: WorkerContext) -> object:
        """Return what the model is given for a job.

        Raises:
            UserError: It cannot be had any more: the record or its media are gone.
        """

    @abstractmethod
    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        """Return what the model makes of several materials, in their order; knows nothing of the project.

        Raises:
            CallFailed: The model's program failed.
            Cancelled: The worker is being stopped.
        """

    @abstractmethod
    def read(self, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:
        """Return the answer that a result is."""
