"""Adds items by hand from the scene on the stage."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.commands.new_item import NewItem, views_needed
from annotator.domain.changes import Changes
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.annotate.candidate_dialog import Candidate, CandidateDialog
from widgets.annotate.new_item_form import NewItemForm, PickedRegions
from widgets.bridge import Bridge
from widgets.library.thumbnails import ThumbnailLoader
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage
from widgets.task import while_exists
from widgets.translation import tr


class NewItemActions(QObject):
    """Opens the form for a new item, fills it from the stage, and creates the item.

    Signals:
        toggled: Emitted to show or hide the form; carries whether to show it.
    """

    toggled = Signal(bool)

    def __init__(
        self,
        stage: Stage,
        *,
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
        thumbnails: ThumbnailLoader,
    ) -> None:
        super().__init__(stage)
        self._settings, self._thumbnails = settings, thumbnails
        self._stage, self._session = stage, session
        self._controller, self._bridge = controller, bridge
        self._has_sets = False
        self._scene = ""
        self.form = NewItemForm()
        self.form.hide()
        self.form.accepted.connect(self.create)
        self.form.closed.connect(self.close)
        self.form.candidates.requested.connect(self.choose_candidates)
        self.form.task.currentIndexChanged.connect(self._on_task_changed)
        stage.selection_changed.connect(self._on_stage_selection_changed)
        stage.marks_shown.connect(self._on_stage_marks_shown)

    def ask_item(self) -> None:
        """Show the form for the scene on the stage."""
        if self._stage.shown is None:
            return
        if self._has_sets:
            self._show()
        else:
            self._bridge.query(
                self._session, _read_task_set, done=self._on_task_set_read, channel=(id(self), "task set")
            )

    def close(self) -> None:
        """Hide the form, and return the keyboard to the stage."""
        self.toggled.emit(False)
        self._stage.focus_view()

    def create(self) -> None:
        """Create the item; the form stays open for the next one."""
        form = self.form
        command = NewItem(
            scene=self._stage.scene,
            task_set=form.chosen_set.id,
            task=form.chosen_task.id,
            template=form.chosen_template.id,
            slots=dict(form.slots),
            views=form.views,
            distractors=tuple(one.medium for one in form.candidates.chosen),
            answer_key=form.answer,
            evidence=form.evidence,
        )
        work = self._controller.execute(
            command, title=display_text.command_summary_text(command.summary), initiator=self, is_gesture=True
        )
        work.finished.connect(while_exists(self, partial(self._on_created, command)))

    def choose_candidates(self) -> None:
        """Open the dialog that picks the images of other scenes."""
        shown, field = self._stage.shown, self.form.candidates
        if shown is None:
            return
        dialog = CandidateDialog(
            self._stage.window(),
            session=self._session,
            bridge=self._bridge,
            settings=self._settings,
            thumbnails=self._thumbnails,
            needed=field.needed,
            own=[view.medium for view in shown.scene.views],
            chosen=field.chosen,
        )
        dialog.picked.connect(self._on_candidates_picked)
        dialog.open(dialog.search)

    def _on_candidates_picked(self, chosen: tuple[Candidate, ...]) -> None:
        self.form.candidates.show_chosen(chosen)
        self.form.create_button.setFocus()

    def _show(self) -> None:
        self._offer_views()
        self.toggled.emit(True)
        self.form.start()
        next(iter(self.form.fields.values()), self.form.candidates.button).setFocus()

    def _on_task_set_read(self, chosen: str) -> None:
        catalogue = TaskSetCatalogue.of(self._session.path)
        sets = [catalogue.get(set_id) for set_id in catalogue.ids]
        for task_set in sets:
            display_text.load_task_set_titles_of(task_set)
        self.form.show_sets(sets, chosen=chosen)
        self._has_sets = True
        self._show()

    def _offer_views(self) -> None:
        shown, front = self._stage.shown, self._stage.front
        if shown is None:
            return
        self._scene = shown.scene.id
        names = [view.name for view in shown.scene.views]
        self.form.show_views(names, front=shown.view_of(front.medium) if front is not None else names[0])
        self._check_task()

    def _check_task(self) -> None:
        """Show the second view where it is needed, and why the task is not possible in this scene."""
        shown = self._stage.shown
        if shown is None or self.form.task.currentIndex() < 0:
            return
        try:
            needed = views_needed(self.form.chosen_task, available=len(shown.scene.views))
        except UserError as error:
            problem = f"{message_text(error.message)} {message_text(error.hint)}"
            self.form.show_needed(1, problem=problem)
        else:
            self.form.show_needed(needed)

    def _on_task_changed(self, _at: int) -> None:
        self._check_task()

    def _on_stage_selection_changed(self) -> None:
        shown = self._stage.shown
        if shown is None or not self.form.isVisible():
            return
        by_id = {region.id: region for region in selected_regions(self._stage)}
        regions = tuple(by_id[one] for one in self._stage.selected if one in by_id)
        views = tuple(shown.view_of(region.medium) for region in regions)
        self.form.take(PickedRegions(regions=regions, views=views))

    def _on_stage_marks_shown(self) -> None:
        # Another scene has other views and regions: what was picked does not hold there.
        if self.form.isVisible() and self._stage.scene != self._scene:
            self._offer_views()
            self.form.start()

    def _on_created(self, command: NewItem, _changes: Changes) -> None:
        self.form.start()
        self.form.note.setText(tr("{name} was created.", name=command.name))


def _read_task_set(reader: Reader) -> str:
    return reader.project.task_set
