from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.commands.detections import StoreDetections
from annotator.commands.links import LinkRegions
from annotator.commands.regions import AddRegion, MoveRegions, RemoveRegions
from annotator.domain.link import Link
from annotator.domain.region import Box
from annotator.domain.run import Run
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.media.render import Overlay, render
from annotator.session import Session
from tests.unit.jobs.job_types.looking_town import (
    BARE,
    STILL,
    STILL_BOX,
    VIDEO,
    corners,
    detector,
    look,
    paint,
    regions,
    town,
    video_box,
)
from tests.unit.store.making import (
    created,
    problems,
    undo_label,
    visible_state,
    write,
)

OWN = Box(x1=60, y1=10, x2=80, y2=30)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with town(tmp_path) as opened:
        yield opened


@pytest.fixture
def run(session: Session, tmp_path: Path) -> Run:
    return look(session, "detect", detector(tmp_path).name, frames=3)


def keep(session: Session, run: Run, **wanted: object) -> StoreDetections:
    command = StoreDetections(run=run.id, **wanted)
    session.execute(command).result()
    return command


def test_keep_when_done_then_each_thing_is_a_region_of_the_detector(session, run):
    report = keep(session, run).report
    (still,) = regions(session, STILL)
    assert corners(still) == STILL_BOX
    assert (still.number, still.category, still.made_by, still.frame) == (0, "thing", "red 7", None)
    assert still.score == 1.0
    video = regions(session, VIDEO)
    assert [corners(one) for one in video] == [video_box(one.frame) for one in video]
    assert [one.number for one in video] == [0, 1, 2]
    assert regions(session, BARE) == []
    assert (report.pictures, report.found, report.kept, report.failed) == (5, 4, 4, 0)
    assert report.categories == {"thing": 4}
    assert problems(session.path) == []


def test_keep_when_undone_and_done_again_then_goes_there_and_back(session, run):
    before = visible_state(session.path)
    keep(session, run)
    after = visible_state(session.path)
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after
    assert undo_label(session) == "Keep detections"


def test_keep_when_done_twice_then_the_second_adds_nothing(session, run):
    keep(session, run)
    before = regions(session)
    report = keep(session, run).report
    assert regions(session) == before
    assert (report.kept, report.known) == (0, 4)


def test_keep_when_another_run_found_the_same_then_nothing_is_added(session, run):
    keep(session, run)
    again = look(session, "detect", "red", frames=3)
    assert keep(session, again).report.kept == 0


def test_keep_when_a_person_moved_a_region_then_it_stays_moved(session, run):
    keep(session, run)
    (still,) = regions(session, STILL)
    session.execute(MoveRegions(boxes={still.id: OWN})).result()
    keep(session, run)
    assert [one.box for one in regions(session, STILL)] == [OWN]


def test_keep_when_people_have_marked_things_then_numbers_go_on_and_theirs_stay(session, run):
    command = AddRegion(medium=STILL.id, box=OWN, category="kiosk")
    session.execute(command).result()
    keep(session, run, replace=True)
    own, found = regions(session, STILL)
    assert (own.id, own.box, own.made_by, own.number) == (command.id, OWN, "hand", 0)
    assert found.number == 1


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ({"min_score": 1.1}, 0),
        ({"categories": ["car"]}, 0),
        ({"categories": ["thing", "car"]}, 4),
        ({"media": [STILL.id]}, 1),
        ({"min_score": 0.1}, 4),
    ],
)
def test_keep_when_limited_then_the_rest_is_left_out_and_counted(session, run, wanted, kept):
    report = keep(session, run, **wanted).report
    assert len(regions(session)) == report.kept == kept
    assert report.kept + report.left_out == report.found


def test_keep_when_several_things_are_found_then_numbers_go_from_left_to_right(session, tmp_path):
    import numpy as np

    from annotator.domain.profile import ModelProfile
    from annotator.jobs.profile_file import write_profiles
    from annotator.user_profile import config_folder
    from tests.onnx_writer import fixed_outputs

    rows = np.zeros((1, 100, 6), np.float32)
    rows[0, :3] = [[70, 5, 90, 25, 0.9, 0], [10, 5, 30, 25, 0.4, 0], [40, 5, 60, 25, 0.6, 0]]
    path = fixed_outputs(tmp_path / "three.onnx", [rows], size_px=128)
    write_profiles(config_folder(), [ModelProfile(name="three", adapter="onnx", path=str(path), in_flight=1)])
    keep(session, look(session, "detect", "three", media=[STILL.id]))
    assert [(one.number, one.box.x1) for one in regions(session, STILL)] == [(0, 10), (1, 40), (2, 70)]


def moved_thing(session: Session, tmp_path: Path) -> Run:
    """Let the detector, of another setting, look at a picture whose thing lies elsewhere now."""
    paint(session.media_root / "a.png", (64, 32, 96, 64))
    return look(session, "detect", detector(tmp_path, score=0.2).name, media=[STILL.id])


def test_keep_when_not_asked_to_replace_then_earlier_regions_stay(session, run, tmp_path):
    keep(session, run)
    report = keep(session, moved_thing(session, tmp_path)).report
    assert [corners(one) for one in regions(session, STILL)] == [STILL_BOX, (64, 32, 96, 64)]
    assert report.replaced == 0


