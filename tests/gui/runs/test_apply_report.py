"""What came of an outcome that was applied, in the numbers of its command's report."""

from __future__ import annotations

from collections import Counter
from typing import cast

import pytest

from annotator.commands.apply_blind import ApplyBlind, Done, ItemOutcome
from annotator.commands.command import Command
from annotator.commands.consensus_flags import FlagDisagreements
from annotator.commands.depths import DepthReport, StoreDepths
from annotator.commands.detections import DetectionReport, StoreDetections
from annotator.commands.model_drafts import ModelDraftReport, StoreModelDrafts, TaskDrafts
from annotator.quality.policy import DEFAULT_POLICY
from widgets.runs.apply_report import applied_sections, applied_text


def doubts(**counts: int) -> FlagDisagreements:
    made = FlagDisagreements(run="r", items=(), disagreements=())
    for name, count in counts.items():
        setattr(made, name, count)
    return made


def blind(**counts: int) -> ApplyBlind:
    made = ApplyBlind(run="r", decided=(), policy=DEFAULT_POLICY)
    for done, count in counts.items():
        told = ItemOutcome(item="i", name="n", task="t", done=cast("Done", done), reason="")
        made.outcomes += [told] * count
    return made


def drafts() -> StoreModelDrafts:
    tasks = {
        "one": TaskDrafts(drafted=2, rejected=Counter({"no letter": 1, "too long": 3})),
        "two": TaskDrafts(unchanged=1, rejected=Counter({"too long": 1})),
    }
    return StoreModelDrafts(run="r", report=ModelDraftReport(tasks=tasks))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (doubts(added=1, closed=2, moved=0), "1 flag added · 2 flags closed"),
        (doubts(), "no changes"),
        (
            StoreDepths(run="r", report=DepthReport(kept=1200, unknown=1, outdated=2)),
            "1,200 regions with a new depth · 1 without a depth · 2 deleted or moved after the run began",
        ),
        (
            StoreDetections(run="r", report=DetectionReport(kept=1, removed=1, replaced=2)),
            "1 new region · 1 not added: a person removed it before · 2 earlier regions removed",
        ),
        (
            blind(flagged=2, released=3, left=1),
            (
                "2 items flagged · 3 items of a release flagged, not changed"
                " · 1 item not changed: decided by a person"
            ),
        ),
        (drafts(), "2 new items · 1 item already present · 5 drafts rejected"),
    ],
)
def test_words_when_applied_then_tell_every_count_but_nothing(command: Command, expected: str) -> None:
    assert applied_text(command) == expected


def test_sections_when_drafts_became_no_item_then_say_why_the_most_frequent_first() -> None:
    (section,) = applied_sections(drafts())
    assert section.rows == (("4", "too long"), ("1", "no letter"))
    assert applied_sections(doubts(added=1)) == []
