"""A cache of the demo's media in the user's data folder: they are rendered once and then copied."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from pathlib import Path

import msgspec

import annotator
import resources
from annotator.demo.shoot import Order, shoot
from annotator.demo.takings import Takings
from annotator.progress import Progress
from annotator.user_profile import data_folder

_FOLDER = "demo-cache"
_MEDIA, _TAKINGS = "media", "takings.json"
_RESOURCES = "demo"
_STALE_S = 6 * 3600.0


def bring_takings(order: Order, *, progress: Progress) -> Takings:
    """Put a demo's pictures and clips into a folder: a copy where they were taken before.

    Args:
        order: What is wanted, and where.
        progress: Advanced for the shoot, and of files as they are copied.

    Raises:
        OSError: The files cannot be written.
        Cancelled: The user cancelled the operation.
    """
    root = data_folder() / _FOLDER
    kept = root / f"{order.size}-{order.seed}-{code_digest()}"
    if not (kept / _TAKINGS).is_file():
        _keep(order, root=root, kept=kept, progress=progress)
    _copy(kept / _MEDIA, order.folder, progress=progress)
    return msgspec.json.decode((kept / _TAKINGS).read_bytes(), type=Takings)


def code_digest() -> str:
    """Return a digest of what decides how the demo looks: its code and its data, or the version of a build.

    A frozen build holds no source files; there the version stands for them.
    """
    digest = hashlib.sha256(annotator.__version__.encode())
    # Of all demo code, comments included: to find out what matters would cost more than shooting again after
    # a change.
    for folder, pattern in ((Path(__file__).parent, "*.py"), (resources.path(_RESOURCES), "*.toml")):
        for path in sorted(folder.rglob(pattern)):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def encode_takings(takings: Takings) -> bytes:
    """Return takings as JSON; numbers that numpy made are written like all others."""
    return msgspec.json.encode(takings, enc_hook=float)


def _keep(order: Order, *, root: Path, kept: Path, progress: Progress) -> None:
    """Shoot beside the place of the entry and move it there in one step, so that none is ever half."""
    root.mkdir(parents=True, exist_ok=True)
    _sweep(root)
    passing = Path(tempfile.mkdtemp(prefix=".shoot-", dir=root))
    try:
        media = passing / _MEDIA
        media.mkdir()
        takings = shoot(Order(folder=media, size=order.size, seed=order.seed), progress=progress)
        (passing / _TAKINGS).write_bytes(encode_takings(takings))
        # Another process may have created the same entry meanwhile and be copying from it; both are equal.
        if not (kept / _TAKINGS).is_file():
            # Entries of older code are never used again.
            for old in root.glob(f"{order.size}-{order.seed}-*"):
                shutil.rmtree(old, ignore_errors=True)
            passing.rename(kept)
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _sweep(root: Path) -> None:
    """Remove what a process that was killed has left; a shoot in another window is younger."""
    for left in root.glob(".shoot-*"):
        if time.time() - left.stat().st_mtime > _STALE_S:
            shutil.rmtree(left, ignore_errors=True)


def _copy(source: Path, target: Path, *, progress: Progress) -> None:
    files = sorted(path for path in source.rglob("*") if path.is_file())
    progress.begin("Copying pictures", total=len(files))
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        progress.step()
    progress.end()
