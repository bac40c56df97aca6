from __future__ import annotations

import json

import json_repair
import pytest

from annotator.draft.llm.json_parser import DEEPEST, LONGEST_REPAIRED, LONGEST_REPLY, MOST_STARTS, values_in

BROKEN = "{'a': 'x', b: [1, 2,], "


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('Sure: {"a": 1} and [2]', [{"a": 1}, [2]]),
        (BROKEN, [{"a": "x", "b": [1, 2]}]),
        ("{'a': True, 'b': None} then {'c': 1}", [{"a": True, "b": None}, {"c": 1}]),
        ('{"b": "he said "hi" to me"}', [{"b": 'he said "hi" to me'}]),
        ("{“question”: “What?”, “options”: [“A”, “B”]}", [{"question": "What?", "options": ["A", "B"]}]),
        ('{"a": 1, // a comment\n "b": 2}', [{"a": 1, "b": 2}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ("{} [] no value", []),
    ],
)
def test_values_when_a_reply_has_some_then_they_are_read_or_repaired(text: str, values: list[object]) -> None:
    assert list(values_in(text)) == values


def test_value_when_it_is_longer_than_the_limit_then_only_strict_json_is_read() -> None:
    long = "x" * LONGEST_REPAIRED
    assert list(values_in(json.dumps({"a": long}))) == [{"a": long}]
    assert list(values_in("{'a': '" + long + "'}")) == []


def test_values_when_together_they_are_longer_than_the_limit_then_the_later_ones_are_not_repaired(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The slowest text of the limit takes a second; eight of them in one reply took 13."""
    asked: list[int] = []
    repair = json_repair.repair_json

    def count(text: str, **options: bool) -> object:
        asked.append(len(text))
        return repair(text, **options)

    monkeypatch.setattr(json_repair, "repair_json", count)
    long = "{'a': '" + "x" * (LONGEST_REPAIRED // 2) + "'}"
    found = list(values_in(f"{long} {long} {{'b': 1}}"))
    assert [list(value) for value in found] == [["a"], ["b"]]
    assert sum(asked) <= LONGEST_REPAIRED


def test_value_when_it_is_deeper_than_the_limit_then_it_is_not_repaired() -> None:
    def nested(depth: int) -> str:
        return "[" * depth + "'x'" + "]" * depth

    assert len(list(values_in(nested(DEEPEST)))) == 1
    # Of a value that is too deep the part that is not is found.
    assert next(values_in(nested(DEEPEST + 1))) == next(values_in(nested(DEEPEST)))


@pytest.mark.parametrize("sign", ["{", "[", '{"a":', "{a:b ", "{'", '{"a" '])
def test_value_when_brackets_go_on_without_end_then_the_library_is_not_asked(
    sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_repair, "repair_json", lambda *_, **__: pytest.fail("it would take minutes"))
    assert list(values_in(sign * (LONGEST_REPLY // len(sign)))) == []


def test_value_when_the_library_fails_then_the_next_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> object:
        raise IndexError("string index out of range")

    monkeypatch.setattr(json_repair, "repair_json", fail)
    assert list(values_in("{'a': 1} [2]")) == [[2]]


def test_values_when_there_are_too_many_broken_ones_then_reading_stops() -> None:
    assert list(values_in("{} " * MOST_STARTS + "[1]")) == []
    assert list(values_in("{} " * (MOST_STARTS - 1) + "[1]")) == [[1]]
