"""The result of one check of the installation."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import ValueObject

Status = Literal["ok", "info", "warning", "error"]


class CheckResult(ValueObject, frozen=True, kw_only=True):
    """What was checked, what is there, and what to type.

    Attributes:
        name: What was checked: "Python", "Package numpy".
        status: ``ok``; ``info`` for an optional part that is not installed; ``warning`` for something that
            limits the work; ``error`` for something without which Vantage does not work.
        detail: What is there.
        fix: What to type or do, "" for nothing.
    """

    name: str
    status: Status
    detail: str
    fix: str = ""
