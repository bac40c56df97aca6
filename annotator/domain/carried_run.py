"""A finished run as bundles carry it: the answers of models, and nothing that says how a model is reached.

Servers, locations of API keys, paths and options of adapters stay in the project. The form is that of files
from anybody: types, sizes and relations of all values are checked, and unknown fields are refused.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.probe_answer import PROBE_SET, ProbeAnswer
from annotator.domain.profile import Adapter, VisualSettings
from annotator.domain.record import ValueObject
from annotator.domain.run import Prediction, PredictionKind, Run, RunKind, RunState
from annotator.domain.work import JobPrediction

CARRIED_KINDS: frozenset[RunKind] = frozenset({"blind", "consensus"})
"""Runs that ask about items. What drafts and detections gave became records, which are in the log."""
CARRIED_STATES: frozenset[RunState] = frozenset({"done", "cancelled", "received"})
MOST_ANSWER_LETTERS = 100_000
_Id = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
_Name = Annotated[str, Meta(min_length=1, max_length=500)]
_Text = Annotated[str, Meta(max_length=500)]
_Reply = Annotated[str, Meta(max_length=MOST_ANSWER_LETTERS)]
_Count = Annotated[int, Meta(ge=0, lt=1 << 53)]
_Whole = Annotated[int, Meta(gt=-(1 << 53), lt=1 << 53)]
_Price = Annotated[float, Meta(ge=0)]
_Time = Annotated[datetime, Meta(tz=True)] | None
T = TypeVar("T")


class CarriedProfile(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a model profile that says which model answered; fields as in ``ModelProfile``."""

    name: _Name
    adapter: Adapter
    model: _Text = ""
    revision: _Text = ""
    temperature: float = 0.0
    max_tokens: _Count = 100
    seed: _Whole | None = None
    visuals: VisualSettings = VisualSettings()
    price_in: _Price | None = None
    price_out: _Price | None = None


