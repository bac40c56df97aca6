"""The rendered media of the demo: images, clips and maps by name, with the ground truth of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from annotator.demo.anomalies import Anomaly
from annotator.demo.flights import Flight
from annotator.demo.interiors.floor_plan import FloorPlan
from annotator.demo.interiors.routes import Route
from annotator.demo.landmarks import Landmark
from annotator.demo.moments import Moment, Shot
from annotator.demo.truth import VisibleObject


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A rendered image.

    Attributes:
        name: File name below the media root.
        moment: When and where.
        shot: By whom.
        visible_objects: Vehicles and people in it, by their number.
        depth: Name of its depth map, "" where none is kept.
        landmarks: Names of the landmarks in view, with the pixel of each one's middle.
    """

    name: str
    moment: Moment
    shot: Shot
    visible_objects: tuple[VisibleObject, ...]
    depth: str = ""
    landmarks: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Marked:
    """An image with its regions drawn in.

    Attributes:
        name: Name of the file below the media root.
        picture: The clean image.
        visible_objects: What each region shows; its place is the region's number.
    """

    name: str
    picture: Picture
    visible_objects: tuple[VisibleObject, ...]


@dataclass(frozen=True, kw_only=True)
class MomentImages:
    """All images of a moment.

    Attributes:
        pictures: The clean ones.
        marked: The same with regions drawn in, of some views.
    """

    pictures: tuple[Picture, ...]
    marked: tuple[Marked, ...]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What is true about one frame of a clip.

    Attributes:
        time_s: Since the first frame.
        boxes: Box of each vehicle and person by its number, x1 y1 x2 y2, pixels, ends exclusive.
        landmarks: Names of the landmarks in view, with the pixel of each one's middle.
        visible_objects: What ``truth`` says of the vehicles and people; of one frame a second, else empty.
    """

    time_s: float
    boxes: dict[int, tuple[int, int, int, int]]
    landmarks: dict[str, tuple[float, float]]
    visible_objects: tuple[VisibleObject, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One finished clip.

    Attributes:
        name: File name below the media root.
        flight: How it was flown.
        frames: In order of presentation.
    """

    name: str
    flight: Flight
    frames: tuple[Frame, ...]


@dataclass(frozen=True, kw_only=True)
class Interior:
    """The maps of one floor plan.

    Attributes:
        plan: The plan.
        routes: The ways by the ending of the names of the maps that they are drawn into.
        rooms_alone: Numbers of the rooms that have a map of their own.
    """

    plan: FloorPlan
    routes: dict[str, Route]
    rooms_alone: tuple[int, ...]

    def map_name(self, kind: str, part: str = "") -> str:
        """Return the name of a map: ``flat-5-realistic-route-1.png``."""
        return f"maps/{self.plan.name}-{kind}{f'-{part}' if part else ''}.png"

    def room_scene(self, number: int) -> str:
        """Return the name of the scene of a room with maps of its own: ``flat-5-room-0``."""
        return f"{self.plan.name}-room-{number}"


@dataclass(frozen=True, kw_only=True)
class Captures:
    """All media of a demo.

    Attributes:
        pictures: Images of all moments, in order.
        marked: Images with regions drawn in.
        clips: In order of the flights.
        interiors: Floor plans.
        landmarks: Named places of the world.
        anomalies: Abnormal events and their times.
    """

    pictures: tuple[Picture, ...]
    marked: tuple[Marked, ...] = ()
    clips: tuple[Clip, ...] = ()
    interiors: tuple[Interior, ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()

    def moments(self) -> list[Moment]:
        """Return the moments in order."""
        return list({picture.moment.name: picture.moment for picture in self.pictures}.values())

    def depth_maps(self, folder: Path) -> dict[str, Path]:
        """Return the files of the depth maps within a folder, by the names of their images."""
        return {picture.name: folder / picture.depth for picture in self.pictures if picture.depth}

    def of_moment(self, name: str) -> list[Picture]:
        """Return the images of a moment in order of its views."""
        return [picture for picture in self.pictures if picture.moment.name == name]

    def marked_in(self, name: str) -> list[Marked]:
        """Return the marked images of a moment in order of its views."""
        return [marked for marked in self.marked if marked.picture.moment.name == name]
