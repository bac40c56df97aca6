"""The file of a bundle: a zip archive with a manifest and events.

``manifest.json`` says what the events are; ``events.jsonl`` has one JSON array per event: the values of
``SEALED``, then the previous hash and the hash in hex. Nothing else is read. What a bundle says of itself is
compared with what it holds before a single event is used.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, NamedTuple

import msgspec
from msgspec import Meta

from annotator.domain.record import ValueObject, new_id
from annotator.domain.signature import Sign, Signature
from annotator.errors import EnvironmentFailure, UserError

FORMAT, VERSION = "vantage-bundle", 1
MANIFEST, EVENTS = "manifest.json", "events.jsonl"
MAX_MANIFEST_BYTES = 16 << 20
MAX_RATIO = 100
"""Text that shrinks more is no log: each event has 128 random hex digits, which shrink to half."""
MAX_LINE_BYTES = 256 << 20
"""Longest event: the original record of an import, which its importer limits to less."""
MOST_RUNS = 10_000
CHUNK_BYTES = 1 << 20
KEPT_BYTES = 64 << 20
"""Events up to this size stay in memory once they are checked, so that they are unpacked once."""
_HEX = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_RUN = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
_COUNT = Annotated[int, Meta(ge=1, lt=1 << 53)]
_SIZE = Annotated[int, Meta(ge=0, lt=1 << 53)]
WriteMedia = Callable[[zipfile.ZipFile], Mapping[str, int]]
WritePredictions = Callable[[zipfile.ZipFile], dict[str, str]]
_encode = msgspec.json.Encoder().encode


class BundledEvent(NamedTuple):
    """An event as ``SEALED`` orders its values, with its hashes in hex."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    actor: str
    session_id: str
    seq: _COUNT
    lamport: _COUNT
    parents: str
    entity: str
    entity_id: str
    field: str
    value: str
    schema: Annotated[int, Meta(ge=0, lt=1 << 31)]
    command: str
    wall_time: str
    prev_hash: _HEX
    hash: _HEX

    @property
    def is_sound(self) -> bool:
        """Whether the hash is that of the values."""
        # As ``event_hash``, which would take the previous hash out of hex and back.
        return hashlib.sha256(_encode(self[:-1])).hexdigest() == self.hash


class Manifest(ValueObject, frozen=True, kw_only=True):
    """What a bundle says of itself.

    Attributes:
        format: ``vantage-bundle``.
        version: Version of the form.
        project: Id of the project.
        title: Title of the project.
        author: Name of the person who wrote the bundle, as the project has it.
        ranges: First and last sequence number of each ``actor/session_id``.
        ends: Hash of the last event of each; it covers all events before.
        seen: Last sequence number of each ``actor/session_id`` that the author's copy had, also of those
            whose events are not in the bundle.
        people: Names of the people of ``seen``, by id.
        media: Sizes of the media files that it carries, by digest.
        predictions: Digests of the entries of the predictions that it carries, by run.
        events: Number of events.
        sha256: Digest of the bytes of ``events.jsonl``.
        signature: The author's signature of ``signed_content``, None for none.
    """

    format: str
    version: int
    project: str
    title: str = ""
    author: str = ""
    ranges: Mapping[str, tuple[int, int]] = {}
    ends: Mapping[str, str] = {}
    seen: Mapping[str, int] = {}
    people: Mapping[str, str] = {}
    media: Mapping[str, _SIZE] = {}
    predictions: Annotated[Mapping[_RUN, _HEX], Meta(max_length=MOST_RUNS)] = {}
    events: int = 0
    sha256: str = ""
    signature: Signature | None = None

    @property
    def signed_content(self) -> bytes:
        """What a signature of the bundle covers: all of the manifest and, by their digest, all events."""
        parts = (self.version, self.project, self.title, self.author, self.events, self.sha256)
        tables: list[Mapping[str, object]] = [self.ranges, self.ends, self.seen, self.people, self.media]
        # Left out where there are none: signatures of earlier versions do not have it.
        tables += [self.predictions] if self.predictions else []
        entries = (sorted(table.items()) for table in tables)
        return b"vantage bundle\n" + _encode([*parts, *entries])

    @classmethod
    def of(cls, *, project: str, title: str, author: str) -> Manifest:
        """Return the manifest of a bundle that is not written yet."""
        return cls(format=FORMAT, version=VERSION, project=project, title=title, author=author)


