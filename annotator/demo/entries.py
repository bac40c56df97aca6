"""The records of the demo's truth: scenes, media, regions, links, paths, and the items of its questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from annotator.demo.actions import kinds_of, motion_text, pose_at
from annotator.demo.camera import Camera
from annotator.demo.captures import Captures, Clip, Interior, Marked, Picture
from annotator.demo.flights import Flight
from annotator.demo.interiors.catalogue import catalogue
from annotator.demo.interiors.drawing import Scale, colours_of
from annotator.demo.interiors.floor_plan import FloorPlan
from annotator.demo.marks import is_vehicle
from annotator.demo.pictures import DEPTH_PER_M
from annotator.demo.quiz import Posed
from annotator.demo.truth import OTHER, VisibleObject
from annotator.domain.flight_actions import unit_steps
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.link import Link
from annotator.domain.medium import MediaType, Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_files import builtin
from annotator.domain.trajectory import Pose, Trajectory
from annotator.media.camera_homography import camera_homography
from annotator.queries.reader import Reader

MADE_BY = "demo truth 1"
LICENCE = "CC0-1.0"
"""Images of a place that does not exist, made by this program: free for everybody."""
_REGIONS_PER_FRAME = 8


def truth_records(captures: Captures, *, dataset: str, dataset_of_flights: str) -> Iterator[Record]:
    """Yield what was taken: media, scenes, poses, regions, links and paths.

    Args:
        captures: What was taken.
        dataset: Collection of the images and maps.
        dataset_of_flights: Collection of the clips.
    """
    for moment in captures.moments():
        yield from _SceneEntry(captures, moment.name, dataset=dataset).records()
    yield from _flight_records(captures.clips, dataset=dataset_of_flights)
    for interior in captures.interiors:
        yield from interior_records(interior, dataset=dataset)


class _SceneEntry:
    """The records of one scene of images."""

    def __init__(self, captures: Captures, name: str, *, dataset: str) -> None:
        self._pictures = captures.of_moment(name)
        self._marked = {m.picture.name: m for m in captures.marked_in(name)}
        self._name, self._dataset = name, dataset
        self._media = {p.name: _medium(p.name, dataset=dataset) for p in self._pictures}
        self._regions: dict[str, dict[int, Region]] = {}
        time_s = self._pictures[0].moment.time_s
        self._abnormal = {n for a in captures.anomalies if a.is_on(time_s) for n in a.bodies}

    def records(self) -> Iterator[Record]:
        """Yield media, the scene, the cameras' poses, regions and links."""
        yield from self._media.values()
        views = tuple(
            SceneView(name=p.shot.view, medium=self._media[p.name].id, to_ground=street_of(p))
            for p in self._pictures
        )
        moment = self._pictures[0].moment
        facts = {"place": moment.place, "time_s": moment.time_s, **self._depths()}
        scene = Scene(id=new_id(), name=self._name, dataset=self._dataset, views=views, metadata=facts)
        yield scene
        for picture in self._pictures:
            yield from self._depth_medium(picture)
            yield still_pose(picture, scene=scene.id)
            yield from self._regions_of(picture)
        yield from self._links(scene.id)

    def _depths(self) -> dict[str, object]:
        named = {p.shot.view: p.depth for p in self._pictures if p.depth}
        return {"depth_maps": named, "depth_units_per_m": DEPTH_PER_M} if named else {}

    def _depth_medium(self, picture: Picture) -> Iterator[Record]:
        if picture.depth:
            yield _medium(picture.depth, dataset=self._dataset, kind="depth")

    def _regions_of(self, picture: Picture) -> Iterator[Record]:
        """Yield the regions of a marked image, on the clean one and on the one with boxes drawn in."""
        marked = self._marked.get(picture.name)
        if marked is None:
            return
        drawn = _medium(marked.name, dataset=self._dataset)
        yield drawn
        clean = {
            s.mover.number: self._region(s, medium=self._media[picture.name].id, number=n)
            for n, s in enumerate(marked.visible_objects)
        }
        self._regions[picture.shot.view] = clean
        yield from clean.values()
        yield from (self._region(s, medium=drawn.id, number=n) for n, s in enumerate(marked.visible_objects))

    def _region(self, visible_object: VisibleObject, *, medium: str, number: int) -> Region:
        region = _region(visible_object, medium=medium, number=number)
        return msgspec.structs.replace(region, is_abnormal=visible_object.mover.number in self._abnormal)

    def _links(self, scene: str) -> Iterator[Record]:
        # By the number of the thing in the world: that is what makes the links true without looking at
        # images.
        shown: dict[int, list[str]] = defaultdict(list)
        for regions in self._regions.values():
            for number, region in regions.items():
                shown[number].append(region.id)
        for ids in shown.values():
            if len(ids) > 1:
                yield Link(id=new_id(), scene=scene, regions=tuple(ids), kind="same")
        for marked in self._marked.values():
            yield from self._occlusions(marked, scene)

    def _occlusions(self, marked: Marked, scene: str) -> Iterator[Record]:
        """Yield what stands before a thing; what is hidden mostly has its region in another view."""
        regions = self._regions[marked.picture.shot.view]
        hidden_in = {
            s.mover.number: s for s in marked.picture.visible_objects if s.hidden_by and is_vehicle(s)
        }
        # It may be a tree, or a thing without a region in this view: no link leads there.
        hiders = regions.keys() - {OTHER}
        for number, visible_object in hidden_in.items():
            hider = next((n for n in visible_object.hidden_by if n in hiders), None)
            hidden = regions.get(number) or self._elsewhere(number, besides=marked.picture.shot.view)
            if hider is not None and hidden is not None:
                yield Link(id=new_id(), scene=scene, regions=(regions[hider].id, hidden.id), kind="occludes")

    def _elsewhere(self, number: int, *, besides: str) -> Region | None:
        found = (r[number] for view, r in self._regions.items() if view != besides and number in r)
        return next(found, None)


