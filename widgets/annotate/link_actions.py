"""Links from keys, from typed numbers and from the table of links."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from annotator.commands.links import LinkRegions, MakeLinks, SplitLink
from annotator.commands.projects import SetLinkLimit
from annotator.domain.typed_links import NumberedView, parse_links
from annotator.errors import UserError
from annotator.session import Session
from widgets.annotate.annotation_panel import AnnotationPanel
from widgets.annotate.link_page import LinkPage
from widgets.annotate.link_rows import LinkRow, read_link_rows
from widgets.bridge import Bridge
from widgets.message_text import message_text
from widgets.stage.region_navigator import reveal
from widgets.stage.scene import StageScene
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage


class LinkActions(QObject):
    """Makes, merges and splits links, and shows all of them."""

    def __init__(self, stage: Stage, *, marks: AnnotationPanel, session: Session, bridge: Bridge) -> None:
        super().__init__(stage)
        self._stage, self._marks = stage, marks
        self._session, self._bridge = session, bridge
        self._shown: StageScene | None = None
        self._rows: tuple[LinkRow, ...] = ()
        self._is_reading = False
        self._typed: tuple[str, tuple[tuple[str, ...], ...]] = "", ()
        self.page = LinkPage()
        marks.pages.addWidget(self.page)
        self.page.field.accepted.connect(self.link_typed)
        self.page.field.left.connect(self._on_left)
        self.page.limit_entered.connect(self._on_limit_entered)
        self.page.table.left.connect(self._on_left)
        self.page.table.chosen.connect(self.show_link)
        self.page.table.opened.connect(self._on_table_opened)
        marks.pages.currentChanged.connect(self._on_page_changed)
        stage.marks_shown.connect(self.refresh)
        stage.selection_changed.connect(self._on_stage_selection_changed)

    def toggle_table(self) -> None:
        """Show the table of links with the keyboard focus, or the annotations again."""
        self._marks.toggle_page(self.page)

    def link_selected(self) -> None:
        """Link the selected regions, and merge the links that they have."""
        regions = selected_regions(self._stage)
        if regions and not self._stage.leave_model():
            ids = tuple(region.id for region in regions)
            self._stage.send(LinkRegions(scene=self._stage.scene, regions=ids))

    def split_selected(self) -> None:
        """Make the selected regions of a link a link of their own."""
        regions = selected_regions(self._stage)
        if regions and not self._stage.leave_model():
            ids = tuple(region.id for region in regions)
            self._stage.send(SplitLink(scene=self._stage.scene, regions=ids))

    def link_typed(self) -> None:
        """Make the links whose numbers are typed, or say what is wrong with them."""
        field = self.page.field
        try:
            groups = parse_links(field.text(), views=self._views())
        except UserError as error:
            self.page.show_problem(f"{message_text(error.message)} {message_text(error.hint)}".strip())
            return
        self._stage.select([region for group in groups for region in group])
        self._stage.send(MakeLinks(scene=self._stage.scene, groups=groups))
        self.page.show_problem("")
        # The text stays until the links are there: the project can refuse them.
        self._typed = field.text(), groups

    def refresh(self) -> None:
        """Read the links of the displayed scene if the table is visible."""
        shown = self._stage.shown
        if shown is None or self._shown is shown or self._is_reading or not self.page.isVisible():
            return
        is_same = self._shown is not None and self._shown.has_same_geometry(shown)
        before = {row.link: row for row in self._rows} if is_same else {}
        self._is_reading = True
        self._bridge.query(
            self._session,
            partial(read_link_rows, shown=shown, before=before),
            done=partial(self._on_rows_read, shown),
            failed=self._on_rows_failed,
            channel=(id(self), "links"),
        )

    def is_settled(self) -> bool:
        """Return whether the table shows the links of the displayed scene."""
        return not self._is_reading

    def show_link(self, row: LinkRow) -> None:
        """Select the regions of a link, and make them visible in their views."""
        stage = self._stage
        if not row.regions:
            return
        first = row.regions[0]
        canvas = next((one for one in stage.canvases if one.medium == first.medium), None)
        if canvas is not None and first.frame is not None and first.frame != canvas.frame:
            self._marks.show_frame(first.medium, first.frame)
        stage.select(row.ids)
        for region in row.regions:
            for view in stage.canvases:
                if view.medium == region.medium:
                    reveal(view, region.id)

    def _views(self) -> tuple[NumberedView, ...]:
        return tuple(
            NumberedView(
                name=canvas.shown.view,
                # Reversed: of several regions with one number the first counts.
                regions={one.number: one.id for one in reversed(canvas.marks.marks.regions)},
            )
            for canvas in self._stage.canvases
        )

    def _on_rows_read(self, shown: StageScene, rows: tuple[LinkRow, ...]) -> None:
        self._is_reading = False
        self._shown, self._rows = shown, rows
        self.page.table.show_rows(rows, views=tuple(view.view for view in shown.media))
        flagged = sum(row.mismatch is not None and row.mismatch.is_over for row in rows)
        self.page.show_count(len(rows), flagged=flagged)
        self.page.show_limit(shown.link_limit)
        self.page.table.follow(self._stage.selected)
        self._clear_typed()
        # The scene can have changed in the meantime.
        self.refresh()

    def _clear_typed(self) -> None:
        """Empty the field when the links that were typed in it are there, unless others are typed by now."""
        text, groups = self._typed
        linked = [set(row.ids) for row in self._rows]
        if groups and all(any(link.issuperset(group) for link in linked) for group in groups):
            self._typed = "", ()
            if self.page.field.text() == text:
                self.page.field.clear()

    def _on_rows_failed(self, _error: BaseException) -> None:
        self._is_reading = False

    def _on_page_changed(self, _index: int) -> None:
        self.refresh()

    def _on_stage_selection_changed(self) -> None:
        if self.page.isVisible():
            self.page.table.follow(self._stage.selected)

    def _on_table_opened(self, row: LinkRow) -> None:
        self.show_link(row)
        self._stage.focus_view()

    def _on_limit_entered(self, share: float) -> None:
        self._stage.send(SetLinkLimit(share=share))

    def _on_left(self) -> None:
        self._stage.focus_view()
