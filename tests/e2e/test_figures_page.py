"""The page of statistics in the real window: plots, the items behind a bar, files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from annotator.commands.item_edits import SetIssueClasses
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import make_project
from widgets.library.figures_page import FiguresPage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write the small project, one of its items with an issue class."""
    path = make_project(tmp_path / "pilot.vantage")
    with Session.open(path) as session:
        first = next(session.reader.find(Item))
        session.execute(SetIssueClasses(item=first.id, issue_classes=("options",))).result()
    return path


def open_page(person: Person) -> FiguresPage:
    person.press("Alt+T")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, FiguresPage)
    return page


def test_statistics_when_a_bar_is_clicked_then_its_items_are_listed(project: Path, open_window: Open) -> None:
    person = open_window(project)
    page = open_page(person)
    page.choose("issue_classes")
    assert page.plot.figure is not None
    assert [bar.count for bar in page.plot.figure.bars] == [0, 0, 0, 1]
    # Rows from the top: the fourth class is in the fourth row.
    assert page.plot.bar_at(QPointF(0.5, 3.2)) == 3
    assert page.plot.bar_at(QPointF(0.5, 7.0)) is None
    chosen: list[ItemQuery] = []
    page.query_chosen.connect(chosen.append)
    page.plot.bar_chosen.emit(3)
    person.settle()
    (query,) = chosen
    assert len(query.ids) == 1
    assert person.library.pages.shown is None
    assert person.library.listing().table.model().rowCount() == 1


def test_statistics_when_written_then_each_figure_is_there_in_three_forms(
    project: Path, open_window: Open, tmp_path: Path
) -> None:
    person = open_window(project)
    page = open_page(person)
    folder = tmp_path / "figures"
    page.write_all(folder)
    person.settle()
    names = {figure.id for figure in page.figures}
    assert {"issue_classes", "items", "words", "question_words"} <= names
    assert {path.name for path in folder.iterdir()} == {
        f"{name}.{ending}" for name in names for ending in ("svg", "png", "csv")
    }
    assert page.hint.text() == f"{len(names)} figures are written to {folder}"
    image = QImage(str(folder / "items.png"))
    assert image.width() > 300
    assert ET.parse(folder / "items.svg").getroot().tag.endswith("svg")


def test_statistics_when_shown_again_then_the_same_figure_is_chosen_with_new_counts(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_page(person)
    page.choose("issue_classes")
    session = person.window.controller.session
    assert session is not None
    item = next(session.reader.find(Item, name="item_00002"))
    session.execute(SetIssueClasses(item=item.id, issue_classes=("options",))).result()
    person.press("Escape")
    person.settle()
    assert open_page(person) is page
    assert page.plot.figure is not None
    assert (page.plot.figure.id, page.plot.figure.bars[3].count) == ("issue_classes", 2)
