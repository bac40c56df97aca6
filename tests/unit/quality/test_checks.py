from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.domain.registry import by_id
from annotator.quality.check import ItemCheck
from annotator.quality.checks import CHECKS
from annotator.quality.checks.structure import RequiredFields
from annotator.quality.checks.wording import QuestionLength
from annotator.quality.context import CheckContext


def test_registry_when_two_classes_have_one_id_then_both_are_named() -> None:
    class Twin(RequiredFields):
        """A second check of the same id."""

    with pytest.raises(ValueError, match="Twin and RequiredFields are 'required_fields'"):
        by_id((RequiredFields, Twin))


def test_check_when_it_names_a_task_then_looks_at_it_whatever_the_tasks_list_says(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    class Everywhere(QuestionLength):
        """Looks at one task of UrbanVideo-Bench, which leaves this check out, too."""

        tasks = ("urbanvideo/causal",)

    item = make_item(task_set="urbanvideo", task="causal")
    assert not QuestionLength().applies_to(item, context=context)
    assert Everywhere().applies_to(item, context=context)
    assert not Everywhere().applies_to(msgspec.structs.replace(item, task="duration"), context=context)


def test_registry_when_read_then_every_check_says_what_it_finds_and_what_to_do() -> None:
    for check in CHECKS.values():
        assert check.title
        assert check.finds.endswith(".")
        assert check.advice.endswith(".")
        assert check.severity in {"error", "warning"}
        assert check.scope == ("item" if isinstance(check, ItemCheck) else "set")
        assert set(check.task_sets) <= set(task_set_files.builtin_ids())


@pytest.mark.parametrize(
    ("check", "task_set", "task", "applies"),
    [
        ("question_length", "aircop", "object_counting", True),
        ("question_length", "urbanvideo", "causal", False),
        ("question_length", "aircop", "not known", True),
        ("question_length", "urbanvideo", "not known", False),
        ("absolute_direction", "urbanvideo", "not known", True),
        ("absolute_direction", "ours", "", False),
        # The task's own list stands before the registry's sets.
        ("absolute_direction", "aircop", "object_counting", True),
        ("option_keys", "spatialuav", "a2a_collaboration_recognition", False),
        ("option_keys", "ours", "", True),
    ],
)
def test_applies_to_when_the_task_is_known_then_its_list_decides_else_the_registry(
    make_item: Callable[..., Item], context: CheckContext, check: str, task_set: str, task: str, applies: bool
) -> None:
    item = make_item(task_set=task_set, task=task)
    assert CHECKS[check].applies_to(item, context=context) == applies
