"""What a run will ask, in words."""

from __future__ import annotations

import pytest

from annotator.domain.eval_settings import ExclusionReason
from annotator.domain.work import Estimate, RunOrder
from widgets.runs.estimate_text import LEFT_OUT, estimate_text
from widgets.translation import catalogue, set_language

ORDER = RunOrder(kind="blind", models=("One",))


def estimate(*, jobs: int = 118, **left_out: int) -> Estimate:
    reasons = {str(ExclusionReason[name]): count for name, count in left_out.items()}
    return Estimate(
        jobs=jobs, cached=0, targets=jobs, worst_micro=0, by_model={"One": jobs}, left_out=reasons
    )


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ({"NO_KEY": 1}, "118 included, 1 skipped: no answer key."),
        (
            {"NO_KEY": 1200, "FORMAT": 2},
            "118 included, 1,202 skipped: no answer key (1,200), unknown answer format (2).",
        ),
    ],
)
def test_estimate_when_records_are_left_out_then_says_how_many_and_why(
    left_out: dict[str, int], expected: str
) -> None:
    told = estimate_text(estimate(**left_out), order=ORDER)
    assert told == f"118 requests for 118 records: One 118. {expected} The run is free."


def test_estimate_when_all_are_left_out_then_says_why_nothing_is_asked() -> None:
    told = estimate_text(estimate(jobs=0, NO_KEY=3), order=ORDER)
    assert told.startswith("There are no requests")
    assert told.endswith("0 included, 3 skipped: no answer key.")


def test_estimate_when_one_is_asked_and_none_left_out_then_is_one_sentence() -> None:
    assert estimate_text(estimate(jobs=1), order=ORDER) == "1 request for 1 record: One 1. The run is free."


def test_reasons_when_chinese_is_spoken_then_none_is_english() -> None:
    set_language("zh")
    known = catalogue("zh")
    for reason in ExclusionReason:
        assert known[LEFT_OUT[reason]] in estimate_text(estimate(**{reason.name: 1}), order=ORDER)
