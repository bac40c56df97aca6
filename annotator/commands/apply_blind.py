"""The command that applies the decisions of the blind filter to items, as one undo step."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.earlier_finding import is_superseded
from annotator.domain.event import CREATED, Edit, StateRestoration, edit_fields
from annotator.domain.flag import Flag
from annotator.domain.item import Item, ItemState
from annotator.domain.record import ValueObject, new_id
from annotator.domain.review import is_blocking
from annotator.domain.run import UNFINISHED, Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.blind import ItemDecision, evidence_of
from annotator.quality.decision_basis import MISSING_TEXTS
from annotator.quality.policy import Policy
from annotator.quality.predictions import ItemPredictionKind
from annotator.queries.reader import Reader
from annotator.release_examination.containing_releases import ContainingReleases, release_text

RAISED_BY = "blind"
GUESSED, UNDECIDED = "blind_guessed", "blind_undecided"
FINAL_STATES: frozenset[ItemState] = frozenset({"accepted", "flagged", "rejected"})
"""States that are left unchanged unless ``include_settled`` is set. Rejected items are never changed."""
FILTERED_TEXT = "Filtered: models answer the question without the images."
KEPT_TEXT = "Under the policy that is now selected, the item does not count as guessed."
UNKNOWN_TEXT = "Under the policy that is now selected, too little is known to count the item as guessed."
RESTORED = "restored"
"""Entry of a flag's evidence: the resolution with which a run took the finding back."""
EARLIER_RESTORED = frozenset(
    {
        "By the policy now chosen it was not guessed.",
        "By the policy now chosen too little is known to call it guessed.",
    }
)
"""Resolutions of earlier versions, whose evidence has no such entry. No new ones are added."""
NO_PREDICTION_WORDS: frozenset[ItemPredictionKind] = frozenset({"error", "unasked"})
"""Predictions that say nothing about the item itself: an unreachable server, for instance."""
Outcome = Literal["author", "filtered"]
Done = Literal["flagged", "returned", "filtered", "restored", "released", "left"]


class ItemOutcome(ValueObject, frozen=True, kw_only=True):
    """The outcome for one item.

    Attributes:
        item: Its id.
        name: Its public id.
        task: Id of its task.
        done: ``flagged``: its state is unchanged and a flag is open for its author; ``returned``: it is a
            draft again; ``filtered``; ``restored``: an earlier decision is reverted; ``released``: it is part
            of a release: its state is unchanged, and a flag marks it for the next release; ``left``: guessed,
            but a user has decided on it, or dismissed the same finding before.
        reason: The reason.
    """

    item: str
    name: str
    task: str
    done: Done
    reason: str


