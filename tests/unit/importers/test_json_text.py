from __future__ import annotations

import json
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.importers import json_text
from annotator.importers.input_file import InputFile
from annotator.importers.json_decoder import MAX_DEPTH
from annotator.importers.json_text import JsonElement, JsonSpan, JsonText
from tests.hangs import soon
from tests.unit.importers.fuzzing import QUICK, damaged

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBER = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def elements(text: str) -> list[JsonElement]:
    return list(JsonText(text).top_elements())


def good(text: str) -> list[object]:
    return [element.value for element in elements(text) if element.fault is None]


def fault(text: str) -> tuple[int, str, str]:
    json_text = JsonText(text)
    found = next(element.fault for element in json_text.top_elements() if element.fault)
    return json_text.line_of(found.at), found.field, found.message


def test_elements_of_an_array_when_good_then_all_with_places() -> None:
    text = ' [ {"a": 1} ,\n[2], "x" ] \n'
    found = elements(text)
    assert [element.value for element in found] == [{"a": 1}, [2], "x"]
    assert [text[element.start : element.end] for element in found] == ['{"a": 1}', "[2]", '"x"']


def test_original_when_read_then_spelling_kept_and_blanks_gone() -> None:
    (element,) = elements('[{ "a" : 1.50, "b":[1e5,\n 0.10], "c":"\\u00e9 \\/ x" }]')
    assert element.original == b'{"a":1.50,"b":[1e5,0.10],"c":"\\u00e9 \\/ x"}'


