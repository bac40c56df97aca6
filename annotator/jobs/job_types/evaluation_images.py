"""The pictures of a sighted question: which media, drawn how, how many, how large, under which labels."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.eval_settings import CANDIDATES, EvalSettings
from annotator.domain.item import LETTERS, Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.profile import VisualSettings
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.open_media import open_media
from annotator.media.image_decoder import encode_jpeg, encode_png
from annotator.media.model_images import NO_OVERLAY, RENDERER, FrameSelection, ModelImageFrame
from annotator.media.render import RENDERINGS, Overlay, Rendering
from annotator.model_api import ModelImage
from annotator.store.overlay_query import read_overlay
from annotator.store.reader import Reader

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

PIXELS_PER_TOKEN = 28 * 28
"""Source: Qwen2-VL (arXiv 2409.12191) 2.1, one token per 28 x 28 pixels without an upper bound: of the
published ways to count the one that gives the most."""
UNKNOWN_PICTURE_TOKENS = 11_000
"""Tokens of an image of unknown size: those of a 4K image, so that no limit of cost is exceeded."""
REMEMBERED = 4_096
"""Media of a plan: items of one medium mostly come one after the other."""


def rendering_of(task: Task | None, settings: EvalSettings) -> Rendering:
    """Return what is drawn into the pictures of a task's items."""
    if settings.rendering:
        return settings.rendering
    return RENDERINGS.get(task.visual_input, "clean") if task else "clean"


class ImageDigests:
    """Properties of media that determine the images of items, cached per medium for plans of many jobs.

    Args:
        reader: The project.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.medium = lru_cache(REMEMBERED)(self._medium)
        self._digest = lru_cache(REMEMBERED)(self._media_digest)

    def decides(self, item: Item, *, rendering: Rendering, visuals: VisualSettings) -> list[object]:
        """Return what of an item's media decides their pictures, for the key of a job."""
        media = [self._digest(medium, rendering) for medium in item.media]
        return [RENDERER, rendering, msgspec.to_builtins(visuals), media]

    def tokens(self, item: Item, *, visuals: VisualSettings) -> int:
        """Return the maximum number of tokens of an item's images."""
        return sum(_tokens(self.medium(medium), visuals) for medium in item.media)

    def _medium(self, medium: str) -> Medium | None:
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
    visuals: VisualSettings,
    task: Task | None,
    frames: FrameSelection | None = None,
) -> Iterator[ModelImage]:
    """Yield the encoded images of an item in order, as they are sent to a model.

    Args:
        item: The item.
        worker_context: The project and its media.
        rendering: The overlays drawn into the images.
        visuals: Number, size and encoding of the images.
        task: The item's task, None if unknown.
        frames: Frames of videos; None for those of ``visuals``.

    Raises:
        UserError: A medium does not exist, or its file is missing, damaged or changed since it was recorded.
        EnvironmentFailure: A file cannot be read.
        Cancelled: The worker is being stopped.
    """
    media = [_existing(worker_context.reader, medium) for medium in item.media]
    labels = _labels(item, media, reader=worker_context.reader, task=task)
    for medium, label in zip(media, labels, strict=True):
        marks = NO_OVERLAY if rendering == "clean" else read_overlay(worker_context.reader, medium=medium.id)
        visible = open_media().pictures(
            medium,
            file=worker_context.roots.file_of(medium.path or medium.name),
            marks=marks,
            rendering=rendering,
            frames=frames or frames_wanted(medium, visuals),
        )
        for count, visual in enumerate(visible, start=1):
            # A video that was not probed yet may be longer than its record says. More images than the plan
            # has priced would exceed the limits of cost.
            if frames is None and count > visuals.frames:
                break
            yield _picture(visual, label=label, visuals=visuals)


def frames_wanted(medium: Medium, visuals: VisualSettings) -> FrameSelection:
    """Return the frames of a video that are sent to a model.

    With a rate: one every 1/fps seconds, if the duration is known and this gives at most the allowed number.
    Otherwise the allowed number of frames, evenly spaced.
    """
    if visuals.fps > 0 and 0 < medium.duration_s * visuals.fps < visuals.frames:
        return FrameSelection(every_s=1.0 / visuals.fps)
    return FrameSelection(most=visuals.frames)


def _labels(item: Item, media: list[Medium], *, reader: Reader, task: Task | None) -> list[str]:
    if task is not None and task.visual_input == CANDIDATES and len(media) > 1:
        return ["Query", *(f"Candidate {LETTERS[place]}" for place in range(len(media) - 1))]
    scene = reader.get(Scene, item.scene) if item.scene else None
    views = {view.medium: view.name for view in scene.views if view.name} if scene is not None else {}
    if len(media) == 1:
        return [views.get(media[0].id, "")]
    return [views.get(medium.id, f"Image {index}") for index, medium in enumerate(media, start=1)]


def _picture(visual: ModelImageFrame, *, label: str, visuals: VisualSettings) -> ModelImage:
    shrunk = _shrunk(visual.picture, longest_px=visuals.longest_px)
    if visual.time_s is not None:
        label = f"{label}, {visual.time_s:.1f} s".removeprefix(", ")
    if visuals.coding == "png":
        return ModelImage(data=encode_png(shrunk), media_type="image/png", label=label)
    return ModelImage(data=encode_jpeg(shrunk, quality=visuals.quality), media_type="image/jpeg", label=label)


def _shrunk(picture: Rgb, *, longest_px: int) -> Rgb:
    height, width = picture.shape[:2]
    if not longest_px or max(height, width) <= longest_px:
        return picture
    import cv2

    share = longest_px / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    # INTER_AREA means over all pixels: small targets fade, but do not vanish between samples.
    smaller: Rgb = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype("uint8")
    return smaller


def _tokens(medium: Medium | None, visuals: VisualSettings) -> int:
    frames = visuals.frames if medium is not None and medium.media_type in VIDEO_TYPES else 1
    if medium is None or not medium.width_px or not medium.height_px:
        return UNKNOWN_PICTURE_TOKENS * frames
    longest = max(medium.width_px, medium.height_px)
    share = min(1.0, visuals.longest_px / longest) if visuals.longest_px else 1.0
    return frames * math.ceil(medium.width_px * medium.height_px * share * share / PIXELS_PER_TOKEN)


def _marks_digest(marks: Overlay) -> str:
    """Return a digest of what is drawn of marks; the hidden categories and the sources do not matter."""
    parts = (
        [(region.id, region.number, region.frame, region.box, region.polygon) for region in marks.regions],
        [(link.kind, link.regions) for link in marks.links],
        [(path.frame, path.points, path.label) for path in marks.drawn_paths],
    )
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _existing(reader: Reader, medium: str) -> Medium:
    found = reader.get(Medium, medium)
    if found is None:
        raise UserError(f"A medium of the item is not in the project: {medium}.")
    return found