def test_keep_when_asked_to_replace_then_untouched_ones_of_the_detector_go_with_their_links(
    session, run, tmp_path
):
    keep(session, run)
    (old,) = regions(session, STILL)
    other = AddRegion(medium=BARE.id, box=OWN)
    own = AddRegion(medium=STILL.id, box=OWN)
    scene = Scene(
        id="c" * 32,
        name="s",
        views=(SceneView(name="1", medium=STILL.id), SceneView(name="2", medium=BARE.id)),
    )
    write(session, created("scene", scene))
    for command in (other, own, LinkRegions(scene=scene.id, regions=(old.id, other.id))):
        session.execute(command).result()
    before = visible_state(session.path)
    report = keep(session, moved_thing(session, tmp_path), replace=True).report
    assert [corners(one) for one in regions(session, STILL)] == [(60, 10, 80, 30), (64, 32, 96, 64)]
    assert list(session.reader.find(Link)) == []
    assert (report.kept, report.replaced) == (1, 1)
    # The video was not looked at this time: its regions stay.
    assert len(regions(session, VIDEO)) == 3
    assert problems(session.path) == []
    session.undo().result()
    assert visible_state(session.path) == before


def test_keep_when_asked_to_replace_then_what_a_person_changed_stays(session, run, tmp_path):
    keep(session, run)
    (old,) = regions(session, STILL)
    session.execute(MoveRegions(boxes={old.id: OWN})).result()
    keep(session, moved_thing(session, tmp_path), replace=True)
    assert [corners(one) for one in regions(session, STILL)] == [(60, 10, 80, 30), (64, 32, 96, 64)]


def test_keep_when_the_picture_was_of_another_size_then_boxes_fit_the_medium(session, tmp_path):
    double = msgspec.structs.replace(STILL, id="d" * 32, name="double.png", width_px=256, height_px=192)
    write(session, created("medium", double))
    keep(session, look(session, "detect", detector(tmp_path).name, media=[double.id]))
    assert [corners(one) for one in regions(session, double)] == [(32, 64, 96, 128)]


def test_keep_when_drawn_for_a_model_then_the_category_is_not_told(session, run):
    import numpy as np

    keep(session, run)
    (found,) = regions(session, STILL)
    other = msgspec.structs.replace(found, category="a word that would tell", score=0.1)
    blank = np.zeros((96, 128, 3), np.uint8)
    drawn = [render(blank, marks=Overlay(regions=(one,)), rendering="detected") for one in (found, other)]
    assert (drawn[0] == drawn[1]).all()
    assert drawn[0].any()


def test_keep_when_a_person_removed_a_region_then_it_does_not_come_back(session, run):
    keep(session, run)
    (still,) = regions(session, STILL)
    session.execute(RemoveRegions(regions=(still.id,))).result()
    report = keep(session, run).report
    assert (report.kept, report.removed) == (0, 1)
    assert regions(session, STILL) == []
    session.undo().result()
    assert [one.id for one in regions(session, STILL)] == [still.id]


def test_keep_when_it_was_undone_then_it_can_be_kept_again_under_free_numbers(session, run):
    keep(session, run)
    session.undo().result()
    session.execute(AddRegion(medium=STILL.id, box=OWN)).result()
    before = visible_state(session.path)
    assert keep(session, run).report.kept == 4
    assert {one.number: corners(one) for one in regions(session, STILL)} == {
        0: (60, 10, 80, 30),
        1: STILL_BOX,
    }
    assert problems(session.path) == []
    session.undo().result()
    assert visible_state(session.path) == before


def test_keep_when_its_regions_were_replaced_then_the_older_run_brings_them_back(session, run, tmp_path):
    keep(session, run)
    keep(session, moved_thing(session, tmp_path), replace=True)
    keep(session, run, replace=True)
    assert [corners(one) for one in regions(session, STILL)] == [STILL_BOX]


def test_keep_when_a_job_failed_then_it_is_counted(session, tmp_path):
    (session.media_root / "a.png").unlink()
    run = look(session, "detect", detector(tmp_path).name, media=[STILL.id, BARE.id])
    report = keep(session, run).report
    assert (report.pictures, report.failed) == (1, 1)


def test_keep_when_there_is_no_such_run_then_says_so(session):
    with pytest.raises(UserError, match="no run of kind detect"):
        session.execute(StoreDetections(run="0" * 32)).result()


def test_keep_when_asked_to_replace_in_a_picture_of_another_size_then_untouched_ones_go(session, tmp_path):
    double = msgspec.structs.replace(STILL, id="d" * 32, name="double.png", width_px=256, height_px=192)
    write(session, created("medium", double))
    keep(session, look(session, "detect", detector(tmp_path).name, media=[double.id]))
    paint(session.media_root / "a.png", (64, 32, 96, 64))
    later = look(session, "detect", detector(tmp_path, score=0.2).name, media=[double.id])
    assert keep(session, later, replace=True).report.replaced == 1
    assert [corners(one) for one in regions(session, double)] == [(128, 64, 192, 128)]


def test_keep_when_asked_to_replace_then_what_a_person_moved_by_half_a_pixel_stays(session, run, tmp_path):
    keep(session, run)
    (old,) = regions(session, STILL)
    nudged = msgspec.structs.replace(old.box, x1=old.box.x1 + 0.5, x2=old.box.x2 + 0.5)
    session.execute(MoveRegions(boxes={old.id: nudged})).result()
    report = keep(session, moved_thing(session, tmp_path), replace=True).report
    assert report.replaced == 0
    assert nudged in [one.box for one in regions(session, STILL)]
