"""Media files in bundles: which ones can be carried, and where those of others are put."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from annotator.commands.media import RegisterMedia
from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure
from annotator.exchange.prediction_exchange import receive_predictions
from annotator.media.confirmed_folders import NAME
from annotator.media.file_locator import LocatedFile
from annotator.media.listing import frame_files
from annotator.media.media_roots import MARK, OWN, MediaRoots
from annotator.media.probe import probe_media
from annotator.progress import Progress
from annotator.queries.media_survey import MediaSurvey
from annotator.session import Session
from annotator.store.bundles.bundle_file import Manifest, WritePredictions, read_manifest
from annotator.store.bundles.bundle_media import BundledMedia, MediaFile, write_media

RECEIVED = "from bundles"
"""Folder below the project's own media folder, for files whose place is not in that folder."""
FREE_BYTES = 256 << 20
"""So much of the disk stays free."""
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}")
_PART = re.compile(r"[^<>:\"/\\|?*\x00-\x1f]{1,200}")


@dataclass(frozen=True, kw_only=True)
class MediaToCarry:
    """The media files that a bundle of the project can carry.

    Attributes:
        files: Each content once.
        absent: Number of media without a file on this computer, or whose content was never read.
    """

    files: tuple[MediaFile, ...]
    absent: int

    @property
    def size_bytes(self) -> int:
        """Size of all files."""
        return sum(file.size_bytes for file in self.files)


@dataclass(frozen=True, kw_only=True)
class ReceivedMedia:
    """What was taken of the media files of bundles.

    Attributes:
        taken: Number of files and folders of frames that were put in the project's media folder.
        refused: Names of media whose file in the bundle has another content.
        missing: Names of all media of the project that have no file on this computer.
    """

    taken: int = 0
    refused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _TakenFile:
    """A medium whose file was in a bundle.

    Attributes:
        name: Name of the medium.
        is_right: Whether the file has the content of the medium; any other one is not kept.
        located: Its new place, None where the project has that place already.
    """

    name: str
    is_right: bool
    located: LocatedFile | None = None


def media_to_carry(session: Session, *, progress: Progress) -> MediaToCarry:
    """Return the media files that a bundle can carry.

    Raises:
        Cancelled: The user stopped it.
    """
    found: dict[str, MediaFile] = {}
    absent = 0
    progress.begin("Counting media files")
    for medium in session.reader.records(Medium):
        progress.step()
        file = session.roots.file_of(medium.path) if medium.sha256 else None
        if file is None or not file.exists():
            absent += 1
        elif medium.sha256 not in found:
            found[medium.sha256] = MediaFile(sha256=medium.sha256, path=file, size_bytes=_size_of(file))
    return MediaToCarry(files=tuple(found.values()), absent=absent)


def export_with_media(
    session: Session,
    target: Path,
    *,
    since: Path | None,
    progress: Progress,
    write_predictions: WritePredictions | None = None,
    is_signed: bool = False,
) -> Manifest:
    """Write a bundle that carries the media files that an earlier one does not.

    Args:
        session: The project.
        target: The bundle.
        since: An earlier bundle, whose contents are left out; None for all.
        progress: Counts files, events and bytes.
        write_predictions: Writes predictions too, None for none.
        is_signed: Whether the person signs it with the own key.

    Raises:
        UserError: The earlier bundle is of another project, or not sound.
        EnvironmentFailure: A file cannot be read or written, or the disk is too small.
        Cancelled: The user stopped it; no bundle is written.
    """
    known = read_manifest(since).media if since is not None else {}
    media = [file for file in media_to_carry(session, progress=progress).files if file.sha256 not in known]
    total = sum(file.size_bytes for file in media)
    _require_space(target.parent, total)

    def carry(archive: ZipFile) -> dict[str, int]:
        progress.begin("Copying media files", total=total)
        return write_media(archive, media, progress=progress)

    return session.export_bundle(
        target,
        since=since,
        write_media=carry,
        write_predictions=write_predictions,
        is_signed=is_signed,
        progress=progress,
    )


def receive_media(session: Session, bundles: Iterable[Path], *, progress: Progress) -> ReceivedMedia:
    """Take the media files of bundles that the project lacks on this computer, each compared by content.

    They are put in the project's own media folder, at the place that the project has for them where that is
    possible; otherwise the new place is recorded.

    Raises:
        UserError: A bundle is damaged, or the project's media folder is not confirmed.
        EnvironmentFailure: The disk is too small, or refused.
        Cancelled: The user stopped it; what was taken before stays.
    """
    files: list[_TakenFile] = []
    for bundle in bundles:
        if read_manifest(bundle).media:
            files += _take_missing(session, BundledMedia(bundle), progress=progress)
    if moved := tuple(file.located for file in files if file.located is not None):
        survey = MediaSurvey(root=session.media_root, located=moved)
        session.execute(RegisterMedia(survey=survey)).result()
    return ReceivedMedia(
        taken=sum(file.is_right for file in files),
        refused=tuple(file.name for file in files if not file.is_right),
        missing=tuple(medium.name for medium in missing_media(session)),
    )


