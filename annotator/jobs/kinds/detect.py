"""Detection: one job per medium, frame and detector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import msgspec

from annotator.domain.looking import Looked, LookSettings
from annotator.domain.profile import DETECTOR_ADAPTERS, Profile
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.key import job_key
from annotator.jobs.kind import Answer, BatchKind, Desk
from annotator.jobs.kinds.looking import (
    content_of,
    existing_medium,
    frames_of,
    media_of,
    picture_of,
    weights_digest,
)
from annotator.predictor import Detection, Detector, Model
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.media.pictures import Rgb

USUAL_BATCH = 1


class DetectKind(BatchKind):
    """Has detectors look at pictures and frames; answers are ``domain.looking.Looked`` as JSON."""

    id = ("detect",)

    def plan(self, run: Run, desk: Desk, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield a job per medium, frame and detector.

        Raises:
            UserError: There is no picture, a model is no detector, or its file is missing.
            HostError: A file cannot be read.
            Cancelled: The user stopped it.
        """
        settings = LookSettings.of(run.settings)
        profiles = [desk.profiles[name] for name in run.models]
        for profile in profiles:
            if profile.adapter not in DETECTOR_ADAPTERS:
                raise UserError(f"The model {profile.name!r} is no detector.")
        decides = {
            profile.name: (profile.decides, weights_digest(profile, progress=progress))
            for profile in profiles
        }
        is_empty = True
        progress.begin("Planning detection", total=len(settings.media) or desk.reader.counts()["medium"])
        for medium in media_of(desk, settings):
            progress.step()
            content = content_of(medium)
            for frame in frames_of(medium, settings=settings, desk=desk):
                is_empty = False
                for name, decided in decides.items():
                    key = job_key(kind="detect", target=medium.id, medium=content, frame=frame, model=decided)
                    yield JobPlan(key=key, model=name, target=medium.id, spec={"frame": frame})
        progress.end()
        if is_empty:
            raise UserError("There is no picture to look at.", hint="Import pictures or films first.")

    def batch_of(self, profile: Profile) -> int:
        """Return how many pictures the detector takes at once: its option ``batch``."""
        told = profile.options.get("batch", USUAL_BATCH)
        return max(USUAL_BATCH, told) if isinstance(told, int) else USUAL_BATCH

    def material(self, claim: Claim, desk: Desk) -> Rgb:
        """Return the picture of a job: uint8 (height, width, 3), red, green, blue.

        Raises:
            UserError: The medium is gone, or its file is not here or damaged.
            HostError: The disk refused.
        """
        medium = existing_medium(desk, claim.target)
        return picture_of(medium, frame=claim.spec["frame"], desk=desk)

    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        """Return a ``Looked`` for each picture.

        Raises:
            CallFailed: The model's program failed.
            Cancelled: The worker is being stopped.
        """
        progress.raise_if_cancelled()
        pictures = cast("Sequence[Rgb]", materials)
        found = cast("Detector", model).detect(pictures)
        return [_looked(picture, things) for picture, things in zip(pictures, found, strict=True)]

    def read(self, claim: Claim, result: object, desk: Desk) -> Answer:  # noqa: ARG002 - as every kind
        """Return the answer that a ``Looked`` is; a picture that shows nothing is an answer as well."""
        if not isinstance(result, Looked):
            return Answer(kind="unparsed", words=f"A detector gave a {type(result).__name__}.")
        scores = tuple(one.score for one in result.found)
        return Answer(kind="answer", answer=msgspec.json.encode(result).decode(), scores=scores)


def _looked(picture: Rgb, found: Sequence[Detection]) -> Looked:
    height, width = picture.shape[:2]
    return Looked(width_px=width, height_px=height, found=tuple(_rounded(one) for one in found))


def _rounded(one: Detection) -> Detection:
    """Return a detection to a hundredth of a pixel: detectors are not that exact, and answers are kept."""
    x1, y1, x2, y2 = (round(value, 2) for value in one.box)
    return Detection(box=(x1, y1, x2, y2), category=one.category, score=round(one.score, 4))


KIND = DetectKind()
