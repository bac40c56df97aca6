from __future__ import annotations

from annotator.domain.item import Item
from annotator.draft.report import DraftReport
from annotator.draft.rule_result import DraftedItem


def _drafted(task: str, key: str, answer: str) -> DraftedItem:
    return DraftedItem(item=Item(name="n", task_set="aircop", task=task, answer_key=key), answer=answer)


def test_report_when_filled_then_the_object_of_the_command_line_adds_up() -> None:
    report = DraftReport(labels=4)
    for key, answer in (("B", "UAV2"), ("A", "UAV2"), ("B", "UAV3")):
        report.add(_drafted("who", key, answer))
    report.skip("who", "when is missing")
    report.existing["who"] = 2
    assert report.to_json() == {
        "scenes": 0,
        "labels": 4,
        "drafted": 3,
        "unchanged": 2,
        "skipped": 1,
        "reasons": {"who: when is missing": 1},
        "tasks": {"who": 3},
        "letters": {"who": {"A": 1, "B": 2}},
        "best_constant_answer": {"who": 0.6667},
    }


def test_reasons_when_asked_for_a_task_then_they_are_its_own_and_the_most_frequent_comes_first() -> None:
    report = DraftReport()
    for task, reason in (("who", "a"), ("when", "c"), ("who", "b"), ("who", "b")):
        report.skip(task, reason)
    assert list(report.reasons_of("who").items()) == [("b", 2), ("a", 1)]


def test_best_constant_answer_when_nothing_was_drafted_then_it_is_0() -> None:
    assert DraftReport().best_constant_answer("who") == 0.0
