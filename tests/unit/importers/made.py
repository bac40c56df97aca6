"""Small valid files of the formats for boxes, tracks and poses, which tests read and damage."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

COCO: dict[str, Any] = {
    "info": {"year": 2024},
    "annotations": [
        {"id": 1, "image_id": 7, "category_id": 2, "bbox": [10, 20.5, 30, 40], "iscrowd": 0,
         "segmentation": [[10, 20.5, 40, 20.5, 40, 60.5]], "track_id": 5},
        {"id": 2, "image_id": 7, "category_id": 2, "bbox": [90, 40, 30, 30], "iscrowd": 1,
         "segmentation": {"counts": [3, 5], "size": [80, 100]}},
        {"id": 3, "image_id": 8, "category_id": 9, "segmentation": [[1, 1, 9, 1, 9, 9]], "score": 0.25},
    ],
    "images": [
        {"id": 7, "file_name": "a/one.jpg", "width": 100, "height": 80},
        {"id": 8, "file_name": "two.jpg", "width": 100, "height": 80},
    ],
    "categories": [{"id": 2, "name": "car"}],
}  # fmt: skip

CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version>
 <meta><task><id>1</id><name>flight</name><original_size><width>200</width><height>100</height></original_size>
  <source>flight.mp4</source></task></meta>
 <image id="0" name="a/one.jpg" width="100" height="80">
  <box label="car" occluded="1" xtl="10.5" ytl="20" xbr="30" ybr="50" z_order="0">
   <attribute name="colour">red</attribute></box>
  <polygon label="roof" occluded="0" points="1,1;9,1;9,9"/>
  <box label="van" occluded="0" xtl="10" ytl="10" xbr="30" ybr="20" rotation="90"/>
  <tag label="sunny"/>
 </image>
 <track id="3" label="person">
  <box frame="0" keyframe="1" outside="0" occluded="0" xtl="1" ytl="2" xbr="3" ybr="4"/>
  <box frame="1" keyframe="0" outside="0" occluded="0" xtl="2" ytl="2" xbr="4" ybr="4"/>
  <box frame="2" keyframe="1" outside="1" occluded="0" xtl="2" ytl="2" xbr="4" ybr="4"/>
  <box frame="3" keyframe="1" outside="1" occluded="0" xtl="2" ytl="2" xbr="4" ybr="4"/>
 </track>
</annotations>
"""

MDMT = """<annotations>
<track id="7" label="car"><box frame="1" occluded="0" outside="0" xtl="1" ytl="2" xbr="3" ybr="4"/>
<box frame="2" occluded="1" outside="1" xtl="1" ytl="2" xbr="3" ybr="4"/></track></annotations>
"""

LABEL_STUDIO: list[dict[str, Any]] = [
    {
        "id": 12,
        "data": {"image": "/data/upload/3/5064a99b-one.jpg", "note": "x"},
        "annotations": [
            {"id": 1, "result": [
                {"id": "r1", "type": "rectanglelabels", "from_name": "label", "to_name": "image",
                 "original_width": 200, "original_height": 100,
                 "value": {"x": 10, "y": 20, "width": 30, "height": 40, "rotation": 0,
                           "rectanglelabels": ["Car"]}},
                {"id": "r2", "type": "rectanglelabels", "from_name": "label", "to_name": "image",
                 "original_width": 200, "original_height": 200,
                 "value": {"x": 50, "y": 10, "width": 20, "height": 10, "rotation": 90,
                           "rectanglelabels": ["Car"]}},
                {"id": "r3", "type": "polygonlabels", "from_name": "label", "to_name": "image",
                 "original_width": 200, "original_height": 100,
                 "value": {"points": [[0, 0], [50, 0], [50, 50]], "polygonlabels": ["Roof"]}},
                {"id": "r4", "type": "choices", "from_name": "weather", "to_name": "image",
                 "value": {"choices": ["sunny"]}},
                {"id": "r5", "type": "brushlabels", "from_name": "mask", "to_name": "image",
                 "original_width": 200, "original_height": 100,
                 "value": {"format": "rle", "rle": [0, 1, 2], "brushlabels": ["Road"]}},
            ]},
            {"id": 2, "result": [
                {"id": "r6", "type": "rectanglelabels", "to_name": "image", "original_width": 200,
                 "original_height": 100, "value": {"x": 0, "y": 0, "width": 1.5, "height": 1,
                                                   "rectanglelabels": []}},
            ]},
        ],
        "predictions": [
            {"model_version": "det-2", "score": 0.5, "result": [
                {"type": "rectanglelabels", "to_name": "image", "original_width": 200, "original_height": 100,
                 "value": {"x": 10, "y": 20, "width": 30, "height": 40, "rectanglelabels": ["Car"]}},
            ]},
        ],
    },
    {
        "id": 13,
        "data": {"video": "clips/flight.mp4"},
        "annotations": [
            {"result": [
                {"id": "v1", "type": "videorectangle", "to_name": "video", "original_width": 100,
                 "original_height": 100, "value": {"framesCount": 30, "labels": ["Car"], "sequence": [
                     {"frame": 1, "enabled": True, "x": 0, "y": 0, "width": 10, "height": 10, "rotation": 0},
                     {"frame": 11, "enabled": False, "x": 20, "y": 0, "width": 10, "height": 10},
                 ]}},
            ]},
        ],
    },
]  # fmt: skip

