"""Writes the folder of hidden answer keys of a release."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from annotator.domain.item import Item
from annotator.domain.release import ReleasedFile
from annotator.errors import UserError
from annotator.queries.gate_queries import SplitItem
from annotator.queries.reader import Reader
from annotator.release.answer_keys import canonical_key
from annotator.release.keys_folder import (
    HIDDEN_RECORDS,
    KEY_LIST,
    HiddenKey,
    KeysManifest,
    keys_folder_of,
    verify_keys,
)
from annotator.release.manifest import MANIFEST, WITHHELD, release_digest
from annotator.release.release_filter import WithheldRecord
from annotator.release.release_folder import ReleaseFolder, disk_errors
from annotator.release.release_items import BATCH
from annotator.release.released_splits import HiddenKeys
from annotator.release.splits import Division


class KeysWriter:
    """Writes the folder of hidden answer keys beside its final path.

    Args:
        reader: The project.
        out: The release folder.
        division: The items with their splits.
        folder: The folder of the answer keys.
    """

    def __init__(self, reader: Reader, *, out: Path, division: Division, folder: ReleaseFolder) -> None:
        self._reader, self._division, self._folder = reader, division, folder
        self.out = keys_folder_of(out)
        self.is_unchanged = False

    def write(
        self, *, files: tuple[ReleasedFile, ...], lines: Iterable[bytes], withheld: list[WithheldRecord]
    ) -> HiddenKeys:
        """Write the files and their manifest, and return what the manifest of the release states of them.

        Args:
            files: The files of the release.
            lines: The native records that the release leaves out.
            withheld: The withheld records with their reasons in words, which the release leaves out.

        Raises:
            UserError: Two items cannot be told apart, or the folder contains something else.
        """
        self._write_keys()
        for line in lines:
            self._folder.file(HIDDEN_RECORDS).write(line, records=1)
        for record in withheld:
            self._folder.file(WITHHELD).write(msgspec.json.encode(record) + b"\n", records=1)
        hidden = self._division.hidden
        manifest = KeysManifest(
            release_sha256="",
            splits=self._division.settings.hidden,
            items=len(hidden),
            salt=_salt(self._reader.project.id, files_sha256=release_digest(files)),
            files=self._folder.finish(),
        )
        # The number of the release covers the answer keys.
        number = release_digest(files, keys_hmac=manifest.keys_hmac)
        manifest = msgspec.structs.replace(manifest, release_sha256=number)
        self._folder.file(MANIFEST).write(manifest.to_bytes())
        self._folder.finish()
        self.is_unchanged = self._is_there(manifest)
        return HiddenKeys(splits=manifest.splits, items=manifest.items, keys_hmac=manifest.keys_hmac)

    def publish(self) -> None:
        """Move the folder to its final path; do nothing if it is there already."""
        if not self.is_unchanged:
            with disk_errors(self.out):
                self._folder.publish()

    def _write_keys(self) -> None:
        hidden = self._division.hidden
        _require_distinct(hidden)
        file, encoder = self._folder.file(KEY_LIST), msgspec.json.Encoder()
        for item, record in _with_records(self._reader, hidden):
            entry = HiddenKey(
                name=item.name,
                task=item.task,
                answer_format=record.answer_format,
                answer_key=canonical_key(record),
            )
            file.write(encoder.encode(entry) + b"\n", records=1)

    def _is_there(self, manifest: KeysManifest) -> bool:
        if not self.out.exists() or not any(self.out.iterdir()):
            return False
        is_same = (self.out / MANIFEST).read_bytes() == manifest.to_bytes()
        if is_same and not verify_keys(self.out):
            return True
        raise UserError(
            f"The folder {self.out} contains other answer keys, or changed ones.",
            hint="Choose a new folder for the release.",
        )


def _salt(project: str, *, files_sha256: str) -> str:
    """Return the salt of a release: the same on any machine, and unknown without the project."""
    # The id of the project is random and in no release.
    return hmac.new(project.encode(), f"answer keys {files_sha256}".encode(), hashlib.sha256).hexdigest()


def _require_distinct(items: Iterable[SplitItem]) -> None:
    seen: set[tuple[str, str]] = set()
    for item in items:
        if (item.task, item.name) in seen:
            raise UserError(
                f"The answer keys cannot be hidden: several items of the task {item.task} are named "
                f"{item.name!r}.",
                hint="Give the items different public ids, so that their answer keys can be found again.",
            )
        seen.add((item.task, item.name))


def _with_records(reader: Reader, items: list[SplitItem]) -> Iterator[tuple[SplitItem, Item]]:
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        ids = [row.id for row in reader.items.rows(item.n for item in batch)]
        yield from zip(batch, reader.records(Item, ids=ids), strict=True)
