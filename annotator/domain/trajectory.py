"""A trajectory: the poses of one camera over time."""

from __future__ import annotations

from annotator.domain.record import Part, Record


class Pose(Part, frozen=True, kw_only=True, omit_defaults=True, array_like=True):
    """Position in metres and heading in degrees, as IndoorUAV's posture files have them."""

    x_m: float
    y_m: float
    z_m: float
    yaw_deg: float


class Trajectory(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A flight of one agent through one scene.

    Attributes:
        scene: Id of the scene.
        name: Name in the source, for instance ``/hm3d_14/1Rg1SS1dRpG/traj_-3``.
        poses: Poses in order of time.
        key_frames: Indices into poses, rising.
    """

    scene: str
    name: str = ""
    poses: tuple[Pose, ...] = ()
    key_frames: tuple[int, ...] = ()
