"""A scene as the stage shows it, read in one go on the reading thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Trajectory
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay
from annotator.session import Reader
from widgets.medium_view import MediumView
from widgets.stage.camera_trajectory import CameraTrajectory, camera_trajectory
from widgets.stage.issues import IssueBoxes, issues_of
from widgets.stage.segments import SceneSegment, segments_of, whole_flight
from widgets.stage.view_annotations import ViewAnnotations, shared_colours

KEPT_FRAMES = 256
"""Frames whose arrays are kept: those around the playhead, which loops and steps back ask for again."""


@dataclass(frozen=True, kw_only=True)
class FrameMarks:
    """What is marked in one medium, of a film on one frame."""

    regions: tuple[Region, ...] = ()
    paths: tuple[Polyline, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StageScene:
    """A scene with its media and all that is marked in them.

    Attributes:
        scene: The scene.
        media: Its views in order.
        marks: Regions, links and paths of all of them.
        labels: Event labels of the scene and of its media.
        trajectories: Flights through the scene.
        flags: Flags on the scene, its media, event labels and flights.
    """

    scene: Scene
    media: tuple[MediumView, ...]
    marks: Overlay
    labels: tuple[EventLabel, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    flags: tuple[Flag, ...] = ()

    def view_of(self, medium: str) -> str:
        """Return the name of the view that a medium is."""
        return next((shown.view for shown in self.media if shown.medium.id == medium), "")

    def domain_view(self, medium: str) -> SceneView:
        """Return the scene's own record of the view that a medium is: its offset, its way to the ground."""
        return next(view for view in self.scene.views if view.medium == medium)

    @cached_property
    def segments(self) -> tuple[SceneSegment, ...]:
        """Stretches of the films that flights know of: between key frames, and parts that are tasks."""
        return segments_of(self.trajectories, media=tuple((one.view, one.medium) for one in self.media))

    @cached_property
    def flights(self) -> dict[str, CameraTrajectory]:
        """Ways of the cameras by their media, on the scene's clock."""
        found = {}
        for shown in self.media:
            way = whole_flight(self.trajectories, view=shown.view, views=len(self.media))
            if way is not None:
                offset_s = self.domain_view(shown.medium.id).offset_s
                found[shown.medium.id] = camera_trajectory(
                    way, medium=shown.medium, view=shown.view, offset_s=offset_s
                )
        return found

    @cached_property
    def same_links(self) -> dict[str, tuple[int, ...]]:
        """Places of the links that say 'the same thing' by the ids of their regions.

        A region may have several: sources that compare two views at a time link it once for each pair.
        """
        found: dict[str, list[int]] = defaultdict(list)
        for place, link in enumerate(self.marks.links):
            for region in link.regions if link.kind == "same" else ():
                found[region].append(place)
        return {region: tuple(places) for region, places in found.items()}

    def has_same_surroundings(self, other: StageScene) -> bool:
        """Tell whether all but the marks is the very same as in another state of the scene."""
        own = (self.scene, self.labels, self.trajectories)
        others = (other.scene, other.labels, other.trajectories)
        return all(one is another for one, another in zip(own, others, strict=True))

    def issues_in(self, medium: str) -> IssueBoxes:
        """Return the boxes of a medium's event labels."""
        return self._issues[medium]

    @cached_property
    def _issues(self) -> dict[str, IssueBoxes]:
        media = (shown.medium.id for shown in self.media)
        return {medium: issues_of(self.labels, medium=medium) for medium in media}

    def marks_of(self, medium: str, frame: int | None) -> Overlay:
        """Return what is marked in one medium, for a film at one frame; looked up, never searched for."""
        group = self.by_frame.get((medium, frame), FrameMarks())
        return Overlay(regions=group.regions, links=self.marks.links, paths=group.paths)

    def has_mark(self, mark: str) -> bool:
        """Tell whether a region or path of the scene has an id."""
        # Most that are asked for are on the screen, where they are looked up.
        if any(mark in arrays.ids for arrays in self._arrays.values()):
            return True
        return any(one.id == mark for one in (*self.marks.paths, *self.marks.regions))

    def regions_by_id(self, ids: Collection[str]) -> dict[str, Region]:
        """Return the regions with these ids, in their order; those that the scene has not are left out."""
        found: dict[str, Region] = {}
        missing = set(ids) - {path.id for path in self.marks.paths}
        # Most that are asked for are on the screen, where they are looked up.
        for arrays in reversed(self.kept_arrays().values()):
            here = missing & arrays.ids.keys()
            found |= {one: arrays.marks.regions[arrays.ids[one]] for one in here}
            missing -= here
        if missing:
            found |= {region.id: region for region in self.marks.regions if region.id in missing}
        return {one: found[one] for one in ids if one in found}

    def view_marks(self, medium: str, frame: int | None) -> ViewAnnotations:
        """Return the same as arrays to paint and search; the last ones are kept.

        A playing film asks for this once a frame.
        """
        place = (medium, frame)
        arrays = self._arrays.pop(place, None)
        if arrays is None:
            arrays = ViewAnnotations(marks=self.marks_of(medium, frame), link_colours=self.link_colours)
        self.keep_arrays(place, arrays)
        return arrays

    def kept_arrays(self) -> dict[tuple[str, int | None], ViewAnnotations]:
        """Return the arrays that are kept, by medium and frame, those asked for last at the end."""
        # A copy: another thread may be asking for the next frame.
        return dict(self._arrays)

    def keep_arrays(self, place: tuple[str, int | None], arrays: ViewAnnotations) -> None:
        """Keep the arrays of a medium's frame."""
        self._arrays[place] = arrays
        while len(self._arrays) > KEPT_FRAMES:
            del self._arrays[next(iter(self._arrays))]

    @cached_property
    def marked_frames(self) -> dict[str, tuple[int, ...]]:
        """Numbers of the frames with regions or paths, rising, by medium; films alone."""
        found: dict[str, set[int]] = defaultdict(set)
        for medium, frame in self.by_frame:
            if frame is not None:
                found[medium].add(frame)
        return {medium: tuple(sorted(frames)) for medium, frames in found.items()}

    @cached_property
    def by_frame(self) -> dict[tuple[str, int | None], FrameMarks]:
        """What is marked by medium and frame; only where anything is."""
        regions: dict[tuple[str, int | None], list[Region]] = defaultdict(list)
        paths: dict[tuple[str, int | None], list[Polyline]] = defaultdict(list)
        for region in self.marks.regions:
            regions[region.medium, region.frame].append(region)
        for path in self.marks.paths:
            paths[path.medium, path.frame].append(path)
        return {
            key: FrameMarks(regions=tuple(regions.get(key, ())), paths=tuple(paths.get(key, ())))
            for key in {*regions, *paths}
        }

    @cached_property
    def link_colours(self) -> dict[str, int]:
        """Places in ``COLOURS`` of all linked regions by their ids."""
        return shared_colours(self.marks)

    @cached_property
    def _arrays(self) -> dict[tuple[str, int | None], ViewAnnotations]:
        return {}


