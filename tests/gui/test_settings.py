from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from widgets.settings import FORMER_NAMES, RECENT_PROJECTS, Settings, settings_file


def test_settings_when_kept_then_another_start_reads_them(tmp_path: Path) -> None:
    first = Settings(tmp_path / "window.ini")
    first.keep("text", "Größe, 5 = 6; 停车场")
    first.keep("number", 42)
    first.keep("switch", True)
    first.keep("sizes", [240, 900, 400])
    first.keep("data", QByteArray(b"\x00\xff"))
    first.sync()
    second = Settings(tmp_path / "window.ini")
    assert second.text("text") == "Größe, 5 = 6; 停车场"
    assert second.number("number", 0) == 42
    assert second.switch("switch", False)
    assert second.sizes("sizes") == [240, 900, 400]
    assert second.data("data") == QByteArray(b"\x00\xff")


def test_settings_when_a_value_is_damaged_then_counts_as_not_set(settings: Settings) -> None:
    settings.keep("number", "many")
    settings.keep("sizes", "240 wide")
    assert settings.number("number", 7) == 7
    assert settings.sizes("sizes") == []
    assert settings.data("number").size() <= 4


FORMER = {**FORMER_NAMES, "keys/film.play": "keys/video.play"}


@pytest.mark.parametrize(("old", "new"), FORMER.items())
def test_settings_when_an_earlier_version_wrote_them_then_values_have_the_names_of_today(
    tmp_path: Path, old: str, new: str
) -> None:
    first = Settings(tmp_path / "window.ini")
    first.keep(old, "kept")
    first.sync()
    second = Settings(tmp_path / "window.ini")
    assert (second.text(old), second.text(new)) == ("", "kept")
    # Where both are there, the one of today was written later.
    second.keep(old, "former")
    second.keep(new, "newer")
    second.sync()
    assert Settings(tmp_path / "window.ini").text(new) == "newer"


def test_recent_projects_when_opened_again_then_newest_comes_first_and_those_gone_are_left_out(
    settings: Settings, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.vantage" for number in range(RECENT_PROJECTS + 2)]
    for path in paths:
        path.touch()
        settings.note_project(path)
    settings.note_project(paths[5])
    paths[6].unlink()
    recent = settings.recent_projects()
    assert recent[0] == paths[5]
    assert paths[6] not in recent
    assert len(recent) == RECENT_PROJECTS - 1


def test_settings_file_when_a_folder_is_given_then_lies_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path))
    assert settings_file() == tmp_path / "window.ini"
