"""Contradictions of an event label that leave the answer of several rules in doubt."""

from __future__ import annotations

from annotator.domain.event_label import EventLabel

NO_HELP_THOUGH_UNUSABLE = "the image is not usable, but needs no other view"


def is_no_help_though_unusable(label: EventLabel) -> bool:
    """Tell whether a label says that an image is not usable, and that it needs no other view.

    59 of the published Sim3 views: "its own picture shows quite enough" is not true of them.
    """
    return label.usable is False and label.when is False
