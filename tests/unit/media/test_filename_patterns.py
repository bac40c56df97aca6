from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import UserError
from annotator.media.filename_patterns import FilenamePattern
from tests.hangs import soon


@pytest.mark.parametrize(
    ("pattern", "name", "values"),
    [
        ("{scene}-{view}.jpg", "x/23-00000001-UAV1.JPG", {"scene": "23-00000001", "view": "UAV1"}),
        ("{view}_{scene}.jpg", "UAV1_frame_005.jpg", {"scene": "frame_005", "view": "UAV1"}),
        ("{set}/{scene}/UAV{view}/{*}", "d/s/UAV3/a.jpg", {"set": "d", "scene": "s", "view": "3"}),
        ("{a:#3}.png", "012.png", {"a": "012"}),
        ("{a:hex8}-{b}.png", "8f2a9605-x.png", {"a": "8f2a9605", "b": "x"}),
        ("{view:left|right}_*.png", "RIGHT_7.png", {"view": "RIGHT"}),
        ("{scene}[-noise].{ext}", "a-b-noise.jpg", {"scene": "a-b-noise", "ext": "jpg"}),
        ("{n:#}[-{kind}].{ext}", "12.jpg", {"n": "12", "kind": "", "ext": "jpg"}),
        ("**/{scene}/img.png", "a/b/c/img.png", {"scene": "c"}),
        ("**/{scene}/img.png", "c/img.png", {"scene": "c"}),
        ("a/**/{scene}.png", "a/x/y/s.png", {"scene": "s"}),
        (
            "{scene}/UAV{view:#}/UAV{view:#}_{frame}.png",
            "s/UAV2/UAV2_7.png",
            {"scene": "s", "view": "2", "frame": "7"},
        ),
        ("frame?.png", "frame7.png", {}),
        (r"\{{scene}\}.png", "{s}.png", {"scene": "s"}),
        ("{scene}/{frames}", "a/0001.png", {"scene": "a", "frames": "0001.png"}),
        ("{scene}.png", "街区 7.png", {"scene": "街区 7"}),
    ],
)
def test_pattern_when_a_name_fits_then_tells_its_fields(
    pattern: str, name: str, values: dict[str, str]
) -> None:
    assert FilenamePattern.parse(pattern).match(name) == values


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{scene}-{view}.jpg", "a.jpg"),
        ("{scene}-{view}.jpg", "a-b.png"),
        ("a/{scene}.jpg", "b/a/x.jpg"),
        ("{a:#3}.png", "0123.png"),
        ("{scene}/UAV{view:#}/UAV{view:#}.png", "s/UAV2/UAV3.png"),
        ("*.png", "a.png" + "x" * 2000),
        ("{scene}.png", "a/b.pngx"),
    ],
)
def test_pattern_when_a_name_does_not_fit_then_tells_nothing(pattern: str, name: str) -> None:
    assert FilenamePattern.parse(pattern).match(name) is None


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "1 to 300 characters"),
        ("x" * 301, "1 to 300 characters"),
        ("{a}{b}", "need a separator"),
        ("{a}[x]{b}", "need a separator"),
        ("**{a}", "need a separator"),
        ("{", "has no partner"),
        ("a\\", "has no partner"),
        ("a]", "no opening \\["),
        ("[a", "no closing \\]"),
        ("{time:%Q}", "%Q is not a supported part of a time"),
        ("{x:zz}", "{x:zz} must be"),
        ("{frames}/a", "is at the end"),
        ("{a-b}", "{a-b} is not a field"),
        ("-".join("*" * 9), "more than 8 wildcards"),
    ],
)
def test_pattern_when_it_is_none_then_words_say_why(pattern: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        FilenamePattern.parse(pattern)


@pytest.mark.parametrize(
    ("pattern", "name", "seconds"),
    [
        ("{time:%Y%m%d_%H%M%S}.mp4", "20250102_101112.mp4", 1735812672.0),
        ("{time}.png", "1623936157.png", 1623936157.0),
        ("{time}.png", "1623936157944.png", 1623936157.944),
        ("{time:%s}.png", "1623936157944367872.png", 1623936157.944367872),
        ("{time:%Y%m%d}.png", "20251399.png", None),
        ("{scene}[_{time:%Y}].png", "a.png", None),
    ],
)
def test_time_when_a_name_tells_one_then_is_in_seconds(
    pattern: str, name: str, seconds: float | None
) -> None:
    parsed = FilenamePattern.parse(pattern)
    values = parsed.match(name)
    assert values is not None
    assert parsed.time_of(values) == (pytest.approx(seconds) if seconds else None)


@given(text=st.text(alphabet="ab{}[]*?/\\#:%|-_ {scene}", max_size=40), name=st.text(max_size=60))
def test_pattern_when_anything_is_typed_then_it_is_a_pattern_or_refused(text: str, name: str) -> None:
    try:
        pattern = FilenamePattern.parse(text)
    except UserError:
        return
    values = pattern.match(name)
    assert values is None or set(values) == set(pattern.fields)


def test_pattern_when_a_name_is_made_to_be_tried_in_many_ways_then_it_still_ends() -> None:
    pattern = FilenamePattern.parse("*-*-*-{scene}.jpg")
    with soon():
        assert pattern.match("-" * 120 + ".png") is None
