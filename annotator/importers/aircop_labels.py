"""Reads AirCopBench's annotation files: Label Studio's JSON-MIN, one record per image of one UAV."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from annotator.domain.contradictions import Contradiction, find_contradictions
from annotator.domain.event_label import EventLabel
from annotator.domain.record import FieldCorrection
from annotator.importers.aircop_event_label import read_form
from annotator.importers.aircop_names import AircopImageName, read_image_name, with_copy_number
from annotator.importers.imported_record import (
    ImportedFlag,
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.media_paths import LONGEST_PATH
from annotator.importers.record_fields import RecordError, RecordFields

_IMAGE_KEY = re.compile(r'"img1"\s*:')
_FORM_KEY = re.compile(r'"(?:annotation_id|Quality|Us[ai]bility|Object_count|Collaboration_\w+)"\s*:')


class AircopLabels(FileImporter):
    """Takes annotation records in as event labels."""

    id = "aircop-labels"
    title = "AirCopBench labels (Label Studio JSON)"
    files = "AirCopBench annotations: Label Studio JSON-MIN, one record per image of one UAV"
    gives = "event labels"
    fields = (
        "img1", "Quality", "Usibility", "Object_type", "Object_count", "Degradation", "Other Degradation",
        "PerceptionIssues", "Collaboration_when", "Collaboration_what", "Collaboration_who",
        "Collaboration_why", "id", "annotation_id", "annotator", "created_at", "updated_at", "lead_time",
    )  # fmt: skip

    def recognizes(self, file: InputFile) -> bool:
        """Look for an image beside a field of the form."""
        return bool(_IMAGE_KEY.search(file.head) and _FORM_KEY.search(file.head))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield labels; the whole file is read first, since views and repetitions concern all of it."""
        json = JsonText(file.text)
        total = len(_IMAGE_KEY.findall(json.text))
        context.progress.begin(f"Reading {file.name}", total=total)
        labels = _LabelFile(context.dataset, context.mapping)
        for number, element in enumerate(json.top_elements(), start=1):
            context.progress.step()
            labels.add(element, json=json, locator=f"record {number}")
        context.progress.begin(f"Adding {file.name}", total=len(labels.entries))
        for entry in labels.found(context):
            context.progress.step()
            yield entry


@dataclass(slots=True)
class _DraftLabel:
    """One record before its scene is known.

    Attributes:
        image: Text of ``img1``.
        copy: 1, or n for the n-th upload under the name of one view's picture.
    """

    label: EventLabel
    image: str
    name: AircopImageName
    dataset: str
    line: int
    flags: list[ImportedFlag]
    copy: int = 1

    @property
    def scene_key(self) -> tuple[str, str]:
        """Dataset and name of its scene."""
        scene = self.name.scene
        return self.dataset, scene if self.copy == 1 else f"{scene} copy {self.copy}"

    @property
    def medium(self) -> ImportedMedium:
        """Its picture."""
        if self.copy == 1:
            return ImportedMedium(name=self.name.name, path=self.name.path, view=self.name.view)
        # Where the other copies lie cannot be told from their common name.
        return ImportedMedium(name=with_copy_number(self.name.name, self.copy), view=self.name.view)


