"""The command that flags items on which models with image input disagree with the answer key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.earlier_finding import is_superseded
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.flag import Flag, Severity
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.quality.consensus import DISAGREEMENT_KINDS, Disagreement, DisagreementKind, evidence_of
from annotator.queries.reader import Reader
from annotator.release_examination.containing_releases import ContainingReleases, release_text

RAISED_BY = "consensus"
GONE = "The models no longer disagree."
SEVERITIES: dict[DisagreementKind, Severity] = {
    "consensus_against_key": "warning",
    "consensus_ambiguous": "warning",
    "consensus_unstable": "note",
}


@dataclass(kw_only=True)
class FlagDisagreements(Command):
    """Raise a flag for each disagreement, and close the flags of items on which models agree again.

    Findings of an earlier run are closed only if they are superseded (``earlier_finding``).

    A refined item that gets a warning goes to the reviewer: its state is ``flagged``. A flag that a user
    dismissed stays dismissed as long as the models give the same answers. Repeating the command changes
    nothing. If a release contains the item in its present form, the flag says so: the finding concerns the
    next release.

    Attributes:
        run: Id of the run.
        items: Ids of the items that the run judged.
        disagreements: The disagreements (``quality.consensus``).
        added: Flags created or reopened; set by ``plan``.
        closed: Flags closed; set by ``plan``.
        moved: Items that became ``flagged``; set by ``plan``.
        released: Names of the releases that contain an item, by its id; set by ``plan``.
    """

    run: str
    items: Sequence[str]
    disagreements: Sequence[Disagreement]
    added: int = field(default=0)
    closed: int = field(default=0)
    moved: int = field(default=0)
    released: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        count = len({disagreement.item_predictions.item.id for disagreement in self.disagreements})
        return CommandSummary.of("flag_doubted", count=count)

    @property
    def details(self) -> dict[str, Any]:
        """The run."""
        return {"run": self.run}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; items that no longer exist are skipped.

        Raises:
            Cancelled: The user cancelled the operation.
        """
        self.added = self.closed = self.moved = 0
        self.released = {}
        releases, answered = ContainingReleases(reader), _AnswersByItem(reader, self.run)
        by_item: dict[str, dict[str, Disagreement]] = {item: {} for item in self.items}
        for disagreement in self.disagreements:
            by_item.setdefault(disagreement.item_predictions.item.id, {})[disagreement.kind] = disagreement
        progress.begin(self.summary, total=len(by_item))
        for item_id, disagreements in by_item.items():
            progress.step()
            item = reader.get(Item, item_id)
            if item is not None:
                if disagreements and (holding := releases.holding(item)):
                    self.released[item.id] = holding
                yield from self._item(item, disagreements, reader.flags_of(item_id), answered=answered)
        progress.end()

    def _item(
        self,
        item: Item,
        disagreements: dict[str, Disagreement],
        flags: Sequence[Flag],
        *,
        answered: _AnswersByItem,
    ) -> Iterator[Edit]:
        known = {flag.kind: flag for flag in flags if flag.raised_by == RAISED_BY}
        is_warned = False
        for kind in DISAGREEMENT_KINDS:
            disagreement, flag = disagreements.get(kind), known.get(kind)
            if disagreement is not None:
                edits = list(self._raised(item, disagreement, flag))
                # Only for new findings: if a user has handled the flag and moved the item on, that decision
                # stands.
                is_warned |= bool(edits) and SEVERITIES[kind] == "warning"
                yield from edits
            elif flag is not None and self._is_gone(flag, item, answered=answered):
                self.closed += 1
                yield from edit_fields(flag, state="resolved", resolution=GONE)
        if is_warned and item.state == "refined":
            self.moved += 1
            yield Edit(entity="item", entity_id=item.id, field="state", value="flagged")

    def _is_gone(self, flag: Flag, item: Item, *, answered: _AnswersByItem) -> bool:
        is_open = flag.state == "open"
        return is_open and is_superseded(flag, item, run=self.run, models=answered.models(item))

    def _raised(self, item: Item, disagreement: Disagreement, flag: Flag | None) -> Iterator[Edit]:
        holding = self.released.get(item.id, ())
        reason = disagreement_text(disagreement)
        text = reason + release_text(holding)
        evidence = evidence_of(disagreement, run=self.run) | {"releases": list(holding)}
        if flag is None:
            self.added += 1
            made = Flag(
                id=new_id(),
                entity="item",
                target=item.id,
                kind=disagreement.kind,
                message=text,
                field="answer_key",
                severity=SEVERITIES[disagreement.kind],
                raised_by=RAISED_BY,
                evidence=evidence,
            )
            yield Edit(entity="flag", entity_id=made.id, field=CREATED, value=made)
            return
        # Compare the beginning only: the message ends with release names, which change while the reason does
        # not.
        if flag.state == "dismissed" and flag.message.startswith(reason):
            return
        self.added += flag.state != "open"
        yield from edit_fields(flag, message=text, evidence=evidence, state="open", resolution="")


class _AnswersByItem:
    """The models that gave an answer in a run; read once, and only if an earlier run's flag requires it."""

    def __init__(self, reader: Reader, run: str) -> None:
        self._reader, self._run = reader, run

    def models(self, item: Item) -> frozenset[str]:
        """Return the names of the models that answered about the present version of an item."""
        shown = prompt_digest(item)
        return frozenset(model for model, digest in self._by_item.get(item.id, ()) if digest == shown)

    @cached_property
    def _by_item(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for job in self._reader.runs.jobs(self._run):
            if job.prediction is not None and job.prediction.kind == "answer":
                found.setdefault(job.target, []).append((job.model, str(job.spec.get("shown", ""))))
        return found


def disagreement_text(disagreement: Disagreement) -> str:
    """Return a disagreement as text."""
    key, names = disagreement.item_predictions.item.answer_key, ", ".join(disagreement.models)
    if disagreement.kind == "consensus_against_key":
        count = f"{len(disagreement.models)} of {len(disagreement.votes)}"
        return f"{count} models answer {disagreement.answer!r}, the answer key is {key!r}: {names}."
    if disagreement.kind == "consensus_ambiguous":
        answers_text = ", ".join(f"{vote.model} {vote.answer!r}" for vote in disagreement.votes)
        return f"No model answers {key!r}, and the models do not agree on another answer: {answers_text}."
    return f"Answers change when the options are rotated or the question is repeated: {names}."
