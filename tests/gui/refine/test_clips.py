"""Items whose visual input is a clip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.medium import Medium
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.refine.refine_person import RefinePerson
from tests.windows import NO_SIZE_HINTS, make_item, make_project
from widgets.settings import Settings
from widgets.window import build

RECIPE = Recipe(size_px=(192, 128), frames=30, gop=10, options={"bf": "0", "preset": "ultrafast"})


@pytest.fixture
def person(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[RefinePerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    video = Path(make_video(folder, name="clip", recipe=RECIPE).path)
    clip = Medium(id="clip", name=video.name, path=video.name, media_type="video")
    items = [make_item(1, media=("clip",)), make_item(2)]
    window = build(Session.open(make_project(tmp_path / "pilot.vantage", [clip, *items])), settings=settings)
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield RefinePerson(window, qtbot)
    window.close()


def test_clip_when_its_item_is_shown_then_plays_and_gives_way_to_the_next_item(person: RefinePerson) -> None:
    stage = person.refine.stage
    assert [canvas.medium for canvas in stage.canvases] == ["clip"]
    assert stage.player.has_videos
    stage.focus_view()
    person.press(".")
    assert stage.player.videos[0].painted == 1
    # The letters of the item work on the stage as well.
    person.press("A")
    assert person.stored("item_00001").answer_key == "A"
    person.press("PgDown")
    assert person.shown.name == "item_00002"
    assert not stage.player.has_videos
