"""The demo's images: taken, spoilt where that is wanted, and written with what is true about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera_effects import Image, develop
from annotator.demo.captures import MomentImages, Picture
from annotator.demo.degradations import degrade
from annotator.demo.marks import mark
from annotator.demo.moments import Moment, Shot
from annotator.demo.studio import Studio
from annotator.demo.truth import landmarks_in, visible_objects_of
from annotator.demo.view import RenderedImage

JPEG_QUALITY = 90
DEPTH_FOLDER = "depth"
DEPTH_PER_M = 100
"""Depth maps hold centimetres along the optical axis; 0 where there is none (the sky, over 655 m)."""
_MOST_DEPTH = 65535


def take_moment(studio: Studio, moment: Moment, *, folder: Path, seed: int) -> MomentImages:
    """Take and write the images of a moment; the same seed gives the same bytes.

    Args:
        studio: Where they are taken.
        moment: What is taken.
        folder: The media root.
        seed: Seed of everything that chance decides.

    Raises:
        OSError: The disk refused.
    """
    taken = [_take(studio, moment, shot, folder=folder, seed=seed) for shot in moment.shots]
    pictures = tuple(picture for picture, _ in taken)
    marked = []
    for picture, image in taken:
        if picture.shot.view in moment.marked:
            made, drawn = mark(picture, image, partners=[p for p in pictures if p.shot.view in moment.marked])
            write_file(folder / made.name, to_jpeg(drawn))
            marked.append(made)
    return MomentImages(pictures=pictures, marked=tuple(marked))


def _take(studio: Studio, moment: Moment, shot: Shot, *, folder: Path, seed: int) -> tuple[Picture, Image]:
    seen = studio.see(shot.camera, time_s=moment.time_s, size_px=shot.size_px)
    # A generator per image: the order in which they are taken must not matter.
    rng = np.random.default_rng((seed, *f"{moment.name}-{shot.view}".encode()))
    image = develop(seen.image, look=shot.look, rng=rng)
    for fault in shot.faults:
        image = degrade(image, fault.name, strength=fault.strength, rng=rng, depth_m=seen.depth_m)
    name = f"{moment.name}-{shot.view}.jpg"
    write_file(folder / name, to_jpeg(image))
    depth = _write_depth(seen, folder=folder, name=name) if shot.has_depth else ""
    visible_objects = visible_objects_of(seen, studio.movers(moment.time_s), camera=shot.camera)
    landmarks = landmarks_in(seen, studio.world.landmarks, camera=shot.camera)
    made = Picture(
        name=name, moment=moment, shot=shot, visible_objects=visible_objects, depth=depth, landmarks=landmarks
    )
    return made, image


def _write_depth(seen: RenderedImage, *, folder: Path, name: str) -> str:
    depth = f"{DEPTH_FOLDER}/{name.removesuffix('.jpg')}.png"
    write_file(folder / depth, depth_png(seen.depth_m))
    return depth


def depth_png(depth_m: NDArray[Any]) -> bytes:
    """Return metric depth as a 16-bit PNG of centimetres.

    Args:
        depth_m: float32 (rows, columns), metres along the optical axis, infinite for the sky.
    """
    scaled = np.rint(depth_m * DEPTH_PER_M)
    # Beyond the range is 'none' and not the largest value, which would be a wall at 655 m.
    whole = np.where(scaled <= _MOST_DEPTH, scaled, 0).astype(np.uint16)
    return cv2.imencode(".png", whole, [cv2.IMWRITE_PNG_COMPRESSION, 4])[1].tobytes()


def to_jpeg(image: Image) -> bytes:
    """Return an image as the bytes of a JPEG file."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()


def write_file(path: Path, data: bytes) -> None:
    """Write a file, its folder first where that is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
