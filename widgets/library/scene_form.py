"""A read-only scene: views, event labels, and items."""

from __future__ import annotations

import math
from itertools import pairwise

from annotator.domain.medium import Medium
from annotator.domain.trajectory import Trajectory
from widgets import display_text
from widgets.field_text import value_text
from widgets.library.image_grid import ImageGrid
from widgets.library.label_table import LabelTable
from widgets.library.recipe_text import recipe_text
from widgets.library.record_details import SceneDetail
from widgets.library.record_form import RecordForm
from widgets.locator_text import locator_text
from widgets.media_loader import MediaLoader
from widgets.translation import join_texts, tr, trn

NUMBERS_SHOWN = 24
LINKS_SHOWN = 40


def show_scene(
    form: RecordForm, detail: SceneDetail, *, loader: MediaLoader, has_pictures: bool = True
) -> ImageGrid | None:
    """Fill a form with a scene, and return the widget of its images, None for none.

    Args:
        form: The form to fill.
        detail: The scene.
        loader: Loads its images.
        has_pictures: Whether to add images and items; False if the scene page already shows them.
    """
    form.begin()
    pictures = None
    if has_pictures:
        form.add_heading(tr("Views"))
    if detail.media and has_pictures:
        pictures = ImageGrid(detail.media, loader=loader)
        form.add(pictures)
    elif has_pictures:
        form.add_text(tr("No view"), role="dim")
    if detail.labels:
        form.add_heading(tr("Labels"))
        form.add(LabelTable(detail.labels))
    _add_marks(form, detail)
    if has_pictures:
        _add_items(form, detail)
    _add_facts(form, detail)
    _add_media(form, detail)
    form.add_heading(tr("Details"))
    form.add_fields(
        [
            (tr("Dataset"), detail.scene.dataset, "mono"),
            (tr("Tags"), join_texts(detail.scene.tags), "body"),
        ]
    )
    for label in detail.labels:
        form.add_normalised(label.corrections)
    for label in detail.labels:
        location = " ".join(filter(None, (label.view, locator_text(label.locator))))
        form.add_json(tr("Original record: {place}", place=location), bytes(label.original))
    form.end()
    return pictures


def item_states_text(detail: SceneDetail) -> str:
    """Return the number of items by state: '3 drafted, 2 accepted'."""
    known = [state for state in display_text.STATES if detail.states.get(state)]
    return join_texts(f"{display_text.item_state_title(state)} {detail.states[state]:,}" for state in known)


def _add_marks(form: RecordForm, detail: SceneDetail) -> None:
    """Add the annotations of the images: regions by their neutral ids, links and trajectories."""
    if detail.regions:
        form.add_heading(tr("Regions"))
        form.add_fields(
            [
                (shown.view or shown.medium.name, _region_text(detail, shown.medium.id), "body")
                for shown in detail.media
            ]
        )
    if detail.links:
        _add_links(form, detail)
    if detail.trajectories:
        form.add_heading(tr("Trajectories"))
        form.add_fields(
            [
                (flight.view or flight.name or tr("Flight"), flight_text(flight), "body")
                for flight in detail.trajectories
            ]
        )


def _add_links(form: RecordForm, detail: SceneDetail) -> None:
    numbers = {region.id: region.number for region in detail.regions}
    form.add_heading(tr("Links"))
    lines = [
        " – ".join(f"{numbers[region]}" for region in link.regions if region in numbers)
        for link in detail.links[:LINKS_SHOWN]
    ]
    form.add_text(join_texts(filter(None, lines)))
    if len(detail.links) > LINKS_SHOWN:
        form.add_text(tr("and {n} more", n=f"{len(detail.links) - LINKS_SHOWN:,}"), role="dim")


def _region_text(detail: SceneDetail, medium: str) -> str:
    numbers = sorted({region.number for region in detail.regions if region.medium == medium})
    shown = join_texts(f"{number}" for number in numbers[:NUMBERS_SHOWN])
    more = tr("and {n} more", n=len(numbers) - NUMBERS_SHOWN) if len(numbers) > NUMBERS_SHOWN else ""
    return " ".join(filter(None, (shown, more))) or tr("none")


def flight_text(flight: Trajectory) -> str:
    """Return a trajectory as text: number of poses, length in metres, duration in seconds, key frames."""
    # Sum of the straight segments between poses, which is slightly shorter than the flown path.
    positions = [(pose.x_m, pose.y_m, pose.z_m) for pose in flight.poses]
    length = sum(math.dist(one, other) for one, other in pairwise(positions))
    seconds = flight.times_s[-1] - flight.times_s[0] if flight.times_s else 0
    parts = [
        trn("{n} pose", "{n} poses", n=len(positions)),
        f"{length:,.1f} m" if length else "",
        f"{seconds:,.1f} s" if seconds else "",
        trn("{n} key frame", "{n} key frames", n=len(flight.key_frames)) if flight.key_frames else "",
    ]
    return " · ".join(filter(None, parts))


def _add_facts(form: RecordForm, detail: SceneDetail) -> None:
    if detail.scene.metadata:
        form.add_heading(tr("Metadata"))
        fields = [
            (display_text.plain(name), value_text(name, value), "body")
            for name, value in sorted(detail.scene.metadata.items())
        ]
        form.add_fields(fields)


def _add_media(form: RecordForm, detail: SceneDetail) -> None:
    form.add_heading(tr("Media"))
    for shown in detail.media:
        medium = shown.medium
        licence = (medium.licence, "body") if medium.licence else (display_text.no_licence(), "dim")
        form.add_fields(
            [
                (shown.view or tr("No view"), medium.name, "mono"),
                (tr("Kind"), " · ".join(filter(None, _medium_facts(medium))), "body"),
                (tr("Recipe"), recipe_text(medium.recipe), "body"),
                (tr("Capture time"), medium.captured_at.replace("T", " "), "body"),
                (tr("Position"), position_text(medium), "body"),
                (tr("Licence"), *licence),
                (tr("Source"), detail.sources.get(medium.source, ""), "mono"),
            ]
        )


def _medium_facts(medium: Medium) -> tuple[str, ...]:
    return (
        display_text.media_kind_title(medium.media_type),
        medium.encoding,
        f"{medium.width_px} × {medium.height_px}" if medium.width_px else "",
        f"{medium.duration_s:,.1f} s" if medium.duration_s else "",
        display_text.size_text(medium.size_bytes)
        if medium.size_bytes
        else display_text.health_title("unseen"),
    )


def position_text(medium: Medium) -> str:
    """Return the position of a medium: latitude, longitude and altitude; "" if unknown."""
    if medium.latitude_deg is None or medium.longitude_deg is None:
        return ""
    height = f", {medium.altitude_m:,.1f} m" if medium.altitude_m is not None else ""
    return f"{medium.latitude_deg:.6f}°, {medium.longitude_deg:.6f}°{height}"


def _add_items(form: RecordForm, detail: SceneDetail) -> None:
    if not detail.items:
        return
    form.add_heading(tr("Items"))
    form.add_text(item_states_text(detail), role="dim")
    for item in detail.items:
        form.add_text(item.name, role="mono_dim")
        form.add_text(item.question)
    if detail.item_count > len(detail.items):
        form.add_text(tr("and {n} more", n=f"{detail.item_count - len(detail.items):,}"), role="dim")
