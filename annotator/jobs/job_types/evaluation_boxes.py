"""The units in which a model is asked for a box and is told boxes: those that it knows of its images.

Its answer is scaled back to the original image.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.answers.boxes_in_text import (
    BOX_FORMAT,
    BoxesInText,
    find_boxes,
    names_boxes,
    rescale_boxes,
)
from annotator.domain.eval_settings import EvalSettings
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.jobs.job_types.evaluation_images import sent_size
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

WHOLE = {"thousandths": 1000.0, "thousandths-yx": 1000.0, "fractions": 1.0, "fractions-square": 1.0}


def box_scale(
    item: Item,
    profile: ModelProfile,
    settings: EvalSettings,
    *,
    sent: Sequence[str],
    reader: Reader,
    records: ReleasedRecords | None,
) -> BoxScale | None:
    """Return the scale of a model's box, None where it answers in pixels of the image, or in no box.

    Args:
        item: The item.
        profile: The model.
        settings: Settings of the run.
        sent: Ids of the media that are sent: one view alone, or those of another scene.
        reader: The project.
        records: Media as they were released, None for the present ones.
    """
    if item.answer_format != BOX_FORMAT or settings.visual_input == "blind" or not item.media:
        return None
    # For a pair of images, boxes refer to the second one, as in ``quality.context.answer_context``.
    image, shown = (_size(medium, reader=reader, records=records) for medium in (item.media[-1], sent[-1]))
    return _scale(profile, settings, image=image, shown=shown) if image and shown else None


def with_known_boxes(
    item: Item,
    profile: ModelProfile,
    settings: EvalSettings,
    *,
    reader: Reader,
    records: ReleasedRecords | None,
) -> Item:
    """Return an item with the boxes of its question and options in the unit of the model.

    Images of an item can have several sizes, and its text may not say which one a box is in. The boxes
    stay as they are then, and the question says how large the original images are. The same where a group of
    four numbers may be something else, or the unit is too coarse. If no group is a box, nothing is said.

    Args:
        item: The item.
        profile: The model.
        settings: Settings of the run.
        reader: The project.
        records: Media as they were released, None for the present ones.
    """
    if settings.visual_input == "blind" or not item.media or not names_boxes(item):
        return item
    sizes = [_size(medium, reader=reader, records=records) for medium in item.media]
    known = [size for size in sizes if size]
    return item if len(known) < len(sizes) else _with_boxes_in_unit(item, profile, settings, sizes=known)


def _with_boxes_in_unit(
    item: Item, profile: ModelProfile, settings: EvalSettings, *, sizes: list[tuple[int, int]]
) -> Item:
    scales = [_scale(profile, settings, image=size, shown=size) for size in sizes]
    found = {find_boxes(item, size) for size in sizes}
    if not any(scales) or found == {BoxesInText.NONE}:
        return item
    is_plain = len(set(sizes)) == 1 and found == {BoxesInText.ALL}
    rescaled = rescale_boxes(item, scales[0]) if is_plain and scales[0] else None
    return rescaled or _with_sizes(item, sizes)


def _with_sizes(item: Item, sizes: list[tuple[int, int]]) -> Item:
    listed = ", ".join(
        f"image {index} is {width} x {height} pixels" for index, (width, height) in enumerate(sizes, start=1)
    )
    prompt = f"Boxes in this question are given in pixels of the originals: {listed}"
    return msgspec.structs.replace(item, question=f"{item.question.rstrip()}\n{prompt}")


def _size(medium: str, *, reader: Reader, records: ReleasedRecords | None) -> tuple[int, int] | None:
    found = reader.get(Medium, medium) if records is None else records.get(Medium, medium)
    if found is None or not found.width_px or not found.height_px:
        return None
    return found.width_px, found.height_px


def _scale(
    profile: ModelProfile, settings: EvalSettings, *, image: tuple[int, int], shown: tuple[int, int]
) -> BoxScale | None:
    unit = profile.boxes
    # A run of a version that did not state units asked for pixels of the image itself.
    if not unit:
        return None
    if unit in WHOLE:
        whole = WHOLE[unit]
        return BoxScale(
            width=whole,
            height=whole,
            image_px=image,
            is_row_first=unit.endswith("yx"),
            is_padded=unit.endswith("square"),
        )
    visuals = settings.input.visuals_of(profile.stated_visuals)
    width, height = sent_size(*shown, longest_px=visuals.longest_px)
    if grid := profile.grid_px:
        width, height = (max(1, round(side / grid)) * grid for side in (width, height))
    if (width, height) == image:
        return None
    return BoxScale(width=width, height=height, image_px=image)
