"""One side of a difference: the items of a release with the values that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import qualified_task
from annotator.domain.record import Record
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.input_file import printable
from annotator.progress import Progress
from annotator.release.keys_folder import hidden_of
from annotator.release.manifest import (
    MANIFEST,
    PICTURE_LIST,
    WITHHELD,
    ImageEntry,
    Manifest,
    read_manifest,
)
from annotator.release.release_filter import WithheldRecord
from annotator.release.released_splits import SPLIT_LIST, SUBSET_LIST
from annotator.release.splits import SplitEntry
from annotator.release.subset import SubsetEntry
from annotator.scoring.hidden_answer_keys import HiddenAnswerKeys
from annotator.scoring.released_items import distinct_items, records_at, require_sound

STEP = 1_000
SUBSET, NOT_SUBSET = "yes", "no"


@dataclass(frozen=True, kw_only=True)
class ComparedItem:
    """An item of a release.

    Attributes:
        id: Its id in the project, "" in formats without ids.
        name: Its public id.
        task: Its task, ``set/task``.
        values: What is compared, by field; a field that the release does not state is absent.
        is_hidden: Whether its answer key is hidden and not at hand.
    """

    id: str
    name: str
    task: str
    values: Mapping[str, Any]
    is_hidden: bool


@dataclass(frozen=True, kw_only=True)
class ComparedRelease:
    """One side of a difference.

    Attributes:
        path: The folder or file.
        manifest: Its manifest, None for a published file.
        items: Its items, in its order.
        withheld: Why records are withheld, by task and name.
        unreadable: Number of records that cannot be read, which are not compared.
    """

    path: Path
    manifest: Manifest | None
    items: tuple[ComparedItem, ...]
    withheld: Mapping[tuple[str, str], str]
    unreadable: int = 0

    @property
    def export_format(self) -> str:
        """Id of its export format, "" for a published file."""
        return self.manifest.export_format if self.manifest is not None else ""


def read_release(path: Path, *, keys: Path | None = None, progress: Progress) -> ComparedRelease:
    """Return one side of a difference.

    Args:
        path: A release folder, or a published file of questions.
        keys: The folder of its hidden answer keys, None for the one beside it if there is one.
        progress: Advanced by the records; may cancel.

    Raises:
        UserError: It is neither, holds no items, or was changed since it was released.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    is_release = (path / MANIFEST).is_file()
    if is_release:
        require_sound(path, progress=progress)
    manifest = read_manifest(path) if is_release else None
    hidden = HiddenAnswerKeys.read(path, folder=keys, progress=progress)
    records, issues = records_at(path, progress=progress)
    reader = _SideReader(path, manifest, hidden, records)
    items = tuple(reader.items(progress))
    if not items:
        raise UserError(
            f"{printable(str(path))} contains no items.",
            hint="Choose a release folder, or a file of questions with their answer keys.",
        )
    return ComparedRelease(
        path=path, manifest=manifest, items=items, withheld=reader.withheld(), unreadable=len(issues)
    )


T = TypeVar("T", bound=Record)


def _by_id(records: Iterable[ImportedRecord], kind: type[T]) -> dict[str, T]:
    return {found.record.id: found.record for found in records if isinstance(found.record, kind)}


