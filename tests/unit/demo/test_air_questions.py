from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from annotator.demo.air_questions import air_questions
from annotator.demo.captures import Captures
from annotator.demo.quiz import Question


@pytest.fixture
def questions(small_demo: tuple[Captures, Path]) -> list[Question]:
    return list(air_questions(small_demo[0], seed=7))


def test_questions_when_asked_then_each_has_three_wrong_options(questions: list[Question]) -> None:
    assert len({question.task for question in questions}) >= 4
    assert all(len({question.right, *question.wrong}) == 4 for question in questions)


def test_grounding_when_asked_then_the_one_thing_of_its_kind_is_in_that_ninth(
    questions: list[Question], small_demo: tuple[Captures, Path]
) -> None:
    asked = [question for question in questions if question.task == "object_grounding"]
    assert asked
    for question in asked:
        picture = next(p for p in small_demo[0].pictures if p.shot.view == question.view)
        what = question.text.partition(" is the ")[2].removesuffix("?")
        (visible_object,) = (s for s in picture.visible_objects if s.mover.category == what)
        row = ("upper", "middle", "lower")[int((visible_object.y1 + visible_object.y2) / 2 / 240)]
        column = ("left", "middle", "right")[int((visible_object.x1 + visible_object.x2) / 2 / (1280 / 3))]
        expected = "centre" if (row, column) == ("middle", "middle") else f"{row} {column}"
        assert question.right == expected


def test_recognition_when_asked_then_only_the_key_is_in_the_picture(
    questions: list[Question], small_demo: tuple[Captures, Path]
) -> None:
    (question,) = (q for q in questions if q.task == "object_recognition")
    picture = next(p for p in small_demo[0].pictures if p.shot.view == question.view)
    present = Counter(s.mover.category for s in picture.visible_objects)
    bare = [text.partition(" ")[2] for text in (question.right, *question.wrong)]
    assert [present[name] > 0 for name in bare] == [True, False, False, False]