def read_scene(reader: Reader, *, scene: str, roots: MediaRoots) -> StageScene | None:
    """Read a scene with what is marked in it, None where it is gone."""
    with reader.snapshot():
        found = reader.get(Scene, scene)
        if found is None:
            return None
        labels = read_labels(reader, found)
        flights = tuple(reader.find(Trajectory, scene=scene))
        targets = [found.id, *(view.medium for view in found.views)]
        targets += [record.id for record in (*labels, *flights)]
        shown = StageScene(
            scene=found,
            media=tuple(_media(reader, found, roots=roots)),
            marks=_marks(reader, found),
            labels=labels,
            trajectories=flights,
            flags=read_flags(reader, targets),
        )
    # Arrays of thousands of regions take a while: here, where nobody waits for the next picture.
    for one in shown.media:
        shown.view_marks(one.medium.id, None).prepare()
    return shown


def _media(reader: Reader, scene: Scene, *, roots: MediaRoots) -> Iterator[MediumView]:
    for view in scene.views:
        medium = reader.get(Medium, view.medium)
        if medium is not None:
            file = roots.file_of(medium.path or medium.name)
            yield MediumView(view=view.name, medium=medium, file=file)


def _marks(reader: Reader, scene: Scene) -> Overlay:
    """Return what is marked in all media of a scene."""
    media = [view.medium for view in scene.views]
    regions = (one for medium in media for one in reader.find(Region, medium=medium))
    paths = (one for medium in media for one in reader.find(Polyline, medium=medium))
    return Overlay(
        regions=tuple(regions),
        links=tuple(reader.find(Link, scene=scene.id)),
        paths=tuple(paths),
    )


def read_labels(reader: Reader, scene: Scene) -> tuple[EventLabel, ...]:
    """Return the event labels of a scene, and those of its media that name no scene."""
    found = [*reader.find(EventLabel, scene=scene.id)]
    for view in scene.views:
        found += reader.find(EventLabel, medium=view.medium)
    labels = {label.id: label for label in found}
    return tuple(labels.values())


def read_flags(reader: Reader, targets: Iterable[str]) -> tuple[Flag, ...]:
    """Return the flags on records, in the order of these."""
    return tuple(flag for target in targets for flag in reader.flags_of(target))
