"""Colours and names of the kinds of action of a flight."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QColor

from annotator.domain.flight_actions import KINDS, ActionKind
from widgets import theme
from widgets.stage.segments import KIND_TITLES
from widgets.translation import join_texts, tr

_COLOURS: dict[str, tuple[str, ...]] = {
    "dark": ("#6fb3ad", "#b3b56a", "#d99a6c", "#c08cb8"),
    "light": ("#24736c", "#6d6f1c", "#9a5420", "#8b4a83"),
}
"""By theme, in the order of the kinds: equally light, and none like the accent of the marker."""


def kind_colour(kind: ActionKind | None) -> QColor:
    """Return the colour of a kind of action; None for a segment whose actions are unknown."""
    if kind is None:
        return theme.current().color("text_dim")
    return QColor(_COLOURS[theme.current().name][KINDS.index(kind)])


def kinds_text(kinds: Iterable[ActionKind]) -> str:
    """Return the names of kinds of action as a list."""
    return join_texts(tr(KIND_TITLES[kind]) for kind in kinds)
