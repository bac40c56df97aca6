"""Small valid files of every format, which the fuzz tests damage: reader id -> its samples."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotator.domain.label_values import GEOMETRY
from annotator.importers.aircop_review import FIELDS
from tests.unit.importers.made import (
    AIRSIM,
    AIRSIM_POSES,
    COCO,
    CVAT,
    LABEL_STUDIO,
    LABEL_STUDIO_MIN,
    MDMT,
    NUSCENES,
    png_head,
)
from tests.unit.importers.workbooks import parquet, workbook


@dataclass(frozen=True, kw_only=True)
class Content:
    """What stands in one file.

    Attributes:
        data: The bytes.
        value: The JSON value that they spell, None for other files.
    """

    data: bytes
    value: object = None

    @property
    def is_text(self) -> bool:
        """Whether it is text in UTF-8."""
        try:
            return "\0" not in self.data.decode()
        except UnicodeDecodeError:
            return False


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A valid file, or the files of a valid folder.

    Attributes:
        files: Contents by name; a format of single files has one.
        found: Number of records that can be taken.
        rejected: Number of records that cannot.
    """

    files: Mapping[str, Content]
    found: int
    rejected: int = 0


def spelt(value: object, *, encoding: str = "utf-8") -> Content:
    """Return a JSON value as a file."""
    return Content(data=json.dumps(value, ensure_ascii=False, indent=1).encode(encoding), value=value)


def one(name: str, content: Content | bytes | str, *, found: int, rejected: int = 0) -> Sample:
    """Return a sample of one file."""
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, bytes):
        content = Content(data=content)
    return Sample(files={name: content}, found=found, rejected=rejected)


