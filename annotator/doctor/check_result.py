"""The result of one check of the installation."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import ValueObject

Status = Literal["ok", "info", "warning", "error"]


class CheckResult(ValueObject, frozen=True, kw_only=True):
    """The name of a check, its status, the finding and the remedy.

    Attributes:
        name: Name of the check: "Python", "Package numpy".
        status: ``ok``; ``info`` for an optional part that is not installed; ``warning`` for something that
            limits the work; ``error`` for something without which Vantage does not work.
        detail: The finding.
        fix: The command or action that solves the problem, "" for none.
    """

    name: str
    status: Status
    detail: str
    fix: str = ""
