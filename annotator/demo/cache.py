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
from annotator.demo.captures import Captures
from annotator.demo.shoot import Order, shoot
from annotator.progress import Progress
from annotator.user_profile import data_folder

_FOLDER = "demo-cache"
_MEDIA, _CAPTURES = "media", "captures.json"
_RESOURCES = "demo"
_STALE_S = 6 * 3600.0


def provide_captures(order: Order, *, progress: Progress) -> Captures:
    """Write the media of a demo into a folder: copied if they are in the cache, otherwise rendered.

    Args:
        order: Size, seed and target folder.
        progress: Steps of rendering, then files copied.

    Raises:
        OSError: The files cannot be written.
        Cancelled: The user cancelled the operation.
    """
    root = data_folder() / _FOLDER
    kept = root / f"{order.size}-{order.seed}-{code_digest()}"
    if not (kept / _CAPTURES).is_file():
        _keep(order, root=root, kept=kept, progress=progress)
    _copy(kept / _MEDIA, order.folder, progress=progress)
    return msgspec.json.decode((kept / _CAPTURES).read_bytes(), type=Captures)


def code_digest() -> str:
    """Return a digest of everything that determines the media: code and data, or the version of a build.

    A frozen build has no source files: the version identifies them.
    """
    digest = hashlib.sha256(annotator.__version__.encode())
    # All demo code, comments included: finding out which changes matter costs more than rendering again.
    for folder, pattern in ((Path(__file__).parent, "*.py"), (resources.path(_RESOURCES), "*.toml")):
        for path in sorted(folder.rglob(pattern)):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def encode_captures(captures: Captures) -> bytes:
    """Return captures as JSON; NumPy numbers are written as plain numbers."""
    return msgspec.json.encode(captures, enc_hook=float)


def _keep(order: Order, *, root: Path, kept: Path, progress: Progress) -> None:
    """Render into a temporary folder and rename it in one step, so that an entry is always complete."""
    root.mkdir(parents=True, exist_ok=True)
    _sweep(root)
    passing = Path(tempfile.mkdtemp(prefix=".shoot-", dir=root))
    try:
        media = passing / _MEDIA
        media.mkdir()
        captures = shoot(Order(folder=media, size=order.size, seed=order.seed), progress=progress)
        (passing / _CAPTURES).write_bytes(encode_captures(captures))
        # Another process may have created the same entry meanwhile and be copying from it; both are equal.
        if not (kept / _CAPTURES).is_file():
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
    progress.begin("Copying images", total=len(files))
    for path in files:
        folder = target / path.relative_to(source)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder)
        progress.step()
    progress.end()