RECT = {
    "x": 1.5, "y": 2, "width": 10, "height": 5, "rotation": 12.5, "rectanglelabels": ["Occluded"],
    "original_width": 1920, "original_height": 1080,
}  # fmt: skip
LABELS: list[dict[str, Any]] = [
    {
        "img1": "23-00000001-UAV1.jpg", "id": 1, "annotation_id": 4, "annotator": 1, "lead_time": 12.5,
        "created_at": "2025-06-24T06:17:08.956105Z", "Usibility": "1 (Available)",
        "Quality": "Good (4/5) - Mostly clear, minor noise or distortion.", "Object_type": "Vehicles",
        "Degradation": {"choices": ["Object occlusion", "Others（Please fill in below）"]},
        "Other Degradation": "blur\n", "PerceptionIssues": [RECT], "Collaboration_when": "1 (Yes)",
        "Collaboration_what": [{**RECT, "rectanglelabels": []}], "Collaboration_who": "UAV1，UAV2",
        "Object_count": "around 60",
    },
    {"img1": "/data/upload/9/8f2a9605-scene_004-UAV1_frame_005.jpg", "id": 2, "Quality": "Poor (2/5)"},
]  # fmt: skip
QUESTION = {
    "question_id": "MDMT_OC_UAV1_1", "question_type": "2.2 Object Counting (UAV1)", "question": "How many?",
    "options": {"A": "1", "B": "2", "C": "3", "D": "4"}, "correct_answer": "A, B", "source": "Rule-Based",
}  # fmt: skip
GROUPS = {
    "dataset": "Sim_3_UAVs", "total_groups": 1,
    "results": [
        {
            "sequence_frame": "scene_001_frame_001",
            "uav_paths": {"UAV1": "a/UAV1/1.jpg", "UAV2": "a/UAV2/1.jpg"},
            "questions_per_uav": {"UAV1": {"annotation_info": "x", "questions": [QUESTION, {"error": "no"}]}},
        }
    ],
}  # fmt: skip
PAIRS = [{**QUESTION, "question_id": f"q{n}", "uav1_path": "UAV1/1.jpg"} for n in (1, 2)]
RESPONSES = [{"question_id": "a", "predicted_answer": "A"}]
SPATIAL = [
    {
        "id": "Region_Recognition_00001", "image": ["./SpatialUAV/samples_Single_Image/img0001.jpg"],
        "conversations": [{"from": "human", "value": "Which region?"}], "source": "SpatialUAV",
        "GT": "Region 3, 4.",
    },
    {
        "id": "A2A_Object_Matching_00002", "image": ["a/66-00000700-UAV1.jpg", "a/66-00000700-UAV2.jpg"],
        "conversations": [{"from": "human", "value": "Where?"}], "GT": "[1, 2, 3, 4]",
    },
]  # fmt: skip
SPATIAL_TASKS = [
    {
        "Image": "scene_3_drone_000100", **{f"Option {letter}": f"x_{letter}" for letter in "ABCD"},
        "Task": "A2G_Collaboration_Recognition", "User": "Which?", "Answer": "C",
    }
] * 2  # fmt: skip
RELEASE: list[dict[str, Any]] = [
    {"entity": "medium", "record": {"id": "0" * 31 + "1", "name": "a.jpg", "path": "UAV1/a.jpg"}},
    {
        "entity": "region",
        "record": {"id": "0" * 31 + "2", "medium": "0" * 31 + "1", "number": 3, "category": "car",
                   "box": {"x1": 1.0, "y1": 2.0, "x2": 3.0, "y2": 4.0}, "polygon": [[1.0, 2.0], [3.0, 4.0]]},
    },
]  # fmt: skip
DRAFT_TABLE = (
    ",Question_id,video_id,question_category,question,answer\n"
    '0,17,EmbodiedCity_18_0.mp4,Proximity,"Question: How? \nchoose: \nA. ""x"" \nB. y \n",A\n'
    '1,18,RealWorld_13.mp4,Causal,"Why?\nA. x\nB. y",Not Found\n'
)
ASKED = "Question: Why?  \nchoose:  \nA. one  \nB. two  \n"
URBAN = [
    {"Question_id": 1, "video_id": "a.mp4", "question_category": "Causal", "question": ASKED, "answer": "A"},
    {"Question_id": 2, "video_id": "b.mp4", "question_category": "Duration", "question": ASKED,
     "answer": "B"},
]  # fmt: skip
VIDEOS = [
    {"video_name": "a.mp4", "destination": "roof"},
    {"video_name": "b.mp4", "movement_instructions": "rise"},
]
TOP = [
    {
        "index": n, "scene_id": "17DRP", "question": "Where is the bed?",
        "choices": ["left", "right", "up", "down"],
        "labels": ["left"] if n else ["up", "down"], "choice_type": "<OBJECT>",
        "map_path": f"data/realistic/{n}.png", "question_ability": "Object Localization",
    }
    for n in range(2)
]  # fmt: skip
MM_UAV = [
    {
        "question_id": n, "question": "Who?", "options": {"A": "one", "B": "two"}, "answer": "A",
        "question_meta": {"category": "Planning", "subcategory": "Urban OCR"},
        "metadata": {"data_resources": [{"path": "a/b.jpg"}]},
    }
    for n in range(2)
]  # fmt: skip
OWN = [
    {"id": "1", "question": "Why?", "options": "A. x\nB. y", "answer": "A", "image": "a.jpg;b.jpg",
     "scene": "s"},
    {"id": "2", "question": "How?", "options": ["x", "y"], "answer": "y", "image": ["a.jpg"], "view": "UAV1"},
]  # fmt: skip
OWN_TABLE = "id,question,options,answer,image\n1,Why?,x|y,A,a.jpg\n2,How?,x|y,B,b.jpg\n"
REVIEWED = (
    "MDMT_OC_UAV1_1", "2.2 Object Counting (UAV1)", "How many?", "UAV1: a/UAV1/90-00000001-UAV1.jpg\nUAV2: b",
    "A: 4\nB: 5", "B", "是", "计数错误",
)  # fmt: skip
FLIGHT = "/gibson_1/Adrian/traj_-1"
LISTS = {
    f"{FLIGHT}/instruction.json": ["to the hallway鈥檚 end", "in the living \room"],
    f"{FLIGHT}/x.json": ["b"],
}
EPISODES = {f"{FLIGHT}/vla_ins_{n}.json": {"difficulty": "easy", "action_type": ["turn"]} for n in (1, 2)}
RESULT = {
    "episode_key": f"{FLIGHT}/vla_ins_1.json", "success": False, "steps": 2,
    "trajectory": [[1, 2, 3.5, 4]] * 2,
}  # fmt: skip
SEGMENT = {"instruction": "turn to the bed’s end", "source": [1, 2]}
POSES = [[0.0, 0.9, 1, 90.0]] * 3
FLOWN: dict[str, object] = {
    "posture": POSES,
    "real_action": {"frame": [{"frame": n, "actions": {"fly_forward": 1}} for n in (1, 2, 3)]},
    "key_frames": [1, 2],
    "instruction": {"instruction": "Go."},
    "vla_ins_1": SEGMENT,
}
NUSCENES_BOXES = [
    {"sample_token": "p1", "instance_token": "i1", "translation": [1, 0, 0], "size": [2, 4, 1],
     "rotation": [1, 0, 0, 0]},
    {"sample_token": "p1", "instance_token": "i1", "bbox_corners": [1, 2, 30.5, 40],
     "filename": "samples/UAV1/1.jpg", "category_name": "car"},
]  # fmt: skip
COCO_RESULTS = [
    {"image_id": name, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5} for name in ("a.jpg", "b", 7)
]
YOLO_LINES = "0 0.5 0.5 0.2 0.4\n1 0.25 0.5 0.1 0.2 0.75\n0 0.1 0.1 0.5 0.1 0.5 0.5\n"


