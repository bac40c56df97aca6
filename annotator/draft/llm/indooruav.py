"""IndoorUAV's chain: a caption per key frame, then instructions at two lengths, and the long one in parts.

Source: IndoorUAV (arXiv 2512.19024), captions (place, objects near, mid and far, left, centre and right),
instructions at two levels, sub-instructions of one to three actions; the prompts are our own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from annotator.domain.flight_labels import label_at
from annotator.domain.item import Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.trajectory import Trajectory
from annotator.draft.llm.flight_motion import evenly_chosen, key_frames_of, moves_up_to
from annotator.draft.llm.pipeline import DraftSubject, Pipeline, PipelineStep, Values
from annotator.draft.llm.prompts import PromptTemplate
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.text_parser import lists_of, members_of, parse_text, text_of
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts

DETAILED, GOAL = "instruction_detailed", "instruction_goal"
LONG, CAPTION, WRITTEN = "long", "caption_", "written"
FEWEST_WORDS, MOST_LETTERS = 12, 6_000
FEWEST_GOAL_WORDS, MOST_GOAL_LETTERS = 4, 400
MOST_OBJECTS = 30
LONGEST_MEDIA_PATH, LONGEST_NAME = 300, 120
MOST_FRAMES = 24
"""Most key frames of a flight that are described; the motions between all of them are told."""
FEWEST_ACTIONS, MOST_ACTIONS = 1, 3
KEPT_SHARE = 0.8
"""Minimum share of the words of the whole that the parts must contain: a split is not a summary."""
MOST_SHARE = 1.5
"""Maximum of the same ratio: a split adds a word here and there, but repeats nothing."""
_DISTANCES = {"near": "near", "mid": "mid", "middle": "mid", "medium": "mid", "far": "far", "distant": "far"}
_SIDES = {"left": "left", "centre": "centre", "center": "centre", "middle": "centre", "right": "right"}
UNSAID = "An object lacks its name, its distance (near, mid, far) or its side (left, centre, right)."
_WORD = re.compile(r"\w+")
# In this order: to turn right is a turn, and to fly up is no flight forward.
_KINDS = (
    ("turn", re.compile(r"turn|rotat|yaw|face", re.IGNORECASE)),
    ("up_down", re.compile(r"up|down|ascend|descend|climb|rise|lower", re.IGNORECASE)),
    ("right_left", re.compile(r"side|lateral|strafe|shift|right|left", re.IGNORECASE)),
    ("forward", re.compile(r"forward|fly|straight|advance|pass|go|move|enter|approach", re.IGNORECASE)),
)


class IndoorUav(Pipeline):
    """Drafts both tasks of instruction writing, one flight after the other.

    An instruction that people wrote is not asked for: rules make its item (``indooruav.instruction_goal``).
    """

    task_set_id = "indooruav"
    task_ids = (DETAILED, GOAL)

    def subjects(
        self,
        facts: SceneFacts,
        *,
        seed: int | str,  # noqa: ARG002 - nothing is drawn
    ) -> Iterator[DraftSubject | SkippedItem]:
        """Yield one subject per flight with images."""
        if not facts.trajectories:
            yield SkippedItem("the scene has no flight")
        for flight in facts.trajectories:
            yield self._subject(flight, facts)

    def _subject(self, flight: Trajectory, facts: SceneFacts) -> DraftSubject | SkippedItem:
        scene = facts.scene
        views = [view for view in scene.views if view.name == flight.view] or list(scene.views[:1])
        medium = facts.media.get(views[0].medium) if views else None
        every = key_frames_of(flight)
        frames = evenly_chosen(every, most=MOST_FRAMES)
        if medium is None or medium.media_type not in VIDEO_TYPES:
            return SkippedItem("the flight has no video")
        if not frames:
            return SkippedItem("the flight has no poses")
        tasks = tuple(task for task in self.task_ids if not getattr(flight, task).strip())
        if not tasks:
            return SkippedItem("people have already written the instructions of the flight")
        return DraftSubject(
            target=flight.id,
            facts=facts,
            view=flight.view,
            media=(medium.id,),
            slots={
                "moves": "\n".join(moves_up_to(flight, frames, among=every)),
                "actions": _kinds_text(flight),
                WRITTEN: flight.instruction_detailed.strip(),
                **_written_captions(flight, frames),
            },
            frames=tuple(video_frame(number, flight=flight, medium=medium) for number in frames),
            tasks=tasks,
        )

    def steps(self, subject: DraftSubject, *, tasks: Sequence[str]) -> list[PipelineStep]:
        """Return the captions in sequence, the long instruction, its parts, and the goal.

        Captions and instructions that people wrote are not asked for.
        """
        missing = [n for n in range(len(subject.frames)) if f"{CAPTION}{n}" not in subject.slots]
        captions = [
            PipelineStep(
                id=f"{CAPTION}{number}",
                prompt=f"{self.task_set_id}/caption",
                # One after the other: each caption is asked for with those before it.
                after=index - 1 if index else None,
                frame=subject.frames[number],
            )
            for index, number in enumerate(missing)
        ]
        long = (
            []
            if subject.slots.get(WRITTEN)
            else [PipelineStep(id=LONG, prompt=f"{self.task_set_id}/long", after=_last(captions))]
        )
        before = [*captions, *long]
        items = [
            PipelineStep(id=task, prompt=f"{self.task_set_id}/{name}", task=task, after=_last(before))
            for task, name in ((DETAILED, "split"), (GOAL, "goal"))
            if task in subject.tasks and task in tasks
        ]
        return [*before, *items] if items else []

    def slots(self, step: PipelineStep, subject: DraftSubject, values: Values) -> dict[str, str]:
        """Return the subject's slots with the captions so far, the move before a frame, and the text."""
        moves = subject.slots["moves"].split("\n")
        index = _step_index(step)
        names = [f"{CAPTION}{n}" for n in range(len(subject.frames))]
        captions = [subject.slots.get(name) or caption_text(values.get(name)) for name in names]
        return {
            **super().slots(step, subject, values),
            "move": moves[index] if index is not None and moves[index] else "the flight begins here",
            "number": str(1 + (index or 0)),
            "captions": "\n".join(
                f"{n}. {f'({move}) ' if move else ''}{text}"
                for n, (move, text) in enumerate(zip(moves, captions, strict=False), start=1)
                if text
            ),
            "instruction": subject.slots.get(WRITTEN) or str(values.get(LONG, "")),
        }

    def read(
        self,
        step: PipelineStep,
        text: str,
        *,
        prompt: PromptTemplate,  # noqa: ARG002 - none has a question for an example
        values: Values,
    ) -> Any | RejectedReply:  # noqa: ANN401 - JSON
        """Return a caption, an instruction, or its parts."""
        if _step_index(step) is not None:
            return read_caption(text)
        if step.id == DETAILED:
            return read_parts(text, whole=str(values.get(LONG, "")))
        fewest, most = (
            (FEWEST_GOAL_WORDS, MOST_GOAL_LETTERS) if step.id == GOAL else (FEWEST_WORDS, MOST_LETTERS)
        )
        return parse_text(
            text, members=("instruction", "text", "goal"), fewest_words=fewest, most_letters=most
        )

    def item(
        self,
        step: PipelineStep,
        value: Any,  # noqa: ANN401 - JSON
        *,
        subject: DraftSubject,
        values: Values,
        seed: int | str,  # noqa: ARG002 - JSON, no draw
    ) -> Item:
        """Return the item that asks for an instruction; its answer key is the model's text."""
        task = self.task_set.task(step.task)
        slots = self.slots(step, subject, values)
        told = {"actions": slots["actions"], "captions": slots["captions"].replace("\n", "; ")}
        key = "\n".join(part["text"] for part in value) if step.id == DETAILED else text_of(value)
        return self.bare_item(task, subject=subject, question=task.templates[0].fill(told), answer_key=key)


