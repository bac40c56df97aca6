from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.record import FieldCorrection
from annotator.importers.record_fields import RecordError, RecordFields


def test_fields_when_of_the_right_type_then_given_without_a_note() -> None:
    fields = RecordFields({"t": "x", "i": 7, "n": 1, "l": [1], "more": 2, "null": None})
    assert (fields.text("t"), fields.integer("i"), fields.number("n"), fields.listing("l")) == (
        "x",
        7,
        1.0,
        [1],
    )
    assert [
        fields.text("null"),
        fields.integer("absent"),
        fields.number("absent"),
        fields.listing("absent"),
    ] == [None] * 4
    assert fields.corrections == []
    assert fields.rest() == {"more": 2}


def test_fields_when_written_in_another_way_then_taken_with_a_note() -> None:
    fields = RecordFields({"t": 7.5, "i": " 12 ", "f": 3.0})
    assert (fields.text_or_number("t"), fields.integer("i"), fields.integer("f")) == ("7.5", 12, 3)
    assert [(note.field, note.original, note.value) for note in fields.corrections] == [
        ("t", 7.5, "7.5"),
        ("i", " 12 ", 12),
        ("f", 3.0, 3),
    ]
    assert all(isinstance(note, FieldCorrection) for note in fields.corrections)


@pytest.mark.parametrize(
    ("ask", "value", "message"),
    [
        (RecordFields.text, 7, "It should be text and is a number."),
        (RecordFields.text_or_number, True, "It should be text and is true or false."),
        (RecordFields.text_or_number, [], "It should be text and is a list."),
        (RecordFields.text, True, "It should be text and is true or false."),
        (RecordFields.text, [], "It should be text and is a list."),
        (RecordFields.text, {}, "It should be text and is an object."),
        (RecordFields.integer, True, "It should be a whole number and is true or false."),
        (RecordFields.integer, 1.5, "It should be a whole number and is a number."),
        (RecordFields.integer, "x", "It should be a whole number and is text."),
        (RecordFields.integer, "9" * 30, "It should be a whole number and is text."),
        (RecordFields.number, "1", "It should be a number and is text."),
        (RecordFields.number, False, "It should be a number and is true or false."),
        (RecordFields.listing, "x", "It should be a list and is text."),
        (RecordFields.required_text, " ", "It is blank."),
        (RecordFields.required_text, None, "It is missing."),
    ],
)
def test_field_when_of_another_type_then_fault_names_it(
    ask: Callable[[RecordFields, str], object], value: object, message: str
) -> None:
    with pytest.raises(RecordError) as caught:
        ask(RecordFields({"a": value}, where="outer"), "a")
    assert (caught.value.field, caught.value.message) == ("outer.a", message)


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_fields_when_record_is_no_object_then_fault(value: object) -> None:
    with pytest.raises(RecordError, match="It should be an object"):
        RecordFields(value)


def test_member_when_asked_for_then_told_under_the_name_that_the_file_has() -> None:
    fields = RecordFields({"frage": None, "a": 1}, mapping={"question": "frage"})
    assert [fields.has(name) for name in ("question", "a", "answer")] == [True, True, False]
    assert fields.rest() == {"frage": None, "a": 1}
