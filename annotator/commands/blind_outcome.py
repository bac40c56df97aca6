"""The command that does what the blind filter decided: back to the author, or filtered; one step to undo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, State
from annotator.domain.record import Part, new_id
from annotator.progress import Progress
from annotator.quality.blind import Decided, evidence_of
from annotator.quality.policy import Policy
from annotator.store.reader import Reader

RAISED_BY = "blind"
GUESSED, UNDECIDED = "blind_guessed", "blind_undecided"
SETTLED: frozenset[State] = frozenset({"accepted", "flagged", "rejected"})
"""What people decided, or are about to: left as it is unless it is asked for. Rejected items always are."""
FILTERED_WORDS = "Filtered: models know the answer without the pictures."
KEPT_WORDS = "By the policy now chosen it was not guessed."
Outcome = Literal["author", "filtered"]
Done = Literal["flagged", "returned", "filtered", "restored", "left"]


class ItemOutcome(Part, frozen=True, kw_only=True):
    """What became of one item.

    Attributes:
        item: Its id.
        name: Its public id.
        task: Id of its task.
        done: ``flagged``: it stays with its author, who is told; ``returned``: it goes back there;
            ``filtered``; ``restored``: an earlier decision is taken back; ``left``: guessed, but people
            have decided on it, or dismissed the same reason before.
        words: Why.
    """

    item: str
    name: str
    task: str
    done: Done
    words: str


@dataclass(kw_only=True)
class ApplyBlind(Command):
    """Flag what was guessed, with the evidence, and send it back or filter it; take back what no longer is.

    Decisions are made before (``quality.blind.decide_run``), so that a person sees what would happen, and so
    that nobody waits for the reading of many answers. Doing it twice changes nothing.

    Attributes:
        run: Id of the run.
        decided: What the policy made of its items.
        policy: The policy.
        outcome: ``author``: a flag, and an item in refinement is a draft again; ``filtered``: out of sight.
        include_settled: Touch accepted and flagged items too.
        outcomes: Filled while the command is done.
    """

    run: str
    decided: Sequence[Decided]
    policy: Policy
    outcome: Outcome = "author"
    include_settled: bool = False
    outcomes: list[ItemOutcome] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Words for the undo menu."""
        guessed = sum(one.decision == "guessed" for one in self.decided)
        what = "Filter" if self.outcome == "filtered" else "Send back"
        return f"{what} {guessed} guessed {'item' if guessed == 1 else 'items'}"

    @property
    def details(self) -> dict[str, Any]:
        """Run and policy."""
        return {
            "run": self.run,
            "policy": self.policy.words,
            "policy_version": self.policy.version,
            "outcome": self.outcome,
        }

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; an item that is gone is passed over.

        Raises:
            Cancelled: The user stopped it.
        """
        self.outcomes = []
        progress.begin(self.label, total=len(self.decided))
        for one in self.decided:
            progress.step()
            item = reader.get("item", one.heard.item.id)
            if not isinstance(item, Item):
                continue
            flags = {flag.kind: flag for flag in reader.flags_of(item.id) if flag.raised_by == RAISED_BY}
            yield from self._guessed(one, item, flags.get(GUESSED))
            yield from self._undecided(one, item, flags.get(UNDECIDED))
        progress.end()

    def _guessed(self, one: Decided, item: Item, flag: Flag | None) -> Iterator[Edit]:
        if one.decision == "guessed":
            yield from self._take_out(one, item, flag)
        elif flag is not None and flag.state != "dismissed" and not _is_taken_back(flag):
            yield from self._take_back(item, flag)

    def _take_out(self, one: Decided, item: Item, flag: Flag | None) -> Iterator[Edit]:
        words = guessed_words(one, self.policy)
        is_dismissed = flag is not None and flag.state == "dismissed" and flag.message == words
        if is_dismissed or not self._may_touch(item):
            self._note(item, "left", words)
            return
        state: State = "filtered" if self.outcome == "filtered" else "drafted"
        before = _state_before(flag, item)
        evidence = evidence_of(one, run=self.run, policy=self.policy)
        evidence |= {"state_before": before, "state_after": state}
        is_filtered = state == "filtered"
        wanted: dict[str, Any] = {
            "message": words,
            "evidence": evidence,
            "state": "resolved" if is_filtered else "open",
            "resolution": FILTERED_WORDS if is_filtered else "",
        }
        if flag is None:
            yield _made(item, GUESSED, wanted, severity="warning")
        else:
            yield from _changed(flag, wanted)
        if item.state != state:
            yield Edit(entity="item", entity_id=item.id, field="state", value=state)
        self._note(
            item, "filtered" if is_filtered else "flagged" if before == "drafted" else "returned", words
        )

    def _take_back(self, item: Item, flag: Flag) -> Iterator[Edit]:
        yield from _changed(flag, {"state": "resolved", "resolution": KEPT_WORDS})
        before = flag.evidence.get("state_before")
        # Whoever moved it on since then has decided otherwise.
        if before and item.state == flag.evidence.get("state_after") != before:
            yield Edit(entity="item", entity_id=item.id, field="state", value=before)
        self._note(item, "restored", KEPT_WORDS)

    def _undecided(self, one: Decided, item: Item, flag: Flag | None) -> Iterator[Edit]:
        is_open = flag is not None and flag.state == "open"
        if one.decision == "undecided" and self._may_touch(item):
            words = undecided_words(one)
            evidence = evidence_of(one, run=self.run, policy=self.policy)
            wanted: dict[str, Any] = {
                "message": words,
                "evidence": evidence,
                "state": "open",
                "resolution": "",
            }
            if flag is None:
                yield _made(item, UNDECIDED, wanted, severity="note")
            elif flag.state != "dismissed":
                yield from _changed(flag, wanted)
        elif flag is not None and is_open:
            yield from _changed(flag, {"state": "resolved", "resolution": "It is decided now."})

    def _may_touch(self, item: Item) -> bool:
        return item.state != "rejected" and (self.include_settled or item.state not in SETTLED)

    def _note(self, item: Item, done: Done, words: str) -> None:
        self.outcomes.append(
            ItemOutcome(item=item.id, name=item.name, task=item.task, done=done, words=words)
        )


def guessed_words(one: Decided, policy: Policy) -> str:
    """Return who was right how often, in words."""
    counts: dict[str, list[int]] = {}
    for hearing in one.heard.hearings:
        own = counts.setdefault(hearing.model, [0, 0])
        own[0] += bool(hearing.is_right)
        own[1] += hearing.is_right is not None
    said = ", ".join(f"{model} {right} of {known}" for model, (right, known) in counts.items())
    return f"Right without the pictures: {said} (policy {policy.words})."


def undecided_words(one: Decided) -> str:
    """Return why nothing could be decided, in words."""
    kinds: dict[str, int] = {}
    for hearing in one.heard.hearings:
        if hearing.is_right is None:
            kind = "key unreadable" if hearing.kind == "answer" else hearing.kind
            kinds[kind] = kinds.get(kind, 0) + 1
    missing = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"The blind filter could not decide: of {len(one.heard.hearings)} answers {missing}."


def _state_before(flag: Flag | None, item: Item) -> str:
    """Return the state that taking back leads to: that of before the first decision still in force."""
    if flag is not None and not _is_taken_back(flag) and item.state == flag.evidence.get("state_after"):
        return str(flag.evidence.get("state_before", item.state))
    return item.state


def _is_taken_back(flag: Flag) -> bool:
    return flag.state == "resolved" and flag.resolution == KEPT_WORDS


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


def _changed(flag: Flag, wanted: dict[str, Any]) -> Iterator[Edit]:
    for name, value in wanted.items():
        if getattr(flag, name) != value:
            yield Edit(entity="flag", entity_id=flag.id, field=name, value=value)
