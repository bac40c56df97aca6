"""The demo project: made from nothing in seconds, always the same, with something to see everywhere."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from annotator.commands.command import Command
from annotator.commands.drafts import DraftItems
from annotator.commands.findings import RecordFindings
from annotator.commands.imports import ImportFiles
from annotator.commands.media import RegisterMedia, survey_media
from annotator.commands.records import ChangeState, DecideFlags, EditItem, TagScenes, WriteComment
from annotator.demo.flights import FILE as FLIGHT_FILE
from annotator.demo.flights import flight_file
from annotator.demo.labels import FILE as LABEL_FILE
from annotator.demo.labels import label_file
from annotator.demo.marks import Marked, MarkRegions, mark_places
from annotator.demo.pictures import Picture, take_pictures
from annotator.demo.questions import FILE as QUESTION_FILE
from annotator.demo.questions import question_file
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.errors import HostError, UserError
from annotator.progress import Progress
from annotator.session import Session

PROJECT_FILE = "demo.vantage"
TITLE = "Demo town"
DATASET = "Demo_Town"
DATASET_OF_FLIGHTS = "Demo_Flights"
FILES_FOLDER = "files"
SEED = 7
_MARKED_MOMENTS = ("crossroads-1", "market-1", "school-1")


def make_demo(folder: Path, *, progress: Progress, seed: int = SEED) -> Path:
    """Make the demo project in a folder of its own; one that is there is left as it is.

    It is made under a passing name beside its place and put there in one step.

    Args:
        folder: The folder to be.
        progress: Told of each step; can cancel it.
        seed: Seed of the town; the same seed gives the same pictures, byte for byte.

    Returns:
        The project file.

    Raises:
        UserError: The folder holds something else.
        HostError: The disk refused; nothing is left.
        Cancelled: The user stopped it; nothing is left.
    """
    project = folder / PROJECT_FILE
    if project.is_file():
        return project
    _require_room(folder)
    with _beside(folder) as passing:
        _fill(passing, seed=seed, progress=progress)
    return project


def _require_room(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} holds something else.", hint="Choose a new or empty folder for the demo.")


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Give a new folder that takes the place of the one wanted once all went well."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        passing = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise HostError(f"Nothing can be written beside {folder}: {error.strerror}.") from error
    try:
        yield passing
        # mkdtemp makes folders for their owner alone.
        passing.chmod(0o755)
        # Windows does not rename onto an empty folder.
        if folder.is_dir():
            folder.rmdir()
        passing.rename(folder)
    except OSError as error:
        raise HostError(f"The demo could not be written to {folder}: {error.strerror}.") from error
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _fill(folder: Path, *, seed: int, progress: Progress) -> None:
    pictures = take_pictures(seed=seed, progress=progress)
    marked = mark_places(pictures, places=_MARKED_MOMENTS, views=("UAV1", "UAV2"))
    files = _write_files(folder / FILES_FOLDER, pictures, marked)
    with Session.create(folder / PROJECT_FILE, title=TITLE) as session:
        _write_pictures(session.media_root, [*pictures, *marked])
        for command in _commands(session, files, marked, seed=seed, progress=progress):
            session.do(command, progress=progress).result()


def _commands(
    session: Session, files: Sequence[Path], marked: Sequence[Marked], *, seed: int, progress: Progress
) -> Iterator[Command]:
    """Yield the commands one after the other: each is done before the next is made."""
    yield ImportFiles(paths=tuple(files[:2]), dataset=DATASET)
    yield ImportFiles(paths=tuple(files[2:]), dataset=DATASET_OF_FLIGHTS)
    yield MarkRegions(marked=tuple(marked))
    yield RegisterMedia(survey=survey_media(session.reader, root=session.media_root, progress=progress))
    yield DraftItems(task_set="aircop", seed=seed)
    yield RecordFindings()
    yield from _hand_work(session)


def _write_files(folder: Path, pictures: Sequence[Picture], marked: Sequence[Marked]) -> tuple[Path, ...]:
    contents = {
        LABEL_FILE: label_file(pictures),
        QUESTION_FILE: question_file(pictures, marked),
        FLIGHT_FILE: flight_file(),
    }
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return tuple(folder / name for name in contents)


def _write_pictures(root: Path, pictures: Sequence[Picture | Marked]) -> None:
    for picture in pictures:
        path = root / picture.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture.jpeg)


def _hand_work(session: Session) -> Iterator[Command]:
    """Yield what a person might have done since, so that history and undo have something to show."""
    reader = session.reader
    yield TagScenes(scenes=_scenes_with_fault(session), tags=("degraded",))
    usable = _items(session, ItemQuery(tasks=("usability_assessment",)))
    yield ChangeState(items=tuple(item.id for item in usable[:6]), state="in_refinement")
    yield EditItem(
        item=usable[0].id, field="question", value=f"Take a look at the picture. {usable[0].question}"
    )
    yield ChangeState(items=(usable[0].id,), state="refined")
    counting = _items(session, ItemQuery(tasks=("object_counting",)))
    yield WriteComment(
        entity="item", target=counting[0].id, text="Parked cars count as well; buses too. See the label."
    )
    yield ChangeState(items=(counting[0].id, counting[1].id), state="accepted")
    broken = next(reader.find("item", name="Region_Recognition_00004"))
    yield ChangeState(
        items=(broken.id,), state="rejected", reason="The key names a region that is not there."
    )
    noted = next(reader.find("flag", state="open", kind="count_not_integer"))
    yield DecideFlags(flags=(noted.id,), state="dismissed", resolution="Nobody can count them more exactly.")


def _scenes_with_fault(session: Session) -> tuple[str, ...]:
    names = ("crossroads-2", "park-1")
    return tuple(scene.id for name in names for scene in session.reader.find("scene", name=name))


def _items(session: Session, query: ItemQuery) -> list[Item]:
    reader = session.reader
    rows = reader.item_page(query, limit=10)
    return [item for item in reader.records("item", ids=[row.id for row in rows]) if isinstance(item, Item)]
