"""What an evaluation run is said to have sent, after the table of families has changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotator.domain import model_families
from annotator.domain.eval_settings import EvaluationSettings
from annotator.domain.medium import Medium
from annotator.domain.model_families import ModelFamily
from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.domain.work import RunOrder
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types.evaluation import KIND
from annotator.jobs.job_types.evaluation_boxes import box_scale
from annotator.jobs.profile_file import write_profiles
from annotator.progress import Progress
from annotator.quality.study_results import study_results
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.unit.jobs.job_types.asking import CHAT, open_question, picture_file
from tests.unit.store.making import created, write

QWEN = msgspec.structs.replace(CHAT, model="Qwen2.5-VL-7B-Instruct")
SETTINGS = EvaluationSettings()
BOX = open_question("bbox", "[20, 15, 40, 30]", media=("m1",))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Give a project with a question whose answer is a box in an image."""
    with Session.create(tmp_path / "p.vantage") as opened:
        picture_file(opened.media_root, "a.png")
        medium = Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)
        write(opened, created("medium", medium), created("item", BOX))
        yield opened


@pytest.fixture
def later_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Give the means to change the table of families, as an update of the product does."""
    yield monkeypatch
    monkeypatch.undo()
    model_families._named.cache_clear()


def update(table: pytest.MonkeyPatch) -> None:
    family = ModelFamily(models=("qwen*",), longest_px=40, frames=3, boxes="fractions", source="later")
    table.setattr(model_families, "families", lambda: (family,))
    model_families._named.cache_clear()


def shown(session: Session, run: Run) -> tuple[int, int]:
    (result,) = study_results(session.reader, run, progress=Progress())
    return result.longest_px, result.frames


def test_results_when_the_table_of_families_changes_later_then_state_what_the_run_was_ordered_with(
    session: Session, later_table: pytest.MonkeyPatch
) -> None:
    write_profiles(config_folder(), [QWEN])
    order = RunOrder(kind="evaluation", models=(QWEN.name,), settings=SETTINGS.to_json())
    ordered, _plan = session.runs.start(order).result(PATIENCE_S)
    run = session.reader.runs.get(ordered.id)
    assert run is not None
    profile = msgspec.convert(run.profiles[QWEN.name], ModelProfile)
    before = box_scale(BOX, profile, SETTINGS, sent=BOX.media, reader=session.reader, records=None)
    assert before is not None
    assert shown(session, run) == (1148, 16)
    update(later_table)
    assert shown(session, run) == (1148, 16)
    assert box_scale(BOX, profile, SETTINGS, sent=BOX.media, reader=session.reader, records=None) == before
    again, _plan = session.runs.start(order).result(PATIENCE_S)
    assert shown(session, again) == (40, 3)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {
            "visuals": {"frames": 32, "fps": 0.0, "longest_px": 0, "coding": "jpeg", "quality": 92},
            "boxes": "",
        },
    ],
)
def test_results_when_a_run_is_older_than_the_families_then_it_keeps_the_sizes_and_boxes_that_it_had(
    session: Session, stored: dict[str, object]
) -> None:
    raw = {"name": "chat", "adapter": "openai", "model": QWEN.model, "base_url": QWEN.base_url} | stored
    old = Run(
        id="0" * 32,
        kind="evaluation",
        models=("chat",),
        settings=SETTINGS.to_json(),
        profiles={"chat": raw},
    )
    profile = msgspec.convert(raw, ModelProfile)
    worker_context = WorkerContext(reader=session.reader, roots=session.roots, profiles={"chat": profile})
    with closing(WorkQueue.open(session.path)) as queue:
        queue.runs.plan(old, KIND.plan(old, worker_context, progress=Progress()), progress=Progress())
    assert shown(session, old) == (0, 32)
    assert box_scale(BOX, profile, SETTINGS, sent=BOX.media, reader=session.reader, records=None) is None
