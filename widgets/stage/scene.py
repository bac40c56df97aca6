"""The scene displayed on the stage, read as a whole on the reading thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import MISMATCH_LIMIT, Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.pose_times import whole_flight
from annotator.domain.record import ANY, AnyValue
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.domain.topview_map import MapLimits
from annotator.domain.trajectory import Trajectory
from annotator.draft.map_view import project_limits
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay
from annotator.media.view_geometry import SceneGeometry
from annotator.queries.own_labels import is_handed_in, visible_labels
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.medium_view import MediumView
from widgets.stage.camera_trajectory import CameraTrajectory, camera_trajectory
from widgets.stage.issues import IssueBoxes, issues_of
from widgets.stage.segments import SceneSegment, segments_of
from widgets.stage.view_annotations import ViewAnnotations, shared_colours

KEPT_FRAMES = 256
"""Number of frames whose arrays are cached: those around the playhead, for loops and steps back."""


@dataclass(frozen=True, kw_only=True)
class FrameMarks:
    """Annotations of one medium; for a video, on one frame."""

    regions: tuple[Region, ...] = ()
    paths: tuple[Polyline, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StageScene:
    """A scene with its media and all their annotations.

    Attributes:
        scene: The scene.
        media: Its views in order.
        marks: Regions, links and paths of all views.
        labels: Event labels of the scene and its media.
        person: Id of the person who sees it, without independent labels of others; "" for nobody.
        is_handed_in: Whether nothing is left for this person to do.
        trajectories: Camera trajectories of the scene.
        flags: Flags on the scene, its media, event labels and trajectories.
        map_limits: What is too small to be drawn on semantic maps.
        link_limit: Largest mismatch of a link that is not flagged, as a share of the longer image side.
        box_numbers: Labels of boxes by their digits, for each field of boxes in the event-level form.
    """

    scene: Scene
    media: tuple[MediumView, ...]
    marks: Overlay
    labels: tuple[EventLabel, ...] = ()
    person: str = ""
    is_handed_in: bool = False
    trajectories: tuple[Trajectory, ...] = ()
    flags: tuple[Flag, ...] = ()
    map_limits: MapLimits = MapLimits()  # noqa: RUF009 - frozen
    link_limit: float = MISMATCH_LIMIT
    box_numbers: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def view_of(self, medium: str) -> str:
        """Return the name of a medium's view."""
        return next((shown.view for shown in self.media if shown.medium.id == medium), "")

    def domain_view(self, medium: str) -> SceneView:
        """Return the scene's record of a medium's view, with time offset and ground plane."""
        return next(view for view in self.scene.views if view.medium == medium)

    @cached_property
    def segments(self) -> tuple[SceneSegment, ...]:
        """Segments of the videos from their trajectories: between key frames, and parts that are tasks."""
        return segments_of(self.trajectories, media=tuple((one.view, one.medium) for one in self.media))

    @cached_property
    def flights(self) -> dict[str, CameraTrajectory]:
        """Camera trajectories by medium id, with times on the scene's clock."""
        found = {}
        for shown in self.media:
            flight = whole_flight(self.trajectories, view=shown.view, views=len(self.media))
            if flight is not None:
                offset_s = self.domain_view(shown.medium.id).offset_s
                found[shown.medium.id] = camera_trajectory(
                    flight, medium=shown.medium, view=shown.view, offset_s=offset_s
                )
        return found

    @cached_property
    def geometry(self) -> SceneGeometry:
        """What is known of the geometry between the views."""
        media = {shown.medium.id: shown.medium for shown in self.media}
        return SceneGeometry(self.scene, media=media, trajectories=self.trajectories)

    def has_same_geometry(self, other: StageScene) -> bool:
        """Return whether mismatches of links are the same in another state of the scene."""
        is_same = self.scene is other.scene and self.trajectories is other.trajectories
        return is_same and self.link_limit == other.link_limit

    @cached_property
    def same_links(self) -> dict[str, tuple[int, ...]]:
        """Indices of the 'same object' links, by region id.

        A region can have several: sources that compare views in pairs have one link per pair.
        """
        found: dict[str, list[int]] = defaultdict(list)
        for index, link in enumerate(self.marks.links):
            for region in link.regions if link.kind == "same" else ():
                found[region].append(index)
        return {region: tuple(indices) for region, indices in found.items()}

    def has_same_surroundings(self, other: StageScene) -> bool:
        """Return whether everything except annotations is identical in another state of the scene."""
        own = (self.scene, self.labels, self.trajectories)
        others = (other.scene, other.labels, other.trajectories)
        # Identity is enough: ``read_changed_scene`` keeps the objects that did not change.
        return all(one is another for one, another in zip(own, others, strict=True))

    def issues_in(self, medium: str) -> IssueBoxes:
        """Return the issue boxes of a medium's event labels."""
        return self._issues[medium]

    @cached_property
    def _issues(self) -> dict[str, IssueBoxes]:
        media = (shown.medium.id for shown in self.media)
        return {medium: issues_of(self.labels, medium=medium) for medium in media}

    def marks_of(self, medium: str, frame: int | None) -> Overlay:
        """Return the annotations of one medium, for a video on one frame, by a table lookup."""
        group = self.by_frame.get((medium, frame), FrameMarks())
        is_map = medium in self.maps
        return Overlay(regions=group.regions, links=self.marks.links, paths=group.paths, is_map=is_map)

    @cached_property
    def maps(self) -> frozenset[str]:
        """Ids of the media that are top-view maps."""
        return frozenset(shown.medium.id for shown in self.media if shown.medium.media_type == "map")

    def has_mark(self, mark: str) -> bool:
        """Return whether the scene has a region or path with an id."""
        # Most requested regions are displayed and found by lookup in the kept arrays.
        if any(mark in arrays.ids for arrays in self._arrays.values()):
            return True
        return any(one.id == mark for one in (*self.marks.paths, *self.marks.regions))

    def regions_by_id(self, ids: Collection[str]) -> dict[str, Region]:
        """Return the regions with these ids, in the same order; unknown ids are omitted."""
        found: dict[str, Region] = {}
        # Ids of paths would otherwise force the search through all regions.
        missing = set(ids) - {path.id for path in self.marks.paths}
        # Most requested regions are displayed and found by lookup in the kept arrays.
        for arrays in reversed(self.kept_arrays().values()):
            here = missing & arrays.ids.keys()
            found |= {one: arrays.marks.regions[arrays.ids[one]] for one in here}
            missing -= here
        if missing:
            found |= {region.id: region for region in self.marks.regions if region.id in missing}
        return {one: found[one] for one in ids if one in found}

    def view_marks(self, medium: str, frame: int | None) -> ViewAnnotations:
        """Return the annotations as arrays for painting and hit testing; the latest ones are cached.

        A playing video calls this method once per frame.
        """
        location = (medium, frame)
        # Removed and added again: the dictionary is in order of use, and the oldest entry is dropped.
        arrays = self._arrays.pop(location, None)
        if arrays is None:
            arrays = ViewAnnotations(marks=self.marks_of(medium, frame), link_colours=self.link_colours)
        self.keep_arrays(location, arrays)
        return arrays

    def kept_arrays(self) -> dict[tuple[str, int | None], ViewAnnotations]:
        """Return the cached arrays by medium and frame, the most recently used last."""
        # A copy, because another thread can add the next frame during iteration.
        return dict(self._arrays)

    def keep_arrays(self, key: tuple[str, int | None], arrays: ViewAnnotations) -> None:
        """Cache the arrays of a medium's frame."""
        self._arrays[key] = arrays
        while len(self._arrays) > KEPT_FRAMES:
            del self._arrays[next(iter(self._arrays))]

    @cached_property
    def marked_frames(self) -> dict[str, tuple[int, ...]]:
        """Numbers of the frames with regions or paths, ascending, by medium id; videos only."""
        found: dict[str, set[int]] = defaultdict(set)
        for medium, frame in self.by_frame:
            if frame is not None:
                found[medium].add(frame)
        return {medium: tuple(sorted(frames)) for medium, frames in found.items()}

    @cached_property
    def by_frame(self) -> dict[tuple[str, int | None], FrameMarks]:
        """Annotations by medium and frame; only entries with at least one annotation."""
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
    def proposals(self) -> tuple[Region, ...]:
        """The regions that are only proposed."""
        return tuple(region for region in self.marks.regions if region.is_proposed)

    @cached_property
    def link_colours(self) -> dict[str, int]:
        """Indices into ``COLOURS`` of all linked regions, by region id."""
        return shared_colours(self.marks)

    def prepare(self) -> None:
        """Compute the arrays of the annotations, off the GUI thread: thousands of regions take time."""
        _ = self.proposals
        for one in self.media:
            self.view_marks(one.medium.id, None).prepare()

    @cached_property
    def _arrays(self) -> dict[tuple[str, int | None], ViewAnnotations]:
        return {}


