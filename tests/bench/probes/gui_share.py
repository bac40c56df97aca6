"""Makes small widgets beside background work: ``python -m tests.bench.probes.gui_share KIND PROJECT FOLDER``.

KIND is one of ``KINDS``. The GUI thread makes, paints and deletes widgets, alone and beside that work in
turns, in one process. Prints JSON: the widgets of each turn, and how often the work came to an end.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget

from annotator.commands.findings import RecordFindings
from annotator.commands.imports import ImportFiles
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.work import RunOrder
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.thumbnails import ThumbnailStore
from annotator.media.video.video import Video
from annotator.session import Session
from tests.bench.grid import write_pictures
from tests.bench.importing import write_files
from tests.bench.numbered_videos import KINDS as VIDEO_RECIPES
from tests.bench.numbered_videos import large, make_video
from tests.bench.probes.stand import application, tell
from widgets.library.thumbnails import ThumbnailKey, ThumbnailLoader
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView
from widgets.stage.image_cache import pyramid_request
from widgets.timeline.timeline_thumbnails import FrameThumbnailKey, TimelineThumbnails

TURN_S, TURNS = 2.0, 5
THUMBNAILS, IMAGES, FRAMES = 80, 4, 120
IMAGE_PX, VIDEO_PX, THUMBNAIL_PX, LANE_PX = (4000, 2250), (1280, 720), (240, 135), 56
MODEL = "planned"

Work = Callable[[], int]
"""Does what is due, called between two widgets; returns how often the work came to an end so far."""


class Card(QWidget):
    """A small widget whose painting and size are virtual methods written in Python."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.addWidget(QLabel("Scene 0001"))
        column.addWidget(QPushButton("Open"))

    def sizeHint(self) -> QSize:
        """Return a size."""
        return QSize(160, 90)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint lines."""
        with QPainter(self) as painter:
            for y in range(0, self.height(), 6):
                painter.drawLine(0, y, event.rect().width(), y)


def make_cards(seconds: float, *, work: Work) -> float:
    """Make, paint and delete widgets for so long; return how many in a second in which a core was free.

    Where other programs keep all cores busy, a process with two threads at work gets less for each of them:
    that is no fault of the work beside, and is left out. To wait for the interpreter is not.
    """
    made, began, waited_s = 0, time.monotonic(), waited_for_core_s()
    while time.monotonic() < began + seconds:
        card = Card()
        card.resize(card.sizeHint())
        card.grab()
        card.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        work()
        made += 1
    return made / (time.monotonic() - began - (waited_for_core_s() - waited_s))


def waited_for_core_s() -> float:
    """Return for how long this thread could have run and had no core; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0


def rest() -> int:
    """Do nothing: the GUI thread is alone."""
    return 0


@contextmanager
def loading(requests: Callable[[], list[MediaRequest]], *, priority: Priority) -> Iterator[Work]:
    """Load media over and over."""
    media, passes = MediaLoader(), count()
    ended = 0

    def work() -> int:
        nonlocal ended
        if media.is_idle():
            ended = next(passes)
            media.forget()
            media.want("bench", requests(), priority=priority)
        return ended

    try:
        yield work
    finally:
        media.close()
        media.drain()


@contextmanager
def thumbnails(_project: Path, folder: Path) -> Iterator[Work]:
    """Load the thumbnails of a grid from their files."""
    files = write_pictures(folder / "thumbnails", count=THUMBNAILS)
    keys = [ThumbnailKey(f"{at}", file.name, "image", "", *THUMBNAIL_PX) for at, file in enumerate(files)]
    media = MediaLoader()
    loader = ThumbnailLoader(media, file_of=lambda name: folder / "thumbnails" / name)
    media.close()
    media.drain()
    with loading(lambda: loader.requests(keys), priority=Priority.THUMBNAIL) as work:
        yield work


@contextmanager
def images(_project: Path, folder: Path) -> Iterator[Work]:
    """Load large images for the stage."""
    files = write_pictures(folder / "images", count=IMAGES, size_px=IMAGE_PX)
    shown = [MediumView(view="", medium=Medium(id=file.name, name=file.name), file=file) for file in files]
    with loading(lambda: [pyramid_request(one) for one in shown], priority=Priority.SHOWN) as work:
        yield work


