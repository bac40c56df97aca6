"""Makes derived images of selected scenes and media: dialog, preview, command and report."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.derived_images import DerivedImageReport, DeriveImages, source_content
from annotator.domain.changes import Changes
from annotator.domain.image_recipe import ImageRecipe
from annotator.errors import UserError
from annotator.queries.derived_targets import CleanView, clean_views, derived_scenes
from widgets import display_text
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library.derived_images_dialog import DerivedImagesDialog
from widgets.library.recipe_preview import PreviewSource
from widgets.library.reports import OperationReport
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportFigure, ReportSection
from widgets.task import while_exists
from widgets.translation import tr


class DerivedImages(QObject):
    """Asks for a recipe, then makes the images off the GUI thread."""

    def __init__(
        self, *, controller: ProjectController, bridge: Bridge, window: QWidget, parent: QObject
    ) -> None:
        """Set up the operation.

        Args:
            controller: Executes the command.
            bridge: Delivers results of other threads to the GUI thread.
            window: Window that dialogs belong to.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._controller, self._bridge, self._window = controller, bridge, window
        self._source: tuple[str, PreviewSource] | None = None

    def ask(self, *, scenes: tuple[str, ...] = (), media: tuple[str, ...] = (), view: str = "") -> None:
        """Ask for the recipe of derived images.

        Args:
            scenes: Ids of scenes.
            media: Ids of media.
            view: Name of the view that is chosen first, "" for all.
        """
        if self._controller.session is not None:
            question = partial(clean_views, scenes=scenes, media=media)
            show = partial(self._open, view)
            self._bridge.query(self._controller.session, question, done=show, channel=OPENING)

    def make(
        self, recipe: ImageRecipe, views: tuple[CleanView, ...], with_labels: bool, with_regions: bool
    ) -> None:
        """Make the images of views.

        Args:
            recipe: How.
            views: The views.
            with_labels: Whether event labels are copied.
            with_regions: Whether regions, paths and links are copied.
        """
        session = self._controller.session
        if session is None:
            return
        scenes, media = derived_scenes(views)
        command = DeriveImages(
            scenes=scenes,
            media=media,
            recipe=recipe,
            roots=session.roots,
            with_labels=with_labels,
            with_regions=with_regions,
        )
        work = self._controller.execute(command, title=display_text.command_summary_text(command.summary))
        work.finished.connect(while_exists(self, partial(self._on_made, command)))

    def _open(self, view: str, views: tuple[CleanView, ...]) -> None:
        if not views:
            self._report(
                tr("There is no image to degrade"),
                tr("The selection has only videos, maps and images that are degraded already."),
            )
            return
        dialog = DerivedImagesDialog(self._window, views=views, chosen=view)
        dialog.preview_requested.connect(partial(self._preview, dialog))
        dialog.submitted.connect(self.make)
        dialog.ask_preview()
        dialog.open(dialog.rows[0].amount)

    def _preview(self, dialog: DerivedImagesDialog, view: CleanView, recipe: ImageRecipe) -> None:
        session, medium = self._controller.session, view.medium
        if session is None:
            return
        try:
            file = session.roots.require_file(medium.path or medium.name, name=medium.name)
        except UserError as error:
            dialog.show_preview_error(error)
            return
        if self._source is None or self._source[0] != medium.id:
            self._source = medium.id, PreviewSource(file, content=source_content(medium))
        call = partial(self._source[1].preview, recipe)
        self._bridge.wait_for(
            self._controller.run_quietly(call),
            done=dialog.show_preview,
            failed=dialog.show_preview_error,
            channel=(id(self), "preview"),
        )

    def _on_made(self, command: DeriveImages, _changes: Changes) -> None:
        # The decoded source of the preview is as large as the image.
        self._source = None
        self._report(tr("Derived images"), _subtitle(command), report=command.report)

    def _report(self, title: str, subtitle: str, *, report: DerivedImageReport | None = None) -> None:
        figures, sections = ([], []) if report is None else (_figures(report), _sections(report))
        made = OperationReport(
            self._window, title=title, subtitle=subtitle, figures=figures, sections=sections
        )
        made.open_report()


def _subtitle(command: DeriveImages) -> str:
    if command.with_labels:
        return tr("Copied answers are marked in the event form until they are confirmed.")
    if command.with_regions:
        return tr("Event labels of the clean images are not shared with them.")
    return tr("Labels and regions of the clean images are not shared with them.")


def _figures(report: DerivedImageReport) -> list[ReportFigure]:
    return [
        ReportFigure(number=len(report.images), title=tr("new images"), tone="good"),
        ReportFigure(number=report.known, title=tr("already present")),
        ReportFigure(number=len(report.scenes), title=tr("new scenes"), tone="good"),
    ]


def _sections(report: DerivedImageReport) -> list[ReportSection]:
    lists = ((tr("Images"), report.images), (tr("Scenes"), report.scenes))
    return [
        ReportSection(title=title, columns=(tr("Name"),), rows=tuple((name,) for name in names))
        for title, names in lists
        if names
    ]
