"""Sets the category of new regions after drawing, and of selected regions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRect

from annotator.commands.command import Command
from annotator.commands.region_shapes import AddPolygon
from annotator.commands.region_values import SetCategory
from annotator.commands.regions import AddRegion
from annotator.domain.region import Region
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.annotate.categories import KnownCategories, read_categories
from widgets.annotate.category_chooser import CategoryChooser
from widgets.bridge import Bridge
from widgets.settings import Settings
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage
from widgets.translation import tr

SETTING = "annotate/ask_category"
TOGGLE = "stage.ask_category_after_drawing"


class CategoryActions(QObject):
    """Asks for the category of a region that was drawn, and of selected regions when a key is pressed."""

    def __init__(
        self, stage: Stage, *, session: Session, bridge: Bridge, registry: ActionRegistry, settings: Settings
    ) -> None:
        super().__init__(stage)
        self._stage, self._session, self._bridge = stage, session, bridge
        self._registry, self._settings = registry, settings
        self._recent: list[str] = []
        self._drawn = ""
        self._asked: tuple[str, ...] = ()
        self.chooser = CategoryChooser(stage)
        self.chooser.chosen.connect(self._on_chooser_chosen)
        self.chooser.closed.connect(self._on_chooser_closed)
        stage.commanded.connect(self._on_stage_commanded)
        stage.marks_shown.connect(self._on_stage_marks_shown)
        self._show_setting()

    @property
    def is_asking_after_drawing(self) -> bool:
        """Whether the category is requested after a region was drawn."""
        return self._settings.switch(SETTING, True)

    def ask_category(self) -> None:
        """Request the category of the selected regions."""
        self._ask(selected_regions(self._stage))

    def toggle_asking(self) -> None:
        """Toggle whether the category is requested after a region was drawn."""
        self._settings.keep(SETTING, not self.is_asking_after_drawing)
        self._show_setting()

    def _show_setting(self) -> None:
        self._registry.show_on(TOGGLE, self.is_asking_after_drawing)

    def _ask(self, regions: Sequence[Region]) -> None:
        if not regions:
            return
        self._asked = tuple(region.id for region in regions)
        title = tr("Category of {n} regions", n=f"{len(regions):,}")
        if len(regions) == 1:
            title = tr("Category of region {n}", n=regions[0].number)
        can_remove = any(region.category for region in regions)
        self.chooser.ask(title, beside=self._place(regions), recent=self._recent, can_remove=can_remove)
        self._bridge.query(
            self._session, read_categories, done=self._on_categories_read, channel=(id(self), "categories")
        )

    def _place(self, regions: Sequence[Region]) -> QRect:
        """Return the rectangle of the first visible region on the stage, else the centre of the stage."""
        for region in regions:
            for canvas in self._stage.canvases:
                if canvas.isVisible() and canvas.marks.region(region.id) is not None:
                    ratio, rect = canvas.ratio(), canvas.region_rect(region)
                    area = QRect(
                        round(rect.x() / ratio),
                        round(rect.y() / ratio),
                        round(rect.width() / ratio),
                        round(rect.height() / ratio),
                    )
                    # A region can extend beyond its view; the chooser stands beside the visible part.
                    return area.translated(canvas.pos()).intersected(canvas.geometry())
        return QRect(self._stage.rect().center(), self._stage.rect().center())

    def _on_categories_read(self, known: KnownCategories) -> None:
        self.chooser.show_known(known)

    def _on_stage_commanded(self, command: Command) -> None:
        if isinstance(command, AddRegion | AddPolygon) and not command.category:
            # The chooser opens when the region is displayed, which the command does not wait for.
            self._drawn = command.id

    def _on_stage_marks_shown(self) -> None:
        shown = self._stage.shown
        if self.chooser.isVisible() and (
            # The drawing was undone, or its scene is no longer displayed.
            shown is None or not all(shown.has_mark(one) for one in self._asked)
        ):
            self.chooser.close_chooser()
        drawn = [region for region in selected_regions(self._stage) if region.id == self._drawn]
        if drawn:
            self._drawn = ""
            # If the user has moved on to another widget, the chooser must not take its focus.
            if self.is_asking_after_drawing and any(canvas.hasFocus() for canvas in self._stage.canvases):
                self._ask(drawn)

    def _on_chooser_chosen(self, category: str) -> None:
        regions, self._asked = self._asked, ()
        if category:
            self._recent = [category, *(one for one in self._recent if one != category)]
        self._stage.send(SetCategory(regions=regions, category=category))

    def _on_chooser_closed(self, has_keyboard: bool) -> None:
        if has_keyboard:
            self._stage.focus_view()
