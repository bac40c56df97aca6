"""The releases that a project has recorded, and folders that contain one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.domain.command import CommandRecord
from annotator.domain.release import Release
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.release.manifest import read_manifest


@dataclass(frozen=True, kw_only=True)
class ListedRelease:
    """A release in a list.

    Attributes:
        made_at: UTC time at which the project recorded it, ISO 8601; "" for a folder that it does not know.
        export_format: Id of its export format.
        items: Number of its records.
        sha256: The release number.
        folder: Its folder on this computer, None if that is not known or gone.
    """

    made_at: str
    export_format: str
    items: int
    sha256: str
    folder: Path | None


def recorded_releases(reader: Reader, folders: Mapping[str, Path]) -> list[ListedRelease]:
    """Return the releases of a project, the newest first.

    Args:
        reader: The project; it must show one state throughout.
        folders: Known folders by release number, beside those that the log names; a folder that no longer
            contains the release does not count.
    """
    releases = list(reader.find(Release))
    known = {**_written_folders(reader), **folders}
    histories = reader.history.histories([release.id for release in releases])
    found = [
        ListedRelease(
            made_at=histories[release.id][-1].wall_time if histories[release.id] else "",
            export_format=release.export_format,
            items=release.items,
            sha256=release.sha256,
            folder=_if_there(known.get(release.sha256), sha256=release.sha256),
        )
        for release in releases
    ]
    return sorted(found, key=lambda release: release.made_at, reverse=True)


def release_in(folder: Path) -> ListedRelease:
    """Return the release that a folder contains.

    Raises:
        UserError: It contains none; choose another folder.
    """
    try:
        manifest = read_manifest(folder)
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        raise UserError(
            f"The folder {folder} contains no release: {error}", hint="Choose the folder with manifest.json."
        ) from error
    return ListedRelease(
        made_at="",
        export_format=manifest.export_format,
        items=manifest.records,
        sha256=manifest.sha256,
        folder=folder,
    )


def _written_folders(reader: Reader) -> dict[str, Path]:
    """Return the folders that releases were written to, as the log names them, by what they contain now."""
    written = (one.details.get("folder", "") for one in reader.find(CommandRecord, code="release"))
    found = {}
    for folder in dict.fromkeys(Path(str(location)) for location in written if location):
        try:
            found[read_manifest(folder).sha256] = folder
        except (OSError, msgspec.MsgspecError, ValueError):
            # Of another computer, or gone.
            continue
    return found


def _if_there(folder: Path | None, *, sha256: str) -> Path | None:
    """Return a folder if it contains the release."""
    if folder is None:
        return None
    try:
        return folder if read_manifest(folder).sha256 == sha256 else None
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
