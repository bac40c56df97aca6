"""Formats that a file resembles which no importer takes for its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from annotator.importers.importer import FileImporter, Importer
from annotator.importers.input_file import InputFile
from annotator.importers.tables import first_columns

SHOWN = 3
_KEY = re.compile(r'"([^"\\\r\n]{1,60}+)"\s*+:')
_TAG_OR_ATTRIBUTE = re.compile(r"(?:<|\s)([A-Za-z_][\w.-]{0,59}+)(?==|[\s>])")
_KINDS = {"json": ("JSON",), "xml": ("XML",), "table": ("CSV", "TSV", "Excel", "Parquet")}


def most_similar(file: InputFile, importers: Iterable[Importer]) -> Sequence[FileImporter]:
    """Return the importers whose files have most names in common with a file, the most similar first.

    Only formats of the file's own kind, such as JSON, and none that a person has to name or that give no
    records.
    """
    kind, names = _kind_of(file), _names_in(file)
    candidates = [
        importer
        for importer in importers
        if isinstance(importer, FileImporter)
        and not importer.is_chosen_by_user
        and (importer.fields or importer.marks)
    ]
    ranked = sorted(candidates, key=lambda candidate: _shared(candidate, names), reverse=True)
    return [one for one in ranked if _is_of_kind(one, kind)][:SHOWN]


def _is_of_kind(importer: Importer, kind: str) -> bool:
    return any(word in f"{importer.title} {importer.files}" for word in _KINDS[kind])


def _shared(importer: Importer, names: frozenset[str]) -> int:
    return len({name.lower() for name in (*importer.fields, *importer.marks)} & names)


def _kind_of(file: InputFile) -> str:
    first = file.head.lstrip()[:1]
    if first == "<":
        return "xml"
    return "json" if first in {"{", "["} else "table"


def _names_in(file: InputFile) -> frozenset[str]:
    """Return the keys, tags or columns in the beginning of a file, in lower case."""
    kind = _kind_of(file)
    if kind == "table":
        found: Iterable[str] = (name for columns in first_columns(file) for name in columns)
    else:
        found = (_TAG_OR_ATTRIBUTE if kind == "xml" else _KEY).findall(file.head)
    return frozenset(name.strip().lower() for name in found)
