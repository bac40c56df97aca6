"""The demo's clips: flown, filmed, encoded so that the same flight gives the same bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import PICTURE_SIZE_PX
from annotator.demo.camera_effects import Look, develop
from annotator.demo.captures import Clip, Frame
from annotator.demo.flights import Flight
from annotator.demo.pictures import to_jpeg, write_file
from annotator.demo.studio import Studio
from annotator.demo.truth import VisibleObject, boxes_of, landmarks_in, visible_objects_of

_LOOK = Look(grain=1.2)
"""Codecs throw grain away, and pay for it."""
_SETTINGS = {
    "preset": "veryfast",
    "crf": "25",
    "g": "25",
    "bf": "2",
    # More threads, or another processor's choice of them, would cut the images differently.
    "threads": "1",
    "x264-params": "log-level=error",
}


FILMED_SIZE_PX = (1024, 576)
"""What the sensor sees; the camera enlarges it to the size of the clip, as small drones do. It keeps the
standard demo within its two minutes; boxes are those of the sensor, enlarged: within 1.25 pixels."""
_SCALE = PICTURE_SIZE_PX[0] / FILMED_SIZE_PX[0]


def record_clip(studio: Studio, flight: Flight, *, folder: Path, seed: int, told: Callable[[], None]) -> Clip:
    """Record a flight and write its clip.

    Args:
        studio: Where it is filmed.
        flight: How it is flown.
        folder: The media root.
        seed: Seed of the camera's grain.
        told: Called after each frame; an exception that it raises ends the work.

    Raises:
        OSError: The disk refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frames = []
    # Bitexact: else the container tells the version of the library, and the next one gives other bytes.
    with av.open(str(folder / flight.name), "w", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libx264", rate=flight.rate, options=_SETTINGS)
        stream.width, stream.height = PICTURE_SIZE_PX
        stream.pix_fmt = "yuv420p"
        for number, (frame, image) in enumerate(_frames(studio, flight, seed=seed)):
            if number in flight.key_frames:
                write_file(folder / flight.frame_name(number), to_jpeg(image))
            picture = av.VideoFrame.from_ndarray(image, format="bgr24")
            for packet in stream.encode(picture):
                container.mux(packet)
            frames.append(frame)
            told()
        for packet in stream.encode():
            container.mux(packet)
    return Clip(name=flight.name, flight=flight, frames=tuple(frames))


def _frames(studio: Studio, flight: Flight, *, seed: int) -> Iterator[tuple[Frame, NDArray[Any]]]:
    every = round(flight.fps)
    for number, time_s in enumerate(flight.times_s()):
        camera, world_s = flight.camera_at(time_s), flight.start_s + time_s
        seen = studio.see(camera, time_s=world_s, size_px=FILMED_SIZE_PX)
        movers = studio.movers(world_s)
        rng = np.random.default_rng((seed, number, *flight.name.encode()))
        visible_objects = visible_objects_of(seen, movers, camera=camera) if number % every == 0 else ()
        frame = Frame(
            time_s=round(time_s, 6),
            boxes={n: enlarged(box) for n, box in boxes_of(seen.bodies, [m.number for m in movers])},
            landmarks={
                name: (round(x * _SCALE, 1), round(y * _SCALE, 1))
                for name, (x, y) in landmarks_in(seen, studio.world.landmarks, camera=camera).items()
            },
            visible_objects=tuple(_enlarged(visible_object) for visible_object in visible_objects),
        )
        image = cv2.resize(
            develop(seen.image, look=_LOOK, rng=rng), PICTURE_SIZE_PX, interpolation=cv2.INTER_CUBIC
        )
        yield frame, image


def enlarged(box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return a box of the sensor in pixels of the clip, rounded outwards."""
    x1, y1, x2, y2 = box
    low, high = (
        (math.floor(x1 * _SCALE), math.floor(y1 * _SCALE)),
        (math.ceil(x2 * _SCALE), math.ceil(y2 * _SCALE)),
    )
    return (*low, *high)


def _enlarged(visible_object: VisibleObject) -> VisibleObject:
    x1, y1, x2, y2 = enlarged((visible_object.x1, visible_object.y1, visible_object.x2, visible_object.y2))
    return replace(
        visible_object, x1=x1, y1=y1, x2=x2, y2=y2, pixels=round(visible_object.pixels * _SCALE**2)
    )
