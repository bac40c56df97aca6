"""The pages that replace the list: one scene, the progress, the media files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.inspector import Inspector
from widgets.library.library_page import LibraryPage
from widgets.library.list_pane import ListPane
from widgets.library.panes import LibraryPanes
from widgets.library.record_details import RecordDetail, SceneDetail
from widgets.medium_view import MediumView
from widgets.project_controller import ProjectController
from widgets.stage.stage import Stage
from widgets.stage.stage_media import StageMedia

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.library.agreement_page import AgreementPage
    from widgets.library.balance_page import BalancePage
    from widgets.library.duplicates_page import DuplicatesPage
    from widgets.library.figures_page import FiguresPage
    from widgets.library.health_page import HealthPage
    from widgets.library.large_image import LargeImageDialog
    from widgets.library.progress_page import ProgressPage
    from widgets.library.scene_page import ScenePage


class LibraryPages(QObject):
    """Creates pages on demand and shows at most one of them.

    Signals:
        changed: Emitted when another page is shown, or none.
        left: Emitted when the page is closed.
        stepped: Emitted on the page of a scene to request the next (1) or the previous one (-1).
        item_chosen: Emitted when an item is selected; carries the ``SceneDetail`` and the item's place.
        query_chosen: Emitted when the user opens a list; carries the query.
        commanded: Emitted when a gesture creates a command; carries it.
    """

    changed = Signal()
    left = Signal()
    stepped = Signal(int)
    item_chosen = Signal(object, int)
    query_chosen = Signal(object)
    commanded = Signal(object)

    def __init__(
        self,
        *,
        session: Session,
        bridge: Bridge,
        registry: ActionRegistry,
        panes: LibraryPanes,
        lists: ListPane,
        inspector: Inspector,
        controller: ProjectController,
        stage_media: StageMedia,
    ) -> None:
        """Create the object without a page.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
            panes: The panes around the page.
            lists: Shows the pages.
            inspector: Reads the scene that its page shows.
            controller: Runs long queries, and has the settings, which store the state of the timeline.
            stage_media: Images and videos of the project.
        """
        super().__init__(panes)
        self._session, self._bridge, self._registry = session, bridge, registry
        self._panes, self._lists, self._inspector = panes, lists, inspector
        self._controller, self._settings, self._stage_media = controller, controller.settings, stage_media
        self.large: LargeImageDialog | None = None
        self.shown: ScenePage | LibraryPage | None = None
        self._scene: ScenePage | None = None
        self._progress: ProgressPage | None = None
        self._health: HealthPage | None = None
        self._balance: BalancePage | None = None
        self._duplicates: DuplicatesPage | None = None
        self._figures: FiguresPage | None = None
        self._agreement: AgreementPage | None = None
        inspector.shown.connect(self._on_inspector_shown)
        inspector.picture_opened.connect(self.open_large)

    def open_scene(self) -> None:
        """Show the page of the inspector's scene."""
        from widgets.library.scene_page import ScenePage

        if self._scene is None:
            self._scene = ScenePage(
                session=self._session,
                bridge=self._bridge,
                registry=self._registry,
                settings=self._settings,
                stage_media=self._stage_media,
            )
            self._scene.commanded.connect(self.commanded)
            self._scene.left.connect(self.left)
            self._scene.stepped.connect(self.stepped)
            self._scene.item_chosen.connect(self._on_item_chosen)
        self._inspector.stand_beside_pictures(True)
        self._show(self._scene)
        # The inspector belongs to the page of a scene; the filters do not.
        self._panes.arrange(has_filters=False, has_inspector=True)
        if isinstance(self._inspector.detail, SceneDetail):
            self._scene.show_detail(self._inspector.detail)

    def open_large(self, media: Sequence[MediumView], at: int) -> None:
        """Show one of several media at full window size."""
        from widgets.library.large_image import LargeImageDialog

        # Created for each call: the dialog deletes itself when it is closed.
        self.large = LargeImageDialog(
            self._panes.window(),
            media=media,
            at=at,
            session=self._session,
            bridge=self._bridge,
            registry=self._registry,
            settings=self._settings,
            stage_media=self._stage_media,
        )
        self.large.commanded.connect(self.commanded)
        self.large.finished.connect(self._on_large_closed)
        self.large.open(self.large.stage)

    def open_progress(self) -> None:
        """Show the progress of the project."""
        from widgets.library.progress_page import ProgressPage

        if self._progress is None:
            self._progress = ProgressPage(session=self._session, bridge=self._bridge)
            self._progress.left.connect(self.left)
            self._progress.query_chosen.connect(self.query_chosen)
        self._progress.refresh()
        self._show(self._progress)
        self._panes.arrange(has_filters=True, has_inspector=False)

    def open_files(self) -> None:
        """Show the state of the media files."""
        from widgets.library.health_page import HealthPage

        if self._health is None:
            self._health = HealthPage(session=self._session, bridge=self._bridge, registry=self._registry)
            self._health.left.connect(self.left)
            self._health.query_chosen.connect(self.query_chosen)
        self._health.refresh()
        self._show(self._health)
        self._panes.arrange(has_filters=True, has_inspector=False)

    def open_balance(self) -> None:
        """Show letters and lengths of the answers."""
        from widgets.library.balance_page import BalancePage

        if self._balance is None:
            self._balance = BalancePage(session=self._session, bridge=self._bridge)
            self._balance.left.connect(self.left)
            self._balance.query_chosen.connect(self.query_chosen)
            self._balance.commanded.connect(self.commanded)
        self._balance.refresh()
        self._show(self._balance)
        self._panes.arrange(has_filters=True, has_inspector=False)

    def open_duplicates(self) -> None:
        """Show the near-duplicates side by side."""
        from widgets.library.duplicates_page import DuplicatesPage

        if self._duplicates is None:
            self._duplicates = DuplicatesPage(
                session=self._session, bridge=self._bridge, registry=self._registry
            )
            self._duplicates.left.connect(self.left)
            self._duplicates.query_chosen.connect(self.query_chosen)
            self._duplicates.commanded.connect(self.commanded)
        self._duplicates.refresh()
        self._show(self._duplicates)
        self._panes.arrange(has_filters=True, has_inspector=False)

    def open_figures(self) -> None:
        """Show the distributions of the items."""
        from widgets.library.figures_page import FiguresPage

        if self._figures is None:
            self._figures = FiguresPage(
                session=self._session, bridge=self._bridge, controller=self._controller
            )
            self._figures.left.connect(self.left)
            self._figures.query_chosen.connect(self.query_chosen)
        self._figures.refresh()
        self._show(self._figures)
        self._panes.arrange(has_filters=True, has_inspector=False)

    def open_agreement(self) -> None:
        """Show how far people agree, and the human reference."""
        from widgets.library.agreement_page import AgreementPage

        if self._agreement is None:
            self._agreement = AgreementPage(
                session=self._session,
                bridge=self._bridge,
                controller=self._controller,
                registry=self._registry,
            )
            self._agreement.left.connect(self.left)
            self._agreement.query_chosen.connect(self.query_chosen)
        self._agreement.refresh()
        self._show(self._agreement)
        # Wide tables, at which no filter of the list is applied.
        self._panes.arrange(has_filters=False, has_inspector=False)

    def refresh_files(self) -> None:
        """Read the state of the media files again if their page is visible."""
        if self._health is not None and self.shown is self._health:
            self._health.refresh()

    def close(self) -> None:
        """Remove the page; the list pane shows a list again at the next ``show_list``."""
        if self.shown is not None:
            self.shown = None
            self._lists.leave_page()
            self._panes.arrange_for_list()
            self._inspector.stand_beside_pictures(False)
            self.changed.emit()

    def leave(self) -> None:
        """Stop background work before the project is closed."""
        if self.large is not None:
            # The dialog can still be open, and it has background work of its own.
            self.large.leave()
        if self._scene is not None:
            self._scene.leave()

    def has_record(self) -> bool:
        """Return whether the visible widget is about the current record: the list or its scene page."""
        return self.shown is None or self.shown is self._scene

    def stage(self) -> Stage | None:
        """Return the stage of the page of a scene, None while another page or the list is shown."""
        return self._scene.stage if self._scene is not None and self.shown is self._scene else None

    def is_settled(self) -> bool:
        """Return whether all images of the page and of the large view are shown."""
        is_large_settled = self.large is None or self.large.is_settled()
        is_page_settled = self._scene is None or self.shown is not self._scene or self._scene.is_settled()
        measured = [page for page in (self._figures, self._agreement) if page is not None]
        are_figures_read = all(page.is_settled() for page in measured)
        return is_large_settled and is_page_settled and are_figures_read

    def _show(self, page: ScenePage | LibraryPage) -> None:
        # Closing restores the panels that the other page had hidden.
        if self.shown is not None and self.shown is not page:
            self.close()
        self.shown = page
        self._lists.show_page(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _on_inspector_shown(self, detail: RecordDetail | None) -> None:
        # The inspector reads the scene once for both; the page uses the result.
        if self._scene is None or self.shown is not self._scene:
            return
        if isinstance(detail, SceneDetail):
            self._scene.show_detail(detail)
        else:
            # The scene was deleted, or the list has no current scene any more.
            self.left.emit()

    def _on_large_closed(self, _result: int) -> None:
        self.large = None
        if self._scene is not None and self.shown is self._scene:
            # The large view had taken the shortcuts of the stage.
            self._scene.keys.take()

    def _on_item_chosen(self, index: int) -> None:
        if self._scene is not None and self._scene.detail is not None:
            self.item_chosen.emit(self._scene.detail, index)
