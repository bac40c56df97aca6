from __future__ import annotations

import pytest

from annotator.release.answer_keys import canonical_key
from tests.unit.release.samples import aircop_item, spatialuav_item


@pytest.mark.parametrize(("key", "told"), [("B", "B"), (" b. ", "B"), ("A, B", "A, B"), ("", ""), ("E", "E")])
def test_canonical_key_when_it_can_be_read_then_it_is_clean_else_as_it_is(key: str, told: str) -> None:
    assert canonical_key(aircop_item(answer_key=key)) == told


def test_canonical_key_when_another_format_is_meant_then_its_rules_count() -> None:
    assert canonical_key(spatialuav_item(answer_key="Region 4, 3.")) == "Region 3, 4"


@pytest.mark.parametrize(
    ("answer_format", "key"),
    [("region_set", "Region 4, 3, 4"), ("pair_list", "4-5, 3-15, 4-5"), ("span_set", '["bed", "bed"]')],
)
def test_canonical_key_when_it_names_a_part_twice_then_it_is_released_as_it_came(
    answer_format: str, key: str
) -> None:
    assert canonical_key(spatialuav_item(answer_format=answer_format, answer_key=key)) == key
