"""The folder of a local checkpoint: required and forbidden files, and its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO

from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import DECIDING_FILES
from annotator.progress import Progress

PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl"})
"""Weights in executable formats: reading one runs code of its author."""
PIECE_BYTES = 4 * 2**20
"""Bytes between two checks for cancellation: tens of milliseconds; a whole file may take a minute."""


def require_safe(folder: Path) -> None:
    """Refuse a folder without weights that can be read without running code.

    Raises:
        UserError: What is missing, and what to do.
    """
    if not (folder / "config.json").is_file():
        raise UserError(
            f"{folder} is not a model folder: it has no config.json.",
            hint="Set the folder that contains config.json, the tokenizer and the weights of the model.",
        )
    if any(folder.glob("*.safetensors")):
        return
    pickled = sorted(file.name for file in folder.iterdir() if file.suffix in PICKLES)
    if pickled:
        raise UserError(
            f"The weights in {folder} are pickle files ({pickled[0]}), which can run code when read.",
            hint="If you trust them, save them as safetensors: model.save_pretrained(folder).",
        )
    raise UserError(f"{folder} has no weights (*.safetensors).")


def folder_digest(folder: Path, *, progress: Progress | None = None) -> str:
    """Return the SHA-256 of the list of all deciding files with their own.

    Args:
        folder: Of the model.
        progress: Asked whether to go on; None for in any case.

    Raises:
        EnvironmentFailure: One cannot be read.
        Cancelled: It is wanted no more.
    """
    whole = hashlib.sha256()
    try:
        for file in sorted(folder.iterdir()):
            if file.suffix in DECIDING_FILES and file.is_file():
                with file.open("rb") as stream:
                    own = _digest(stream, progress=progress or Progress())
                # A line as ``sha256sum`` prints it, so that the digest can be made without Vantage.
                whole.update(f"{own}  {file.name}\n".encode())
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be read: {error}.") from error
    return whole.hexdigest()


def _digest(stream: IO[bytes], *, progress: Progress) -> str:
    own = hashlib.sha256()
    while piece := stream.read(PIECE_BYTES):
        own.update(piece)
        progress.raise_if_cancelled()
    return own.hexdigest()
