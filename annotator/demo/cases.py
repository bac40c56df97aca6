"""The deliberate errors in the demo, which checks and importers must find."""

from __future__ import annotations

from dataclasses import dataclass

ANNOTATED_TWICE = "crossroads-1-UAV3"

LABEL_SLIPS: dict[str, tuple[str, str]] = {
    "market-1-UAV1": ("count_not_integer", "the count is 'around' a round number"),
    "market-1-UAV2": ("count_not_integer", "the count is 'around' a round number"),
    "crossroads-1-UAV1": ("", "the partners are parted by a full-width comma, which the importer mends"),
    "crossroads-2-UAV1": (
        "partner_unknown",
        "UAV3 is named, which was not there, although no help is asked for",
    ),
    "park-1-UAV2": ("partner_missing", "help is needed, but nobody is named"),
    "school-1-UAV1": ("", "'noen' stands for 'none', which the importer mends"),
    "gardens-1-UAV2": ("fov_without_rect", "'Out of FoV' is ticked without a box"),
    ANNOTATED_TWICE: ("annotated_twice", "the picture is annotated twice, with different answers"),
}
"""Slips of the annotation file by image: the kind of the flag that they raise, and what is wrong."""


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A slip in one question.

    Attributes:
        kind: Kind of the flag that it has to raise.
        says: What is wrong.
        task: Id of the task.
        number: Which of the task's questions it is, from 1.
    """

    kind: str
    says: str
    task: str
    number: int


QUESTION_SLIPS: tuple[Slip, ...] = (
    Slip(
        kind="",
        says="the key ends in a dot, though the question forbids other characters; the importer mends it",
        task="Direction_Recognition",
        number=3,
    ),
    Slip(
        kind="unknown_region",
        says="the key names a region that the picture does not have",
        task="Region_Recognition",
        number=4,
    ),
)
"""Slips of the SpatialUAV file."""

CLIP_SLIPS: tuple[Slip, ...] = (
    Slip(kind="absolute_direction", says="an option speaks of the north", task="sequence_recall", number=1),
    Slip(kind="duplicate_options", says="two options say the same", task="scene_recall", number=2),
    Slip(kind="options_missing", says="the options are missing", task="causal", number=1),
)
"""Slips of the UrbanVideo-Bench file."""


def slip_of(slips: tuple[Slip, ...], *, task: str, number: int) -> Slip | None:
    """Return the slip of a question, None for one that is as it should be."""
    return next((slip for slip in slips if (slip.task, slip.number) == (task, number)), None)
