"""What an import would do, before it is done: first records at once, exact counts after a dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from annotator.commands.imports import ImportFiles
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.progress import Progress
from annotator.sources.found import Found, Rejected
from annotator.sources.importer import ReadContext
from annotator.sources.intake import Intake, PassedOver, look_at
from annotator.sources.places import Places
from annotator.sources.report import ImportReport
from annotator.store.reader import Reader

FIRST = 20
EXAMPLE_CHARACTERS = 80


@dataclass(frozen=True, kw_only=True)
class SeenField:
    """A field that the first records have.

    Attributes:
        name: Its name in the file.
        records: Number of the first records that have it.
        example: Its first value that is not empty, as short text.
    """

    name: str
    records: int
    example: str


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """The beginning of one file, or folder, as its reader understands it.

    Attributes:
        name: Name of the file or folder.
        format: Id of the reader.
        title: What people call the format.
        expected: Names of the fields that the reader expects, which a mapping can redirect.
        seen: Fields of the first records, in the order of their coming.
        found: The first records that can be taken.
        rejected: Those among the first that cannot.
    """

    name: str
    format: str
    title: str
    expected: tuple[str, ...]
    seen: tuple[SeenField, ...]
    found: tuple[Found, ...]
    rejected: tuple[Rejected, ...]


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The beginnings of all that an import would read.

    Attributes:
        looks: One per file or folder that is read.
        passed_over: Files of folders that are not.
    """

    looks: tuple[FirstLook, ...]
    passed_over: tuple[PassedOver, ...]


def preview(reader: Reader, command: ImportFiles, *, progress: Progress, first: int = FIRST) -> Preview:
    """Return the beginning of each file of an import, read as the import would read it.

    Args:
        reader: The project.
        command: The import; it is not run.
        progress: Told of each record that is read.
        first: Number of records per file.

    Raises:
        UserError: A file is not there, or of no known format, or not of the format given.
        HostError: The disk refused.
        Cancelled: The user stopped it.
    """
    is_mapped = bool(command.mapping)
    looked = [
        look_at(path, format_id=command.format, is_mapped=is_mapped, progress=progress)
        for path in command.paths
    ]
    places = Places(reader)
    context = ReadContext(
        dataset=command.dataset,
        views_of=places.views_of,
        size_of=places.size_of,
        task_sets=TaskSetCatalogue.of(reader.path),
        mapping=command.mapping,
        progress=progress,
    )
    return Preview(
        looks=tuple(_first_look(intake, context, first=first) for one in looked for intake in one.found),
        passed_over=tuple(over for one in looked for over in one.passed_over),
    )


def dry_run(reader: Reader, command: ImportFiles, *, progress: Progress) -> ImportReport:
    """Return what an import would come to, to the last record and flag; nothing is written.

    Raises:
        UserError: A file is not there, or of no known format, or not of the format given.
        HostError: The disk refused.
        Cancelled: The user stopped it.
    """
    # The very plan of the import, its edits thrown away: any other way of counting would differ one day.
    with reader.snapshot():
        for _ in command.plan(reader, progress=progress):
            pass
    return command.report


def _first_look(intake: Intake, context: ReadContext, *, first: int) -> FirstLook:
    entries = list(islice(intake.read(context=context), first))
    found = tuple(entry for entry in entries if isinstance(entry, Found))
    return FirstLook(
        name=intake.source.name,
        format=intake.reader.id,
        title=intake.reader.title,
        expected=intake.reader.fields,
        seen=tuple(_seen_fields(found)),
        found=found,
        rejected=tuple(entry for entry in entries if isinstance(entry, Rejected)),
    )


def _seen_fields(found: Iterable[Found]) -> Iterator[SeenField]:
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for entry in found:
        for name, value in _original_fields(entry).items():
            counts[name] += 1
            if value not in (None, "", [], {}):
                examples.setdefault(name, _example(value))
    for name, count in counts.items():
        yield SeenField(name=name, records=count, example=examples.get(name, ""))


def _original_fields(entry: Found) -> dict[str, Any]:
    """Return the fields of a record as it came, none where it was no object."""
    original = getattr(entry.record, "original", msgspec.Raw(b"null"))
    decoded = msgspec.json.decode(original)
    return decoded if isinstance(decoded, dict) else {}


def _example(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    shown = " ".join(text.split())
    return shown if len(shown) <= EXAMPLE_CHARACTERS else f"{shown[: EXAMPLE_CHARACTERS - 1]}…"
