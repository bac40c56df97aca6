"""A release: a point in the log, a selection, and the hashes of what was written."""

from __future__ import annotations

from annotator.domain.query import ItemQuery
from annotator.domain.record import Column, Record, Table, ValueObject


class ReleasedFile(ValueObject, frozen=True, kw_only=True):
    """One file of a release.

    Attributes:
        name: File name inside the release folder.
        sha256: Hex digest of its content.
        bytes: Size of the file.
        records: Number of records in it.
    """

    name: str
    sha256: str
    bytes: int
    records: int


class Release(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A release: its selection, its files, and the state of the log.

    Attributes:
        name: Displayed name, by default export format and start of the digest.
        export_format: Id of the exporter that wrote it.
        selection: The filter that chose the items.
        include_flagged: Whether records with open errors are included.
        members_sha256: Digest over the members' ids in the order of the export format: equal for
            releases of the same records, even if they were edited in between.
        items: Number of records in it.
        withheld: Number of records that were withheld.
        heads: Last sequence number of each actor and session, so that the same state of the log can
            be read again.
        files: The files written.
        sha256: Digest over the files, for citations.
        rendering: Overlays drawn into the images, "" without images.
        most_frames: Maximum number of images per video, evenly spaced.
        manifest_sha256: Digest of the manifest, "" in releases of earlier versions.
    """

    name: str
    export_format: str
    selection: ItemQuery = ItemQuery()
    include_flagged: bool = False
    members_sha256: str = ""
    items: int = 0
    withheld: int = 0
    heads: dict[str, int] = {}
    files: tuple[ReleasedFile, ...] = ()
    sha256: str = ""
    rendering: str = ""
    most_frames: int = 0
    manifest_sha256: str = ""

    table = Table(
        entity="release",
        columns=(
            Column(name="name", value=lambda r: r.name),
            Column(name="sha256", value=lambda r: r.sha256),
        ),
        indexes=(("sha256",),),
    )
