"""Steps through the frames to annotate, and what happens to the frames in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from PySide6.QtCore import QObject

from annotator.commands.carried_labels import CarryLabels, ConfirmScene
from annotator.commands.command import Command
from annotator.commands.projects import SetFrameSteps
from annotator.domain.medium import MediaType, Medium
from annotator.domain.project import Project
from annotator.domain.rows import SceneRow, ViewThumbnail
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.annotate.frame_steps_dialog import FrameSteps, FrameStepsDialog
from widgets.annotate.scene_queue import SceneQueue
from widgets.annotate.work_clock import WorkClock
from widgets.bridge import Bridge
from widgets.number_field import number_text
from widgets.project_controller import ProjectController
from widgets.stage.stage import Stage
from widgets.task import while_exists
from widgets.translation import tr

READ = 100
"""Scenes that are read at a time."""


class FrameStepActions(QObject):
    """Executes the actions on sequences of frames."""

    def __init__(
        self,
        stage: Stage,
        *,
        queue: SceneQueue,
        clock: WorkClock,
        session: Session,
        bridge: Bridge,
        controller: ProjectController,
    ) -> None:
        super().__init__(stage)
        self._stage, self._queue, self._clock = stage, queue, clock
        self._session, self._bridge, self._controller = session, bridge, controller

    def ask_steps(self) -> None:
        """Ask for the annotation step and what belongs to it."""
        self._with_project(self._show_dialog)

    def carry_labels(self) -> None:
        """Carry the labels of the displayed frame to the frames in between."""
        if self._stage.scene:
            self._execute(CarryLabels(scene=self._stage.scene))

    def confirm_scene(self) -> None:
        """Confirm all copied, proposed and carried answers of the displayed scene."""
        if self._stage.scene:
            self._execute(ConfirmScene(scene=self._stage.scene, person=self._session.actor.id))

    def step_annotated(self, step: str) -> None:
        """Go to the next ("1") or previous ("-1") frame of the front video that is annotated."""
        self._with_project(partial(self._step_video, step))

    def show_different(self) -> None:
        """Show the next scene of the list whose front view differs from the displayed one."""
        shown, front = self._stage.shown, self._stage.front
        row = self._queue.listing.current_row()
        if shown is None or front is None or not isinstance(row, SceneRow):
            return
        numbers = self._queue.listing.model.numbers[
            self._queue.listing.table.current_position() + 1 :
        ].tolist()
        reference = next(one.medium for one in shown.media if one.medium.id == front.medium)
        question = partial(
            _find_different, reference=reference, view=shown.view_of(front.medium), numbers=numbers
        )
        work = self._controller.run_query(question, title=tr("Find the next frame that differs"))
        work.finished.connect(while_exists(self, partial(self._on_different_found, row.id)))

    def _on_different_found(self, asked: str, found: tuple[int | None, float]) -> None:
        number, limit = found
        row = self._queue.listing.current_row()
        # Another scene was chosen while the frames were compared.
        if row is None or row.id != asked:
            return
        if number is not None:
            self._queue.choose_number(number)
        else:
            text = tr("No later frame of this list differs by {n} % or more", n=number_text(limit))
            self._queue.show_note(text)

    def _with_project(self, done: Callable[[Project], None]) -> None:
        self._bridge.query(self._session, _project, done=done, channel=(id(self), "project"))

    def _show_dialog(self, project: Project) -> None:
        steps = FrameSteps(
            step=project.annotation_step,
            difference=project.frame_difference,
            idle_limit_s=int(self._clock.active_time.idle_limit_s),
        )
        dialog = FrameStepsDialog(self._queue.window(), steps=steps)
        dialog.accepted_steps.connect(self._on_steps_accepted)
        dialog.open(dialog.fields["step"])

    def _on_steps_accepted(self, steps: FrameSteps) -> None:
        self._clock.keep_idle_limit(steps.idle_limit_s)
        self._execute(SetFrameSteps(step=steps.step, difference=steps.difference))

    def _step_video(self, step: str, project: Project) -> None:
        self._stage.player.step_to_multiple(step, of=project.annotation_step)

    def _execute(self, command: Command) -> None:
        title = display_text.command_summary_text(command.summary)
        self._controller.execute(command, title=title, initiator=self, is_gesture=True)


def _project(reader: Reader) -> Project:
    return reader.project


def _find_different(
    session: Session, progress: Progress, *, reference: Medium, view: str, numbers: list[int]
) -> tuple[int | None, float]:
    """Return the number of the first scene that differs, None for none, and the limit; on another thread."""
    # Its libraries take time to import, which the start of the window does not have.
    from annotator.media.frame_difference import first_different

    limit = session.reader.project.frame_difference
    found = first_different(
        reference,
        _views(session.reader, view=view, numbers=numbers),
        total=len(numbers),
        limit_percent=limit,
        file_of=session.roots.file_of,
        progress=progress,
    )
    return found, limit


def _views(reader: Reader, *, view: str, numbers: list[int]) -> Iterator[tuple[int, Medium]]:
    for start in range(0, len(numbers), READ):
        for row in reader.scenes.rows(numbers[start : start + READ]):
            shown = next((one for one in row.shown if one.view == view), None)
            if shown is not None:
                yield row.n, _medium(shown)


def _medium(shown: ViewThumbnail) -> Medium:
    kind = cast("MediaType", shown.media_type)
    return Medium(id=shown.medium, name=shown.name, path=shown.path, media_type=kind, sha256=shown.sha256)
