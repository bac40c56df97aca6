"""Detection: one job per medium, frame and detector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import msgspec

from annotator.domain.profile import DETECTOR_ADAPTERS, ModelProfile
from annotator.domain.run import Run
from annotator.domain.vision_settings import DetectedImage, VisionSettings
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import BatchJobType, ParsedReply, WorkerContext
from annotator.jobs.job_types.vision import (
    content_of,
    deciding_weights,
    existing_medium,
    frames_of,
    media_of,
    picture_of,
)
from annotator.jobs.request_key import compute_request_key
from annotator.model_api import Detection, Detector, Model
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

USUAL_BATCH = 1


class DetectionJob(BatchJobType):
    """Detection on images and frames; answers are ``DetectedImage`` records as JSON."""

    id = ("detect",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield a job per medium, frame and detector.

        Raises:
            UserError: There is no picture, a model is no detector, or its file is missing.
            EnvironmentFailure: A file cannot be read.
            Cancelled: The user stopped it.
        """
        settings = VisionSettings.of(run.settings)
        profiles = [worker_context.profiles[name] for name in run.models]
        for profile in profiles:
            if profile.adapter not in DETECTOR_ADAPTERS:
                raise UserError(f"The model {profile.name!r} is not a detector.")
        decides = {
            profile.name: deciding_weights(profile, worker_context=worker_context, progress=progress)
            for profile in profiles
        }
        is_empty = True
        progress.begin(
            "Planning detection", total=len(settings.media) or worker_context.reader.counts()["medium"]
        )
        for medium in media_of(worker_context, settings):
            progress.step()
            content = content_of(medium)
            for frame in frames_of(medium, settings=settings, worker_context=worker_context):
                is_empty = False
                for name, decided in decides.items():
                    request_key = compute_request_key(
                        kind="detect", target=medium.id, medium=content, frame=frame, model=decided
                    )
                    yield JobPlan(
                        request_key=request_key, model=name, target=medium.id, spec={"frame": frame}
                    )
        progress.end()
        if is_empty:
            raise UserError("There are no images to process.", hint="Import images or videos first.")

    def batch_of(self, profile: ModelProfile) -> int:
        """Return the number of images per call: the detector's option ``batch``."""
        batch = profile.options.get("batch", USUAL_BATCH)
        return max(USUAL_BATCH, batch) if isinstance(batch, int) else USUAL_BATCH

    def material(self, claim: Claim, worker_context: WorkerContext) -> Rgb:
        """Return the picture of a job: uint8 (height, width, 3), red, green, blue.

        Raises:
            UserError: The medium is gone, or its file is not here or damaged.
            EnvironmentFailure: The disk refused.
        """
        medium = existing_medium(worker_context, claim.target)
        return picture_of(medium, frame=claim.spec["frame"], worker_context=worker_context)

    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        """Return a ``DetectedImage`` for each picture.

        Raises:
            CallFailed: The model's program failed.
            Cancelled: The worker is being stopped.
        """
        progress.raise_if_cancelled()
        pictures = cast("Sequence[Rgb]", materials)
        found = cast("Detector", model).detect(pictures)
        return [_detected_image(picture, things) for picture, things in zip(pictures, found, strict=True)]

    def read(self, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:  # noqa: ARG002 - as every kind
        """Return the answer that a ``DetectedImage`` is; a picture without objects is an answer too."""
        if not isinstance(result, DetectedImage):
            return ParsedReply(kind="unparsed", message=f"A detector gave a {type(result).__name__}.")
        scores = tuple(one.score for one in result.found)
        return ParsedReply(kind="answer", answer=msgspec.json.encode(result).decode(), scores=scores)


def _detected_image(picture: Rgb, found: Sequence[Detection]) -> DetectedImage:
    height, width = picture.shape[:2]
    return DetectedImage(width_px=width, height_px=height, found=tuple(_rounded(one) for one in found))


def _rounded(detection: Detection) -> Detection:
    """Return a detection to a hundredth of a pixel: detectors are not that exact, and answers are kept."""
    x1, y1, x2, y2 = (round(value, 2) for value in detection.box)
    return Detection(box=(x1, y1, x2, y2), category=detection.category, score=round(detection.score, 4))


KIND = DetectionJob()
