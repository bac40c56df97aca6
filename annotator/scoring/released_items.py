"""The items of a release, with everything that scoring needs of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item
from annotator.domain.medium import Footage, Medium
from annotator.domain.query import qualified_task
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_file import printable
from annotator.progress import Progress
from annotator.quality.context import CheckContext, answer_context
from annotator.release.manifest import MANIFEST, read_manifest, verify_release
from annotator.scoring.hidden_answer_keys import HiddenAnswerKeys
from annotator.scoring.prediction_form import INDEX
from annotator.scoring.released_pictures import ReleasedPicture, ReleasedPictures

ID_FIELDS = (INDEX, "Question_id", "question_id", "id")
"""Fields of original records with the id that published predictions use."""
NOTHING = len(b"null")
_FOOTAGE: tuple[tuple[str, Footage], ...] = (
    ("Real", "real"),
    ("Sim", "simulated"),
    ("EmbodiedCity", "simulated"),
    ("AerialVLN", "simulated"),
)
"""Beginnings of the names of published datasets and clips. Source: AirCopBench, UrbanVideo-Bench."""


class ReleasedItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a release.

    Attributes:
        item: The item.
        dataset: Name of the dataset of its media, "" if unknown.
        footage: Whether its images are real or simulated, "" if unknown.
        context: What its answers refer to.
        pictures: Its pictures in the release, () for a release without pictures.
        difficulty: How hard its benchmark says that it is, "" if it says nothing.
    """

    item: Item
    dataset: str
    footage: Footage
    context: AnswerContext
    pictures: tuple[ReleasedPicture, ...] = ()
    difficulty: str = ""

    @property
    def task(self) -> str:
        """Its task as ``set/task``."""
        return qualified_task(self.item.task_set, self.item.task)

    def is_of(self, dataset: str) -> bool:
        """Return whether the item can be of a dataset, or about a view of this name."""
        return dataset in (self.dataset, self.item.view) or not self.dataset


class ReleasedItems:
    """The items of a release.

    Attributes:
        items: The items, in the order of the release.
        path: The release folder or file, None for items that were put together.
        sha256: Number of the release, "" for a file that is not a release of this program.
        issues: Records of its files that cannot be read.
        flights: Recorded flights by name.
        hidden: Number of items whose answer keys are hidden and were not given.
    """

    def __init__(
        self,
        items: Sequence[ReleasedItem],
        *,
        path: Path | None = None,
        sha256: str = "",
        issues: Sequence[ImportIssue] = (),
        flights: Iterable[Trajectory] = (),
        hidden: int = 0,
    ) -> None:
        self.hidden = hidden
        self.items = items
        self.path = path
        self.sha256 = sha256
        self.issues = issues
        self.flights = {flight.name: flight for flight in flights}
        self._indices: dict[str, list[int]] = defaultdict(list)
        self._published: dict[str, list[int]] = defaultdict(list)
        self._indexes: dict[str, list[int]] = defaultdict(list)
        for index, released in enumerate(items):
            for name in {released.item.name, released.item.id} - {""}:
                self._indices[name].append(index)
            published = _published_ids(released.item)
            for name in set(published.values()):
                self._published[name].append(index)
            if INDEX in published:
                self._indexes[published[INDEX]].append(index)

    @classmethod
    def read(cls, path: Path, *, keys: Path | None = None, progress: Progress) -> ReleasedItems:
        """Return the items of a release folder, or of a published file of questions.

        Args:
            path: The folder or file.
            keys: The folder of the hidden answer keys, None for the one beside the release if there is one.
            progress: Advanced by the records; may cancel.

        Raises:
            UserError: It is neither, holds no items, or was changed since it was released.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
        sha256 = require_sound(path, progress=progress) if (path / MANIFEST).is_file() else ""
        hidden = HiddenAnswerKeys.read(path, folder=keys, progress=progress)
        records, issues = records_at(path, progress=progress)
        if hidden.records is not None:
            # After the public ones, which decide on the order; the whole records of the items are not needed.
            records += records_at(hidden.records, progress=progress)[0]
        context, levels = _context_of(records), _difficulties(records)
        pictures = ReleasedPictures(path if path.is_dir() else path.parent)
        items = [
            _released(record, hidden.item_of(item), context, pictures, difficulty=levels.get(item.name, ""))
            for record, item in distinct_items(records)
        ]
        if not items:
            raise UserError(
                f"{printable(str(path))} contains no items.",
                hint="Choose a release folder, or a file of questions with their answer keys.",
            )
        flights = [record.record for record in records if isinstance(record.record, Trajectory)]
        return cls(items, path=path, sha256=sha256, issues=issues, flights=flights, hidden=hidden.missing)

    @property
    def release_id(self) -> str:
        """What error labels know the release by: its number, or the name of a published file."""
        return self.sha256 or (printable(self.path.name) if self.path is not None else "")

    def indices_of(self, name: str, *, dataset: str, is_index: bool = False) -> list[int]:
        """Return the positions of the items of an id; several only where the dataset does not decide.

        Args:
            name: The id.
            dataset: Dataset or view of the item, "" if unknown.
            is_index: Whether the id is the index of a row in a published table.
        """
        # The index of a row is also the public id of another item in some projects: the field decides.
        first = self._indexes if is_index else self._indices
        indices = first.get(name) or self._indices.get(name) or self._published.get(name, [])
        if len(indices) < 2 or not dataset:
            return indices
        # A dataset that none of them has decides nothing: the row stays ambiguous.
        return [index for index in indices if self.items[index].is_of(dataset)] or indices


def require_sound(folder: Path, *, progress: Progress) -> str:
    """Return the number of a release whose files are those of its manifest.

    Raises:
        UserError: It was changed since it was released.
        Cancelled: The user stopped it.
    """
    # Without the pictures, which are most of the bytes: no score depends on them.
    problems = verify_release(folder, progress=progress, with_pictures=False)
    if problems:
        raise UserError(
            f"The release has changed: {problems[0].message}",
            hint=f"Verify it with: vantage verify {printable(str(folder))}",
        )
    return read_manifest(folder).sha256


def records_at(path: Path, *, progress: Progress) -> tuple[list[ImportedRecord], list[ImportIssue]]:
    """Return the records of a release folder or of a published file, and what cannot be read of it.

    Raises:
        UserError: Nothing of it can be read.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    context = ImportContext(progress=progress)
    records, issues = [], []
    found_inputs = detect_inputs(path, progress=progress).found
    names = {found.source.name for found in found_inputs}
    for found in found_inputs:
        # AirCopBench's form has each question in two files; the lines do not name the dataset.
        if found.source.name.endswith(".jsonl") and found.source.name.removesuffix("l") in names:
            continue
        for entry in found.read(context=context):
            if isinstance(entry, ImportedRecord):
                records.append(entry)
            else:
                issues.append(entry)
    return records, issues


