"""The pictures of a sighted question: which media, drawn how, how many, how large, under which labels."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.eval_settings import CANDIDATES, EvalSettings, EvaluationInput
from annotator.domain.input_variants import Variants
from annotator.domain.item import LETTERS, Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.prompt_tokens import LABEL_TOKENS, image_tokens
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types.evaluation_input import ItemInput, drawn_for, whole_input
from annotator.jobs.open_media import file_for_job, open_media
from annotator.jobs.release_folders import folder_of
from annotator.media.image_decoder import encode_jpeg, encode_png
from annotator.media.model_images import NO_OVERLAY, RENDERER, FrameSelection, ModelImageFrame
from annotator.media.render import Overlay, Rendering
from annotator.model_api import ModelImage
from annotator.queries.overlay_query import read_overlay
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader
from annotator.release.released_pictures import ReleasedPictures, open_pictures

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

REMEMBERED = 4_096
"""Media of a plan: items of one medium mostly come one after the other."""


@dataclass(frozen=True, kw_only=True)
class ReleaseSource:
    """Where an evaluation of a release takes items and images from.

    Attributes:
        records: Items and media as they were released.
        pictures: The images of the release folder, None for images of the media files.
    """

    records: ReleasedRecords
    pictures: ReleasedPictures | None

    def has_images(self, item: Item) -> bool:
        """Return whether there is an image of each medium of an item, as far as the release has images."""
        if self.pictures is None:
            return True
        media = (self.records.get_fast(Medium, medium) for medium in item.media)
        return all(medium is not None and self.pictures.holds(medium) for medium in media)


def release_source(given: EvaluationInput, worker_context: WorkerContext) -> ReleaseSource | None:
    """Return the source of a run's items and images, None where the run is about the present items.

    Raises:
        UserError: The release is not in the log, or its folder is not known on this machine.
    """
    if not given.release:
        return None
    pictures = None
    if given.release_images:
        if worker_context.settings is None:
            raise UserError("The images of a release require a folder of settings.")
        folder = folder_of(worker_context.settings, release=given.release)
        pictures = open_pictures(folder, given.release_images)
    return ReleaseSource(records=ReleasedRecords(worker_context.reader, given.release), pictures=pictures)


def rendering_of(task: Task | None, settings: EvalSettings) -> Rendering:
    """Return what is drawn into the pictures of a task's items."""
    if any(variant.hides_overlay for variant in settings.input.variants):
        return "clean"
    return drawn_for(task, settings)


@dataclass(frozen=True)
class ImageRecipient:
    """A model that images are made for.

    Attributes:
        profile: The model.
        visuals: Number, size and encoding of the images.
    """

    profile: ModelProfile
    visuals: VisualSettings

    def require_reserved(self, visual: ModelImageFrame, medium: Medium) -> ModelImageFrame:
        """Return an image, unless it is billed with more tokens than were reserved for it.

        Raises:
            UserError: The project states a smaller size of the medium than it has.
        """
        height_px, width_px = visual.picture.shape[:2]
        if not self.profile.is_priced or not medium.width_px or not medium.height_px:
            return visual
        if self._tokens(width_px, height_px) > self._tokens(medium.width_px, medium.height_px):
            raise UserError(
                f"{medium.name} has {width_px:,} x {height_px:,} pixels, more than the project states: "
                "the request could cost more than was reserved for it.",
                hint="Read the properties again with: media PROJECT survey. Then start a new run.",
            )
        return visual

    def _tokens(self, width_px: int, height_px: int) -> int:
        return _image_tokens(self.profile, sent_size(width_px, height_px, longest_px=self.visuals.longest_px))


