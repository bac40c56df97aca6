"""Whatever a form can hold comes back byte for byte: texts of any kind, through real projects."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.record import Record
from annotator.session import Session
from tests.unit.release.samples import (
    UAV1,
    UAV2,
    aircop_item,
    data_files,
    fill,
    label,
    release,
    released_again,
    spatialuav_item,
    urbanvideo_item,
)

ROUNDS = settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
"""Each round makes two projects, so it takes many records at a time."""
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(
        [
            'He said: "yes", or\nno',
            "=SUM(A1)",
            "'-5",
            "Choices:\nA. one\nB. two",
            "Question: what?  ",
            "\ufeffmark",
            "第 3 区域，哪里？",
            "a\u2028b\x85c\x0bd\x1ce",
            "A, B",
            "\\u0000",
            "\ttab\r\n",
        ]
    ),
)
SIDE = st.floats(0, 100, allow_subnormal=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


def _assert_same_again(form: str, *records: Record) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with Session.create(path / "p.vantage") as session:
            fill(session, *records)
            release(session, path / "out", form, include_flagged=True)
        again = released_again(path / "out", path=path / "again", form=form, include_flagged=True)
        once, twice = ([file.read_bytes() for file in data_files(out)] for out in (path / "out", again))
        assert once == twice


def _options(texts: list[str]) -> tuple[Option, ...]:
    return tuple(Option(letter=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False))


def _many(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=1, max_size=12)


AIRCOP = st.builds(
    aircop_item,
    name=TEXT,
    question=TEXT,
    options=st.lists(TEXT, min_size=4, max_size=4).map(_options),
    answer_key=st.sampled_from(["A", "b.", "A, B", "D"]),
)
URBANVIDEO = st.builds(
    urbanvideo_item,
    name=TEXT,
    question=TEXT,
    options=st.lists(TEXT, min_size=2, max_size=7).map(_options),
    answer_key=st.sampled_from("ABc"),
    extras=st.dictionaries(TEXT | st.sampled_from(["", "Output"]), JSON, max_size=2),
)
SPATIALUAV = st.one_of(
    st.builds(spatialuav_item, question=TEXT, extras=st.dictionaries(TEXT, JSON, max_size=2)),
    st.builds(spatialuav_item, answer_key=TEXT | st.sampled_from(["region 1 and 2", "Region 2."])),
    st.builds(
        spatialuav_item,
        name=st.just("Motion_Understanding_00001"),
        task=st.just("global_motion"),
        answer_format=st.just("free_text"),
        answer_key=TEXT,
    ),
)


@ROUNDS
@given(_many(AIRCOP))
def test_aircop_when_texts_are_anything_then_the_release_comes_back(items: list[Item]) -> None:
    _assert_same_again("aircop", *items, aircop_item())


@ROUNDS
@given(_many(URBANVIDEO))
def test_urbanvideo_when_texts_are_anything_then_the_release_comes_back(items: list[Item]) -> None:
    _assert_same_again("urbanvideo", *items, urbanvideo_item(extras={"Output": "Option: [B]"}))


@ROUNDS
@given(_many(SPATIALUAV))
def test_spatialuav_when_texts_are_anything_then_the_release_comes_back(items: list[Item]) -> None:
    _assert_same_again("spatialuav", *items, spatialuav_item(name="Region_Recognition_00003"))


BOXES = st.lists(
    st.builds(
        PercentBox,
        x=SIDE,
        y=SIDE,
        width=SIDE,
        height=SIDE,
        rotation=st.floats(-360, 360, allow_subnormal=False),
        labels=st.lists(st.sampled_from(["occluded", "too_small", "shade", "Out of FoV"]), max_size=1).map(
            tuple
        ),
        image_width_px=st.integers(0, 10_000),
    ),
    max_size=2,
).map(tuple)
CHOICES = st.lists(
    st.sampled_from(["occlusion", "others", "fog", "Image loss"]), unique=True, max_size=3
).map(tuple)


LABELS = st.builds(
    label,
    quality=st.none() | st.integers(1, 5),
    usable=st.none() | st.booleans(),
    count=st.none() | st.builds(ObjectCount, value=st.integers(0, 999), approximate=st.booleans()),
    degradations=st.none() | CHOICES,
    other_degradation=st.none() | TEXT,
    issue_boxes=st.none() | BOXES,
    when=st.none() | st.booleans(),
    what_boxes=st.none() | BOXES,
    who=st.none() | st.lists(st.sampled_from(["UAV1", "UAV2", "UAV30"]), unique=True).map(tuple),
    why=st.none() | CHOICES,
    annotator=TEXT | st.sampled_from(["1", "01"]),
    source_task=st.none() | st.integers(-(2**40), 2**40),
    created_at=TEXT,
    lead_time_s=st.none() | st.floats(0, 1e9, allow_subnormal=False),
)
NATIVE = st.one_of(
    LABELS,
    AIRCOP,
    st.builds(
        aircop_item, options=st.builds(Option, letter=TEXT, text=TEXT).map(lambda o: (o,)), answer_key=TEXT
    ),
    URBANVIDEO,
    SPATIALUAV,
)


@ROUNDS
@given(_many(LABELS))
def test_aircop_labels_when_answers_are_anything_then_the_release_comes_back(
    labels: list[EventLabel],
) -> None:
    _assert_same_again("aircop-labels", *labels, label(view="UAV2", medium=UAV2.id))


@ROUNDS
@given(_many(NATIVE))
def test_native_when_texts_are_anything_then_the_release_comes_back(records: list[Record]) -> None:
    _assert_same_again("native", *records)


@pytest.mark.parametrize("cell", ["-5", "=1+1", "'=x", "@a", "\ttab"])
def test_urbanvideo_when_a_cell_could_start_a_formula_then_it_comes_back(cell: str) -> None:
    _assert_same_again("urbanvideo", urbanvideo_item(extras={"Output": cell}))


def test_aircop_labels_when_only_a_folder_tells_the_view_then_it_comes_back() -> None:
    assert "UAV1" in UAV1.name
    _assert_same_again("aircop-labels", label(view=""), label(view="UAV2", medium=UAV2.id))
