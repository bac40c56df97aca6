"""When pictures were taken, and with which camera: what grouping by time starts from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.media.listing import MediaListing
from annotator.media.probe import MediaProbe, probe_media
from annotator.media.time_grouping import Shot
from annotator.progress import Progress


def read_capture_times(listing: MediaListing, *, progress: Progress) -> tuple[list[Shot], list[str]]:
    """Return capture time and camera of listed files, and the names of unreadable files.

    The time is that of EXIF or of the container, otherwise the file's modification time. Each folder is one
    camera; if all files are in one folder, cameras are distinguished by model and serial number.

    Args:
        listing: The files. Only their headers are read, and the first frame of videos is decoded.
        progress: One step per file.

    Raises:
        Cancelled: The user cancelled.
    """
    progress.begin("Reading times", total=len(listing.names))
    known: list[tuple[str, MediaProbe, float]] = []
    unread = []
    for name in listing.names:
        file = listing.base / name
        try:
            facts = probe_media(file, is_hashed=False)
            known.append((name, facts, _seconds(facts, file)))
        # Gone or locked between the listing and the look at its time.
        except (EnvironmentFailure, OSError):
            unread.append(name)
        progress.step()
    progress.end()
    cameras = _cameras([(name, facts) for name, facts, _ in known])
    shots = [
        Shot(name=name, camera=camera, time_s=time_s)
        for (name, _, time_s), camera in zip(known, cameras, strict=True)
    ]
    return shots, unread


def _seconds(facts: MediaProbe, file: Path) -> float:
    """Return the time of a shot; without an offset it is taken as UTC, as only differences matter."""
    try:
        moment = datetime.fromisoformat(facts.captured_at)
    except ValueError:
        return file.stat().st_mtime
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _cameras(files: Sequence[tuple[str, MediaProbe]]) -> list[str]:
    """Return the name of each file's camera: of its folder, else of its model, else ``UAV1``."""
    folders = [name.rpartition("/")[0] for name, _ in files]
    if len(set(folders)) > 1:
        short = {folder: folder.rpartition("/")[2] for folder in folders}
        # /a/UAV1 and /b/UAV1 are two cameras; they keep their whole path as name.
        is_told_apart = len(set(short.values())) == len(short)
        return [short[folder] if is_told_apart else folder for folder in folders]
    models = [_model(facts) for _, facts in files]
    return models if len(set(models)) > 1 else ["UAV1"] * len(files)


def _model(facts: MediaProbe) -> str:
    words = (str(facts.exif.get(tag, "")) for tag in ("Model", "BodySerialNumber"))
    return " ".join(word for word in words if word) or "UAV1"
