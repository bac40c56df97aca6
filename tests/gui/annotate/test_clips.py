"""Clips in the real window: marks with keys and typed times, the dialog, the cut, and undo."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from annotator.commands.projects import ChooseTaskSet
from annotator.commands.regions import AddRegion
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.video import export
from annotator.media.video.video import Video
from annotator.progress import Progress
from annotator.session import Session
from tests.bench.numbered_videos import KINDS, make_video
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.annotate.clip_dialog import ClipDialog
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.library.reports import OperationReport
from widgets.settings import Settings
from widgets.timeline.lane_painter import NAME_PX
from widgets.timeline.mark_field import MarkField
from widgets.undo_steps import UndoQuestion
from widgets.window import build

FRAMES, FPS = 90, 25
BOX = Box(x1=10.0, y1=10.0, x2=60.0, y2=50.0)


class ClipPerson(WindowPerson):
    """The window at Annotate, in front of a video with B frames and a key frame every 24 frames."""

    @property
    def annotate(self) -> AnnotateWorkspace:
        made = self.window.slots["annotate"].workspace
        assert made is not None
        return made

    def mark(self, first: int, last: int) -> None:
        for number, key in ((first, Qt.Key.Key_I), (last, Qt.Key.Key_O)):
            self.annotate.stage.player.seek(number / FPS)
            self.settle()
            self.annotate.stage.focus_view()
            QTest.keyClick(QApplication.focusWidget(), key)

    def ask(self) -> ClipDialog:
        self.annotate.stage.focus_view()
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_O, Qt.KeyboardModifier.ShiftModifier)
        self.qtbot.waitUntil(lambda: self.window.findChild(ClipDialog) is not None)
        dialog = self.window.findChild(ClipDialog)
        assert dialog is not None
        self.qtbot.waitUntil(lambda: dialog.plan is not None)
        return dialog

    def make(self, dialog: ClipDialog) -> None:
        before = len(list(self.session.reader.records(Scene)))
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        self.qtbot.waitUntil(lambda: len(list(self.session.reader.records(Scene))) > before)
        self.settle()

    def clip(self, name: str) -> tuple[Medium, Scene, Video]:
        (scene,) = self.session.reader.find(Scene, name=name)
        medium = self.session.reader.require(Medium, scene.views[0].medium)
        return medium, scene, Video.open(self.session.media_root / medium.path)

    def type(self, field: object, text: str) -> None:
        field.selectAll()  # type: ignore[attr-defined]
        QTest.keyClicks(field, text)  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=KINDS["fragmented"]).path)


@pytest.fixture
def person(
    tmp_path: Path, video: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[ClipPerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    shutil.copy(video, folder / "flight.mp4")
    medium = Medium(
        id=new_id(),
        name="flight.mp4",
        path="flight.mp4",
        media_type="video",
        width_px=192,
        height_px=128,
        frames=FRAMES,
        duration_s=FRAMES / FPS,
    )
    scene = Scene(id=new_id(), name="flight", views=(SceneView(name="UAV1", medium=medium.id),))
    session = Session.open(make_project(tmp_path / "pilot.vantage", [medium, scene]))
    session.execute(ChooseTaskSet(task_set="urbanvideo")).result()
    for frame in (30, 60):
        session.execute(AddRegion(medium=medium.id, box=BOX, frame=frame)).result()
    made = build(session, settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield ClipPerson(made, qtbot, workspace="annotate")
    made.close()


def test_clip_when_marked_with_keys_and_made_then_shows_exactly_these_frames_and_undo_removes_it(
    person: ClipPerson, video: Path
) -> None:
    person.mark(24, 47)
    assert person.annotate.timeline.bar.marks.text() == "00:00.960 – 00:01.880 · frames 24 – 47 · 0.96 s"
    dialog = person.ask()
    assert dialog.name.text() == "flight_1"
    assert dialog.cut.text() == "Cut without re-encoding: begins exactly at frame 24."
    assert dialog.exact.isHidden()
    assert dialog.length.text() == (
        "0.96 s  ·  24 frames  ·  ⚠ clips of UrbanVideo-Bench last 10 s to 10 min"
    )
    assert dialog.kept.text().startswith("Copied to the clip: 1 region. Links, event labels")
    dialog.text.setPlainText("the red house")
    dialog.footage.setCurrentIndex(2)
    person.make(dialog)
    medium, scene, clip = person.clip("flight_1")
    assert (medium.footage, scene.metadata) == ("simulated", {"destination": "the red house"})
    assert medium.clip is not None
    assert medium.clip.is_copied
    source = Video.open(video)
    for mine, theirs in zip(clip.frames(range(24)), source.frames(range(24, 48)), strict=True):
        assert np.array_equal(mine.rgb(), theirs.rgb())
    assert [one.frame for one in person.session.reader.find(Region, medium=medium.id)] == [6]
    assert person.window.findChild(OperationReport) is None
    person.window.registry.run("edit.undo")
    person.qtbot.waitUntil(lambda: person.window.findChild(UndoQuestion) is not None)
    question = person.window.findChild(UndoQuestion)
    assert question is not None
    texts = [one.text() for one in question.findChildren(QLabel)]
    assert "The files that it wrote stay in the media folder." in texts
    question.act.click()
    person.qtbot.waitUntil(lambda: not list(person.session.reader.find(Scene, name="flight_1")))
    assert (person.session.media_root / medium.path).exists()


def test_clip_when_between_key_frames_then_the_user_chooses_between_exact_and_without_re_encoding(
    person: ClipPerson,
) -> None:
    person.mark(36, 40)
    dialog = person.ask()
    assert not dialog.exact.isHidden()
    assert dialog.exact.isChecked()
    assert dialog.exact.text() == "Re-encode: begins exactly at frame 36"
    assert dialog.wider.text() == (
        "Cut without re-encoding: begins 12 frames earlier, at key frame 24, ends 7 frames later"
    )
    assert dialog.length.text().startswith("0.20 s  ·  5 frames")
    dialog.wider.click()
    # What is shown belongs to the clip as it will be.
    assert dialog.length.text().startswith("0.96 s  ·  24 frames")
    person.make(dialog)
    medium, _, clip = person.clip("flight_1")
    assert medium.clip is not None
    assert (medium.clip.first, medium.clip.last, medium.clip.is_copied) == (24, 47, True)
    assert clip.frame_count == 24
    dialog = person.ask()
    assert dialog.name.text() == "flight_2"
    person.make(dialog)
    medium, _, clip = person.clip("flight_2")
    assert medium.clip is not None
    assert (medium.clip.first, medium.clip.last, medium.clip.is_copied) == (36, 40, False)
    assert clip.frame_count == 5


def test_dialog_when_times_are_typed_then_they_are_frames_and_nonsense_is_named(person: ClipPerson) -> None:
    dialog = person.ask()
    assert (dialog.begin.number, dialog.end.number) == (0, FRAMES - 1)
    person.type(dialog.begin.field, "1:x")
    assert dialog.begin.message.text() == "'1:x' is not a time or a frame number."
    assert dialog.problem_label.text().startswith("Enter seconds (13.5)")
    assert not dialog.main.isEnabled()
    person.type(dialog.begin.field, "48 f")
    person.type(dialog.end.field, "0:01.0")
    assert dialog.problem_label.text() == "The in point must be before the out point."
    assert not dialog.main.isEnabled()
    person.type(dialog.end.field, "90 f")
    assert dialog.end.message.text() == "flight.mp4 has no frame 90: it has 90."
    person.type(dialog.end.field, "2,84")
    assert (dialog.begin.number, dialog.end.number, dialog.problem_label.text()) == (48, 71, "")
    person.qtbot.waitUntil(dialog.main.isEnabled)
    assert dialog.cut.text() == "Cut without re-encoding: begins exactly at frame 48."
    person.type(dialog.name, "flight")
    person.qtbot.waitUntil(lambda: dialog.problem_label.text() == "The name flight is already in use.")
    assert not dialog.main.isEnabled()
    person.type(dialog.name, "second half")
    person.qtbot.waitUntil(dialog.main.isEnabled)
    person.make(dialog)
    assert person.clip("second half")[2].frame_count == 24


def test_mark_when_double_clicked_then_is_typed_and_must_be_before_the_other(person: ClipPerson) -> None:
    person.mark(24, 47)
    timeline = person.annotate.timeline
    view = timeline.timeline_view
    at = QPoint(round(NAME_PX + view.scale.x_of(24 / FPS)), 6)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    field = timeline.asked
    assert isinstance(field, MarkField)
    assert field.field.text() == "00:00.960"
    person.type(field.field, "soon")
    assert field.message.text().startswith("'soon' is not a time or a frame number.")
    person.type(field.field, "47 f")
    assert field.message.text() == "The in point must be before the out point."
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert field.isVisible()
    person.type(field.field, "12 f")
    assert field.message.text() == "Frame 12 of this video. Press Enter to apply."
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert timeline.asked is None
    player = person.annotate.stage.player
    assert (player.in_s, player.out_s) == (12 / FPS, 47 / FPS)


def test_clip_when_the_copy_shows_wrong_frames_then_it_is_encoded_and_the_window_says_so(
    person: ClipPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_difference", lambda *_, **__: "the first frame depends on frames before it")
    person.mark(24, 47)
    person.make(person.ask())
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    assert report is not None
    texts = [one.text() for one in report.findChildren(QLabel)]
    assert (
        "It shows the frames 24 to 47. It was re-encoded: the first frame depends on frames before it."
        in texts
    )
    report.close_button.click()
    assert person.clip("flight_1")[2].frame_count == 24


def test_clip_when_cancelled_in_the_status_bar_then_no_file_is_left_and_the_window_says_so(
    person: ClipPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, pause = threading.Event(), threading.Event()

    def encode(*_: object, path: Path, progress: Progress, **__: object) -> None:
        path.write_bytes(b"half a clip")
        began.set()
        while True:
            progress.step()
            pause.wait(0.01)

    monkeypatch.setattr(export, "_encode", encode)
    person.mark(36, 40)
    QTest.keyClick(person.ask(), Qt.Key.Key_Return)
    work = person.window.status_bar.work
    # There is no rate before the first step is reported, which a busy machine does after the line is shown.
    person.qtbot.waitUntil(lambda: began.is_set() and work.isVisible() and "/s" in work.figures.text())
    work.cancel.click()
    person.qtbot.waitUntil(lambda: not person.window.controller.works)
    assert person.window.banner.headline.text() == "Make 1 clip was stopped."
    assert [path.name for path in (person.session.media_root / "clips").iterdir()] == []
    assert [scene.name for scene in person.session.reader.records(Scene)] == ["flight"]


def test_dialog_when_the_file_is_gone_then_says_so_and_offers_no_cut(person: ClipPerson) -> None:
    (person.session.media_root / "flight.mp4").unlink()
    person.annotate.clips.ask_clip()
    person.qtbot.waitUntil(lambda: person.window.findChild(ClipDialog) is not None)
    dialog = person.window.findChild(ClipDialog)
    assert dialog is not None
    person.qtbot.waitUntil(lambda: "flight.mp4 cannot be read" in dialog.cut.text())
    assert not dialog.main.isEnabled()
    dialog.leave()
