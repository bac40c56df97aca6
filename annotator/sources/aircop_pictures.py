"""The pictures that AirCopBench's questions show: by view, with the scene and dataset that they tell."""

from __future__ import annotations

from collections.abc import Mapping

from annotator.sources.aircop_groups import view_of_key
from annotator.sources.aircop_names import DATASETS, ImageName, read_image_name
from annotator.sources.fields import Fields, RecordFault
from annotator.sources.found import FoundMedium, FoundScene
from annotator.sources.media_paths import LONGEST_PATH


def read_images(paths: Mapping[str, str], *, field: str, fields: Fields) -> dict[str, ImageName]:
    """Return pictures by view.

    Args:
        paths: Path by a name of the view: ``UAV1``, ``uav1``.
        field: Where they stand, in the file's words.
        fields: Takes the notes of what was changed.

    Raises:
        RecordFault: A path is too long to be one.
    """
    images = {}
    for key, path in paths.items():
        if len(path) > LONGEST_PATH:
            raise RecordFault(f"{field}.{key}", f"It has more than {LONGEST_PATH} characters.")
        image = read_image_name(path)
        if image.changes:
            fields.note("media", original=path, value=image.name, reason="; ".join(image.changes))
        images[view_of_key(key)] = image
    return images


def dataset_of_images(images: Mapping[str, ImageName]) -> str:
    """Return the dataset that the first folder of a path names, else that of the names' shape."""
    for image in images.values():
        first = image.path.partition("/")[0]
        if dataset := first if first in DATASETS else image.dataset:
            return dataset
    return ""


def scene_of(
    images: Mapping[str, ImageName], media: tuple[FoundMedium, ...], *, stated: object = None
) -> FoundScene | None:
    """Return the scene of pictures, under the name stated where their own names differ."""
    scenes = list(dict.fromkeys(image.scene for image in images.values()))
    if not scenes:
        return None
    name = stated if len(scenes) > 1 and isinstance(stated, str) and stated else scenes[0]
    return FoundScene(name=name, views=tuple(sorted(media, key=lambda medium: medium.view)))
