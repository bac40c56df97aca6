"""What a verdict of a drafting run holds: the value of a step, or which attempt has it; and the way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.domain.record import ValueObject, to_json
from annotator.domain.run import Prediction

FindPrediction = Callable[[bytes], Prediction | None]
STEP, BEFORE, ATTEMPT = "step", "before", "attempt"
"""Members of a job's spec: its step, the hex key of the job that the step builds on, which try it is."""


class StepResult(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of a verdict of a drafting run.

    Attributes:
        value: What the step made (JSON), null where it made nothing or ``by`` has it.
        by: Hex key of an earlier attempt that was taken, so that this one was not needed; "" for none.
        problems: Why a reply was refused.
    """

    value: Any = None
    by: str = ""
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, verdict: Prediction) -> StepResult:
        """Return the answer of a verdict; one that nobody could read tells its words as the problem."""
        if not verdict.answer:
            return cls(problems=(verdict.words,))
        return msgspec.json.decode(verdict.answer, type=cls)

    def to_json(self) -> str:
        """Return it as a verdict holds it."""
        return to_json(self)


@dataclass(kw_only=True)
class AttemptHistory:
    """What the steps of a chain made up to one of them.

    Attributes:
        values: Their values by their ids.
        verdicts: The verdicts that hold these, the newest first.
    """

    values: dict[str, Any] = field(default_factory=dict)
    verdicts: list[Prediction] = field(default_factory=list)


def attempt_history(key: str, *, find: FindPrediction) -> AttemptHistory:
    """Return what was made on the way to a job, its own value included.

    Args:
        key: Hex key of the job, "" for none.
        find: Returns a verdict by its key.
    """
    trail = AttemptHistory()
    for verdict in _walked(key, find=find):
        trail.values.setdefault(verdict.spec[STEP], StepResult.of(verdict).value)
        trail.verdicts.append(verdict)
    return trail


def _walked(key: str, *, find: FindPrediction) -> Iterator[Prediction]:
    """Yield the verdicts that hold the values on the way, from the last back to the first."""
    while key and (verdict := find(bytes.fromhex(key))) is not None:
        # The attempt that was taken has the value; where the way leads on, each attempt tells alike.
        by = StepResult.of(verdict).by
        yield (find(bytes.fromhex(by)) if by else None) or verdict
        key = verdict.spec[BEFORE]
