from __future__ import annotations

import pytest

from annotator.domain.changes import MAX_IDS, Changes
from annotator.domain.event import CREATED, REMOVED

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


@pytest.mark.parametrize(
    ("fields", "wanted", "has_changed"),
    [
        ({"box"}, {"box", "number"}, True),
        ({"box"}, {"number"}, False),
        ({CREATED}, {"number"}, True),
        ({REMOVED, "box"}, set(), True),
        ({"box"}, None, True),
        (None, {"number"}, True),
    ],
)
def test_has_changed_when_fields_are_named_then_only_those_and_whole_records_count(
    fields: set[str] | None, wanted: set[str] | None, has_changed: bool
) -> None:
    changes = Changes(
        ids={"region": frozenset({"1"})},
        fields={"region": frozenset(fields)} if fields is not None else {},
    )
    assert changes.has_changed("region", wanted) is has_changed
    assert not changes.has_changed("item", wanted)


def test_merged_when_two_changes_follow_each_other_then_has_the_ids_and_fields_of_both() -> None:
    first = Changes(
        initiator="stage",
        ids={"region": frozenset({"1"}), "link": frozenset({"l"})},
        fields={"region": frozenset({"box"}), "link": frozenset({CREATED})},
        saved_at=1.0,
    )
    second = Changes(
        ids={"region": frozenset({"2"}), "item": frozenset({"i"})},
        fields={"region": frozenset({"number"}), "item": frozenset({"state"})},
        saved_at=2.0,
    )
    both = first.merged(second)
    assert both.ids == {"region": frozenset("12"), "link": frozenset("l"), "item": frozenset("i")}
    assert both.fields["region"] == {"box", "number"}
    assert (both.fields["link"], both.fields["item"]) == ({CREATED}, {"state"})
    assert (both.initiator, both.saved_at) == (None, 2.0)
    assert both.counts == {"region": 2, "link": 1, "item": 1}


def test_merged_when_one_of_them_has_no_list_then_the_whole_has_none() -> None:
    listed = Changes(ids={"region": frozenset({"1"})}, counts={"region": 1})
    unlisted = Changes(ids={"region": None}, counts={"region": 5000})
    assert listed.merged(unlisted).ids == {"region": None}
    assert listed.merged(unlisted).counts == {"region": 5001}
    many = Changes(ids={"region": frozenset(str(n) for n in range(MAX_IDS))})
    assert listed.merged(many).ids == {"region": frozenset(str(n) for n in range(MAX_IDS))}
    assert Changes(ids={"region": frozenset({"x"})}).merged(many).ids == {"region": None}


def test_merged_when_one_of_them_does_not_name_fields_then_any_field_may_have_changed() -> None:
    named = Changes(ids={"region": frozenset({"1"})}, fields={"region": frozenset({"box"})})
    unnamed = Changes(ids={"region": frozenset({"2"})})
    assert named.merged(unnamed).has_changed("region", {"number"})
    assert not named.merged(named).has_changed("region", {"number"})
