"""What a reader finds in a file: records that can be taken, and places that cannot."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from annotator.domain.flag import Severity
from annotator.domain.medium import MediaType
from annotator.domain.record import Record, ValueObject
from annotator.importers.digest_set import DigestSet


class ImportedMedium(ValueObject, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A medium that a record names; the file itself may be absent.

    Attributes:
        name: Name, unique within the dataset.
        path: Where it may lie below the media root, "/" between parts; "" where that is not said.
        kind: What it is.
        view: Name of the view that it shows, "" where the source does not say.
    """

    name: str
    path: str = ""
    kind: MediaType = "image"
    view: str = ""


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
    """A record that can be taken.

    Attributes:
        record: An ``Item``, ``EventLabel``, ``Region``, ``Trajectory``, ``Polyline`` or ``Scene`` without
            ids; or any record with its id, which is then taken as it is. The facts of a ``Scene`` go into the
            scene that ``scene`` names.
        line: Line on which it begins, from 1.
        dataset: The collection that its media and scene belong to.
        media: The media that it shows, in order; the first is the one that an event label, a region or a
            path is about.
        scene: The scene that it is about.
        identity: What a region shows, by a name that is the same in all views of the scene; "" where the
            source does not say. Regions of one scene, frame and identity are linked.
        flags: What is wrong with it.
        is_remark: Whether it speaks of an item that the project may have already: then only its flags are
            taken, on that item.
    """

    record: Record
    line: int
    dataset: str = ""
    media: tuple[ImportedMedium, ...] = ()
    scene: ImportedScene | None = None
    identity: str = ""
    flags: tuple[ImportedFlag, ...] = ()
    is_remark: bool = False


class ImportIssue(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A record that cannot be taken.

    Attributes:
        line: Line of the trouble, from 1.
        locator: Which record of the file it is, "record 17".
        field: Field in the file's own words, "" where it is not one field.
        message: What is wrong, in words.
        unread: Number of records behind it that are not read because of it; None where the rest of the file
            is not read and their number is not known.
    """

    line: int
    locator: str
    field: str
    message: str
    unread: int | None = 0


class ImportKeys:
    """Gives the records of one file the keys by which the same record is known again.

    The n-th copy of a record that stands in a file several times has a key of its own.
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
            original: The record as it came.
            context: What beside it decides what it means, for instance the pictures of its group.
        """
        if context:
            digest = self._salted.copy()
            digest.update(f"{context}\0".encode())
        else:
            digest = self._without_context.copy()
        # The original and not the record: a newer Vantage may read more out of the same bytes.
        digest.update(original)
        key = digest.hexdigest()
        if self._seen.add(digest.digest()):
            return key
        self._copies[key] = self._copies.get(key, 1) + 1
        return f"{key}-{self._copies[key]}"
