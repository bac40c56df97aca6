"""Each action of Annotate is driven by its key in the real window, and changes what it says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.bench.numbered_videos import KINDS, make_video
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.annotate.flight_person import FPS, FRAMES, FlightPerson, made_flight
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.actions import ACTIONS, BY_ID
from widgets.settings import Settings
from widgets.window import build

VIDEO_PX = (192, 128)
State = Callable[[FlightPerson], object]


@dataclass(frozen=True, kw_only=True)
class Drive:
    """How an action is driven.

    Attributes:
        state: What it changes, a key of ``STATES``.
        before: Ids of actions that are driven first.
        region: Whether the first region of the front view is selected first.
        frame: Frame that is shown first, None for any.
        is_held: Whether it lasts while its key is held.
    """

    state: str
    before: tuple[str, ...] = ()
    region: bool = False
    frame: int | None = None
    is_held: bool = False


STATES: dict[str, State] = {
    "tool": lambda person: person.annotate.stage.tool.id,
    "draft": lambda person: person.annotate.stage.tool.hint,
    "selected": lambda person: tuple(person.annotate.stage.selected),
    "chooser": lambda person: person.annotate.categories.chooser.isVisible(),
    "asking": lambda person: person.annotate.categories.is_asking_after_drawing,
    "keyboard": lambda _person: id(QApplication.focusWidget()),
    "menu": lambda _person: QApplication.activePopupWidget() is not None,
    "dialog": lambda person: any(one.isVisible() for one in person.window.findChildren(QDialog)),
    "form": lambda person: person.annotate.annotation_panel.form.isVisible(),
    "item form": lambda person: person.annotate.items.form.isVisible(),
    "stored": lambda person: person.session.reader.log.event_total(),
    "copied": lambda person: person.annotate.selection.copied,
    "hidden": lambda person: person.annotate.stage.hidden_regions.ids,
    "interpolated": lambda person: (
        person.annotate.stage.interpolation.boxes_at(person.annotate.stage.canvases[0].medium, 20) != []
    ),
    "plot": lambda person: person.editor.panel.isVisible(),
    "scene": lambda person: person.annotate.stage.scene,
    "rendering": lambda person: person.annotate.stage.rendering,
    "model": lambda person: person.annotate.stage.is_model,
    "overlays": lambda person: person.annotate.stage.overlays.kinds,
    "zoom": lambda person: person.annotate.stage.canvases[0].transform.zoom,
    "together": lambda person: person.annotate.stage.viewports.is_together,
    "layout": lambda person: person.annotate.stage.viewports.layout,
    "large": lambda person: person.annotate.stage.large,
    "front": lambda person: person.annotate.stage.front,
    "loupe": lambda person: person.annotate.stage.viewports.loupes.is_shown,
    "frame": lambda person: person.annotate.stage.player.time_s,
    "playing": lambda person: person.annotate.stage.player.is_playing,
    "speed": lambda person: person.annotate.stage.player.speed,
    "marks": lambda person: (person.annotate.stage.player.in_s, person.annotate.stage.player.out_s),
    "loop": lambda person: person.annotate.stage.player.loop,
    "panels": lambda person: [
        part.isVisible() for part in (person.annotate.queue, person.annotate.annotation_panel)
    ],
}
IMAGES: dict[str, Drive] = {
    "stage.box": Drive(state="tool"),
    "stage.polygon": Drive(state="tool"),
    "stage.segment": Drive(state="tool"),
    "stage.point": Drive(state="tool"),
    "stage.link": Drive(state="tool"),
    "stage.path": Drive(state="tool"),
    "stage.measure": Drive(state="tool"),
    "stage.select": Drive(state="tool", before=("stage.box",)),
    "stage.place_box": Drive(state="draft"),
    "stage.give_up": Drive(state="draft", before=("stage.place_box",)),
    "stage.select_all": Drive(state="selected"),
    "stage.next": Drive(state="selected"),
    "stage.previous": Drive(state="selected"),
    "stage.set_category": Drive(state="chooser", region=True),
    "stage.edit_place": Drive(state="keyboard", region=True),
    "stage.event_form": Drive(state="form"),
    "stage.new_item": Drive(state="item form"),
    "stage.room": Drive(state="stored", region=True),
    "stage.ask_category_after_drawing": Drive(state="asking"),
    "stage.copy": Drive(state="copied", region=True),
    "stage.paste": Drive(state="stored", region=True, before=("stage.copy",)),
    "stage.duplicate": Drive(state="stored", region=True),
    "stage.lock": Drive(state="stored", region=True),
    "stage.abnormal": Drive(state="stored", region=True),
    "stage.hide": Drive(state="hidden", region=True),
    "stage.show_hidden": Drive(state="hidden", region=True, before=("stage.hide",)),
    "stage.next_proposal": Drive(state="selected"),
    "stage.previous_proposal": Drive(state="selected"),
    "stage.accept": Drive(state="stored", before=("stage.next_proposal",)),
    "stage.refuse": Drive(state="stored", before=("stage.next_proposal",)),
    "stage.accept_in_view": Drive(state="stored"),
    "stage.accept_all": Drive(state="stored"),
    "stage.hidden_place": Drive(state="tool"),
    "stage.directions": Drive(state="stored"),
    "stage.occluded": Drive(state="stored", region=True),
    "stage.out_of_view": Drive(state="stored", region=True),
    "stage.visible": Drive(state="stored", region=True, before=("stage.occluded",)),
    "stage.propose_in_views": Drive(state="stored", before=("stage.ground",)),
    "annotate.assign": Drive(state="menu"),
    "stage.unlink": Drive(state="stored", region=True),
    "stage.remove": Drive(state="stored", region=True),
    "stage.ground": Drive(state="stored"),
    "stage.next_scene": Drive(state="scene"),
    "stage.scene_before": Drive(state="scene", before=("stage.next_scene",)),
    "annotate.next_unfinished": Drive(state="scene"),
    "annotate.unfinished_before": Drive(state="scene", before=("annotate.next_unfinished",)),
    "annotate.finish_scene": Drive(state="stored"),
    "stage.clean": Drive(state="rendering"),
    "stage.detected": Drive(state="rendering"),
    "stage.annotated": Drive(state="rendering", before=("stage.clean",)),
    "stage.model": Drive(state="model"),
    **{
        f"stage.show_{kind}": Drive(state="overlays")
        for kind in ("regions", "numbers", "links", "paths", "issues", "trail", "reprojected", "lines")
    },
    "stage.show_usual": Drive(state="overlays", before=("stage.show_regions",)),
    "stage.pixels": Drive(state="zoom"),
    "stage.zoom_in": Drive(state="zoom"),
    "stage.zoom_out": Drive(state="zoom", before=("stage.zoom_in",)),
    "stage.fit": Drive(state="zoom", before=("stage.zoom_in",)),
    "stage.region": Drive(state="zoom", region=True),
    "stage.together": Drive(state="together"),
    "stage.layout": Drive(state="layout"),
    "stage.large": Drive(state="large"),
    "stage.next_view": Drive(state="front"),
    "stage.view_before": Drive(state="front"),
    "stage.loupe": Drive(state="loupe", is_held=True),
    "edit.search": Drive(state="keyboard"),
    "go.next_pane": Drive(state="keyboard"),
    "view.filters": Drive(state="panels"),
    "view.inspector": Drive(state="panels"),
}
VIDEOS: dict[str, Drive] = {
    "stage.repeat": Drive(state="stored", region=True, before=("video.next",)),
    "stage.interpolate": Drive(state="interpolated", region=True, frame=0),
    "stage.confirm_interpolation": Drive(state="stored", region=True, frame=0, before=("stage.interpolate",)),
    "stage.key_frame": Drive(state="stored", frame=10),
    "stage.propose_key_frames": Drive(state="stored", frame=10, before=("stage.key_frame",)),
    "stage.key_frame_limits": Drive(state="dialog"),
    "stage.flight_form": Drive(state="keyboard"),
    "stage.track": Drive(state="stored", region=True, frame=0),
    "stage.reverse_flight": Drive(state="stored"),
    "stage.trajectory": Drive(state="plot"),
    "video.play": Drive(state="playing", frame=0),
    "video.forwards": Drive(state="playing", frame=0),
    "video.backwards": Drive(state="playing", frame=FRAMES - 2),
    "video.pause": Drive(state="playing", frame=0, before=("video.play",)),
    "video.slower": Drive(state="speed", frame=0, before=("video.forwards",)),
    "video.next": Drive(state="frame", frame=0),
    "video.before": Drive(state="frame", frame=20),
    "video.far_next": Drive(state="frame", frame=0),
    "video.far_before": Drive(state="frame", frame=20),
    "video.key_next": Drive(state="frame", frame=0),
    "video.key_before": Drive(state="frame", frame=FRAMES - 2),
    "video.second_next": Drive(state="frame", frame=0),
    "video.second_before": Drive(state="frame", frame=FRAMES - 2),
    "video.first": Drive(state="frame", frame=20),
    "video.last": Drive(state="frame", frame=20),
    "annotate.next_annotated": Drive(state="frame", frame=0),
    "annotate.annotated_before": Drive(state="frame", frame=FRAMES - 2),
    "video.mark_in": Drive(state="marks", frame=10),
    "video.mark_out": Drive(state="marks", frame=20),
    "video.clear_marks": Drive(state="marks", frame=20, before=("video.mark_out",)),
    "video.loop": Drive(state="loop", frame=0),
    "video.make_clip": Drive(
        state="keyboard", frame=20, before=("video.mark_in", "video.far_next", "video.mark_out")
    ),
}
"""How each action of Annotate is driven, by id; a new action is added here."""
ELSEWHERE = {
    "stage.link_table": "annotate/test_links.py",
    "stage.link_selected": "annotate/test_links.py",
    "stage.split_link": "annotate/test_links.py",
    "stage.derive": "test_derived_images.py",
    "annotate.confirm_scene": "annotate/test_frame_steps.py",
    "annotate.next_different": "annotate/test_frame_steps.py",
    "annotate.frame_steps": "annotate/test_frame_steps.py",
    "annotate.carry_labels": "annotate/test_frame_steps.py",
    "record.comment": "annotate/test_comments.py",
    "comments.pin": "annotate/test_comments.py",
}
"""Actions that need records of their own, with the test file in which their key or id is pressed."""


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, size_px=VIDEO_PX)
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=recipe).path)


@pytest.fixture
def person(
    tmp_path: Path, video: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[FlightPerson]:
    """Open a scene of images, another one, and one of videos with flights, all with regions."""
    guard_messages.allow(NO_SIZE_HINTS)
    guard_messages.allow("does not support raise")
    guard_messages.allow("does not support grabbing")
    session = Session.open(
        make_project(tmp_path / "pilot.vantage", [*_records(tmp_path / "pilot.media", video)])
    )
    window = build(session, settings=settings)
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    with qtbot.waitExposed(window):
        window.show()
    yield FlightPerson(window, qtbot)
    window.close()


def _records(folder: Path, video: Path) -> Iterator[Record]:
    folder.mkdir()
    for name in ("0001", "0002"):
        for number in (1, 2):
            file = write_picture(folder / f"{name}-UAV{number}.png", seed=number)
            yield Medium(id=file.stem, name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT)
        yield Scene(
            id=name,
            name=name,
            views=tuple(SceneView(name=f"UAV{n}", medium=f"{name}-UAV{n}") for n in (1, 2)),
        )
    # Four links that are not on one line are enough to align the views.
    for number, (x, y) in enumerate(((60, 60), (400, 90), (100, 250), (480, 260))):
        for view in ("UAV1", "UAV2"):
            yield _region(f"{view}-{number}", f"0001-{view}", number, x=x, y=y)
        yield Link(id=f"l{number}", scene="0001", regions=(f"UAV1-{number}", f"UAV2-{number}"))
    yield _region("free", "0001-UAV1", 8, x=560, y=170)
    yield msgspec.structs.replace(_region("p", "0001-UAV1", 9, x=250, y=160), is_proposed=True)
    views = []
    for number in (1, 2):
        file = Path(shutil.copy(video, folder / f"flight-UAV{number}.mp4"))
        width, height = VIDEO_PX
        yield Medium(
            id=file.stem, name=file.name, path=file.name, media_type="video", width_px=width,
            height_px=height, frames=FRAMES, duration_s=FRAMES / FPS,
        )  # fmt: skip
        views.append(SceneView(name=f"UAV{number}", medium=file.stem))
    yield Scene(id="flight", name="flight", views=tuple(views))
    for number in (1, 2):
        yield made_flight("flight", view=f"UAV{number}", key_frames=(0, 29, 59))
    for frame, x in ((0, 20), (40, 60)):
        region = _region(f"f{frame}", "flight-UAV1", 0, x=x, y=30)
        yield msgspec.structs.replace(region, frame=frame, track="car")


def _region(name: str, medium: str, number: int, *, x: float, y: float) -> Region:
    return Region(
        id=name, medium=medium, number=number, box=Box(x1=x, y1=y, x2=x + 40, y2=y + 30), category="car"
    )


def test_actions_when_listed_then_each_of_annotate_is_driven() -> None:
    of_annotate = {
        action.id for action in ACTIONS if action.context == "stage" or "annotate" in action.workspaces
    }
    # It works everywhere, on the panes of the workspace.
    of_annotate.add("go.next_pane")
    assert of_annotate == {*IMAGES, *VIDEOS, *ELSEWHERE}
    for name, file in ELSEWHERE.items():
        text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
        assert any(f'"{used}"' in text for used in (BY_ID[name].key, name) if used), name


@pytest.mark.slow
@pytest.mark.parametrize("videos", [False, True], ids=["images", "videos"])
def test_action_when_its_key_is_pressed_then_changes_what_it_says(person: FlightPerson, videos: bool) -> None:
    silent = {}
    for name, drive in (VIDEOS if videos else IMAGES).items():
        _show(person, "flight" if videos else "0001")
        _prepare(person, drive)
        before = STATES[drive.state](person)
        _hold(person, name) if drive.is_held else _drive(person, name)
        if STATES[drive.state](person) == before:
            silent[name] = before
        _restore(person)
    assert silent == {}


def _show(person: FlightPerson, scene: str) -> None:
    listing = person.annotate.queue.listing
    positions = [listing.model.row(index) for index in range(listing.model.rowCount())]
    index = next(at for at, row in enumerate(positions) if row is not None and row.id == scene)
    person.annotate.queue.grid.choose(index)
    person.settle()
    person.annotate.stage.focus_view()


def _prepare(person: FlightPerson, drive: Drive) -> None:
    stage = person.annotate.stage
    if drive.frame is not None:
        person.seek(drive.frame)
    if drive.region:
        stage.select([next(iter(stage.canvases[0].marks.ids))])
        person.settle()
    for name in drive.before:
        _drive(person, name)


def _drive(person: FlightPerson, name: str) -> None:
    """Press the key of an action; one without a key is chosen as from a menu."""
    if BY_ID[name].key:
        person.press(BY_ID[name].key)
    else:
        person.window.registry.action(name).trigger()
        person.settle()


def _hold(person: FlightPerson, name: str) -> None:
    keys = QKeySequence(BY_ID[name].key)[0]  # type: ignore[index]
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyPress(focus, keys.key(), keys.keyboardModifiers())
    person.settle()


def _restore(person: FlightPerson) -> None:
    """Undo what was stored, and bring the window back to how the next action finds it."""
    stage = person.annotate.stage
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QMenu) or (widget.isModal() and widget is not person.window):
            widget.close()
    for dialog in person.window.findChildren(QDialog):
        dialog.close()
    stage.viewports.hide_loupe()
    stage.player.pause()
    stage.player.clear_marks()
    stage.leave_model()
    stage.make_large(None)
    stage.hidden_regions.show_all()
    stage.overlays.show_usual()
    stage.choose_rendering("annotated")
    stage.choose_tool("select")
    stage.select([])
    stage.viewports.fit()
    person.annotate.annotation_panel.pages.setCurrentIndex(0)
    person.annotate.annotation_panel.show()
    person.annotate.queue.show()
    person.settle()
    while person.session.reader.log.next_undo(person.session.actor.id) is not None:
        person.session.undo().result()
        person.settle()
