"""The commands of the command line. Their names are here so that the window starts without importing them."""

from __future__ import annotations

from pathlib import Path

VERBS = (
    "new", "demo", "import", "draft", "items", "check", "stats", "media", "frames", "clip", "clips",
    "derive", "maps", "flights", "release", "release-diff", "gates", "verify", "rebuild", "backup", "models",
    "detect", "depth", "blind", "consensus", "evaluate", "necessity", "responses", "assign",
    "agreement", "reference", "comments", "review", "bundle", "merge", "forks", "sync", "runs", "score",
    "settled-texts", "error-labels", "report", "worker", "doctor",
    "people", "progress", "key", "key-errors", "variants",
)  # fmt: skip


def is_misspelt_verb(argument: str) -> bool:
    """Return whether an argument can only be meant as a verb: no option, and no path of a file."""
    path = Path(argument)
    is_name = not argument.startswith("-") and path.name == argument and not path.suffix
    return is_name and argument not in VERBS and not path.exists()
