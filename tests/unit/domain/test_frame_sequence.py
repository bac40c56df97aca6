"""Sequences of scenes by their names."""

from __future__ import annotations

import pytest

from annotator.domain.frame_sequence import frame_position, frames_between, frames_to_annotate


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("23-00000001", ("23-", 1, "")),
        ("scene_004 frame_005", ("scene_004 frame_", 5, "")),
        ("c0003-2023-01-01-10-45-200800", ("c0003-2023-01-01-10-45-", 200800, "")),
        ("23-00000001-noise", ("23-", 1, "-noise")),
        ("market", ("market", 0, "")),
    ],
)
def test_place_when_a_name_is_read_then_its_last_number_is_the_frame(
    name: str, position: tuple[str, int, str]
) -> None:
    assert frame_position(name) == position


def test_frames_when_every_eighth_is_annotated_then_each_sequence_begins_anew() -> None:
    names = {(dataset, n): (dataset, f"{7}-{n:08}") for dataset in "ab" for n in range(1, 20)}
    chosen = frames_to_annotate(names, step=8)
    assert chosen == {(dataset, n) for dataset in "ab" for n in (1, 9, 17)}
    assert frames_to_annotate(names, step=1) == set(names)


def test_between_when_frames_are_missing_then_those_that_are_there_are_counted() -> None:
    names = {n: f"s-{n}" for n in (5, 1, 2, 30, 31, 8)} | {99: "other-2"}
    assert frames_between(names, key=1, step=3) == [2, 5]
    assert frames_between(names, key=8, step=3) == [30, 31]
    assert frames_between(names, key=2, step=3) == []
    assert frames_between(names, key=1, step=1) == []
    assert frames_between(names, key=7, step=3) == []


def test_frames_when_two_cameras_have_the_same_numbers_then_each_is_a_sequence() -> None:
    names = {
        f"f_{n:03}_{side}": ("a", f"f_{n:03}_{side}") for n in (5, 6, 7, 8) for side in ("left", "right")
    }
    assert frames_to_annotate(names, step=3) == {"f_005_left", "f_005_right", "f_008_left", "f_008_right"}
    named = {key: name for key, (_, name) in names.items()}
    assert frames_between(named, key="f_005_right", step=3) == ["f_006_right", "f_007_right"]
    assert frames_between(named, key="f_006_left", step=3) == []


def test_between_when_two_frames_have_one_number_then_each_has_its_own_place() -> None:
    names = {"second": "f_5", "first": "f_005", "third": "f_6"}
    assert frames_between(names, key="first", step=2) == ["second"]
    assert frames_between(names, key="second", step=2) == []
    annotated = frames_to_annotate({key: ("a", name) for key, name in names.items()}, step=2)
    assert annotated == {"first", "third"}
