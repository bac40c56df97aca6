"""The published AirCopBench questions' faults, planted in a file: each is found, the clean file is clean.

Source of the faults: the benchmark's generation scripts, whose answers and options are as planted here.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.drafts import DraftItems
from annotator.commands.imports import ImportFiles
from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.quality.run import run_checks
from annotator.session import Session
from tests.unit.store.making import changed, write

SCENES, FRAMES, VIEWS = (1, 2, 3), (1, 2, 3, 4), (1, 2, 3)
QUALITY = (
    "Very Poor (1/5) - Very blurry, heavy noise, serious color distortion.",
    "Poor (2/5) - Blurry, noisy, color and brightness problems.",
    "Fair (3/5) - Some blur, noticeable noise, slight color issues.",
    "Good (4/5) - Mostly clear, minor noise or distortion.",
    "Excellent (5/5) - Sharp, clean, balanced colors, no artifacts.",
)
WHY = (
    "The current image suffers from object occlusion, while the other perspective has a complete view of the "
    "object and can provide complementary information."
)
Question = dict[str, Any]
Questions = list[Question]


def _label(scene: int, frame: int, view: int, number: int) -> dict[str, Any]:
    name = f"/data/upload/9/8f2a9605-scene_{scene:03}-UAV{view}_frame_{frame:03}.jpg"
    label = {"img1": name, "id": number, "annotation_id": number, "annotator": 1, "lead_time": 40.5}
    label |= {"created_at": "2025-07-12T07:32:00.380461Z", "updated_at": "2025-07-12T10:05:32.919760Z"}
    # Every scene differs from every other in level and count, so that labels of a wrong scene are wrong.
    label |= {"Quality": QUALITY[(scene + frame + view) % 3 + 2], "Usibility": "1 (Available)"}
    label |= {"Object_type": "Vehicles", "Object_count": str(11 * scene + 3 * frame + view)}
    box = {"x": 20.0, "y": 30.0, "width": 9.0, "height": 8.0, "rotation": 0}
    size = {"original_width": 1920, "original_height": 1080}
    helped = {
        "Degradation": "Object occlusion",
        "PerceptionIssues": [{**box, "rectanglelabels": ["Occluded"], **size}],
        "Collaboration_when": "1 (Yes)",
        "Collaboration_what": [{**box, "rectanglelabels": ["More information"], **size}],
        "Collaboration_why": WHY,
        "Collaboration_who": f"UAV{view % 3 + 1}",
    }
    alone = {"Collaboration_when": "0 (No)", "Collaboration_who": "None"}
    return label | (helped if number % 2 else alone)


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an annotation file of 36 views."""
    path = tmp_path_factory.mktemp("labels") / "Sim3_labels.json"
    positions = ((scene, frame, view) for scene in SCENES for frame in FRAMES for view in VIEWS)
    path.write_text(json.dumps([_label(*location, number) for number, location in enumerate(positions)]))
    return path


@pytest.fixture(scope="module")
def clean(labels: Path, tmp_path_factory: pytest.TempPathFactory) -> Questions:
    """Give the questions that the rules draft from the labels, as a test file holds them."""
    with Session.create(tmp_path_factory.mktemp("drafted") / "p.vantage") as session:
        session.execute(ImportFiles(paths=(labels,))).result()
        session.execute(DraftItems(task_set="aircop", seed=1)).result()
        media = {medium.id: medium for medium in session.reader.records(Medium)}
        return [_question(item, media) for item in session.reader.records(Item)]


def _question(item: Item, media: dict[str, Medium]) -> Question:
    task = task_set_files.builtin("aircop").task(item.task)
    shown = (media[medium].name for medium in item.media)
    return {
        "question_id": item.name,
        "question_type": f"{task.number} {task.title.en} ({item.view})",
        "question": item.question,
        "options": {option.letter: option.text for option in item.options},
        "correct_answer": item.answer_key,
        "uav_paths": {f"UAV{index}": name for index, name in enumerate(shown, start=1)},
    }


