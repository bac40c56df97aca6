"""The distributions of a project: bars, the items behind them, and their files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.region import Box, Region
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.progress import Progress
from annotator.release.dataset_figures import DatasetFigure, dataset_figures, path_length_m, write_figures
from annotator.session import Session
from tests.unit.store.making import ANNA, an_item, created, write

OPTIONS = (Option(letter="A", text="the red bus"), Option(letter="B", text="nothing"))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        yield opened


def item(number: int, **fields: object) -> Item:
    usual = {"id": f"{number:032x}", "name": f"q{number}", "task": "object_counting", "options": OPTIONS}
    usual |= {"question": "How many buses?", "answer_key": "A", "media": ("clip",), "scene": "s"}
    return an_item(**{**usual, **fields})


def figures(session: Session) -> dict[str, DatasetFigure]:
    return {figure.id: figure for figure in dataset_figures(session.reader, progress=Progress())}


def bars(figure: DatasetFigure) -> dict[str, int]:
    return {bar.name: bar.count for bar in figure.bars if bar.count}


def test_dataset_figures_when_items_are_counted_then_each_bar_has_its_items(session: Session) -> None:
    poses = tuple(Pose(x_m=3.0 * n, y_m=4.0 * n, z_m=0.0, yaw_deg=0.0) for n in range(4))
    items = [
        item(1, issue_classes=("options", "direction")),
        item(2, issue_classes=("options",), question="What does the red bus wait for?", answer_key="B"),
        item(3, task="object_matching", options=(), answer_format="clock", answer_key="3 o'clock"),
        item(4, state="rejected", issue_classes=("question",)),
    ]
    box = Box(x1=0, y1=0, x2=9, y2=9)
    write(
        session,
        created("medium", Medium(id="clip", name="c.mp4", media_type="video", frames=300)),
        created("trajectory", Trajectory(id="t", scene="s", poses=poses)),
        *(
            created("region", Region(id=f"r{n}", medium="clip", number=n % 2, box=box, frame=n))
            for n in range(4)
        ),
        *(created("item", each) for each in items),
    )
    found = figures(session)
    assert bars(found["issue_classes"]) == {"options": 2, "direction": 1}
    assert found["issue_classes"].bars[3].query == ItemQuery(ids=(items[0].id, items[1].id))
    assert found["issue_classes"].bars[3].share == pytest.approx(2 / 3)
    assert bars(found["items"]) == {"aircop/object_counting": 2, "aircop/object_matching": 1}
    assert bars(found["frames"]) == {"300": 3}
    assert bars(found["path"]) == {"15": 3}
    assert bars(found["words"]) == {"3": 2, "7": 1}
    assert bars(found["words-aircop-object_matching"]) == {"3": 1}
    assert bars(found["question_words"])["bus"] == 1
    assert bars(found["question_words"])["buses"] == 2
    assert bars(found["option_words"]) == {"bus": 2, "nothing": 2, "red": 2, "the": 2}
    assert bars(found["answers-aircop-object_counting"]) == {"A": 1, "B": 1}
    assert bars(found["answers-aircop-object_matching"]) == {"3 o'clock": 1}
    # Two objects on four frames.
    assert bars(found["regions"]) == {"2": 1}
    assert found["regions"].bars[0].query is None


def test_dataset_figures_when_there_are_no_items_then_there_are_none(session: Session) -> None:
    assert figures(session) == {}


def test_dataset_figures_when_numbers_lie_far_apart_then_intervals_are_few_and_hold_all(
    session: Session,
) -> None:
    items = [item(n, question=" ".join(["car"] * (1 + 7 * n))) for n in range(20)]
    write(session, *(created("item", each) for each in items))
    words = figures(session)["words"]
    assert len(words.bars) == 12
    assert sum(bar.count for bar in words.bars) == 20
    assert sum(bar.share for bar in words.bars) == pytest.approx(1.0)
    assert words.bars[0].name == "1 to 12"
    assert words.bars[0].query == ItemQuery(ids=(items[0].id, items[1].id))


def test_dataset_figures_when_cancelled_then_it_stops(session: Session) -> None:
    write(session, created("item", item(1)))
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        dataset_figures(session.reader, progress=progress)


def test_path_length_when_poses_are_apart_then_the_ways_are_added() -> None:
    poses = tuple(Pose(x_m=x, y_m=0.0, z_m=z, yaw_deg=0.0) for x, z in ((0.0, 0.0), (3.0, 4.0), (3.0, 0.0)))
    assert path_length_m(Trajectory(id="t", scene="s", poses=poses)) == 9.0
    assert path_length_m(Trajectory(id="t", scene="s")) == 0.0


def test_write_figures_when_a_word_starts_a_formula_then_the_table_has_it_as_text(
    session: Session, tmp_path: Path
) -> None:
    write(session, created("item", item(1, answer_format="clock", answer_key="=1+1")))
    files = write_figures(dataset_figures(session.reader, progress=Progress()), tmp_path / "out")
    assert all(file.exists() for file in files)
    with (tmp_path / "out" / "answers-aircop-object_counting.csv").open(encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["name", "count", "share"], ["'=1+1", "1", "1.0000"]]
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFailure):
        write_figures([], tmp_path / "file")
