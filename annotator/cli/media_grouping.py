"""How the command ``media add`` groups files into scenes and views, and what it prints of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from annotator.cli.console import Console
from annotator.errors import UserError

if TYPE_CHECKING:
    from annotator.media.listing import MediaListing
    from annotator.media.scene_grouping import Grouping
    from annotator.progress import Progress

SHOWN = 20


def group_files(listing: MediaListing, choice: dict[str, Any], *, progress: Progress) -> tuple[str, Grouping]:
    """Return in words how files were grouped, and the grouping.

    Raises:
        UserError: More than one way was asked for; or the pattern, preset or table is none.
    """
    from annotator.media.capture_times import read_capture_times
    from annotator.media.group_table import group_by_table
    from annotator.media.grouping import group, group_individually
    from annotator.media.naming_presets import preset, recognise
    from annotator.media.time_grouping import group_by_time

    asked = [
        name for name in ("pattern", "preset_id", "tolerance_s", "table") if choice[name] not in ("", None)
    ]
    if len(asked) > 1:
        raise UserError("Only one of --pattern, --preset, --by-time and --csv can be set.")
    if choice["pattern"]:
        return f"the pattern {choice['pattern']}", group(listing.names, choice["pattern"])
    if choice["preset_id"]:
        return f"the preset {choice['preset_id']}", group(listing.names, preset(choice["preset_id"]))
    if choice["table"]:
        return f"the table {choice['table'].name}", group_by_table(choice["table"], names=listing.names)
    if choice["tolerance_s"] is not None:
        shots, unread = read_capture_times(listing, progress=progress)
        return "time", group_by_time(shots, tolerance_s=choice["tolerance_s"], undated=unread)
    best = next(iter(recognise(listing.names)), None)
    if best is None or best.matched < len(listing.names) / 2:
        return "file (each file is a scene)", group_individually(listing.names)
    return f"the preset {best.scheme.id}", group(listing.names, best.scheme)


def grouping_report(listing: MediaListing, grouping: Grouping) -> dict[str, Any]:
    """Return the grouping as the object that ``media add --json`` prints."""
    return {
        "files": len(listing.names),
        "other_files": len(listing.others),
        "scenes": len(grouping.scenes),
        "scenes_by_views": {str(views): count for views, count in grouping.scenes_by_views.items()},
        "unmatched": list(grouping.unmatched),
        "clashes": [{"scene": c.scene, "view": c.view, "names": list(c.names)} for c in grouping.clashes],
        "remarks": list(grouping.remarks),
    }


def print_grouping(result: dict[str, Any], grouping: Grouping, *, console: Console) -> None:
    """Print how files would be grouped: the first scenes, and what is left out."""
    views = ", ".join(f"{count:,} of {views}" for views, count in result["scenes_by_views"].items())
    console.print(
        f"{result['files']:,} files grouped by {result['grouped_by']}: "
        f"{result['scenes']:,} scenes ({views or 'none'})."
    )
    for remark in grouping.remarks:
        console.print(remark)
    rows = [
        (scene.name, scene.dataset, ", ".join(f"{m.view or '-'}: {m.name}" for m in scene.members))
        for scene in grouping.scenes[:SHOWN]
    ]
    console.table_if_any(f"Scenes (first {len(rows)})", head=("scene", "dataset", "views"), rows=rows)
    _print_left_out(result, console=console)


def print_added(result: dict[str, Any], grouping: Grouping, *, console: Console) -> None:
    """Print what was added, what could not be read, and what is left out."""
    counts = ("scenes_added", "scenes_extended", "media_added", "media_filled", "media_known", "damaged")
    console.print(f"Grouped by {result['grouped_by']}.")
    console.print("  ".join(f"{name.replace('_', ' ')} {result[name]:,}" for name in counts))
    for remark in grouping.remarks:
        console.print(remark)
    rejected = [(entry["file"], entry["why"]) for entry in result["rejected"][:SHOWN]]
    console.table_if_any("Not read", head=("file", "why"), rows=rejected)
    _print_left_out(result, console=console)


def _print_left_out(result: dict[str, Any], *, console: Console) -> None:
    unmatched: Sequence[str] = result["unmatched"]
    if unmatched:
        title = f"Not matched (first {min(SHOWN, len(unmatched))} of {len(unmatched):,})"
        console.table(title, head=("file",), rows=[(name,) for name in unmatched[:SHOWN]])
    clashes = [(c["scene"], c["view"], ", ".join(c["names"][:4])) for c in result["clashes"][:SHOWN]]
    title = f"Several files for one view: the first file is used ({len(result['clashes']):,} views)"
    console.table_if_any(title, head=("scene", "view", "files"), rows=clashes)
