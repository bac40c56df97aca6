from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from annotator.commands.media_import import ImportMedia
from annotator.domain.query import MediumQuery
from annotator.media.file_import import import_files
from annotator.media.grouping import group_individually
from annotator.media.listing import list_media
from annotator.progress import Progress
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.e2e.test_failed_reads import failing_reads
from widgets.library.health_page import HealthPage
from widgets.library.reports import OperationReport
from widgets.library.scene_page import ScenePage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project with three pictures on a drive."""
    drive = tmp_path / "drive"
    drive.mkdir()
    for number, name in enumerate("abc"):
        cv2.imwrite(str(drive / f"{name}.png"), np.full((60, 80, 3), 40 * number, np.uint8))
    path = tmp_path / "drive.vantage"
    with Session.create(path) as session:
        session.roots.add(drive, name="drive")
        listing = list_media([drive], progress=Progress())
        grouping = group_individually(listing.names)
        file_import = import_files(listing, grouping, roots=session.roots, progress=Progress())
        session.execute(ImportMedia(file_import=file_import, dataset="set")).result()
        assert session.reader.media.count(MediumQuery(healths=("found",))) == 3
    return path


def come_back(person: Person) -> None:
    """Come back to the window from another one."""
    QApplication.sendEvent(person.window, QEvent(QEvent.Type.WindowActivate))
    person.settle()


def healths(person: Person) -> dict[str, int]:
    """Read the filter of the media files."""
    rows = person.library.listing().facet_model.rows
    return {row.text: row.count for row in rows if row.facet.id == "health" and row.part == "value"}


def figures(page: HealthPage) -> dict[str, int]:
    assert page.state is not None
    return {health: page.state.count(health) for health in ("found", "missing")}


def shows_grey(widget: QWidget, level: int) -> bool:
    """Return whether a widget shows an area in the grey of one of the pictures."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    return np.count_nonzero(pixels == level) > 1000


def test_media_when_their_folder_is_gone_then_list_filter_page_and_inspector_say_so_at_once_and_back_again(
    project: Path, tmp_path: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+M")
    person.settle()
    assert healths(person) == {"Found": 3}
    assert person.library.inspector.missing.isHidden()

    shutil.move(tmp_path / "drive", tmp_path / "elsewhere")
    come_back(person)
    assert healths(person) == {"Missing": 3}
    person.toggle("health", "missing")
    assert person.library.filters.count.text() == "3 of 3"
    assert {row.health for row in map(person.library.listing().model.row, range(3)) if row} == {"missing"}
    inspector = person.library.inspector
    person.qtbot.waitUntil(lambda: "Missing" in inspector.facts.text())
    assert inspector.missing.text.text() == "1 file missing"
    person.press("Alt+F")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, HealthPage)
    person.qtbot.waitUntil(lambda: page.state is not None and figures(page) == {"found": 0, "missing": 3})

    shutil.move(tmp_path / "elsewhere", tmp_path / "drive")
    come_back(person)
    person.qtbot.waitUntil(lambda: figures(page) == {"found": 3, "missing": 0})
    # Looking changes no record: nothing stands in the log, and undo has nothing of it.
    session = person.window.controller.session
    assert session is not None
    assert session.reader.counts()["flag"] == 0


def test_annotate_when_a_drive_goes_while_the_window_is_active_and_comes_back_then_shows_the_images_again(
    project: Path, tmp_path: Path, open_window: Open
) -> None:
    person = open_window(project)
    shutil.move(tmp_path / "drive", tmp_path / "elsewhere")
    # Nothing was read yet but names: the images are missed while the window stays active.
    person.window.show_workspace("annotate")
    person.settle()
    workspace = person.window.slots["annotate"].workspace
    assert workspace is not None
    person.qtbot.waitUntil(workspace.page.missing.isVisible)
    session = person.window.controller.session
    assert session is not None
    person.qtbot.waitUntil(lambda: len(session.readers.absent_media) == 3)
    assert not shows_grey(workspace.queue.grid, 80)

    shutil.move(tmp_path / "elsewhere", tmp_path / "drive")
    come_back(person)

    person.qtbot.waitUntil(lambda: [canvas.problem for canvas in workspace.stage.canvases] == [""])
    person.qtbot.waitUntil(lambda: workspace.stage.canvases[0].picture is not None)
    person.qtbot.waitUntil(workspace.page.missing.isHidden)
    assert not session.readers.absent_media
    person.qtbot.waitUntil(lambda: shows_grey(workspace.queue.grid, 80))


def test_locate_when_a_scene_lacks_its_picture_then_stage_and_inspector_offer_it_and_it_finds_the_file(
    project: Path, tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.move(tmp_path / "drive", tmp_path / "elsewhere")
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    inspector = person.library.inspector
    person.qtbot.waitUntil(inspector.missing.isVisible)
    person.press("Alt+Return")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ScenePage)
    person.qtbot.waitUntil(page.views.missing.isVisible)
    assert page.views.missing.count == 1
    monkeypatch.setattr(
        QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(str(tmp_path / "elsewhere"))
    )
    person.click(page.views.missing.button)
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    person.click(person.window.findChild(OperationReport).close_button)
    person.settle()
    person.qtbot.waitUntil(inspector.missing.isHidden)
    person.qtbot.waitUntil(page.views.missing.isHidden)


def test_annotate_when_a_picture_is_missing_then_the_stage_offers_to_locate_it(
    project: Path, tmp_path: Path, open_window: Open
) -> None:
    shutil.rmtree(tmp_path / "drive")
    person = open_window(project)
    person.window.show_workspace("annotate")
    person.settle()
    workspace = person.window.slots["annotate"].workspace
    assert workspace is not None
    person.qtbot.waitUntil(workspace.page.missing.isVisible)


def test_media_when_a_check_cannot_read_the_project_then_the_next_one_finds_what_is_gone(
    project: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_window(project)
    person.settle()
    with failing_reads(monkeypatch) as failed:
        come_back(person)
    assert failed
    shutil.rmtree(project.parent / "drive")
    come_back(person)
    assert person.window.controller.session is not None
    assert len(person.window.controller.session.readers.absent_media) == 3
