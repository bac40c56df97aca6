"""The segment tool at the window, with a real pair of ONNX files in a real process beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.jobs.profile_file import write_profiles
from annotator.segment_prompt import SegmentPrompt
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.onnx_writer import colour_segmenter
from tests.unit.models.test_segmenter import picture
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.settings import Settings
from widgets.stage.tools.segment import SegmentTool
from widgets.window import build

ALT, NONE = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier
SIZE = (512, 256)
RED, GREEN = (192, 128), (384, 128)
"""Middles of the red and the green box in the image, which is drawn at twice the size."""


@pytest.fixture
def person(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[AnnotatePerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    cv2.imwrite(str(folder / "a.png"), cv2.cvtColor(picture(*SIZE), cv2.COLOR_RGB2BGR))
    medium = Medium(id=new_id(), name="a.png", path="a.png", width_px=SIZE[0], height_px=SIZE[1])
    scene = Scene(id=new_id(), name="0001", views=(SceneView(name="UAV1", medium=medium.id),))
    session = Session.open(make_project(tmp_path / "pilot.vantage", [medium, scene]))
    made = build(session, settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    person = AnnotatePerson(made, qtbot)
    person.annotate.stage.canvases[0].setFocus()
    yield person
    made.close()


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """Save a segmenter among the person's models."""
    encoder, _ = colour_segmenter(tmp_path / "models")
    write_profiles(config_folder(), [ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder))])
    return encoder


def click(person: AnnotatePerson, at: tuple[int, int], *, keys: Qt.KeyboardModifier = NONE) -> None:
    canvas = person.annotate.stage.canvases[0]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, keys, person.hands.point(*at))
    person.settle()


def tool_of(person: AnnotatePerson) -> SegmentTool:
    tool = person.annotate.stage.tool
    assert isinstance(tool, SegmentTool)
    return tool


def outline_box(person: AnnotatePerson) -> list[float]:
    reply = tool_of(person).reply
    assert reply is not None
    assert not reply.error
    corners = np.array(reply.corners)
    return [*corners.min(axis=0), *corners.max(axis=0)]


@pytest.mark.slow
@pytest.mark.usefixtures("pair")
def test_object_when_clicked_then_enter_adds_its_outline_and_undo_removes_it(person: AnnotatePerson) -> None:
    person.press("Shift+Z")
    click(person, RED)
    assert outline_box(person) == pytest.approx([128, 64, 256, 192], abs=6)
    assert "Enter: add polygon" in person.annotate.page.status_line.chosen.text()
    person.press("Return")
    person.press("Esc")
    (region,) = person.regions()
    assert len(region.polygon) >= 4
    assert (region.made_by, region.score) == ("tiny.encoder", 0.75)
    assert not region.is_proposed
    person.press("Ctrl+Z")
    assert person.regions() == []


@pytest.mark.slow
@pytest.mark.usefixtures("pair")
def test_clicks_when_added_and_taken_back_then_the_outline_follows_and_shift_enter_adds_its_box(
    person: AnnotatePerson,
) -> None:
    person.press("Shift+Z")
    click(person, GREEN)
    assert outline_box(person)[0] == pytest.approx(320, abs=6)
    click(person, RED, keys=ALT)
    assert tool_of(person).prompt.labels == (1, 0)
    person.press("Backspace")
    assert tool_of(person).prompt.labels == (1,)
    person.press("Shift+Return")
    person.press("Esc")
    (region,) = person.regions()
    assert region.polygon == ()
    assert region.box.x1 == pytest.approx(320, abs=6)


@pytest.mark.slow
@pytest.mark.usefixtures("pair")
def test_box_when_drawn_then_gives_the_outline_in_it_and_escape_drops_it(person: AnnotatePerson) -> None:
    person.press("Shift+Z")
    person.hands.drag((110, 40), (280, 220))
    person.settle()
    assert outline_box(person) == pytest.approx([128, 64, 256, 192], abs=6)
    person.press("Esc")
    assert tool_of(person).reply is None
    assert person.regions() == []


@pytest.mark.slow
def test_process_when_it_is_killed_then_words_say_so_and_the_next_click_starts_it_again(
    person: AnnotatePerson, pair: Path
) -> None:
    person.press("Shift+Z")
    click(person, RED)
    process = person.annotate.segmenter.process
    assert process is not None
    process.kill()
    person.qtbot.waitUntil(lambda: person.annotate.segmenter.process is None)
    assert "The segmenter ended" in person.annotate.page.status_line.chosen.text()
    click(person, RED)
    assert outline_box(person) == pytest.approx([128, 64, 256, 192], abs=6)


def test_press_when_it_is_cancelled_before_the_release_then_nothing_is_asked(person: AnnotatePerson) -> None:
    person.press("Shift+Z")
    canvas = person.annotate.stage.canvases[0]
    position = person.hands.point(*RED)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, NONE, position)
    person.press("Esc")
    person.press("Shift+Z")
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, NONE, position)
    person.settle()
    assert tool_of(person).prompt == SegmentPrompt()
    assert person.annotate.page.status_line.chosen.text() == "Click or frame an object"


def test_segmenter_when_there_is_none_then_words_say_where_to_add_it(person: AnnotatePerson) -> None:
    person.press("Shift+Z")
    click(person, RED)
    text = person.annotate.page.status_line.chosen.text()
    assert text.startswith("There is no segmenter. Add the two ONNX files")


@pytest.mark.slow
def test_segmenter_when_the_files_do_not_fit_then_their_words_are_shown(
    person: AnnotatePerson, pair: Path
) -> None:
    pair.with_name("tiny.decoder.onnx").write_bytes(pair.read_bytes())
    person.press("Shift+Z")
    click(person, RED)
    assert "is not the decoder of a segmenter" in person.annotate.page.status_line.chosen.text()


@pytest.mark.slow
def test_segmenter_when_the_person_changes_it_then_the_next_click_asks_the_new_one(
    person: AnnotatePerson, pair: Path
) -> None:
    person.press("Shift+Z")
    click(person, RED)
    assert outline_box(person) == pytest.approx([128, 64, 256, 192], abs=6)
    options = {"decoder": str(pair)}
    changed = ModelProfile(name="tiny", adapter="sam-onnx", path=str(pair), options=options)
    write_profiles(config_folder(), [changed])
    click(person, GREEN)
    assert "is not the decoder of a segmenter" in person.annotate.page.status_line.chosen.text()


CHATTY = """
import json, sys
for line in sys.stdin:
    reply = {"number": json.loads(line)["number"], "corners": [[1, 1], [9, 1], [9, 9]], "model": "m"}
    print("A library says hello.\\n" + json.dumps(reply), flush=True)
"""
"""A segmenter whose library prints a line before each reply."""


@pytest.mark.usefixtures("pair")
def test_reply_when_a_library_prints_before_it_then_the_outline_is_shown_all_the_same(
    person: AnnotatePerson, monkeypatch: pytest.MonkeyPatch, guard_messages: Messages
) -> None:
    guard_messages.allow("A line of the segmenter is no reply")
    command = (sys.executable, "-c", CHATTY)
    monkeypatch.setattr("widgets.annotate.segmenter.command_of_segmenter", lambda _name: command)
    person.press("Shift+Z")
    click(person, RED)
    assert outline_box(person) == [1, 1, 9, 9]
    assert not person.annotate.segmenter.is_busy
