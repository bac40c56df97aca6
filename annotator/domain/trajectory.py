"""A trajectory: the poses of one camera over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject


class Pose(ValueObject, frozen=True, kw_only=True, omit_defaults=True, array_like=True):
    """Position in metres and heading in degrees, as IndoorUAV's posture files have them."""

    # As an array in JSON: a flight has thousands of poses, and four names in each would be most of the text.

    x_m: float
    y_m: float
    z_m: float
    yaw_deg: float


class Quaternion(ValueObject, frozen=True, kw_only=True, omit_defaults=True, array_like=True):
    """A rotation from the camera's or body's axes to those of the world, w first, of length 1."""

    w: float
    x: float
    y: float
    z: float


class Intrinsics(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A pinhole camera: focal lengths and principal point in pixels of a picture of this size."""

    fx: float
    fy: float
    cx: float
    cy: float
    width_px: int
    height_px: int


class KeyFrameLabel(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """What people say of a key frame, or of the last pose of a flight.

    Source: IndoorUAV (arXiv 2512.19024): a key frame has a caption, and the action of the segment before it.

    Attributes:
        frame: Index of its pose.
        actions: Kinds of action of the segment that ends here, empty for those that the poses show.
        caption: What the camera sees here, "" if nobody has written it.
    """

    frame: int
    actions: tuple[str, ...] = ()
    caption: str = ""


class Trajectory(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The path of one camera through one scene.

    Attributes:
        scene: Id of the scene.
        name: Name in the source, for instance ``/hm3d_14/1Rg1SS1dRpG/traj_-3``.
        poses: Poses in order of time.
        key_frames: Indices into poses, rising.
        key_frame_labels: Labels given by people, in order of their frames; most key frames have none.
        difficulty: Difficulty given by people, "" for the one that follows from the number of actions.
        instruction_goal: Short instruction: where the flight ends.
        instruction_detailed: Long instruction: the way, step by step.
        view: Name of the camera's view, "" if unknown.
        axes: What x, y and z mean: ``east-north-up``, ``north-east-down`` (AirSim), ``source`` where unknown.
        orientations: One per pose, or empty if only the heading is known.
        times_s: Seconds since the first frame, one per pose, or empty if unknown.
        actions: The source's discrete actions between poses, one fewer than poses, or empty.
        intrinsics: The camera, None if unknown.
        metadata: Further values of the source: ``difficulty``, ``action_type`` (JSON).
        source: Id of the imported file, "" for a record created here.
        locator: Position in that file: "record 17".
        original: The original record as unchanged JSON; null for a record created here.
        corrections: Changes made by the importer.
        import_key: Digest of the original record, by which a second import recognises it.
    """

    scene: str
    name: str = ""
    poses: tuple[Pose, ...] = ()
    key_frames: tuple[int, ...] = ()
    key_frame_labels: tuple[KeyFrameLabel, ...] = ()
    difficulty: str = ""
    instruction_goal: str = ""
    instruction_detailed: str = ""
    view: str = ""
    axes: str = "source"
    orientations: tuple[Quaternion, ...] = ()
    times_s: tuple[float, ...] = ()
    actions: tuple[str, ...] = ()
    intrinsics: Intrinsics | None = None
    metadata: dict[str, Any] = {}
    source: str = ""
    locator: str = ""
    original: msgspec.Raw = msgspec.Raw(b"null")
    corrections: tuple[FieldCorrection, ...] = ()
    import_key: str = ""

    table = Table(
        entity="trajectory",
        columns=(
            Column(name="scene", value=lambda r: r.scene),
            Column(name="import_key", value=lambda r: r.import_key or None),
        ),
        indexes=(("scene", "n"), ("import_key",)),
        is_in_log=True,
    )


def trajectory_text(poses: Sequence[Pose]) -> str:
    """Return poses as IndoorUAV's results have them: x, y, z in metres, yaw in radians (JSON)."""
    rows = [[pose.x_m, pose.y_m, pose.z_m, round(math.radians(pose.yaw_deg), 6)] for pose in poses]
    return msgspec.json.encode(rows).decode()
