"""A small project of all three kinds of scenes, and a server that answers drafting prompts as told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import Record, new_id
from annotator.domain.run import Run
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.domain.work import PlanResult, RunOrder
from annotator.draft.llm.settings import DraftingSettings
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.worker import create_worker
from annotator.session import Session
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.servers.chat_server import texts_of
from tests.unit.jobs.job_types.asking import picture_file
from tests.unit.store.making import created, write

MODEL = "writer"
FRAMES = 8
STEPS = {
    "narration": "Tell the whole flight",
    "elements": "List what is in it",
    "caption": "This is key frame",
    "long": "Write the instruction for this flight",
    "goal": "Say in one sentence where",
    "split": "Cut it into parts",
}
"""Words by which a prompt of each preparing step is known."""
NARRATION = "I fly forward over the wide street and pass the red house, which stands on my left side. " * 4
ELEMENTS = {
    "movements": [{"movement": "fly forward", "landmark": "the street"}],
    "objects": [{"name": "red house", "where": "left of the street"}],
}
CAPTION = {"place": "a street", "objects": [{"name": "red house", "distance": "near", "side": "left"}]}
LONG = "Fly forward along the street to the red house, turn left at the corner and climb above the trees."
PARTS = [
    {"text": "Fly forward along the street to the red house.", "actions": ["forward"]},
    {"text": "Turn left at the corner and climb above the trees.", "actions": ["turn", "up_down"]},
]
GOAL = "Fly to the trees behind the red house."
TEXTS = ("A white van", "The tall crane", "Children playing", "Empty benches", "Two parked lorries")
QUESTION = "What stands next to the red house at the corner?"


def question(options: int) -> dict[str, Any]:
    """Return a sound question with so many options."""
    return {
        "question": QUESTION,
        "right": TEXTS[0],
        "wrong": list(TEXTS[1:options]),
        "because": "It is seen.",
    }


@dataclass
class Writer:
    """Answers prompts: as ``said`` tells for a step or task at its first, second, third time, else soundly.

    Attributes:
        said: Replies by step, or by the title of a task.
        asked: How often each was asked.
        texts: All prompts.
        moments: What happens while one is answered, by its number.
    """

    said: dict[str, list[str]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    texts: list[str] = field(default_factory=list)
    moments: dict[int, Callable[[], None]] = field(default_factory=dict)

    def __call__(self, body: dict[str, Any]) -> str:
        text = texts_of(body)
        self.texts.append(text)
        self.moments.get(len(self.texts), lambda: None)()
        step = next((name for name, message in STEPS.items() if message in text), "") or _task(text)
        self.asked[step] += 1
        told = self.said.get(step, [])
        return told[self.asked[step] - 1] if self.asked[step] <= len(told) else sound(step, text)


def sound(step: str, text: str) -> str:
    """Return a reply that can be used."""
    known = {
        "narration": NARRATION,
        "elements": json.dumps(ELEMENTS),
        "caption": json.dumps(CAPTION),
        "long": LONG,
        "goal": GOAL,
        "split": json.dumps({"parts": PARTS}),
    }
    if step in known:
        return known[step]
    if "The answers are always these" in text:
        listed = text.partition("word by word:\n- ")[2].partition("\n")[0]
        return json.dumps({"question": "What is right about the flight along the street?", "right": listed})
    return json.dumps(question(int(text.partition("Give ")[2][0])))


def _task(text: str) -> str:
    return text.partition('Set one question of the kind "')[2].partition('"')[0]


@dataclass(frozen=True)
class Town:
    """A project with a video, a moment of two views, and a flight.

    Attributes:
        path: The project file.
        video: Id of the scene of the video.
        moment: Id of the scene of the views.
        label: The label of UAV1.
    """

    path: Path
    video: str
    moment: str
    label: EventLabel


def make_town(folder: Path, *, base_url: str, **profile: Any) -> Town:
    """Make the project, and a profile of the model behind a server."""
    path = folder / "town.vantage"
    with Session.create(path) as session:
        root = session.media_root
        root.mkdir(parents=True, exist_ok=True)
        _video(root / "flight.mp4")
        video = Medium(
            id=new_id(),
            name="flight.mp4",
            media_type="video",
            path="flight.mp4",
            frames=FRAMES,
            duration_s=1.0,
        )
        views = [_picture(root, name) for name in ("UAV1", "UAV2")]
        scene = Scene(
            id=new_id(),
            name="flight",
            dataset="City",
            views=(SceneView(name="UAV1", medium=video.id),),
            metadata={"destination": "the red house", "movement_instructions": "Fly forward. Turn left."},
        )
        moment = Scene(
            id=new_id(),
            name="m1",
            dataset="City",
            views=tuple(SceneView(name=medium.name[:4], medium=medium.id) for medium in views),
        )
        label = EventLabel(
            id=new_id(), scene=moment.id, view="UAV1", medium=views[0].id, quality=2, when=True,
            degradations=("shadow",), why=("shadow",), who=("UAV2",),
        )  # fmt: skip
        poses = tuple(Pose(x_m=n / 2, y_m=0.0, z_m=1.0, yaw_deg=0.0) for n in range(FRAMES))
        flight = Trajectory(
            id=new_id(), scene=scene.id, name="t", view="UAV1", poses=poses, key_frames=(0, 4)
        )
        records: list[tuple[str, Record]] = [
            ("medium", video), *(("medium", medium) for medium in views), ("scene", scene), ("scene", moment),
            ("event_label", label), ("trajectory", flight),
        ]  # fmt: skip
        write(session, *(created(entity, record) for entity, record in records))
    told = {
        "name": MODEL,
        "adapter": "openai",
        "model": "w-1",
        "base_url": base_url,
        "timeout_s": 20.0,
        "visuals": VisualSettings(frames=2),
    }
    write_profiles(config_folder(), [ModelProfile(**(told | profile))])
    return Town(path=path, video=scene.id, moment=moment.id, label=label)


def draft(session: Session, task_set: str, *tasks: str, **settings: Any) -> tuple[Run, PlanResult]:
    """Have the model draft, until nothing is left."""
    chosen = DraftingSettings(task_set=task_set, tasks=tasks, **settings)
    run, planned = session.runs.start(
        RunOrder(kind="draft", models=(MODEL,), settings=chosen.to_json())
    ).result()
    work(session, run)
    return run, planned


def work(session: Session, run: Run) -> None:
    """Work on a run until nothing of it is left."""
    with create_worker(
        session.path, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder()), run=run.id
    ) as working:
        working.work(until_done=True)


def drafted_items(session: Session) -> dict[str, Item]:
    """Return the items that a model made, by their tasks."""
    found = session.reader.find(Item)
    return {item.task: item for item in found if item.provenance.made_by == "llm"}


def _picture(root: Path, view: str) -> Medium:
    file = picture_file(root, f"{view}.png", colour=(20, 90, 200 if view == "UAV1" else 100))
    return Medium(id=new_id(), name=file.name, path=file.name, width_px=80, height_px=60)


def _video(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=FRAMES)
        stream.width, stream.height = 64, 48
        for number in range(FRAMES):
            picture = np.full((48, 64, 3), 30 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
