"""An event label: the answers of the collaboration form for one view of a scene.

Source: AirCopBench, the union of the choice lists in its four annotation files.
The value lists with their published spellings are data: ``resources/tasksets/aircop.toml``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject

LabelState = Literal["imported", "open", "finished"]
"""How far the work of a person on a label is; an imported one is complete as its source has it."""


class PercentBox(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A box in Label Studio's form: percent of the image, rotated about its top-left corner.

    Attributes:
        x: Left edge before rotation, percent of the width, 0..100.
        y: Top edge before rotation, percent of the height, 0..100.
        width: Percent of the image width.
        height: Percent of the image height.
        rotation: Degrees clockwise about (x, y).
        labels: Value ids (``occluded``, ``too_small``, ``out_of_fov``, ``under_shadow``,
            ``more_information``), or the original text if it is not in the list.
        image_width_px: Width of the annotated image.
        image_height_px: Height of the annotated image.
    """

    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0
    labels: tuple[str, ...] = ()
    image_width_px: int = 0
    image_height_px: int = 0


class ObjectCount(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A number of objects given by a person.

    Attributes:
        value: The number, None if the text contains none.
        approximate: True for "around 60".
    """

    value: int | None = None
    approximate: bool = False


class EventLabel(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One completed form. None means 'not answered', an empty tuple means 'answered: none'.

    Attributes:
        scene: Id of the scene.
        view: Name of the view, "" if unknown.
        medium: Id of the medium.
        quality: 1 (very poor) to 5 (excellent).
        usable: Whether the image is usable at all.
        object_types: Value ids (``vehicles`` …).
        count: Number of objects.
        degradations: Value ids (``occlusion`` …) or the original text.
        other_degradation: Free text for ``others``.
        issue_boxes: Regions in which perception is difficult.
        when: Whether this view needs another one.
        what_boxes: Regions that need more information.
        who: Names of the views that could help.
        why: Value ids of the reasons (``occlusion`` …) or the original text.
        state: ``imported``, ``open`` (a person works on it) or ``finished``.
        copied: Names of fields that were copied from another label or proposed by rule, and are not confirmed
            yet.
        carried_from: Id of the label of an annotated frame whose answers were carried to this frame.
        active_time_s: Seconds that persons worked on it here, without idle time; ``lead_time_s`` is the time
            that the source states.
        decided_from: Ids of the labels between which a reviewer decided, () for a label that was not decided.
        annotator: Name of the annotator in the source.
        source_task: Task id in the source (Label Studio ``id``).
        source_annotation: Annotation id in the source; not unique in the published files.
        created_at: ISO 8601 time in the source.
        updated_at: ISO 8601 time in the source.
        lead_time_s: Working time in seconds.
        source: Id of the imported file.
        locator: Position in that file: "record 17".
        original: The original record as unchanged JSON.
        corrections: Changes made by the importer.
        import_key: Digest of the original record, by which a second import recognises it.
    """

    scene: str = ""
    view: str = ""
    medium: str = ""
    quality: int | None = None
    usable: bool | None = None
    object_types: tuple[str, ...] | None = None
    count: ObjectCount | None = None
    degradations: tuple[str, ...] | None = None
    other_degradation: str | None = None
    issue_boxes: tuple[PercentBox, ...] | None = None
    when: bool | None = None
    what_boxes: tuple[PercentBox, ...] | None = None
    who: tuple[str, ...] | None = None
    why: tuple[str, ...] | None = None
    state: LabelState = "imported"
    copied: tuple[str, ...] = ()
    carried_from: str = ""
    active_time_s: float = 0.0
    decided_from: tuple[str, ...] = ()
    annotator: str = ""
    source_task: int | None = None
    source_annotation: int | None = None
    created_at: str = ""
    updated_at: str = ""
    lead_time_s: float | None = None
    source: str = ""
    locator: str = ""
    original: msgspec.Raw = msgspec.Raw(b"null")
    corrections: tuple[FieldCorrection, ...] = ()
    import_key: str = ""

    table = Table(
        entity="event_label",
        columns=(
            Column(name="scene", value=lambda r: r.scene),
            Column(name="medium", value=lambda r: r.medium),
            Column(name="source", value=lambda r: r.source),
            Column(name="import_key", value=lambda r: r.import_key or None),
        ),
        indexes=(("scene", "removed", "medium"), ("medium", "n"), ("import_key",)),
    )
