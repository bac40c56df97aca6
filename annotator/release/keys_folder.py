"""The folder of hidden answer keys: kept in private beside a release whose files do not have them."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from annotator.domain.record import ValueObject
from annotator.domain.release import ReleasedFile
from annotator.progress import Progress
from annotator.release.listed_file import read_listed_file
from annotator.release.manifest import (
    MANIFEST,
    Manifest,
    ReleaseProblem,
    file_problems,
    manifest_bytes,
    read_manifest,
    release_digest,
    sealed_text,
    unexpected_files,
)
from annotator.release.media_names import is_safe_path
from annotator.release.released_splits import SPLIT_LIST, HiddenKeys
from annotator.release.splits import SplitEntry

KEY_LIST, HIDDEN_RECORDS = "keys.jsonl", "records.jsonl"
SALT_DIGITS = 64


class HiddenKey(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """One line of ``keys.jsonl``.

    Attributes:
        name: Public id of the item.
        task: Its task, ``set/task``.
        answer_format: Id of its answer format.
        answer_key: The answer key in the canonical text of its format.
    """

    name: str
    task: str
    answer_format: str
    answer_key: str


class KeysManifest(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The manifest of a folder of hidden answer keys.

    Attributes:
        release_sha256: Digest of the release that the answer keys belong to.
        splits: Names of the splits whose answer keys these are.
        items: Number of answer keys.
        salt: Key of the digest that the manifest of the release states, 64 hex digits; without it nobody can
            compare a guess with that digest.
        files: The files, sorted by name.
        kind: What the folder is.
        format_version: Version of the manifest itself.
        seal: SHA-256 of the text of the manifest with an empty seal; ``to_bytes`` sets it.
    """

    release_sha256: str
    splits: tuple[str, ...]
    items: int
    salt: str
    files: tuple[ReleasedFile, ...]
    kind: Literal["vantage-release-keys"] = "vantage-release-keys"
    format_version: int = 1
    seal: str = ""

    @property
    def keys_hmac(self) -> str:
        """The digest of the files that the manifest of the release states."""
        content = release_digest(self.files).encode()
        return hmac.new(bytes.fromhex(self.salt), content, hashlib.sha256).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the one text of a manifest, sealed."""
        return sealed_text(self)


def verify_keys(
    folder: Path, *, release: Path | None = None, progress: Progress | None = None
) -> list[ReleaseProblem]:
    """Compare a folder of answer keys with its manifest and its release, and return the differences.

    Args:
        folder: The folder of the answer keys.
        release: The release that they should belong to, None to verify the folder alone.
        progress: Advanced once per file; None without a progress display.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    active_progress = progress or Progress()
    try:
        manifest = read_keys_manifest(folder)
        written = (folder / MANIFEST).read_bytes()
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        message = f"The manifest of the answer keys cannot be read: {error}"
        return [ReleaseProblem(file=f"{folder.name}/{MANIFEST}", kind="unreadable", message=message)]
    active_progress.begin(f"Verifying {folder.name}", total=len(manifest.files))
    problems = file_problems(folder, manifest.files, active_progress)
    problems += unexpected_files(folder, {file.name for file in manifest.files})
    if written != manifest.to_bytes():
        problems.append(_changed(folder, "The manifest of the answer keys was changed after the release."))
    if release is not None and not problems:
        problems += [_changed(folder, message) for message in _differences(folder, manifest, release)]
    return problems


def is_keys_folder(folder: Path) -> bool:
    """Return whether a folder contains hidden answer keys."""
    try:
        read_keys_manifest(folder)
    except (OSError, msgspec.MsgspecError, ValueError):
        return False
    return True


def read_keys_manifest(folder: Path) -> KeysManifest:
    """Return the manifest of a folder of answer keys.

    Raises:
        OSError: The file cannot be read.
        msgspec.MsgspecError: It is not such a manifest.
        ValueError: It is larger than any manifest, has no salt, or names files outside the folder.
    """
    manifest = msgspec.json.decode(manifest_bytes(folder), type=KeysManifest)
    if len(manifest.salt) != SALT_DIGITS or not set(manifest.salt) <= set("0123456789abcdef"):
        raise ValueError("it has no salt")
    for file in manifest.files:
        if not is_safe_path(file.name):
            raise ValueError(f"it lists a file outside the folder: {file.name!r}")
    return manifest


def hidden_of(manifest: Manifest) -> HiddenKeys | None:
    """Return what a release states of its hidden answer keys, None if it hides none."""
    if manifest.splits is msgspec.UNSET or manifest.splits.hidden is msgspec.UNSET:
        return None
    return manifest.splits.hidden


def read_keys(folder: Path) -> list[HiddenKey]:
    """Return the answer keys of a folder that was verified."""
    return msgspec.json.Decoder(HiddenKey).decode_lines(read_listed_file(folder / KEY_LIST))


def _differences(folder: Path, manifest: KeysManifest, release: Path) -> Iterator[str]:
    """Compare answer keys with their release."""
    try:
        stated = read_manifest(release)
        listed = msgspec.json.Decoder(SplitEntry).decode_lines(read_listed_file(release / SPLIT_LIST))
        keys = read_keys(folder)
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        yield f"The answer keys cannot be compared with the release: {error}"
        return
    hidden = hidden_of(stated)
    if hidden is None:
        yield "The release hides no answer keys."
    elif manifest.release_sha256 != stated.sha256 or not hmac.compare_digest(
        manifest.keys_hmac, hidden.keys_hmac
    ):
        yield "The answer keys belong to another release."
    elif Counter((key.task, key.name) for key in keys) != Counter(
        (entry.task, entry.name) for entry in listed if entry.split in hidden.splits
    ):
        yield "The answer keys are not those of the items of the hidden splits."


def _changed(folder: Path, message: str) -> ReleaseProblem:
    return ReleaseProblem(file=f"{folder.name}/{MANIFEST}", kind="changed", message=message)


SUFFIX = "-keys"


def keys_folder_of(release: Path) -> Path:
    """Return the folder beside a release that its hidden answer keys are written to."""
    path = release.resolve()
    return path.with_name(f"{path.name}{SUFFIX}")