def distinct_items(records: Iterable[ImportedRecord]) -> list[tuple[ImportedRecord, Item]]:
    """Return the items without those that a second file of the release repeats."""
    found: dict[str, tuple[ImportedRecord, Item]] = {}
    for record in records:
        item = record.record
        if isinstance(item, Item) and not record.is_remark:
            # A native record keeps the key of the file that it once came from; its id tells it apart.
            found.setdefault(item.id or item.import_key, (record, item))
    return list(found.values())


def _context_of(records: Iterable[ImportedRecord]) -> CheckContext:
    media: dict[str, Medium] = {}
    regions: dict[str, set[int]] = defaultdict(set)
    for record in records:
        if isinstance(record.record, Medium):
            media[record.record.id] = record.record
        elif isinstance(record.record, Region):
            regions[record.record.medium].add(record.record.number)
    return CheckContext(find_medium=media.get, find_regions=lambda medium: frozenset(regions.get(medium, ())))


def _difficulties(records: Iterable[ImportedRecord]) -> dict[str, str]:
    """Return the difficulties that scenes have of their episodes, by the public id of the item.

    Source: IndoorUAV, ``test_vla.json``, whose facts the importer keeps by episode in the flight's scene.
    """
    return {
        f"{scene.name}/{episode}.json": facts["difficulty"]
        for record in records
        if isinstance(scene := record.record, Scene)
        for episode, facts in scene.metadata.items()
        if isinstance(facts, dict) and isinstance(facts.get("difficulty"), str)
    }


def _released(
    record: ImportedRecord, item: Item, context: CheckContext, pictures: ReleasedPictures, *, difficulty: str
) -> ReleasedItem:
    media = [medium for name in item.media if (medium := context.medium(name)) is not None]
    dataset = record.dataset or (media[0].dataset if media else "")
    names = [dataset, *(medium.name for medium in media), *(medium.name for medium in record.media)]
    stated: Footage = next(filter(None, (medium.footage for medium in media)), "")
    return ReleasedItem(
        item=item,
        dataset=dataset,
        footage=stated or _footage_of(names),
        context=answer_context(item, context),
        pictures=tuple(pictures.of_media(media or record.media, dataset=dataset)),
        difficulty=difficulty,
    )


def _footage_of(names: Iterable[str]) -> Footage:
    return next((footage for name in names for start, footage in _FOOTAGE if name.startswith(start)), "")


def _published_ids(item: Item) -> dict[str, str]:
    """Return the ids that an item has in the file that it came from, by field."""
    # Most items of a release of this program have ``null``, which need not be decoded.
    original = msgspec.json.decode(item.original) if len(item.original) > NOTHING else None
    known = original if isinstance(original, dict) else {}
    return {name: str(known[name]) for name in ID_FIELDS if type(known.get(name)) in (str, int)}
