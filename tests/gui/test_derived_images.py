"""Derived images through the real window: dialog with preview, command, report, inspector, Annotate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from annotator.domain.event_label import EventLabel
from annotator.domain.image_recipe import AIRCOP_NOISE, ImageRecipe, RecipeStep
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.media.degraded_images import degrade
from annotator.media.image_decoder import decode_image
from annotator.session import Session
from tests.bench.numbered_videos import picture_of
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.library.derived_images_dialog import DerivedImagesDialog
from widgets.library.reports import OperationReport
from widgets.library.workspace import LibraryWorkspace
from widgets.settings import Settings
from widgets.window import build

SIZE = (320, 180)


class DerivingPerson(WindowPerson):
    """The window with a project of two scenes of two images."""

    @property
    def library(self) -> LibraryWorkspace:
        assert self.window.library is not None
        return self.window.library

    def choose(self, kind: str, *rows: int) -> None:
        self.library.show_list(kind)
        self.settle()
        table = self.library.listings[kind].table
        table.choose_row(rows[0])
        if len(rows) > 1:
            table.selectAll()
        self.settle()

    def dialog(self, action: str) -> DerivedImagesDialog:
        self.window.registry.run(action)
        self.qtbot.waitUntil(lambda: self.window.findChild(DerivedImagesDialog) is not None)
        found = self.window.findChild(DerivedImagesDialog)
        assert found is not None
        self.qtbot.waitUntil(lambda: not found.after.pixmap().isNull())
        return found

    def make(self, dialog: DerivedImagesDialog) -> OperationReport:
        dialog.main.click()
        self.qtbot.waitUntil(lambda: self.window.findChild(OperationReport) is not None)
        report = self.window.findChild(OperationReport)
        assert report is not None
        self.settle()
        return report

    def scenes(self) -> list[str]:
        return [scene.name for scene in self.session.reader.records(Scene)]

    def fields(self) -> dict[str, str]:
        """Return the fields of the inspector."""
        texts = [one.text() for one in self.library.inspector.record.findChildren(QLabel)]
        return dict(pairwise(texts))


@pytest.fixture
def person(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[DerivingPerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    records: list[Medium | Scene | EventLabel] = []
    for name in ("0001", "0002"):
        views = []
        for number in (1, 2):
            file = folder / f"{name}-UAV{number}.png"
            Image.fromarray(picture_of(number, size_px=SIZE)).save(file)
            medium = Medium(
                id=new_id(),
                name=file.name,
                path=file.name,
                width_px=SIZE[0],
                height_px=SIZE[1],
                sha256=name * 16,
            )
            views.append(SceneView(name=f"UAV{number}", medium=medium.id))
            records.append(medium)
        records.append(Scene(id=f"s{name}", name=name, views=tuple(views)))
    medium_id = records[0].id
    records.append(
        EventLabel(id=new_id(), scene="s0001", view="UAV1", medium=medium_id, quality=4, state="finished")
    )
    made = build(Session.open(make_project(tmp_path / "pilot.vantage", records)), settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield DerivingPerson(made, qtbot, workspace="library")
    made.close()


def pixels(label: QLabel) -> np.ndarray:
    image = label.pixmap().toImage().convertToFormat(label.pixmap().toImage().Format.Format_RGB888)
    # Copied: the bytes go with the image.
    rows = np.array(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)


def test_images_when_made_from_selected_scenes_then_are_the_previewed_ones_and_the_inspector_links_them(
    person: DerivingPerson,
) -> None:
    person.choose("scene", 0, 1)
    dialog = person.dialog("media.derive")
    assert [dialog.view.itemText(at) for at in range(dialog.view.count())] == ["All views", "UAV1", "UAV2"]
    dialog.view.setCurrentIndex(1)
    dialog.preset.click()
    dialog.seed.selectAll()
    QTest.keyClicks(dialog.seed, "11")
    recipe = ImageRecipe(steps=AIRCOP_NOISE, seed=11)
    assert dialog.recipe() == recipe
    assert dialog.count.text().startswith("2 images  ·  2 derived scenes")
    source = decode_image(person.session.media_root / "0001-UAV1.png")
    wanted = degrade(source, recipe, content="0001" * 16)
    person.qtbot.waitUntil(lambda: np.array_equal(pixels(dialog.after), wanted))
    assert np.array_equal(pixels(dialog.before), source)
    dialog.is_close.click()
    assert dialog.state.text() == "Computing the preview …"
    person.qtbot.waitUntil(lambda: not dialog.state.text())
    report = person.make(dialog)
    assert person.scenes() == ["0001", "0002", "0001 (noise UAV1)", "0002 (noise UAV1)"]
    report.close_button.click()
    (made,) = person.session.reader.find(Medium, name="0001-UAV1-noise.png")
    # What was previewed is what was written.
    assert np.array_equal(decode_image(person.session.media_root / made.path), wanted)
    (scene,) = person.session.reader.find(Scene, name="0001 (noise UAV1)")
    assert person.session.reader.labels_of(scene.id) == []
    names = [medium.name for medium in person.session.reader.records(Medium)]
    person.choose("medium", names.index(made.name))
    person.qtbot.waitUntil(lambda: person.library.inspector.name.text() == made.name)
    shown = person.fields()
    assert shown["Derived from"] == "0001-UAV1.png"
    assert shown["Recipe"] == "Gaussian noise σ 25, Salt and pepper 5.0% · seed 11"
    person.choose("scene", 2)
    person.qtbot.waitUntil(lambda: person.library.inspector.name.text() == "0001 (noise UAV1)")
    shown = person.fields()
    assert shown["Derived from"] == "0001"
    assert shown["Recipe"].startswith("Gaussian noise")
    person.choose("medium", 0)
    person.qtbot.waitUntil(lambda: person.library.inspector.name.text() == "0001-UAV1.png")
    assert person.fields()["Derived media"] == "0001-UAV1-noise.png"


def test_dialog_when_inputs_are_wrong_then_says_why_and_offers_nothing(person: DerivingPerson) -> None:
    person.choose("medium", 0)
    dialog = person.dialog("media.derive")
    row = dialog.rows[0]
    for text, message in (("", "enter 0.5 to 128"), ("x", "enter 0.5 to 128"), ("500", "enter 0.5 to 128")):
        row.amount.selectAll()
        QTest.keyClick(row.amount, Qt.Key.Key_Delete)
        QTest.keyClicks(row.amount, text)
        assert dialog.problem_label.text() == f"Gaussian noise: {message}"
        assert not dialog.main.isEnabled()
    row.kind.setCurrentIndex(row.kind.findData("motion_blur"))
    assert (row.amount.text(), row.extra.text(), dialog.problem_label.text()) == ("8", "0", "")
    row.extra.selectAll()
    QTest.keyClicks(row.extra, "270")
    assert dialog.problem_label.text() == "Motion blur: enter an angle from 0 to 180"
    row.remove.click()
    assert (dialog.rows, dialog.problem_label.text()) == ([], "Add a step.")
    dialog.add.click()
    dialog.seed.clear()
    dialog.seed.textEdited.emit("")
    assert dialog.problem_label.text().startswith("Enter a seed from 0")
    dialog.leave()


def test_view_when_degraded_from_annotate_with_labels_then_the_answers_wait_for_confirmation(
    person: DerivingPerson,
) -> None:
    person.window.show_workspace("annotate")
    person.settle()
    dialog = person.dialog("stage.derive")
    # The view in front is proposed.
    assert dialog.view.currentText() == "UAV1"
    dialog.show_steps((RecipeStep.usual("row_loss"),))
    dialog.with_labels.click()
    person.make(dialog).close_button.click()
    (scene,) = person.session.reader.find(Scene, name="0001 (loss UAV1)")
    (label,) = person.session.reader.labels_of(scene.id)
    assert (label.quality, label.copied, label.state) == (4, ("quality",), "open")
    assert label.medium == scene.views[0].medium


def test_images_when_the_selection_has_none_to_degrade_then_says_so(person: DerivingPerson) -> None:
    person.choose("medium", 0)
    dialog = person.dialog("media.derive")
    person.make(dialog).close_button.click()
    names = [medium.name for medium in person.session.reader.records(Medium)]
    person.choose("medium", names.index("0001-UAV1-noise.png"))
    person.window.registry.run("media.derive")
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    assert report is not None
    assert report.windowTitle() == "There is no image to degrade"
    report.close_button.click()
