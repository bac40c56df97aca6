"""The content of a drafting prediction: a step's value, or the attempt that has it; and the earlier steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.domain.record import ValueObject, to_json
from annotator.domain.run import Prediction

FindPrediction = Callable[[bytes], Prediction | None]
STEP, BEFORE, ATTEMPT = "step", "before", "attempt"
"""Members of a job's spec: its step, the hex request key of the job that the step depends on, and the number
of the attempt.
"""


class StepResult(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The answer in a prediction of a drafting run.

    Attributes:
        value: The result of the step (JSON), null if there is none or ``by`` has it.
        by: Hex request key of the accepted earlier attempt that made this one unnecessary; "" if there is
            none.
        problems: Why a reply was rejected.
    """

    value: Any = None
    by: str = ""
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, prediction: Prediction) -> StepResult:
        """Return the answer of a prediction; for an unparsed one the text becomes the problem."""
        if not prediction.answer:
            return cls(problems=(prediction.message,))
        return msgspec.json.decode(prediction.answer, type=cls)

    def to_json(self) -> str:
        """Return it in the form stored in a prediction."""
        return to_json(self)


@dataclass(kw_only=True)
class AttemptHistory:
    """The results of the steps of a pipeline up to one of them.

    Attributes:
        values: Their values by their ids.
        predictions: The predictions that contain these, newest first.
    """

    values: dict[str, Any] = field(default_factory=dict)
    predictions: list[Prediction] = field(default_factory=list)


def attempt_history(request_key: str, *, find: FindPrediction) -> AttemptHistory:
    """Return the results up to and including a job.

    Args:
        request_key: Hex request key of the job, "" for none.
        find: Returns a prediction by its request key.
    """
    trail = AttemptHistory()
    for prediction in _walked(request_key, find=find):
        trail.values.setdefault(prediction.spec[STEP], StepResult.of(prediction).value)
        trail.predictions.append(prediction)
    return trail


def _walked(request_key: str, *, find: FindPrediction) -> Iterator[Prediction]:
    """Yield the predictions with the values of the earlier steps, last step first."""
    while request_key and (prediction := find(bytes.fromhex(request_key))) is not None:
        # The accepted attempt has the value; the link to the earlier step is the same in every attempt.
        by = StepResult.of(prediction).by
        yield (find(bytes.fromhex(by)) if by else None) or prediction
        request_key = prediction.spec[BEFORE]
