"""What the kinds of failed calls are called, in English."""

from __future__ import annotations

FAILURE_TITLES = {
    "rate": "Rate limit exceeded",
    "timeout": "Timeout",
    "server": "Server error",
    "connection": "Server not reachable",
    "refused": "Request rejected",
    "key": "API key rejected",
    "cut": "Reply incomplete",
    "format": "Invalid reply format",
    "too_large": "Reply too large",
    "redirect": "Request redirected",
    "model": "Model program failed",
    "material": "Input missing",
    "disk": "Disk error",
    "cluster": "Lost by the cluster",
    "unparsed": "Unreadable",
    "empty": "Empty",
    "unsure": "Result unknown",
}
"""By kind. ``unparsed``, ``empty``: replies without an answer. ``unsure``: a call of a worker that died."""


def failure_title(kind: str) -> str:
    """Return what a kind of failed calls is called."""
    return FAILURE_TITLES.get(kind, kind)
