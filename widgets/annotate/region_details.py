"""The details of the selection beside the stage, updated with each move, undo and selection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.commands.map_parts import MarkRooms, SetHeight
from annotator.commands.paths import LabelPath
from annotator.commands.region_mentions import RenumberRegion
from annotator.commands.region_shapes import ChangeRotatedBox
from annotator.commands.region_values import SetVisible
from annotator.commands.regions import MoveRegions
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of, upright
from annotator.domain.source import Source
from annotator.media.polygon import bounds
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.annotate.map_fields import MapFields
from widgets.annotate.path_label import PathLabel
from widgets.annotate.position_fields import PositionFields
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel, caption, label
from widgets.stage.region_facts import linked_regions, region_facts, selection_text, state_texts
from widgets.stage.scene import StageScene
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage
from widgets.translation import tr

EDGE_PX = 12
MOST_LINKED = 12
"""Maximum number of linked regions that are listed."""


class RegionDetails(QWidget):
    """Displays one selected region with editable fields; for several, their number.

    Signals:
        category_requested: The category is to be selected.
        sought: A linked region is to be shown; carries it.
    """

    category_requested = Signal()
    sought = Signal(object)

    def __init__(self, stage: Stage, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self._stage, self._session, self._bridge = stage, session, bridge
        self._said: tuple[StageScene | None, tuple[str, ...]] | None = None
        self._regions: list[Region] = []
        self._sources: dict[str, str] = {"": ""}
        self.title = ElidedLabel(role="strong")
        self.hint = label(tr("Select a region to see and edit its values."), role="dim", wrap=True)
        self.category = QPushButton()
        self.category.setProperty("kind", "field")
        self.category.setToolTip(tr("Set category"))
        self.category.clicked.connect(self.category_requested)
        self.position_fields = PositionFields()
        self.position_fields.changed.connect(self._on_position_changed)
        self.position_fields.visible_changed.connect(self._on_position_visible_changed)
        self.position_fields.number_changed.connect(self._on_position_number_changed)
        self.map_part = MapFields()
        self.map_part.room_changed.connect(self._on_map_part_room_changed)
        self.map_part.height_changed.connect(self._on_map_part_height_changed)
        self.path = PathLabel()
        self.path.entered.connect(self._on_path_entered)
        self._rest = QWidget()
        self._column = column_layout(self, margins_px=(EDGE_PX, EDGE_PX, EDGE_PX, 8), spacing_px=8)
        for part in (
            self.title,
            self.hint,
            self.category,
            self.map_part,
            self.position_fields,
            self.path,
            self._rest,
        ):
            self._column.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        stage.selection_changed.connect(self.refresh)
        stage.marks_shown.connect(self.refresh)
        stage.interpolation.changed.connect(self._refresh_whole)
        stage.view_state_changed.connect(self._on_stage_view_changed)
        self.refresh()

    def focus_fields(self) -> None:
        """Set the keyboard focus to the first position field, or to the label of the selected path."""
        if self.path.isVisible():
            self.path.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.path.field.selectAll()
        if self.position_fields.isVisible():
            self.position_fields.fields["x"].setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.position_fields.fields["x"].selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return the keyboard focus to the stage with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._stage.focus_view()
        else:
            super().keyPressEvent(event)

    def refresh(self) -> None:
        """Display the current selection, unless it is displayed already."""
        said = self._stage.shown, self._stage.selected
        # Compared by identity: comparing all annotations would cost more than the cache saves.
        if self._said is not None and self._said[0] is said[0] and self._said[1] == said[1]:
            return
        self._said = said
        self._regions = selected_regions(self._stage)
        count = len(self._regions)
        others = len(self._stage.selected) - count
        is_one = count == 1 and not others
        self.title.setText(self._title() if is_one else selection_text(self._regions, others=others))
        self.title.setVisible(bool(count or others))
        self.hint.setVisible(not (count or others))
        self._show_category()
        self.position_fields.setVisible(is_one)
        self.map_part.setVisible(is_one and self._is_on_map())
        if is_one:
            self.map_part.show_region(self._regions[0])
            self._show_location()
        path = self._only_path()
        self.path.setVisible(path is not None)
        if path is not None:
            self.path.show_path(path)
        self._show_rest(is_one)

    def _only_path(self) -> Polyline | None:
        """Return the selected path if nothing else is selected."""
        shown, chosen = self._stage.shown, self._stage.selected
        if shown is None or len(chosen) != 1 or self._regions:
            return None
        return next((path for path in shown.marks.paths if path.id == chosen[0]), None)

    def _is_on_map(self) -> bool:
        region, shown = self._regions[0], self._stage.shown
        return region.is_room or (shown is not None and region.medium in shown.maps)

    def _title(self) -> str:
        region, shown = self._regions[0], self._stage.shown
        view = shown.view_of(region.medium) if shown is not None else ""
        marks = state_texts(region)
        return " · ".join(filter(None, (tr("Region {n}", n=region.number), view, *marks)))

    def _show_category(self) -> None:
        categories = dict.fromkeys(region.category for region in self._regions)
        self.category.setVisible(bool(categories))
        text = next(iter(categories), "") or tr("No category")
        self.category.setText(text if len(categories) < 2 else tr("{n} categories", n=len(categories)))

    def _show_location(self) -> None:
        region = self._regions[0]
        tool = self._stage.tool
        shape = tool.shape_of(region)
        self.position_fields.show_region(
            region,
            shape=shape or upright(tool.box_of(region)),
            size=self._image_size(region),
            can_turn=shape is not None,
            is_locked=region.is_locked,
        )

    def _image_size(self, region: Region) -> QSize:
        sizes = (one.image_size for one in self._stage.canvases if one.medium == region.medium)
        return next(sizes, QSize())

    def _show_rest(self, is_one: bool) -> None:
        """Display attributes and links of the single region with new widgets."""
        rest = QWidget()
        column = column_layout(rest, margins_px=0, spacing_px=4)
        shown = self._stage.shown
        if is_one and shown is not None:
            region = self._regions[0]
            self._ask_source(region.source)
            source = self._sources.get(region.source, "")
            _add_facts(
                column, region_facts(region, shown, source=source, interpolated=self._interpolated(region))
            )
            self._add_links(column, region, shown)
        self._column.replaceWidget(self._rest, rest)
        # Not deleted at once: the click of one of its buttons can be the cause of this update.
        self._rest.deleteLater()
        self._rest = rest

    def _interpolated(self, region: Region) -> str:
        if not self._stage.interpolation.is_on(region):
            return ""
        count = self._stage.interpolation.count_of(region)
        if not count:
            return tr("no frames between two boxes")
        return tr("{n} to confirm", n=f"{count:,}")

    def _add_links(self, column: QVBoxLayout, region: Region, shown: StageScene) -> None:
        linked = linked_regions(region, shown)
        if linked:
            column.addSpacing(4)
            column.addWidget(caption(tr("Links")))
        for one in linked[:MOST_LINKED]:
            button = QPushButton(one.text)
            button.setProperty("kind", "row")
            button.setToolTip(tr("Go to this region"))
            button.clicked.connect(partial(self.sought.emit, one.region))
            # A long category must not widen the panel.
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column.addWidget(button)
        if len(linked) > MOST_LINKED:
            column.addWidget(label(tr("and {n} more", n=len(linked) - MOST_LINKED), role="dim"))

    def _ask_source(self, source: str) -> None:
        # Names are cached: the selection changes far more often than the sources.
        if source not in self._sources:
            question = partial(_read_source, source=source)
            self._bridge.query(
                self._session, question, done=self._on_source_read, channel=(id(self), "source")
            )

    def _on_source_read(self, found: tuple[str, str]) -> None:
        self._sources[found[0]] = found[1]
        self._refresh_whole()

    def _refresh_whole(self) -> None:
        self._said = None
        self.refresh()

    def _on_position_changed(self, region: str, shape: RotatedBox) -> None:
        known = next((one for one in self._regions if one.id == region), None)
        is_plain = known is None or not known.polygon or rotated_box_of(known) is None
        if shape.is_upright and not shape.angle_deg and is_plain:
            self._stage.send(MoveRegions(boxes={region: bounds(shape.corners())}))
        else:
            self._stage.send(ChangeRotatedBox(region=region, shape=shape))

    def _on_position_visible_changed(self, region: str, visible: float | None) -> None:
        self._stage.send(SetVisible(region=region, visible=visible))

    def _on_position_number_changed(self, region: str, number: int) -> None:
        self._stage.send(RenumberRegion(region=region, number=number))
        # Until the command is stored, and if it is refused, the region has its former number.
        self._show_location()

    def _on_path_entered(self, path: str, text: str) -> None:
        self._stage.send(LabelPath(path=path, label_text=text))

    def _on_map_part_room_changed(self, region: str, is_room: bool) -> None:
        self._stage.send(MarkRooms(regions=(region,), is_room=is_room))

    def _on_map_part_height_changed(self, region: str, height_m: float | None) -> None:
        self._stage.send(SetHeight(region=region, height_m=height_m))

    def _on_stage_view_changed(self) -> None:
        # Called at each pointer move: only the position can have changed.
        if self.position_fields.isVisible():
            self._show_location()


def _add_facts(column: QVBoxLayout, facts: Sequence[tuple[str, str]]) -> None:
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(1, 1)
    for row, (name, value) in enumerate(facts):
        grid.addWidget(label(name, role="dim"), row, 0)
        grid.addWidget(ElidedLabel(value), row, 1)
    column.addLayout(grid)


def _read_source(reader: Reader, *, source: str) -> tuple[str, str]:
    found = reader.get(Source, source)
    return source, found.name if found is not None else ""