@contextmanager
def timeline(_project: Path, folder: Path) -> Iterator[Work]:
    """Load the thumbnails of a timeline from a video that has none yet."""
    recipe = large(VIDEO_RECIPES["fragmented"], size_px=VIDEO_PX, frames=FRAMES, gop=25)
    video = Video.open(
        Path(make_video(folder, name="timeline", recipe=msgspec.structs.replace(recipe, muxing={})).path)
    )
    media, passes = MediaLoader(), count()
    strips: list[TimelineThumbnails] = []
    ended = 0

    def work() -> int:
        nonlocal ended
        if not strips or strips[-1].is_settled():
            ended = next(passes)
            if strips:
                strips.pop().close()
            # The service keeps thumbnails in memory, and would have nothing to load from the second pass on.
            media.forget()
            shutil.rmtree(folder / "strip", ignore_errors=True)
            strips.append(TimelineThumbnails(media, store=ThumbnailStore(folder / "strip")))
            strips[-1].show_videos({"m": (video, Medium(id="m", name="m", sha256=f"{ended:064d}"))})
            strips[-1].request([FrameThumbnailKey("m", number, LANE_PX) for number in range(FRAMES)])
        return ended

    try:
        yield work
    finally:
        media.close()
        media.drain()


@contextmanager
def repeating(task: Callable[[int], object]) -> Iterator[Work]:
    """Do a task of the session over and over; a thread that sleeps meanwhile begins it."""
    is_over, ended = threading.Event(), 0

    def run() -> None:
        nonlocal ended
        while not is_over.is_set():
            task(ended)
            ended += 1

    thread = threading.Thread(target=run, name="bench-work")
    thread.start()
    try:
        yield lambda: ended
    finally:
        is_over.set()
        thread.join()


@contextmanager
def importing(_project: Path, folder: Path) -> Iterator[Work]:
    """Import annotation files into new projects."""
    paths = write_files(folder)

    def import_files(number: int) -> None:
        with Session.create(folder / f"import-{number}.vantage") as session:
            session.execute(ImportFiles(paths=paths)).result()

    with repeating(import_files) as work:
        yield work


@contextmanager
def checks(project: Path, folder: Path) -> Iterator[Work]:
    """Check all items of a project."""
    with (
        Session.open(Path(shutil.copy(project, folder / "checks.vantage"))) as session,
        repeating(lambda _: session.execute(RecordFindings()).result()) as work,
    ):
        yield work


@contextmanager
def planning(project: Path, folder: Path) -> Iterator[Work]:
    """Plan a run over all items of a project."""
    profile = ModelProfile(
        name=MODEL, adapter="openai", model=MODEL, base_url="http://127.0.0.1:9/v1", max_tokens=5
    )
    order = RunOrder(kind="blind", models=(MODEL,))
    with Session.open(Path(shutil.copy(project, folder / "planning.vantage"))) as session:
        session.runs.save_profiles({MODEL: profile})
        with repeating(lambda _: session.runs.estimate(order).result()) as work:
            yield work


KINDS = {
    "thumbnails": thumbnails,
    "images": images,
    "timeline": timeline,
    "import": importing,
    "checks": checks,
    "planning": planning,
}


def measure(kind: str, project: Path, folder: Path) -> dict[str, object]:
    """Return what the GUI thread made alone and beside one kind of work, in turns."""
    alone, beside, ended = [], [], 0
    make_cards(TURN_S / 4, work=rest)
    for turn in range(TURNS):
        alone.append(make_cards(TURN_S, work=rest))
        turn_folder = folder / f"{turn}"
        turn_folder.mkdir()
        with KINDS[kind](project, turn_folder) as work:
            # Libraries are loaded with the first of them.
            make_cards(TURN_S / 4, work=work)
            beside.append(make_cards(TURN_S, work=work))
            while not work():
                make_cards(TURN_S / 4, work=work)
            ended += work()
    return {
        "alone": alone,
        "beside": beside,
        "ended": ended,
        "share": statistics.median(beside) / statistics.median(alone),
    }


def main(kind: str, project: Path, folder: Path) -> None:
    """Measure and print."""
    # Held until the end: without an application there are no widgets.
    held = application()
    tell(measure(kind, project, folder))
    held.quit()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
