from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.run import Prediction, Run
from annotator.domain.vision_settings import DetectedImage
from annotator.domain.work import RunOrder
from annotator.errors import UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.worker import create_worker
from annotator.media.probe import probe_media
from annotator.media.video.sampling import evenly_spaced
from annotator.session import Session
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.bench.numbered_videos import Recipe, make_video
from tests.unit.jobs.job_types.looking_town import (
    BARE,
    MAP,
    STILL,
    STILL_BOX,
    VIDEO,
    detector,
    look,
    paint,
    town,
    video_box,
)
from tests.unit.jobs.test_open_media import open_files
from tests.unit.store.making import created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with town(tmp_path) as opened:
        yield opened


def predictions(session: Session, run: Run, medium: Medium) -> list[Prediction]:
    return list(session.reader.runs.predictions(run.id, target=medium.id))


def looked(prediction: Prediction) -> DetectedImage:
    assert prediction.kind == "answer", prediction.message
    return msgspec.json.decode(prediction.answer, type=DetectedImage)


def refused(session: Session, *models: str, text: str, **settings: object) -> None:
    with pytest.raises(UserError, match=text):
        session.runs.start(RunOrder(kind="detect", models=models, settings=settings)).result()


def test_detect_when_run_then_each_picture_has_its_things_as_answer(session, tmp_path):
    run = look(session, "detect", detector(tmp_path).name, frames=4)
    assert run.state == "done"
    (still,) = predictions(session, run, STILL)
    (thing,) = looked(still).found
    assert (thing.box, thing.category) == (STILL_BOX, "thing")
    assert (looked(still).width_px, looked(still).height_px) == (128, 96)
    (bare,) = predictions(session, run, BARE)
    assert looked(bare).found == ()
    video = {v.spec["frame"]: looked(v).found[0].box for v in predictions(session, run, VIDEO)}
    assert video == {frame: video_box(frame) for frame in video}
    assert len(video) == 4
    assert predictions(session, run, MAP) == []


def test_detect_when_run_then_prediction_names_the_exact_model(session, tmp_path):
    run = look(session, "detect", detector(tmp_path, score=0.5).name, media=[STILL.id])
    (prediction,) = predictions(session, run, STILL)
    assert prediction.model["name"] == "red"
    assert prediction.model["revision"] == "7"
    assert len(prediction.model["sha256"]) == 64
    assert prediction.model["parameters"]["score"] == 0.5


@pytest.mark.parametrize(
    ("settings", "frames"),
    [
        ({"frames": 3}, list(evenly_spaced(10, most=3))),
        ({"every_frames": 4}, [0, 4, 8]),
        ({"numbers": [7, 2]}, [7, 2]),
        ({"frames": 1}, list(evenly_spaced(10, most=1))),
        ({}, list(range(10))),
    ],
)
def test_plan_when_frames_are_chosen_then_these_are_asked(session, tmp_path, settings, frames):
    run = look(session, "detect", detector(tmp_path).name, media=[VIDEO.id], **settings)
    assert [prediction.spec["frame"] for prediction in predictions(session, run, VIDEO)] == frames


def test_plan_when_frames_go_by_seconds_then_the_clock_of_the_video_counts(session, tmp_path):
    made = make_video(session.media_root, name="clip", recipe=Recipe(frames=30, size_px=(96, 64)))
    clip = Medium(id="9" * 32, name="clip.mp4", media_type="video", path=Path(made.path).name)
    write(session, created("medium", clip))
    run = look(session, "detect", detector(tmp_path).name, media=[clip.id], every_s=0.4)
    frames = [prediction.spec["frame"] for prediction in predictions(session, run, clip)]
    assert frames[0] == 0
    assert 2 <= len(frames) < 30
    assert all(looked(v).width_px == 96 for v in predictions(session, run, clip))


def test_plan_when_the_same_was_asked_before_then_nothing_is_asked_again(session, tmp_path):
    name = detector(tmp_path).name
    look(session, "detect", name)
    order = RunOrder(kind="detect", models=(name,))
    again = session.runs.estimate(order).result()
    assert (again.jobs, again.cached) == (12, 12)


@pytest.mark.parametrize("change", ["picture", "weights", "options"])
def test_plan_when_what_decides_an_answer_changes_then_it_is_asked_again(session, tmp_path, change):
    name = detector(tmp_path).name
    look(session, "detect", name, media=[STILL.id])
    if change == "picture":
        write(session, *_with_sha(STILL, "ab" * 32))
    elif change == "weights":
        with (tmp_path / "red.onnx").open("ab") as file:
            file.write(bytes.fromhex("7200"))
    else:
        detector(tmp_path, iou=0.6)
    order = RunOrder(kind="detect", models=(name,), settings={"media": [STILL.id]})
    assert session.runs.estimate(order).result().cached == 0


def _with_sha(medium: Medium, sha256: str):
    from tests.unit.store.making import changed

    return changed("medium", medium.id, sha256=sha256)


def test_plan_when_two_media_are_the_same_file_then_each_has_its_own_answer(session, tmp_path):
    sha256 = probe_media(session.media_root / "a.png").sha256
    twin = msgspec.structs.replace(STILL, id="8" * 32, name="twin.png", sha256=sha256)
    write(session, created("medium", twin), *_with_sha(STILL, sha256))
    run = look(session, "detect", detector(tmp_path).name, media=[STILL.id, twin.id])
    told = [(v.target, v.kind) for v in session.reader.runs.predictions(run.id)]
    assert told == [(STILL.id, "answer"), (twin.id, "answer")]


