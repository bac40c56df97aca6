"""The preview of an import: first records at once, exact counts after a dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from annotator.commands.imports import ImportFiles
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.importers import registry
from annotator.importers.coco_ids import CocoIds
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_detection import DetectedInput, SkippedFile, detect_inputs
from annotator.importers.input_file import InputFile
from annotator.importers.media_resolver import MediaResolver
from annotator.importers.report import ImportReport
from annotator.importers.tables import first_columns
from annotator.progress import Progress
from annotator.queries.reader import Reader

FIRST = 20
EXAMPLE_CHARACTERS = 80


@dataclass(frozen=True, kw_only=True)
class FieldExample:
    """A field of the first records.

    Attributes:
        name: Its name in the file.
        records: Number of the first records that have it.
        example: Its first value that is not empty, as short text.
    """

    name: str
    records: int
    example: str


@dataclass(frozen=True, kw_only=True)
class FilePreview:
    """The beginning of one file, or folder, as its reader understands it.

    Attributes:
        name: Name of the file or folder.
        format: Id of the reader.
        title: Displayed name of the format.
        expected: Names of the fields that the reader expects, which a mapping can redirect.
        field_examples: Fields of the first records, in order of appearance.
        found: The first records that can be imported.
        rejected: The first records that cannot be imported.
    """

    name: str
    format: str
    title: str
    expected: tuple[str, ...]
    field_examples: tuple[FieldExample, ...]
    found: tuple[ImportedRecord, ...]
    rejected: tuple[ImportIssue, ...]


@dataclass(frozen=True, kw_only=True)
class ImportPreview:
    """The first records of all files that an import would read.

    Attributes:
        previews: One per file or folder that is read.
        skipped: Files in folders that are not read.
    """

    previews: tuple[FilePreview, ...]
    skipped: tuple[SkippedFile, ...]


def preview(reader: Reader, command: ImportFiles, *, progress: Progress, first: int = FIRST) -> ImportPreview:
    """Return the first records of each file of an import, read by the importer that the import would use.

    Args:
        reader: The project.
        command: The import; it is not run.
        progress: Advanced for each record that is read.
        first: Number of records per file.

    Raises:
        UserError: A file does not exist, or its format is unknown or not the given one; choose the format.
        EnvironmentFailure: A file cannot be read from the disk.
        Cancelled: The user cancelled the operation.
    """
    is_mapped = bool(command.mapping)
    detected = [
        detect_inputs(path, format_id=command.format, is_mapped=is_mapped, progress=progress)
        for path in command.paths
    ]
    resolver = MediaResolver(reader)
    context = ImportContext(
        dataset=command.dataset,
        views_of=resolver.views_of,
        size_of=resolver.size_of,
        coco_ids=CocoIds(resolver.regions),
        task_sets=TaskSetCatalogue.of(reader.path),
        mapping=command.mapping,
        progress=progress,
    )
    return ImportPreview(
        previews=tuple(
            _preview_file(detected_input, context, first=first)
            for one in detected
            for detected_input in one.found
        ),
        skipped=tuple(over for one in detected for over in one.skipped),
    )


def fields_alone(path: Path, format_id: str) -> tuple[FilePreview, ...]:
    """Return the fields that a format expects and that a file has, for a file that it cannot read as it is.

    None if no format is given, the format has no fields to assign, or the file has no fields.
    """
    importer = registry.IMPORTERS.get(format_id)
    if not isinstance(importer, FileImporter) or not importer.fields or not path.is_file():
        return ()
    columns = dict.fromkeys(name for table in first_columns(InputFile.open(path)) for name in table)
    field_examples = tuple(FieldExample(name=name, records=0, example="") for name in columns)
    found = FilePreview(
        name=path.name,
        format=importer.id,
        title=importer.title,
        expected=importer.fields,
        field_examples=field_examples,
        found=(),
        rejected=(),
    )
    return (found,) if field_examples else ()


def dry_run(reader: Reader, command: ImportFiles, *, progress: Progress) -> ImportReport:
    """Return the exact report of an import, to the last record and flag, without writing anything.

    Raises:
        UserError: A file does not exist, or its format is unknown or not the given one; choose the format.
        EnvironmentFailure: A file cannot be read from the disk.
        Cancelled: The user cancelled the operation.
    """
    # Use the plan of the import itself and discard its edits: a separate way of counting would diverge in
    # time.
    with reader.snapshot():
        for _ in command.plan(reader, progress=progress):
            pass
    return command.report


def _preview_file(detected_input: DetectedInput, context: ImportContext, *, first: int) -> FilePreview:
    entries = list(islice(detected_input.read(context=context), first))
    found = tuple(entry for entry in entries if isinstance(entry, ImportedRecord))
    return FilePreview(
        name=detected_input.source.name,
        format=detected_input.reader.id,
        title=detected_input.reader.title,
        expected=detected_input.reader.fields,
        field_examples=tuple(_field_examples(found)),
        found=found,
        rejected=tuple(entry for entry in entries if isinstance(entry, ImportIssue)),
    )


def _field_examples(found: Iterable[ImportedRecord]) -> Iterator[FieldExample]:
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for entry in found:
        for name, value in _original_fields(entry).items():
            counts[name] += 1
            if value not in (None, "", [], {}):
                examples.setdefault(name, _example(value))
    for name, count in counts.items():
        yield FieldExample(name=name, records=count, example=examples.get(name, ""))


def _original_fields(entry: ImportedRecord) -> dict[str, Any]:
    """Return the original fields of a record, none if it was not an object."""
    original = getattr(entry.record, "original", msgspec.Raw(b"null"))
    decoded = msgspec.json.decode(original)
    return decoded if isinstance(decoded, dict) else {}


def _example(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    shown = " ".join(text.split())
    return shown if len(shown) <= EXAMPLE_CHARACTERS else f"{shown[: EXAMPLE_CHARACTERS - 1]}…"
