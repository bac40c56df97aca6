"""Exactly one option of each drafted AirCopBench item is right, by a recomputation from the raw records."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.drafts import DraftItems
from annotator.commands.imports import ImportFiles
from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.draft.report import DraftReport
from annotator.session import Session
from tests.unit.draft.published_truth import NAMES, TRACES, meaning, truth_of_options

VALUES = task_set_files.builtin("aircop").value_lists
SCENES, VIEWS = 150, 3
COMMON = 0.05
"""From this share of the items of a task on, an option that is never right is worth knowing."""


def _drafted(tmp_path: Path, file: Path) -> tuple[DraftReport, list[tuple[Item, dict[str, Any]]]]:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(file,))).result()
        command = DraftItems(task_set="aircop", seed=3)
        session.execute(command).result()
        raw = {r.id: json.loads(bytes(r.original)) for r in session.reader.records(EventLabel)}
        items = [i for i in session.reader.records(Item) if i.provenance.made_by == "rule"]
        return command.report, [(item, raw[item.provenance.labels[0]]) for item in items]


@pytest.fixture(
    scope="module",
    params=["Real2_Sample.json", pytest.param("Sim3_Sample.json", marks=pytest.mark.slow), "generated"],
)
def drafted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[DraftReport, list[tuple[Item, dict[str, Any]]]]:
    """Give the items drafted from a file of labels, each with its raw record."""
    tmp_path = tmp_path_factory.mktemp("drafted")
    if request.param != "generated":
        folder: Path = request.getfixturevalue("shared_data")
        return _drafted(tmp_path, folder / "aircop" / request.param)
    file = tmp_path / "Sim3_Sample.json"
    file.write_text(json.dumps(list(_generated(random.Random(7)))), encoding="utf-8")
    return _drafted(tmp_path, file)


def test_drafted_items_when_recomputed_from_the_records_then_exactly_the_answer_key_is_right(
    drafted: tuple[DraftReport, list[tuple[Item, dict[str, Any]]]],
) -> None:
    report, items = drafted
    assert len(items) == report.drafted > 500
    for item, raw in items:
        truths = list(truth_of_options(item, raw))
        right = [option.letter for option, truth in zip(item.options, truths, strict=True) if truth]
        assert right == [item.answer_key], (item.question, item.options, raw)
        assert None not in truths, (item.question, item.options, raw)
        assert len({option.text for option in item.options}) == 4


def test_drafted_items_when_an_option_is_offered_often_then_it_is_right_somewhere(
    drafted: tuple[DraftReport, list[tuple[Item, dict[str, Any]]]],
) -> None:
    _report, items = drafted
    sizes = Counter(item.task for item, _ in items)
    offered: Counter[tuple[str, str]] = Counter()
    right: set[tuple[str, str]] = set()
    for item, _ in items:
        for option in item.options:
            # Of the many numbers, each is offered rarely.
            offered[item.task, meaning(option.text)] += not option.text.isdecimal()
            if option.letter == item.answer_key:
                right.add((item.task, meaning(option.text)))
    useless = {key: n for key, n in offered.items() if n >= COMMON * sizes[key[0]] and key not in right}
    assert not useless


def test_drafted_items_when_drawn_then_tasks_share_no_single_wording(
    drafted: tuple[DraftReport, list[tuple[Item, dict[str, Any]]]],
) -> None:
    _report, items = drafted
    wordings: dict[str, Counter[str]] = {}
    for item, _ in items:
        template = item.provenance.wording.partition("/")[0]
        wordings.setdefault(item.task, Counter())[template] += 1
    tasks = task_set_files.builtin("aircop").tasks
    for task in tasks:
        if counted := wordings.get(task.id):
            assert set(counted) == {template.id for template in task.templates}
            assert len(counted) >= 5
            assert max(counted.values()) < 2 * counted.total() / len(counted)


def _generated(draw: random.Random) -> Iterator[dict[str, Any]]:
    """Yield records in which every answer occurs, contradictions and missing answers among them."""
    sentences = [value.published for value in VALUES["why"]]
    ticks = [value.published for value in VALUES["degradation"]]
    for scene in range(SCENES):
        for view in range(1, VIEWS + 1):
            needs_help = draw.random() < 0.7
            raw: dict[str, Any] = {
                "img1": f"/data/upload/9/8f2a9605-scene_{scene:03d}-UAV{view}_frame_001.jpg",
                "id": scene * VIEWS + view,
                "annotation_id": scene * VIEWS + view,
                "Quality": draw.choice([value.published for value in VALUES["quality"]]),
                "Usibility": draw.choice(["1 (Available)", "1 (Available)", "0 (Unavailable)"]),
                "Object_type": "Drones",
                "Object_count": draw.choice([str(draw.randrange(40)), str(draw.randrange(4)), "around 60"]),
                "Collaboration_when": "1 (Yes)" if needs_help else "0 (No)",
                "Collaboration_who": _who(draw, view) if needs_help else "None",
                "Degradation": {"choices": draw.sample(ticks, draw.randrange(1, 4))},
                "PerceptionIssues": [_box(draw) for _ in range(draw.choice((0, 0, 1, 3)))],
            }
            if needs_help:
                raw["Collaboration_why"] = {"choices": draw.sample(sentences, draw.randrange(1, 4))}
            if draw.random() < 0.1:
                del raw[draw.choice(["Quality", "Degradation", "Usibility", "Collaboration_when"])]
            if draw.random() < 0.1:
                raw["Other Degradation"] = "image blur"
            yield raw


def _who(draw: random.Random, view: int) -> str:
    others = [f"UAV{number}" for number in range(1, VIEWS + 1) if number != view]
    return draw.choice([others[0], others[1], "，".join(others), "noen", f"UAV{view}"])


def _box(draw: random.Random) -> dict[str, Any]:
    label = draw.choice([box for _, _, box in TRACES.values() if box])
    return {
        "x": 10.0,
        "y": 10.0,
        "width": 5.0,
        "height": 5.0,
        "rotation": 0,
        "rectanglelabels": [label],
        "original_width": 1920,
        "original_height": 1080,
    }


def test_generated_records_when_read_then_their_values_are_the_published_ones() -> None:
    assert len(TRACES) == len(VALUES["why"])
    assert {value.number: value.title.en.lower() for value in VALUES["quality"]} == NAMES
