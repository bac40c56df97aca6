from __future__ import annotations

import pytest

from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.importers.record_fields import RecordFields
from annotator.importers.task_detection import TaskNames, guess_task_set


@pytest.mark.parametrize(
    ("names", "usual", "expected"),
    [
        (["Proximity", "Duration", "Object Counting"], "", "urbanvideo"),
        (["Object Recognition", "Scene Counting"], "", "topviewrs"),
        (["Object Recognition"], "topviewrs", "topviewrs"),
        (["Object Recognition"], "", "aircop"),
        (["Telepathy", ""], "", None),
        ([], "urbanvideo", None),
    ],
)
def test_task_set_when_guessed_then_the_one_that_knows_most_names(
    names: list[str], usual: str, expected: str | None
) -> None:
    found = guess_task_set(names, among=TaskSetCatalogue(), usual=usual)
    assert (found.id if found else None) == expected


def test_names_when_no_set_is_known_then_own_and_no_task() -> None:
    names, fields = TaskNames(None), RecordFields({})
    assert (names.task_set_id, names.find("Causal", fields=fields), fields.corrections) == ("own", None, [])
