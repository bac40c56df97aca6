"""Semantic maps and maps with a path, made from annotations and added to their scenes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

import resources
from annotator.commands.drafts import DraftItems
from annotator.commands.map_images import FOLDER, AddMapImages, WrittenMap, find_map_images, write_map_images
from annotator.commands.projects import ChooseTaskSet
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.media.map_drawing import draw_map_path
from annotator.progress import Progress
from annotator.queries.overlay_query import read_overlay
from annotator.session import Session
from tests.unit.draft.map_facts import marked_map, room, thing
from tests.unit.store.making import created, problems, write

WALK = ((100.0, 500.0), (100.0, 150.0), (800.0, 150.0))
REGIONS = (
    room(0, "kitchen", (0, 0, 450, 600)),
    room(1, "bedroom", (450, 0, 900, 600)),
    thing(2, "stove", (60, 40, 120, 100), height_m=0.9),
    thing(3, "bed", (700, 400, 880, 560)),
    thing(4, "cup", (300, 300, 305, 305)),
)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Give a project with a scene of one marked map with a path."""
    facts = marked_map(*REGIONS, path=WALK)
    (path,) = facts.polylines["m"]
    medium = msgspec.structs.replace(facts.media["m"], name="floor/a.png", path="floor/a.png", dataset="D")
    opened = Session.create(tmp_path / "p.vantage")
    (opened.media_root / "floor").mkdir(parents=True)
    noise = np.random.default_rng(3).integers(0, 255, (600, 900, 3), dtype=np.uint8)
    Image.fromarray(noise).save(opened.media_root / "floor/a.png")
    records: list[Record] = [medium, *REGIONS, path, facts.scene]
    write(opened, *(created(record.table.entity, record) for record in records))
    yield opened
    opened.close()


def _written(session: Session, folder: Path) -> list[WrittenMap]:
    images = list(find_map_images(session.reader))
    return write_map_images(images, folder=folder, roots=session.roots, progress=Progress())


def test_maps_when_written_then_there_is_a_semantic_map_and_one_for_the_path(
    session: Session, tmp_path: Path
) -> None:
    semantic, path = _written(session, tmp_path / "out")
    assert [one.file.name for one in (semantic, path)] == [
        "D-floor_a-semantic.png",
        "D-floor_a-realistic-path-1.png",
    ]
    said = semantic.to_json()
    assert said["left_out"] == {"too small": 1}
    assert list(said["colours"]) == ["bed", "floor", "stove", "wall"]
    picture = np.asarray(Image.open(semantic.file))
    bed = said["colours"]["bed"]
    assert picture[480, 800].tolist() == [int(bed[n : n + 2], 16) for n in (0, 2, 4)]
    expected = np.array(Image.open(session.media_root / "floor/a.png"))
    draw_map_path(expected, WALK)
    assert (np.asarray(Image.open(path.file)) == expected).all()
    assert path.to_json() == {"scene": "flat", "view": "realistic path 1", "file": str(path.file)}


def test_maps_when_added_then_the_scene_shows_them_and_items_are_drafted_on_them(session: Session) -> None:
    written = _written(session, session.media_root / FOLDER)
    session.execute(AddMapImages(written=tuple(written))).result()
    scene = next(session.reader.records(Scene))
    assert [view.name for view in scene.views] == ["realistic", "realistic path 1", "semantic"]
    assert {*scene.metadata["colours"]} == {"bed", "floor", "stove", "wall"}
    media = {medium.name: medium for medium in session.reader.records(Medium)}
    added = media["maps/D-floor_a-semantic.png"]
    assert (added.media_type, added.width_px, added.height_px) == ("map", 900, 600)
    assert added.sha256
    # Nothing is left to be drawn, and the path of the new map is not drawn a second time.
    assert list(find_map_images(session.reader)) == []
    (copy,) = session.reader.find(Polyline, medium=media["maps/D-floor_a-realistic-path-1.png"].id)
    assert (copy.points, copy.is_in_image) == (WALK, True)
    assert read_overlay(session.reader, medium=added.id).is_map
    draft = DraftItems(task_set="topviewrs")
    session.execute(draft).result()
    assert draft.report.tasks["scene_counting"] == 2
    assert draft.report.tasks["dynamic_action_counting"] == 4
    assert problems(session.path) == []
    session.undo().result()
    session.undo().result()
    assert len(next(session.reader.records(Scene)).views) == 1
    assert problems(session.path) == []


def test_maps_when_one_scene_is_named_then_others_are_passed_over(session: Session) -> None:
    assert list(find_map_images(session.reader, scene="elsewhere")) == []
    assert len(list(find_map_images(session.reader, scene="flat"))) == 2


def test_maps_when_the_file_of_a_path_is_missing_then_the_message_says_so(
    session: Session, tmp_path: Path
) -> None:
    (session.media_root / "floor/a.png").unlink()
    with pytest.raises(UserError, match=r"The file of floor/a\.png is missing"):
        _written(session, tmp_path)


def test_maps_when_a_label_has_slashes_then_the_file_stays_in_the_folder(
    session: Session, tmp_path: Path
) -> None:
    image = next(one for one in find_map_images(session.reader) if one.drawing == "path")
    hostile = msgspec.structs.replace(image.path, label="../../up")  # type: ignore[type-var]
    name = type(image)(
        drawing="path", source=image.source, name=f"realistic {hostile.label}", path=hostile
    ).file_name
    assert (tmp_path / name).resolve().parent == tmp_path.resolve()


def test_maps_when_the_task_set_has_limits_then_they_decide_what_is_drawn(session: Session) -> None:
    semantic = next(iter(find_map_images(session.reader)))
    assert [part.category for part in semantic.source.content.objects] == ["stove", "bed"]
    folder = session.path.with_suffix(".tasksets")
    folder.mkdir()
    text = resources.path("tasksets/topviewrs.toml").read_text(encoding="utf-8")
    text = text.replace('id = "topviewrs"', 'id = "flats"', 1)
    text += "\n[drafting_settings]\nleast_side_px = 100.0\n"
    (folder / "flats.toml").write_text(text, encoding="utf-8")
    session.execute(ChooseTaskSet(task_set="flats")).result()
    semantic = next(iter(find_map_images(session.reader)))
    assert [part.category for part in semantic.source.content.objects] == ["bed"]
    assert semantic.source.content.left_out == {"too small": 2}
    session.execute(ChooseTaskSet(task_set="indooruav")).result()
    assert len(next(iter(find_map_images(session.reader))).source.content.objects) == 2
