"""The demo project: generated in seconds, reproducible, with content for every screen."""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from annotator.commands.command import Command
from annotator.commands.comments import WriteComment
from annotator.commands.demo import EnterItems, EnterTruth, GatherScenes, MeasureDepths
from annotator.commands.drafts import DraftItems
from annotator.commands.findings import RecordFindings
from annotator.commands.imports import ImportFiles
from annotator.commands.item_edits import SetQuestion
from annotator.commands.item_states import ChangeState
from annotator.commands.media import RegisterMedia
from annotator.commands.records import DecideFlags
from annotator.commands.tags import ChangeTags
from annotator.demo.air_questions import air_questions
from annotator.demo.cache import provide_captures
from annotator.demo.captures import Captures, Interior
from annotator.demo.clip_questions import clip_questions
from annotator.demo.entries import homes_of_derived, question_items, truth_records
from annotator.demo.flight_file import FILE as FLIGHT_FILE
from annotator.demo.flight_file import flight_file
from annotator.demo.interiors.asking import MapShown, map_questions
from annotator.demo.journeys import journey_questions
from annotator.demo.labels import FILE as LABEL_FILE
from annotator.demo.labels import label_file
from annotator.demo.pictures import DEPTH_PER_M
from annotator.demo.plan import Size
from annotator.demo.questions import FILE as QUESTION_FILE
from annotator.demo.questions import question_file
from annotator.demo.quiz import Posed, Question, pose
from annotator.demo.shoot import Order
from annotator.demo.truth_file import FOLDER as TRUTH_FOLDER
from annotator.demo.truth_file import truth_files
from annotator.domain.actor import Actor
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.errors import EnvironmentFailure, UserError
from annotator.file_lock import exclusive_lock
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.session import Session

PROJECT_FILE = "demo.vantage"
TITLE = "Demo city"
AUTHOR = "Vantage demo"
"""Name of the actor in the history of the demo project."""
DATASET = "Demo_Town"
DATASET_OF_FLIGHTS = "Demo_Flights"
FILES_FOLDER = "files"
PARTIAL = ".part"
SEED = 7


def make_demo(folder: Path, *, progress: Progress, seed: int = SEED, size: Size = "small") -> Path:
    """Make the demo project in a folder of its own; one that is there is left as it is.

    It is made under a temporary name beside its place and moved there in one step. Of several processes that
    ask for it at once one makes it, and the others wait for it.

    Args:
        folder: The folder to be.
        progress: Advanced for each step; can cancel it.
        seed: Seed of the city; the same seed and size give the same images and clips, byte for byte.
        size: ``small``: 13 images, in seconds; ``standard``: scenes, clips and maps for all task sets;
            ``large``: more of them.

    Returns:
        The project file.

    Raises:
        UserError: The folder holds something else.
        EnvironmentFailure: The disk refused; nothing is left.
        Cancelled: The user cancelled the operation; nothing is left.
    """
    project = folder / PROJECT_FILE
    if project.is_file():
        return project
    _require_room(folder)
    with _only_build(folder, progress=progress):
        # Made by the process that this one has waited for.
        if not project.is_file():
            _remove_abandoned(folder)
            with _beside(folder) as passing:
                _fill(passing, seed=seed, size=size, progress=progress)
    return project


@contextmanager
def _only_build(folder: Path, *, progress: Progress) -> Iterator[None]:
    """Lock the creation of this demo against other processes inside the block."""
    lock = folder.with_name(f".{folder.name}.lock")
    waiting_for = "Waiting for another window that is creating the demo project"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(lock, waiting_for=waiting_for, progress=progress):
            yield
    except OSError as error:
        raise EnvironmentFailure(f"Cannot write to {folder.parent}: {error.strerror}.") from error


def _remove_abandoned(folder: Path) -> None:
    """Delete the remains of killed builds beside the folder; the lock guarantees that none is running."""
    for left in folder.parent.glob(f".{glob.escape(folder.name)}.????????{PARTIAL}"):
        shutil.rmtree(left, ignore_errors=True)


