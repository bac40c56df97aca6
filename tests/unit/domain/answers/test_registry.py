from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.errors import UserError

BOX_OR_REGION = ["bbox", "region_label"]
ANGLE_OR_MOVE = ["angle", "angle_distance"]


def test_get_when_id_exists_then_the_format_of_the_module_of_that_name() -> None:
    for answer_format in answers.formats().values():
        assert answers.get(answer_format.id) is answer_format
        assert type(answer_format).__module__ == f"annotator.domain.answers.{answer_format.id}"
        assert answer_format.title
        assert answer_format.meaning
        assert answer_format.prompt.startswith("Reply with ")


def test_get_when_id_is_unknown_then_error_lists_the_formats() -> None:
    with pytest.raises(UserError, match="'sonnet'") as caught:
        answers.get("sonnet")
    assert "angle_distance, bbox, clock" in caught.value.hint


@pytest.mark.parametrize(
    ("candidates", "key", "expected"),
    [
        (BOX_OR_REGION, "[823, 189, 932, 249]", "bbox"),
        (BOX_OR_REGION, "Region 5", "region_label"),
        (BOX_OR_REGION, "Region 1, 2, 3", "region_label"),
        (BOX_OR_REGION, "9" * 5000, "region_label"),
        (list(reversed(BOX_OR_REGION)), "1 2 3 4", "bbox"),
        (ANGLE_OR_MOVE, "269.4 degrees", "angle"),
        (ANGLE_OR_MOVE, "-160.0 degrees, -70.0 meters", "angle_distance"),
        (ANGLE_OR_MOVE, "unknown", "angle"),
        (["clock"], "unknown", "clock"),
        (["clock", "option_letter"], "B", "option_letter"),
        (["clock", "option_letter"], "8 o'clock.", "clock"),
    ],
)
def test_format_of_key_when_task_mixes_formats_then_key_decides(
    candidates: list[str], key: str, expected: str
) -> None:
    assert answers.format_of_key(candidates, key=key) == expected