def still_pose(picture: Picture, *, scene: str) -> Trajectory:
    """Return the pose of the camera that took an image, as a trajectory of one pose."""
    camera = picture.shot.camera
    return Trajectory(
        scene=scene,
        id=new_id(),
        name=picture.name,
        view=picture.shot.view,
        axes="east-north-up",
        poses=(camera_pose(camera),),
        orientations=(camera.orientation,),
        times_s=(0.0,),
        intrinsics=camera.intrinsics(picture.shot.size_px),
    )


def street_of(picture: Picture) -> tuple[float, ...]:
    """Return the homography from a still to the streets, at height 0; a clip has none, its camera moves."""
    camera = picture.shot.camera
    street = camera_homography(
        camera_pose(camera),
        orientation=camera.orientation,
        intrinsics=camera.intrinsics(picture.shot.size_px),
    )
    return street.numbers if street is not None else ()


def camera_pose(camera: Camera) -> Pose:
    """Return a camera's place east-north-up and its yaw, anticlockwise from east."""
    # Headings count clockwise from north, yaw anticlockwise from east.
    yaw = (90.0 - camera.heading_deg + 180) % 360 - 180
    return Pose(x_m=camera.x_m, y_m=-camera.y_m, z_m=camera.altitude_m, yaw_deg=yaw)


def _flight_records(clips: Sequence[Clip], *, dataset: str) -> Iterator[Record]:
    by_scene: dict[str, list[Clip]] = defaultdict(list)
    for clip in clips:
        by_scene[clip.flight.scene].append(clip)
    for name, together in by_scene.items():
        media = [_medium(clip.name, dataset=dataset, kind="video") for clip in together]
        yield from media
        views = tuple(
            SceneView(name=c.flight.view, medium=m.id) for c, m in zip(together, media, strict=True)
        )
        scene = Scene(
            id=new_id(),
            name=name,
            dataset=dataset,
            views=views,
            metadata={
                "start_s": together[0].flight.start_s,
                "movement_instructions": [motion_text(leg.do) for leg in together[0].flight.legs],
                "destination": next(iter(sorted(together[0].frames[-1].landmarks)), ""),
            },
        )
        yield scene
        for clip, medium in zip(together, media, strict=True):
            yield flight_trajectory(clip.flight, scene=scene.id)
            yield from (_medium(clip.flight.frame_name(n), dataset=dataset) for n in clip.flight.key_frames)
            yield from _frame_regions(clip, medium.id)


