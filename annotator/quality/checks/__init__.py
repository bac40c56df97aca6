"""The registry of checks, in the order in which findings are listed: one class per check."""

from __future__ import annotations

from annotator.domain.registry import by_id
from annotator.domain.task_set_rules import KnownChecks
from annotator.quality.check import Check
from annotator.quality.checks.balance import LetterBalance, LongestOption
from annotator.quality.checks.choices import DuplicateOptions, SimilarOptions
from annotator.quality.checks.directions import AbsoluteDirection
from annotator.quality.checks.duplicates import NearDuplicates
from annotator.quality.checks.labels import CleanAnswer, LabelContradiction
from annotator.quality.checks.links import LinkMismatch
from annotator.quality.checks.names import DuplicateIds
from annotator.quality.checks.overlaps import OverlappingOptions
from annotator.quality.checks.references import MissingMedia, UnknownRegions
from annotator.quality.checks.structure import KeyInOptions, OptionLetters, RequiredFields
from annotator.quality.checks.variants import StaleVariant
from annotator.quality.checks.wording import ModelChatter, QuestionLength, UnfilledSlots

CHECK_CLASSES: tuple[type[Check], ...] = (
    RequiredFields,
    OptionLetters,
    KeyInOptions,
    SimilarOptions,
    DuplicateOptions,
    OverlappingOptions,
    UnfilledSlots,
    ModelChatter,
    QuestionLength,
    AbsoluteDirection,
    UnknownRegions,
    MissingMedia,
    LabelContradiction,
    LetterBalance,
    LongestOption,
    DuplicateIds,
    NearDuplicates,
    CleanAnswer,
    LinkMismatch,
    StaleVariant,
)
CHECKS = by_id(CHECK_CLASSES)
"""Every check by its id."""


def known_checks() -> KnownChecks:
    """Return the thresholds that a task set may give to each check, for the validation of task sets."""
    return {check.id: check.settings for check in CHECKS.values()}
