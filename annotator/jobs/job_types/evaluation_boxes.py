"""The scale in which a model is asked for a box, so that its answer can be scaled back to the image."""

from __future__ import annotations

from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.eval_settings import EvalSettings
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.jobs.job_types.evaluation_images import sent_size
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

FORMAT = "bbox"
WHOLE = {"thousandths": 1000.0, "thousandths-yx": 1000.0, "fractions": 1.0}


def box_scale(
    item: Item,
    profile: ModelProfile,
    settings: EvalSettings,
    *,
    reader: Reader,
    records: ReleasedRecords | None,
) -> BoxScale | None:
    """Return the scale of a model's box, None where it answers in pixels of the image, or in no box.

    Args:
        item: The item.
        profile: The model.
        settings: Settings of the run.
        reader: The project.
        records: Media as they were released, None for the present ones.
    """
    if item.answer_format != FORMAT or settings.visual_input == "blind" or not item.media:
        return None
    # For a pair of images, boxes refer to the second one, as in ``quality.context.answer_context``.
    last = item.media[-1]
    medium = reader.get(Medium, last) if records is None else records.get(Medium, last)
    if medium is None or not medium.width_px or not medium.height_px:
        return None
    image = medium.width_px, medium.height_px
    unit = profile.boxes
    # A run of a version that did not state units asked for pixels of the image itself.
    if not unit:
        return None
    if unit in WHOLE:
        whole = WHOLE[unit]
        return BoxScale(width=whole, height=whole, image_px=image, is_row_first=unit.endswith("yx"))
    visuals = settings.input.visuals_of(profile.stated_visuals)
    width, height = sent_size(*image, longest_px=visuals.longest_px)
    if grid := profile.grid_px:
        width, height = (max(1, round(side / grid)) * grid for side in (width, height))
    if (width, height) == image:
        return None
    return BoxScale(width=width, height=height, image_px=image)