def read_caption(text: str) -> dict[str, Any] | RejectedReply:
    """Return a caption: the place, and objects with their distance and side."""
    members = members_of(text, wanted="place")
    location = text_of(members.get("place")) if members else ""
    if members is None or not location:
        return RejectedReply(problems=('There is no "place" in the reply.',))
    entries = members.get("objects")
    objects = [_seen(entry) for entry in entries[:MOST_OBJECTS]] if isinstance(entries, list) else []
    if not objects:
        return RejectedReply(problems=('There is no list "objects" in the reply.',))
    if not all(all(seen.values()) for seen in objects):
        return RejectedReply(problems=(UNSAID,))
    if len(location) > LONGEST_MEDIA_PATH or any(len(seen["name"]) > LONGEST_NAME for seen in objects):
        limits = f"a place in at most {LONGEST_MEDIA_PATH} letters, an object in {LONGEST_NAME}"
        return RejectedReply(problems=(f"The caption is too long: {limits}.",))
    return {"place": location, "objects": objects}


def _seen(entry: object) -> dict[str, str]:
    """Return an object of a caption; missing or unknown values are ""."""
    members = entry if isinstance(entry, dict) else {"name": entry}
    return {
        "name": text_of(members.get("name") or members.get("object")),
        "distance": _known(members.get("distance"), _DISTANCES),
        "side": _known(members.get("side"), _SIDES),
    }


