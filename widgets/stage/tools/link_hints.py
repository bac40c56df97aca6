"""Hints of the link tool: which keys do what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.region import Region
from annotator.media.view_geometry import Mismatch
from widgets.stage.tool import key_slot
from widgets.stage.tools.link_guides import distance_text
from widgets.stage.tools.link_keys import TypedNumber
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

KEYS = {"step": key_slot("stage.next_view"), "cancel": key_slot("stage.give_up")}
"""Keys named in hints."""


def first_end_hint(front: StageCanvas | None, typed: TypedNumber) -> str:
    """Return what to do before a region is chosen, or that the front view has none with the typed number."""
    if typed.text and front is not None and typed.region_in(front) is None:
        return unknown_number_hint(front.shown.view, number=typed.text)
    return tr("Type the numbers of two regions, for example 3-15, or click a region")


def unknown_number_hint(view: str, *, number: str) -> str:
    """Return that a view has no region with a typed number."""
    return tr("{view} has no region {n}", view=view, n=number)


def proposal_hint(
    view: str, first: Region, *, other_view: str, other: Region, mismatch: Mismatch | None
) -> str:
    """Return how to take or leave a proposed region."""
    text = tr(
        "Link {view} {n} with {other_view} {other} · Enter: link · Tab: next region · {cancel}: cancel",
        **KEYS,
        view=view,
        n=first.number,
        other_view=other_view,
        other=other.number,
    )
    return " · ".join(filter(None, (distance_text(mismatch), text)))


def other_end_hint(view: str, first: Region) -> str:
    """Return how to choose the region of the other view."""
    return tr(
        "Link {view} {n} · Tab or a number: region of the other view · {step}: next view · {cancel}: cancel",
        **KEYS,
        view=view,
        n=first.number,
    )


def no_candidate_hint(view: str, first: Region, *, end: str, partner: Region | None) -> str:
    """Return why a view has no candidate.

    Args:
        view: Name of the view of the first region.
        first: The first region.
        end: Name of the other view.
        partner: The region of the other view that is linked with the first one, or None.
    """
    if partner is None:
        return tr("{view} has no region to link with", view=end)
    return tr(
        "{view} {n} is already linked with {other_view} {other} · {unlink}: unlink",
        view=view,
        n=first.number,
        other_view=end,
        other=partner.number,
        unlink=key_slot("stage.unlink"),
    )
