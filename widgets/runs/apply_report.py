"""Texts that report the result of an applied run outcome, from the counts of its command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotator.commands.apply_blind import ApplyBlind
from annotator.commands.command import Command
from annotator.commands.consensus_flags import FlagDisagreements
from annotator.commands.depths import StoreDepths
from annotator.commands.detections import StoreDetections
from annotator.commands.model_drafts import StoreModelDrafts
from annotator.commands.necessity_flags import FlagUnneededInput
from widgets.message_text import message_text
from widgets.report_dialog import ReportSection
from widgets.translation import tr, trn


def applied_text(command: Command) -> str:
    """Return the non-zero counts of an applied outcome, or "" for a command that applies none."""
    if isinstance(command, ApplyBlind):
        return _joined(_of_blind(command))
    if isinstance(command, (FlagDisagreements, FlagUnneededInput)):
        return _joined(_of_flags(command))
    if isinstance(command, StoreDetections):
        return _joined(_of_detections(command))
    if isinstance(command, StoreDepths):
        return _joined(_of_depths(command))
    return _joined(_of_drafts(command)) if isinstance(command, StoreModelDrafts) else ""


def applied_sections(command: Command) -> list[ReportSection]:
    """Return further tables of the report: the number of rejected drafts by reason."""
    if not isinstance(command, StoreModelDrafts) or not command.report.rejected:
        return []
    reasons: Counter[str] = Counter()
    for task in command.report.tasks.values():
        reasons.update(task.rejected)
    rows = tuple((f"{count:,}", message_text(reason)) for reason, count in reasons.most_common())
    return [
        ReportSection(title=tr("Rejected drafts by reason"), columns=(tr("Drafts"), tr("Reason")), rows=rows)
    ]


Counted = tuple[int, str]


def _of_blind(command: ApplyBlind) -> Iterable[Counted]:
    counts = Counter(outcome.done for outcome in command.outcomes)
    flagged, returned, filtered = counts["flagged"], counts["returned"], counts["filtered"]
    released, restored, left = counts["released"], counts["restored"], counts["left"]
    yield flagged, trn("{n} item flagged", "{n} items flagged", n=flagged)
    yield returned, trn("{n} item returned to its author", "{n} items returned to their authors", n=returned)
    yield filtered, trn("{n} item filtered", "{n} items filtered", n=filtered)
    # Items of a release are never changed. Their own count explains why 'flagged' alone looks too high.
    yield (
        released,
        trn(
            "{n} item of a release flagged, not changed",
            "{n} items of a release flagged, not changed",
            n=released,
        ),
    )
    yield restored, trn("{n} item restored", "{n} items restored", n=restored)
    yield (
        left,
        trn(
            "{n} item not changed: decided by a person", "{n} items not changed: decided by a person", n=left
        ),
    )


def _of_flags(command: FlagDisagreements | FlagUnneededInput) -> Iterable[Counted]:
    yield command.added, trn("{n} flag added", "{n} flags added", n=command.added)
    yield command.closed, trn("{n} flag closed", "{n} flags closed", n=command.closed)
    yield command.moved, trn("{n} item sent to review", "{n} items sent to review", n=command.moved)


def _of_detections(command: StoreDetections) -> Iterable[Counted]:
    report = command.report
    if command.is_proposing:
        yield report.kept, trn("{n} new proposal", "{n} new proposals", n=report.kept)
    else:
        yield report.kept, trn("{n} new region", "{n} new regions", n=report.kept)
    yield report.known, trn("{n} region already present", "{n} regions already present", n=report.known)
    removed = trn(
        "{n} not added: a person removed it before",
        "{n} not added: a person removed them before",
        n=report.removed,
    )
    yield report.removed, removed
    replaced = trn("{n} earlier region removed", "{n} earlier regions removed", n=report.replaced)
    yield report.replaced, replaced
    yield report.left_out, trn("{n} skipped", "{n} skipped", n=report.left_out)


def _of_depths(command: StoreDepths) -> Iterable[Counted]:
    report = command.report
    yield report.kept, trn("{n} region with a new depth", "{n} regions with a new depth", n=report.kept)
    yield report.known, trn("{n} not changed", "{n} not changed", n=report.known)
    yield report.unknown, trn("{n} without a depth", "{n} without a depth", n=report.unknown)
    yield (
        report.outdated,
        trn(
            "{n} deleted or moved after the run began",
            "{n} deleted or moved after the run began",
            n=report.outdated,
        ),
    )


def _of_drafts(command: StoreModelDrafts) -> Iterable[Counted]:
    tasks = command.report.tasks.values()
    drafted, rejected = command.report.drafted, command.report.rejected
    unchanged = sum(task.unchanged for task in tasks)
    yield drafted, trn("{n} new item", "{n} new items", n=drafted)
    yield unchanged, trn("{n} item already present", "{n} items already present", n=unchanged)
    yield rejected, trn("{n} draft rejected", "{n} drafts rejected", n=rejected)


def _joined(counts: Iterable[Counted]) -> str:
    texts = [text for count, text in counts if count]
    return " · ".join(texts) or tr("no changes")