def missing_media(session: Session) -> list[Medium]:
    """Return the media that have no file on this computer."""
    return [medium for medium in session.reader.records(Medium) if not _is_there(medium, session.roots)]


def create_from_bundle(path: Path, bundle: Path, *, progress: Progress) -> Session:
    """Make a project from a bundle, with the media files and predictions that it carries, and open it.

    The files are not taken where the project's media folder exists already and is not confirmed.

    Raises:
        UserError: As ``Session.create_from_bundle``; or the media files are damaged.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    session = Session.create_from_bundle(path, bundle, progress=progress)
    try:
        offers = session.roots.offers()
        # A folder that does not exist yet is nobody else's: it may be used without a question.
        if read_manifest(bundle).media and OWN in offers and not session.media_root.exists():
            session.roots.allow({OWN: offers[OWN]})
        # One that exists is asked about first; the bundle can be merged again then.
        if OWN not in session.roots.offers():
            receive_media(session, [bundle], progress=progress)
        receive_predictions(session, [bundle], progress=progress)
    except BaseException:
        session.close()
        raise
    return session


def _take_missing(session: Session, source: BundledMedia, *, progress: Progress) -> Iterator[_TakenFile]:
    """Unpack the media of a bundle that have no file on this computer."""
    lacking = [medium for medium in missing_media(session) if medium.sha256 in source.sizes]
    total = sum(source.sizes[digest] for digest in {medium.sha256 for medium in lacking})
    if lacking:
        _require_space(session.roots.folder_to_write().parent, total)
    progress.begin("Copying media files", total=total)
    for medium in lacking:
        # Another medium may have the same file.
        if not _is_there(medium, session.roots):
            yield _take(medium, source, roots=session.roots, progress=progress)


def _take(medium: Medium, source: BundledMedia, *, roots: MediaRoots, progress: Progress) -> _TakenFile:
    refused = _TakenFile(name=medium.name, is_right=False)
    is_folder = medium.media_type == "frames"
    if not is_folder and not source.has_one_file(medium.sha256):
        return refused
    path = _own_path(medium, roots) or f"{RECEIVED}/{medium.sha256}{_ending(medium)}"
    target = roots.file_of(path)
    if target is None or target.exists():
        return refused
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.unpack(medium.sha256, target, is_folder=is_folder, progress=progress):
        return refused
    if path == medium.path:
        return _TakenFile(name=medium.name, is_right=True)
    facts = probe_media(target, kind=medium.media_type, progress=progress)
    located = LocatedFile(medium=medium.id, name=medium.name, outcome="found", path=path, facts=facts)
    return _TakenFile(name=medium.name, is_right=True, located=located)


def _own_path(medium: Medium, roots: MediaRoots) -> str:
    """Return the medium's own path where its file can be put there, "" where it cannot.

    A further folder that this computer does not have becomes one below the project's own: its name then
    leads there, and nothing has to be recorded.
    """
    if not _is_plain(medium.path):
        return ""
    if medium.path.startswith(MARK):
        root, _, inner = medium.path[len(MARK) :].partition("/")
        if not inner or not NAME.fullmatch(root) or not _has_own(root, roots):
            return ""
    target = roots.file_of(medium.path)
    return medium.path if target is not None and not target.exists() else ""


def _is_plain(path: str) -> bool:
    """Return whether a path has only parts that any computer can write, and leads to nowhere else."""
    parts = PurePosixPath(path).parts
    return bool(parts) and all(part not in {"..", "."} and _PART.fullmatch(part) for part in parts)


def _has_own(name: str, roots: MediaRoots) -> bool:
    """Return whether a further folder is one below the project's own; it is made if there is none."""
    folder = roots.folder_to_write(f"{RECEIVED}/{name}")
    if name not in roots.further:
        folder.mkdir(parents=True, exist_ok=True)
        roots.add(folder, name=name)
    # A folder elsewhere is the person's own: nothing is put there.
    return roots.further[name].resolve() == folder.resolve()


def _is_there(medium: Medium, roots: MediaRoots) -> bool:
    file = roots.file_of(medium.path)
    return file is not None and file.exists()


def _ending(medium: Medium) -> str:
    found = PurePosixPath(medium.name).suffix
    return found if medium.media_type != "frames" and _ENDING.fullmatch(found) else ""


def _size_of(file: Path) -> int:
    return sum(one.stat().st_size for one in frame_files(file)) if file.is_dir() else file.stat().st_size


def _require_space(folder: Path, size_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if size_bytes + FREE_BYTES > free:
        raise EnvironmentFailure(
            f"The media files need {size_bytes / 1e9:,.1f} GB, and {folder} has {free / 1e9:,.1f} GB free.",
            hint="Free space on the disk, or exchange bundles without media files.",
        )