def flight_trajectory(flight: Flight, *, scene: str) -> Trajectory:
    """Return a flight's poses, one a frame, with its discrete actions and the frames where legs begin."""
    times = flight.times_s()
    cameras = [flight.camera_at(time_s) for time_s in times]
    poses = tuple(pose_at(flight, time_s) for time_s in times)
    return Trajectory(
        id=new_id(),
        scene=scene,
        name=flight.name,
        view=flight.view,
        axes="east-north-up",
        poses=poses,
        orientations=tuple(camera.orientation for camera in cameras),
        times_s=tuple(round(t, 6) for t in times),
        key_frames=tuple(min(len(poses) - 1, round(begin * flight.fps)) for begin, _ in flight.spans_s()),
        # One fewer than poses: an action leads from one pose to the next.
        actions=tuple(flight.legs[flight.leg_at(t)].do for t in times[:-1]),
        intrinsics=cameras[0].intrinsics(),
        metadata={"steps": unit_steps(poses), "action_type": kinds_of(flight)},
    )


def _frame_regions(clip: Clip, medium: str) -> Iterator[Record]:
    """Yield regions of the largest vehicles, one frame a second; a thing keeps its number in the clip."""
    numbers: dict[int, int] = {}
    for index, frame in enumerate(clip.frames):
        # Frames without a look, all but one a second, have no visible objects and so no regions.
        seen = [s for s in frame.visible_objects if is_vehicle(s)]
        for visible_object in sorted(seen, key=lambda s: -s.pixels)[:_REGIONS_PER_FRAME]:
            number = numbers.setdefault(visible_object.mover.number, len(numbers))
            yield _region(visible_object, medium=medium, number=number, frame=index)


def interior_records(interior: Interior, *, dataset: str) -> Iterator[Record]:
    """Yield the maps of a floor plan, its ways and rooms, and a scene for each room with maps of its own."""
    plan = interior.plan
    views = []
    for kind in ("realistic", "semantic"):
        whole = _medium(interior.map_name(kind), dataset=dataset, kind="map")
        views.append(SceneView(name=kind, medium=whole.id))
        yield whole
        yield from _map_regions(plan, whole.id)
        for part, route in interior.routes.items():
            drawn = _medium(interior.map_name(kind, part), dataset=dataset, kind="map")
            points = tuple(Scale(plan).point(*p) for p in route.points)
            views.append(SceneView(name=f"{kind} {part}", medium=drawn.id))
            yield drawn
            yield Polyline(id=new_id(), medium=drawn.id, points=points, label=part, is_in_image=True)
    yield _map_scene(plan.name, views, plan=plan, dataset=dataset)
    for number in interior.rooms_alone:
        yield from _room_records(interior, number, dataset=dataset)


def _room_records(interior: Interior, number: int, *, dataset: str) -> Iterator[Record]:
    """Yield the maps of one room, as a scene of its own: another place than the whole floor."""
    views = []
    for kind in ("realistic", "semantic"):
        alone = _medium(interior.map_name(kind, f"room-{number}"), dataset=dataset, kind="map")
        views.append(SceneView(name=kind, medium=alone.id))
        yield alone
        yield from _map_regions(interior.plan, alone.id, only=number)
    yield _map_scene(interior.room_scene(number), views, plan=interior.plan, dataset=dataset)


def _map_scene(name: str, views: list[SceneView], *, plan: FloorPlan, dataset: str) -> Scene:
    facts = {"rooms": [room.kind for room in plan.rooms], "colours": colours_of(plan)}
    shown = tuple(sorted(views, key=lambda view: view.name))
    return Scene(id=new_id(), name=name, dataset=dataset, views=shown, metadata=facts)


