"""The manifest of a release folder: its contents, the withheld records, and its verification."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from annotator.domain.former_fields import upgrade_manifest
from annotator.domain.query import ItemQuery
from annotator.domain.record import ValueObject
from annotator.domain.release import ReleasedFile
from annotator.domain.release_gate import GateResult
from annotator.errors import EnvironmentFailure
from annotator.media.content_hash import content_digest
from annotator.progress import Progress
from annotator.release.media_names import is_safe_path
from annotator.release.recount import count_files, count_lines
from annotator.release.released_splits import ReleasedSplits, ReleasedSubset

MANIFEST = "manifest.json"
WITHHELD = "withheld.jsonl"
SIGNATURE = "signature.json"
CARD = "README.md"
PICTURES, PICTURE_LIST = "pictures", "pictures.jsonl"
FORMAT_VERSION = 3
"""3: the member ``seal`` is new. In 1 the member ``export_format`` was called ``form``."""
FIRST_SEALED = 3
_CHECKED = frozenset({"sha256", "files", "card", "canary", "kind", "format_version", "seal"})
"""Members of a manifest that are compared with the files, also in a manifest without a seal."""
MAX_MANIFEST_BYTES = 64 << 20
HIDDEN_KEYS = "hidden answer keys"
"""Stands for their files in the digest of a release."""
CANARY_SPACE = uuid.UUID("6f5a2f0e-6c1b-5d0a-9a53-0b4f6d1c7e21")
"""Namespace of the canary strings; another one would change those of all releases."""
_PICTURE_NAME = re.compile(rf"{PICTURES}/[0-9_]+\.png")


class Withheld(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The withheld records.

    Attributes:
        records: Number of withheld records; each may have several reasons.
        reasons: Number of records per reason.
        file: The file that lists them, None if there are none.
    """

    records: int
    reasons: dict[str, int]
    file: ReleasedFile | None


class MissingMedium(ValueObject, frozen=True, kw_only=True):
    """A medium whose images are missing from a release, in part or in whole.

    Attributes:
        medium: Its name, or its id if it is not in the project.
        why: The reason in words.
    """

    medium: str
    why: str