def test_json_lines_when_read_then_one_element_each_and_blank_lines_ignored() -> None:
    assert good('{"a":1}\n\n{"a":2}\r\n{"a":3}') == [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize(
    ("value", "field", "message"),
    [
        ("NaN", "b", "NaN is not a number"),
        ("-Infinity", "b", "-Infinity is not a number"),
        ("[1, {\"c\": 1e999}]", "b[1].c", "outside the supported range"),
        ("123456789012345678901", "b", "outside the supported range"),
        ("9" * 5000, "b", "outside the supported range"),
        ('{"c":1,"d":2,"c":3}', "b.c", "occurs twice"),
        ('"\\ud800"', "b", "lone surrogate"),
        ('["x", "\\udfff\\u0041"]', "b[1]", "lone surrogate"),
        ('{"\\udead": 1}', "b", "lone surrogate"),
        ('"a\\u0000b"', "b", "NUL"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "b" + "[0]" * 26 + "[", "levels deep"),
        ("[" * 100_000, "", "levels deep"),
    ],
)  # fmt: skip
def test_value_that_is_not_allowed_when_read_then_named_and_the_rest_goes_in(
    value: str, field: str, message: str
) -> None:
    line, found_field, found_message = fault(f'[\n{{"a": 1}},\n{{"a": 2,\n "b": {value}}}, {{"a": 3}}]')
    assert found_field == field
    assert message in found_message
    assert line == (4 if field else 3)
    rest = good(f'[\n{{"a": 1}},\n{{"a": 2,\n "b": {value}}}, {{"a": 3}}]')
    assert rest == [{"a": 1}, {"a": 3}] or (not field and rest == [{"a": 1}])


def test_nesting_up_to_the_limit_when_read_then_taken() -> None:
    depth = MAX_DEPTH - 1
    assert len(good('[{"a":' + "[" * depth + "]" * depth + "}]")) == 1


def test_bytes_that_are_not_utf8_when_read_then_only_their_record_is_rejected() -> None:
    text = b'[{"a":"x"},{"a":"\xff"},{"a":"y"}]'.decode("utf-8", errors="surrogateescape")
    assert good(text) == [{"a": "x"}, {"a": "y"}]
    assert fault(text)[1:] == ("a", "It is not UTF-8: byte 0xff.")


@pytest.mark.parametrize(
    "broken",
    [
        '{"a": "never closed,\n "b": 2}',
        '{"a": 2 "b": 3}',
        '{"a": 2, "b": [1, {"c": 3}',
        '{"a": 2, "b": ]}',
        '{"a": tru}',
        '{"a": "tab\tinside"}',
        '{"a": 2,, "b": 1}',
        "{a: 1}",
        "nonsense",
    ],
)
def test_broken_record_when_between_others_then_only_it_is_lost(broken: str) -> None:
    assert good(f'[{{"a": 1}},\n{broken},\n{{"a": 3}}, {{"a": 4}}]') == [{"a": 1}, {"a": 3}, {"a": 4}]
    assert good(f'{{"a": 1}}\n{broken}\n{{"a": 3}}\n{{"a": 4}}') == [{"a": 1}, {"a": 3}, {"a": 4}]


def test_syntax_error_when_told_then_last_key_and_line_are_named() -> None:
    line, field, message = fault('[{"a": 1,\n "b": 2\n "c": 3}]')
    assert (line, field) == (3, "b")
    assert message == "This is not JSON: Expecting ',' delimiter."


def test_file_that_is_cut_off_when_read_then_last_record_is_told_once() -> None:
    found = elements('[{"a": 1}, {"a": 2, "b')
    assert [element.fault is None for element in found] == [True, False]


def test_list_that_is_not_closed_after_a_record_when_read_then_told() -> None:
    assert fault('[{"a": 1},\n')[2] == "The list is not closed; the file may be cut off."


def test_text_after_the_list_when_read_then_told() -> None:
    assert fault('[{"a": 1}]\n{"a": 2}') == (1, "", "There is more text after the end of the list.")


def test_members_when_asked_then_lists_are_told_by_their_place_alone() -> None:
    text = '{"a": 1, "list": [NaN, {"]": "}"}], "b": {"c": 2}}'
    members = dict(JsonText(text).members(JsonSpan(0, len(text)), undecoded={"list"}.__contains__))
    assert (members["a"].value, members["b"].value) == (1, {"c": 2})
    location = members["list"]
    assert text[location.start : location.end] == '[NaN, {"]": "}"}]'


def test_members_when_something_is_no_key_then_broken_member_told() -> None:
    text = '{"a": 1, b: 2}'
    members = list(JsonText(text).members(JsonSpan(0, len(text)), undecoded=lambda _: False))
    assert [(name, element.fault is None) for name, element in members] == [("a", True), ("", False)]


def test_line_of_when_asked_forth_and_back_then_same_lines() -> None:
    text = JsonText("a\nb\r\nc\n")
    assert [text.line_of(at) for at in (0, 2, 5, 7, 2, 0)] == [1, 2, 3, 4, 2, 1]


@given(st.lists(JSON))
def test_any_json_list_when_read_then_values_equal_those_of_the_standard_module(values: list[object]) -> None:
    for indent in (None, 1):
        text = json.dumps(values, indent=indent, ensure_ascii=False)
        found = elements(text)
        assert [element.value for element in found] == values
        assert [json.loads(element.original) for element in found] == values


@given(st.text(st.sampled_from('[]{}",:\\\n 1aNu\udc80'), max_size=60))
def test_any_text_when_read_then_reading_ends_without_an_exception(text: str) -> None:
    json_text = JsonText(text)
    for element in json_text.top_elements():
        assert 0 <= element.start <= element.end <= len(text)
        list(json_text.members(element, undecoded=lambda name: "a" in name))
        list(json_text.spans(element.start, limit=element.end))


@pytest.mark.parametrize(
    "unit",
    ['{"a":{', '{"a":1},', '{"a":', '{"k%d":x},', '{"k%d":x ', '{"a" 1},', "[", '{"a":"', "x,", '{"a":['],
)
def test_long_hostile_text_when_read_then_it_ends_soon(unit: str) -> None:
    text = "[" + "".join((unit % n) if "%" in unit else unit for n in range(20_000))
    with soon():
        assert any(element.fault for element in JsonText(text).top_elements())


GROUPS = (
    b'{"name": "]} x", "results": [{"a": [1, {"b": "\\\\"}]},\n {"c": "\xc3\xa9["}], "last": {"d": [[]]}}'
)


@pytest.mark.parametrize("after", ["", " \n", ', "more": [1]}', "]", "}"])
def test_end_of_a_list_when_it_is_long_then_the_bracket_that_closes_it(after: str) -> None:
    listed = "[" + ", ".join(['{"a": "]", "b": [1]}'] * 8000) + "]"
    assert len(listed) > json_text.LONG_CHARACTERS
    text = f'{{"first": {listed}{after}'
    ((_, found), *_) = JsonText(text).members(JsonSpan(0, len(text)), undecoded=lambda _: True)
    assert text[found.start : found.end] == listed


@QUICK
@given(damaged(GROUPS))
def test_ends_of_members_when_tried_first_then_those_found_bracket_by_bracket(data: bytes) -> None:
    text = InputFile.decoded(data)
    whole = JsonSpan(0, len(text))

    def read(long_characters: int) -> list[tuple[str, JsonElement]]:
        with mock.patch.object(json_text, "LONG_CHARACTERS", long_characters):
            return list(JsonText(text).members(whole, undecoded=lambda _: True))

    assert read(0) == read(len(text))


RECORDS = [{"image": f"{number}.png", "boxes": [{"x": number}]} for number in range(312)]
LISTED = json.dumps(RECORDS, indent=1)
BROKEN_AT = LISTED.index('"image": "161.png"')
# Without a key behind its bracket nothing shows where the next record begins.
DAMAGED = f"{LISTED[:BROKEN_AT]}[[ %% {LISTED[BROKEN_AT:]}"


def unread(text: str) -> list[int | None]:
    return [element.fault.unread for element in elements(text) if element.fault]


def test_elements_when_a_broken_record_takes_the_rest_along_then_its_number_is_told() -> None:
    assert len(good(DAMAGED)) == 161
    assert unread(DAMAGED) == [150]


@pytest.mark.parametrize(
    "text",
    [
        LISTED[: BROKEN_AT + 20],
        LISTED[: BROKEN_AT - 4],
        "\n".join(map(json.dumps, RECORDS))[:9000],
        '{"image": 1}\n{"image": ',
    ],
)
def test_elements_when_the_file_is_cut_off_then_the_rest_is_unknown(text: str) -> None:
    assert unread(text)[-1] is None


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a" 2}, {"a": 3}]', '{"a": 1}\n{"a" 2}\n', "[1, nul]"])
def test_elements_when_one_is_broken_and_reading_goes_on_then_nothing_is_unread(text: str) -> None:
    assert unread(text) == [0]
