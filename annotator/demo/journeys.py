"""The demo's flights as IndoorUAV's episodes: poses, instructions at two lengths, and what they ask."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.demo.actions import amount_text, kinds_of, pose_at
from annotator.demo.captures import Captures, Clip
from annotator.demo.flights import Flight
from annotator.demo.quiz import Question, ask
from annotator.domain import task_set_files
from annotator.domain.flight_actions import unit_steps
from annotator.domain.flight_segments import VLA_DIFFICULTY, VLN_DIFFICULTY, difficulty
from annotator.domain.trajectory import Pose, trajectory_text

TASK_SET = "indooruav"
_VLA_POINTS_PER_S = 2


def poses_of(flight: Flight) -> tuple[Pose, ...]:
    """Return the pose of each frame of a flight."""
    return tuple(pose_at(flight, time_s) for time_s in flight.times_s())


def detailed_instruction(clip: Clip) -> str:
    """Return what to do, leg by leg, with what comes into view."""
    flight, sentences = clip.flight, []
    for leg, (_, end) in zip(flight.legs, flight.spans_s(), strict=True):
        text = amount_text(leg)
        seen = sorted(clip.frames[min(len(clip.frames) - 1, round(end * flight.fps))].landmarks)
        tail = f" until {seen[0]} is in view" if seen else ""
        sentences.append(f"{text[0].upper()}{text[1:]}{tail}.")
    return " ".join(sentences)


def goal_instruction(clip: Clip) -> str:
    """Return in one sentence where the flight ends, "" where no landmark is in view there."""
    seen = sorted(clip.frames[-1].landmarks)
    return f"Fly to where you see {' and '.join(seen[:2])}." if seen else ""


def journey_questions(captures: Captures) -> Iterator[Question]:
    """Yield the questions about all flights, task by task."""
    asked = [question for clip in captures.clips for question in _questions(clip)]
    order = [task.id for task in task_set_files.builtin(TASK_SET).tasks]
    yield from sorted(asked, key=lambda question: order.index(question.task))


def _questions(clip: Clip) -> Iterator[Question]:
    flight, poses = clip.flight, poses_of(clip.flight)
    detailed, goal = detailed_instruction(clip), goal_instruction(clip)
    kinds, task_set = kinds_of(flight), task_set_files.builtin(TASK_SET)
    every = max(1, round(flight.fps / _VLA_POINTS_PER_S))
    first, last = (flight.frame_name(n) for n in (flight.key_frames[0], flight.key_frames[-1]))
    frames = tuple(flight.frame_name(n) for n in flight.key_frames)
    steps = len(unit_steps(poses))
    yield _question(
        clip, "vla", ask(TASK_SET, "vla", instruction=detailed), (first, last),
        trajectory_text(poses[::every]), "trajectory",
        {"action_type": kinds, "difficulty": difficulty(task_set, VLA_DIFFICULTY, len(kinds))},
    )  # fmt: skip
    yield _question(
        clip, "vln", ask(TASK_SET, "vln", instruction=goal or detailed), (first,), trajectory_text(poses),
        "trajectory", {"actions": steps, "difficulty": difficulty(task_set, VLN_DIFFICULTY, steps)},
    )  # fmt: skip
    captions = "; ".join(_caption(clip, number) for number in flight.key_frames)
    text = ask(TASK_SET, "instruction_detailed", actions=", ".join(kinds), captions=captions)
    yield _question(clip, "instruction_detailed", text, frames, detailed, "instruction_text", {})
    if goal:
        text = ask(TASK_SET, "instruction_goal", captions=captions)
        yield _question(clip, "instruction_goal", text, frames, goal, "instruction_text", {})


def _caption(clip: Clip, number: int) -> str:
    seen = sorted(clip.frames[number].landmarks)
    return f"frame {number}: {' and '.join(seen) if seen else 'houses and streets'}"


def _question(
    clip: Clip,
    task: str,
    text: str,
    media: tuple[str, ...],
    key: str,
    answer_format: str,
    extras: dict[str, object],
) -> Question:
    return Question(
        task_set=TASK_SET,
        task=task,
        text=text,
        media=media,
        key=key,
        answer_format=answer_format,
        scene=clip.flight.scene,
        view=clip.flight.view,
        extras=extras,
    )
