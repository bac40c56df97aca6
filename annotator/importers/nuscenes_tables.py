"""The tables of a nuScenes folder: samples, their cameras' pictures and poses, what the annotations refer to.

Source: nuScenes' documentation, "Schema"; the simulations of AirCopBench use the same tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from annotator.domain.trajectory import Intrinsics
from annotator.errors import UserError
from annotator.importers.box_geometry import Size, image_size, pixel
from annotator.importers.imported_record import ImportedMedium, ImportedScene, ImportIssue
from annotator.importers.input_folder import InputFolder
from annotator.importers.item_parts import medium_of
from annotator.importers.json_tables import JsonTables, decoded
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.rigid_transform import RigidTransform, transform_of
from annotator.progress import Progress

MOST_ROWS = 5_000_000
"""Rows that are kept of all tables together; nuScenes' own key frames need half a million."""
_PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_MARK = "sample_data.json"

Value = TypeVar("Value")


class Camera(msgspec.Struct, frozen=True):
    """One camera's picture of one sample.

    Attributes:
        channel: Name of camera and view.
        medium: The image.
        size: Width and height in pixels, None if missing.
        sample: Token of the sample.
        time: Time in microseconds, None if missing.
        ego: Transform from the vehicle's to the world's axes, None if missing.
        sensor: Transform from the camera's to the vehicle's axes, with the intrinsics.
    """

    channel: str
    medium: ImportedMedium
    size: Size | None
    sample: str
    time: float | None
    ego: RigidTransform | None
    sensor: Sensor

    @property
    def pose(self) -> RigidTransform | None:
        """From the camera's axes to those of the world, None where a part of it is not told."""
        mount = self.sensor.mount
        return None if self.ego is None or mount is None else self.ego.after(mount)


@dataclass(frozen=True, slots=True)
class Sensor:
    """A calibrated sensor.

    Attributes:
        channel: Its name, "" where it is not told.
        mount: From its axes to those of the vehicle, None where it is not told.
        matrix: Focal lengths and principal point fx, fy, cx, cy in pixels; None for what is no camera.
    """

    channel: str = ""
    mount: RigidTransform | None = None
    matrix: tuple[float, float, float, float] | None = None

    def intrinsics(self, size: Size) -> Intrinsics | None:
        """Return the pinhole camera for pictures of a size."""
        if self.matrix is None:
            return None
        fx, fy, cx, cy = self.matrix
        return Intrinsics(fx=fx, fy=fy, cx=cx, cy=cy, width_px=size[0], height_px=size[1])


@dataclass(slots=True)
class NuScenesTables:
    """What the annotations of a folder refer to, by tokens.

    Attributes:
        cameras: Pictures by sample.
        scenes: The scene of each sample.
        flights: Name of the sequence of each sample.
        categories: Name of the category of each instance.
        faults: Rows that cannot be taken.
    """

    cameras: dict[str, list[Camera]] = field(default_factory=lambda: defaultdict(list))
    scenes: dict[str, ImportedScene] = field(default_factory=dict)
    flights: dict[str, str] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)
    faults: list[ImportIssue] = field(default_factory=list)


def table_names(folder: InputFolder) -> dict[str, str]:
    """Return the files of a folder by the table that they hold: those beside its ``sample_data.json``."""
    found = next((name for name in folder.names if name.rpartition("/")[2] == _MARK), None)
    if found is None:
        return {}
    root = found.removesuffix(_MARK)
    below = (name for name in folder.under(root) if "/" not in name[len(root) :] and name.endswith(".json"))
    return {name[len(root) :].removesuffix(".json"): name for name in below}


