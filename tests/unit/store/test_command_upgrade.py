from __future__ import annotations

import msgspec
import pytest

from annotator.command_summary import TEMPLATES, CommandSummary
from annotator.domain.command import CommandRecord
from annotator.store.command_upgrade import PATTERNS, summarise_label, upgrade_command

LABELS = {
    "Edit answer key": "Edit answer key",
    "Reject 3 items": "Reject 3 items",
    "Accept 1 item": "Accept 1 item",
    "Restore 2 items": "Restore 2 items",
    "Set in_refinement: 4 items": "Set 4 items to in_refinement",
    "Resolve 1 flag": "Resolve 1 flag",
    "Dismiss 2 flags": "Dismiss 2 flags",
    "Reopen 0 flags": "Reopen 0 flags",
    "Send back 5 guessed items": "Send back 5 guessed items",
    "Filter 1 guessed item": "Filter 1 guessed item",
    "Flag 2 items that models doubt": "Flag 2 items that models doubt",
    "Tag 3 scenes": "Tag 3 scenes",
    "Choose the task set aircop": "Choose the task set aircop",
    "Write comment": "Write comment",
    "Add region": "Add region",
    "Add point": "Add point",
    "Add polygon": "Add polygon",
    "Add path": "Add path",
    "Keep detections": "Keep detections",
    "Keep depths": "Keep depths",
    "Keep the drafts of a model": "Keep the drafts of a model",
    "Change outline": "Change outline",
    "Repeat 2 regions": "Repeat 2 regions",
    "Move 1 region": "Move 1 region",
    "Remove 2 regions": "Remove 2 regions",
    "Remove 1 path": "Remove 1 path",
    "Remove 3 marks": "Remove 3 annotations",
    "Link 2 regions": "Link 2 regions",
    "Unlink 1 region": "Unlink 1 region",
    "Set the offset of UAV2 to +0.250 s": "Set the offset of UAV2 to +0.250 s",
    "Set the offset of the view to -1.000 s": "Set the offset of the view to -1.000 s",
    "Match views on the ground": "Align views on ground plane",
    "Import 2 files": "Import 2 files",
    "Import Real2_Sample.json": "Import Real2_Sample.json",
    "Draft aircop items by rule": "Draft aircop items by rule",
    "Check items": "Check items",
    "Release as spatialuav": "Release as spatialuav",
    "Register 7 media files": "Register 7 media files",
    "Add 1,200 media files of flights": "Add 1,200 media files of flights",
    "Set licence CC BY 4.0": "Set licence CC BY 4.0",
    "Take licence away": "Remove licence",
    "Enter 4 scenes with what is true about them": "Add 4 demo scenes",
    "Enter 9 items computed from the truth": "Add 9 demo items",
    "Gather pictures with boxes and frames in the scenes that they come from": (
        "Group demo images into scenes"
    ),
}


@pytest.mark.parametrize(("label", "expected"), LABELS.items(), ids=LABELS)
def test_label_when_an_earlier_version_wrote_it_then_has_a_code(label: str, expected: str) -> None:
    code, parameters = summarise_label(label)
    assert code != "text"
    assert str(CommandSummary(code, parameters)) == expected


def test_labels_when_compared_then_every_pattern_has_one_and_every_code_a_template() -> None:
    used = {summarise_label(label)[0] for label in LABELS}
    assert {code for _, code in PATTERNS} == used
    assert used <= set(TEMPLATES)


def test_label_when_nobody_knows_it_then_is_kept_as_text() -> None:
    assert summarise_label("Mark a region") == ("text", {"text": "Mark a region"})


def test_record_when_of_an_earlier_version_then_is_one_of_today() -> None:
    old = '{"id":"1","label":"Reject 3 items","name":"ChangeState","details":{"label":"x"}}'
    record = msgspec.json.decode(upgrade_command(old), type=CommandRecord)
    assert (record.code, record.parameters, record.name) == ("reject_items", {"count": 3}, "ChangeState")
    assert record.details == {"label": "x"}


def test_record_when_of_today_then_is_as_it_was() -> None:
    record = CommandRecord(id="1", code="text", parameters={"text": "the label"}, details={"label": "x"})
    text = msgspec.json.encode(record).decode()
    assert upgrade_command(text) == text
