"""Reads folders of nuScenes tables: 3D boxes as regions in each camera's image, flights as trajectories.

A 3D box is clipped at a plane just in front of the camera, so that a box around the camera has a finite
outline too. Its region is the bounding box of the outline, clipped to the image. The 3D fields are kept in
the original. Regions of one instance in the images of one sample have the instance as identity and are
linked.

Source: nuScenes' documentation, "Schema": boxes of width, length, height along their y, x and z axes;
rotations w x y z; cameras look along z, x to the right, y down; times in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from annotator.domain.region import Box
from annotator.domain.trajectory import Intrinsics, Pose, Trajectory
from annotator.importers.box_geometry import ImportedShape
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue, ImportKeys
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_folder import InputFolder
from annotator.importers.json_tables import JsonRow, JsonTables, decoded
from annotator.importers.nuscenes_tables import Camera, NuScenesTables, load_tables, table_names
from annotator.importers.projected_boxes import Box3D, CameraPose, project
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import raw, region_of
from annotator.importers.rigid_transform import RigidTransform, numbers_of, transform_of

ANNOTATIONS = "sample_annotation"
AXES = "east-north-up"
BATCH = 2000
# The unit of ``timestamp`` in nuScenes' tables.
_MICROSECONDS = 1e6


class _Annotation(msgspec.Struct, frozen=True):
    """One row of the annotations."""

    row: JsonRow
    original: bytes
    sample: str
    instance: str
    category: str
    solid: Box3D


class NuScenes(FolderImporter):
    """Takes 3D boxes in as regions of the pictures that show them, and the cameras' ways as trajectories."""

    id = "nuscenes"
    title = "nuScenes tables (folder)"
    files = "folders of nuScenes' tables"
    gives = "regions, links, trajectories"

    def recognizes(self, folder: InputFolder) -> bool:
        """Search for the tables of images and of annotations or poses in one folder."""
        names = table_names(folder).keys()
        return "sample_data" in names and bool({ANNOTATIONS, "ego_pose", "calibrated_sensor"} & names)

    def read(self, folder: InputFolder, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what is wrong with the tables, the regions in the annotations' order, the trajectories."""
        tables = load_tables(folder, progress=context.progress)
        yield from tables.faults
        boxes = _Boxes(tables, context)
        names = table_names(folder)
        context.progress.begin(f"Importing {folder.name}")
        if ANNOTATIONS in names:
            rows = JsonTables(folder.file(names[ANNOTATIONS])).rows(lambda _: True)
            while batch := list(islice(rows, BATCH)):
                context.progress.step(len(batch))
                yield from boxes.found(batch)
        yield from _flights(tables, dataset=context.dataset)


class _Boxes:
    """The annotations of one folder."""

    def __init__(self, tables: NuScenesTables, context: ImportContext) -> None:
        self._tables = tables
        self._context = context
        self._known_eyes: dict[str, list[tuple[Camera, CameraPose]]] = {}
        self._keys = ImportKeys(format_id=NuScenes.id, dataset=context.dataset)

    def found(self, rows: list[JsonRow]) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the regions of a batch, which are projected all at once."""
        entries = [self._entry(row) for row in rows]
        seen = self._seen([entry for entry in entries if isinstance(entry, _Annotation)])
        for row, entry in zip(rows, entries, strict=True):
            if isinstance(entry, ImportIssue):
                yield entry
            elif row.number in seen:
                # Once for each picture that shows it: the same annotation, cut for another camera.
                yield from seen[row.number]
            else:
                message = (
                    "No image of the sample contains it, or no image has a calibrated camera and a pose."
                )
                yield _rejected(row, RecordError("translation", message))

    def _seen(self, annotations: list[_Annotation]) -> dict[int, list[ImportedRecord]]:
        """Return the regions of annotations by the number of their row, one for each picture with it."""
        pairs = [
            (annotation, camera, eye)
            for annotation in annotations
            for camera, eye in self._cameras(annotation.sample)
        ]
        boxes = project([(one.solid, eye) for one, _, eye in pairs]).tolist()
        seen: dict[int, list[ImportedRecord]] = {}
        for (one, camera, eye), box in zip(pairs, boxes, strict=True):
            # NaN, which is unlike itself, stands for what is not in the picture.
            if box[0] == box[0]:
                seen.setdefault(one.row.number, []).append(self._region(one, camera, eye, box))
        return seen

    def _entry(self, row: JsonRow) -> _Annotation | ImportIssue:
        try:
            element = decoded(row)
            fields = RecordFields(element.value)
            width, length, height = numbers_of(fields, "size", count=3)
            if min(width, length, height) < 0:
                raise RecordError("size", "A box has no negative sides.")
            instance = fields.required_text("instance_token")
            named = fields.text("category_name") or self._tables.categories.get(instance, "")
            solid = Box3D(transform_of(fields), (width, length, height))
            return _Annotation(
                row, element.original, fields.required_text("sample_token"), instance, named, solid
            )
        except RecordError as fault:
            return _rejected(row, fault)

    def _cameras(self, sample: str) -> list[tuple[Camera, CameraPose]]:
        found = self._known_eyes.get(sample)
        if found is None:
            found = self._known_eyes[sample] = list(self._load_cameras(sample))
        return found

    def _load_cameras(self, sample: str) -> Iterator[tuple[Camera, CameraPose]]:
        for camera in self._tables.cameras.get(sample, ()):
            size = camera.size or self._context.size_of(self._context.dataset, camera.medium.name)
            pose, matrix = camera.pose, camera.sensor.matrix
            if size is not None and pose is not None and matrix is not None:
                yield camera, CameraPose(pose, matrix, size)

    def _region(self, one: _Annotation, camera: Camera, eye: CameraPose, box: list[float]) -> ImportedRecord:
        x1, y1, x2, y2 = box
        width, height = eye.size
        inside = Box(x1=max(x1, 0.0), y1=max(y1, 0.0), x2=min(x2, width), y2=min(y2, height))
        context = f"{camera.medium.name}\0{one.category}"
        record = region_of(
            ImportedShape(inside),
            category=one.category,
            made_by=NuScenes.id,
            track=one.instance,
            locator=f"{ANNOTATIONS} {one.row.number}",
            original=msgspec.Raw(one.original),
            import_key=self._keys.key_of(one.original, context=context),
        )
        return ImportedRecord(
            record=record,
            line=one.row.line,
            dataset=self._context.dataset,
            media=(camera.medium,),
            scene=self._tables.scenes[one.sample],
            identity=one.instance,
        )


def _rejected(row: JsonRow, fault: RecordError) -> ImportIssue:
    return fault.issue(line=row.line_of(fault.field), locator=row.locator.replace("record", ANNOTATIONS))


def _flights(tables: NuScenesTables, *, dataset: str) -> Iterator[ImportedRecord]:
    """Yield the way of each camera through each sequence, in order of time."""
    cameras_by_flight: dict[tuple[str, str], list[Camera]] = {}
    for sample, cameras in tables.cameras.items():
        for camera in cameras:
            # Cameras without a pose saw something, but nobody knows from where.
            if camera.pose is not None:
                cameras_by_flight.setdefault((tables.flights[sample], camera.channel), []).append(camera)
    keys = ImportKeys(format_id=NuScenes.id, dataset=dataset)
    for (flight, channel), cameras in cameras_by_flight.items():
        cameras.sort(key=lambda camera: camera.time or 0.0)
        yield _flight(flight, channel, cameras, keys=keys, dataset=dataset)


def _flight(
    flight: str, channel: str, cameras: list[Camera], *, keys: ImportKeys, dataset: str
) -> ImportedRecord:
    placed = [(camera, pose) for camera in cameras if (pose := camera.pose) is not None]
    times = [camera.time for camera in cameras if camera.time is not None]
    # What it was computed from stands in two tables; this is what all of it comes to.
    pictures = [camera.medium.name for camera in cameras]
    original = raw({"pictures": pictures, "timestamps": times})
    record = Trajectory(
        scene="",
        name=f"{flight} {channel}".strip(),
        poses=tuple(_pose(camera, pose) for camera, pose in placed),
        view=channel,
        axes=AXES,
        orientations=tuple(pose.rotation for _, pose in placed),
        # Half a list of times would be taken for the first so many poses.
        times_s=tuple((time - times[0]) / _MICROSECONDS for time in times)
        if len(times) == len(cameras)
        else (),
        intrinsics=_intrinsics(cameras),
        metadata={"pictures": pictures},
        locator=f"ego_pose, {channel}",
        original=original,
        import_key=keys.key_of(bytes(original), context=f"{flight}\0{channel}"),
    )
    return ImportedRecord(record=record, line=1, dataset=dataset, scene=ImportedScene(name=flight))


def _intrinsics(cameras: list[Camera]) -> Intrinsics | None:
    """Return the pinhole camera of the first image with a known size: all images are of one camera."""
    return next((camera.sensor.intrinsics(camera.size) for camera in cameras if camera.size), None)


def _pose(camera: Camera, pose: RigidTransform) -> Pose:
    """Return where a camera is, and where its vehicle heads: cameras that look down have no heading."""
    x, y, z = pose.shift_m
    heading = camera.ego.yaw_deg if camera.ego is not None else pose.yaw_deg
    return Pose(x_m=x, y_m=y, z_m=z, yaw_deg=heading)
