"""Questions about flights in the form of UrbanVideo-Bench; their videos are not part of the demo.

A project may hold questions whose media are not at hand: the demo shows how that looks.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

FILE = "town_flights.csv"
SLIPS = {
    4: "two options say the same, and one of them speaks of the north",
    6: "the options are missing",
}
"""What is wrong on purpose, by question number."""


@dataclass(frozen=True, kw_only=True)
class _Question:
    video: str
    category: str
    stem: str
    options: tuple[str, ...]
    key: str


_QUESTIONS = (
    _Question(
        video="DemoTown_flight_01.mp4",
        category="Trajectory Captioning",
        stem="How did you fly, seen as a whole?",
        options=(
            "I follow the avenue to the crossroads, turn right and rise above the car park.",
            "I circle the pond in the park and land beside it.",
            "I rise above the school and turn left to the fields.",
            "I follow the avenue to the crossroads, turn left and descend to the flats.",
            "I hover above the gardens the whole time.",
        ),
        key="A",
    ),
    _Question(
        video="DemoTown_flight_01.mp4",
        category="Proximity",
        stem="How does the distance to the supermarket change after you pass the crossroads?",
        options=("It decreases.", "It increases.", "It stays the same."),
        key="A",
    ),
    _Question(
        video="DemoTown_flight_02.mp4",
        category="Duration",
        stem="Which takes longer, the flight along the avenue or the turn above the pond?",
        options=(
            "The flight along the avenue takes longer.",
            "The turn above the pond takes longer.",
            "Both take the same time.",
        ),
        key="A",
    ),
    _Question(
        video="DemoTown_flight_02.mp4",
        category="Start/End Position",
        stem="Where did you start, and where are you at the end?",
        options=(
            "I start at the school and end north of the pond.",
            "I start at the school and end at the north side of the pond.",
            "I start above the gardens and end at the crossroads.",
            "I start at the flats and end above the fields.",
            "I start at the car park and end at the school.",
        ),
        key="A",
    ),
    _Question(
        video="DemoTown_flight_03.mp4",
        category="Action Generation",
        stem=(
            "Navigation Instruction given at initial position: [Fly along the avenue, stop above the pond]. "
            "What is your next action?"
        ),
        options=(
            "I fly forward.",
            "I turn left.",
            "I turn right.",
            "I rise.",
            "I descend.",
            "I tilt the camera up.",
            "I tilt the camera down.",
        ),
        key="F",
    ),
    _Question(
        video="DemoTown_flight_03.mp4",
        category="Causal",
        stem="Why did you rise before you crossed the flats?",
        options=(),
        key="B",
    ),
)


def flight_file() -> bytes:
    """Return the questions as UrbanVideo-Bench's CSV writes them, stem and options in one cell."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["Question_id", "video_id", "question_category", "question", "answer"])
    for number, question in enumerate(_QUESTIONS, 1):
        table.writerow([number, question.video, question.category, _cell(question), question.key])
    return text.getvalue().encode()


def _cell(question: _Question) -> str:
    lines = [f"Question: {question.stem}  "]
    if question.options:
        lines.append("Choices:  ")
        lines += [
            f"{letter}. {option}  " for letter, option in zip("ABCDEFG", question.options, strict=False)
        ]
    return "\n".join(lines)
