from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.region import Box
from annotator.importers import registry
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_folder import InputFolder
from annotator.importers.yolo_folder import YoloFolder
from tests.unit.importers.made import yolo_folder
from tests.unit.importers.reading import Outcome, outcome

LINES = "0 0.5 0.5 0.2 0.4\n1 0.25 0.5 0.1 0.2 0.75\n"
CORNERS = "0 0.1 0.1 0.5 0.1 0.5 0.5\n1 0.1 0.1 0.5 0.1 0.5 0.5 0.1 0.5\n"


def read_folder(path: Path, **context: Any) -> Outcome:
    reader = registry.get("yolo")
    assert isinstance(reader, FolderImporter)
    return outcome("yolo", reader.read(InputFolder.open(path), context=ImportContext(**context)))


def test_boxes_when_pictures_lie_beside_then_pixels_of_them(tmp_path: Path) -> None:
    read = read_folder(yolo_folder(tmp_path, {"a": LINES}))
    first, second = read.records
    assert first.box == Box(x1=80, y1=30, x2=120, y2=70)
    assert (first.category, first.score) == ("car", 1.0)
    assert (second.category, second.score) == ("big van", 0.75)
    assert read.found[0].media[0].path == "images/a.png"
    assert bytes(first.original) == b'"0 0.5 0.5 0.2 0.4"'
    assert second.locator == "labels/a.txt, line 2"


def test_corners_when_four_or_more_then_a_polygon_with_its_box(tmp_path: Path) -> None:
    triangle, turned = read_folder(yolo_folder(tmp_path, {"a": CORNERS})).records
    assert triangle.polygon == ((20, 10), (100, 10), (100, 50))
    assert triangle.box == Box(x1=20, y1=10, x2=100, y2=50)
    assert len(turned.polygon) == 4


def test_box_when_beyond_the_picture_then_cut_and_flagged(tmp_path: Path) -> None:
    read = read_folder(yolo_folder(tmp_path, {"a": "0 0.95 0.5 0.2 0.4\n"}))
    assert read.records[0].box == Box(x1=170, y1=30, x2=200, y2=70)
    assert read.flags == {"box_outside": 1}
    assert read.notes("box")[0].original == pytest.approx([170, 30, 210, 70])


@pytest.mark.parametrize(
    ("line", "field"),
    [("0 0.5 0.5 -0.2 0.4", "box"), ("0 50 50 20 40", ""), ("0 nan 0.5 0.2 0.4", ""),
     ("car 0.5 0.5 0.2 0.4", "class"),
     ("0 0.5 0.5", ""), ("0 0.5 0.5 0.2 0.4 1.5", "confidence"), ("0 1e999 0.5 0.2 0.4", "")],
)  # fmt: skip
def test_line_when_it_cannot_be_taken_then_told(tmp_path: Path, line: str, field: str) -> None:
    read = read_folder(yolo_folder(tmp_path, {"a": f"{line}\n0 0.5 0.5 0.2 0.4\n"}))
    assert [(entry.line, entry.field) for entry in read.rejected] == [(1, field)]
    assert len(read.records) == 1


def test_size_when_no_picture_is_there_then_the_projects_or_words_what_to_do(tmp_path: Path) -> None:
    folder = yolo_folder(tmp_path, {"a": LINES})
    (folder / "images" / "a.png").unlink()
    told = read_folder(folder)
    assert not told.found
    assert "add them to the project" in told.rejected[0].message
    known = read_folder(folder, size_of=lambda dataset, name: (400, 200) if name == "a" else None)
    assert known.records[0].box == Box(x1=160, y1=60, x2=240, y2=140)


def test_archive_when_read_then_the_same_as_its_folder(tmp_path: Path) -> None:
    folder = yolo_folder(tmp_path / "set", {"a": LINES})
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        for file in folder.rglob("*.*"):
            archive.write(file, file.relative_to(folder))
    assert read_folder(tmp_path / "set.zip").found == read_folder(folder).found


@pytest.mark.parametrize(
    "names",
    ["names: [car, 'big van']\n", "names:\n  - car\n  - big van  # wide\nnc: 2\n",
     "nc: 2\nnames:\n- car\n- 'big van'\n",
     'names:\n  0: car\n  1: "big van"\ntrain: x\n', "names: {0: car, 1: 'big van'}\n"],
)  # fmt: skip
def test_names_when_in_any_form_of_yaml_list_then_known(tmp_path: Path, names: str) -> None:
    folder = yolo_folder(tmp_path, {"a": LINES}, names=names)
    assert YoloFolder(InputFolder.open(folder)).categories() == {0: "car", 1: "big van"}


def test_names_when_there_are_none_then_numbers_and_said_once(tmp_path: Path) -> None:
    read = read_folder(yolo_folder(tmp_path, {"a": LINES, "b": LINES}, names=None))
    assert [record.category for record in read.records] == ["0", "1", "0", "1"]
    assert read.flags == {"categories_unnamed": 1}


def test_names_when_a_class_is_not_among_them_then_flagged(tmp_path: Path) -> None:
    read = read_folder(yolo_folder(tmp_path, {"a": "7 0.5 0.5 0.2 0.4\n"}))
    assert read.flags == {"category_unknown": 1}


def test_folder_when_of_texts_without_numbers_then_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "notes.txt").write_text("five words are not numbers\n")
    assert registry.detect_folder_importers(InputFolder.open(tmp_path)) == []
