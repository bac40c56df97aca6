from __future__ import annotations

import datetime as dt
import decimal
import math

import pytest

from annotator.importers.plain_values import (
    LONGEST_TEXT_CHARACTERS,
    PlainRow,
    UnreadableCell,
    is_plain_column,
    plain_value,
)
from annotator.importers.record_fields import RecordError


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("a", "a"), (True, True), (None, None), (3, 3), (0.5, 0.5), (math.nan, None), (b"abc", "abc"),
        (dt.time(12, 5), "12:05:00"), (dt.timedelta(seconds=90), "0:01:30"),
        (decimal.Decimal("1.50"), "1.50"),
        ((1, [b"x"]), [1, ["x"]]), ({1: "a"}, {"1": "a"}),
    ],
)  # fmt: skip
def test_value_when_json_has_none_of_its_kind_then_the_nearest(value: object, plain: object) -> None:
    assert plain_value(value) == plain


@pytest.mark.parametrize(
    "value", ["\0", "\ud800", "x" * 1_048_577, math.inf, 2**63, -(2**63), ["a", [math.inf]], UnreadableCell()]
)
def test_value_when_it_cannot_be_kept_then_words(value: object) -> None:
    with pytest.raises(RecordError):
        plain_value(value)


def test_row_when_two_cells_are_wrong_then_the_first_is_told_and_good_ones_stay() -> None:
    row = PlainRow({"a": 1, "b": math.inf, "c": "\0", "d": math.nan})
    assert (row.field, row.fault) == ("b", "It is not a finite number.")
    assert (row.cells["a"], row.cells["d"]) == (1, None)


@pytest.mark.parametrize(
    "odd",
    ["\0", "é", "x" * LONGEST_TEXT_CHARACTERS, 2**63, -(2**63), True, None, 0.5, b"a", [1], UnreadableCell()],
)
def test_column_when_a_cell_needs_a_look_then_it_is_not_plain(odd: object) -> None:
    kind = type(odd)(1) if type(odd) is int else "text"
    assert is_plain_column([kind, kind])
    assert not is_plain_column([kind, odd])
    assert not is_plain_column([])
