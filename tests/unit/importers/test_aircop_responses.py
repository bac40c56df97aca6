from __future__ import annotations

import pytest

from tests.unit.importers.reading import Read

ANSWER = {
    "dataset": "Real2_VQA",
    "question_id": "MDMT_OC_UAV1_1",
    "question_type": "2.2 Object Counting (UAV1)",
    "correct_answer": "B",
    "predicted_answer": "A",
}


@pytest.mark.parametrize(
    ("content", "field", "text"),
    [
        ([ANSWER, ANSWER], "predicted_answer", "answers of a model"),
        ({"datasets_done": ["Real2_VQA"], "overall_accuracy": 0.5}, "datasets_done", "figures of a model"),
    ],
)
def test_answers_of_a_model_when_read_then_nothing_is_taken_and_said_why(
    read: Read, content: object, field: str, text: str
) -> None:
    result = read(content)
    assert (result.format, result.found) == ("aircop-responses", [])
    (told,) = result.rejected
    assert (told.line, told.locator, told.field) == (1, "the whole file", field)
    assert text in told.message


def test_questions_when_they_stand_beside_answers_then_still_questions(read: Read) -> None:
    question = {
        "question_id": "a",
        "question_type": "2.2 Object Counting",
        "question": "?",
        "options": {"A": "1"},
    }
    assert read([{**question, "correct_answer": "A"}]).format == "aircop-questions"
