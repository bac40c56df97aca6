from __future__ import annotations

import csv
import dataclasses
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from annotator.demo.actions import doing_text, motion_text
from annotator.demo.captures import Captures
from annotator.demo.cases import CLIP_SLIPS
from annotator.demo.clip_questions import clip_questions
from annotator.demo.flight_file import flight_file
from annotator.demo.flights import Flight, all_flights
from annotator.demo.landmarks import Landmark
from annotator.demo.quiz import Question, pose
from annotator.domain import task_set_files
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile

SEED = 7


@pytest.fixture
def questions(undrawn: Captures) -> list[Question]:
    return list(clip_questions(undrawn, seed=SEED))


def _flight(question: Question) -> Flight:
    return next(flight for flight in all_flights() if flight.name == question.media[0])


def _of(questions: list[Question], task: str) -> list[Question]:
    found = [question for question in questions if question.task == task]
    assert found
    return found


def test_tasks_when_asked_then_most_of_the_sixteen_are_there_in_their_form(questions: list[Question]) -> None:
    tasks = task_set_files.builtin("urbanvideo").tasks
    counts = Counter(question.task for question in questions)
    assert len(counts) >= 14
    for task in tasks:
        assert task.option_count is not None
        for question in (q for q in questions if q.task == task.id):
            assert len(question.wrong) + 1 == task.option_count.max
            assert question.right not in question.wrong
            assert len(set(question.wrong)) == len(question.wrong)


def test_sequence_when_asked_then_the_key_is_the_leg_after(questions: list[Question]) -> None:
    for question in _of(questions, "sequence_recall"):
        legs = _flight(question).legs
        asked = next(n for n, leg in enumerate(legs) if doing_text(leg.do) in question.text)
        assert question.right == f"I {motion_text(legs[asked + 1].do)}."


def test_duration_when_asked_then_the_longer_leg_is_the_key(questions: list[Question]) -> None:
    for question in _of(questions, "duration"):
        one, two = _flight(question).legs[:2]
        word = (
            {True: "longer", False: "less"}[one.seconds > two.seconds]
            if one.seconds != two.seconds
            else "same"
        )
        assert word in question.right


def test_proximity_when_asked_then_positions_at_both_ends_of_the_leg_say_so(
    questions: list[Question], undrawn: Captures
) -> None:
    marks = {mark.name: mark for mark in undrawn.landmarks}
    for question in _of(questions, "proximity"):
        flight = _flight(question)
        mark = next(m for name, m in marks.items() if f" {name.removeprefix('the ')} change" in question.text)
        number = next(n for n, leg in enumerate(flight.legs) if doing_text(leg.do) in question.text)
        begin, end = (_reach(flight, t, mark) for t in flight.spans_s()[number])
        expected = "same" if abs(end / begin - 1) < 0.05 else "increases" if end > begin else "decreases"
        assert expected in question.right


def _reach(flight: Flight, time_s: float, mark: Landmark) -> float:
    camera = flight.camera_at(time_s)
    return float(np.linalg.norm(camera.position_m - (mark.x_m, mark.y_m, 0)))


def test_landmark_position_when_asked_then_the_cameras_own_axes_say_so(
    questions: list[Question], undrawn: Captures
) -> None:
    marks = {mark.name: mark for mark in undrawn.landmarks}
    for question in _of(questions, "landmark_position"):
        flight = _flight(question)
        name = "the " + question.text.partition("in relation to the ")[2].removesuffix("?")
        camera = flight.camera_at(flight.seconds)
        to_mark = np.array((marks[name].x_m, marks[name].y_m, camera.altitude_m)) - camera.position_m
        right, ahead = to_mark @ camera.axes[:, 0], to_mark @ (camera.axes[:, 2] * (1, 1, 0))
        assert ("right" in question.right) == (right > 0 and abs(right) > 0.3 * abs(ahead) * 1.0)
        if "ahead" in question.right:
            assert ahead > 0
        if "behind" in question.right:
            assert ahead < 0


def test_action_when_the_goal_is_to_the_side_then_the_drone_turns_there(
    questions: list[Question], undrawn: Captures
) -> None:
    marks = {mark.name: mark for mark in undrawn.landmarks}
    for question in _of(questions, "action_generation"):
        flight = _flight(question)
        name = question.text.partition("fly to ")[2].partition(".")[0]
        camera = flight.camera_at(flight.seconds)
        side = (np.array((marks[name].x_m, marks[name].y_m, 0)) - camera.position_m) @ camera.axes[:, 0]
        expected = {"I turn right.": side > 0, "I turn left.": side < 0, "I fly forward.": abs(side) < 80}
        assert expected[question.right]


def test_places_when_named_after_the_compass_then_nothing_asks_about_them(
    undrawn: Captures, questions: list[Question]
) -> None:
    east = dataclasses.replace(undrawn.landmarks[0], name="the bridge of East Street")
    captures = dataclasses.replace(undrawn, landmarks=(*undrawn.landmarks, east))
    for question in clip_questions(captures, seed=SEED):
        assert "East" not in f"{question.text} {question.right} {question.wrong}"


def test_file_when_read_by_the_importer_then_slips_raise_their_flags(
    undrawn: Captures, tmp_path: Path
) -> None:
    posed = list(pose(clip_questions(undrawn, seed=SEED), seed=SEED))
    path = tmp_path / "flights.csv"
    path.write_bytes(flight_file(posed))
    read = registry.get("urbanvideo").read(
        InputFile.open(path), context=ImportContext(dataset="Demo")  # type: ignore[arg-type]
    )  # fmt: skip
    found = [entry for entry in read if isinstance(entry, ImportedRecord)]
    assert len(found) == len(posed)
    assert {flag.kind for entry in found for flag in entry.flags} >= {"options_missing"}
    written = list(csv.DictReader(io.StringIO(flight_file(posed).decode())))
    by_task = {slip.kind: slip for slip in CLIP_SLIPS}
    twice = by_task["duplicate_options"]
    title = task_set_files.builtin("urbanvideo").task(twice.task).title.en
    row = [r for r in written if r["question_category"] == title][twice.number - 1]
    options = [line[3:] for line in row["question"].splitlines() if line[1:3] == ". "]
    assert len(set(options)) == len(options) - 1