def write_bundle(
    path: Path,
    events: Iterable[BundledEvent],
    *,
    manifest: Manifest,
    write_media: WriteMedia | None = None,
    write_predictions: WritePredictions | None = None,
    sign: Sign | None = None,
) -> Manifest:
    """Write a bundle, and return its completed manifest.

    The file appears under its name when it is complete; an existing file is replaced.

    Args:
        path: The file.
        events: The events, in the order of their lamport numbers.
        manifest: Project and author; the rest is filled in.
        write_media: Writes media files after the events, and returns their sizes by digest; None for none.
        write_predictions: Writes predictions after the media files, and returns the digests of their entries
            by run; None for none.
        sign: Returns the author's signature of a content, None for an unsigned bundle.

    Raises:
        EnvironmentFailure: The file cannot be written; nothing is left of it.
    """
    # Of an own name: two programs may write the same bundle, and nobody looks for this ending.
    partial = path.with_name(f".{path.name}.{new_id()}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            complete = _write_events(archive, events, manifest=manifest)
            if write_media is not None:
                complete = msgspec.structs.replace(complete, media=write_media(archive))
            if write_predictions is not None:
                complete = msgspec.structs.replace(complete, predictions=write_predictions(archive))
            if sign is not None:
                complete = msgspec.structs.replace(complete, signature=sign(complete.signed_content))
            # Last: it has counts and digests of all that is written before.
            archive.writestr(MANIFEST, msgspec.json.encode(complete))
        # For writing: Windows flushes no file that is open for reading.
        with partial.open("r+b") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    except OSError as error:
        raise EnvironmentFailure(
            f"The bundle {path} could not be written: {error.strerror or error}.",
            hint="Check the free space and the permissions of the folder.",
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return complete


def _write_events(
    archive: zipfile.ZipFile, events: Iterable[BundledEvent], *, manifest: Manifest
) -> Manifest:
    # The size is not known yet; without this zipfile refuses entries from 2 GiB on.
    with archive.open(EVENTS, "w", force_zip64=True) as target:
        return _write_lines(target, events, manifest=manifest)


def _write_lines(target: IO[bytes], events: Iterable[BundledEvent], *, manifest: Manifest) -> Manifest:
    digest, count = hashlib.sha256(), 0
    ranges: dict[str, tuple[int, int]] = {}
    ends: dict[str, str] = {}
    for event in events:
        line = msgspec.json.encode(event) + b"\n"
        digest.update(line)
        target.write(line)
        chain = f"{event.actor}/{event.session_id}"
        ranges[chain] = (ranges.get(chain, (event.seq, 0))[0], event.seq)
        ends[chain] = event.hash
        count += 1
    return msgspec.structs.replace(
        manifest, ranges=ranges, ends=ends, events=count, sha256=digest.hexdigest()
    )


class BundleReader:
    """An open bundle whose content agrees with its manifest.

    Attributes:
        path: The file.
        manifest: What it says of itself.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self._checked: list[bytes] = []
        self.manifest = _manifest_of(archive, path=path)
        self._require_whole()

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[BundleReader]:
        """Open a bundle and compare it with its manifest.

        Raises:
            UserError: It is not a whole bundle that this version can read.
            EnvironmentFailure: It cannot be read.
        """
        with open_archive(path) as archive:
            yield cls(path, archive)

    def events(self) -> Iterator[BundledEvent]:
        """Yield the events in their order.

        Raises:
            UserError: A line is not an event, or its hash is not that of its values.
        """
        decoder = msgspec.json.Decoder(BundledEvent)
        for number, line in enumerate(self._lines(), start=1):
            try:
                event = decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise damaged(self.path, f"event {number}: {error}") from error
            if not event.is_sound:
                raise damaged(self.path, f"event {number} was changed after it was written")
            yield event

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines of the events."""
        return split_lines(self._checked or self._unpacked(), path=self.path, most_bytes=MAX_LINE_BYTES)

    def _unpacked(self) -> Iterator[bytes]:
        with self._archive.open(EVENTS) as source:
            while chunk := source.read(CHUNK_BYTES):
                yield chunk

    def _require_whole(self) -> None:
        """Read all events once, so that half a bundle is refused before any of it is used."""
        entry = self._archive.getinfo(EVENTS)
        # The lower bound: a small entry may shrink as much as it likes, 100 MiB are no danger.
        if entry.file_size > MAX_RATIO * max(entry.compress_size, CHUNK_BYTES):
            raise damaged(self.path, "its content is many times larger than a log can be")
        digest, size = hashlib.sha256(), 0
        for chunk in self._unpacked():
            digest.update(chunk)
            size += len(chunk)
            # zipfile stops at the size that the entry states; this is for one that states too little.
            if size > entry.file_size:
                raise damaged(self.path, "its content is larger than it says")
            if entry.file_size <= KEPT_BYTES:
                self._checked.append(chunk)
        if digest.hexdigest() != self.manifest.sha256:
            raise damaged(self.path, "its events are not those of its manifest")


def split_lines(chunks: Iterable[bytes], *, path: Path, most_bytes: int) -> Iterator[bytes]:
    """Yield the lines of an entry; cut by ``split``, because ``readline`` of a zip entry is slow.

    Raises:
        UserError: A line is longer than ``most_bytes``.
    """
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > most_bytes:
            raise damaged(path, "a line is longer than one can be")
        yield from lines
    if rest:
        yield rest


def read_manifest(path: Path) -> Manifest:
    """Return what a bundle says of itself; its events are not compared with it.

    Raises:
        UserError: It is not a bundle that this version can read.
        EnvironmentFailure: It cannot be read.
    """
    with open_archive(path) as archive:
        return _manifest_of(archive, path=path)


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the archive of a bundle.

    Raises:
        UserError: It is not sound.
        EnvironmentFailure: It cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    # RuntimeError: an encrypted entry. NotImplementedError, one of its kinds: an unknown compression.
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError) as error:
        raise damaged(path, str(error)) from error
    except OSError as error:
        raise EnvironmentFailure(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="Check the permissions of the file and whether its disk is connected.",
        ) from error


def _manifest_of(archive: zipfile.ZipFile, *, path: Path) -> Manifest:
    names = {entry.filename for entry in archive.infolist()}
    if not names >= {MANIFEST, EVENTS}:
        raise UserError(
            f"{path.name} is not a bundle of Vantage.",
            hint="Write one with: vantage bundle PROJECT FILE.",
        )
    if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
        raise damaged(path, "the manifest is too large")
    with archive.open(MANIFEST) as source:
        text = source.read(MAX_MANIFEST_BYTES)
    try:
        # Alone first: a newer version may give the other members another form.
        form = msgspec.json.decode(text, type=_Form)
        if form.format == FORMAT and form.version > VERSION:
            raise UserError(
                f"{path.name} was written by a newer version of Vantage (bundle {form.version}).",
                hint="Update Vantage, and merge the bundle again.",
            )
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise damaged(path, f"the manifest: {error}") from error
    if manifest.format != FORMAT:
        raise damaged(path, "the manifest is that of another format")
    return manifest


class _Form(ValueObject, frozen=True, kw_only=True):
    format: str = ""
    version: int = 0


def damaged(path: Path, reason: str) -> UserError:
    """Return the error of a bundle that is not sound."""
    return UserError(
        f"{path.name} is not a sound bundle: {reason}.",
        hint="Nothing was changed. Copy the bundle again, or ask its author for a new one.",
    )
