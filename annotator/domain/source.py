"""A source: one file that records were imported from."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Source(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One imported file.

    Attributes:
        name: File name as it was imported.
        format: Id of the importer: ``aircop-labels`` …
        sha256: Hex digest of the file.
        size_bytes: Size of the file.
        dataset: Name of the dataset.
        records: Number of records in it.
        rejected: Number of rejected records.
        licence: Licence stated by the source, "" for none.
    """

    name: str
    format: str
    sha256: str
    size_bytes: int = 0
    dataset: str = ""
    records: int = 0
    rejected: int = 0
    licence: str = ""

    table = Table(
        entity="source",
        columns=(
            Column(name="name", value=lambda r: r.name),
            Column(name="sha256", value=lambda r: r.sha256),
            Column(name="format", value=lambda r: r.format),
        ),
        indexes=(("sha256",),),
    )