class ImageDigests:
    """Properties of media that determine the images of items, cached per medium for plans of many jobs.

    Args:
        reader: The project.
        source: The released media and images, None for the present ones.
        variants: The differences of the images.
    """

    def __init__(
        self, reader: Reader, *, source: ReleaseSource | None = None, variants: Variants = ()
    ) -> None:
        self._reader, self._source = reader, source
        self._ablations: list[object] = [variant.decides for variant in variants if variant.ablates]
        self._has_one_frame = any(variant.ablates == "frames" for variant in variants)
        self.medium = lru_cache(REMEMBERED)(self._medium)
        self._digest = lru_cache(REMEMBERED)(self._media_digest)

    def decides(
        self,
        item: Item,
        *,
        rendering: Rendering,
        visuals: VisualSettings,
        given: ItemInput | None = None,
        task: Task | None = None,
    ) -> list[object]:
        """Return what of an item's media decides their pictures, for the key of a job.

        Args:
            item: The item.
            rendering: The overlays drawn into the images.
            visuals: Number, size and encoding of the images.
            given: What is sent of the item, None for all of it.
            task: The item's task, None if unknown.
        """
        given = given or whole_input(item)
        if self._source is not None and self._source.pictures is not None:
            rendering = "clean"
            media = [self._released_digest(medium, visuals) for medium in given.media]
        else:
            # With the regions, whose shapes decide what is grey, also where none is drawn.
            read: Rendering = "detected" if given.blanked else rendering
            media = [self._digest(medium, read) for medium in given.media]
        # Without a member where all is sent in order and no view has a name: keys of earlier runs stay.
        more = [*self._ablations, list(given.blanked)] if given.blanked else [*self._ablations]
        if labels := self._view_labels(item, task):
            more.append(labels)
        return [RENDERER, rendering, msgspec.to_builtins(visuals), media, *more]

    def _view_labels(self, item: Item, task: Task | None) -> list[str]:
        """Return the labels of an item's images if one of them names its view, none otherwise."""
        labels = _labels(item, reader=self._reader, task=task) if len(item.media) > 1 else []
        return labels if any("(" in label for label in labels) else []

    def _released_digest(self, medium: str, visuals: VisualSettings) -> list[str]:
        source = self._source
        known = self.medium(medium)
        if source is None or source.pictures is None or known is None:
            return [medium]
        return [entry.sha256 for entry in source.pictures.of(known, most=visuals.frames)]

    def tokens(
        self,
        item: Item,
        *,
        profile: ModelProfile,
        visuals: VisualSettings,
        given: ItemInput | None = None,
    ) -> int:
        """Return the maximum number of tokens of an item's images, or of those that are sent of it."""
        if self._has_one_frame:
            visuals = msgspec.structs.replace(visuals, frames=1)
        media = (given or whole_input(item)).media
        return sum(_tokens(self.medium(medium), profile, visuals) for medium in media)

    def _medium(self, medium: str) -> Medium | None:
        if self._source is not None:
            return self._source.records.get_fast(Medium, medium)
        return self._reader.get(Medium, medium)

    def _media_digest(self, medium: str, rendering: Rendering) -> list[str]:
        known = self.medium(medium)
        content = known.sha256 or f"{known.id} {known.path}" if known else medium
        if rendering == "clean":
            return [content]
        return [content, _marks_digest(read_overlay(self._reader, medium=medium))]


def item_images(
    item: Item,
    *,
    worker_context: WorkerContext,
    rendering: Rendering,
    recipient: ImageRecipient,
    task: Task | None,
    frames: FrameSelection | None = None,
    source: ReleaseSource | None = None,
    given: ItemInput | None = None,
) -> Iterator[ModelImage]:
    """Yield the encoded images of an item in order, as they are sent to a model.

    Args:
        item: The item.
        worker_context: The project and its media.
        rendering: The overlays drawn into the images.
        recipient: The model, and the number, size and encoding of the images that it gets.
        task: The item's task, None if unknown.
        frames: Frames of videos; None for those that the model gets.
        source: The released media and images, None for the present ones.
        given: What is sent of the item, None for all of it.

    Raises:
        UserError: A medium does not exist, its file is missing, damaged or changed since it was recorded, or
            its images cost more than was reserved.
        EnvironmentFailure: A file cannot be read.
        Cancelled: The worker is being stopped.
    """
    given, visuals = given or whole_input(item), recipient.visuals
    media = [_existing(worker_context.reader, medium, source=source) for medium in given.media]
    all_labels = _labels(item, reader=worker_context.reader, task=task)
    labels = [all_labels[index] for index in given.indices]
    for medium, label in zip(media, labels, strict=True):
        if source is not None and source.pictures is not None:
            visible = _released_frames(medium, source.pictures, most=visuals.frames)
        else:
            visible = open_media().pictures(
                medium,
                file=file_for_job(medium, roots=worker_context.roots),
                marks=_overlay(worker_context.reader, medium, rendering=rendering, blanked=given.blanked),
                rendering=rendering,
                frames=frames or frames_wanted(medium, visuals),
            )
        # A video that was not probed yet may be longer than its record says. More images than the plan has
        # priced would exceed the limits of cost.
        shown = islice(visible, visuals.frames) if frames is None else visible
        reserved = (recipient.require_reserved(visual, medium) for visual in shown)
        made = (_picture(visual, label=label, visuals=visuals) for visual in reserved)
        yield from _arranged(made, given.variants, seed=f"{item.id} {medium.id}")


def _released_frames(medium: Medium, pictures: ReleasedPictures, *, most: int) -> Iterator[ModelImageFrame]:
    entries = pictures.of(medium, most=most)
    return (pictures.read(entry, medium) for entry in entries)


def _arranged(frames: Iterator[ModelImage], variants: Variants, *, seed: str) -> Iterator[ModelImage]:
    """Yield the images of one medium in the order of the variants, with the labels in order of time."""
    if not any(variant.ablates in {"frames", "order"} for variant in variants):
        yield from frames
        return
    in_time = list(frames)
    for variant in variants:
        in_time = variant.selected(in_time)
    arranged = in_time
    for variant in variants:
        arranged = variant.arranged(arranged, seed=seed)
    # The label of the place, not of the image: the times would tell the model the true order.
    for location, image in zip(in_time, arranged, strict=True):
        yield msgspec.structs.replace(image, label=location.label)


