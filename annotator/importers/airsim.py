"""Reads AirSim's recordings and poses: ``airsim_rec.txt``, poses as JSON, the vehicles of ``settings.json``.

A recording becomes one trajectory per vehicle, in a scene with the recording's name whose view is the folder
of its images: image n of the trajectory's metadata ``images`` was taken at pose n.

Source: AirSim's documentation, "Recording", "Image APIs" and "Settings": positions in metres north, east and
down; orientations from the body's axes to those; times in milliseconds, from its API in nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from annotator.domain.trajectory import Pose, Trajectory
from annotator.importers.airsim_poses import FlightPose, pose_of_json, pose_of_row, pose_of_vehicle, times_of
from annotator.importers.imported_record import (
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile, fault_of_text, printable
from annotator.importers.json_text import JsonText
from annotator.importers.media_paths import read_path
from annotator.importers.record_fields import RecordError
from annotator.importers.region_parts import raw

AXES = "north-east-down"
MOST_VEHICLES = 1000
_HEADER = re.compile(r"(?:VehicleName\t)?TimeStamp\tPOS_X\tPOS_Y\tPOS_Z\tQ_W\tQ_X\tQ_Y\tQ_Z\b")
_VERSION = re.compile(r'"SettingsVersion"\s*:')
_VEHICLES = re.compile(r'"Vehicles"\s*:\s*\{')
_VEHICLE = re.compile(r'"VehicleType"\s*:')
_POSES = re.compile(r'"(?:x_val)"\s*:')
_RECORDING = "airsim_rec"


@dataclass(slots=True)
class _Flight:
    """The poses of one vehicle so far."""

    line: int
    poses: list[FlightPose] = field(default_factory=list)
    rows: list[object] = field(default_factory=list)


class AirSim(FileImporter):
    """Takes flights in as trajectories."""

    id = "airsim"
    title = "AirSim poses (text)"
    files = "AirSim recordings (`airsim_rec.txt`), poses of its API, `settings.json`"
    gives = "trajectories"
    fields = ("VehicleName", "TimeStamp", "POS_X", "POS_Y", "POS_Z", "Q_W", "Q_X", "Q_Y", "Q_Z", "ImageFile")

    def recognizes(self, file: InputFile) -> bool:
        """Look for the header of a recording, poses as its API gives them, or its settings."""
        head = file.head
        return bool(_HEADER.match(head) or _POSES.search(head)) or _is_settings(head)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the rows that cannot be read, then a trajectory per vehicle."""
        flights: dict[str, _Flight] = {}
        if file.text.lstrip().startswith(("{", "[")):
            yield from _read_json(JsonText(file.text), flights, context)
        else:
            yield from _read_rows(file.text, flights, context)
        keys = ImportKeys(format_id=self.id, dataset=context.dataset)
        for vehicle, flight in flights.items():
            yield _found(vehicle, flight, name=_recording_name(file), keys=keys, dataset=context.dataset)


def _is_settings(head: str) -> bool:
    """Tell whether a text begins like AirSim's settings: with their version, or with vehicles of a type."""
    if not head.lstrip().startswith("{"):
        return False
    # One search per word: a single pattern would be quadratic, trying each occurrence of the first word with
    # the rest of the text.
    vehicles = _VEHICLES.search(head)
    return bool(_VERSION.search(head) or (vehicles and _VEHICLE.search(head, vehicles.end())))


def _read_rows(text: str, flights: dict[str, _Flight], context: ImportContext) -> Iterator[ImportIssue]:
    lines = text.splitlines()
    header = [name.strip() for name in lines[0].split("\t")] if lines else []
    indices = {name: header.index(context.mapping.get(name, name)) for name in AirSim.fields
              if context.mapping.get(name, name) in header}  # fmt: skip
    context.progress.begin("Reading the recording", total=len(lines) - 1)
    for number, line in enumerate(lines[1:], start=2):
        context.progress.step()
        if not line.strip():
            continue
        try:
            if fault := fault_of_text(line):
                raise RecordError("", fault)
            _add(flights, pose_of_row(line.split("\t"), indices), line, at=number)
        except RecordError as fault:
            yield fault.issue(line=number, locator=f"line {number}")


def _read_json(json: JsonText, flights: dict[str, _Flight], context: ImportContext) -> Iterator[ImportIssue]:
    context.progress.begin("Reading the poses")
    for number, element in enumerate(json.top_elements(), start=1):
        context.progress.step()
        line = json.line_of(element.fault.at if element.fault else element.start)
        try:
            if element.fault is not None:
                raise element.fault.error()
            if isinstance(element.value, dict) and isinstance(element.value.get("Vehicles"), dict):
                for name, vehicle in element.value["Vehicles"].items():
                    _add(flights, pose_of_vehicle(name, vehicle), vehicle, at=line)
            else:
                _add(flights, pose_of_json(element.value), element.value, at=line)
        except RecordError as fault:
            yield fault.issue(line=line, locator=f"pose {number}")


def _add(flights: dict[str, _Flight], pose: FlightPose, row: object, *, at: int) -> None:
    if pose.vehicle not in flights and len(flights) >= MOST_VEHICLES:
        raise RecordError("VehicleName", f"The file has more than {MOST_VEHICLES:,} vehicles.")
    flight = flights.setdefault(pose.vehicle, _Flight(line=at))
    flight.poses.append(pose)
    flight.rows.append(row)


def _recording_name(file: InputFile) -> str:
    """Return what the recording is called: AirSim names the folder by the time, and all files alike."""
    # All recordings are called airsim_rec.txt.
    folder = printable(file.path.parent.name)
    return folder if file.stem == _RECORDING and folder not in {"", ".", ".."} else file.stem


def _found(vehicle: str, flight: _Flight, *, name: str, keys: ImportKeys, dataset: str) -> ImportedRecord:
    poses, original = flight.poses, raw(flight.rows)
    facts: dict[str, object] = {}
    images = [pose.image for pose in poses]
    if any(images):
        # Where no pose has a picture there is no list; where some have, places must agree with the poses.
        facts["images"] = images
    title = f"{name} {vehicle}" if vehicle else name
    record = Trajectory(
        scene="",
        name=title,
        poses=tuple(Pose(x_m=pose.x_m, y_m=pose.y_m, z_m=pose.z_m, yaw_deg=pose.yaw_deg) for pose in poses),
        view=vehicle,
        axes=AXES,
        orientations=tuple(pose.orientation for pose in poses),
        times_s=times_of(poses),
        metadata=facts,
        locator=f"vehicle {vehicle}" if vehicle else "poses",
        original=original,
        corrections=tuple(note for pose in poses for note in pose.notes),
        import_key=keys.key_of(bytes(original), context=title),
    )
    media = (_pictures(name, vehicle, images),) if any(images) else ()
    scene = ImportedScene(name=name, views=media)
    return ImportedRecord(record=record, line=flight.line, dataset=dataset, media=media, scene=scene)


def _pictures(name: str, vehicle: str, images: list[str]) -> ImportedMedium:
    """Return the folder of a recording's images, which AirSim creates next to the text file."""
    first = next(image for image in images if image)
    folder = read_path(f"{name}/images/{first}").path.rpartition("/")[0] if "/" not in first else ""
    folder = folder or read_path(first).path.rpartition("/")[0] or f"{name}/images"
    path = read_path(folder).path
    # Two vehicles have their pictures in one folder; each is a view of its own.
    return ImportedMedium(name=f"{folder} {vehicle}".strip(), path=path, kind="frames", view=vehicle)