LABEL_STUDIO_MIN: list[dict[str, Any]] = [
    {
        "image": "/data/upload/3/5064a99b-one.jpg", "id": 4, "annotator": 1, "annotation_id": 9,
        "created_at": "2025-06-24T06:17:08.956105Z", "lead_time": 3.5,
        "label": [
            {"x": 10, "y": 20, "width": 30, "height": 40, "rotation": 0, "rectanglelabels": ["Car"],
             "original_width": 200, "original_height": 100},
        ],
    },
]  # fmt: skip

DOWN = [0.0, 1.0, 0.0, 0.0]
"""Rotation of a camera that looks straight down, its upper edge towards +y of the vehicle."""
NUSCENES: dict[str, list[dict[str, Any]]] = {
    "scene": [{"token": "sc", "name": "town"}],
    "sensor": [{"token": "s1", "channel": "UAV1"}, {"token": "s2", "channel": "UAV2"}],
    "calibrated_sensor": [
        {"token": f"c{n}", "sensor_token": f"s{n}", "translation": [0, 0, 0], "rotation": DOWN,
         "camera_intrinsic": [[100, 0, 100], [0, 100, 50], [0, 0, 1]]}
        for n in (1, 2)
    ],
    "category": [{"token": "cat", "name": "car"}],
    "instance": [{"token": "i1", "category_token": "cat"}],
    "sample": [{"token": "p1", "scene_token": "sc", "timestamp": 1_000_000}],
    "sample_data": [
        {"token": f"d{n}", "sample_token": "p1", "ego_pose_token": f"e{n}",
         "calibrated_sensor_token": f"c{n}", "timestamp": 1_000_000, "is_key_frame": True,
         "filename": f"samples/UAV{n}/1.jpg", "width": 200,
         "height": 100}
        for n in (1, 2)
    ],
    "ego_pose": [
        {"token": "e1", "translation": [0, 0, 10], "rotation": [1, 0, 0, 0], "timestamp": 1_000_000},
        {"token": "e2", "translation": [2, 0, 10], "rotation": [1, 0, 0, 0], "timestamp": 1_000_000},
    ],
    "sample_annotation": [
        {"token": "a1", "sample_token": "p1", "instance_token": "i1", "translation": [1, 0, 0],
         "size": [2, 4, 0], "rotation": [1, 0, 0, 0]},
        {"token": "a2", "sample_token": "p1", "instance_token": "i2", "translation": [500, 0, 0],
         "size": [2, 4, 1], "rotation": [1, 0, 0, 0]},
    ],
}  # fmt: skip

AIRSIM = (
    "VehicleName\tTimeStamp\tPOS_X\tPOS_Y\tPOS_Z\tQ_W\tQ_X\tQ_Y\tQ_Z\tImageFile\n"
    "Drone1\t1700000000000\t0\t0\t-10\t1\t0\t0\t0\timg_a_0.png;img_a_1.png\n"
    "Drone2\t1700000000000\t5\t0\t-10\t1\t0\t0\t0\timg_b_0.png\n"
    "Drone1\t1700000000500\t1.5\t0\t-10\t0.70710678\t0\t0\t0.70710678\timg_a_2.png\n"
)
AIRSIM_POSES: list[dict[str, Any]] = [
    {"position": {"x_val": 1.0, "y_val": 2.0, "z_val": -3.0},
     "orientation": {"w_val": 2.0, "x_val": 0.0, "y_val": 0.0, "z_val": 0.0},
     "time_stamp": 1_700_000_000_000_000_000},
]  # fmt: skip


def png_head(width: int, height: int) -> bytes:
    """Return the beginning of a PNG, which tells its size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    ended = struct.pack(">I", zlib.crc32(header)) + struct.pack(">I4s", 0, b"IDAT")
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + ended


def yolo_folder(
    folder: Path, labels: dict[str, str], *, names: str | None = "names: [car, 'big van']\n"
) -> Path:
    """Write a folder with a picture of 200 x 100 pixels beside each label file."""
    for below in ("images", "labels"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    for stem, text in labels.items():
        (folder / "labels" / f"{stem}.txt").write_text(text, encoding="utf-8")
        (folder / "images" / f"{stem}.png").write_bytes(png_head(200, 100))
    if names is not None:
        (folder / "data.yaml").write_text(names, encoding="utf-8")
    return folder


def nuscenes_folder(folder: Path, tables: dict[str, list[dict[str, Any]]]) -> Path:
    """Write a folder of tables."""
    below = folder / "v1.0"
    below.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        (below / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder
