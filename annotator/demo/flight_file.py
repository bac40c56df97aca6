"""The questions about the clips in the form of UrbanVideo-Bench's table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from annotator.demo.cases import CLIP_SLIPS, slip_of
from annotator.demo.clip_questions import TASK_SET
from annotator.demo.quiz import Posed
from annotator.domain import task_set_files
from annotator.domain.item import LETTERS

FILE = "town_flights.csv"


def flight_file(posed: Sequence[Posed]) -> bytes:
    """Return the questions as UrbanVideo-Bench's CSV writes them, stem and options in one cell."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["Question_id", "video_id", "question_category", "question", "answer"])
    task_set = task_set_files.builtin(TASK_SET)
    for number, one in enumerate(posed, 1):
        title = task_set.task(one.question.task).title.en
        table.writerow([number, one.question.media[0], title, _cell(one), one.key])
    return text.getvalue().encode()


def _cell(posed: Posed) -> str:
    lines = [f"Question: {posed.question.text}  "]
    if options := _with_slip(posed):
        lines.append("Choices:  ")
        lines += [f"{letter}. {option}  " for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join(lines)


def _with_slip(posed: Posed) -> list[str]:
    """Return the options as they are written: some with what ``cases`` says is wrong with them."""
    slip = slip_of(CLIP_SLIPS, task=posed.question.task, number=posed.number)
    options = list(posed.options)
    wrong = [n for n, text in enumerate(options) if text != posed.question.right]
    if slip is None:
        return options
    if slip.kind == "options_missing":
        return []
    if slip.kind == "duplicate_options":
        options[wrong[0]] = options[wrong[1]]
    else:
        options[wrong[0]] = f"{options[wrong[0]].removesuffix('.')}, towards the north."
    return options