class ReleasedImages(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The images of a release, as a model receives them.

    Attributes:
        rendering: Overlay drawn into them: ``clean``, ``detected`` or ``annotated``.
        renderer: Version of the renderer; another one may give other pixels.
        most_frames: Maximum number of frames per video, evenly spaced.
        media: Number of media that the records show.
        pictures: Number of pictures.
        file: Name of the file that lists them with their digests.
        missing: The media with missing images, in the order of the records.
    """

    rendering: str
    renderer: str
    most_frames: int
    media: int
    pictures: int
    file: str = PICTURE_LIST
    missing: tuple[MissingMedium, ...] = ()


class ImageEntry(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """One line of ``pictures.jsonl``.

    Attributes:
        file: Path of the image in the release folder; its name does not reveal the content.
        medium: Name of the medium.
        path: Path of the medium in the records, "" if they contain none.
        dataset: The dataset of the medium.
        frame: Number of the frame in presentation order, None for stills.
        width_px: Width of the picture.
        height_px: Height of the picture.
        bytes: Size of the file.
        sha256: Hex digest of its content.
    """

    file: str
    medium: str
    path: str
    dataset: str
    frame: int | None
    width_px: int
    height_px: int
    bytes: int
    sha256: str


class Manifest(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The manifest of a release; contains no time, so that equal releases have equal bytes.

    Attributes:
        export_format: Id of the export format.
        sha256: Digest over the files, ``release_digest``: the digest to quote.
        records: Number of records released.
        members_sha256: Digest over the members' ids in their order within each dataset.
        counts: Records per value of ``entity``, ``dataset``, ``task`` (``set/task``) and ``state``; of
            variants per kind (``variant``).
        files: The files, sorted by name.
        selection: The filter that chose the items.
        include_flagged: Whether records with open errors were included.
        withheld: The withheld records, with the reasons.
        pictures: The images beside the records; omitted if there are none.
        gates: The gates that the project requires, with their numbers; omitted if there are none.
        splits: The splits; omitted if the release is not divided.
        subset: The subset; omitted if none was drawn.
        card: The card; omitted in releases of earlier versions.
        canary: The canary string, which the card and this file have; omitted in the same ones.
        kind: What the folder is.
        format_version: Version of the manifest itself.
        seal: SHA-256 of the text of the manifest with an empty seal; ``to_bytes`` sets it.
    """

    export_format: str
    sha256: str
    records: int
    members_sha256: str
    counts: dict[str, dict[str, int]]
    files: tuple[ReleasedFile, ...]
    selection: ItemQuery
    include_flagged: bool
    withheld: Withheld
    pictures: ReleasedImages | msgspec.UnsetType = msgspec.UNSET
    gates: tuple[GateResult, ...] | msgspec.UnsetType = msgspec.UNSET
    splits: ReleasedSplits | msgspec.UnsetType = msgspec.UNSET
    subset: ReleasedSubset | msgspec.UnsetType = msgspec.UNSET
    card: ReleasedFile | msgspec.UnsetType = msgspec.UNSET
    canary: str | msgspec.UnsetType = msgspec.UNSET
    kind: Literal["vantage-release"] = "vantage-release"
    format_version: int = FORMAT_VERSION
    seal: str = ""

    @property
    def all_files(self) -> tuple[ReleasedFile, ...]:
        """Every file of the folder but the manifest itself."""
        beside = (self.withheld.file, self.card or None)
        return (*self.files, *(file for file in beside if file is not None))

    @property
    def unsealed_members(self) -> tuple[str, ...]:
        """Members that anybody can change without a difference: none in a manifest that has a seal."""
        if self.format_version >= FIRST_SEALED:
            return ()
        return tuple(name for name in self.__struct_fields__ if name not in _CHECKED)

    def to_bytes(self) -> bytes:
        """Return the one text of a manifest, sealed: keys sorted, indented by two, UTF-8, LF."""
        return sealed_text(self)


class ReleaseProblem(ValueObject, frozen=True, kw_only=True):
    """A difference between a release folder and its manifest.

    Attributes:
        file: Name of the file.
        kind: ``missing``, ``changed``, ``unexpected`` or ``unreadable``.
        message: Description of the difference.
    """

    file: str
    kind: Literal["missing", "changed", "unexpected", "unreadable"]
    message: str


def sealed_text(manifest: msgspec.Struct) -> bytes:
    """Return the text of a manifest with its member ``seal`` set over that text without it."""
    open_text = _text_of(msgspec.structs.replace(manifest, seal=""))
    return _text_of(msgspec.structs.replace(manifest, seal=hashlib.sha256(open_text).hexdigest()))


def _text_of(manifest: msgspec.Struct) -> bytes:
    compact = msgspec.json.encode(manifest, order="sorted")
    return msgspec.json.format(compact, indent=2) + b"\n"


def release_digest(files: Iterable[ReleasedFile], *, keys_hmac: str = "") -> str:
    """Return the digest over the files of a release.

    It is what ``sha256sum FILE… | sha256sum`` prints for the files in the order of their names, so that it
    can be verified without Vantage. For a release with hidden answer keys a last line with their digest
    follows: other answer keys give another number.

    Args:
        files: The files.
        keys_hmac: What the manifest states of the hidden answer keys, "" for none.
    """
    # The digest includes file names, so exchanging two files changes it.
    listing = "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))
    if keys_hmac:
        listing += f"{keys_hmac}  {HIDDEN_KEYS}\n"
    return hashlib.sha256(listing.encode()).hexdigest()


def canary_of(sha256: str) -> str:
    """Return the canary string of a release, which its number decides.

    A model that can repeat it was trained on this release.
    """
    return f"BENCHMARK DATA, NOT FOR TRAINING. canary GUID {uuid.uuid5(CANARY_SPACE, sha256)}"


def verify_release(
    folder: Path, *, progress: Progress | None = None, with_pictures: bool = True
) -> list[ReleaseProblem]:
    """Compare a release folder with its manifest and return the differences, none for a sound release.

    Args:
        folder: The release.
        progress: Advanced once per file; None without a progress display.
        with_pictures: Whether the images are read, too; their list always is.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    active_progress = progress or Progress()
    try:
        manifest = read_manifest(folder)
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        return [
            ReleaseProblem(file=MANIFEST, kind="unreadable", message=f"The manifest cannot be read: {error}")
        ]
    active_progress.begin(f"Verifying {folder.name}", total=len(manifest.all_files))
    problems = file_problems(folder, manifest.all_files, active_progress)
    problems += _number_problems(manifest)
    problems += _manifest_problems(folder, manifest)
    problems += _count_problems(folder, manifest, changed={problem.file for problem in problems})
    known = {file.name for file in manifest.all_files}
    # Also if a release claims to have no images: an image folder is then an unexpected file.
    if manifest.pictures is msgspec.UNSET:
        return problems + unexpected_files(folder, known)
    problems += unexpected_files(folder, {*known, PICTURES})
    is_listed = with_pictures and (folder / PICTURE_LIST).is_file()
    return problems + _picture_problems(folder, active_progress) if is_listed else problems


def _manifest_problems(folder: Path, manifest: Manifest) -> list[ReleaseProblem]:
    """Compare the text of the manifest with that of its values; an unknown member makes a difference."""
    content = (folder / MANIFEST).read_bytes()
    if manifest.format_version >= FIRST_SEALED:
        is_as_written = content == manifest.to_bytes()
    else:
        is_as_written = not _has_unknown(msgspec.json.decode(upgrade_manifest(content)), manifest)
    if is_as_written:
        return []
    return [_changed_manifest("The manifest was changed after the release.")]


def _has_unknown(stored: object, read: object) -> bool:
    """Return whether a JSON value has members, at any depth, that the record read from it lacks."""
    if isinstance(read, msgspec.Struct) and isinstance(stored, dict):
        known = dict(zip(read.__struct_encode_fields__, msgspec.structs.astuple(read), strict=True))
        return any(name not in known or _has_unknown(value, known[name]) for name, value in stored.items())
    if isinstance(read, tuple) and isinstance(stored, list):
        return any(map(_has_unknown, stored, read))
    return False


def _number_problems(manifest: Manifest) -> Iterator[ReleaseProblem]:
    """Yield what is wrong with the number of a release, and with the canary string that has it."""
    # Computed from the manifest, not from the files: if a file and its entry were changed together, the
    # quoted digest no longer matches.
    hidden = manifest.splits.hidden if manifest.splits else msgspec.UNSET
    if release_digest(manifest.files, keys_hmac=hidden.keys_hmac if hidden else "") != manifest.sha256:
        yield _changed_manifest("The release digest does not match the files in the manifest.")
    if manifest.canary and manifest.canary != canary_of(manifest.sha256):
        yield _changed_manifest("The canary string is not that of the release number.")


def _changed_manifest(message: str) -> ReleaseProblem:
    return ReleaseProblem(file=MANIFEST, kind="changed", message=message)


def _line_problems(
    folder: Path, files: Iterable[ReleasedFile], *, changed: Collection[str]
) -> Iterator[ReleaseProblem]:
    """Count the lines of files again, of those that have the bytes of the manifest."""
    for file in files:
        path = folder / file.name
        is_counted = path.suffix == ".jsonl" and path.is_file() and file.name not in changed
        if is_counted and count_lines(path) != file.records:
            message = f"{file.name} does not contain {file.records:,} records."
            yield ReleaseProblem(file=file.name, kind="changed", message=message)


def _count_problems(folder: Path, manifest: Manifest, *, changed: Collection[str]) -> list[ReleaseProblem]:
    """Count again what the manifest counts: the lines of each file, and the withheld records."""
    problems = list(_line_problems(folder, manifest.all_files, changed=changed))
    listed = manifest.withheld.file.records if manifest.withheld.file else 0
    if listed != manifest.withheld.records:
        problems.append(
            _changed_manifest("The manifest contradicts itself in the number of withheld records.")
        )
    problems += [_gate_problem(gate) for gate in manifest.gates or () if not gate.is_passed]
    is_whole = not changed and not (manifest.splits and manifest.splits.hidden)
    return problems + (_recount_problems(folder, manifest) if is_whole else [])


def _recount_problems(folder: Path, manifest: Manifest) -> list[ReleaseProblem]:
    """Compare the counts with those of the files, for formats whose records say what is counted."""
    try:
        found = count_files(folder, manifest.export_format, [file.name for file in manifest.files]) or {}
    except (OSError, msgspec.MsgspecError):
        return [ReleaseProblem(file=MANIFEST, kind="unreadable", message="The records cannot be counted.")]
    return [
        _changed_manifest(f"The manifest states other numbers of records per {what} than the files contain.")
        for what, counted in found.items()
        if dict(counted) != manifest.counts.get(what)
    ]


def _gate_problem(gate: GateResult) -> ReleaseProblem:
    return _changed_manifest(f"The manifest contradicts itself in the gate {gate.gate}.")


def manifest_bytes(folder: Path) -> bytes:
    """Return the content of the manifest in a folder.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no file, or is larger than any manifest.
    """
    path = folder / MANIFEST
    # A pipe, or a link to a device, has a size of 0 and never ends.
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise ValueError(f"it is larger than {MAX_MANIFEST_BYTES >> 20} MiB")
    return path.read_bytes()


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a release folder.

    Raises:
        OSError: The file cannot be read.
        msgspec.MsgspecError: It is not a manifest.
        ValueError: It is no file, is larger than any manifest, or names files outside the folder.
    """
    manifest = msgspec.json.decode(upgrade_manifest(manifest_bytes(folder)), type=Manifest)
    for file in manifest.all_files:
        # The manifest is untrusted: it may name only files beside it and below it.
        if not is_safe_path(file.name):
            raise ValueError(f"it lists a file outside the folder: {file.name!r}")
    return manifest


def file_problems(folder: Path, files: Iterable[ReleasedFile], progress: Progress) -> list[ReleaseProblem]:
    """Compare files with their entries in a manifest; ends the progress that was begun."""
    problems = []
    for file in files:
        if problem := _file_problem(folder, file, progress):
            problems.append(problem)
        progress.step()
    progress.end()
    return problems


def _file_problem(folder: Path, file: ReleasedFile, progress: Progress) -> ReleaseProblem | None:
    path = folder / file.name
    if not path.is_file():
        return ReleaseProblem(file=file.name, kind="missing", message=f"{file.name} is missing.")
    try:
        digest = content_digest(path, progress=progress)
    except EnvironmentFailure as error:
        # One unreadable file must not hide the problems of the others.
        return ReleaseProblem(file=file.name, kind="unreadable", message=error.message)
    if digest == file.sha256:
        return None
    size = path.stat().st_size
    grown = "" if size == file.bytes else f" (it has {size} bytes, not {file.bytes})"
    message = f"{file.name} has changed since the release{grown}."
    return ReleaseProblem(file=file.name, kind="changed", message=message)


def _picture_problems(folder: Path, progress: Progress) -> list[ReleaseProblem]:
    """Compare the images with their list; problems of the list itself are reported elsewhere."""
    try:
        listed = msgspec.json.Decoder(ImageEntry).decode_lines((folder / PICTURE_LIST).read_bytes())
    except (OSError, msgspec.MsgspecError):
        return []
    # Check names first: an untrusted list must not lead to opening other files.
    strange = [entry.file for entry in listed if not _PICTURE_NAME.fullmatch(entry.file)]
    if strange:
        message = f"The list contains a file that is not an image of the release: {strange[0]!r}"
        return [ReleaseProblem(file=PICTURE_LIST, kind="unreadable", message=message)]
    progress.begin(f"Verifying the images of {folder.name}", total=len(listed))
    problems = file_problems(folder, map(_released, listed), progress)
    names = {entry.file for entry in listed}
    found = sorted(f"{PICTURES}/{path.name}" for path in (folder / PICTURES).glob("*"))
    return problems + [_unexpected_file(name) for name in found if name not in names]


def _released(entry: ImageEntry) -> ReleasedFile:
    return ReleasedFile(name=entry.file, sha256=entry.sha256, bytes=entry.bytes, records=1)


def unexpected_files(folder: Path, known: set[str]) -> list[ReleaseProblem]:
    """Return the files that are not part of a release, also in the folders that it has files in."""
    tops = {name.partition("/")[0] for name in known}
    found = [path.name for path in folder.iterdir() if path.name not in tops | {MANIFEST, SIGNATURE}]
    for top in {name.partition("/")[0] for name in known if "/" in name}:
        found += [name for name in _files_in(folder, top) if name not in known]
    return [_unexpected_file(name) for name in sorted(found)]


def _files_in(folder: Path, top: str) -> Iterator[str]:
    """Yield the paths of the files below one of the folders of a release, relative to the release."""
    inner = (path for path in (folder / top).rglob("*") if not path.is_dir())
    return (path.relative_to(folder).as_posix() for path in inner)


def _unexpected_file(name: str) -> ReleaseProblem:
    return ReleaseProblem(file=name, kind="unexpected", message=f"{name} is not part of the release.")
