"""Keys: the same for the same, another for anything else."""

from __future__ import annotations

import pytest

from annotator.domain.profile import ModelProfile
from annotator.jobs.request_key import compute_request_key

PARTS = {
    "item": "i",
    "profile": ModelProfile(name="x", adapter="probe").decides,
    "rotation": 0,
    "order": [1, 2],
}


def test_request_key_when_parts_come_in_another_order_then_is_the_same() -> None:
    assert compute_request_key(**PARTS) == compute_request_key(**dict(reversed(PARTS.items())))
    assert len(compute_request_key(**PARTS)) == 32


@pytest.mark.parametrize(
    "change", [{"item": "j"}, {"rotation": 1}, {"order": [2, 1]}, {"sample": 0}, {"profile": {"model": "m"}}]
)
def test_request_key_when_anything_is_different_then_is_another(change: dict[str, object]) -> None:
    assert compute_request_key(**{**PARTS, **change}) != compute_request_key(**PARTS)


def test_decides_when_only_name_price_or_pace_differ_then_is_the_same() -> None:
    other = ModelProfile(name="y", adapter="probe", price_in=3.0, in_flight=99, timeout_s=1.0, tries=1)
    assert other.decides == ModelProfile(name="x", adapter="probe").decides
