"""The pictures that AirCopBench's questions show: by view, with the scene and dataset that they tell."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain.record import FieldCorrection
from annotator.importers.aircop_groups import view_of_key
from annotator.importers.aircop_names import DATASETS, AircopImageName, read_image_name
from annotator.importers.imported_record import ImportedMedium, ImportedScene
from annotator.importers.media_paths import LONGEST_PATH
from annotator.importers.record_fields import RecordError, RecordFields


class QuestionImages(msgspec.Struct, frozen=True):
    """The images of a question.

    Attributes:
        media: The images.
        dataset: The dataset according to folders or names, "" if unknown.
        scene: Their scene, None without images.
        notes: Corrections made to obtain their names.
    """

    media: tuple[ImportedMedium, ...]
    dataset: str
    scene: ImportedScene | None
    notes: tuple[FieldCorrection, ...]


class AircopImages:
    """The pictures of one file; those that many questions show are looked at once."""

    def __init__(self, *, field: str) -> None:
        """Store the name of their field in the file."""
        self._field = field
        self._known: dict[tuple[object, ...], QuestionImages] = {}

    def shown(
        self, paths: Mapping[str, str], *, stated: object = None, fields: RecordFields
    ) -> QuestionImages:
        """Return what a question shows.

        Args:
            paths: Path by a name of the view.
            stated: Name of the scene where the file tells one.
            fields: Takes the notes of what was changed.

        Raises:
            RecordError: A path is too long to be one.
        """
        name = stated if isinstance(stated, str) else ""
        # Looked up by the very paths: groups of questions repeat them.
        known = (name, *paths.items())
        shown = self._known.get(known)
        if shown is None:
            shown = self._known[known] = self._read_images(paths, stated=name)
        fields.corrections += shown.notes
        return shown

    def _read_images(self, paths: Mapping[str, str], *, stated: str) -> QuestionImages:
        fields = RecordFields({})
        images = read_images(paths, field=self._field, fields=fields)
        media = tuple([ImportedMedium(name=i.name, path=i.path, view=view) for view, i in images.items()])
        scene = scene_of(images, media, stated=stated)
        return QuestionImages(media, dataset_of_images(images), scene, tuple(fields.corrections))


def read_images(paths: Mapping[str, str], *, field: str, fields: RecordFields) -> dict[str, AircopImageName]:
    """Return the images of the views.

    Args:
        paths: Path by name of the view: ``UAV1``, ``uav1``.
        field: Name of their field in the file.
        fields: Receives the corrections.

    Raises:
        RecordError: A path is too long.
    """
    images = {}
    for key, path in paths.items():
        if len(path) > LONGEST_PATH:
            raise RecordError(f"{field}.{key}", f"It has more than {LONGEST_PATH} characters.")
        image = read_image_name(path)
        if image.changes:
            fields.note("media", original=path, value=image.name, reason="; ".join(image.changes))
        images[view_of_key(key)] = image
    return images


def dataset_of_images(images: Mapping[str, AircopImageName]) -> str:
    """Return the dataset that the first folder of a path names, else that of the names' shape."""
    for image in images.values():
        first = image.path.partition("/")[0]
        if dataset := first if first in DATASETS else image.dataset:
            return dataset
    return ""


def scene_of(
    images: Mapping[str, AircopImageName], media: tuple[ImportedMedium, ...], *, stated: str = ""
) -> ImportedScene | None:
    """Return the scene of pictures, under the name stated where their own names differ."""
    scenes = list(dict.fromkeys(image.scene for image in images.values()))
    if not scenes:
        return None
    # Different names and a stated one: the file knows better what they share.
    name = stated if len(scenes) > 1 and stated else scenes[0]
    return ImportedScene(name=name, views=tuple(sorted(media, key=lambda medium: medium.view)))
