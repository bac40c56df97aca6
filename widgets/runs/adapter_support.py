"""Support of models for kinds of runs, with the reason where a model is not supported."""

from __future__ import annotations

from annotator.domain.profile import (
    BLIND_ADAPTERS,
    DEPTH_ADAPTERS,
    DETECTOR_ADAPTERS,
    SIGHTED_ADAPTERS,
    Adapter,
    ModelProfile,
)
from annotator.domain.run import RunKind
from widgets.translation import mark as _
from widgets.translation import tr

ABLE: dict[RunKind, frozenset[Adapter]] = {
    "blind": BLIND_ADAPTERS,
    "consensus": SIGHTED_ADAPTERS,
    "evaluation": SIGHTED_ADAPTERS,
    "draft": SIGHTED_ADAPTERS,
    "detect": DETECTOR_ADAPTERS,
    "depth": DEPTH_ADAPTERS,
}
"""Adapters that support each kind of run."""
REASONS: dict[RunKind, str] = {
    "blind": _("cannot answer questions"),
    "consensus": _("does not accept images"),
    "evaluation": _("does not accept images"),
    "draft": _("cannot describe images"),
    "detect": _("cannot detect objects"),
    "depth": _("cannot estimate depth"),
}
"""English reasons why a model does not support a kind of run."""


def why_not(profile: ModelProfile, kind: RunKind) -> str:
    """Return why a model does not support a kind of run, "" if it does."""
    if profile.adapter not in ABLE[kind]:
        return tr(REASONS[kind])
    needs_pictures = kind in {"consensus", "evaluation", "draft"}
    if needs_pictures and profile.options.get("has_pictures") is False:
        return tr(REASONS["consensus"])
    return ""
