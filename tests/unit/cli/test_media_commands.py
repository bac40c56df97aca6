from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.session import Session
from tests.unit.cli.conftest import Verb


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """Give a folder with a scene of two views, a picture alone and a file that is no medium."""
    for number, name in enumerate(("0001-UAV1", "0001-UAV2", "0002-UAV1")):
        path = tmp_path / "card" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        cv2.imwrite(str(path), np.full((6, 8, 3), number, np.uint8))
    (tmp_path / "card" / "LICENSE").write_text("MIT")
    return tmp_path / "card"


def test_media_add_when_nothing_is_said_then_the_preset_that_knows_the_names_groups(
    project: Path, card: Path, verb: Verb
) -> None:
    said = verb("media", project, "add", card, "--licence", "MIT", "--json")
    assert said.status == 0
    assert (said.json["grouped_by"], said.json["scenes"]) == ("the preset view-in-name", 2)
    assert (said.json["media_added"], said.json["other_files"]) == (3, 1)
    assert said.json["scenes_by_views"] == {"2": 1, "1": 1}
    with Session.open(project) as session:
        assert session.reader.counts()["medium"] == 3
        assert list(session.roots.further) == ["card"]
    assert "media known 3" in verb("media", project, "add", card).out


def test_media_add_when_it_is_a_dry_run_then_only_tells(project: Path, card: Path, verb: Verb) -> None:
    said = verb("media", project, "add", card, "--pattern", "{scene}-UAV1.png", "--dry-run")
    assert said.status == 0
    assert "3 files grouped by the pattern {scene}-UAV1.png: 2 scenes (2 of 1)." in said.out
    assert "Not matched (first 1 of 1)" in said.out
    assert "0001-UAV2.png" in said.out
    with Session.open(project) as session:
        assert session.reader.counts()["medium"] == 0
        assert dict(session.roots.further) == {}
    assert verb("media", project, "add", card, "--pattern", "x{scene}.png", "--dry-run").status == 1


def test_media_add_when_files_are_to_be_linked_then_they_lie_in_the_projects_folder(
    project: Path, card: Path, verb: Verb
) -> None:
    assert (
        verb("media", project, "add", card, "--link", "--dataset", "set", "--preset", "view-in-name").status
        == 0
    )
    assert sorted(path.name for path in (project.parent / "p.media" / "set").iterdir()) == [
        "0001-UAV1.png",
        "0001-UAV2.png",
        "0002-UAV1.png",
    ]
    with Session.open(project) as session:
        assert dict(session.roots.further) == {}


def test_media_add_when_grouped_by_table_or_time_then_scenes_are_as_they_say(
    project: Path, card: Path, verb: Verb, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("scene,view,path\none,left,0001-UAV1.png\none,right,0002-UAV1.png\n")
    said = verb("media", project, "add", card, "--csv", tmp_path / "t.csv", "--json")
    assert (said.json["grouped_by"], said.json["scenes_by_views"]) == ("the table t.csv", {"2": 1})
    said = verb("media", project, "add", card, "--by-time", "1", "--dry-run", "--json")
    assert (said.json["grouped_by"], said.json["scenes"]) == ("time", 3)


def test_media_add_when_no_preset_knows_the_names_then_each_file_is_a_scene(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "holiday.jpg").write_bytes(b"no picture")
    said = verb("media", project, "add", tmp_path / "c")
    assert "Grouped by file (each file is a scene)." in said.out
    assert "damaged 1" in said.out


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--pattern", "{scene"), "is not a valid pattern"),
        (("--preset", "none"), "Unknown preset none"),
        (("--pattern", "{scene}.png", "--by-time", "1"), "Only one of --pattern"),
    ],
)
def test_media_add_when_the_way_of_grouping_is_none_then_ends_with_two(
    project: Path, card: Path, verb: Verb, options: tuple[str, ...], text: str
) -> None:
    said = verb("media", project, "add", card, *options)
    assert said.status == 2
    assert text in said.err


def test_media_health_when_a_file_is_gone_then_ends_with_one_and_locate_mends_it(
    project: Path, card: Path, verb: Verb, tmp_path: Path
) -> None:
    verb("media", project, "add", card)
    assert verb("media", project, "health", "--deep").status == 0
    (tmp_path / "away").mkdir()
    (card / "0002-UAV1.png").rename(tmp_path / "away" / "x.png")
    said = verb("media", project, "health", "--json")
    assert (said.status, [entry["name"] for entry in said.json["missing"]]) == (1, ["0002-UAV1.png"])
    assert "Missing (first 1)" in verb("media", project, "health").out
    found = verb("media", project, "locate", tmp_path / "away", "--json")
    assert (found.status, found.json) == (0, {"found": 1, "still_missing": []})
    assert verb("media", project, "health").status == 0
    assert "0 media found" in verb("media", project, "locate", tmp_path / "away").out


def test_media_when_options_stand_anywhere_then_the_survey_is_made(project: Path, verb: Verb) -> None:
    for arguments in ((project, "--json"), ("--json", project), (project, "survey", "--json")):
        assert verb("media", *arguments).json == {"counts": {}, "missing": []}
    assert verb("media", project).out == "Media: no media.\n"


@pytest.mark.parametrize("arguments", [("media", "--help"), ("media", "p.vantage", "add", "--help")])
def test_media_when_help_is_asked_for_then_it_is_shown(verb: Verb, arguments: tuple[str, ...]) -> None:
    said = verb(*arguments)
    assert (said.status, said.out[:6]) == (0, "Usage:")