def read_scene(reader: Reader, *, scene: str, roots: MediaRoots, person: str = "") -> StageScene | None:
    """Read a scene with its annotations; return None if it has been deleted.

    Args:
        reader: The project.
        scene: Id of the scene.
        roots: Media folders.
        person: Id of the person who must not see independent labels of others, "" for nobody.
    """
    # All queries must see the same state of the project.
    with reader.snapshot():
        found = reader.get(Scene, scene)
        if found is None:
            return None
        shown = read_views(reader, found, roots=roots, is_proposed=ANY, person=person)
    shown.prepare()
    return shown


def read_views(
    reader: Reader, scene: Scene, *, roots: MediaRoots, is_proposed: int | AnyValue = 0, person: str = ""
) -> StageScene:
    """Read the media of a scene with their annotations; the caller holds the snapshot.

    Args:
        reader: The project.
        scene: A scene of the project, or one with some of its views.
        roots: Media folders.
        is_proposed: ``ANY`` reads proposals as well, for a stage on which they can be confirmed.
        person: Id of the person who must not see independent labels of others, "" for nobody.
    """
    labels = read_labels(reader, scene, person=person)
    flights = tuple(reader.find(Trajectory, scene=scene.id))
    targets = [scene.id, *(view.medium for view in scene.views)]
    targets += [record.id for record in (*labels, *flights)]
    task_set = TaskSetCatalogue.of(reader.path).form_set(reader.project.task_set)
    display_text.load_task_set_titles_of(task_set)
    made = StageScene(
        scene=scene,
        media=tuple(_media(reader, scene, roots=roots)),
        marks=_marks(reader, scene, is_proposed=is_proposed),
        labels=labels,
        person=person,
        is_handed_in=is_handed_in(reader, scene, person=person),
        trajectories=flights,
        flags=read_flags(reader, targets),
        link_limit=reader.project.link_limit,
        box_numbers=_box_numbers(task_set),
    )
    if made.maps:
        made = replace(made, map_limits=project_limits(reader))
    # Computed here, on the reading thread: a long flight takes too long for the GUI thread.
    _ = made.segments
    return made