def load_tables(folder: InputFolder, *, progress: Progress) -> NuScenesTables:
    """Return what the annotations refer to; of the pictures, those of cameras at key frames.

    Raises:
        UserError: There is too much of it.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    return _Loader(folder, progress).load()


class _Loader:
    """Reads the tables one after the other, those that others refer to first."""

    def __init__(self, folder: InputFolder, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._names = table_names(folder)
        self._rows = 0
        self._tables = NuScenesTables()

    def load(self) -> NuScenesTables:
        tables = self._tables
        channels = self._table("sensor", lambda row: row.text("channel") or "")
        sensors = self._table("calibrated_sensor", lambda row: _sensor(row, channels))
        names = self._table("scene", lambda row: row.text("name") or row.required_text("token"))
        # Each before those that name it by its token.
        samples = self._table("sample", lambda row: (row.text("scene_token") or "", _time(row)))
        pictures = self._table("sample_data", lambda row: _picture(row, sensors))
        found = [picture for picture in pictures.values() if picture is not None]
        # nuScenes has two and a half million poses, of which key frames need a tenth.
        egos = self._table("ego_pose", transform_of, wanted={ego for _, ego in found})
        for picture, ego in found:
            camera = _placed(picture, egos.get(ego))
            tables.cameras[camera.sample].append(camera)
        for sample in tables.cameras:
            sequence, time = samples.get(sample, ("", None))
            self._name_sample(sample, flight=names.get(sequence, ""), time=time)
        categories = self._table("category", lambda row: row.required_text("name"))
        tables.categories = self._table(
            "instance", lambda row: categories.get(row.text("category_token") or "", "")
        )
        return tables

    def _name_sample(self, sample: str, *, flight: str, time: float | None) -> None:
        """Give a sample its scene and flight; without a name or time the scene is called by its token."""
        tables = self._tables
        tables.flights[sample] = flight or "flight"
        cameras = sorted(tables.cameras[sample], key=lambda camera: camera.channel)
        moment = f"{flight} {time:.0f}" if flight and time is not None else sample
        tables.scenes[sample] = ImportedScene(name=moment, views=tuple(camera.medium for camera in cameras))

    def _table(
        self, table: str, take: Callable[[RecordFields], Value], *, wanted: Container[str] | None = None
    ) -> dict[str, Value]:
        """Return what is taken of a table's rows by their tokens; what cannot be is among the faults."""
        taken: dict[str, Value] = {}
        self._progress.begin(f"Reading {table}")
        for token, row, line in self._rows_of(table):
            if wanted is not None and token not in wanted:
                continue
            try:
                taken[token] = take(row)
            except RecordError as fault:
                self._reject(table, token, line, fault)
            self._rows += 1
            if self._rows > MOST_ROWS:
                message = f"{self._folder.name} has more than {MOST_ROWS:,} rows besides its annotations."
                raise UserError(message, hint="Split it into several folders.")
        return taken

    def _rows_of(self, table: str) -> Iterator[tuple[str, RecordFields, int]]:
        if table not in self._names:
            return
        for row in JsonTables(self._folder.file(self._names[table])).rows(lambda _: True):
            self._progress.step()
            try:
                fields = RecordFields(decoded(row).value)
                yield fields.required_text("token"), fields, row.line
            except RecordError as fault:
                self._reject(table, str(row.number), row.line, fault)

    def _reject(self, table: str, token: str, line: int, fault: RecordError) -> None:
        locator = f"{table} {token[:80]}"
        self._tables.faults.append(fault.issue(line=line, locator=locator))


def _sensor(row: RecordFields, channels: dict[str, str]) -> Sensor:
    matrix = row.listing("camera_intrinsic") or None
    mount = transform_of(row) if row.get("rotation") is not None else None
    return Sensor(channels.get(row.text("sensor_token") or "", ""), mount, _pinhole(matrix))


def _pinhole(matrix: object) -> tuple[float, float, float, float] | None:
    if matrix is None:
        return None
    flat = [pixel(value, field="camera_intrinsic") for line in _lines_of_three(matrix) for value in line]
    if len(flat) != 9 or flat[0] <= 0 or flat[4] <= 0:
        raise _no_matrix()
    return flat[0], flat[4], flat[2], flat[5]


def _lines_of_three(matrix: object) -> list[list[object]]:
    if not isinstance(matrix, list) or not all(isinstance(line, list) and len(line) == 3 for line in matrix):
        raise _no_matrix()
    return matrix


def _no_matrix() -> RecordError:
    return RecordError("camera_intrinsic", "It should be three lines of three numbers.")


def _time(row: RecordFields) -> float | None:
    return row.number("timestamp")


def _picture(row: RecordFields, sensors: dict[str, Sensor]) -> tuple[Camera, str] | None:
    """Return a camera's picture and the token of its vehicle's pose; None for other sensors and sweeps."""
    name = row.text("filename") or ""
    if not name.lower().endswith(_PICTURE_ENDINGS) or row.get("is_key_frame") is False:
        # Sweeps between key frames have no annotations.
        return None
    sensor = sensors.get(row.text("calibrated_sensor_token") or "", Sensor())
    # Without the table of sensors, the folder of the picture is named after the camera.
    channel = sensor.channel or row.text("channel") or name.rpartition("/")[0].rpartition("/")[2]
    medium = medium_of(name, field="filename", view=channel, fields=row)
    size = image_size([row.get(side) for side in ("width", "height")], field="width")
    sample = row.required_text("sample_token")
    camera = Camera(channel, medium, size, sample, _time(row), None, sensor)
    return camera, row.text("ego_pose_token") or ""


def _placed(camera: Camera, ego: RigidTransform | None) -> Camera:
    return Camera(camera.channel, camera.medium, camera.size, camera.sample, camera.time, ego, camera.sensor)