@dataclass
class _LabelFile:
    """The records of one file, and what only all of them together tell."""

    dataset: str
    mapping: Mapping[str, str]
    entries: list[_DraftLabel | ImportIssue] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._keys = ImportKeys(format_id=AircopLabels.id, dataset=self.dataset)
        self._images: dict[str, list[_DraftLabel]] = defaultdict(list)
        self._uploads: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
        self._views: dict[tuple[str, str], dict[str, ImportedMedium]] = defaultdict(dict)
        self._seen: dict[tuple[str, int], str] = {}

    def add(self, element: JsonElement, *, json: JsonText, locator: str) -> None:
        """Take one value of the file."""
        if element.fault is not None:
            fault = element.fault
            line = json.line_of(fault.at)
            self.entries.append(fault.error().issue(line=line, locator=locator))
            return
        try:
            self._add_draft(self._draft(element, json=json, locator=locator))
        except RecordError as fault:
            line = json.line_of(json.offset_of(fault.field, element))
            self.entries.append(fault.issue(line=line, locator=locator))

    def found(self, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what was taken, with its scene and flags."""
        scenes = {
            key: ImportedScene(name=key[1], views=tuple(views[name] for name in sorted(views)))
            for key, views in self._views.items()
        }
        # A partner may have come with another file.
        names = {key: views.keys() | context.views_of(*key) for key, views in self._views.items()}
        for entry in self.entries:
            if isinstance(entry, ImportIssue):
                yield entry
                continue
            found = find_contradictions(entry.label, views=names[entry.scene_key])
            yield ImportedRecord(
                record=entry.label,
                line=entry.line,
                dataset=entry.dataset,
                media=(entry.medium,),
                scene=scenes[entry.scene_key],
                flags=(*entry.flags, *self._annotated_twice(entry), *map(_flag_of, found)),
            )

    def _draft(self, element: JsonElement, *, json: JsonText, locator: str) -> _DraftLabel:
        fields = RecordFields(element.value, mapping=self.mapping)
        image = fields.required_text("img1")
        if len(image) > LONGEST_PATH:
            raise RecordError("img1", f"It has more than {LONGEST_PATH} characters.")
        form, name = read_form(fields), read_image_name(image)
        if name.changes:
            note = FieldCorrection(
                field="medium", original=image, value=name.name, reason="; ".join(name.changes)
            )
            form.corrections.insert(0, note)
        label = form.label(
            view=name.view,
            locator=locator,
            original=msgspec.Raw(element.original),
            corrections=tuple(form.corrections),
            import_key=self._keys.key_of(element.original),
        )
        return _DraftLabel(
            label=label,
            image=image,
            name=name,
            dataset=self.dataset or name.dataset,
            line=json.line_of(element.start),
            flags=[*form.flags, *_name_flags(name)],
        )

    def _add_draft(self, draft: _DraftLabel) -> None:
        # The number of the copy decides the scene, so it comes before everything that asks for the scene.
        self._number_copy(draft)
        self._flag_repeated(draft, "annotation_id", number=draft.label.source_annotation)
        self._flag_repeated(draft, "task_id", number=draft.label.source_task)
        self._images[draft.image].append(draft)
        self._views[draft.scene_key].setdefault(draft.name.view, draft.medium)
        self.entries.append(draft)

    def _number_copy(self, draft: _DraftLabel) -> None:
        uploads = self._uploads[draft.dataset, draft.name.scene, draft.name.view]
        draft.copy = uploads.setdefault(draft.image, len(uploads) + 1)
        if draft.copy > 1:
            message = (
                f"'{draft.name.name}' was uploaded more than once; this is copy {draft.copy} of the image."
            )
            draft.flags.append(
                ImportedFlag(
                    kind="name_collides",
                    field="medium",
                    message=message,
                    severity="note",
                    evidence={"first": next(iter(uploads)), "this": draft.image},
                )
            )

    def _flag_repeated(self, draft: _DraftLabel, name: str, *, number: int | None) -> None:
        if number is None:
            return
        first = self._seen.setdefault((name, number), draft.label.locator)
        if first != draft.label.locator:
            text = name.replace("_", " ")
            draft.flags.append(
                ImportedFlag(
                    kind=f"{name}_repeated",
                    field="source_annotation" if name == "annotation_id" else "source_task",
                    message=f"The {text} {number} already belongs to {first}.",
                    severity="note",
                    evidence={"first": first},
                )
            )

    def _annotated_twice(self, draft: _DraftLabel) -> list[ImportedFlag]:
        """Return the flag of an image with several annotations, once per image: with its second one."""
        drafts = self._images[draft.image]
        if len(drafts) < 2 or drafts[1] is not draft:
            return []
        records = [other.label.locator for other in drafts]
        return [
            ImportedFlag(
                kind="annotated_twice",
                message=f"'{draft.name.name}' has {len(drafts)} annotations: {', '.join(records)}.",
                severity="error",
                on="medium",
                evidence={"records": records, "lines": [other.line for other in drafts]},
            )
        ]


def _flag_of(found: Contradiction) -> ImportedFlag:
    return ImportedFlag(kind=found.kind, message=found.message, field=found.field, severity=found.severity)


def _name_flags(name: AircopImageName) -> Iterator[ImportedFlag]:
    if not name.view:
        message = f"The name '{name.name}' does not contain the UAV of the image."
        yield ImportedFlag(kind="view_unknown", field="view", message=message, severity="note")
    if name.is_percent_encoded:
        message = f"The name of '{name.name}' is percent-encoded."
        yield ImportedFlag(kind="name_percent_encoded", field="medium", message=message, severity="note")
