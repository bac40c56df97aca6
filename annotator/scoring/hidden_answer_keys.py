"""The hidden answer keys of a release, added to its items for scoring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.errors import UserError
from annotator.importers.input_file import printable
from annotator.progress import Progress
from annotator.release.keys_folder import (
    HIDDEN_RECORDS,
    HiddenKey,
    hidden_of,
    is_keys_folder,
    keys_folder_of,
    read_keys,
    verify_keys,
)
from annotator.release.manifest import MANIFEST, read_manifest


class HiddenAnswerKeys:
    """The answer keys of a release that its own files do not have.

    Attributes:
        records: File with the native records that the release leaves out, None if there is none.
        missing: Number of items whose answer keys are hidden and were not given.
    """

    def __init__(
        self, keys: Sequence[HiddenKey] = (), *, records: Path | None = None, missing: int = 0
    ) -> None:
        self.records, self.missing = records, missing
        self._by_name: Mapping[str, list[HiddenKey]] = defaultdict(list)
        for key in keys:
            self._by_name[key.name].append(key)

    @classmethod
    def read(cls, release: Path, *, folder: Path | None, progress: Progress) -> HiddenAnswerKeys:
        """Return the hidden answer keys of a release.

        Args:
            release: The release folder, which was verified, or a published file.
            folder: The folder of the answer keys, None for the one beside the release if there is one.
            progress: Advanced once per file.

        Raises:
            UserError: The folder does not contain the answer keys of this release.
            Cancelled: The user stopped it.
        """
        hidden = hidden_of(read_manifest(release)) if (release / MANIFEST).is_file() else None
        if hidden is None:
            if folder is not None:
                raise UserError(
                    f"{printable(str(release))} hides no answer keys.", hint="Remove the folder of the keys."
                )
            return cls()
        beside = keys_folder_of(release)
        chosen = folder or (beside if is_keys_folder(beside) else None)
        if chosen is None:
            return cls(missing=hidden.items)
        # Keys of another version of the release fit by name, and would score without an error.
        if problems := verify_keys(chosen, release=release, progress=progress):
            raise UserError(
                f"The answer keys in {printable(str(chosen))} cannot be used: {problems[0].message}",
                hint="Choose the folder that was written with this release.",
            )
        records = chosen / HIDDEN_RECORDS
        return cls(read_keys(chosen), records=records if records.is_file() else None)

    def item_of(self, item: Item) -> Item:
        """Return an item with its answer key, if that is among the hidden ones."""
        if item.answer_key or not (named := self._by_name.get(item.name)):
            return item
        task = qualified_task(item.task_set, item.task)
        # A format that does not state the task is read with a guessed one.
        same = [key for key in named if key.task == task] or (named if len(named) == 1 else [])
        if not same:
            return item
        return msgspec.structs.replace(
            item, answer_format=same[0].answer_format, answer_key=same[0].answer_key
        )