def _require_room(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} holds something else.", hint="Choose a new or empty folder for the demo.")


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Give a new folder that takes the place of the one wanted once all went well."""
    passing = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=PARTIAL, dir=folder.parent))
    try:
        yield passing
        # mkdtemp makes folders for their owner alone.
        passing.chmod(0o755)
        # Windows does not rename onto an empty folder.
        if folder.is_dir():
            folder.rmdir()
        passing.rename(folder)
    except OSError as error:
        raise EnvironmentFailure(f"The demo could not be written to {folder}: {error.strerror}.") from error
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _fill(folder: Path, *, seed: int, size: Size, progress: Progress) -> None:
    project = folder / PROJECT_FILE
    # Not the person who opens it: their undo would remove the demo, and its decisions would count as theirs.
    author = Actor(id=new_id(), name=AUTHOR, role="worker")
    with Session.create(project, title=TITLE, actor=author) as session:
        order = Order(folder=session.media_root, size=size, seed=seed)
        captures = provide_captures(order, progress=progress)
        files = _write_files(folder / FILES_FOLDER, captures, seed=seed)
        for command in _commands(session, captures, files, seed=seed, progress=progress):
            session.execute(command, progress=progress).result()


def _commands(
    session: Session, captures: Captures, files: Mapping[str, Path], *, seed: int, progress: Progress
) -> Iterator[Command]:
    """Yield the commands one after the other: each is done before the next is made."""
    # First: importers then find scenes and media by name, with their truth, instead of making their own.
    truth = truth_records(captures, dataset=DATASET, dataset_of_flights=DATASET_OF_FLIGHTS)
    yield EnterTruth(records=tuple(truth), scenes=len(captures.moments()))
    yield ImportFiles(paths=(files[LABEL_FILE], files[QUESTION_FILE]), dataset=DATASET)
    if FLIGHT_FILE in files:
        yield ImportFiles(paths=(files[FLIGHT_FILE],), dataset=DATASET_OF_FLIGHTS)
    yield GatherScenes(homes=homes_of_derived(captures, session.reader.records(Scene)))
    posed = pose(_own_questions(captures, seed=seed), seed=seed)
    yield EnterItems(items=tuple(question_items(posed, session.reader, seed=seed)))
    # After all that names media, before what is drafted from them: items must show files that are known to be
    # there.
    yield RegisterMedia(survey=survey_media(session.reader, root=session.media_root, progress=progress))
    yield MeasureDepths(depth_maps=captures.depth_maps(session.media_root), unit_m=1 / DEPTH_PER_M)
    yield DraftItems(task_set="aircop", seed=seed)
    yield RecordFindings()
    yield from _hand_work(session)


def _own_questions(captures: Captures, *, seed: int) -> Iterator[Question]:
    """Yield the questions of the task sets that have no file to be imported here."""
    yield from air_questions(captures, seed=seed)
    for number, interior in enumerate(captures.interiors):
        kind = ("realistic", "semantic")[number % 2]
        yield from map_questions(_shown(interior, kind), seed=seed)
    yield from journey_questions(captures)


def _shown(interior: Interior, kind: str) -> MapShown:
    return MapShown(
        plan=interior.plan,
        medium=interior.map_name(kind),
        is_semantic=kind == "semantic",
        routes=tuple((interior.map_name(kind, part), route) for part, route in interior.routes.items()),
        rooms_alone=tuple((n, interior.map_name(kind, f"room-{n}")) for n in interior.rooms_alone),
    )


def _write_files(folder: Path, captures: Captures, *, seed: int) -> dict[str, Path]:
    """Write the files that are imported, and the truth beside them."""
    contents = {LABEL_FILE: label_file(captures.pictures), QUESTION_FILE: question_file(captures)}
    if captures.clips:
        posed: tuple[Posed, ...] = tuple(pose(clip_questions(captures, seed=seed), seed=seed))
        contents[FLIGHT_FILE] = flight_file(posed)
    (folder / TRUTH_FOLDER).mkdir(parents=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    for name, content in truth_files(captures).items():
        (folder / TRUTH_FOLDER / name).write_bytes(content)
    return {name: folder / name for name in contents}


def _hand_work(session: Session) -> Iterator[Command]:
    """Yield edits as made by a user, so that the history has content."""
    reader = session.reader
    yield ChangeTags(scenes=_scenes_with_fault(session), added=("degraded",))
    usable = _items(session, ItemQuery(tasks=("usability_assessment",)))
    yield ChangeState(items=tuple(item.id for item in usable[:6]), state="in_refinement")
    yield SetQuestion(item=usable[0].id, text=f"Take a look at the picture. {usable[0].question}")
    yield ChangeState(items=(usable[0].id,), state="refined")
    counting = _items(session, ItemQuery(tasks=("object_counting",)))
    yield WriteComment(
        entity="item", target=counting[0].id, text="Parked cars count as well; buses too. See the label."
    )
    for state in ("refined", "accepted"):
        yield ChangeState(items=(counting[0].id, counting[1].id), state=state)
    broken = next(reader.find(Item, name="Region_Recognition_00004"))
    yield ChangeState(
        items=(broken.id,), state="rejected", reason="The key names a region that is not there."
    )
    noted = next(reader.find(Flag, state="open", kind="count_not_integer"))
    yield DecideFlags(flags=(noted.id,), state="dismissed", resolution="Nobody can count them more exactly.")


def _scenes_with_fault(session: Session) -> tuple[str, ...]:
    names = ("crossroads-2", "park-1")
    found = (session.reader.find(Scene, name=name, dataset=DATASET) for name in names)
    return tuple(scene.id for scenes in found for scene in scenes)


def _items(session: Session, query: ItemQuery) -> list[Item]:
    reader = session.reader
    rows = reader.items.page(query, limit=10)
    return list(reader.records(Item, ids=[row.id for row in rows]))
