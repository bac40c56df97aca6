"""The project's own record: what it is called and where its media lie."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import Literal

from annotator.domain.link import MISMATCH_LIMIT
from annotator.domain.record import Record, Table
from annotator.domain.release_gate import DEFAULT_REQUIRED, GateWaiver

FRAME_DIFFERENCE = 3.0
"""Percent. Measured on the first seconds of six demo flights, 8 to 10 frames a second: neighbouring frames
differ by 0.1 to 9.5 (median 2.8), frames one second apart by 3.5 to 14, first frames of two flights by 12 to
15."""
SeparateAcceptance = Literal["auto", "on", "off"]
"""Whether nobody accepts an item that the same person wrote or edited last; ``auto``: from two persons on."""


def is_inner_folder(name: str) -> bool:
    """Return whether the name of a folder leads to a place inside of the project's, on every system."""
    # As Windows reads it: it knows both kinds of slashes, drives and shares.
    named = PureWindowsPath(name)
    return bool(named.parts) and not named.anchor and ".." not in named.parts and "\0" not in name


class Project(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One project.

    Attributes:
        title: Name that people see.
        created_at: ISO 8601 UTC time.
        media_root: Folder of the media, relative to the folder of the project file; "" for the one with its
            name.
        task_set: Id of the task set that it drafts for, "" while none was chosen.
        annotation_step: Every n-th frame of a sequence is annotated; its event labels are carried to those in
            between. 1: every frame.
        frame_difference: Mean difference, in percent, from which on a frame differs from another one.
        link_limit: Largest mismatch of a link that is not flagged, as a share of the longer side of an image.
        separate_acceptance: Whether nobody accepts an item that the same person wrote or edited last.
        review_phrases: Reasons that reviewers choose by number; empty for ``domain.review.PHRASES``.
        required_gates: Ids of the gates that must hold, or be waived, before a release.
        gate_waivers: The gates that are waived, at most one waiver of each.
    """

    title: str
    created_at: str = ""
    media_root: str = ""
    task_set: str = ""
    annotation_step: int = 1
    frame_difference: float = FRAME_DIFFERENCE
    link_limit: float = MISMATCH_LIMIT
    separate_acceptance: SeparateAcceptance = "auto"
    review_phrases: tuple[str, ...] = ()
    required_gates: tuple[str, ...] = DEFAULT_REQUIRED
    gate_waivers: tuple[GateWaiver, ...] = ()

    table = Table(
        entity="project",
    )
