"""Splits and subset of a project's releases, as this person chose them last."""

from __future__ import annotations

import msgspec

from annotator.domain.record import ValueObject
from annotator.release.splits import Split, SplitSettings
from annotator.release.subset import SubsetSettings
from widgets.settings import Settings

USUAL_SPLITS = SplitSettings(
    splits=(Split(name="train", share=0.8), Split(name="dev", share=0.1), Split(name="test", share=0.1))
)
USUAL_SUBSET = SubsetSettings(share=0.2)
"""Source: SpatialUAV, human reference on 20 % of each task."""


class KeptDivision(ValueObject, frozen=True, kw_only=True):
    """The choice.

    Attributes:
        splits: How the items are divided, None for no division.
        subset: The share of each task in the subset, None for none.
    """

    splits: SplitSettings | None = None
    subset: SubsetSettings | None = None


def kept_division(settings: Settings, *, project: str) -> KeptDivision:
    """Return the choice for a project by its id; without splits and subset if there is none."""
    try:
        return msgspec.json.decode(settings.text(_key(project), "{}"), type=KeptDivision)
    except msgspec.MsgspecError:
        # Settings of a later version, or edited by hand.
        return KeptDivision()


def keep_division(settings: Settings, division: KeptDivision, *, project: str) -> None:
    """Store the choice for a project."""
    settings.keep(_key(project), msgspec.json.encode(division).decode())


def _key(project: str) -> str:
    return f"release/division/{project}"
