from __future__ import annotations

import pytest

from annotator.domain.timecode import Moment, read_timecode
from annotator.errors import UserError


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("13.5", Moment(time_s=13.5)),
        (" 13,5 s ", Moment(time_s=13.5)),
        ("0", Moment(time_s=0.0)),
        (".25", Moment(time_s=0.25)),
        ("90", Moment(time_s=90.0)),
        ("1:02.5", Moment(time_s=62.5)),
        ("00:13.733", Moment(time_s=13.733)),
        ("1:02:03.250", Moment(time_s=3723.25)),
        ("412 f", Moment(frame=412)),
        ("F412", Moment(frame=412)),
    ],
)
def test_timecode_when_typed_in_any_valid_form_then_is_that_moment(text: str, moment: Moment) -> None:
    assert read_timecode(text) == moment


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "-3", "1:xx", "12 ff", "1e3", "nan", "1.5 f", "٣"])
def test_timecode_when_it_is_nonsense_then_says_what_is_valid(text: str) -> None:
    with pytest.raises(UserError, match="not a time or a frame number") as caught:
        read_timecode(text)
    assert "1:02.5" in caught.value.hint


@pytest.mark.parametrize("text", ["1:90", "1:75:03"])
def test_timecode_when_a_part_is_over_59_then_says_so(text: str) -> None:
    with pytest.raises(UserError, match="60 or more"):
        read_timecode(text)
