from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.commands.depths import StoreDepths
from annotator.commands.region_shapes import AddPolygon
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.profile import ModelProfile
from annotator.domain.region import Box, RegionDepth
from annotator.domain.run import Run
from annotator.domain.vision_settings import Depths
from annotator.domain.work import RunOrder
from annotator.errors import UserError
from annotator.jobs.profile_file import write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.onnx_writer import Graph
from tests.unit.jobs.job_types.looking_town import STILL, VIDEO, detector, look, regions, town
from tests.unit.store.making import problems, visible_state

LEFT, RIGHT = Box(x1=0.0, y1=0.0, x2=40.0, y2=40.0), Box(x1=80.0, y1=40.0, x2=120.0, y2=90.0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A project whose still has two regions, and whose video has one on frame 3."""
    with town(tmp_path) as opened:
        for box in (LEFT, RIGHT):
            opened.execute(AddRegion(medium=STILL.id, box=box)).result()
        opened.execute(AddRegion(medium=VIDEO.id, box=LEFT, frame=3)).result()
        yield opened


def maps(session: Session, **options: object) -> str:
    """Lay depth maps beside the pictures: 10 m on the left half of the still, 25 m on the right."""
    values = np.full((96, 128), 10_000, np.uint16)
    values[:, 64:] = 25_000
    Image.fromarray(values).save(session.media_root / "a_depth.png")
    # Half the picture's size, and nothing known of the upper rows.
    video = np.full((48, 64), 7.5, np.float32)
    video[:10] = np.nan
    np.save(session.media_root / "f_000003.npy", video)
    write_profiles(
        config_folder(), [ModelProfile(name="maps", adapter="depth-files", revision="r1", options=options)]
    )
    return "maps"


def depths(session: Session, run: Run) -> dict[str, Depths]:
    found = {}
    for prediction in session.reader.runs.predictions(run.id):
        assert prediction.kind == "answer", prediction.message
        found[prediction.target] = msgspec.json.decode(prediction.answer, type=Depths)
    return found


def test_depth_when_maps_lie_beside_then_each_region_has_its_figures(session):
    run = look(session, "depth", maps(session))
    told = depths(session, run)
    near, far = (told[STILL.id].regions[one.id] for one in regions(session, STILL))
    assert (near.median, near.p10, near.p90, near.valid) == (10.0, 10.0, 10.0, 1.0)
    assert far.median == 25.0
    (video,) = told[VIDEO.id].regions.values()
    assert (video.median, video.valid) == (7.5, 0.5)
    assert told[STILL.id].is_metric


def test_depth_when_a_model_works_it_out_then_each_region_has_its_figures(session, tmp_path):
    graph = Graph()
    graph.input("images", shape=("n", 3, 96, 128))
    graph.node("ReduceMax", ["images"], name="depth", axes=[1], keepdims=1)
    graph.output("depth", rank=4)
    path = graph.save(tmp_path / "bright.onnx")
    options = {"mean": [0, 0, 0], "std": [1, 1, 1], "factor": 1.0}
    write_profiles(
        config_folder(), [ModelProfile(name="bright", adapter="depth-onnx", path=str(path), options=options)]
    )
    run = look(session, "depth", "bright", media=[STILL.id])
    told = depths(session, run)[STILL.id]
    assert not told.is_metric
    # The red thing of 255 covers 24 x 8 of the 40 x 40 pixels, all else is 90.
    figures = told.regions[regions(session, STILL)[0].id]
    assert (figures.median, figures.p10, figures.p90) == (90.0, 90.0, 255.0)


def test_keep_when_done_then_regions_tell_how_far_and_it_goes_there_and_back(session):
    run = look(session, "depth", maps(session))
    before = visible_state(session.path)
    command = StoreDepths(run=run.id)
    session.execute(command).result()
    near, far = regions(session, STILL)
    assert near.known_depth == RegionDepth(
        median=10.0, p10=10.0, p90=10.0, valid=1.0, is_metric=True, box=LEFT, made_by="maps r1"
    )
    assert far.known_depth.median == 25.0
    assert (command.report.pictures, command.report.kept) == (2, 3)
    after = visible_state(session.path)
    assert problems(session.path) == []
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def test_keep_when_done_twice_then_nothing_changes(session):
    run = look(session, "depth", maps(session))
    session.execute(StoreDepths(run=run.id)).result()
    command = StoreDepths(run=run.id)
    session.execute(command).result()
    assert (command.report.kept, command.report.known) == (0, 3)


def test_keep_when_a_region_was_moved_then_its_depth_is_outdated(session):
    run = look(session, "depth", maps(session))
    near, _ = regions(session, STILL)
    session.execute(MoveRegions(boxes={near.id: RIGHT})).result()
    command = StoreDepths(run=run.id)
    session.execute(command).result()
    assert (command.report.kept, command.report.outdated) == (2, 1)
    assert regions(session, STILL)[0].depth is None
    again = look(session, "depth", "maps")
    session.execute(StoreDepths(run=again.id)).result()
    assert regions(session, STILL)[0].known_depth.median == 25.0
    session.execute(MoveRegions(boxes={near.id: LEFT})).result()
    assert regions(session, STILL)[0].known_depth is None
    assert regions(session, STILL)[0].depth is not None


def test_keep_when_nothing_is_known_of_a_region_then_it_is_counted(session):
    name = maps(session)
    Image.fromarray(np.zeros((96, 128), np.uint16)).save(session.media_root / "a_depth.png")
    run = look(session, "depth", name, media=[STILL.id])
    command = StoreDepths(run=run.id)
    session.execute(command).result()
    assert (command.report.kept, command.report.unknown) == (0, 2)


def test_depth_when_a_polygon_is_measured_then_its_corners_count(session):
    # A triangle to the left of the middle line whose box reaches beyond it.
    corners = ((50.0, 0.0), (74.0, 90.0), (50.0, 90.0))
    session.execute(AddPolygon(medium=STILL.id, corners=corners)).result()
    told = depths(session, look(session, "depth", maps(session), media=[STILL.id]))[STILL.id]
    outline = told.regions[regions(session, STILL)[2].id]
    assert (outline.median, outline.p90) == (10.0, 25.0)


def test_depth_when_a_map_is_missing_then_its_job_says_so(session):
    name = maps(session)
    (session.media_root / "f_000003.npy").unlink()
    run = look(session, "depth", name)
    kinds = {v.target: v.kind for v in session.reader.runs.predictions(run.id)}
    assert kinds == {STILL.id: "answer", VIDEO.id: "error"}
    command = StoreDepths(run=run.id)
    session.execute(command).result()
    assert command.report.failed == 1


@pytest.mark.parametrize("change", ["map", "region", "nothing"])
def test_plan_when_what_is_measured_changes_then_it_is_asked_again(session, change):
    name = maps(session)
    look(session, "depth", name, media=[STILL.id])
    if change == "map":
        Image.fromarray(np.full((96, 128), 5_000, np.uint16)).save(session.media_root / "a_depth.png")
    elif change == "region":
        session.execute(AddRegion(medium=STILL.id, box=RIGHT)).result()
    order = RunOrder(kind="depth", models=(name,), settings={"media": [STILL.id]})
    assert session.runs.estimate(order).result().cached == (1 if change == "nothing" else 0)


def test_plan_when_it_cannot_be_asked_then_says_why(session, tmp_path):
    name = detector(tmp_path).name
    with pytest.raises(UserError, match="does not estimate depth"):
        session.runs.start(RunOrder(kind="depth", models=(name,))).result()
    order = RunOrder(kind="depth", models=(maps(session),), settings={"datasets": ["elsewhere"]})
    with pytest.raises(UserError, match="no regions to measure"):
        session.runs.start(order).result()
    with pytest.raises(UserError, match="no run of kind depth"):
        session.execute(StoreDepths(run="0" * 32)).result()
