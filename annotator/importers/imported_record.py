"""What a reader finds in a file: records that can be taken, and places that cannot."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from annotator.domain.flag import Severity
from annotator.domain.medium import MediaType
from annotator.domain.record import Record, ValueObject
from annotator.domain.region_attributes import LinkMember
from annotator.importers.digest_set import DigestSet


class ImportedMedium(ValueObject, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A medium that a record names; the file itself may be absent.

    Attributes:
        name: Name, unique within the dataset.
        path: Possible path relative to the media root, with "/"; "" if unknown.
        kind: Media type.
        view: Name of its view, "" if the source contains none.
    """

    name: str
    path: str = ""
    kind: MediaType = "image"
    view: str = ""

    @property
    def stem(self) -> str:
        """Its name without the ending, which a scene of this medium alone is named after."""
        return self.name.rpartition(".")[0] or self.name


class ImportedScene(ValueObject, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A scene that a record belongs to.

    Attributes:
        name: Name, unique within the dataset.
        views: Its media as far as the file tells, one per view.
    """

    name: str
    views: tuple[ImportedMedium, ...] = ()


class ImportedFlag(ValueObject, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A reason why a found record needs a reviewer.

    Attributes:
        kind: Id of the reason.
        message: The reason in words, with the values that it is about.
        field: Field of the record that it touches, "" for the whole record.
        severity: How much it matters.
        on: What it is about: the record itself, or the first medium that it shows.
        evidence: Values that the decision needs (JSON).
    """

    kind: str
    message: str
    field: str = ""
    severity: Severity = "warning"
    on: Literal["record", "medium"] = "record"
    evidence: dict[str, Any] = msgspec.field(default_factory=dict)


class ImportedRecord(ValueObject, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A valid record of a file.

    Attributes:
        record: An ``Item``, ``EventLabel``, ``Region``, ``Trajectory``, ``Polyline`` or ``Scene`` without
            ids; or any record with an id, which is imported unchanged. The metadata of a ``Scene`` is added
            to the scene named by ``scene``.
        line: First line, from 1.
        dataset: Dataset of its media and scene.
        media: The media that it shows, in order; an event label, region or path belongs to the first.
        scene: Its scene.
        identity: Name of the object that a region shows, equal in all views of the scene; "" if unknown.
            Regions with equal scene, frame and identity are linked.
        links: The links of a region that the source names.
        number: Number of a region that the source states; it is kept if the image has no other regions.
        flags: Problems of the record.
        is_remark: Whether it is a remark on an item that may exist already; only its flags are imported, for
            that item.
    """

    record: Record
    line: int
    dataset: str = ""
    media: tuple[ImportedMedium, ...] = ()
    scene: ImportedScene | None = None
    identity: str = ""
    links: tuple[LinkMember, ...] = ()
    number: int | None = None
    flags: tuple[ImportedFlag, ...] = ()
    is_remark: bool = False


class ImportIssue(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A record that is rejected.

    Attributes:
        line: Line of the fault, from 1.
        locator: Position of the record in the file, "record 17".
        field: Name of the field in the file, "" if no single field is at fault.
        message: What is wrong.
        unread: Number of following records that cannot be read because of it; None if the rest of the file is
            not read and their number is unknown.
    """

    line: int
    locator: str
    field: str
    message: str
    unread: int | None = 0


class ImportKeys:
    """Computes the import keys of a file's records, by which a second import recognises them.

    The n-th copy of a record within a file has its own key.
    """

    def __init__(self, *, format_id: str, dataset: str) -> None:
        # 16 bytes: among 10^9 records, two would be alike by chance once in 10^20 projects.
        self._salted = hashlib.blake2b(f"{format_id}\0{dataset}\0".encode(), digest_size=16)
        self._without_context = self._salted.copy()
        self._without_context.update(b"\0")
        # A file has millions of records, and few of them twice.
        self._seen = DigestSet()
        self._copies: dict[str, int] = {}

    def key_of(self, original: bytes, *, context: str = "") -> str:
        """Return the key of a record.

        Args:
            original: The original record.
            context: Further content that determines its meaning, for instance the images of its group.
        """
        digest = (self._salted if context else self._without_context).copy()
        if context:
            digest.update(f"{context}\0".encode())
        # The original and not the record: a newer Vantage may read more out of the same bytes.
        digest.update(original)
        key = digest.hexdigest()
        if self._seen.add(digest.digest()):
            return key
        self._copies[key] = self._copies.get(key, 1) + 1
        return f"{key}-{self._copies[key]}"