def caption_text(caption: Any) -> str:  # noqa: ANN401 - JSON of read_caption, or None
    """Return a caption as one line of text, "" if there is none."""
    if not caption:
        return ""
    objects = ", ".join(f"{one['name']} ({one['distance']}, {one['side']})" for one in caption["objects"])
    return f"{caption['place']}: {objects}"


def read_parts(text: str, *, whole: str) -> list[dict[str, Any]] | RejectedReply:
    """Return the parts of a long instruction with their kinds of action.

    Args:
        text: The reply.
        whole: The instruction; the parts must contain its words.
    """
    parts = next((found for entries in lists_of(text) if (found := _parts(entries))), [])
    problems = []
    if not parts:
        problems.append('There is no list of parts with "text" and "actions".')
    for index, part in enumerate(parts, start=1):
        if not FEWEST_ACTIONS <= len(part["actions"]) <= MOST_ACTIONS:
            wanted = f"{FEWEST_ACTIONS} to {MOST_ACTIONS} are required"
            problems.append(f"Part {index} has {len(part['actions'])} actions; {wanted}.")
    share = _kept_share(whole, " ".join(part["text"] for part in parts))
    if parts and share < KEPT_SHARE:
        problems.append(
            f"The parts hold {share:.0%} of the words of the instruction; none of it may be left out."
        )
    words = sum(len(_WORD.findall(part["text"])) for part in parts)
    if words > MOST_SHARE * max(1, len(_WORD.findall(whole))):
        problems.append("The parts hold far more words than the instruction; nothing may be added.")
    return RejectedReply(problems=tuple(problems)) if problems else parts


def video_frame(number: int, *, flight: Trajectory, medium: Medium) -> int:
    """Return the number of the video frame of a pose; poses and frames are evenly spaced in time."""
    if medium.frames in (0, len(flight.poses)) or len(flight.poses) < 2:
        return number
    return round(number * (medium.frames - 1) / (len(flight.poses) - 1))


def _parts(entries: Sequence[object]) -> list[dict[str, Any]]:
    found = []
    for entry in entries:
        members = entry if isinstance(entry, dict) else {}
        text = text_of(members.get("text") or members.get("instruction") or members.get("sub_instruction"))
        actions = members.get("actions") or members.get("action") or []
        named = [actions] if isinstance(actions, str) else actions if isinstance(actions, list) else []
        if text:
            found.append({"text": text, "actions": [kind for name in named if (kind := _kind_of(name))]})
    return found


def _kind_of(name: object) -> str:
    text = text_of(name)
    if text.casefold() in {kind for kind, _ in _KINDS}:
        return text.casefold()
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "")


def _kept_share(whole: str, parts: str) -> float:
    wanted, held = (Counter(_WORD.findall(text.casefold())) for text in (whole, parts))
    return (wanted & held).total() / wanted.total() if wanted else 1.0


def _known(value: object, names: dict[str, str]) -> str:
    """Return the only known word in a text, "" if there is none or several different ones."""
    known = {names[word] for word in _WORD.findall(text_of(value).casefold()) if word in names}
    return known.pop() if len(known) == 1 else ""


def _written_captions(flight: Trajectory, frames: Sequence[int]) -> dict[str, str]:
    """Return the captions that people wrote, each on one line, by the names of the steps in their place."""
    captions = (" ".join(label_at(flight, frame).caption.split()) for frame in frames)
    return {f"{CAPTION}{n}": caption for n, caption in enumerate(captions) if caption}


def _step_index(step: PipelineStep) -> int | None:
    return int(step.id.removeprefix(CAPTION)) if step.id.startswith(CAPTION) else None


def _last(steps: Sequence[PipelineStep]) -> int | None:
    return len(steps) - 1 if steps else None


def _kinds_text(flight: Trajectory) -> str:
    kinds = flight.metadata.get("action_type")
    named = [text_of(kind) for kind in kinds] if isinstance(kinds, list) else []
    return ", ".join(filter(None, named)) or "not named"


RECIPE = IndoorUav()
