"""Actions of the stage for renderings, overlays, zoom and layout."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.overlay_kinds import KINDS, TITLES
from widgets.translation import mark as _

_RENDERINGS = (
    ("clean", _("Clean"), "C", "", "stage.choose_rendering", "clean"),
    ("detected", _("Detected"), "D", "", "stage.choose_rendering", "detected"),
    ("annotated", _("Annotated"), "A", "", "stage.choose_rendering", "annotated"),
    ("model", _("Model input"), "M", "model", "stage.toggle_model", None),
)
_KINDS = tuple(
    (f"show_{kind}", TITLES[kind], f"Alt+{number}", "", "overlays.toggle", kind)
    for number, kind in enumerate(KINDS, start=1)
)
_USUAL = (("show_usual", _("Reset overlays"), "Alt+0", "", "overlays.show_usual", None),)
_LOOKS = (
    ("fit", _("Fit images to views"), "F", "fit", "viewports.fit", None),
    ("pixels", _("Actual pixels (1:1)"), "1", "", "viewports.show_pixels", None),
    ("region", _("Zoom to selection"), "R", "", "viewports.show_selected", None),
    ("zoom_in", _("Zoom in"), "+", "", "viewports.zoom_in", None),
    ("zoom_out", _("Zoom out"), "-", "", "viewports.zoom_out", None),
    ("together", _("Link or unlink view zoom"), "T", "together", "viewports.toggle_together", None),
    ("layout", _("Next view layout"), "H", "layout", "viewports.next_layout", None),
    ("large", _("Maximize or restore view"), "Return", "", "stage.toggle_large", None),
    ("next_view", _("Next view"), "E", "", "viewports.step_view", "1"),
    ("view_before", _("Previous view"), "Shift+E", "", "viewports.step_view", "-1"),
    ("loupe", _("Magnifier (hold)"), "Z", "search", "viewports.show_loupe", None),
)
NOT_IN_REFINE = frozenset({*(name for name, *_rest in _RENDERINGS), "large", "pixels", "region"})
PICTURE = tuple(
    ActionSpec(
        # Names in the settings of people who changed a key: they stay.
        id=f"stage.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Overlays" if name.startswith("show_") else "Image",
        context="stage",
        # Refine has keys of its own for the renderings: there, letters set the answer key.
        workspaces=("library", "annotate") if name in NOT_IN_REFINE else (),
        needs="stage",
        handler=handler,
        choice=choice,
    )
    for name, text, key, icon, handler, choice in (*_RENDERINGS, *_KINDS, *_USUAL, *_LOOKS)
)
"""Renderings, kinds of overlays, zoom."""
