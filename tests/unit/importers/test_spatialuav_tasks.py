from __future__ import annotations

from typing import Any

import pytest

from annotator.domain.item import Item
from tests.unit.importers.reading import Read

AERIAL = "The given image is an aerial UAV image. Which ground image fits? Answer with one letter."
GROUND = "The given image is a ground-view image. Which aerial UAV image fits? Answer with one letter."


def record(**fields: Any) -> dict[str, Any]:
    sound = {
        "Image": "scene_3_drone_000100",
        **{f"Option {letter}": f"scene_{n}_ground_000100" for n, letter in enumerate("ABCD", 1)},
        "Task": "A2G_Collaboration_Recognition",
        "User": AERIAL,
        "Answer": "C",
    }
    return {name: value for name, value in {**sound, **fields}.items() if value is not None}


def test_record_when_sound_then_every_field_is_in_its_place(read: Read) -> None:
    result = read([record(), record(Image="x")], name="annotations_A2G.json")
    assert (result.format, result.rejected, result.flags) == ("spatialuav-tasks", [], {})
    entry = result.found[0]
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task, item.answer_key) == (
        "A2G_Collaboration_Recognition_00001",
        "a2g_collaboration_recognition",
        "C",
    )
    assert (item.question, item.task_set, item.answer_format) == (AERIAL, "spatialuav", "option_letter")
    assert [(o.letter, o.text) for o in item.options] == [
        ("A", "scene_1_ground_000100"),
        ("B", "scene_2_ground_000100"),
        ("C", "scene_3_ground_000100"),
        ("D", "scene_4_ground_000100"),
    ]
    assert [medium.name for medium in entry.media] == [
        "scene_3_drone_000100",
        *(option.text for option in item.options),
    ]
    assert (entry.dataset, entry.line, item.provenance.locator) == ("SpatialUAV", 2, "record 1")
    assert item.extras == {}


@pytest.mark.parametrize(
    ("fields", "view"),
    [
        ({"Image": "scene_3_drone_000100"}, "aerial"),
        ({"Image": "a_groundView"}, "ground"),
        ({"Image": "img7", "User": GROUND}, "ground"),
        ({"Image": "img7", "User": AERIAL}, "aerial"),
        ({"Image": "66-00000700-UAV2", "Task": "A2A_Collaboration_Recognition", "User": "Which?"}, "UAV2"),
        ({"Image": "img7", "Task": "A2A_Collaboration_Recognition", "User": "Which?"}, "UAV1"),
    ],
)
def test_query_when_read_then_alone_in_its_scene_with_its_view(
    read: Read, fields: dict[str, Any], view: str
) -> None:
    scene = read([record(**fields)]).found[0].scene
    assert scene is not None
    assert (scene.name, [(seen.view, seen.name) for seen in scene.views]) == (
        fields["Image"],
        [(view, fields["Image"])],
    )


@pytest.mark.parametrize(
    ("fields", "flag"),
    [
        ({"Answer": None}, "key_missing"),
        ({"Answer": "E"}, "key_not_among_options"),
        ({"Task": "Telepathy"}, "task_unknown"),
        ({"Option B": " ", "Answer": "A"}, "option_letters_odd"),
    ],
)
def test_record_when_something_is_wrong_then_taken_with_a_flag(
    read: Read, fields: dict[str, Any], flag: str
) -> None:
    result = read([record(**fields)])
    assert result.flags == {flag: 1}


def test_task_when_unknown_then_kept(read: Read) -> None:
    assert read([record(Task="Telepathy", note=1)]).records[0].extras == {"note": 1, "Task": "Telepathy"}


def test_path_when_it_leads_out_then_only_a_name(read: Read) -> None:
    result = read([record(Image="../../etc/passwd")])
    assert [(m.name, m.path) for m in result.found[0].media[:1]] == [("../../etc/passwd", "")]
    assert result.notes("media")[0].original == "../../etc/passwd"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"Image": None}, "Image"), ({"Image": 3}, "Image"), ({"Image": "x" * 2000}, "Image"),
        ({"Option A": 3}, "Option A"), ({"User": None}, "User"), ({"User": " "}, "User"),
        ({"Task": []}, "Task"), ({"Answer": {"a": 1}}, "Answer"),
    ],
)  # fmt: skip
def test_record_when_a_field_has_a_wrong_type_then_told_and_the_rest_goes_in(
    read: Read, fields: dict[str, Any], field: str
) -> None:
    result = read([record(), record(**fields), record(Image="z")])
    assert len(result.found) == 2
    assert [(bad.locator, bad.field) for bad in result.rejected] == [("record 2", field)]


def test_fields_when_mapped_then_read_under_the_names_of_the_file(read: Read) -> None:
    content = [{**record(User=None), "Prompt": "Which?"}]
    result = read(content, format_id="spatialuav-tasks", mapping={"User": "Prompt"})
    assert [item.question for item in result.records] == ["Which?"]
    assert result.records[0].extras == {}


@pytest.mark.parametrize(
    ("stem", "task", "name"),
    [
        ("annotations_A2G_Collaboration_Recognition", "A2G_Collaboration_Recognition", "{task}_00002"),
        ("annotations_night", "A2G_Collaboration_Recognition", "night_{task}_00002"),
        ("annotations_A2A_Shared_Association_extra", "A2A_Collaboration_Recognition", "{task}_00002"),
        ("annotations_night", "Own_Task", "annotations_night record 2"),
    ],
)
def test_name_when_the_task_is_known_then_it_tells_the_task_as_published_ids_do(
    read: Read, stem: str, task: str, name: str
) -> None:
    result = read([record(Task=task), record(Image="x", Task=task)], name=f"{stem}.json")
    assert result.records[1].name == name.format(task=task)
