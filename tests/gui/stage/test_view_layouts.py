from __future__ import annotations

from pathlib import Path

import pytest

from widgets.settings import Settings
from widgets.stage import view_layouts
from widgets.stage.view_layouts import SCENES, ViewLayouts


@pytest.fixture
def layouts(settings: Settings) -> ViewLayouts:
    made = ViewLayouts()
    made.remember_in(settings)
    return made


def read_again(tmp_path: Path) -> ViewLayouts:
    made = ViewLayouts()
    made.remember_in(Settings(tmp_path / "window.ini"))
    return made


def test_layout_when_two_scenes_have_their_own_then_each_keeps_it_after_a_restart(
    layouts: ViewLayouts, settings: Settings, tmp_path: Path
) -> None:
    layouts.keep("s1", layout="front", main="UAV 2", count=3)
    layouts.keep("s2", layout="row", main="", count=3)
    settings.sync()
    again = read_again(tmp_path)
    assert (again.layout_of("s1", count=3), again.main_of("s1")) == ("front", "UAV 2")
    assert (again.layout_of("s2", count=3), again.main_of("s2")) == ("row", "")


def test_layout_when_a_scene_has_none_then_is_that_of_the_last_one_with_as_many_views(
    layouts: ViewLayouts,
) -> None:
    assert layouts.layout_of("s1", count=3) == "best"
    layouts.keep("s1", layout="column", main="", count=3)
    assert layouts.layout_of("s2", count=3) == "column"
    assert layouts.layout_of("s2", count=2) == "best"
    # The scene has got another view since.
    assert layouts.layout_of("s1", count=4) == "best"


def test_layout_when_many_scenes_have_one_then_the_oldest_are_forgotten(
    layouts: ViewLayouts, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_layouts, "MAX_SCENES", 3)
    for number in range(5):
        layouts.keep(f"s{number}", layout="row", main="", count=2)
    assert [line.split("\t")[0] for line in settings.texts(SCENES)] == ["s4", "s3", "s2"]


def test_layout_when_the_settings_hold_something_else_then_it_is_ignored(settings: Settings) -> None:
    settings.keep(SCENES, ["s1", "s2\tx\trow", "s3\t2\tspiral", "s4\t2\trow"])
    layouts = ViewLayouts()
    layouts.remember_in(settings)
    assert [layouts.layout_of(f"s{n}", count=2) for n in range(1, 5)] == ["best", "best", "best", "row"]
