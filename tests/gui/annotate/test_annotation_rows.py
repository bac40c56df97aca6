from __future__ import annotations

from pathlib import Path as FilePath

import pytest
from pytestqt.qtbot import QtBot

from annotator.domain.region import Region
from annotator.media.render import Overlay
from tests.gui.stage.hands import MARKS, make_region, make_scene
from widgets.annotate.annotation_list import AnnotationList
from widgets.annotate.annotation_rows import MarkRows, annotation_rows
from widgets.stage.annotations_update import update_annotations
from widgets.stage.list_change import ListChange
from widgets.stage.scene import StageScene

FRAMES = {"m1": None, "m2": None}


def updated(shown: StageScene, medium: str, regions: ListChange[Region]) -> StageScene:
    """Return a scene with other regions in one medium, its arrays as those that follow the ones before."""
    before = shown.view_marks(medium, None)
    own = regions.apply(before.marks.regions)
    others = [region for region in shown.marks.regions if region.medium != medium]
    marks = Overlay(regions=(*own, *others), links=shown.marks.links, paths=shown.marks.paths)
    after = StageScene(scene=shown.scene, media=shown.media, marks=marks)
    made = update_annotations(
        before, marks=after.marks_of(medium, None), regions=regions, link_colours=before.link_colour_indices
    )
    after.keep_arrays((medium, None), made)
    for one in shown.media:
        if one.medium.id != medium:
            after.keep_arrays((one.medium.id, None), shown.view_marks(one.medium.id, None))
    return after


@pytest.fixture
def shown(tmp_path: FilePath) -> StageScene:
    return make_scene(tmp_path)


@pytest.fixture
def marks(shown: StageScene, qtbot: QtBot) -> AnnotationList:
    made = AnnotationList()
    qtbot.addWidget(made)
    made.show_rows(annotation_rows(shown, frames=FRAMES), selected=())
    return made


def texts(rows: MarkRows) -> list[str]:
    return [f"{row.text} {row.note}".strip() for row in rows]


def test_rows_when_a_scene_is_shown_then_links_come_first_and_each_view_has_its_heading(
    shown: StageScene,
) -> None:
    rows = annotation_rows(shown, frames=FRAMES)
    assert texts(rows) == [
        "Links 1", "UAV1 1  –  UAV2 1 van", "UAV1 2", "Region 0 van", "Region 1 van", "UAV2 3",
        "Region 0 van", "Region 1 van", "Path 1 2 points",
    ]  # fmt: skip
    assert rows[-1].ids == ("p",)
    assert [row.kind for row in rows[:4]] == ["heading", "link", "heading", "region"]
    assert rows[1].colour == rows[4].colour == rows[7].colour != rows[3].colour


def test_places_when_ids_are_given_then_are_those_of_rows_and_of_links_that_are_chosen_whole(
    shown: StageScene,
) -> None:
    rows = annotation_rows(shown, frames=FRAMES)
    assert rows.indices_of(["a1"]) == [4]
    assert rows.indices_of(["b1", "a1"]) == [1, 4, 7]
    assert rows.indices_of(["p", "a0"]) == [3, 8]
    assert rows.indices_of([]) == []


def test_list_when_a_region_is_added_then_one_row_is_inserted_and_the_selection_stays(
    shown: StageScene, marks: AnnotationList, qtbot: QtBot
) -> None:
    marks.follow(["b0"])
    told: list[tuple[str, int, int]] = []
    marks.marks.rowsInserted.connect(lambda _parent, first, last: told.append(("in", first, last)))
    marks.marks.modelReset.connect(lambda: told.append(("reset", 0, 0)))
    after = updated(shown, "m1", ListChange(inserted=((2, make_region("a2", "m1", 2, (1, 1, 9, 9))),)))
    rows = annotation_rows(after, frames=FRAMES)
    marks.show_rows(rows, selected=["b0"])
    assert told == [("in", 5, 5)]
    assert marks.marks.rowCount() == len(rows) == 10
    assert marks.marks.data(marks.marks.index(5, 0)) == "Region 2  van"
    assert marks.marks.data(marks.marks.index(2, 0)) == "UAV1  3"
    assert [index.row() for index in marks.selectionModel().selectedIndexes()] == [7]


def test_list_when_a_region_is_removed_or_replaced_then_only_that_is_told(
    shown: StageScene, marks: AnnotationList
) -> None:
    told: list[tuple[str, int, int]] = []
    marks.marks.rowsRemoved.connect(lambda _parent, first, last: told.append(("out", first, last)))
    marks.marks.dataChanged.connect(lambda first, last: told.append(("changed", first.row(), last.row())))
    marks.marks.modelReset.connect(lambda: told.append(("reset", 0, 0)))
    moved = updated(
        shown, "m2", ListChange(removed=(0,), inserted=((0, make_region("b0", "m2", 7, (1, 1, 9, 9))),))
    )
    marks.show_rows(annotation_rows(moved, frames=FRAMES), selected=())
    assert told == [("changed", 6, 7)]
    assert marks.marks.data(marks.marks.index(6, 0)) == "Region 7  van"
    told.clear()
    gone = updated(moved, "m2", ListChange(removed=(0,)))
    marks.show_rows(annotation_rows(gone, frames=FRAMES), selected=())
    assert [entry for entry in told if entry[0] != "changed"] == [("out", 6, 6)]
    assert marks.marks.data(marks.marks.index(5, 0)) == "UAV2  2"


def test_list_when_another_scene_is_shown_then_all_rows_are_new(
    tmp_path: FilePath, marks: AnnotationList, qtbot: QtBot
) -> None:
    other = make_scene(tmp_path, marks=Overlay(regions=MARKS.regions[:1]))
    with qtbot.waitSignal(marks.marks.modelReset):
        marks.show_rows(annotation_rows(other, frames=FRAMES), selected=())
    assert texts(marks.marks.rows) == ["UAV1 1", "Region 0 van"]


def test_list_when_it_is_long_then_a_new_row_does_not_ask_for_all(
    tmp_path: FilePath, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(make_region(f"r{n}", "m1", n, (1, 1, 9, 9)) for n in range(5000))
    shown = make_scene(tmp_path, marks=Overlay(regions=many))
    made = AnnotationList()
    qtbot.addWidget(made)
    made.resize(240, 400)
    made.show()
    made.show_rows(annotation_rows(shown, frames=FRAMES), selected=())
    asked: list[int] = []
    get = MarkRows.__getitem__

    def count(rows: MarkRows, at: int) -> object:
        asked.append(at)
        return get(rows, at)

    monkeypatch.setattr(MarkRows, "__getitem__", count)
    after = updated(shown, "m1", ListChange(inserted=((5000, make_region("new", "m1", 5000, (1, 1, 9, 9))),)))
    made.show_rows(annotation_rows(after, frames=FRAMES), selected=["new"])
    made.scrollToBottom()
    qtbot.waitUntil(lambda: 5001 in asked)
    assert len(asked) < 500
