"""A project with something to decide: people, models, checks, an event label, and two workstations."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from annotator.commands.consensus_flags import FlagDisagreements
from annotator.commands.item_edits import SetQuestion
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.domain.run import Prediction, Run
from annotator.domain.scene import Scene, SceneView
from annotator.domain.work import JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.quality.consensus import find_disagreements
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import make_flag, make_item, make_project, option

ADA, BEN, CHEN = (Actor(id=name[0].lower() * 32, name=name) for name in ("Ada", "Ben", "Chen"))
OPTIONS = tuple(
    option(letter, text)
    for letter, text in zip("ABCD", ("Bus", "Red car", "White van", "Truck"), strict=True)
)
MODELS = ("Qwen-VL", "InternVL", "LLaVA")
REPLIES = "The vehicle beside the crossing is red in both views, so the answer is B."
NOW = 1_800_000_000.0


def make_records(folder: Path) -> list[Record]:
    """Return a scene of two views, and records in different states, most with an open flag."""
    folder.mkdir()
    media = []
    for at in range(3):
        file = write_picture(folder / f"picture-{at}.png", seed=at)
        media.append(Medium(id=f"m{at}", name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT))
    views = tuple(SceneView(name=f"UAV{at + 1}", medium=f"m{at}") for at in range(2))
    scene = Scene(id="s1", name="scene 1", views=views)
    regions = [
        Region(id=f"r{at}", medium=f"m{at}", number=7, box=Box(x1=40, y1=40, x2=120, y2=100)) for at in (0, 1)
    ]
    label = EventLabel(id="l1", scene="s1", view="UAV1", medium="m0")
    shown = {"options": OPTIONS, "answer_key": "D", "scene": "s1", "media": ("m0", "m1"), "state": "refined"}
    items = [
        make_item(1, id="i1", question="Which vehicle waits at the crossing in both views?", **shown),
        make_item(2, id="i2", question="Which vehicle is parked?", **shown),
        make_item(3, id="i3", question="How many trees are there?", media=("m2",), state="flagged"),
        make_item(4, id="i4", question="Which city is it?", state="in_refinement"),
        make_item(5, id="i5", question="Which vehicle leaves?", **shown),
    ]
    flags = [
        make_flag("item", "i3", "duplicate_options", severity="error", raised_by="check", field="options"),
        make_flag("item", "i4", "duplicate_question", raised_by="check"),
        make_flag("event_label", "l1", "count_not_integer", field="count"),
    ]
    return [*media, scene, *regions, label, *items, *flags]


def make_review_project(folder: Path) -> Path:
    """Make the project: item 1 against models and people, item 2 between people, item 5 forked."""
    path = make_project(folder / "pilot.vantage", make_records(folder / "pilot.media"))
    with Session.open(path, actor=ADA) as session:
        answers = (
            GivenAnswer(item="i1", person=BEN.id, answer="B", duration_s=41, reason="It is red, no truck."),
            GivenAnswer(item="i1", person=CHEN.id, answer="B", duration_s=18.5),
            GivenAnswer(item="i2", person=BEN.id, answer="C", duration_s=12),
            GivenAnswer(item="i2", person=CHEN.id, answer="D", duration_s=30),
        )
        session.execute(AddResponses(answers=answers, people=(BEN, CHEN))).result()
        ask_models(session, "i1", answer="B")
    return path


def ask_models(session: Session, item_id: str, *, answer: str) -> None:
    """Enter a consensus run in which all models give one answer, and flag the item."""
    item = session.reader.require(Item, item_id)
    run = Run(id=new_id(), kind="consensus", models=MODELS)
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{model} {item_id}".encode()).digest(),
            model=model,
            target=item_id,
            spec={"shown": prompt_digest(item)},
        )
        for model in MODELS
    ]
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    for model in MODELS:
        for claim in queue.claim("w", run=run.id, model=model, count=1, now=NOW):
            prediction = Prediction(
                request_key=claim.request_key.hex(),
                kind="answer",
                target=item_id,
                model={"name": model},
                spec={"shown": prompt_digest(item)},
                answer=answer,
                text=REPLIES,
                run=run.id,
                made_at="2026-05-02T08:00:00Z",
            )
            queue.mark_sent([claim], [b"?"])
            queue.record([JobOutcome(claim=claim, prediction=prediction)], now=NOW)
    queue.close()
    votes = tuple(
        ItemPrediction(model=model, kind="answer", answer=answer, is_right=False, reply=REPLIES)
        for model in MODELS
    )
    predictions = ItemPredictions(item=item, chance=0.25, predictions=votes)
    command = FlagDisagreements(run=run.id, items=[item_id], disagreements=find_disagreements(predictions))
    session.execute(command).result()


def fork_question(path: Path, item_id: str) -> None:
    """Let two workstations change the question of an item independently, and merge them."""
    other_path = path.parent / "other.vantage"
    shutil.copy(path, other_path)
    bundle = path.parent / f"{new_id()}.vantage-bundle"
    with Session.open(other_path, actor=BEN) as other:
        other.execute(SetQuestion(item=item_id, text="Which vehicle turns left?")).result()
        other.export_bundle(bundle, progress=Progress())
    with Session.open(path, actor=ADA) as session:
        session.execute(SetQuestion(item=item_id, text="Which vehicle leaves the crossing?")).result()
        session.merge(bundle, progress=Progress()).result()
