"""The status line below the stage: selection, hidden annotations, pointer position, zoom."""

from __future__ import annotations

import re
from itertools import groupby

from PySide6.QtWidgets import QWidget

from annotator.domain.region import Region
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel, label
from widgets.stage.hidden_marks import HiddenMarks, hidden_marks
from widgets.stage.region_facts import maker_text, state_texts
from widgets.stage.stage import Stage
from widgets.stage_page.tool_bar import USUAL_RENDERINGS, RenderingActions
from widgets.translation import join_texts, tr, trn

HEIGHT_PX = 28
KEY_SLOT = re.compile(r"\{(stage\.\w+)\}")
"""Placeholder for the shortcut of an action in a tool's hint."""


class StatusLine(QWidget):
    """Displays the state of the stage as text."""

    def __init__(
        self, stage: Stage, *, registry: ActionRegistry, actions: RenderingActions = USUAL_RENDERINGS
    ) -> None:
        super().__init__()
        self._stage, self._registry, self._actions = stage, registry, actions
        self.setObjectName("pane")
        self.setFixedHeight(HEIGHT_PX)
        self.chosen = ElidedLabel(role="label")
        self.hidden = label(role="label")
        self.position_label = label(role="mono_dim")
        self.zoom = label(role="mono_dim")
        row = row_layout(self, margins_px=(12, 0, 12, 0), spacing_px=16)
        row.addWidget(self.chosen, 1)
        row.addWidget(self.hidden)
        row.addWidget(self.position_label)
        row.addWidget(self.zoom)
        stage.view_state_changed.connect(self.refresh)
        stage.selection_changed.connect(self.refresh)
        stage.marks_shown.connect(self.refresh)
        stage.player.moved.connect(self._show_hidden)
        registry.keys_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Update all fields."""
        stage = self._stage
        pointed = next((canvas for canvas in stage.canvases if canvas.pointer is not None), None)
        point = pointed.pointer if pointed is not None else None
        self.position_label.setText(f"{int(point[0])}, {int(point[1])}" if point is not None else "")
        canvas = pointed or stage.front
        self.zoom.setText(f"{canvas.transform.zoom * 100:.0f} %" if canvas is not None else "")
        self.chosen.setText(self._chosen_text())
        self._show_hidden()

    def _show_hidden(self) -> None:
        """Display which annotations are hidden, and the key that shows them."""
        groups = groupby(hidden_marks(self._stage), key=lambda one: one.action)
        self.hidden.setText(
            "   ".join(self._hidden_count_text(action, tuple(marks)) for action, marks in groups)
        )

    def _hidden_count_text(self, action: str, marks: tuple[HiddenMarks, ...]) -> str:
        what = join_texts(_counts_text(one) for one in marks)
        return f"{tr('Hidden: {what}', what=what)}  {self._registry.key(self._actions.own(action))}".rstrip()

    def _chosen_text(self) -> str:
        stage = self._stage
        if stage.is_model:
            return self._ready_model_text()
        if stage.tool.hint:
            return KEY_SLOT.sub(lambda found: self._registry.key(found[1]), stage.tool.hint)
        if stage.note:
            return stage.note
        if len(stage.selected) != 1:
            count = len(stage.selected)
            return trn("{n} annotation selected", "{n} annotations selected", n=count) if count else ""
        for canvas in stage.canvases:
            region = canvas.marks.region(stage.selected[0])
            if region is not None:
                text = _shown_region_text(region, view=canvas.shown.view)
                return f"{text}  ·  {self._decision_words()}" if region.is_proposed else text
        return trn("{n} annotation selected", "{n} annotations selected", n=1)

    def _decision_words(self) -> str:
        """Return the keys that decide on the selected proposal."""
        accept, refuse = self._registry.key("stage.accept"), self._registry.key("stage.refuse")
        return tr("{accept}: accept · {refuse}: refuse", accept=accept, refuse=refuse)

    def _ready_model_text(self) -> str:
        view = self._stage.front.shown.view if self._stage.front is not None else ""
        key = self._registry.key(self._actions.model)
        back = tr("{key}: show annotations", key=key) if key else ""
        return "  ·  ".join(filter(None, (tr("Model input"), view, back)))


def _counts_text(hidden: HiddenMarks) -> str:
    if hidden.kind == "regions":
        return trn("{n} region", "{n} regions", n=hidden.count)
    if hidden.kind == "paths":
        return trn("{n} path", "{n} paths", n=hidden.count)
    return trn("{n} issue box", "{n} issue boxes", n=hidden.count)


def _shown_region_text(region: Region, *, view: str) -> str:
    box = region.box
    size = f"{box.x2 - box.x1:.0f} × {box.y2 - box.y1:.0f} px"
    location = f"{box.x1:.0f}, {box.y1:.0f}"
    maker = maker_text(region.made_by)
    name = tr("Region {n}", n=region.number)
    score = f"{region.score:.2f}" if region.score < 1 else ""
    facts = (view, name, *state_texts(region), region.category, location, size, maker, score)
    return "  ·  ".join(filter(None, facts))
