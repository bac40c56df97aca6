"""Shows the rules of the review, and stores them in the project."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.projects import SetReviewRules
from annotator.domain.project import Project
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.project_controller import ProjectController
from widgets.review.rules_dialog import ReviewRules, ReviewRulesDialog


class RuleActions(QObject):
    """Executes the action on the rules."""

    def __init__(
        self, workspace: QWidget, *, session: Session, bridge: Bridge, controller: ProjectController
    ) -> None:
        super().__init__(workspace)
        self._workspace, self._session = workspace, session
        self._bridge, self._controller = bridge, controller

    def ask_rules(self) -> None:
        """Ask for the rules."""
        self._bridge.query(self._session, _project, done=self._show_dialog, channel=OPENING)

    def _show_dialog(self, project: Project) -> None:
        rules = ReviewRules(separate_acceptance=project.separate_acceptance, phrases=project.review_phrases)
        dialog = ReviewRulesDialog(self._workspace.window(), rules=rules)
        dialog.accepted_rules.connect(self._on_rules_accepted)
        dialog.open(dialog.acceptance)

    def _on_rules_accepted(self, rules: ReviewRules) -> None:
        command = SetReviewRules(separate_acceptance=rules.separate_acceptance, phrases=rules.phrases)
        title = display_text.command_summary_text(command.summary)
        self._controller.execute(command, title=title, initiator=self, is_gesture=True)


def _project(reader: Reader) -> Project:
    return reader.project
