"""Boxes tracked at the window: drawn once, then confirmed with one key a frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import pytest

from annotator.commands.regions import AddRegion
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.media.test_tracking import BOX, SIZE_PX, scenery
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.settings import Settings
from widgets.task import Task
from widgets.window import build

FRAMES, GONE = 12, 8


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a video in which a car moves and disappears."""
    path = tmp_path_factory.mktemp("videos") / "flight.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "12"})
        stream.width, stream.height = SIZE_PX
        stream.pix_fmt = "yuv420p"
        for number in range(FRAMES):
            picture = av.VideoFrame.from_ndarray(scenery(number, hidden_from=GONE), format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    return path


@pytest.fixture
def person(
    tmp_path: Path, video: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[AnnotatePerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    (folder / "flight.mp4").write_bytes(video.read_bytes())
    medium = Medium(
        id=new_id(),
        name="flight.mp4",
        path="flight.mp4",
        media_type="video",
        width_px=SIZE_PX[0],
        height_px=SIZE_PX[1],
        frames=FRAMES,
        duration_s=FRAMES / 25,
    )
    scene = Scene(id=new_id(), name="0001", views=(SceneView(name="UAV1", medium=medium.id),))
    session = Session.open(make_project(tmp_path / "pilot.vantage", [medium, scene]))
    made = build(session, settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield AnnotatePerson(made, qtbot)
    made.close()


@pytest.fixture
def marked(person: AnnotatePerson) -> AnnotatePerson:
    """Mark the car on the first frame."""
    canvas = person.annotate.stage.canvases[0]
    person.session.execute(AddRegion(medium=canvas.medium, box=BOX, frame=0)).result()
    person.qtbot.waitUntil(lambda: len(canvas.marks.ids) == 1)
    canvas.setFocus()
    person.settle()
    return person


def proposed_frames(person: AnnotatePerson) -> list[int]:
    return sorted(one.frame or 0 for one in person.session.reader.find(Region, is_proposed=1))


def test_box_when_tracked_then_is_confirmed_with_one_key_a_frame_and_words_tell_where_it_was_lost(
    marked: AnnotatePerson,
) -> None:
    marked.press("Shift+M")
    assert proposed_frames(marked) == list(range(1, GONE))
    assert "frame 3  1 proposal" in marked.rows()
    text = marked.annotate.page.status_line.chosen.text()
    assert text == f"Lost: 0 after frame {GONE - 1}"
    # The first goes to the frame with the first proposal; each further one confirms a frame and goes on.
    for _ in range(GONE):
        marked.press("Shift+C")
    assert proposed_frames(marked) == []
    boxes = {one.frame: one.box.x1 for one in marked.regions()}
    assert boxes == {n: pytest.approx(BOX.x1 - n, abs=1.5) for n in range(GONE)}
    assert marked.annotate.stage.player.videos[0].painted == GONE - 1


def test_box_when_an_out_mark_is_set_then_is_tracked_up_to_it_and_undone_in_one_step(
    marked: AnnotatePerson,
) -> None:
    player = marked.annotate.stage.player
    player.set_marks(None, out_s=player.videos[0].time_of(3))
    marked.press("Shift+M")
    assert proposed_frames(marked) == [1, 2, 3]
    assert marked.annotate.page.status_line.chosen.text() == "1 box tracked to frame 3"
    marked.press("Ctrl+Z")
    assert proposed_frames(marked) == []


def test_boxes_when_tracked_then_one_key_accepts_them_on_all_frames(marked: AnnotatePerson) -> None:
    marked.press("Shift+M")
    marked.press("Ctrl+Shift+V")
    assert proposed_frames(marked) == []
    assert len(marked.regions()) == GONE
    marked.press("Ctrl+Z")
    assert proposed_frames(marked) == list(range(1, GONE))


def test_tracking_when_it_is_cancelled_then_words_say_so_and_nothing_is_proposed(
    marked: AnnotatePerson,
) -> None:
    marked.window.controller.work_started.connect(cancel)
    marked.press("Shift+M")
    assert marked.window.banner.headline.text() == "Tracking boxes was stopped."
    assert proposed_frames(marked) == []
    marked.window.controller.work_started.disconnect(cancel)
    marked.press("Shift+M")
    assert proposed_frames(marked) == list(range(1, GONE))


def cancel(work: Task) -> None:
    work.cancel()


def test_tracking_when_the_project_is_closed_meanwhile_then_ends_with_it(marked: AnnotatePerson) -> None:
    marked.annotate.tracking.track()
    marked.window.controller.close_project()
    marked.qtbot.waitUntil(lambda: not marked.window.controller.works)
    marked.settle()
    assert marked.window.controller.session is None


def test_tracking_when_nothing_is_marked_then_says_so(person: AnnotatePerson) -> None:
    person.annotate.stage.canvases[0].setFocus()
    person.press("Shift+M")
    assert "no box on this frame" in person.window.banner.headline.text()
