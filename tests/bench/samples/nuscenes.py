"""A made-up folder of nuScenes tables: cameras that look down on boxes."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

CHANNELS = ("CAM_UAV1", "CAM_UAV2")
PER_SAMPLE = 34
SWEEPS = 5
"""Pictures between two key frames: nuScenes' cameras take 12 a second, of which 2 are key frames."""
_PICTURES = range(SWEEPS + 1)
_DOWN = [0.0, 1.0, 0.0, 0.0]
"""A half turn about x: a camera's z, its line of sight, points down."""


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a folder.

    Args:
        path: The folder; made, files in it are overwritten.
        records: Number of 3D boxes.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    path.mkdir(parents=True, exist_ok=True)
    count = -(-records // PER_SAMPLE)
    tables: dict[str, list[dict[str, Any]]] = {
        "scene": [{"token": "scene0", "name": "town"}],
        "sensor": [{"token": f"s{c}", "channel": c, "modality": "camera"} for c in CHANNELS],
        "calibrated_sensor": [_mount(channel) for channel in CHANNELS],
        "category": [{"token": "cat0", "name": "vehicle.car"}],
        "instance": [{"token": f"i{n}", "category_token": "cat0"} for n in range(PER_SAMPLE)],
        "sample": [{"token": f"p{n}", "scene_token": "scene0", "timestamp": _time(n)} for n in range(count)],
        "sample_data": [
            _picture(n, channel, sweep) for n in range(count) for channel in CHANNELS for sweep in _PICTURES
        ],
        "ego_pose": [
            _pose(n, channel, sweep) for n in range(count) for channel in CHANNELS for sweep in _PICTURES
        ],
        "sample_annotation": [_box(number, rng) for number in range(records)],
    }
    for name, rows in tables.items():
        (path / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")


def _time(sample: int) -> int:
    return 1_700_000_000_000_000 + 500_000 * sample


def _mount(channel: str) -> dict[str, Any]:
    return {
        "token": f"c{channel}",
        "sensor_token": f"s{channel}",
        "translation": [0.0, 0.0, 0.0],
        "rotation": _DOWN,
        "camera_intrinsic": [[800.0, 0.0, 800.0], [0.0, 800.0, 450.0], [0.0, 0.0, 1.0]],
    }


def _picture(sample: int, channel: str, sweep: int) -> dict[str, Any]:
    folder = "sweeps" if sweep else "samples"
    return {
        "token": f"d{sample}{channel}{sweep}",
        "sample_token": f"p{sample}",
        "ego_pose_token": f"e{sample}{channel}{sweep}",
        "calibrated_sensor_token": f"c{channel}",
        "timestamp": _time(sample) + sweep * 83_333,
        "is_key_frame": not sweep,
        "filename": f"{folder}/{channel}/{sample:06d}-{sweep}.jpg",
        "fileformat": "jpg",
        "prev": "",
        "next": "",
        "width": 1600,
        "height": 900,
    }


def _pose(sample: int, channel: str, sweep: int) -> dict[str, Any]:
    turn, at = 0.01 * sample, CHANNELS.index(channel)
    return {
        "token": f"e{sample}{channel}{sweep}",
        "translation": [0.5 * sample + 5 * at, 2.0 * at, 60.0],
        "rotation": [math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)],
        "timestamp": _time(sample),
    }


def _box(number: int, rng: random.Random) -> dict[str, Any]:
    sample, instance = number // PER_SAMPLE, number % PER_SAMPLE
    turn = rng.uniform(-math.pi, math.pi)
    return {
        "token": f"a{number}",
        "sample_token": f"p{sample}",
        "instance_token": f"i{instance}",
        "visibility_token": "4",
        "attribute_tokens": [],
        "translation": [0.5 * sample + rng.uniform(-20, 20), rng.uniform(-12, 12), 0.8],
        "size": [1.8, 4.5, 1.6],
        "rotation": [math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)],
        "prev": "",
        "next": "",
        "num_lidar_pts": 0,
        "num_radar_pts": 0,
    }
