"""Attributes of a region as display text, for the details beside the stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.commands.ground_proposals import GROUND
from annotator.commands.tracked_regions import TRACKER
from annotator.domain.region import Region, RegionState
from annotator.domain.topview_map import NO_CATEGORY, NOT_SHOWN, TOO_SMALL
from annotator.domain.tracks import INTERPOLATION, track_of
from annotator.media.render import UNLINKED
from widgets.locator_text import locator_text
from widgets.stage.scene import StageScene
from widgets.translation import join_texts, mark, tr, trn


@dataclass(frozen=True, kw_only=True)
class LinkedRegion:
    """A region linked with the selected one.

    Attributes:
        region: The region.
        text: Its view, number and category.
        colour: Index of its colour in the region colours.
    """

    region: Region
    text: str
    colour: int


STATES: Mapping[RegionState, str] = {
    "visible": "",
    "occluded": mark("occluded"),
    "out_of_view": mark("out of view"),
}
"""Words for the states of regions, none for the usual one."""


def state_texts(region: Region) -> tuple[str, ...]:
    """Return what is to be known of a region at once: its state, an abnormal event, a lock."""
    state = STATES[region.state]
    texts = (
        tr("proposed") if region.is_proposed else "",
        tr(state) if state else "",
        tr("abnormal") if region.is_abnormal else "",
        tr("locked") if region.is_locked else "",
    )
    return tuple(filter(None, texts))


def maker_text(made_by: str) -> str:
    """Return the display text of the creator of a region."""
    known = {
        "hand": tr("manual"),
        INTERPOLATION: tr("interpolation"),
        TRACKER: tr("tracker"),
        GROUND: tr("ground plane"),
    }
    return known.get(made_by, made_by)


def region_facts(
    region: Region, shown: StageScene, *, source: str, interpolated: str
) -> list[tuple[str, str]]:
    """Return names and values of the read-only attributes; unknown ones are omitted.

    Args:
        region: The region.
        shown: Its scene.
        source: Name of the file that it was imported from, or "".
        interpolated: Text on the interpolated boxes of its track, "" if none are displayed.
    """
    depth = region.known_depth
    distance = f"{depth.median:.1f} m" if depth is not None and depth.is_metric else ""
    facts = (
        (tr("Frames"), _frames(region, shown)),
        (tr("Interpolated"), interpolated),
        (tr("Track"), region.track),
        (tr("Distance"), distance),
        (tr("Semantic map"), _map_text(region, shown)),
        (tr("Made by"), maker_text(region.made_by)),
        (tr("Score"), f"{region.score:.2f}" if region.made_by not in {"hand", INTERPOLATION, GROUND} else ""),
        (tr("Source"), " · ".join(filter(None, (source, locator_text(region.locator))))),
    )
    return [(name, value) for name, value in facts if value]


def _map_text(region: Region, shown: StageScene) -> str:
    """Return why a semantic map leaves out an object of a map, "" if it is drawn."""
    size = next(
        (
            (one.medium.width_px, one.medium.height_px)
            for one in shown.media
            if one.medium.id == region.medium
        ),
        (0, 0),
    )
    if region.medium not in shown.maps or region.is_room or not all(size):
        return ""
    limits = shown.map_limits
    reason = limits.reason_to_leave_out(region, size_px=size)
    if reason == TOO_SMALL:
        area = f"{100 * limits.least_area_share:g}"
        return tr(
            "left out: side under {side} px or area under {area} %",
            side=f"{limits.least_side_px:g}",
            area=area,
        )
    texts = {NOT_SHOWN: tr("left out: part of the building"), NO_CATEGORY: tr("left out: no category")}
    return texts.get(reason, "")


def linked_regions(region: Region, shown: StageScene) -> list[LinkedRegion]:
    """Return the linked regions, which show the same object, in link order without duplicates."""
    indices = shown.same_links.get(region.id, ())
    wanted = dict.fromkeys(one for index in indices for one in shown.marks.links[index].regions)
    found = shown.regions_by_id([one for one in wanted if one != region.id])
    colours = shown.link_colours
    return [
        LinkedRegion(region=one, text=_linked_text(one, shown), colour=colours.get(one.id, UNLINKED))
        for one in found.values()
    ]


def _frames(region: Region, shown: StageScene) -> str:
    """Return the frame of a region and, if its object is annotated on others, the first and last of them."""
    if region.frame is None:
        return ""
    frames = [one.frame or 0 for one in track_of(region, shown.marks.regions)]
    if len(frames) < 2:
        return f"{region.frame:,}"
    span = f"{min(frames):,}–{max(frames):,}"
    return tr("{frame} of {span} ({n} boxes)", frame=f"{region.frame:,}", span=span, n=f"{len(frames):,}")


def _linked_text(region: Region, shown: StageScene) -> str:
    number = tr("Region {n}", n=region.number)
    frame = tr("frame {n}", n=f"{region.frame:,}") if region.frame is not None else ""
    return " · ".join(filter(None, (shown.view_of(region.medium), number, frame, region.category)))


def selection_text(regions: Sequence[Region], *, others: int) -> str:
    """Return the text with the size of the selection, unless it is a single region.

    Args:
        regions: The selected regions.
        others: Number of selected paths.
    """
    texts = (
        trn("{n} region", "{n} regions", n=len(regions)) if regions else "",
        trn("{n} path", "{n} paths", n=others) if others else "",
    )
    return join_texts(filter(None, texts))
