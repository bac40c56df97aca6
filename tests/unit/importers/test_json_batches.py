from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.importers import json_tables, json_text
from annotator.importers.input_file import InputFile
from annotator.importers.json_batches import (
    LARGEST_BATCH_BYTES,
    batches,
    decode_value,
    decoded,
    has_all_keys,
    parts_of_lines,
    parts_of_list,
    parts_of_object,
)
from annotator.importers.json_tables import JsonTables
from annotator.importers.json_text import JsonElement, JsonSpan, JsonText
from tests.unit.importers.fuzzing import QUICK, damaged

PLAIN = ('{"a": 1.50, "b": ["x", null]}', '{"ä": "é \\/ \\n"}', "[ ]", "{}", '"x"', "true", "1e5")
ODD = (
    "NaN", "1e999", "-0", "[-0.0]", "01", '"\t"', str(2**63 - 1), str(2**63), str(-(2**63)),
    f'{{"a": [1, {{"b": {2**64}}}]}}', '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', '[[{"a": 1, "a": 1}]]',
    '"\\u0000"', '{"\\u0000": 1}', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u2019"', '{"a": "\\":"}',
    "[" * 9 + "]" * 9, "[" * 50 + "]" * 50, '{"a": {"b": [{}, {"c": 1}]}}', '{"a":\n{"b": NaN}}',
)  # fmt: skip
VALUES = st.lists(st.sampled_from(PLAIN + ODD), max_size=6)
LISTS = VALUES.map(lambda values: "[" + " ,\n".join(values) + "]")
LINES = VALUES.map("\n".join)
KEYS = ("k", "é", "a b", "\\n", "k")
OBJECTS = VALUES.map(
    lambda values: " {" + ",\n".join(f'"{KEYS[n % 5]}{n % 4}" : {v}' for n, v in enumerate(values)) + "} "
)


def one_by_one(text: str) -> list[JsonElement]:
    """Return the elements of a text without reading any of them together."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("parts_of_list", "parts_of_lines"):
            patch.setattr(json_text, name, lambda _text: ())
        return list(JsonText(text).top_elements())


@given(st.one_of(LISTS, LINES, OBJECTS), st.data())
@QUICK
def test_elements_when_read_together_then_the_same_as_one_by_one(text: str, data: st.DataObject) -> None:
    for seen in (text, InputFile.decoded(data.draw(damaged(text.encode())))):
        assert list(JsonText(seen).top_elements()) == one_by_one(seen)


@given(OBJECTS, st.data())
@QUICK
def test_entries_when_read_together_then_the_same_as_one_by_one(text: str, data: st.DataObject) -> None:
    for seen in (text, InputFile.decoded(data.draw(damaged(text.encode())))):
        json = JsonText(seen)
        whole = JsonSpan(json.skip_blanks(0), len(seen))
        if seen.startswith("{", whole.start):
            assert list(json.entries()) == list(json.members(whole, undecoded=lambda _: False))


@given(st.sampled_from(PLAIN))
@example("[1, 2]")
def test_parts_when_all_of_it_is_one_list_then_as_they_stand(value: str) -> None:
    parts = parts_of_list(f" [{value} ,{value}]\n")
    assert [bytes(part) for part in parts] == [value.encode()] * 2
    assert [bytes(part) for part in parts_of_lines(f"{value}\n{value}")] == [value.encode()] * 2


@pytest.mark.parametrize("text", ["", "[1", "[1] 2", "[1,]", "[NaN]", '{"a": 1}', '["\ud800"]', "[" * 5000])
def test_parts_when_it_is_no_whole_list_then_none(text: str) -> None:
    assert not parts_of_list(text)


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '{"\\u0000": 1}', '{"\\u0061": 1}', "[1]", '{"a": 1} 2']
)
def test_members_when_a_key_asks_for_a_closer_look_then_none(text: str) -> None:
    assert not parts_of_object(text)
    assert list(parts_of_object('{"b": 1, "\\n": {"a": 2}}')) == ["b", "\n"]


def test_batch_when_one_value_is_odd_then_the_others_are_decoded_all_the_same() -> None:
    texts = ["[1]", str(2**63), '{"a": 1, "a": 2}', '{"a": 1.50}', '"\\u0000"', '"\\u00e9"']
    read = decoded([msgspec.Raw(text.encode()) for text in texts])
    assert read.originals == [b"[1]", b"", b"", b'{"a":1.50}', b"", b'"\\u00e9"']
    good = [value for value, original in zip(read.values, read.originals, strict=True) if original]
    assert good == [[1], {"a": 1.5}, "é"]


def test_batches_when_records_are_long_then_few_at_a_time() -> None:
    short, long = msgspec.Raw(b"1"), msgspec.Raw(b'"' + b"x" * (LARGEST_BATCH_BYTES // 2) + b'"')
    assert [len(batch) for batch in batches([short] * 600)] == [256, 256, 88]
    assert [len(batch) for batch in batches([long] * 3)] == [1, 1, 1]
    assert batches([]) == []


def test_keys_when_an_object_has_one_twice_then_told_at_any_depth() -> None:
    for text in (b'{"a":1,"a":1}', b'{"a":{"b":1,"b":1}}', b'{"a":[{"b":1},{"b":1,"b":2}]}'):
        assert not has_all_keys(decode_value(text), text)
    for text in (b"1", b"[]", b'{"a":{"b":1},"c":[{"d":1},{}]}'):
        assert has_all_keys(decode_value(text), text)


@given(values=st.lists(st.sampled_from([*PLAIN[:2], '{"a":\n1}', *ODD]), max_size=6), data=st.data())
@QUICK
def test_rows_of_a_list_when_read_whole_then_the_same_as_through_a_window(
    values: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("list") / "list.json"
    valid = ("\n[" + " ,\n".join(values) + "]\n").encode()
    for content in (valid, data.draw(damaged(valid))):
        path.write_bytes(content)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_tables, "LARGEST_IN_ONE_PIECE_BYTES", -1)
            through_a_window = list(JsonTables(InputFile.open(path)).rows(lambda _: True))
        assert list(JsonTables(InputFile.open(path)).rows(lambda _: True)) == through_a_window
        assert all(row.fault for row in JsonTables(InputFile.open(path)).rows(lambda _: False))