def test_plan_when_datasets_are_chosen_then_the_others_are_left_out(session, tmp_path):
    run = look(session, "detect", detector(tmp_path).name, datasets=["village"])
    assert [v.target for v in session.reader.runs.predictions(run.id)] == [BARE.id]


def test_plan_when_it_cannot_be_asked_then_says_why(session, tmp_path):
    name = detector(tmp_path).name
    refused(session, "SmolLM2", text="is not a detector")
    refused(session, name, text="has no images to process", media=[MAP.id])
    refused(session, name, text="no images to process", datasets=["elsewhere"])
    refused(session, name, text="Set only one of", numbers=[1], every_frames=2)
    refused(session, name, text="Invalid settings of the run", frames="many")
    refused(session, name, text="Invalid frame selection", frames=0)
    refused(session, name, text="has no frame", numbers=[99])
    (tmp_path / "red.onnx").unlink()
    refused(session, name, text="has no file")


def test_detect_when_a_file_is_gone_then_its_job_says_so_and_the_others_go_on(session, tmp_path):
    name = detector(tmp_path).name
    (session.media_root / "a.png").unlink()
    lost = Medium(id="7" * 32, name="lost.mp4", media_type="video", path="lost.mp4")
    write(session, created("medium", lost))
    run = look(session, "detect", name, media=[STILL.id, lost.id, BARE.id])
    kinds = {v.target: v.kind for v in session.reader.runs.predictions(run.id)}
    assert kinds == {STILL.id: "error", lost.id: "error", BARE.id: "answer"}
    assert "is missing" in predictions(session, run, STILL)[0].message
    assert {f.kind for f in session.reader.runs.failures(run.id)} == {"material"}


def test_detect_when_a_file_was_changed_then_its_job_says_so_until_it_is_back(session, tmp_path):
    name = detector(tmp_path).name
    file = session.media_root / "a.png"
    entered = file.read_bytes()
    write(session, *_with_sha(STILL, probe_media(file).sha256))
    paint(file, (1, 1, 9, 9))
    run = look(session, "detect", name, media=[STILL.id, BARE.id])
    assert {v.target: v.kind for v in session.reader.runs.predictions(run.id)} == {
        STILL.id: "error",
        BARE.id: "answer",
    }
    (changed,) = predictions(session, run, STILL)
    assert "The content of the file of a.png has changed" in changed.message
    assert "media PROJECT health" in changed.message
    file.write_bytes(entered)
    assert session.runs.retry_failed(run.id).result() == 1
    with create_worker(
        session.path, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder()), run=run.id
    ) as working:
        working.work(until_done=True)
    assert looked(predictions(session, run, STILL)[0]).found[0].box == STILL_BOX


@pytest.mark.parametrize("damage", [b"no video at all", None])
def test_plan_when_one_video_cannot_be_opened_then_its_job_says_so_and_the_others_go_on(
    session, tmp_path, damage
):
    name = detector(tmp_path).name
    file = session.media_root / "cut.mp4"
    if damage is None:
        file.mkdir()
    else:
        file.write_bytes(damage)
    cut = Medium(id="7" * 32, name="cut.mp4", media_type="video", path="cut.mp4")
    write(session, created("medium", cut))
    run = look(session, "detect", name, media=[cut.id, BARE.id])
    told = {v.target: (v.kind, v.spec["frame"]) for v in session.reader.runs.predictions(run.id)}
    assert told == {cut.id: ("error", 0), BARE.id: ("answer", None)}
    assert predictions(session, run, cut)[0].message


def test_detect_when_a_run_is_over_then_no_video_stays_open(session, tmp_path):
    made = make_video(session.media_root, name="clip", recipe=Recipe(frames=30, size_px=(96, 64)))
    clip = Medium(id="9" * 32, name="clip.mp4", media_type="video", path=Path(made.path).name)
    write(session, created("medium", clip))
    run = look(session, "detect", detector(tmp_path).name, media=[clip.id], every_frames=1)
    assert len(predictions(session, run, clip)) == 30
    assert open_files(Path(made.path)) == []


def test_detect_when_the_model_writes_nonsense_then_each_job_has_failed_with_words(session, tmp_path):
    import numpy as np

    from tests.onnx_writer import fixed_outputs

    path = fixed_outputs(tmp_path / "bad.onnx", [np.full((1, 84, 7), np.nan, np.float32)], size_px=64)
    write_profiles(config_folder(), [ModelProfile(name="bad", adapter="onnx", path=str(path), in_flight=1)])
    run = look(session, "detect", "bad", media=[STILL.id])
    (prediction,) = predictions(session, run, STILL)
    assert prediction.kind == "error"
    assert "values that are not finite numbers" in prediction.message


def test_detect_when_several_are_taken_at_once_then_each_gets_its_own(session, tmp_path):
    run = look(session, "detect", detector(tmp_path, batch=4).name)
    video = {v.spec["frame"]: looked(v).found[0].box for v in predictions(session, run, VIDEO)}
    assert video == {frame: video_box(frame) for frame in range(10)}


def test_detect_when_sliced_then_boxes_are_of_the_whole_picture(session, tmp_path):
    paint(session.media_root / "a.png", (90, 60, 100, 70))
    name = detector(tmp_path, slice_px=64, overlap=0.25).name
    run = look(session, "detect", name, media=[STILL.id])
    (thing,) = looked(predictions(session, run, STILL)[0]).found
    assert thing.box == (90, 60, 100, 70)
