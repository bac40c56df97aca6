"""The end of work on a scene: its state, what is missing, and the button that finishes or reopens it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QPushButton, QWidget

from annotator.commands.command import Command
from annotator.commands.scene_states import FinishScene, ReopenScene, read_scene_problems
from annotator.domain.scene import Scene
from annotator.domain.scene_problems import SceneProblem
from annotator.queries.own_labels import is_handed_in
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.annotate.work_clock import WorkClock
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.field_titles import field_title
from widgets.labels import label
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.stage.stage import Stage
from widgets.task import Task, while_exists
from widgets.translation import join_texts, tr, trn

ACTION = "annotate.finish_scene"
EDGE_PX, SHOWN_ROWS, ROW_PX = 12, 5, 44


@dataclass(frozen=True, kw_only=True)
class SceneCheck:
    """The result of the checks of a scene.

    Attributes:
        scene: Id of the scene.
        is_finished: Whether it is finished already, or the person has handed in the own part.
        problems: What must be corrected before it is finished.
    """

    scene: str
    is_finished: bool
    problems: tuple[SceneProblem, ...]


def check_scene(reader: Reader, *, scene: str, person: str) -> SceneCheck | None:
    """Check a scene for a person; runs on the reading thread. None if it was removed."""
    with reader.snapshot():
        found = reader.get(Scene, scene)
        if found is None:
            return None
        problems = tuple(read_scene_problems(reader, scene=scene, person=person))
        is_finished = is_handed_in(reader, found, person=person)
        return SceneCheck(scene=scene, is_finished=is_finished, problems=problems)


class SceneFinish(QWidget):
    """Checks the displayed scene, lists what is missing, and finishes it once nothing is.

    Signals:
        chosen: A problem was selected; carries the ``SceneProblem``.
    """

    chosen = Signal(object)

    def __init__(
        self,
        stage: Stage,
        *,
        session: Session,
        bridge: Bridge,
        controller: ProjectController,
        registry: ActionRegistry,
        clock: WorkClock,
    ) -> None:
        super().__init__()
        self._stage, self._session, self._bridge = stage, session, bridge
        self._controller, self._registry, self._clock = controller, registry, clock
        self._scene = ""
        self.problems: tuple[SceneProblem, ...] = ()
        self.title = label(role="note", wrap=True)
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Open problems of the scene"))
        self.button = QPushButton()
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        line = QFrame()
        line.setObjectName("divider")
        column = column_layout(self, margins_px=0, spacing_px=0)
        inner = column_layout(margins_px=(EDGE_PX, 8, EDGE_PX, EDGE_PX), spacing_px=4)
        for part in (self.title, self.list, self.button):
            inner.addWidget(part)
        column.addWidget(line)
        column.addLayout(inner)
        self.list.itemActivated.connect(self._on_list_item_activated)
        self.list.itemClicked.connect(self._on_list_item_activated)
        self.button.clicked.connect(self.finish_or_reopen)
        registry.keys_changed.connect(self.show_scene)
        self._show_problems(())

    def show_scene(self) -> None:
        """Show the state of the displayed scene; the problems of another scene are discarded."""
        shown = self._stage.shown
        if self._stage.scene != self._scene:
            self._scene = self._stage.scene
            self._show_problems(())
        is_finished = shown is not None and shown.is_handed_in
        self.setVisible(shown is not None)
        text, key = tr("Reopen scene") if is_finished else tr("Finish scene"), self._registry.key(ACTION)
        self.button.setText(f"{text} ({key})" if key else text)

    def finish_or_reopen(self) -> None:
        """Finish the scene, or list what is missing and show the first of it; reopen a finished scene."""
        self._check(is_asked=True)

    def refresh(self) -> None:
        """Check the scene again if problems are listed, after a change of the project."""
        if self.problems:
            self._check(is_asked=False)

    def _check(self, *, is_asked: bool) -> None:
        if self._scene:
            # Two channels: a check after a change must not replace the one that a person asked for.
            channel = (id(self), "asked" if is_asked else "check")
            done = partial(self._on_checked, is_asked=is_asked)
            question = partial(check_scene, scene=self._scene, person=self._session.actor.id)
            self._bridge.query(self._session, question, done=done, channel=channel)

    def _on_checked(self, check: SceneCheck | None, *, is_asked: bool) -> None:
        if check is None or check.scene != self._scene:
            return
        if is_asked and check.is_finished:
            self._execute(ReopenScene(scene=check.scene, person=self._session.actor.id))
        elif is_asked and not check.problems:
            command = FinishScene(
                scene=check.scene, active_s=self._clock.take_views(), person=self._session.actor.id
            )
            self._execute(command).failed.connect(
                while_exists(self, partial(self._clock.give_back_views, command))
            )
        self._show_problems(() if check.is_finished else check.problems)
        if is_asked and self.problems:
            self.list.setCurrentRow(0)
            self.chosen.emit(self.problems[0])

    def _execute(self, command: Command) -> Task:
        title = display_text.command_summary_text(command.summary)
        return self._controller.execute(command, title=title, initiator=self, is_gesture=True)

    def _show_problems(self, problems: tuple[SceneProblem, ...]) -> None:
        current = self.list.currentRow()
        self.problems = problems
        self.list.clear()
        self.list.addItems([_problem_text(problem) for problem in problems])
        self.list.setCurrentRow(min(current, len(problems) - 1))
        self.list.setFixedHeight(min(len(problems), SHOWN_ROWS) * ROW_PX)
        self.list.setVisible(bool(problems))
        self.title.setVisible(bool(problems))
        self.title.setText(
            trn(
                "{n} problem before the scene is finished",
                "{n} problems before the scene is finished",
                n=len(problems),
            )
        )

    def _on_list_item_activated(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.problems[self.list.row(item)])


def _problem_text(problem: SceneProblem) -> str:
    location = join_texts(filter(None, (problem.view, field_title(problem.field) if problem.field else "")))
    message = message_text(problem.message)
    return f"{location}: {message}" if location else message
