"""One module per kind of model work, each with one object ``KIND``."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from annotator.domain.run import RunKind
from annotator.jobs.kind import Kind

MODULES: dict[RunKind, str] = {
    "blind": "ask",
    "consensus": "ask",
    "draft": "chain",
    "detect": "detect",
    "depth": "depth",
}
"""Which module does the runs of a kind."""


@cache
def kind_of(run_kind: RunKind) -> Kind:
    """Return the object that knows what runs of a kind ask.

    Modules are imported when they are wanted: they need pictures and prompts, which the start of the window
    does without.
    """
    found: Kind = import_module(f"{__name__}.{MODULES[run_kind]}").KIND
    return found
