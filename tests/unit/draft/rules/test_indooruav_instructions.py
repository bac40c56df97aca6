from __future__ import annotations

import msgspec
import pytest

from annotator.domain.trajectory import KeyFrameLabel, Trajectory
from annotator.draft.llm.pipeline import DraftSubject
from annotator.draft.llm.pipelines import PIPELINES
from annotator.draft.rule_result import SkippedItem
from tests.unit.draft.map_facts import items_of, reasons_of
from tests.unit.draft.rules.test_indooruav_flights import LONG, draft, facts

DETAILED = "Fly straight past the table, rise to the lamp, go on to the window."
GOAL = "Fly to the window."


def flight(**fields: object) -> Trajectory:
    return msgspec.structs.replace(LONG, **fields)  # type: ignore[arg-type]


def test_item_when_a_person_wrote_the_instruction_then_is_its_answer_key() -> None:
    labels = (KeyFrameLabel(frame=6, actions=("forward",), caption="a table,\nleft"),)
    given = facts(
        flight(instruction_detailed=f" {DETAILED}\n", key_frames=(0, 6, 11), key_frame_labels=labels)
    )
    (item,) = (drafted.item for drafted in items_of(draft("instruction_detailed", given)))
    assert item.answer_key == DETAILED
    assert item.question.startswith("Write a detailed instruction for this flight. Actions: ")
    assert "What is seen: a table, left" in item.question
    assert (item.media, item.provenance.made_by, item.provenance.labels) == (("mUAV1",), "rule", ("t",))


@pytest.mark.parametrize(
    ("task", "fields", "question"),
    [
        ("instruction_goal", {"instruction_goal": GOAL}, "where this flight has to end."),
        ("instruction_detailed", {"instruction_detailed": DETAILED, "poses": LONG.poses[:1]}, "this flight."),
    ],
)
def test_question_when_nobody_captioned_the_flight_then_has_no_empty_slot(
    task: str, fields: dict[str, object], question: str
) -> None:
    (item,) = (drafted.item for drafted in items_of(draft(task, facts(flight(**fields)))))
    assert item.question.endswith(question)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (facts(flight(instruction_goal=" ")), "nobody has written this instruction for the flight"),
        (facts(flight(instruction_goal=GOAL), media_type="image"), "the flight has no video"),
    ],
)
def test_item_when_there_is_none_then_says_why(given: object, reason: str) -> None:
    assert reasons_of(draft("instruction_goal", given)) == [reason]  # type: ignore[arg-type]


def test_item_when_a_model_made_the_flight_then_there_is_none() -> None:
    assert (
        draft("instruction_goal", facts(flight(instruction_goal=GOAL, metadata={"made_by": "model"}))) == []
    )


def test_model_when_a_person_wrote_the_long_instruction_then_only_shortens_it() -> None:
    chain = PIPELINES["indooruav"]
    (subject,) = chain.subjects(facts(flight(instruction_detailed=DETAILED)), seed=0)
    assert isinstance(subject, DraftSubject)
    steps = chain.steps(subject, tasks=chain.task_ids)
    assert [step.id for step in steps if not step.id.startswith("caption_")] == ["instruction_goal"]
    assert steps[-1].after == len(steps) - 2
    assert chain.slots(steps[-1], subject, {})["instruction"] == DETAILED


def test_model_when_a_person_wrote_both_instructions_then_is_not_asked() -> None:
    given = facts(flight(instruction_detailed=DETAILED, instruction_goal=GOAL))
    (skipped,) = PIPELINES["indooruav"].subjects(given, seed=0)
    assert skipped == SkippedItem("people have already written the instructions of the flight")
