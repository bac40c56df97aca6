"""Files that come with the product: icons, themes, translations, task sets, prompts, demo."""

from __future__ import annotations

import sys
from pathlib import Path


def path(name: str) -> Path:
    """Return where a file or folder that comes with the product lies.

    The same call works from a source tree and in a frozen build, where PyInstaller unpacks data
    below ``sys._MEIPASS``. Whether the file exists is not asked: an absent one is reported by
    whoever opens it.

    Args:
        name: Relative name with forward slashes, for instance ``tasksets/aircop.toml``.

    Raises:
        ValueError: The name is empty, absolute, or leads out of the folder; a bug of the caller,
            since names from other people's files never belong here.
    """
    root = _root()
    # What means nothing here means a drive or a folder on Windows.
    if set(name) & set("\\:\0"):
        raise ValueError(f"Not the name of a resource: {name!r}")
    # Resolved first: links lead out as well as dots do, and an absolute name replaces the root.
    found = (root / name).resolve()
    if found == root or not found.is_relative_to(root):
        raise ValueError(f"Not inside the resources: {name!r}")
    return found


def document(name: str) -> Path:
    """Return where a document that comes with the product lies, such as ``docs/guide`` or ``NOTICE``.

    Documents lie beside the code, in a frozen build beside the unpacked resources.

    Args:
        name: Relative name with forward slashes.
    """
    return _root().parent / name


def _root() -> Path:
    unpacked = getattr(sys, "_MEIPASS", None)
    return (Path(unpacked) / "resources" if unpacked else Path(__file__).parent).resolve()
