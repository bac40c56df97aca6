"""What readers of questions share: names, media and tasks of items."""

from __future__ import annotations

from annotator.domain.medium import MediaType
from annotator.domain.task_set import Task, TaskSet
from annotator.importers.imported_record import ImportedFlag, ImportedMedium
from annotator.importers.media_paths import LONGEST_PATH, read_path
from annotator.importers.record_fields import RecordError, RecordFields


class ItemNames:
    """Public ids of one file's items: tells repeated ones, and makes up those that are missing."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def name_of(
        self, text: str | None, *, made_up: str, locator: str, fields: RecordFields
    ) -> tuple[str, list[ImportedFlag]]:
        """Return an item's name and what is wrong with it.

        Args:
            text: As it came.
            made_up: The name where there is none.
            locator: Which record of the file it is.
            fields: Takes the note of what was changed.
        """
        name, flags = (text or "").strip(), []
        if not name:
            name = made_up
            fields.note("name", original=text, value=name, reason="the record has no id")
            flags.append(ImportedFlag(kind="id_missing", field="name", message="The record has no id."))
        first = self._first.setdefault(name, locator)
        if first != locator:
            message = f"The id '{name}' already belongs to {first}."
            evidence = {"first": first}
            flags.append(
                ImportedFlag(
                    kind="duplicate_id", field="name", message=message, severity="error", evidence=evidence
                )
            )
        return name, flags


def medium_of(
    text: str, *, field: str, view: str = "", kind: MediaType = "image", fields: RecordFields
) -> ImportedMedium:
    """Return the medium that a path names, under the path, or a refused one as it came, as its name.

    Raises:
        RecordError: The path is too long to be one.
    """
    if len(text) > LONGEST_PATH:
        raise RecordError(field, f"It has more than {LONGEST_PATH} characters.")
    hint = read_path(text)
    if hint.refused:
        fields.note("media", original=text, value="", reason=hint.refused)
    return ImportedMedium(name=hint.path or text, path=hint.path, view=view, kind=kind)


def task_flags(task: Task | None, *, text: str, task_set: TaskSet) -> list[ImportedFlag]:
    """Return the flag of a task that the set does not know."""
    if task is not None:
        return []
    message = f"'{text}' is not a task of {task_set.title.en}."
    return [ImportedFlag(kind="task_unknown", field="task", message=message)]
