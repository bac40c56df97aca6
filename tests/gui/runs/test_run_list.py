"""The list of runs: sorting, and the choice of columns, as in the lists of the Library."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.query import SortOrder
from annotator.domain.work import RunOrder
from tests.gui.runs.conftest import Person, Work
from widgets.list_columns import kept_order
from widgets.runs.run_model import COLUMNS, COST, KIND, NAME


def begin(work: Work, title: str) -> None:
    settings = EvalSettings(visual_input="blind").to_json()
    work.session.runs.start(RunOrder(kind="blind", models=("One",), settings=settings, title=title)).result()


def test_runs_when_a_heading_is_clicked_then_are_sorted_by_it_and_stay_so(person: Person, work: Work) -> None:
    for title in ("Beta", "alpha", "Gamma"):
        begin(work, title)
    person.look()
    listing = person.runs.list

    def titles() -> list[str]:
        return [row.run.title for row in listing.runs.rows]

    newest_first = titles()
    listing.choose_row(1)
    at = listing.run_at_hand()
    header = listing.horizontalHeader()
    position = QPoint(header.sectionViewportPosition(NAME) + 5, header.height() // 2)
    person.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert titles() == ["alpha", "Beta", "Gamma"]
    assert listing.run_at_hand() == at
    person.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert titles() == ["Gamma", "Beta", "alpha"]
    # A poll brings the rows newest first again.
    begin(work, "Delta")
    person.look()
    assert titles() == ["Gamma", "Delta", "Beta", "alpha"]
    assert listing.run_at_hand() == at
    assert kept_order(person.window.settings, "run", COLUMNS) == SortOrder(column="run", is_descending=True)
    # The third click gives the usual order back.
    person.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert titles() == ["Delta", *newest_first]


@pytest.mark.allow_messages(r"does not support (raise\(\)|grabbing the keyboard)")
def test_runs_when_a_column_is_hidden_by_the_menu_then_the_list_stays_without_it(
    person: Person, work: Work
) -> None:
    begin(work, "Beta")
    person.look()
    listing = person.runs.list
    person.press("Ctrl+Shift+C")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = [action.text() for action in menu.actions() if action.text()]
    assert titles[:3] == ["Run", "Kind", "Models"]
    assert titles[-2:] == ["Sort by", "Reset columns"]
    next(action for action in menu.actions() if action.text() == "Kind").trigger()
    menu.close()
    person.settle()
    assert listing.isColumnHidden(KIND)
    person.window.resize(1400, 900)
    person.settle()
    assert listing.isColumnHidden(KIND)
    assert not listing.isColumnHidden(COST)
    listing.columns.reset()
    assert not listing.isColumnHidden(KIND)