def _map_regions(plan: FloorPlan, medium: str, *, only: int | None = None) -> Iterator[Record]:
    """Yield the regions of a map: objects, then rooms, each with its number on the map of the floor.

    Args:
        plan: The floor plan.
        medium: Id of the map.
        only: Number of the only room that the map shows, None for all.
    """
    scale = Scale(plan)
    left, top = (0, 0) if only is None else scale.box(plan.rooms[only].area)[:2]
    objects = [(thing.category, thing.area, thing.room, False) for thing in plan.objects]
    rooms = [(room.kind, room.area, number, True) for number, room in enumerate(plan.rooms)]
    for number, (category, area, room, is_room) in enumerate(objects + rooms):
        if only in (None, room):
            x1, y1, x2, y2 = scale.box(area)
            yield Region(
                id=new_id(),
                medium=medium,
                number=number,
                box=Box(x1=x1 - left, y1=y1 - top, x2=x2 - left, y2=y2 - top),
                category=category,
                made_by=MADE_BY,
                is_room=is_room,
                height_m=None if is_room else catalogue().objects[category].height_m,
            )


def _medium(name: str, *, dataset: str, kind: MediaType = "image") -> Medium:
    return Medium(id=new_id(), name=name, dataset=dataset, media_type=kind, path=name, licence=LICENCE)


def _region(visible_object: VisibleObject, *, medium: str, number: int, frame: int | None = None) -> Region:
    return Region(
        id=new_id(),
        medium=medium,
        number=number,
        box=Box(x1=visible_object.x1, y1=visible_object.y1, x2=visible_object.x2, y2=visible_object.y2),
        frame=frame,
        category=visible_object.mover.category,
        made_by=MADE_BY,
        track=str(visible_object.mover.number),
        visible=visible_object.shown,
    )


def homes_of_derived(captures: Captures, scenes: Iterable[Scene]) -> dict[str, str]:
    """Return ids of scenes that an importer made of derived images, each with that of the scene they show."""
    known = list(scenes)
    by_name = {scene.name: scene.id for scene in known}
    homes = {scene.id: by_name.get(_home_of(scene.name, captures), "") for scene in known}
    return {scene: home for scene, home in homes.items() if home}


def _home_of(name: str, captures: Captures) -> str:
    """Return the name of the scene that a derived one comes from, "" for one of its own."""
    folder, _, rest = name.partition("/")
    if folder == "frames":
        flights = (clip.flight for clip in captures.clips)
        return next((f.scene for f in flights if rest.startswith(f"{f.scene}-{f.view}-")), "")
    names = [moment.name for moment in captures.moments()]
    return next((n for n in names if folder == "detected" and (rest == n or rest.startswith(f"{n}-"))), "")


def question_items(posed: Iterable[Posed], reader: Reader, *, seed: int) -> Iterator[Item]:
    """Yield questions as items, their media and scenes found by name.

    Args:
        posed: The questions with their letters.
        reader: Of the project with the media and scenes.
        seed: The seed that they were made with.
    """
    media = {m.name: m.id for m in reader.records(Medium)}
    scenes = {s.name: s.id for s in reader.records(Scene)}
    for one in posed:
        asked = one.question
        options = tuple(
            Option(letter=letter, text=text) for letter, text in zip(LETTERS, one.options, strict=False)
        )
        yield Item(
            id=new_id(),
            name=f"Demo_{_part(builtin(asked.task_set), asked.task)}_{one.number:05d}",
            task_set=asked.task_set,
            task=asked.task,
            question=asked.text,
            options=options,
            answer_format=asked.answer_format,
            answer_key=one.key,
            scene=scenes[asked.scene],
            view=asked.view,
            media=tuple(media[name] for name in asked.media),
            provenance=Provenance(made_by="rule", maker=f"demo.{asked.task_set}@1", seed=seed),
            extras=dict(asked.extras),
        )


def _part(task_set: TaskSet, task: str) -> str:
    """Return the part of a public id that tells the task: the set's own, or its id in words."""
    found = task_set.task(task)
    return found.id_parts[0] if found.id_parts else f"{task_set.id}_{found.id}"
