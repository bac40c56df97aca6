"""Place, size and panels of the window: nothing is cut, and everything is as it was left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView, QToolButton

from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from tests.bench.screen import screen
from tests.cut_texts import cut_texts
from tests.e2e.conftest import Open, Person
from tests.patience import PATIENCE_S, wait_until
from tests.windows import make_project
from widgets.person_actions import NAME_SETTING
from widgets.settings import Settings

REPO = Path(__file__).resolve().parents[2]
SMALL, NARROW, WIDE = (1024, 768), (1280, 720), (1600, 1000)
# Starts the window at a size of the screen in physical pixels, and prints what is cut.
LOOKER = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication(["vantage"])
from annotator.session import Session
from tests.cut_texts import cut_texts
from widgets import window
from widgets.screenshot import save_screenshot
made = window.build(Session.open(Path(sys.argv[1])))
width, height, ratio = int(sys.argv[2]), int(sys.argv[3]), made.devicePixelRatioF()
size = (round(width / ratio), round(height / ratio))
for workspace in ("library", "annotate", "refine", "second_look", "runs", "scores"):
    made.show_workspace(workspace)
    save_screenshot(made, Path(sys.argv[4]), size=size)
    for text in cut_texts(made):
        print("CUT", workspace, text)
print("RATIO", ratio)
made.close()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "pilot.vantage")


def panel_buttons(person: Person) -> list[QToolButton]:
    """Return the buttons of the side panels that are visible."""
    return [button for button in person.window.top_bar.panels if button.isVisible()]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [SMALL, NARROW, (1920, 1080), (3840, 2160)])
def test_window_when_of_a_size_then_no_text_is_cut(
    open_window: Open, project: Path, settings: Settings, size: tuple[int, int], language: str
) -> None:
    settings.keep("language", language)
    person = open_window(project, size=size)
    found = {"library": cut_texts(person.window)}
    for workspace in ("annotate", "refine", "second_look", "review", "runs", "release", "scores"):
        person.window.show_workspace(workspace)
        person.settle()
        found[workspace] = cut_texts(person.window)
    assert {workspace: cut for workspace, cut in found.items() if cut} == {}


def labelled_scene(views: int) -> list[Record]:
    """Return a scene with a label for each of its views."""
    media = [Medium(id=new_id(), name=f"0001-UAV{n}.png") for n in range(1, views + 1)]
    shown = tuple(SceneView(name=f"UAV{n}", medium=medium.id) for n, medium in enumerate(media, start=1))
    scene = Scene(id=new_id(), name="0001", views=shown)
    labels = [
        EventLabel(
            id=new_id(),
            scene=scene.id,
            view=view.name,
            quality=5,
            usable=True,
            object_types=("vehicles", "pedestrians"),
            count=ObjectCount(value=60, approximate=True),
            degradations=("small_target", "out_of_fov"),
            annotator="annotator-17",
            locator="record 1",
        )
        for view in scene.views
    ]
    return [*media, scene, *labels]


def cut_cells(table: QTableView) -> list[str]:
    """Return the texts of cells that are hidden or do not fit into their cell."""
    model, found = table.model(), []
    for index in (
        model.index(row, column) for row in range(model.rowCount()) for column in range(model.columnCount())
    ):
        text, rect = index.data(), table.visualRect(index)
        font = index.data(Qt.ItemDataRole.FontRole) or table.font()
        room = QRect(0, 0, rect.width() - 6, 10_000)
        needed = QFontMetrics(font).boundingRect(room, Qt.TextFlag.TextWordWrap, text)
        is_whole = needed.width() <= room.width() and needed.height() <= rect.height()
        if not (is_whole and table.viewport().rect().contains(rect)):
            found.append(text)
    return found


def open_scene_labels(person: Person) -> QTableView:
    """Open the list of scenes with the inspector, and return its table of labels."""
    person.window.registry.run("go.scenes")
    person.settle()
    if not person.library.inspector.isVisible():
        person.press("Alt+Return")
    person.settle()
    table = person.library.inspector.record.findChild(QTableView, "label_table")
    assert isinstance(table, QTableView)
    person.qtbot.waitUntil(table.isVisible)
    return table


@pytest.mark.parametrize(("views", "language"), [(2, "en"), (3, "en"), (6, "en"), (6, "zh")])
def test_labels_when_the_inspector_is_narrow_then_every_answer_of_every_view_can_be_read(
    open_window: Open, tmp_path: Path, settings: Settings, views: int, language: str
) -> None:
    settings.keep("language", language)
    project = make_project(tmp_path / "labels.vantage", labelled_scene(views))
    table = open_scene_labels(open_window(project, size=NARROW))
    model = table.model()
    texts = [
        model.index(row, column).data()
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    ]
    names = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    shown = texts if table.horizontalHeader().isHidden() else [*names, *texts]
    assert [text for text in shown if text.startswith("UAV")] == [f"UAV{n}" for n in range(1, views + 1)]
    assert shown.count("annotator-17") == views
    assert cut_cells(table) == []


def test_labels_when_the_inspector_becomes_wide_then_stand_side_by_side(
    open_window: Open, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "labels.vantage", labelled_scene(3))
    person = open_window(project, size=NARROW)
    table = open_scene_labels(person)
    assert table.model().columnCount() == 1
    person.library.panes.setSizes([256, 400, 900])
    person.window.resize(1700, 900)
    person.library.panes.setSizes([256, 400, 900])
    person.qtbot.waitUntil(lambda: table.model().columnCount() == 3)
    assert not table.horizontalHeader().isHidden()
    assert cut_cells(table) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_search_when_the_box_is_narrow_then_its_hint_is_never_cut(
    open_window: Open, project: Path, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person = open_window(project, size=NARROW)
    box = person.library.filters.search
    clear = max(box.findChildren(QToolButton), key=lambda button: button.x())
    for action in ("go.items", "go.scenes", "go.media"):
        person.window.registry.run(action)
        person.settle()
        start = box.cursorRect().center().x()
        needed = box.fontMetrics().horizontalAdvance(box.placeholderText())
        assert box.accessibleName() in box.placeholderText()
        assert start + needed <= clear.x(), box.placeholderText()
    box.setFixedWidth(320)
    person.qtbot.waitUntil(lambda: box.placeholderText().endswith("Ctrl+F"))


def test_panels_when_the_window_is_narrow_then_a_button_and_a_key_bring_them_back(
    open_window: Open, project: Path
) -> None:
    person = open_window(project, size=NARROW)
    left, right = panel_buttons(person)
    inspector = person.library.panes.widget(2)
    assert not inspector.isVisible()
    person.click(right)
    assert inspector.isVisible()
    person.click(right)
    assert not inspector.isVisible()
    person.press("Ctrl+2")
    person.settle()
    scenes, _, annotations = (person.window.slots["annotate"].workspace.panes.widget(at) for at in range(3))
    assert (scenes.isVisible(), annotations.isVisible()) == (True, False)
    person.click(right)
    person.click(left)
    assert (scenes.isVisible(), annotations.isVisible()) == (False, True)
    person.press("Ctrl+B")
    person.press("Ctrl+Alt+B")
    assert (scenes.isVisible(), annotations.isVisible()) == (True, False)
    person.press("Ctrl+5")
    person.settle()
    assert panel_buttons(person) == []


def test_panels_when_hidden_and_sized_then_are_so_in_the_next_window(
    open_window: Open, project: Path, settings: Settings
) -> None:
    person = open_window(project, size=WIDE)
    panes = person.library.panes
    panes.moveSplitter(300, 1)
    panes.moveSplitter(1100, 2)
    person.press("Ctrl+2")
    person.settle()
    annotate = person.window.slots["annotate"].workspace.panes
    annotate.moveSplitter(annotate.width() - 333, 2)
    kept = panes.sizes(), annotate.sizes()
    person.press("Ctrl+B")
    person.window.close()
    again = open_window(project, size=WIDE)
    assert again.library.panes.sizes() == kept[0]
    again.press("Ctrl+2")
    again.settle()
    annotate = again.window.slots["annotate"].workspace.panes
    assert not annotate.left.isVisible()
    again.press("Ctrl+B")
    again.settle()
    assert annotate.sizes() == kept[1]


def test_panels_when_hidden_on_a_narrow_window_then_are_shown_on_a_wide_one(
    open_window: Open, project: Path
) -> None:
    person = open_window(project, size=NARROW)
    person.press("Ctrl+2")
    person.settle()
    annotations = person.window.slots["annotate"].workspace.panes.right
    assert not annotations.isVisible()
    person.window.resize(*WIDE)
    person.qtbot.waitUntil(annotations.isVisible)


def test_window_when_its_screen_is_gone_then_is_on_one_that_is_there(
    open_window: Open, project: Path, settings: Settings
) -> None:
    person = open_window(project)
    person.window.move(9000, 9000)
    person.window.close()
    again = open_window(project, size=None)
    room = again.window.screen().availableGeometry()
    assert room.contains(again.window.frameGeometry().topLeft())


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["1.25", "1.5", "2"])
def test_window_when_the_screen_is_scaled_then_no_text_is_cut(
    project: Path, tmp_path: Path, scale: str
) -> None:
    folders = {f"VANTAGE_{name}": str(tmp_path / name.lower()) for name in ("HOME", "CONFIG", "LOG")}
    done = subprocess.run(
        [sys.executable, "-c", LOOKER, str(project), "3840", "2160", str(tmp_path / "shot.png")],
        cwd=REPO,
        env={**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("CUT")] == []
    assert f"RATIO {float(scale)}" in done.stdout


def xdotool(environment: Mapping[str, str], *arguments: str) -> str:
    """Do something with the windows of a screen."""
    done = subprocess.run(
        ["xdotool", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return done.stdout


@contextmanager
def real_window(environment: Mapping[str, str], project: Path) -> Iterator[str]:
    """Give the number of the window of a process of its own; it is closed by its key."""
    process = subprocess.Popen([sys.executable, "main.py", str(project)], cwd=REPO, env=environment)
    try:
        search = ("search", "--onlyvisible", "--name", "pilot – Vantage$")
        wait_until(lambda: process.poll() is not None or bool(xdotool(environment, *search)))
        assert process.poll() is None, "the window did not start: its messages are above"
        number = xdotool(environment, *search).split()[0]
        yield number
        xdotool(environment, "windowfocus", "--sync", number)
        xdotool(environment, "key", "ctrl+q")
        assert process.wait(PATIENCE_S) == 0
    finally:
        # Nothing where it has ended; a window that stays open must not keep the tests.
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool")
def test_window_when_started_again_then_has_the_very_place_and_size_that_it_had(
    project: Path, tmp_path: Path
) -> None:
    folders = {f"VANTAGE_{name}": str(tmp_path / name.lower()) for name in ("HOME", "CONFIG", "LOG")}
    with screen(tmp_path) as shown:
        environment = {**os.environ, **shown, **folders, "LC_ALL": "C.UTF-8"}
        # The dialog of the first start is modal: no key closes the window under it.
        Settings(Path(folders["VANTAGE_CONFIG"]) / "window.ini").keep(NAME_SETTING, True)
        wanted = "X=137\nY=91\nWIDTH=1301\nHEIGHT=777\n"
        for is_first in (True, False, False):
            with real_window(environment, project) as number:
                if is_first:
                    xdotool(environment, "windowsize", "--sync", number, "1301", "777")
                    xdotool(environment, "windowmove", "--sync", number, "137", "91")
                wait_until(lambda: wanted in xdotool(environment, "getwindowgeometry", "--shell", number))
