from __future__ import annotations

import json

import pytest

from annotator.domain.region import Box
from annotator.domain.scene import Scene
from tests.unit.importers.made import CVAT, MDMT
from tests.unit.importers.reading import Read

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    "<annotations><image/>&b;</annotations>"
)


def test_shapes_when_of_pictures_then_boxes_and_polygons_in_pixels(read: Read) -> None:
    outcome = read(CVAT, name="flight.xml")
    assert outcome.format == "cvat"
    box, roof, turned = outcome.records[:3]
    assert box.box == Box(x1=10.5, y1=20, x2=30, y2=50)
    assert (box.category, box.visible, box.frame, box.track) == ("car", None, None, "")
    assert [note.field for note in box.corrections] == ["visible"]
    assert json.loads(bytes(box.original))["attributes"] == {"colour": "red"}
    assert roof.polygon == ((1, 1), (9, 1), (9, 9))
    assert outcome.found[0].media[0].path == "a/one.jpg"
    # Turned by a right angle about its middle, 20 x 10 becomes 10 x 20.
    assert turned.box.x1 == pytest.approx(15)
    assert turned.box.y2 == pytest.approx(25)
    assert len(turned.polygon) == 4


def test_tags_when_read_then_told_that_they_mark_no_place(read: Read) -> None:
    outcome = read(CVAT, name="flight.xml")
    assert [(entry.field, entry.locator, entry.line) for entry in outcome.rejected] == [
        ("tag", "image 0, tag", 10)
    ]


def test_tracks_when_of_a_video_then_frames_and_what_is_outside_as_a_fact(read: Read) -> None:
    outcome = read(CVAT, name="flight.xml")
    tracked = outcome.found[3:5]
    assert [(found.record.frame, found.record.track, found.record.category) for found in tracked] == [
        (0, "3", "person"),
        (1, "3", "person"),
    ]
    assert (tracked[0].media[0].name, tracked[0].media[0].kind) == ("flight.mp4", "video")
    hidden = outcome.found[5]
    assert hidden.record == Scene(name="flight", metadata={"outside": {"3": [[2, 3]]}})
    assert hidden.scene is not None
    assert len(outcome.found) == 6


def test_tracks_when_mdmt_then_pictures_by_number_and_identity_across_views(read: Read) -> None:
    outcome = read(MDMT, name="23-1.xml")
    box, hidden = outcome.found
    assert (box.dataset, box.media[0].name, box.media[0].view) == (
        "Real_2_UAVs",
        "23-00000001-UAV1.jpg",
        "UAV1",
    )
    assert box.scene is not None
    assert box.scene.name == "23-00000001"
    assert (box.identity, box.record.track, box.record.frame) == ("7", "7", None)
    assert hidden.record == Scene(name="23-00000002", metadata={"outside_UAV1": ["7"]})


def test_file_when_it_breaks_off_then_what_came_before_is_kept(read: Read) -> None:
    outcome = read(CVAT[: CVAT.index('<box frame="1"') + 20], name="flight.xml")
    assert len(outcome.found) == 4
    assert outcome.rejected[-1].message.startswith("The XML is incomplete or invalid here")
    assert outcome.rejected[-1].line == 14


@pytest.mark.parametrize(
    "text",
    [BOMB, "<annotations><image>" + "<a>" * 100_000, '<annotations><meta/><track id="1">' + "<box>" * 50],
)
def test_file_when_hostile_then_refused_in_words(read: Read, text: str) -> None:
    outcome = read(text, name="x.xml", format_id="cvat")
    assert not outcome.found
    assert len(outcome.rejected) == 1


@pytest.mark.parametrize("encoding", ["no-such-thing", "gbk", "utf-16"])
def test_file_when_it_declares_another_encoding_then_read_as_what_it_is(read: Read, encoding: str) -> None:
    text = CVAT.replace('encoding="utf-8"', f'encoding="{encoding}"')
    assert len(read(text.replace("car", "车"), name="flight.xml").found) == 6
    content = text.encode("utf-16")
    assert len(read(content, name="wide.xml").found) == 6


@pytest.mark.parametrize("number", ["nan", "1e308", "x", "-1e400", ""])
def test_box_when_a_number_is_none_then_told(read: Read, number: str) -> None:
    outcome = read(CVAT.replace('xtl="10.5"', f'xtl="{number}"'), name="flight.xml")
    assert outcome.rejected[0].field == "xtl"
    assert outcome.rejected[0].line == 6


def test_box_when_corners_are_swapped_then_told(read: Read) -> None:
    outcome = read(CVAT.replace('xbr="30" ybr="50"', 'xbr="3" ybr="50"'), name="flight.xml")
    assert "negative" in outcome.rejected[0].message
