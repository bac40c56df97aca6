"""The scores of a report: the statement of coverage, and below it tables and problems as tabs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from annotator.scoring.score_report import ScoreReport
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import label, set_role
from widgets.project_controller import ProjectController
from widgets.read_only import disable_edits, read_only_reason
from widgets.scores.differences_pane import DifferencesPane
from widgets.scores.models_pane import ModelsPane
from widgets.scores.plots_pane import PlotsPane
from widgets.scores.problem_table import problem_count
from widgets.scores.problems_pane import ProblemsPane
from widgets.scores.score_text import coverage_text
from widgets.scores.settled_pane import SettledPane
from widgets.scores.tables_pane import ScoreTablesPane
from widgets.scores.texts_pane import TextsPane
from widgets.translation import mark as _
from widgets.translation import tr

TABS = {
    "tables": _("Scores"),
    "differences": _("Differences"),
    "plots": _("Plots"),
    "problems": _("Problems"),
    "texts": _("Unreadable replies"),
    "settled": _("Settled replies"),
    "models": _("Models"),
}
"""English titles of the tabs by the name of their action."""


class ReportPage(QWidget):
    """Shows a report; the coverage stays visible in every tab.

    Signals:
        tab_chosen: Another tab is shown.
    """

    tab_chosen = Signal()

    def __init__(
        self, *, session: Session, bridge: Bridge, registry: ActionRegistry, controller: ProjectController
    ) -> None:
        super().__init__()
        self._registry = registry
        self.report: ScoreReport | None = None
        self.coverage = label(role="body", wrap=True, selectable=True)
        self.tables = ScoreTablesPane(registry=registry, settings=controller.settings, controller=controller)
        self.differences = DifferencesPane(controller=controller)
        self.plots = PlotsPane(registry=registry, controller=controller)
        self.problems = ProblemsPane()
        self.texts = TextsPane(registry=registry, person=session.actor.id)
        disable_edits(read_only_reason(session), self.texts.main, self.texts.none, self.texts.ask)
        self.settled = SettledPane(session=session, bridge=bridge, registry=registry)
        self.models = ModelsPane(registry=registry)
        self._panes: dict[str, QWidget] = {
            "tables": self.tables,
            "differences": self.differences,
            "plots": self.plots,
            "problems": self.problems,
            "texts": self.texts,
            "settled": self.settled,
            "models": self.models,
        }
        self._stack = QStackedWidget()
        self._group = QButtonGroup(self)
        self.tabs = {name: self._tab(name) for name in TABS}
        self._lay_out()
        registry.connect_owner("score_page", self)
        self.tables.table.model_chosen.connect(self._on_table_model_chosen)
        self.settled.listed.connect(self._on_settled_listed)
        self.tables.measure_chosen.connect(self.differences.show_measure)

    @property
    def front(self) -> QWidget:
        """The pane of the current tab."""
        return self._panes[self.tab]

    @property
    def tab(self) -> str:
        """Name of the current tab."""
        return list(self._panes)[self._stack.currentIndex()]

    def show_report(self, report: ScoreReport, *, is_asked: bool = False) -> None:
        """Show another report; the tab stays.

        Args:
            report: The scores.
            is_asked: Whether models were asked for it.
        """
        self.report = report
        self.tables.show_report(report)
        self.differences.show_report(report)
        self.plots.show_report(report)
        self.problems.show_report(report)
        self.texts.show_report(report)
        self.models.show_report(report, is_asked=is_asked)
        self.settled.read()
        for name, count in (("problems", problem_count(report)), ("texts", report.unreadable_count)):
            self._title(name, f" {count:,}" if count else "")
        self._show_coverage()

    def choose_tab(self, name: str) -> None:
        """Show a tab and give it the keyboard focus."""
        self.tabs[name].setChecked(True)
        self._stack.setCurrentIndex(list(self._panes).index(name))
        self.front.setFocus(Qt.FocusReason.OtherFocusReason)
        self.tab_chosen.emit()

    def show_tables(self) -> None:
        """Show the tab with the table of scores."""
        self.choose_tab("tables")

    def show_differences(self) -> None:
        """Show the tab with the differences between models."""
        self.choose_tab("differences")

    def show_plots(self) -> None:
        """Show the tab with the plots."""
        self.choose_tab("plots")

    def show_problems(self) -> None:
        """Show the tab with the problems."""
        self.choose_tab("problems")

    def show_texts(self) -> None:
        """Show the tab in which unreadable replies are settled."""
        self.choose_tab("texts")

    def ask_save(self) -> None:
        """Ask for the file in which the plot or the differences are saved, in another tab the table."""
        {"plots": self.plots.ask_save, "differences": self.differences.ask_save}.get(
            self.tab, self.tables.ask_save
        )()

    def show_settled(self) -> None:
        """Show the tab with the replies that are settled."""
        self.choose_tab("settled")

    def show_models(self) -> None:
        """Show the tab with what models have read and graded."""
        self.choose_tab("models")

    def _on_settled_listed(self, count: int) -> None:
        self._title("settled", f" {count:,}" if count else "")

    def _show_coverage(self) -> None:
        if self.report is None:
            return
        location = self.tables.table.current_cell()
        current = location[0] if location is not None else ""
        self.coverage.setText(coverage_text(self.report, current=current))
        has_gap = any(model.coverage.missing for model in self.report.models)
        set_role(self.coverage, "warn" if has_gap else "body")

    def _tab(self, name: str) -> QPushButton:
        made = QPushButton()
        made.setCheckable(True)
        made.setProperty("kind", "pill")
        made.setChecked(name == "tables")
        made.clicked.connect(partial(self._registry.run, f"scores.{name}"))
        self._group.addButton(made)
        return made

    def _title(self, name: str, count: str = "") -> None:
        self.tabs[name].setText(f"{tr(TABS[name])}{count}  {self._registry.key(f'scores.{name}')}".strip())

    def _lay_out(self) -> None:
        row = row_layout(spacing_px=4)
        for name, tab in self.tabs.items():
            self._title(name)
            row.addWidget(tab)
        row.addStretch(1)
        for pane in self._panes.values():
            self._stack.addWidget(pane)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.coverage)
        column.addLayout(row)
        column.addWidget(self._stack, 1)

    def _on_table_model_chosen(self, _model: str) -> None:
        self._show_coverage()
