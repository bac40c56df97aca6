"""What a run will ask, in words."""

from __future__ import annotations

import pytest

from annotator.domain.eval_settings import ExclusionReason
from annotator.domain.work import Estimate, RunOrder
from widgets.runs.estimate_text import estimate_words
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
        ({"NO_KEY": 1}, "118 asked, 1 left out: no answer key."),
        (
            {"NO_KEY": 1200, "FORMAT": 2},
            "118 asked, 1,202 left out: no answer key (1,200), an unknown answer format (2).",
        ),
    ],
)
def test_estimate_when_records_are_left_out_then_says_how_many_and_why(
    left_out: dict[str, int], expected: str
) -> None:
    told = estimate_words(estimate(**left_out), order=ORDER)
    assert told == f"118 requests about 118 records: One 118. {expected} It costs nothing."


def test_estimate_when_all_are_left_out_then_says_why_nothing_is_asked() -> None:
    told = estimate_words(estimate(jobs=0, NO_KEY=3), order=ORDER)
    assert told.startswith("There is nothing to ask")
    assert told.endswith("0 asked, 3 left out: no answer key.")


def test_estimate_when_one_is_asked_and_none_left_out_then_is_one_sentence() -> None:
    assert (
        estimate_words(estimate(jobs=1), order=ORDER) == "1 request about 1 record: One 1. It costs nothing."
    )


def test_reasons_when_chinese_is_spoken_then_none_is_english() -> None:
    set_language("zh")
    known = catalogue("zh")
    for reason in ExclusionReason:
        assert known[str(reason)] in estimate_words(estimate(**{reason.name: 1}), order=ORDER)
