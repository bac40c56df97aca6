"""The content of local models, by which their answers are known: not the place where their files lie.

A digest is computed once for each state of a file, and kept in the settings of the person.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.profile import Adapter, ModelProfile
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.content_hash import content_stamp
from annotator.model_api import DECIDING_FILES
from annotator.progress import Progress

FILE = "weights.json"
KEPT = 1_000
"""Digests that are kept; the oldest go first."""
PIECE_BYTES = 4 * 2**20
FOLDERS: frozenset[Adapter] = frozenset({"transformers", "vllm"})
"""Adapters whose path is a folder of weights."""
FILES: frozenset[Adapter] = frozenset({"smollm", "onnx", "ultralytics", "depth-onnx", "sam-onnx"})
"""Adapters whose path is a file."""
# Of this process only: an entry that another process overwrites is computed once more.
_LOCK = threading.Lock()


class _Known(msgspec.Struct, frozen=True, kw_only=True):
    stamp: str
    sha256: str


def deciding(profile: ModelProfile, *, settings: Path | None, progress: Progress) -> dict[str, Any]:
    """Return what of a model decides its answers, for the key of a job.

    A local model is known by the digest of its weights, so its key is the same wherever its files lie, and
    another one when their content changes. Weights that are not on this machine are known by their path.

    Args:
        profile: The model.
        settings: Folder of the person's settings, where digests are kept; None to keep none.
        progress: A phase for each file that is read; one step per piece.

    Raises:
        EnvironmentFailure: A file cannot be read.
        UserError: A file is being written.
        Cancelled: The user cancelled.
    """
    path, decides = Path(profile.path), profile.decides
    is_folder = profile.adapter in FOLDERS
    if not profile.path or not (path.is_dir() if is_folder else path.is_file()):
        return decides
    if not is_folder and profile.adapter not in FILES:
        return decides
    files = _deciding_files(path) if is_folder else [path]
    listed = [(file.name, weights_sha256(file, settings=settings, progress=progress)) for file in files]
    decides["weights"] = _folder_sha256(listed) if is_folder else listed[0][1]
    del decides["path"]
    return decides


def weights_sha256(file: Path, *, settings: Path | None, progress: Progress) -> str:
    """Return the hex SHA-256 of a file; it is read only if it has changed since the last time.

    Raises:
        EnvironmentFailure: It cannot be read.
        UserError: It is being written.
        Cancelled: The user cancelled.
    """
    location, stamp = str(file.resolve()), content_stamp(file)
    known = _known(settings).get(location)
    if known is not None and known.stamp == stamp:
        return known.sha256
    sha256 = _read(file, progress=progress)
    if content_stamp(file) != stamp:
        raise UserError(
            f"{file.name} was changed while it was being read.", hint="Try again when the file is complete."
        )
    if settings is not None:
        _keep(settings, location, _Known(stamp=stamp, sha256=sha256))
    return sha256


def _deciding_files(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be read: {error}.") from error
    return [file for file in found if file.suffix in DECIDING_FILES and file.is_file()]


def _folder_sha256(listed: list[tuple[str, str]]) -> str:
    text = "".join(f"{sha256}  {name}\n" for name, sha256 in listed)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(file: Path, *, progress: Progress) -> str:
    whole = hashlib.sha256()
    try:
        # Rounded up: the last piece is a step too.
        progress.begin(f"Reading the weights {file.name}", total=-(-file.stat().st_size // PIECE_BYTES))
        with file.open("rb") as stream:
            while piece := stream.read(PIECE_BYTES):
                whole.update(piece)
                progress.step()
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error}.") from error
    progress.end()
    return whole.hexdigest()


def _known(settings: Path | None) -> dict[str, _Known]:
    if settings is None:
        return {}
    try:
        return msgspec.json.decode((settings / FILE).read_bytes(), type=dict[str, _Known])
    except (OSError, msgspec.MsgspecError):
        # Digests that can be computed again.
        return {}


def _keep(settings: Path, location: str, known: _Known) -> None:
    path = settings / FILE
    # A name of its own: another process may write the same file.
    beside = path.with_name(f"{path.name}.{new_id()}")
    with _LOCK:
        kept = {name: one for name, one in _known(settings).items() if name != location} | {location: known}
        newest = dict(list(kept.items())[-KEPT:])
        try:
            settings.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(msgspec.json.encode(newest))
            beside.replace(path)
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            beside.unlink(missing_ok=True)
