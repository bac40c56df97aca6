"""The command that flags what sighted models doubt, with their answers and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag, Severity
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.quality.consensus import SUSPICIONS, Doubt, Suspicion, evidence_of
from annotator.store.reader import Reader

RAISED_BY = "consensus"
GONE = "The models do not say so any more."
SEVERITIES: dict[Suspicion, Severity] = {
    "consensus_against_key": "warning",
    "consensus_ambiguous": "warning",
    "consensus_unstable": "note",
}


@dataclass(kw_only=True)
class FlagDoubts(Command):
    """Raise a flag for each doubt, and close those of the same items that models doubt no more.

    A refined item that gets a warning goes to the reviewer: its state is ``flagged``. A flag that a person
    dismissed stays dismissed as long as the models say the same. Doing it twice changes nothing.

    Attributes:
        run: Id of the run.
        items: Ids of the items that the run judged.
        doubts: What was found (``quality.consensus``).
        added: Flags made or opened again; filled while the command is done.
        closed: Flags that closed; filled likewise.
        moved: Items that went to the reviewer; filled likewise.
    """

    run: str
    items: Sequence[str]
    doubts: Sequence[Doubt]
    added: int = field(default=0)
    closed: int = field(default=0)
    moved: int = field(default=0)

    @property
    def label(self) -> str:
        """Words for the undo menu."""
        count = len({doubt.heard.item.id for doubt in self.doubts})
        return f"Flag {count} {'item' if count == 1 else 'items'} that models doubt"

    @property
    def details(self) -> dict[str, Any]:
        """The run."""
        return {"run": self.run}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; an item that is gone is passed over.

        Raises:
            Cancelled: The user stopped it.
        """
        self.added = self.closed = self.moved = 0
        by_item: dict[str, dict[str, Doubt]] = {item: {} for item in self.items}
        for doubt in self.doubts:
            by_item.setdefault(doubt.heard.item.id, {})[doubt.kind] = doubt
        progress.begin(self.label, total=len(by_item))
        for item_id, doubts in by_item.items():
            progress.step()
            item = reader.get("item", item_id)
            if isinstance(item, Item):
                yield from self._item(item, doubts, reader.flags_of(item_id))
        progress.end()

    def _item(self, item: Item, doubts: dict[str, Doubt], flags: Sequence[Flag]) -> Iterator[Edit]:
        known = {flag.kind: flag for flag in flags if flag.raised_by == RAISED_BY}
        is_warned = False
        for kind in SUSPICIONS:
            doubt, flag = doubts.get(kind), known.get(kind)
            if doubt is not None:
                edits = list(self._raised(item, doubt, flag))
                is_warned |= bool(edits) and SEVERITIES[kind] == "warning"
                yield from edits
            elif flag is not None and flag.state == "open":
                self.closed += 1
                yield from _changed(flag, {"state": "resolved", "resolution": GONE})
        if is_warned and item.state == "refined":
            self.moved += 1
            yield Edit(entity="item", entity_id=item.id, field="state", value="flagged")

    def _raised(self, item: Item, doubt: Doubt, flag: Flag | None) -> Iterator[Edit]:
        words, evidence = doubt_words(doubt), evidence_of(doubt, run=self.run)
        if flag is None:
            self.added += 1
            made = Flag(
                id=new_id(),
                entity="item",
                target=item.id,
                kind=doubt.kind,
                message=words,
                field="key",
                severity=SEVERITIES[doubt.kind],
                raised_by=RAISED_BY,
                evidence=evidence,
            )
            yield Edit(entity="flag", entity_id=made.id, field=CREATED, value=made)
            return
        if flag.state == "dismissed" and flag.message == words:
            return
        self.added += flag.state != "open"
        yield from _changed(flag, {"message": words, "evidence": evidence, "state": "open", "resolution": ""})


def doubt_words(doubt: Doubt) -> str:
    """Return a doubt in words."""
    key, names = doubt.heard.item.key, ", ".join(doubt.models)
    if doubt.kind == "consensus_against_key":
        count = f"{len(doubt.models)} of {len(doubt.voices)}"
        return f"{count} models say {doubt.answer!r}, the key is {key!r}: {names}."
    if doubt.kind == "consensus_ambiguous":
        said = ", ".join(f"{voice.model} {voice.answer!r}" for voice in doubt.voices)
        return f"No model says {key!r}, and each says something else: {said}."
    return f"Changes its mind when the options are turned: {names}."


def _changed(flag: Flag, wanted: dict[str, Any]) -> Iterator[Edit]:
    for name, value in wanted.items():
        if getattr(flag, name) != value:
            yield Edit(entity="flag", entity_id=flag.id, field=name, value=value)
