"""The versions of a field that a reviewer chooses between: of two workstations, or of several persons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.commands.label_decisions import KIND, labels_beside
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.rows import Fork
from annotator.quality.label_differences import differing_fields
from annotator.queries.own_labels import persons_of
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.field_text import stored_value_text
from widgets.library.label_table import ANSWER_TEXTS
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class Version:
    """One value of a field.

    Attributes:
        id: Id of the event that set it, or of the label that has it.
        who: Name of the person.
        note: When, or how long the person worked on the label; "" if nothing is known.
        text: The value, as people read it.
    """

    id: str
    who: str
    note: str
    text: str


@dataclass(frozen=True, kw_only=True)
class FieldVersions:
    """A field with its versions.

    Attributes:
        entity_id: Id of the record.
        field: Name of the field.
        versions: The versions.
    """

    entity_id: str
    field: str
    versions: tuple[Version, ...]


@dataclass(frozen=True, kw_only=True)
class DifferingLabels:
    """The event labels that several persons gave one view.

    Attributes:
        labels: The labels.
        persons: The name of the person of each, "" for an unknown one.
        fields: The fields whose answers differ.
    """

    labels: tuple[EventLabel, ...]
    persons: tuple[str, ...]
    fields: tuple[str, ...]


def read_differing_labels(reader: Reader, label: EventLabel, flags: Sequence[Flag]) -> DifferingLabels | None:
    """Return the labels between which a reviewer has to decide, None where no open flag says so.

    Args:
        reader: The project.
        label: The label of the case.
        flags: Its open flags.
    """
    labels = labels_beside(reader, label)
    if len(labels) < 2 or all(flag.kind != KIND for flag in flags):
        return None
    return DifferingLabels(
        labels=tuple(labels),
        persons=persons_of(reader, labels),
        fields=tuple(differing_fields(labels)),
    )


def fork_versions(forks: Sequence[Fork]) -> list[FieldVersions]:
    """Return forked fields with the values of the workstations."""
    return [
        FieldVersions(
            entity_id=fork.entity_id,
            field=fork.field,
            versions=tuple(
                Version(
                    id=value.event,
                    who=value.actor,
                    note=display_text.local_time(value.wall_time),
                    text=stored_value_text(fork.field, value.value),
                )
                for value in fork.values
            ),
        )
        for fork in forks
    ]


def label_versions(differing: DifferingLabels) -> list[FieldVersions]:
    """Return the differing fields of labels with the answers of their persons."""
    return [
        FieldVersions(
            entity_id=differing.labels[0].id,
            field=field,
            versions=tuple(
                Version(
                    id=label.id,
                    who=who,
                    note=_time(label),
                    text=ANSWER_TEXTS[field](label),
                )
                for label, who in zip(differing.labels, differing.persons, strict=True)
            ),
        )
        for field in differing.fields
    ]


def _time(label: EventLabel) -> str:
    seconds = label.active_time_s or label.lead_time_s or 0.0
    return tr("{seconds} s", seconds=f"{seconds:,.0f}") if seconds else ""
