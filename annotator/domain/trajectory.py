"""A trajectory: the poses of one camera over time."""

from __future__ import annotations

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


class Trajectory(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A flight of one agent through one scene.

    Attributes:
        scene: Id of the scene.
        name: Name in the source, for instance ``/hm3d_14/1Rg1SS1dRpG/traj_-3``.
        poses: Poses in order of time.
        key_frames: Indices into poses, rising.
        view: Name of the view whose camera it is, "" where the source does not say.
        axes: What x, y and z mean: ``east-north-up``, ``north-east-down`` (AirSim), ``source`` where unknown.
        orientations: One per pose, or empty where only the heading is known.
        times_s: Seconds of each pose since the first frame, or empty where no times are known.
        actions: The discrete actions between poses in the words of the source, one fewer than poses or empty.
        intrinsics: The camera, None where the source does not say.
        metadata: What else the source says of it: ``difficulty``, ``action_type`` (JSON).
        source: Id of the imported file, "" for one made here.
        locator: Where in that file: "record 17".
        original: The record as it came, untouched JSON; null for one made here.
        corrections: What the importer changed.
        import_key: Digest of the record as it came, so that the same record is never taken twice.
    """

    scene: str
    name: str = ""
    poses: tuple[Pose, ...] = ()
    key_frames: tuple[int, ...] = ()
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