def _box_numbers(task_set: TaskSet) -> dict[str, dict[int, str]]:
    """Return the labels of boxes by their digits, for each field of boxes in the event-level form."""
    return {
        field.id: {
            value.number: value.id
            for value in task_set.value_lists.get(field.value_list, ())
            if value.number is not None
        }
        for field in task_set.form_fields
        if field.id.endswith("_boxes")
    }


def _media(reader: Reader, scene: Scene, *, roots: MediaRoots) -> Iterator[MediumView]:
    for view in scene.views:
        medium = reader.get(Medium, view.medium)
        if medium is not None:
            file = roots.file_of(medium.path or medium.name)
            yield MediumView(view=view.name, medium=medium, file=file)


def _marks(reader: Reader, scene: Scene, *, is_proposed: int | AnyValue) -> Overlay:
    """Return the annotations of all media of a scene."""
    media = [view.medium for view in scene.views]
    regions = (one for medium in media for one in reader.find(Region, medium=medium, is_proposed=is_proposed))
    paths = (one for medium in media for one in reader.find(Polyline, medium=medium))
    return Overlay(
        regions=tuple(regions),
        links=tuple(reader.find(Link, scene=scene.id)),
        paths=tuple(paths),
    )


def read_labels(reader: Reader, scene: Scene, *, person: str = "") -> tuple[EventLabel, ...]:
    """Return the event labels of a scene, and those of its media that are not assigned to a scene.

    Args:
        reader: The project.
        scene: The scene.
        person: Id of the person who must not see independent labels of others, "" for nobody.
    """
    found = [*reader.find(EventLabel, scene=scene.id)]
    for view in scene.views:
        found += reader.find(EventLabel, medium=view.medium)
    # A label that names the scene and one of its media is found twice.
    labels = {label.id: label for label in found}
    return tuple(visible_labels(reader, [*labels.values()], person=person))


def read_flags(reader: Reader, targets: Iterable[str]) -> tuple[Flag, ...]:
    """Return the flags on records, in the order of the records."""
    return tuple(flag for target in targets for flag in reader.flags_of(target))
