from __future__ import annotations

import hashlib

import msgspec
import pytest

from annotator.domain.event import (
    CREATED,
    FIRST_HASH,
    REMOVED,
    SEALED,
    Edit,
    edit_differences,
    edit_fields,
    event_hash,
)
from annotator.domain.flag import Flag

FIELDS: list[str | int] = ["e1", "a1", "i1", 1, 2, "p1,p2", "item", "r1", "key", '"A"', 1, "c1", "2026-01-01"]


def test_hash_when_computed_then_is_the_digest_of_one_json_array() -> None:
    text = (
        '["e1","a1","i1",1,2,"p1,p2","item","r1","key","\\"A\\"",1,"c1","2026-01-01",'
        '"0000000000000000000000000000000000000000000000000000000000000000"]'
    )
    assert event_hash(FIELDS, prev_hash=FIRST_HASH) == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize("index", range(len(FIELDS)), ids=SEALED)
def test_hash_when_any_field_is_other_then_is_other(index: int) -> None:
    value = FIELDS[index]
    changed = [*FIELDS[:index], value + 1 if isinstance(value, int) else value + "x", *FIELDS[index + 1 :]]
    assert event_hash(changed, prev_hash=FIRST_HASH) != event_hash(FIELDS, prev_hash=FIRST_HASH)


def test_hash_when_the_one_before_is_other_then_is_other() -> None:
    first = event_hash(FIELDS, prev_hash=FIRST_HASH)
    assert event_hash(FIELDS, prev_hash=first) != first


def test_hash_when_text_moves_from_one_field_to_the_next_then_is_other() -> None:
    moved = ["e1a", "1", *FIELDS[2:]]
    assert event_hash(moved, prev_hash=FIRST_HASH) != event_hash(FIELDS, prev_hash=FIRST_HASH)


def test_edit_when_made_then_cannot_be_changed() -> None:
    edit = Edit(entity="item", entity_id="1", field="answer_key", value="A")
    with pytest.raises(AttributeError):
        edit.value = "B"  # type: ignore[misc]


def test_marks_when_compared_with_fields_then_are_no_names_of_fields() -> None:
    assert not CREATED.isidentifier()
    assert not REMOVED.isidentifier()
    assert CREATED != REMOVED


FLAG = Flag(id="f1", entity="item", target="i1", kind="duplicate_options", message="before")


def test_edit_fields_when_some_values_are_there_already_then_only_the_others_are_edited_in_order() -> None:
    edits = list(edit_fields(FLAG, resolution="right", message="before", state="dismissed"))
    assert edits == [
        Edit(entity="flag", entity_id="f1", field="resolution", value="right"),
        Edit(entity="flag", entity_id="f1", field="state", value="dismissed"),
    ]


def test_edit_differences_when_a_version_differs_then_each_field_of_it_is_edited_once() -> None:
    after = msgspec.structs.replace(FLAG, message="after", severity="error")
    edits = list(edit_differences(FLAG, after))
    assert [(edit.entity_id, edit.field, edit.value) for edit in edits] == [
        ("f1", "message", "after"),
        ("f1", "severity", "error"),
    ]
    assert not list(edit_differences(FLAG, FLAG))
