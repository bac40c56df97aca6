"""What is true about each scene, as JSON beside the project: for tests, and for whoever wants to check."""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.demo.actions import amount_text, kinds_of, pose_at
from annotator.demo.camera import Camera
from annotator.demo.captures import Captures, Clip, Interior, Picture
from annotator.demo.entries import camera_pose
from annotator.demo.interiors.asking import plan_truth
from annotator.demo.pictures import DEPTH_PER_M
from annotator.demo.truth import OTHER, VisibleObject
from annotator.domain.flight_actions import unit_steps
from annotator.domain.trajectory import Quaternion

FOLDER = "truth"
_ABOUT = {
    "axes": "x east, y north, z up, metres; orientation: unit quaternion w x y z from camera axes "
    "(x right, y down, z forward) to these",
    "boxes": "x1 y1 x2 y2 of the visible pixels, ends exclusive",
    "visible": "visible pixels over the pixels of the thing drawn alone, inside of the picture",
    "hidden_by": f"ids of what stands before it; {OTHER} for trees and other things without an id",
    "depth": f"16-bit PNG, {DEPTH_PER_M} units a metre, along the optical axis, 0 for none",
}


def truth_files(captures: Captures) -> dict[str, bytes]:
    """Return the files by name."""
    found: dict[str, object] = {}
    for moment in captures.moments():
        pictures = captures.of_moment(moment.name)
        anomalies = [a for a in captures.anomalies if a.is_on(moment.time_s)]
        found[moment.name] = {
            "scene": moment.name,
            "about": _ABOUT,
            "time_s": moment.time_s,
            "views": [_view(picture, captures) for picture in pictures],
            "identities": _identities(pictures),
            "anomalies": anomalies,
        }
    for clip in captures.clips:
        found[clip.name.removesuffix(".mp4")] = _clip(clip, captures)
    for interior in captures.interiors:
        found[interior.plan.name] = _interior(interior)
    return {f"{name}.json": _json(value) for name, value in found.items()}


def _json(value: object) -> bytes:
    # numpy's numbers are no floats to msgspec.
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=float), indent=1) + b"\n"


def _view(picture: Picture, captures: Captures) -> dict[str, Any]:
    shot = picture.shot
    marked = next((m for m in captures.marked if m.picture.name == picture.name), None)
    return {
        "view": shot.view,
        "picture": picture.name,
        **_camera(shot.camera),
        "intrinsics": shot.camera.intrinsics(shot.size_px),
        "depth": picture.depth,
        "degradations": list(shot.faults),
        "things": [_thing(visible_object) for visible_object in picture.visible_objects],
        # By the order of the list: the place is the region's number.
        "regions": [s.mover.number for s in marked.visible_objects] if marked else [],
        "landmarks": picture.landmarks,
    }


def _camera(camera: Camera) -> dict[str, Any]:
    return {
        "pose": camera_pose(camera),
        "orientation": camera.orientation,
        "heading_deg": camera.heading_deg,
        "tilt_deg": camera.tilt_deg,
    }


def _thing(visible_object: VisibleObject) -> dict[str, Any]:
    mover = visible_object.mover
    return {
        "id": mover.number,
        "category": mover.category,
        "kind": mover.kind,
        "box": [visible_object.x1, visible_object.y1, visible_object.x2, visible_object.y2],
        "visible": visible_object.shown,
        "pixels": visible_object.pixels,
        "depth_m": visible_object.depth_m,
        "hidden_by": visible_object.hidden_by,
        "is_cut": visible_object.is_cut,
        "place_m": [round(float(mover.x_m), 3), round(float(-mover.y_m), 3), round(float(mover.ground_m), 3)],
    }


def _identities(pictures: list[Picture]) -> dict[str, list[str]]:
    """Return the views that show each thing that more than one shows."""
    shown: dict[int, list[str]] = {}
    for picture in pictures:
        for visible_object in picture.visible_objects:
            shown.setdefault(visible_object.mover.number, []).append(picture.shot.view)
    return {str(number): views for number, views in shown.items() if len(views) > 1}


def _clip(clip: Clip, captures: Captures) -> dict[str, Any]:
    flight = clip.flight
    poses = [pose_at(flight, time_s) for time_s in flight.times_s()]
    cameras = [flight.camera_at(time_s) for time_s in flight.times_s()]
    return {
        "scene": flight.scene,
        "view": flight.view,
        "clip": clip.name,
        "about": _ABOUT,
        "fps": flight.fps,
        "start_s": flight.start_s,
        "intrinsics": cameras[0].intrinsics(),
        "legs": [
            {"do": leg.do, "words": amount_text(leg), "amount": leg.amount, "begin_s": begin, "end_s": end}
            for leg, (begin, end) in zip(flight.legs, flight.spans_s(), strict=True)
        ],
        "action_type": kinds_of(flight),
        "steps": unit_steps(poses),
        "frames": [
            {
                "time_s": frame.time_s,
                "pose": pose,
                "tilt_deg": camera.tilt_deg,
                "orientation": _rounded(camera.orientation),
                "boxes": frame.boxes,
                "landmarks": frame.landmarks,
                "things": [_thing(visible_object) for visible_object in frame.visible_objects],
            }
            for frame, pose, camera in zip(clip.frames, poses, cameras, strict=True)
        ],
        "anomalies": [a for a in captures.anomalies if a.is_on(flight.start_s)],
    }


def _rounded(value: Quaternion) -> list[float]:
    return [round(part, 8) for part in (value.w, value.x, value.y, value.z)]


def _interior(interior: Interior) -> dict[str, Any]:
    routes = [(interior.map_name("realistic", part), route) for part, route in interior.routes.items()]
    return plan_truth(interior.plan, routes)