def frames_wanted(medium: Medium, visuals: VisualSettings) -> FrameSelection:
    """Return the frames of a video that are sent to a model.

    With a rate: one every 1/fps seconds, if the duration is known and this gives at most the allowed number.
    Otherwise the allowed number of frames, evenly spaced.
    """
    if visuals.fps > 0 and 0 < medium.duration_s * visuals.fps < visuals.frames:
        return FrameSelection(every_s=1.0 / visuals.fps)
    return FrameSelection(most=visuals.frames)


def _overlay(reader: Reader, medium: Medium, *, rendering: Rendering, blanked: Sequence[str]) -> Overlay:
    if rendering == "clean" and not blanked:
        return NO_OVERLAY
    return replace(read_overlay(reader, medium=medium.id), blanked=frozenset(blanked))


def _labels(item: Item, *, reader: Reader, task: Task | None) -> list[str]:
    media = item.media
    if task is not None and task.visual_input == CANDIDATES and len(media) > 1:
        return ["Query", *(f"Candidate {LETTERS[index]}" for index in range(len(media) - 1))]
    names = _view_names(item, reader=reader)
    if len(media) == 1:
        return names
    # Questions call an image by its place or by its view, whichever its task set has.
    return [
        f"Image {index} ({name})" if name else f"Image {index}" for index, name in enumerate(names, start=1)
    ]


def _view_names(item: Item, *, reader: Reader) -> list[str]:
    """Return the names of the views of an item's media, "" for none."""
    scene = reader.get(Scene, item.scene) if item.scene else None
    views = {view.medium: view.name for view in scene.views} if scene is not None else {}
    return [views.get(medium, "") for medium in item.media]


def _picture(visual: ModelImageFrame, *, label: str, visuals: VisualSettings) -> ModelImage:
    shrunk = _shrunk(visual.picture, longest_px=visuals.longest_px)
    if visual.time_s is not None:
        label = f"{label}, {visual.time_s:.1f} s".removeprefix(", ")
    if visuals.coding == "png":
        return ModelImage(data=encode_png(shrunk), media_type="image/png", label=label)
    return ModelImage(data=encode_jpeg(shrunk, quality=visuals.quality), media_type="image/jpeg", label=label)


def sent_size(width_px: int, height_px: int, *, longest_px: int) -> tuple[int, int]:
    """Return the width and height of an image as it is sent, pixels."""
    if not longest_px or max(width_px, height_px) <= longest_px:
        return width_px, height_px
    share = longest_px / max(width_px, height_px)
    return max(1, round(width_px * share)), max(1, round(height_px * share))


def _shrunk(picture: Rgb, *, longest_px: int) -> Rgb:
    height, width = picture.shape[:2]
    size = sent_size(width, height, longest_px=longest_px)
    if size == (width, height):
        return picture
    import cv2

    # INTER_AREA means over all pixels: small targets fade, but do not vanish between samples.
    smaller: Rgb = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype("uint8")
    return smaller


def _tokens(medium: Medium | None, profile: ModelProfile, visuals: VisualSettings) -> int:
    frames = visuals.frames if medium is not None and medium.media_type in VIDEO_TYPES else 1
    width_px, height_px = _size(medium, longest_px=visuals.longest_px)
    return frames * (_image_tokens(profile, (width_px, height_px)) + LABEL_TOKENS)


def _image_tokens(profile: ModelProfile, size: tuple[int, int]) -> int:
    return image_tokens(profile.model, *size, detail=str(profile.options.get("picture_detail", "")))


def _size(medium: Medium | None, *, longest_px: int) -> tuple[int, int]:
    """Return the size of an image as it is sent, pixels; where it is unknown, the largest one."""
    if medium is None or not medium.width_px or not medium.height_px:
        return longest_px, longest_px
    share = min(1.0, longest_px / max(medium.width_px, medium.height_px)) if longest_px else 1.0
    return math.ceil(medium.width_px * share), math.ceil(medium.height_px * share)


def _marks_digest(marks: Overlay) -> str:
    """Return a digest of what is drawn of marks; the hidden categories and the sources do not matter."""
    parts = (
        [(region.id, region.number, region.frame, region.box, region.polygon) for region in marks.regions],
        [(link.kind, link.regions) for link in marks.links],
        [(path.frame, path.points, path.label) for path in marks.drawn_paths],
    )
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _existing(reader: Reader, medium: str, *, source: ReleaseSource | None) -> Medium:
    found = reader.get(Medium, medium) if source is None else source.records.get(Medium, medium)
    if found is None:
        raise UserError(f"A medium of the item is not in the project: {medium}.")
    return found
