"""Depth: one job per medium and frame with regions, and per depth model or folder of depth maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.profile import DEPTH_ADAPTERS, ModelProfile
from annotator.domain.region import Region
from annotator.domain.run import Run
from annotator.domain.vision_settings import Depths, RegionShape, VisionSettings
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import BatchJobType, ParsedReply, WorkerContext
from annotator.jobs.job_types.vision import (
    content_of,
    deciding_weights,
    existing_medium,
    file_of,
    media_of,
    picture_of,
)
from annotator.jobs.request_key import compute_request_key, digest
from annotator.media.depth_maps import DepthMapFiles, stamp_of
from annotator.media.depth_statistics import region_depth, resize_depth
from annotator.model_api import DepthMaps, DepthModel, Model
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb
    from annotator.model_api import Depth


class DepthMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a depth model for a job.

    Attributes:
        file: The image or video, next to which stored depth maps are found.
        frame: Frame number of a video.
        width_px: Width of the image.
        height_px: Height of the image.
        shapes: The regions to measure.
        picture: uint8 (height, width, 3), RGB; None for stored depth maps.
    """

    file: str
    frame: int | None
    width_px: int
    height_px: int
    shapes: tuple[RegionShape, ...]
    picture: object = None


class DepthJob(BatchJobType):
    """Has depth models measure the regions of pictures; answers are ``Depths`` as JSON."""

    id = ("depth",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield a job per frame that has regions, and per depth model.

        Raises:
            UserError: There are no regions, a model is none of depth, or its file is missing.
            EnvironmentFailure: A file cannot be read.
            Cancelled: The user stopped it.
        """
        settings = VisionSettings.of(run.settings)
        for name in run.models:
            if worker_context.profiles[name].adapter not in DEPTH_ADAPTERS:
                raise UserError(f"The model {name!r} does not estimate depth.")
        weights = {
            name: deciding_weights(
                worker_context.profiles[name], worker_context=worker_context, progress=progress
            )
            for name in run.models
        }
        is_empty = True
        progress.begin(
            "Planning depths", total=len(settings.media) or worker_context.reader.counts()["medium"]
        )
        for medium in media_of(worker_context, settings):
            progress.step()
            for frame, shapes in _shapes_of(worker_context, medium).items():
                is_empty = False
                spec = {"frame": frame, "shapes": msgspec.to_builtins(shapes)}
                for name, decides in weights.items():
                    profile = worker_context.profiles[name]
                    request_key = compute_request_key(
                        kind="depth",
                        target=medium.id,
                        medium=content_of(medium),
                        shown=digest(spec),
                        model=(
                            decides,
                            _map_stamp(profile, medium, frame=frame, worker_context=worker_context),
                        ),
                    )
                    yield JobPlan(request_key=request_key, model=name, target=medium.id, spec=spec)
        progress.end()
        if is_empty:
            raise UserError("There are no regions to measure.", hint="Draw or detect regions first.")

    def batch_of(self, profile: ModelProfile) -> int:  # noqa: ARG002 - as every kind
        """Return 1: depth models process one image per call."""
        return 1

    def material(self, claim: Claim, worker_context: WorkerContext) -> DepthMaterial:
        """Return what a job is about.

        Raises:
            UserError: The medium is gone, or its file is not here or damaged.
            EnvironmentFailure: The disk refused.
        """
        medium = existing_medium(worker_context, claim.target)
        frame: int | None = claim.spec["frame"]
        file = file_of(medium, worker_context=worker_context)
        if file is None:
            raise UserError(f"{medium.name} is outside the media folders of this project.")
        # Stored maps need the size of the picture only, which the record of a probed medium has.
        needs_none = worker_context.profiles[claim.model].adapter == "depth-files" and bool(medium.width_px)
        picture = None if needs_none else picture_of(medium, frame=frame, worker_context=worker_context)
        size = (medium.height_px, medium.width_px) if picture is None else picture.shape[:2]
        return DepthMaterial(
            file=str(file),
            frame=frame,
            width_px=size[1],
            height_px=size[0],
            shapes=tuple(msgspec.convert(claim.spec["shapes"], list[RegionShape])),
            picture=picture,
        )

    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        """Return the ``Depths`` of each picture's regions.

        Raises:
            CallFailed: The model's program failed, or there is no depth map.
            Cancelled: The worker is being stopped.
        """
        measured: list[object] = []
        for material in cast("Sequence[DepthMaterial]", materials):
            progress.raise_if_cancelled()
            plane = resize_depth(
                _plane(model, material), width_px=material.width_px, height_px=material.height_px
            )
            measured.append(
                Depths(
                    is_metric=bool(model.identity.parameters.get("metric", False)),
                    regions={
                        shape.region: region_depth(plane, box=shape.box, polygon=shape.polygon)
                        for shape in material.shapes
                    },
                    boxes={shape.region: shape.box for shape in material.shapes},
                )
            )
        return measured

    def read(self, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:  # noqa: ARG002 - as every kind
        """Return the answer that ``Depths`` are."""
        if not isinstance(result, Depths):
            return ParsedReply(kind="unparsed", message=f"A depth model gave a {type(result).__name__}.")
        return ParsedReply(kind="answer", answer=msgspec.json.encode(result).decode())


def _plane(model: Model, material: DepthMaterial) -> Depth:
    if hasattr(model, "depth_beside"):
        return cast("DepthMaps", model).depth_beside(Path(material.file), frame=material.frame)
    return cast("DepthModel", model).depth(cast("Rgb", material.picture))


def _shapes_of(worker_context: WorkerContext, medium: Medium) -> dict[int | None, tuple[RegionShape, ...]]:
    """Return the regions of a medium by the frame that they are marked on."""
    by_frame: dict[int | None, list[RegionShape]] = {}
    for region in worker_context.reader.find(Region, medium=medium.id):
        shape = RegionShape(region=region.id, box=region.box, polygon=region.polygon)
        by_frame.setdefault(region.frame, []).append(shape)
    return {frame: tuple(shapes) for frame, shapes in by_frame.items()}


def _map_stamp(
    profile: ModelProfile, medium: Medium, *, frame: int | None, worker_context: WorkerContext
) -> str:
    """Return what tells one state of a depth map from another, "" where a model works them out."""
    if profile.adapter != "depth-files":
        return ""
    file = file_of(medium, worker_context=worker_context)
    locations = DepthMapFiles.of(profile.options, folder=profile.path)
    return "" if file is None else stamp_of(locations, file=file, frame=frame)


KIND = DepthJob()
