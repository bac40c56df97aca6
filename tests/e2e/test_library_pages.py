from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog

from annotator.commands.tags import ChangeTags
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.unit.store.making import created, write
from tests.windows import make_project
from widgets.library.health_page import HealthPage
from widgets.library.licence_dialog import LicenceDialog
from widgets.library.progress_page import ProgressPage
from widgets.library.record_grid import RecordGrid
from widgets.library.reports import OperationReport
from widgets.library.scene_page import ScenePage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write the small project; one of its pictures is there, with two regions linked to each other."""
    path = make_project(tmp_path / "pilot.vantage")
    with Session.open(path) as session:
        media = list(session.reader.records(Medium))
        scene = next(session.reader.records(Scene))
        folder = session.media_root
        regions = [
            Region(id=f"r{n}", medium=medium.id, number=n, box=Box(x1=10, y1=10, x2=30, y2=30))
            for n, medium in enumerate(media)
        ]
        link = Link(id="l1", scene=scene.id, regions=("r0", "r1"))
        write(session, *(created("region", region) for region in regions), created("link", link))
    folder.mkdir(exist_ok=True)
    picture = QImage(160, 90, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.darkGreen)
    picture.save(str(folder / media[0].path))
    return path


def open_scene(person: Person) -> ScenePage:
    person.press("Alt+S")
    person.settle()
    person.press("Alt+Return")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ScenePage)
    return page


def test_scene_when_a_link_is_flagged_then_its_page_shows_the_flag_and_the_list_counts_it(
    project: Path, open_window: Open
) -> None:
    with Session.open(project) as session:
        flag = Flag(
            id="f" * 32,
            entity="link",
            target="l1",
            kind="link_mismatch",
            message="UAV1 0 and UAV2 1 are 40 px apart on the ground plane; the limit is 12 px.",
            raised_by="check",
        )
        write(session, created("flag", flag))
    person = open_window(project)
    page = open_scene(person)
    assert flag.id in [one.id for one in page.detail.flags]
    row = person.library.listing().current_row()
    assert row is not None
    assert "link_mismatch" in row.flags


def test_scene_when_its_record_is_opened_then_its_page_shows_views_items_and_flags(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    assert page.isVisible()
    assert page.name.text() == "0001"
    assert [canvas.shown.view for canvas in page.stage.canvases] == ["UAV1", "UAV2"]
    assert [len(canvas.marks.marks.regions) for canvas in page.stage.canvases] == [1, 1]
    assert [canvas.problem for canvas in page.stage.canvases] == ["", "Media file missing"]
    assert page.stage.canvases[0].hasFocus()
    assert page.items is not None
    assert "item_00001" in page.items.text()
    assert not person.library.filters.isVisible()
    assert person.library.inspector.isVisible()


def test_scene_page_when_left_with_escape_then_the_list_is_at_the_same_place(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    person.press("PgDown", at=page)
    person.settle()
    assert page.name.text() == "0002"
    person.press("Escape", at=page)
    assert not page.isVisible()
    assert person.library.filters.isVisible()
    view = person.library.listing().view()
    assert isinstance(view, RecordGrid)
    assert view.isVisible()
    assert view.hasFocus()
    assert view.current_position() == 1


def test_item_on_a_scene_page_when_enter_is_pressed_then_is_the_one_in_the_list(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    person.press("Down", at=page)
    assert page.items is not None
    person.press("Return", at=page.items)
    person.settle()
    assert person.library.front == "item"
    assert person.library.listing().query == ItemQuery(scene=page.detail.id if page.detail else "")
    row = person.library.listing().current_row()
    assert row is not None
    assert row.name == "item_00001"
    person.press("Ctrl+Shift+F")
    person.settle()
    assert person.library.filters.count.text() == "3 of 3"


def test_grid_and_list_when_toggled_then_the_next_start_remembers(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    listing = person.library.listing()
    assert listing.view() is listing.grid
    person.press("Ctrl+G")
    assert listing.view() is listing.table
    assert listing.table.isVisible()
    person.window.close()
    again = open_window(project)
    assert again.library.front == "scene"
    assert not again.library.listing().is_grid


def test_progress_when_opened_then_agrees_with_the_list_that_a_number_opens(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+P")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ProgressPage)
    table = page.tables[0]
    model = table.model()
    total = sum(int(model.index(row, 2).data()) for row in range(model.rowCount() - 1))
    assert total == int(model.index(model.rowCount() - 1, 2).data()) == 3
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    row = names.index("Quality Assessment")
    accepted = next(
        at
        for at in range(model.columnCount())
        if model.headerData(at, Qt.Orientation.Horizontal) == "Accepted"
    )
    assert model.index(row, accepted).data() == "1"
    table.setCurrentIndex(model.index(row, accepted))
    person.press("Return", at=table)
    person.settle()
    assert person.library.front == "item"
    assert person.names() == ["item_00002"]


def test_media_page_when_a_folder_is_named_then_what_lies_there_is_found(
    project: Path, tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "disk"
    elsewhere.mkdir()
    picture = QImage(20, 10, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.gray)
    picture.save(str(elsewhere / "0001-UAV2.png"))
    person = open_window(project)
    person.press("Alt+F")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, HealthPage)
    assert page.state is not None
    assert (page.state.count("found"), page.state.count("unseen")) == (0, 2)
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(str(elsewhere)))
    person.press("Ctrl+L")
    person.settle()
    person.qtbot.waitUntil(lambda: page.state is not None and page.state.count("found") == 2)
    assert person.window.findChild(OperationReport) is not None
    person.press("Escape")
    assert person.window.controller.session is not None
    assert person.window.controller.session.reader.media.count(MediumQuery(healths=("found",))) == 2


def test_missing_media_when_copied_then_are_on_the_clipboard_by_name(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.library.batch.find_media()
    person.settle()
    person.press("Escape")
    assert person.window.controller.session is not None
    (person.window.controller.session.media_root / "0001-UAV1.png").unlink()
    person.library.batch.find_media()
    person.settle()
    person.press("Escape")
    person.press("Alt+F")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, HealthPage)
    page._on_copy_clicked()
    assert "Missing\t0001-UAV1.png\t" in QGuiApplication.clipboard().text()


def test_licence_when_set_for_the_media_of_scenes_then_each_has_it(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    person.press("Ctrl+A")
    person.press("Ctrl+Shift+L")
    person.settle()
    sheet = person.window.findChild(LicenceDialog)
    person.write("CC BY 4.0")
    person.press("Return", at=sheet.field)
    person.settle()
    assert person.window.controller.session is not None
    media = person.window.controller.session.reader.records(Medium)
    assert [getattr(medium, "licence", "") for medium in media] == ["CC BY 4.0"] * 2
    person.press("Ctrl+Z")
    person.settle()
    assert person.window.controller.session.reader.media.count(MediumQuery(licences=("",))) == 2


def test_folder_when_dropped_on_the_library_then_its_import_is_asked_for(
    project: Path, tmp_path: Path, open_window: Open
) -> None:
    person = open_window(project)
    asked: list[tuple[Path, ...]] = []
    person.library.import_requested.disconnect()
    person.library.import_requested.connect(asked.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path)), QUrl.fromLocalFile(str(tmp_path / "gone.json"))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    person.library.dropEvent(QDropEvent(QPointF(800, 400), Qt.DropAction.CopyAction, data, left, none))
    assert asked == [(tmp_path,)]


def test_scene_page_when_the_scene_is_tagged_elsewhere_then_shows_it(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    assert page.detail is not None
    scene = page.detail.id
    assert person.window.controller.session is not None
    person.window.controller.execute(ChangeTags(scenes=(scene,), added=("night",)), title="Tagging")
    person.qtbot.waitUntil(lambda: page.detail is not None and page.detail.scene.tags == ("night",))
    person.settle()
    found = person.window.controller.session.reader.get(Scene, scene)
    assert found is not None
    assert found.tags == ("night",)
    assert page.isVisible()