@dataclass(kw_only=True)
class ApplyBlind(Command):
    """Flag guessed items with the evidence, return or filter them, and revert decisions that no longer hold.

    The decisions are computed beforehand (``quality.blind.decide_all``), so that a user can review them and
    the transaction does not wait for reading many answers. Repeating the command changes nothing. The
    findings of an earlier run hold until they are superseded (``earlier_finding``): errors and other models
    revert nothing.

    An unfinished run decides nothing, and an item without any prediction is skipped: otherwise an unreachable
    server would leave a flag on every item of the project. The run itself reports what failed.

    An item that a release contains in its present form is flagged whatever the outcome, and its state is
    unchanged: items leave a published benchmark only by a user's decision.

    Attributes:
        run: Id of the run.
        decided: The decisions of the policy about its items.
        policy: The policy.
        outcome: ``author``: a flag, and an item in refinement is a draft again; ``filtered``: not listed.
        include_settled: Change accepted, flagged and released items too.
        outcomes: Set by ``plan``.
    """

    run: str
    decided: Sequence[ItemDecision]
    policy: Policy
    outcome: Outcome = "author"
    include_settled: bool = False
    outcomes: list[ItemOutcome] = field(default_factory=list)
    _releases: ContainingReleases | None = field(default=None, init=False, repr=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        guessed = sum(one.decision == "guessed" for one in self.decided)
        code = "filter_guessed" if self.outcome == "filtered" else "send_back_guessed"
        return CommandSummary.of(code, count=guessed)

    @property
    def details(self) -> dict[str, Any]:
        """Run and policy."""
        return {
            "run": self.run,
            "policy": self.policy.text,
            "policy_version": self.policy.version,
            "unread_as_miss": self.policy.counts_unread,
            "outcome": self.outcome,
        }

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; items that no longer exist or have no prediction are skipped.

        Raises:
            UserError: The run is not finished; wait for it or stop it.
            Cancelled: The user cancelled the operation.
        """
        _require_end(reader.runs.get(self.run))
        self.outcomes = []
        self._releases = ContainingReleases(reader)
        progress.begin(self.summary, total=len(self.decided))
        for one in self.decided:
            progress.step()
            if all(prediction.kind in NO_PREDICTION_WORDS for prediction in one.item_predictions.predictions):
                continue
            item = reader.get(Item, one.item_predictions.item.id)
            if item is None:
                continue
            found = reader.flags_of(item.id)
            flags = {flag.kind: flag for flag in found if flag.raised_by == RAISED_BY}
            yield from self._guessed(one, item, flags.get(GUESSED), flags=found)
            yield from self._undecided(one, item, flags.get(UNDECIDED))
        progress.end()

    def _guessed(
        self, decision: ItemDecision, item: Item, flag: Flag | None, *, flags: Collection[Flag]
    ) -> Iterator[Edit]:
        if decision.decision == "guessed":
            yield from self._filter(decision, item, flag)
        elif flag is not None and flag.state != "dismissed" and not _is_restored(flag):
            answered = _answered_models(decision)
            # "Undecided" reverts only a finding of the same run: in another run, the models behind the
            # finding may simply have failed.
            is_same_run = flag.evidence.get("run") == self.run
            if decision.decision == "undecided" and is_same_run:
                yield from self._restore(item, flag, text=UNKNOWN_TEXT, flags=flags)
            elif decision.decision == "kept" and is_superseded(flag, item, run=self.run, models=answered):
                yield from self._restore(item, flag, text=KEPT_TEXT, flags=flags)

    def _filter(self, decision: ItemDecision, item: Item, flag: Flag | None) -> Iterator[Edit]:
        releases = self._releases_with(item)
        reason = guessed_text(decision, self.policy)
        text = reason + release_text(releases)
        is_kept = bool(releases) and not self.include_settled
        if self._is_dismissed(flag, decision) or not (is_kept or self._is_editable(item)):
            self._note(item, "left", text)
            return
        wanted: ItemState = "filtered" if self.outcome == "filtered" else "drafted"
        state = item.state if is_kept else wanted
        before = _state_before_filter(flag, item)
        evidence = evidence_of(decision, run=self.run, policy=self.policy)
        evidence |= {"state_before": before, "state_after": state, "releases": list(releases)}
        yield from _flag_edits(item, flag, text=text, evidence=evidence, is_filtered=state == "filtered")
        if item.state != state:
            yield Edit(entity="item", entity_id=item.id, field="state", value=state)
        self._note(item, "released" if is_kept else _outcome_of(state, before=before), text)

    def _releases_with(self, item: Item) -> tuple[str, ...]:
        return self._releases.holding(item) if self._releases and item.state != "rejected" else ()

    def _is_dismissed(self, flag: Flag | None, decision: ItemDecision) -> bool:
        """Return whether a user dismissed a flag that the same answers raised under the same policy."""
        if flag is None or flag.state != "dismissed":
            return False
        # Compare the evidence, not the message: the message names releases, and its wording differs between
        # versions.
        now = evidence_of(decision, run=self.run, policy=self.policy)
        return flag.evidence.get("policy") == now["policy"] and _rights(flag.evidence) == _rights(now)

    def _restore(self, item: Item, flag: Flag, *, text: str, flags: Collection[Flag]) -> Iterator[Edit]:
        evidence = flag.evidence | {RESTORED: text}
        yield from edit_fields(flag, state="resolved", resolution=text, evidence=evidence)
        before = flag.evidence.get("state_before")
        if before == "accepted" and any(is_blocking(one) and one.id != flag.id for one in flags):
            # Another reason came up meanwhile: the item waits for its reviewer.
            before = "flagged"
        # If the state was changed since then, a user has decided otherwise.
        if before and item.state == flag.evidence.get("state_after") != before:
            yield StateRestoration(entity="item", entity_id=item.id, field="state", value=before)
        self._note(item, "restored", text)

    def _undecided(self, decision: ItemDecision, item: Item, flag: Flag | None) -> Iterator[Edit]:
        is_open = flag is not None and flag.state == "open"
        if decision.decision == "undecided" and self._is_editable(item):
            text = undecided_text(decision)
            evidence = evidence_of(decision, run=self.run, policy=self.policy)
            wanted: dict[str, Any] = {
                "message": text,
                "evidence": evidence,
                "state": "open",
                "resolution": "",
            }
            if flag is None:
                yield _made(item, UNDECIDED, wanted, severity="note")
            elif flag.state != "dismissed":
                yield from edit_fields(flag, **wanted)
        elif flag is not None and is_open:
            yield from edit_fields(flag, state="resolved", resolution="The blind filter is now decided.")

    def _is_editable(self, item: Item) -> bool:
        return item.state != "rejected" and (self.include_settled or item.state not in FINAL_STATES)

    def _note(self, item: Item, done: Done, text: str) -> None:
        self.outcomes.append(
            ItemOutcome(item=item.id, name=item.name, task=item.task, done=done, reason=text)
        )


def _require_end(run: Run | None) -> None:
    if run is not None and run.state in UNFINISHED:
        raise UserError(
            f"The run is {run.state}: its answers are applied only after it ends.",
            hint="Wait until the run ends, or cancel it to use the answers so far.",
        )


def _flag_edits(
    item: Item, flag: Flag | None, *, text: str, evidence: dict[str, Any], is_filtered: bool
) -> Iterator[Edit]:
    """Yield the flag of a guessed item: open for its author, closed where it is filtered out."""
    wanted: dict[str, Any] = {
        "message": text,
        "evidence": evidence,
        "state": "resolved" if is_filtered else "open",
        "resolution": FILTERED_TEXT if is_filtered else "",
    }
    if flag is None:
        yield _made(item, GUESSED, wanted, severity="warning")
    else:
        yield from edit_fields(flag, **wanted)


def _outcome_of(state: str, *, before: str) -> Done:
    if state == "filtered":
        return "filtered"
    return "flagged" if before == "drafted" else "returned"


def guessed_text(one: ItemDecision, policy: Policy) -> str:
    """Return what points at the answer key, and the policy that classifies this as guessed."""
    if one.calibrated is not None and one.calibrated.reasons:
        reasons = ", ".join(reason.text for reason in one.calibrated.reasons)
        return f"The text gives the answer key away: {reasons}. Policy: {policy.title}."
    return f"Correct without the images: {_answers_text(one)}. Policy: {policy.title}."


def _answers_text(decision: ItemDecision) -> str:
    counts: dict[str, list[int]] = {}
    for prediction in decision.item_predictions.predictions:
        own = counts.setdefault(prediction.model, [0, 0])
        own[0] += bool(prediction.is_right)
        own[1] += prediction.is_right is not None
    return ", ".join(f"{model} {right}/{known}" for model, (right, known) in counts.items())


def _answered_models(decision: ItemDecision) -> set[str]:
    predictions = decision.item_predictions.predictions
    return {prediction.model for prediction in predictions if prediction.is_right is not None}


def _rights(evidence: dict[str, Any]) -> dict[str, int]:
    """Return how often each model was correct, from the evidence of a flag."""
    return {model: counts["right"] for model, counts in evidence.get("models", {}).items()}


def undecided_text(one: ItemDecision) -> str:
    """Return why no decision was possible."""
    kinds: dict[ItemPredictionKind, int] = {}
    for prediction in one.item_predictions.predictions:
        if prediction.is_right is None:
            kinds[prediction.kind] = kinds.get(prediction.kind, 0) + 1
    asked = len(one.item_predictions.predictions)
    missing = [
        f"{kinds[kind]:,} of {asked:,} requests: {MISSING_TEXTS[kind]}."
        for kind in MISSING_TEXTS
        if kind in kinds
    ]
    return " ".join(["The blind filter is undecided.", *missing])


def _state_before_filter(flag: Flag | None, item: Item) -> str:
    """Return the state that the item had before the first decision that is still in force."""
    # Not the item's state before this run: after a second run that would be the state the first run set.
    if flag is not None and not _is_restored(flag) and item.state == flag.evidence.get("state_after"):
        return str(flag.evidence.get("state_before", item.state))
    return item.state


def _is_restored(flag: Flag) -> bool:
    # A person who resolves the flag gives a reason of their own: then the resolution is not that of the run.
    restored = flag.evidence.get(RESTORED)
    is_of_run = flag.resolution == restored or flag.resolution in EARLIER_RESTORED
    return flag.state == "resolved" and is_of_run


def _made(item: Item, kind: str, wanted: dict[str, Any], *, severity: Literal["warning", "note"]) -> Edit:
    flag = Flag(
        id=new_id(),
        entity="item",
        target=item.id,
        kind=kind,
        severity=severity,
        raised_by=RAISED_BY,
        **wanted,
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)
