from __future__ import annotations

import pytest

from annotator.errors import Cancelled, EnvironmentFailure, UserError, VantageError


@pytest.mark.parametrize("kind", [UserError, EnvironmentFailure])
def test_error_when_shown_then_says_what_happened_and_what_to_do(kind: type[VantageError]) -> None:
    error = kind("The disk is full.", hint="Free some space.")
    assert (error.message, error.hint) == ("The disk is full.", "Free some space.")
    assert str(error) == "The disk is full. Free some space."
    assert str(kind("The disk is full.")) == "The disk is full."


def test_cancelled_when_shown_then_says_that_nothing_changed() -> None:
    assert str(Cancelled()) == "Cancelled; the project is unchanged."