class CarriedModel(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a model's identity that says which model answered; fields as in ``ModelIdentity``."""

    name: _Text = ""
    kind: _Text = ""
    revision: _Text = ""
    sha256: _Text = ""


class CarriedSpec(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Parameters of a request about an item, or about all items of a run.

    Attributes:
        shown: Digest of the item as it was asked.
        order: The item's letters in the order in which the options were shown.
        rotation: As in ``PromptVariant``.
        sample: The same.
        prompt: Name and version of the words around the item.
        items: Of a probe, the digests of its items.
        letters: Of a probe, the letters of its items.
    """

    shown: _Text = ""
    order: _Text = ""
    rotation: _Whole = 0
    sample: _Whole = 0
    prompt: _Text = ""
    items: dict[_Name, _Text] = {}
    letters: dict[_Name, _Text] = {}


class CarriedPrediction(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prediction; fields as in ``Prediction``. The message of an error can name a server, and stays."""

    kind: PredictionKind
    target: _Name
    model: CarriedModel = CarriedModel()
    spec: CarriedSpec = CarriedSpec()
    answer: str = ""
    text: _Reply = ""
    scores: tuple[float, ...] = ()
    message: _Reply = ""
    run: _Id
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    cost_micro: _Count = 0
    made_at: _Time = None

    @classmethod
    def of(cls, prediction: Prediction, *, run: str) -> CarriedPrediction:
        """Return the form of a stored prediction.

        Args:
            prediction: The prediction.
            run: Id of the run that it is attributed to.

        Raises:
            ValidationError: A value is not as answers of models are.
        """
        return msgspec.convert(
            {
                "kind": prediction.kind,
                "target": prediction.target,
                "model": _part(CarriedModel, prediction.model),
                "spec": _part(CarriedSpec, prediction.spec),
                "answer": prediction.answer,
                "text": prediction.text,
                "scores": prediction.scores,
                "message": "" if prediction.kind == "error" else prediction.message,
                "run": run,
                "prompt_tokens": prediction.prompt_tokens,
                "completion_tokens": prediction.completion_tokens,
                "cost_micro": prediction.cost_micro,
                "made_at": _time(prediction.made_at),
            },
            cls,
        )

    def to_prediction(self, *, request_key: str) -> Prediction:
        """Return it as the project stores it."""
        return Prediction(
            request_key=request_key,
            kind=self.kind,
            target=self.target,
            model=msgspec.to_builtins(self.model),
            spec=msgspec.to_builtins(self.spec),
            answer=self.answer,
            text=self.text,
            scores=self.scores,
            message=self.message,
            run=self.run,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost_micro=self.cost_micro,
            made_at=_iso(self.made_at),
        )


class CarriedJob(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A job of a run with its prediction; fields as in ``JobPrediction``."""

    model: _Name
    target: _Name
    spec: CarriedSpec = CarriedSpec()
    state: Literal["done", "failed", "cancelled"]
    prediction: CarriedPrediction | None = None

    @classmethod
    def of(cls, job: JobPrediction, *, run: str, runs: frozenset[str]) -> CarriedJob:
        """Return the form of a job.

        Args:
            job: The job, which has ended.
            run: Id of its run.
            runs: Ids of all runs that are carried. What another run has answered before is attributed to the
                run of the job where that one is not carried.

        Raises:
            ValidationError: A value is not as answers of models are.
        """
        found = job.prediction
        prediction = (
            None
            if found is None
            else CarriedPrediction.of(found, run=found.run if found.run in runs else run)
        )
        spec = _part(CarriedSpec, job.spec)
        values = {"model": job.model, "target": job.target, "spec": spec, "state": job.state}
        return msgspec.convert(values | {"prediction": prediction}, cls)

    @property
    def is_answered(self) -> bool:
        """Whether there is a reply."""
        return self.prediction is not None and self.prediction.kind != "error"

    def problem(self, run: CarriedRun) -> str:
        """Return what contradicts its run or its prediction, "" for nothing."""
        if self.model not in run.models:
            return f"a job is of the model {self.model!r}, which its run does not have"
        prediction = self.prediction
        if prediction is None:
            return "a job is done and has no prediction" if self.state == "done" else ""
        if prediction.target != self.target:
            return "a prediction is about another record than its job"
        return _answer_problem(prediction)


class CarriedRun(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished run; fields as in ``Run``."""

    id: _Id
    kind: Literal["blind", "consensus"]
    title: _Text = ""
    models: Annotated[tuple[_Name, ...], Meta(max_length=1000)] = ()
    settings: EvalSettings = EvalSettings()
    profiles: Annotated[dict[_Name, CarriedProfile], Meta(max_length=1000)] = {}
    created_by: _Text = ""
    created_at: _Time = None
    ended_at: _Time = None

    @classmethod
    def of(cls, run: Run) -> CarriedRun:
        """Return the form of a run.

        Raises:
            ValidationError: A value is not as in runs that ask about items.
        """
        profiles = {name: _part(CarriedProfile, value) for name, value in run.profiles.items()}
        values: dict[str, Any] = {
            "id": run.id,
            "kind": run.kind,
            "title": run.title,
            "models": run.models,
            "settings": run.settings,
            "profiles": profiles,
            "created_by": run.created_by,
            "created_at": _time(run.created_at),
            "ended_at": _time(run.ended_at),
        }
        return msgspec.convert(values, cls)

    def to_run(self) -> Run:
        """Return it as the project stores it."""
        return Run(
            id=self.id,
            kind=self.kind,
            title=self.title,
            models=self.models,
            settings=self.settings.to_json(),
            profiles={name: msgspec.to_builtins(profile) for name, profile in self.profiles.items()},
            created_by=self.created_by,
            created_at=_iso(self.created_at),
            state="received",
        )

    def is_same(self, other: CarriedRun) -> bool:
        """Return whether it is the same run; its title can change, and its end where failures are retried."""
        fixed = {"title": "", "ended_at": None}
        return msgspec.structs.replace(self, **fixed) == msgspec.structs.replace(other, **fixed)


def united_jobs(known: list[CarriedJob], received: list[CarriedJob]) -> list[CarriedJob] | None:
    """Return the jobs of two forms of one run with the answers of both, None where they contradict.

    A run that has ended changes only where its failed requests are retried: an answer takes the place of an
    error.
    """
    if len(known) != len(received):
        return None
    united = []
    for one, other in zip(known, received, strict=True):
        if (one.model, one.target, one.spec) != (other.model, other.target, other.spec):
            return None
        if one.is_answered and other.is_answered and one.prediction != other.prediction:
            return None
        united.append(other if other.is_answered and not one.is_answered else one)
    return united


def _answer_problem(prediction: CarriedPrediction) -> str:
    if prediction.target == PROBE_SET and prediction.kind == "answer":
        try:
            msgspec.json.decode(prediction.answer, type=ProbeAnswer)
        except msgspec.MsgspecError as error:
            return f"the answer of a probe: {error}"
        return ""
    return "an answer is too long" if len(prediction.answer) > MOST_ANSWER_LETTERS else ""


def _part(kind: type[T], values: dict[str, Any]) -> dict[str, Any]:
    """Return those values that a form has fields for."""
    return {name: values[name] for name in kind.__struct_fields__ if name in values}  # type: ignore[attr-defined]


def _time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
