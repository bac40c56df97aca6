"""A read-only medium: image, file facts, origin and licence."""

from __future__ import annotations

from annotator.domain.medium import Medium
from widgets import display_text
from widgets.library.image_grid import ImageGrid
from widgets.library.recipe_text import recipe_text
from widgets.library.record_details import MediumDetail
from widgets.library.record_form import RecordForm
from widgets.library.scene_form import position_text
from widgets.media_loader import MediaLoader
from widgets.translation import join_texts, tr


def show_medium(form: RecordForm, detail: MediumDetail, *, loader: MediaLoader) -> ImageGrid:
    """Fill a form with a medium, and return the widget of its image."""
    medium = detail.medium
    form.begin()
    pictures = ImageGrid(detail.media, loader=loader)
    form.add(pictures)
    form.add_heading(tr("File"))
    form.add_fields(_file_fields(medium, health=detail.health))
    form.add_heading(tr("Details"))
    form.add_fields(_detail_fields(detail))
    if medium.exif:
        form.add_heading(tr("File metadata"))
        form.add_fields([(name, f"{value}", "body") for name, value in sorted(medium.exif.items())])
    form.end()
    return pictures


def _file_fields(medium: Medium, *, health: str) -> list[tuple[str, str, str]]:
    """Return title, text and text style of what is known of the file."""
    kind = filter(None, (display_text.media_kind_title(medium.media_type), medium.encoding))
    size = f"{medium.width_px} × {medium.height_px} px" if medium.width_px else ""
    length = f"{medium.duration_s:,.1f} s" if medium.duration_s else ""
    return [
        (tr("State"), display_text.health_title(health), "body" if health == "found" else "warn"),
        (tr("Kind"), " · ".join(kind), "body"),
        (tr("Image size"), size, "body"),
        (tr("Duration"), length, "body"),
        (tr("Frames"), f"{medium.frames:,}" if medium.frames else "", "body"),
        (tr("Size"), display_text.size_text(medium.size_bytes) if medium.size_bytes else "", "body"),
        (tr("Place"), medium.path, "mono"),
        ("SHA-256", f"{medium.sha256[:32]}\n{medium.sha256[32:]}".strip(), "mono_dim"),
    ]


def _detail_fields(detail: MediumDetail) -> list[tuple[str, str, str]]:
    """Return title, text and text style of where the medium comes from and where it is used."""
    medium = detail.medium
    licence = medium.licence or display_text.no_licence()
    return [
        (tr("Licence"), licence, "body" if medium.licence else "dim"),
        (tr("Source"), detail.source, "mono"),
        (tr("Dataset"), medium.dataset, "mono"),
        (tr("Scenes"), join_texts(detail.scenes), "mono"),
        (tr("Capture time"), medium.captured_at.replace("T", " "), "body"),
        (tr("Position"), position_text(medium), "body"),
        (tr("Footage"), display_text.footage_title(medium.footage) if medium.footage else "", "body"),
        (tr("Derived from"), detail.original, "mono"),
        (tr("Frames of the source"), _clip_text(medium), "body"),
        (tr("Recipe"), recipe_text(medium.recipe), "body"),
        (tr("Derived media"), _derived_text(detail), "mono"),
    ]


def _clip_text(medium: Medium) -> str:
    clip = medium.clip
    if clip is None:
        return ""
    how = tr("cut without re-encoding") if clip.is_copied else tr("re-encoded")
    return f"{clip.first:,} – {clip.last:,} · {how}"


def _derived_text(detail: MediumDetail) -> str:
    more = detail.derived_count - len(detail.derived)
    rest = (tr("{n} more", n=f"{more:,}"),) if more else ()
    return join_texts((*detail.derived, *rest))
