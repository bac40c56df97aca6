from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from tests.bench import video, video_probe
from tests.bench.ground import Ground
from tests.bench.numbered_videos import KINDS, MOST_FRAMES, picture_of, read_number
from tests.bench.process import Ran


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(video, "ROUNDS", 1)
    monkeypatch.setattr(video, "SEEKS", 2)
    monkeypatch.setattr(video, "STEPS_BACK", 5)
    monkeypatch.setattr(video, "KEY_REPEAT_S", 0.0)
    monkeypatch.setattr(video, "SIZE_PX", (192, 128))
    monkeypatch.setattr(video, "FRAMES", 60)
    monkeypatch.setattr(video, "PLAY_WARM_UP", 20)
    ground = Ground(folder=tmp_path / "bench", progress=Progress())
    yield ground
    ground.clear()


def test_number_when_burnt_in_then_it_is_read_back_and_nothing_else_is() -> None:
    for number in (0, 1, 77, 2048, MOST_FRAMES - 1):
        assert read_number(picture_of(number, size_px=(192, 128))) == number
    picture = picture_of(77, size_px=(192, 128))
    assert read_number(np.full_like(picture, 128)) is None
    assert read_number(np.rot90(picture, 2)) is None


def test_exactness_when_measured_then_all_frames_of_the_eight_kinds_are_right(ground: Ground) -> None:
    assert len(KINDS) == 8
    (figure,) = video.measure_exactness(ground)
    assert (figure.name, figure.value, figure.note) == ("video.exact_share", 1.0, "")
    assert figure.n > 8 * 60


def test_exactness_when_frames_are_wrong_then_the_kind_is_named(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video, "KINDS", {"turned": KINDS["turned"]})
    monkeypatch.setattr(video, "read_number", lambda picture: None)
    (figure,) = video.measure_exactness(ground)
    assert (figure.value, figure.note) == (0.0, "turned")


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        (video.measure_seeking, {"seek_p50", "preview_p50", "scrub", "back_cold_p95", "back_cold_worst"}),
        (video.measure_steps_back, {"back_play_p95", "back_play_worst"}),
        (video.measure_decoding, {"decode_share"}),
    ],
)
def test_video_when_measured_then_each_figure_has_a_value_over_a_baseline(
    measure: object, names: set[str], ground: Ground
) -> None:
    assert callable(measure)
    figures = {figure.name: figure for figure in measure(ground)}
    assert figures.keys() == {f"video.{name}" for name in names}
    assert all(
        figure.value is not None and figure.value > 0 and figure.baseline for figure in figures.values()
    )


def test_memory_when_measured_then_the_probe_tells_both_figures(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ran(arguments: list[str]) -> Ran:
        asked.extend(arguments)
        return Ran(lines=("12.5", "0.25"), at_s=(1.0, 2.0), peak_mb=0.0)

    monkeypatch.setattr(video, "run_python", ran)
    monkeypatch.setattr(video, "large", lambda recipe, **_: KINDS["turned"])
    figures = {figure.name: figure.value for figure in video.measure_video_memory(ground)}
    assert figures == {"video.rss_over_mb": 12.5, "video.rss_growth_mb": 0.25}
    assert asked[:2] == ["-m", "tests.bench.video_probe"]


def test_probe_when_run_then_it_prints_two_numbers(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = video.make_video(ground.scratch, name="probe", recipe=KINDS["open_gop"])
    monkeypatch.setattr(video_probe, "ROUNDS", 2)
    video_probe.main(Path(made.path))
    over, growth = (float(line) for line in capsys.readouterr().out.split())
    assert abs(over) < 1000
    assert abs(growth) < 1000


def test_reader_when_there_is_no_such_frame_then_it_says_so(ground: Ground) -> None:
    made = video.make_video(ground.scratch, name="video", recipe=KINDS["variable_rate"])
    reader = video.Reader(Path(made.path))
    with pytest.raises(EnvironmentFailure, match="no frame 5000"):
        reader.seek(5000)
    reader.close()
