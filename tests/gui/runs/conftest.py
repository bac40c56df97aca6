"""A project with runs, and somebody who answers in the place of a worker."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.domain.run import Prediction, Run, RunKind
from annotator.domain.work import CallFailure, Claim, JobOutcome, RunOrder
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.guards import Messages
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, make_item, make_project
from widgets.runs.workspace import RunsWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

ONE = ModelProfile(name="One", adapter="openai", model="one", base_url="http://127.0.0.1:9/v1")
TWO = ModelProfile(
    name="Two", adapter="openai", model="two", base_url="http://127.0.0.1:9/v1", price_in=100.0
)
FINDER = ModelProfile(name="Finder", adapter="onnx", path="finder.onnx")
KEYS = "BABBA"
"""Key of each item of the project."""
Answer = Callable[[Claim], str]


class Work:
    """Begins runs and answers their jobs, as a worker does, over the real queue.

    Args:
        session: A project, open.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.session.runs.save_profiles({one.name: one for one in (ONE, TWO, FINDER)})
        self.queue = WorkQueue.open(session.path)
        self.moment = 1_800_000_000.0

    def begin(
        self, *models: str, kind: RunKind = "blind", limit_micro: int | None = None, **settings: object
    ) -> Run:
        """Enter a run about all items."""
        asked = EvalSettings(visual_input="blind" if kind == "blind" else "sighted", **settings)  # type: ignore[arg-type]
        order = RunOrder(kind=kind, models=models, settings=asked.to_json(), limit_micro=limit_micro)
        run, _planned = self.session.runs.start(order).result()
        return run

    def names(self) -> dict[str, str]:
        """Return the names of the items by their ids."""
        return {one.id: one.name for one in self.session.reader.records(Item)}

    def answer(
        self, run: Run, *, say: Answer = lambda claim: "A", count: int = 1000, kind: str = "answer"
    ) -> None:
        """Answer jobs of a run."""
        for model in run.models:
            self.record(self.claim(run, model=model, count=count), say=say, kind=kind)

    def record(self, claims: list[Claim], *, say: Answer = lambda claim: "A", kind: str = "answer") -> None:
        """Record answers to jobs that were claimed before."""
        self.queue.record([_outcome(claim, say(claim), kind=kind) for claim in claims], now=self.moment)

    def fail(self, run: Run, *, count: int = 1, kind: str = "server", text: str = "HTTP 500") -> None:
        """Let jobs of a run fail for good."""
        claims = self.claim(run, model=run.models[0], count=count)
        outcomes = [
            JobOutcome(
                claim=claim,
                prediction=Prediction(
                    request_key=claim.request_key.hex(),
                    kind="error",
                    target=claim.target,
                    message=text,
                    run=claim.run,
                ),
                failure=CallFailure(kind=kind, message=text, status=500),
            )
            for claim in claims
        ]
        self.queue.record(outcomes, now=self.moment)

    def show_worker(self) -> None:
        """Leave a sign of life of a worker."""
        self.queue.record_worker("hand", pid=1, host="here", now=time.time(), status="works")

    def close(self) -> None:
        """Close the queue."""
        self.queue.close()

    def claim(self, run: Run, *, model: str, count: int) -> list[Claim]:
        """Claim jobs of a run, and mark them as sent."""
        claims = self.queue.claim("hand", run=run.id, model=model, count=count, now=self.moment)
        self.queue.mark_sent(claims, [b'{"text": "Which?"}'] * len(claims))
        return claims


class Person(WindowPerson):
    """Somebody at the window with the Runs workspace open."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        super().__init__(window, qtbot, workspace="runs")

    @property
    def runs(self) -> RunsWorkspace:
        """The workspace."""
        made = self.window.slots["runs"].workspace
        assert made is not None
        return made

    def look(self) -> None:
        """Look again without waiting for the clock."""
        assert self.window.slots["runs"].watch is not None
        self.window.slots["runs"].watch.refresh()
        self.settle()

    def open(self, run: Run) -> None:
        """Open the page of a run."""
        self.look()
        self.runs.open_run(run.id)
        self.settle()

    def rows(self, column: int) -> list[str]:
        """Read a column of the table of predictions."""
        model = self.runs.page.predictions.table.predictions
        for index in range(model.rowCount()):
            model.row(index)
        self.settle()
        return [str(model.data(model.index(index, column))) for index in range(model.rowCount())]


@pytest.fixture(scope="session")
def five_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project of five items with two options each, once."""
    items = [make_item(number, answer_key=key) for number, key in enumerate(KEYS, start=1)]
    return make_project(tmp_path_factory.mktemp("items") / "pilot.vantage", [*items])


@pytest.fixture
def session(five_items: Path, tmp_path: Path) -> Iterator[Session]:
    """Open a copy of the project."""
    with Session.open(Path(shutil.copy(five_items, tmp_path))) as opened:
        yield opened


@pytest.fixture
def work(session: Session) -> Iterator[Work]:
    made = Work(session)
    yield made
    made.close()


@pytest.fixture
def person(
    tmp_path: Path, session: Session, work: Work, settings: Settings, qtbot: QtBot, guard_messages: Messages
) -> Iterator[Person]:
    """Open the window on the same project, at its runs."""
    guard_messages.allow(NO_SIZE_HINTS)
    settings.keep("language", "en")
    window = build(Session.open(session.path), settings=settings)
    window.resize(1600, 1000)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Person(window, qtbot)
    window.close_now()
    window.deleteLater()


def _outcome(claim: Claim, text: str, *, kind: str) -> JobOutcome:
    is_answer = kind == "answer"
    prediction = Prediction(
        request_key=claim.request_key.hex(),
        kind=kind,  # type: ignore[arg-type]
        target=claim.target,
        spec=claim.spec,
        answer=text if is_answer else "",
        text=f"The answer is {text}, <b>clearly</b>.",
        model={"name": claim.model, "kind": "chat"},
        message="" if is_answer else "No letter in it.",
        run=claim.run,
    )
    failure = None if is_answer else CallFailure(kind=kind, message="No letter in it.")
    return JobOutcome(claim=claim, prediction=prediction, failure=failure, raw=b'{"choices": []}')
