"""What detection and depth have in common: the media of a run, the frames of videos, the files of models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.vision_settings import VisionSettings
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.model_weights import deciding
from annotator.jobs.open_media import file_for_job, open_media
from annotator.media.model_images import FrameSelection, open_medium_video
from annotator.media.video.sampling import evenly_spaced
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

PICTURED = frozenset({"image", "video", "frames", "map"})
"""Kinds of media that detectors and depth models look at."""


def media_of(worker_context: WorkerContext, settings: VisionSettings) -> Iterator[Medium]:
    """Yield the media that a run is about, in order of arrival or of the settings.

    Raises:
        UserError: One that was named shows no picture.
    """
    for record in worker_context.reader.records(Medium, ids=list(settings.media) or None):
        if settings.datasets and record.dataset not in settings.datasets:
            continue
        if record.media_type in PICTURED:
            yield record
        elif settings.media:
            raise UserError(f"{record.name} is a {record.media_type} and has no images to process.")


def frames_of(
    medium: Medium, *, settings: VisionSettings, worker_context: WorkerContext
) -> tuple[int | None, ...]:
    """Return the numbers of the frames to process, None for a still image.

    For a video that is missing or cannot be opened the first frame is planned, and its job fails with the
    reason. A single video thus neither stops the run nor is skipped without notice.

    Raises:
        UserError: The video has no such frame.
    """
    if medium.media_type not in VIDEO_TYPES:
        return (None,)
    file = file_of(medium, worker_context=worker_context)
    if file is None or not file.exists():
        return (0,)
    try:
        video = open_medium_video(medium, file)
    except (UserError, EnvironmentFailure):
        return (0,)
    try:
        if settings.every_frames:
            return tuple(range(0, video.frame_count, settings.every_frames))
        if settings.numbers or settings.every_s:
            return FrameSelection(numbers=settings.numbers, every_s=settings.every_s).of(video)
        return evenly_spaced(video.frame_count, most=settings.frames)
    finally:
        video.close()


def picture_of(medium: Medium, *, frame: int | None, worker_context: WorkerContext) -> Rgb:
    """Return a picture as a model is given it: uint8 (height, width, 3), red, green, blue, upright.

    Raises:
        UserError: Its file is not here or damaged, or another one than was entered.
        EnvironmentFailure: The disk refused.
        Cancelled: The worker is being stopped.
    """
    wanted = FrameSelection(numbers=() if frame is None else (frame,))
    # To the end, though there is one: only then is it known that the file stayed what it was.
    found = list(
        open_media().pictures(medium, file=file_of(medium, worker_context=worker_context), frames=wanted)
    )
    return found[0].picture


def existing_medium(worker_context: WorkerContext, medium: str) -> Medium:
    """Return a medium.

    Raises:
        UserError: It is gone.
    """
    found = worker_context.reader.get(Medium, medium)
    if found is None:
        raise UserError("The medium is no longer in the project.")
    return found


def file_of(medium: Medium, *, worker_context: WorkerContext) -> Path | None:
    """Return where a medium's file should be, None where its path leads out of the media folders.

    Raises:
        LostFolderError: Its whole folder is gone.
    """
    return file_for_job(medium, roots=worker_context.roots)


def content_of(medium: Medium) -> str:
    """Return the part of a key that identifies a medium's content: its digest, or its path while unknown."""
    return medium.sha256 or f"unseen {medium.path or medium.name}"


def deciding_weights(
    profile: ModelProfile, *, worker_context: WorkerContext, progress: Progress
) -> dict[str, Any]:
    """Return what of a profile decides its answers, its weights by their content.

    Raises:
        UserError: There is no file of weights.
        EnvironmentFailure: It cannot be read.
        Cancelled: The user stopped it.
    """
    if profile.path and not Path(profile.path).exists():
        raise UserError(
            f"The model {profile.name!r} has no file {profile.path}.",
            hint="Correct the path in the model profile.",
        )
    return deciding(profile, settings=worker_context.settings, progress=progress)
