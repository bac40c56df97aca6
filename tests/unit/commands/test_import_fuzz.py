"""An import of damaged files takes all that its report tells of, or nothing; undo takes it back."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.commands.imports import ImportFiles
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.importers import registry
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.importers.fuzz_samples import SAMPLES, Content, Sample
from tests.unit.importers.fuzzing import damaged, odd_json
from tests.unit.store.making import ANNA, events, problems, visible_state

CASES = [(reader_id, number) for reader_id, samples in SAMPLES.items() for number in range(len(samples))]
WRITING = [case for case in CASES if SAMPLES[case[0]][case[1]].found]
QUICK = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


class Stopping(Progress):
    """Is cancelled at a step.

    Args:
        at: Number of the step, from 1; 0 for never.
    """

    def __init__(self, *, at: int) -> None:
        super().__init__()
        self.steps = 0
        self._at = at

    def step(self, n: int = 1) -> None:
        self.steps += 1
        if self.steps == self._at:
            self.cancel()
        super().step(n)


@contextmanager
def projects() -> Iterator[tuple[Session, Path]]:
    """Give a new project, and a folder beside it for files."""
    with tempfile.TemporaryDirectory(prefix="vantage-import-") as name:
        folder = Path(name)
        with Session.create(folder / "p.vantage", actor=ANNA) as session:
            yield session, folder / "files"


def put(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def importing(reader_id: str, folder: Path, sample: Sample) -> ImportFiles:
    """Return the import of a sample that stands in a folder."""
    is_folder = isinstance(registry.get(reader_id), FolderImporter)
    path = folder if is_folder else folder / next(iter(sample.files))
    return ImportFiles(paths=(path,), format=reader_id, dataset="fuzz")


def read_count(command: ImportFiles) -> int:
    """Return the number of records, good and bad, that the readers yield."""
    context = ImportContext(dataset=command.dataset)
    looked = detect_inputs(command.paths[0], format_id=command.format)
    return sum(1 for detected_input in looked.found for _ in detected_input.read(context=context))


def damage_of(content: Content) -> st.SearchStrategy[bytes]:
    if content.value is None:
        return damaged(content.data)
    return damaged(content.data) | odd_json(content.value)


def data_of(sample: Sample) -> dict[str, bytes]:
    return {name: content.data for name, content in sample.files.items()}


def check(data: st.DataObject) -> None:
    reader_id, number = data.draw(st.sampled_from(CASES))
    sample = SAMPLES[reader_id][number]
    files = data_of(sample)
    spoilt = data.draw(st.sampled_from(sorted(files)))
    files[spoilt] = data.draw(damage_of(sample.files[spoilt]))
    with projects() as (session, folder):
        command = importing(reader_id, folder, sample)
        if data.draw(st.booleans()):
            # Into a project that has the records already, so that the file meets what it may contradict.
            put(folder, data_of(sample))
            session.execute(importing(reader_id, folder, sample)).result()
        put(folder, files)
        require_all_or_nothing(session, command)


def require_all_or_nothing(session: Session, command: ImportFiles) -> None:
    log, seen = events(session.path), visible_state(session.path)
    try:
        changes = session.execute(command).result()
    except (UserError, EnvironmentFailure):
        assert events(session.path) == log
        assert visible_state(session.path) == seen
        return
    report = command.report
    assert report.added + report.unchanged + report.rejected == read_count(command)
    assert events(session.path)[: len(log)] == log
    assert (len(events(session.path)) > len(log)) == bool(changes.command)
    assert problems(session.path) == []
    if report.added:
        assert changes.command
    if changes.command:
        session.undo().result()
    assert visible_state(session.path) == seen
    assert problems(session.path) == []


@QUICK
@given(data=st.data())
def test_import_when_files_are_damaged_then_all_or_nothing_is_taken(data: st.DataObject) -> None:
    check(data)


# 2,000: each case makes, fills and proves a project of its own, 0.05 to 0.2 s.
@pytest.mark.slow
@settings(QUICK, derandomize=False, max_examples=2_000)
@given(data=st.data())
def test_import_when_files_are_damaged_thousands_of_times_then_all_or_nothing_is_taken(
    data: st.DataObject,
) -> None:
    check(data)


@pytest.mark.parametrize("case", WRITING, ids=lambda case: f"{case[0]}-{case[1]}")
def test_import_when_cancelled_at_any_step_then_the_log_is_as_it_was(case: tuple[str, int]) -> None:
    sample = SAMPLES[case[0]][case[1]]
    with projects() as (session, folder):
        put(folder, data_of(sample))
        log, stop = events(session.path), 1
        while True:
            progress = Stopping(at=stop)
            try:
                session.execute(importing(case[0], folder, sample), progress=progress).result()
            except Cancelled:
                assert events(session.path) == log
                assert problems(session.path) == []
                stop += 1
                continue
            break
        # It stopped at every step but the one that there is not, and then took everything.
        assert stop == progress.steps + 1
        assert stop > 1
        assert len(events(session.path)) > len(log)


def test_import_when_a_later_file_cannot_be_read_then_nothing_of_the_first_is_taken() -> None:
    first, second = SAMPLES["native"][0], SAMPLES["urbanvideo"][3]
    with projects() as (session, folder):
        (parquet,) = second.files
        spoilt = bytearray(second.files[parquet].data)
        spoilt[10:40] = bytes(30)
        put(folder, {**data_of(first), parquet: bytes(spoilt)})
        log = events(session.path)
        command = ImportFiles(paths=(folder / next(iter(first.files)), folder / parquet))
        with pytest.raises(UserError):
            session.execute(command).result()
        assert events(session.path) == log