@pytest.fixture
def check(labels: Path, tmp_path: Path) -> Callable[[Questions], Counter[str]]:
    """Give a function that imports labels and questions, and counts the findings by check."""

    def run(questions: Questions) -> Counter[str]:
        path = tmp_path / "questions.json"
        path.write_text(json.dumps(questions))
        with Session.create(tmp_path / "p.vantage") as session:
            session.execute(ImportFiles(paths=(labels,))).result()
            session.execute(ImportFiles(paths=(path,))).result()
            found = list(session.reader.records(Medium))
            # As if their files had been found.
            write(session, *(edit for each in found for edit in changed("medium", each.id, sha256="ab" * 32)))
            return Counter(finding.check for finding in run_checks(session.reader))

    return run


def of_task(questions: Questions, number: str) -> Questions:
    return [each for each in questions if each["question_type"].startswith(number)]


def always_a(questions: Questions) -> None:
    """Put the right option of each 'when' question first, as the scripts do."""
    for each in of_task(questions, "4.1"):
        right = each["correct_answer"]
        each["options"]["A"], each["options"][right] = each["options"][right], each["options"]["A"]
        each["correct_answer"] = "A"


def same_partner_twice(questions: Questions) -> None:
    each = of_task(questions, "4.3")[0]
    wrong = [letter for letter in "ABCD" if letter != each["correct_answer"]]
    each["options"][wrong[0]] = each["options"][wrong[1]]


def list_beside_its_part(questions: Questions) -> None:
    each = of_task(questions, "4.3")[1]
    # In the words of the scripts, which ask for one partner.
    each["question"] = "Which UAV should UAV2 collaborate with to see what is missing?"
    each["options"] = {"A": "None", "B": "UAV1，UAV3", "C": "UAV3", "D": "A ground-based sensor"}
    each["correct_answer"] = "C"


def count_is_zero(questions: Questions) -> None:
    each = of_task(questions, "2.2")[0]
    each["options"][each["correct_answer"]] = "0"


def id_of_another_set(questions: Questions) -> None:
    questions[7]["question_id"] = questions[3]["question_id"]


def labels_of_another_scene(questions: Questions) -> None:
    counting = of_task(questions, "2.2")
    options, key = counting[-1]["options"], counting[-1]["correct_answer"]
    counting[0]["options"], counting[0]["correct_answer"] = dict(options), key


def several_answers(questions: Questions) -> None:
    of_task(questions, "4.1")[0]["correct_answer"] = "A, B"


def labels_of_the_clean_image(questions: Questions) -> None:
    each = copy.deepcopy(of_task(questions, "3.1")[0])
    each["question_id"] += "_noise"
    each["uav_paths"] = {view: name.replace(".jpg", "-noise.jpg") for view, name in each["uav_paths"].items()}
    questions.append(each)


def fifth_option(questions: Questions) -> None:
    questions[0]["options"]["E"] = "something else"


def short_question(questions: Questions) -> None:
    questions[0]["question"] = "Cars?"


def question_again(questions: Questions) -> None:
    questions.append({**copy.deepcopy(questions[5]), "question_id": "copied"})


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        (always_a, {"letter_balance": 1}),
        (same_partner_twice, {"duplicate_options": 1, "option_similarity": 1}),
        (list_beside_its_part, {"overlapping_options": 1}),
        (count_is_zero, {"label_contradiction": 1}),
        (id_of_another_set, {"duplicate_id": 2}),
        (labels_of_another_scene, {"label_contradiction": 1}),
        (several_answers, {"key_in_options": 1}),
        (labels_of_the_clean_image, {"clean_answer": 1}),
        (fifth_option, {"option_keys": 1}),
        (short_question, {"question_length": 1}),
        (question_again, {"near_duplicate": 2}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_checks_when_a_published_fault_is_planted_then_it_and_nothing_else_is_found(
    clean: Questions,
    check: Callable[[Questions], Counter[str]],
    plant: Callable[[Questions], None],
    expected: dict[str, int],
) -> None:
    questions = copy.deepcopy(clean)
    plant(questions)
    assert check(questions) == expected


def test_checks_when_the_file_is_clean_then_nothing_is_found(
    clean: Questions, check: Callable[[Questions], Counter[str]]
) -> None:
    assert len(clean) >= 100
    assert check(clean) == {}
