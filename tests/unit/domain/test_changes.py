from __future__ import annotations

import pytest

from annotator.domain.changes import Changes

CHANGES = Changes(ids={"item": frozenset({"1", "2"}), "flag": None, "scene": frozenset()})


@pytest.mark.parametrize(
    ("entity", "entity_id", "concerns"),
    [
        ("item", None, True),
        ("item", "1", True),
        ("item", "3", False),
        ("flag", None, True),
        ("flag", "any", True),
        ("scene", None, True),
        ("scene", "1", False),
        ("medium", None, False),
        ("medium", "1", False),
    ],
)
def test_concerns_when_asked_for_a_kind_or_a_record_then_tells_whether_it_was_touched(
    entity: str, entity_id: str | None, concerns: bool
) -> None:
    assert CHANGES.concerns(entity, entity_id) is concerns


def test_concerns_when_nothing_was_written_then_concerns_nobody() -> None:
    assert not Changes(label="Nothing").concerns("item")