class _SideReader:
    """Makes the values of the items of one side."""

    def __init__(
        self, path: Path, manifest: Manifest | None, hidden: HiddenAnswerKeys, records: list[ImportedRecord]
    ) -> None:
        self._path, self._hidden, self._records = path, hidden, records
        stated = hidden_of(manifest) if manifest is not None else None
        self._hidden_splits = frozenset(stated.splits if stated is not None else ())
        is_divided = manifest is not None and bool(manifest.splits)
        has_subset = manifest is not None and bool(manifest.subset)
        self._has_images = manifest is not None and bool(manifest.pictures)
        entries = self._lines(SPLIT_LIST, SplitEntry) if is_divided else []
        self._splits = {(entry.task, entry.name): entry.split for entry in entries}
        self._subset = self._members(SUBSET_LIST) if has_subset else None
        self._images = self._image_digests()
        self._media = _by_id(records, Medium)
        self._scenes = _by_id(records, Scene)

    def items(self, progress: Progress) -> Iterator[ComparedItem]:
        """Yield the items with their values."""
        found = distinct_items(self._records)
        progress.begin(f"Comparing {self._path.name}", total=len(found))
        for number, (record, item) in enumerate(found, start=1):
            yield self._item(record, self._hidden.item_of(item))
            if number % STEP == 0:
                progress.step(STEP)
        progress.step(len(found) % STEP)
        progress.end()

    def withheld(self) -> dict[tuple[str, str], str]:
        """Return why records are withheld, in words where the release has them."""
        if not (self._path / WITHHELD).is_file():
            return {}
        return {
            (record.task, record.name): " ".join(reason.message or reason.kind for reason in record.reasons)
            for record in self._lines(WITHHELD, WithheldRecord)
        }

    def _item(self, record: ImportedRecord, item: Item) -> ComparedItem:
        task = qualified_task(item.task_set, item.task)
        split = self._splits.get((task, item.name))
        is_reduced = split in self._hidden_splits
        is_hidden = is_reduced and not item.answer_key
        values: dict[str, Any] = {
            "name": item.name,
            "task": task,
            "answer_format": item.answer_format,
            "question": item.question,
            "options": [f"{option.letter}. {option.text}" for option in item.options],
            "view": item.view,
            "state": item.state,
            "media": self._media_names(record, item),
        }
        values |= self._images_of(record, item)
        if split is not None:
            values["split"] = split
        if self._subset is not None:
            values["subset"] = SUBSET if (task, item.name) in self._subset else NOT_SUBSET
        if not is_hidden:
            values["answer_key"] = item.answer_key
        # A release that hides an answer key leaves these out, also if the answer key itself is at hand.
        if not is_reduced:
            values |= {"extras": item.extras, "issue_classes": list(item.issue_classes)}
            values["provenance"] = msgspec.to_builtins(item.provenance)
        scene = record.scene or self._scenes.get(item.scene)
        values["scene"] = scene.name if scene is not None else ""
        return ComparedItem(id=item.id, name=item.name, task=task, values=values, is_hidden=is_hidden)

    def _media_names(self, record: ImportedRecord, item: Item) -> list[str]:
        known = [self._media[medium].name for medium in item.media if medium in self._media]
        return known or [medium.path or medium.name for medium in record.media]

    def _images_of(self, record: ImportedRecord, item: Item) -> dict[str, Any]:
        """Return the digests of the images of an item: as rendered, else as the media have them."""
        if self._has_images:
            names = self._media_names(record, item)
            return {"images": [f"{name} {digest}" for name in names for digest in self._images.get(name, ())]}
        media = [self._media[medium] for medium in item.media if medium in self._media]
        return {"files": [f"{one.name} {one.sha256}" for one in media if one.sha256]} if media else {}

    def _image_digests(self) -> dict[str, list[str]]:
        """Return the digests of the rendered images by name and by path of their medium."""
        found: dict[str, list[str]] = {}
        for entry in self._lines(PICTURE_LIST, ImageEntry) if self._has_images else ():
            for name in {entry.medium, entry.path} - {""}:
                found.setdefault(name, []).append(entry.sha256)
        return found

    def _members(self, name: str) -> set[tuple[str, str]]:
        """Return task and public id of the items of a subset."""
        return {(entry.task, entry.name) for entry in self._lines(name, SubsetEntry)}

    def _lines(self, name: str, kind: type[Any]) -> list[Any]:
        lines: list[Any] = msgspec.json.Decoder(kind).decode_lines((self._path / name).read_bytes())
        return lines