def evaluation_table() -> bytes:
    """Return a table with a picture in a cell, and pictures by their paths."""
    stream = io.StringIO(newline="")
    table = csv.writer(stream, delimiter="\t", lineterminator="\n")
    table.writerow(["index", "category", "image", "image_path", "question", "A", "B", "answer"])
    picture = base64.b64encode(b"\xff\xd8\xff" * 400).decode()
    table.writerow([0, "Causal", picture, "", 'Why "so"?\nSay.', "one", "two", "A"])
    table.writerow([1, "Causal", "0", "['a.jpg', 'b.jpg']", "How?", "one", "two", "B"])
    return stream.getvalue().encode()


def columns_of(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return records of the same fields as columns."""
    return {name: [record[name] for record in records] for name in records[0]}


def sheet_of(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return records of the same fields as rows below a header."""
    return [tuple(records[0]), *[tuple(record.values()) for record in records]]


def _lines(records: list[Any]) -> Content:
    return Content(data=b"".join(json.dumps(record).encode() + b"\n" for record in records), value=records[1])


def _flight() -> Sample:
    files = {f"{FLIGHT[1:]}/{name}.json": spelt(value, encoding="gbk") for name, value in FLOWN.items()}
    return Sample(files={**files, "test_vla.json": spelt(EPISODES)}, found=6)


def _yolo() -> Sample:
    files = {
        "labels/a.txt": YOLO_LINES.encode(),
        "images/a.png": png_head(200, 100),
        "data.yaml": b"nc: 2\nnames:\n  0: car\n  1: 'big van'\n",
    }
    return Sample(files={name: Content(data=data) for name, data in files.items()}, found=3)


VALUES_TABLE = "\n".join(
    (
        ",".join(("label", "dataset", "scene", "view", "image", "field", "value", *GEOMETRY)),
        "1,D,s 1,UAV1,a.png,quality,4,,,,,,,",
        "1,D,s 1,UAV1,a.png,usable,true,,,,,,,",
        "2,D,s 1,UAV2,b.png,quality,2,,,,,,,",
    )
)
QUESTIONS = [
    {
        "id": f"q_{number}",
        "task_set": "aircop",
        "task": "object_counting",
        "question": "How many cars are there?",
        "options": {"A": "1", "B": "2", "C": "3", "D": "4"},
        "answer_format": "option_letter",
        "answer": "B",
        "media_type": "image",
        "images": [f"images/{number}.png"],
        "scene": "s 1",
        "views": ["UAV1"],
        "extras": "{}",
    }
    for number in (1, 2)
]
SAMPLES: dict[str, tuple[Sample, ...]] = {
    "aircop-labels": (one("labels.json", spelt(LABELS), found=2),),
    "aircop-questions": (
        one("questions.json", spelt(GROUPS), found=1, rejected=1),
        one("test.json", spelt(PAIRS), found=2),
    ),
    "aircop-responses": (one("answers.json", spelt(RESPONSES), found=0, rejected=1),),
    "aircop-review": (
        one("review.xlsx", workbook({"Sheet": [FIELDS, REVIEWED, REVIEWED]}), found=2),
        one("review.csv", "\n".join([",".join(FIELDS), "q,2.2 x,?,UAV1: a,A: 1,A,是,x"]), found=1),
        one(
            "gbk.csv", "\n".join([",".join(FIELDS), "q,2.2 x,镕?,UAV1: a,A: 1,A,是,x"]).encode("gbk"), found=1
        ),
    ),
    "airsim": (one("airsim_rec.txt", AIRSIM, found=2), one("poses.json", spelt(AIRSIM_POSES), found=1)),
    "coco": (one("instances.json", spelt(COCO), found=3),),
    "coco-results": (one("results.json", spelt(COCO_RESULTS), found=2, rejected=1),),
    "cvat": (one("annotations.xml", CVAT, found=6, rejected=1), one("23-1.xml", MDMT, found=2)),
    "indooruav": (
        one("lists.json", spelt(LISTS), found=2),
        one("test_vla.json", spelt(EPISODES), found=2),
        one("result.json", spelt(RESULT), found=1),
        one("vla_ins_1.json", spelt(SEGMENT), found=1),
        one("posture.json", spelt(POSES), found=1),
    ),
    "indooruav-folder": (_flight(),),
    "label-studio": (
        one("export.json", spelt(LABEL_STUDIO), found=9, rejected=1),
        one("min.json", spelt(LABEL_STUDIO_MIN), found=1),
        one("task.json", spelt(LABEL_STUDIO[0]), found=6, rejected=1),
    ),
    "label-values": (one("labels.csv", VALUES_TABLE, found=2),),
    "mm-uavbench": (one("Task.json", spelt(MM_UAV), found=2),),
    "native": (one("release.jsonl", _lines(RELEASE), found=2),),
    "nuscenes": (
        Sample(
            files={f"v1.0/{name}.json": spelt(rows) for name, rows in NUSCENES.items()}, found=4, rejected=1
        ),
    ),
    "nuscenes-boxes": (one("boxes.json", spelt(NUSCENES_BOXES), found=2),),
    "question-records": (
        one("sft.json", spelt(QUESTIONS), found=2),
        one("test.jsonl", _lines(QUESTIONS), found=2),
    ),
    "spatialuav": (one("list.json", spelt(SPATIAL), found=2), one("lines.jsonl", _lines(SPATIAL), found=2)),
    "spatialuav-tasks": (one("A2G.json", spelt(SPATIAL_TASKS), found=2),),
    "table": (one("own.json", spelt(OWN), found=2), one("own.csv", OWN_TABLE, found=2)),
    "topviewrs": (
        one("released.json", spelt(TOP), found=2),
        one("sets.json", spelt({"recognition": TOP, "more": TOP}), found=4),
    ),
    "urbanvideo": (
        one("draft.csv", DRAFT_TABLE, found=2),
        one("MCQ.json", spelt(URBAN), found=2),
        one("MCQ.xlsx", workbook({"Basic": sheet_of(URBAN)}), found=2),
        one("MCQ.parquet", parquet(columns_of(URBAN), compression="snappy"), found=2),
    ),
    "urbanvideo-videos": (one("video_list.json", spelt(VIDEOS), found=2),),
    "vlmevalkit": (one("set.tsv", evaluation_table(), found=2),),
    "yolo": (_yolo(),),
}
"""Every reader has its samples here; the fuzz tests fail for one that has none."""
