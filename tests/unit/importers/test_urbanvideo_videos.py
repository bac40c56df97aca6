from __future__ import annotations

from annotator.domain.scene import Scene
from tests.unit.importers.reading import Read


def test_list_when_of_destinations_or_instructions_then_facts_of_each_video_s_scene(read: Read) -> None:
    videos = [
        {"video_name": "EmbodiedCity_1_0.mp4", "destination": "the roof of the school"},
        {
            "video_name": "AerialVLN_2.mp4",
            "movement_instructions": "Rise. Then fly to the bridge.",
            "city": 3,
        },
    ]
    result = read(videos, name="video_list.json")
    assert (result.format, result.rejected, result.flags) == ("urbanvideo-videos", [], {})
    assert result.records == [
        Scene(name="EmbodiedCity_1_0", metadata={"destination": "the roof of the school"}),
        Scene(
            name="AerialVLN_2", metadata={"movement_instructions": "Rise. Then fly to the bridge.", "city": 3}
        ),
    ]
    first = result.found[0]
    assert first.scene is not None
    assert (first.dataset, first.scene.name, first.scene.views) == (
        "UrbanVideo-Bench",
        first.record.name,
        first.media,
    )
    assert [(m.name, m.kind, m.view) for m in first.media] == [("EmbodiedCity_1_0.mp4", "video", "UAV1")]


def test_records_when_they_say_nothing_or_no_video_then_rejected_with_their_line(read: Read) -> None:
    text = (
        '[{"video_name": "a.mp4", "destination": "x"},\n {"video_name": "b.mp4", "destination": " "},\n'
        ' {"destination": "y"},\n {"video_name": "c.mp4", "destination": 7}]'
    )
    result = read(text, name="video_list.json")
    assert [record.name for record in result.records] == ["a"]
    assert [(bad.line, bad.field) for bad in result.rejected] == [
        (2, "destination"), (3, "video_name"), (4, "destination"),
    ]  # fmt: skip


def test_fields_when_a_person_says_how_they_are_called_then_read_so(read: Read) -> None:
    result = read(
        [{"clip": "a.mp4", "goal": "the tower"}],
        format_id="urbanvideo-videos",
        mapping={"video_name": "clip", "destination": "goal"},
        dataset="Own",
    )
    assert result.records == [Scene(name="a", metadata={"destination": "the tower"})]
    assert result.found[0].dataset == "Own"
