"""The verbs of the command line. Names stand here so that the window can start without them."""

from __future__ import annotations

VERBS = (
    "new", "demo", "import", "draft", "check", "stats", "media", "frames", "clip", "release", "verify",
    "backup", "models", "detect", "depth", "blind", "consensus", "runs", "worker", "doctor",
)  # fmt: skip
