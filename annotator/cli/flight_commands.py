"""The command ``flights``: key frames, segments and difficulty of the flights of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument
from annotator.domain import task_set_files
from annotator.domain.flight_actions import count_steps, knows_sides
from annotator.domain.flight_segments import (
    VLA_DIFFICULTY,
    VLN_DIFFICULTY,
    KeyFrameLimits,
    difficulty,
    key_frames,
    split_flight,
)
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import Trajectory
from annotator.session import Session

TASK_SET = "indooruav"
DEFAULTS = KeyFrameLimits()


@click.command()
@project_argument
@click.option(
    "--turn",
    "turn_deg",
    default=DEFAULTS.turn_deg,
    show_default=True,
    help="Key frame after a turn over this, degrees.",
)
@click.option(
    "--climb",
    "climb_m",
    default=DEFAULTS.climb_m,
    show_default=True,
    help="Key frame after a climb over this, metres.",
)
@click.option(
    "--straight",
    "straight_m",
    default=DEFAULTS.straight_m,
    show_default=True,
    help="Key frame after a straight flight over this, metres.",
)
@click.option(
    "--key-frames",
    "kept",
    type=click.Choice(["missing", "all"]),
    help="Store the key frames of flights that have none, or of all.",
)
@click.option(
    "--reverse", "is_reversed", is_flag=True, help="Add the flights from the goal back to the start."
)
@json_option
def flights(
    project: Path,
    *,
    turn_deg: float,
    climb_m: float,
    straight_m: float,
    kept: str | None,
    is_reversed: bool,
    console: Console,
) -> int:
    """List the flights of PROJECT with key frames, segments of one to three kinds of action, and difficulty.

    Without --key-frames and --reverse, nothing is changed. Segments have the members of IndoorUAV's files.
    """
    from annotator.commands.flights import REVERSED_FROM, AddReversedFlights, SetKeyFrames

    limits = KeyFrameLimits(turn_deg=turn_deg, climb_m=climb_m, straight_m=straight_m)
    with open_session(project) as session:
        known = list(_flights(session))
        result = {"flights": [_said(flight, limits=limits) for flight in known]}
        if kept:
            frames = _new_key_frames(known, is_each=kept == "all", limits=limits)
            execute(session, SetKeyFrames(frames=frames), console=console)
        if is_reversed:
            forward = tuple(flight.id for flight in known if REVERSED_FROM not in flight.metadata)
            execute(session, AddReversedFlights(flights=forward), console=console)
    console.result(result, print_text=lambda: _print_flights(result, console=console))
    return 0 if known else FOUND_PROBLEMS


def _flights(session: Session) -> Iterator[Trajectory]:
    """Yield the flights of a project; a camera that stands still is none."""
    yield from (flight for flight in session.reader.records(Trajectory) if len(flight.poses) > 1)


def _new_key_frames(
    flights: Iterable[Trajectory], *, is_each: bool, limits: KeyFrameLimits
) -> dict[str, tuple[int, ...]]:
    """Return the key frames of each flight, or of each that has none yet, by its id."""
    chosen = (flight for flight in flights if is_each or not flight.key_frames)
    return {flight.id: key_frames(flight, limits=limits) for flight in chosen}


def _said(flight: Trajectory, *, limits: KeyFrameLimits) -> dict[str, Any]:
    found: dict[str, Any] = {"name": flight.name, "poses": len(flight.poses)}
    found["key_frames"] = list(key_frames(flight, limits=limits))
    found |= _given(flight)
    if not knows_sides(flight):
        return {**found, "segments": [], "why": "neither the axes nor the actions of the flight are known"}
    return {**found, **_segments(flight, limits=limits, task_set=task_set_files.builtin(TASK_SET))}


def _given(flight: Trajectory) -> dict[str, Any]:
    """Return what people said of a flight, as far as they did."""
    labels = [msgspec.to_builtins(label) for label in flight.key_frame_labels]
    texts = {name: getattr(flight, name) for name in ("instruction_goal", "instruction_detailed")}
    given = {"stored_key_frames": list(flight.key_frames), "key_frame_labels": labels, **texts}
    return {name: value for name, value in given.items() if value}


def _segments(flight: Trajectory, *, limits: KeyFrameLimits, task_set: TaskSet) -> dict[str, Any]:
    steps = count_steps(flight)
    segments = [
        {
            "source": list(segment.frames),
            "action_type": list(segment.kinds),
            "difficulty": difficulty(task_set, VLA_DIFFICULTY, len(segment.kinds)),
            "actions": segment.instruction,
        }
        for segment in split_flight(flight, limits=limits)
    ]
    level = flight.difficulty or difficulty(task_set, VLN_DIFFICULTY, steps)
    return {"segments": segments, "steps": steps, "difficulty": level}


def _print_flights(result: dict[str, Any], *, console: Console) -> None:
    for flight in result["flights"]:
        facts = flight.get("why") or f"{flight['difficulty']}, {flight['steps']:,} steps"
        frames = ", ".join(map(str, flight["key_frames"]))
        console.print(f"{flight['name']}: {flight['poses']:,} poses, {facts}; key frames {frames}")
        for segment in flight["segments"]:
            first, last = segment["source"]
            console.print(f"  {first}-{last}  {segment['difficulty']}  {segment['actions']}")
    if not result["flights"]:
        console.print("The project has no flights.")


VERBS = (flights,)
