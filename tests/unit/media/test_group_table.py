from __future__ import annotations

from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.group_table import group_by_table

NAMES = ["x/a.jpg", "y/a.jpg", "y/b.jpg", "c.mp4"]


def _table(folder: Path, text: str, *, encoding: str = "utf-8") -> Path:
    path = folder / "scenes.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_table_when_it_names_files_then_scenes_are_as_it_says(tmp_path: Path) -> None:
    table = _table(
        tmp_path,
        "Scene,view,path,licence,source,dataset,medium\n"
        "s1,UAV2,x/a.jpg,MIT,field day,set,left.jpg\n"
        "s1,UAV1,.\\y\\b.jpg,,,set,\n"
        "街区,clip,c.mp4,,,,\n",
        encoding="utf-8-sig",
    )
    grouping = group_by_table(table, names=NAMES)
    first, second = grouping.scenes
    assert (first.name, first.dataset, [m.name for m in first.members]) == (
        "s1",
        "set",
        ["y/b.jpg", "x/a.jpg"],
    )
    stated = first.members[1]
    assert (stated.medium, stated.licence, stated.source) == ("left.jpg", "MIT", "field day")
    assert (second.name, second.members[0].kind) == ("街区", "video")
    assert grouping.unmatched == ("y/a.jpg",)


def test_table_when_a_path_is_the_end_of_one_file_then_it_is_meant(tmp_path: Path) -> None:
    table = _table(tmp_path, "scene;view;path\ns;1;b.jpg\ns;2;a.jpg\n")
    grouping = group_by_table(table, names=NAMES)
    assert [m.name for m in grouping.scenes[0].members] == ["y/b.jpg"]
    # Two files end in a.jpg.
    assert grouping.remarks == ("1 files of the table are missing, first line 3: a.jpg.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scene,path\ns,a.jpg\n", "no column view"),
        ("", "no column scene, view, path"),
        ("scene,view,path\n,1,a.jpg\n", "line 2: a scene and a path are required"),
        ("scene,view,path\ns,1\n", "line 2: a scene and a path are required"),
        ('scene,view,path\ns,1,"a.jpg\n', "line 2"),
    ],
)
def test_table_when_it_is_damaged_then_words_say_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        group_by_table(_table(tmp_path, text), names=NAMES)


def test_table_when_it_is_no_utf8_then_words_say_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="UTF-8"):
        group_by_table(_table(tmp_path, "scene,view,path\n街,1,a.jpg\n", encoding="gbk"), names=NAMES)


def test_table_when_it_is_not_there_then_host_error_names_it(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"none\.csv"):
        group_by_table(tmp_path / "none.csv", names=NAMES)
